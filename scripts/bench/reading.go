package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// fastjson is a program that parses the lines of a file by the parser of that name, the
// fastest of those that take any JSON, and does no more.
const fastjson = `package main

import (
	"bufio"
	"os"

	"github.com/valyala/fastjson"
)

func main() {
	file, err := os.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	var p fastjson.Parser
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if _, err := p.ParseBytes(lines.Bytes()); err != nil {
			panic(err)
		}
	}
}
`

const fastjsonVersion = "github.com/valyala/fastjson@v1.6.10"

// reading measures whole runs that read a random trace of 100 processes and parse its
// lines: the least of some times.
func reading(pota, dir string, events int) (string, error) {
	source := filepath.Join(dir, "fastjson")
	if err := os.MkdirAll(source, 0o700); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(source, "main.go"), []byte(fastjson), 0o600); err != nil {
		return "", err
	}
	parse := filepath.Join(source, "parse")
	for _, args := range [][]string{{"mod", "init", "parse"}, {"get", fastjsonVersion}, {"build", "-o", parse}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = source
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w\n%s", err, out)
		}
	}
	trace := filepath.Join(dir, "reading.jsonl")
	if err := generate(pota, trace, 100, events); err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| %d events | seconds | seconds of all cores |\n|---|--:|--:|\n", events)
	for _, r := range []struct {
		name string
		args []string
	}{
		{"fastjson: a bare pass over the lines", []string{parse, trace}},
		{"`pota detect true`", []string{pota, "detect", "--quiet", "true", trace}},
	} {
		wall, cpu, err := least(25, r.args[0], r.args[1:]...)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "| %s | %.2f | %.2f |\n", r.name, wall, cpu)
	}
	return b.String(), nil
}
