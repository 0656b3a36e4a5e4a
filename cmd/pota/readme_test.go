package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var updateReadme = flag.Bool("readme", false, "write what the commands of the README print into it")

// Every command of the README prints what the README says.
func TestReadme(t *testing.T) {
	root := repository(t)
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "pota"), "./cmd/pota")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	path := filepath.Join(root, "README.md")
	readme, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	picture := filepath.Join(root, "testdata", "figure1-slice.svg")
	before, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	var fresh bytes.Buffer
	commands, inBlock, expected := 0, false, ""
	var got string
	check := func() {
		if got != expected && !*updateReadme {
			t.Errorf("got\n%s\nthe README says\n%s", got, expected)
		}
		fresh.WriteString(got)
		got, expected = "", ""
	}
	for line := range strings.Lines(string(readme)) {
		switch {
		case line == "```console\n":
			inBlock = true
		case line == "```\n" && inBlock:
			check()
			inBlock = false
		case inBlock && strings.HasPrefix(line, "$ "):
			check()
			fresh.WriteString(line)
			commands++
			got = shell(root, bin, strings.TrimPrefix(line, "$ "))
			continue
		case inBlock:
			expected += line
			continue
		}
		fresh.WriteString(line)
	}
	if commands < 10 {
		t.Errorf("only %d commands found", commands)
	}
	if after, err := os.ReadFile(picture); err != nil || !bytes.Equal(before, after) && !*updateReadme {
		t.Errorf("the picture of the README has changed: %v", err)
	}
	if *updateReadme {
		if err := os.WriteFile(path, fresh.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// shell runs a command of the README, whose exit status may say that a formula
// fails, and returns all it prints.
func shell(root, bin, command string) string {
	c := exec.Command("sh", "-c", command)
	c.Dir = root
	c.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := c.CombinedOutput()
	if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() > 2) {
		return err.Error() + "\n"
	}
	return string(out)
}
