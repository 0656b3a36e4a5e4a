package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/cmd/pota/internal/complete"
	"github.com/pota-project/pota/cmd/pota/internal/decide"
)

// Each value that is offered is one that the command takes.
func TestComplete(t *testing.T) {
	t.Parallel()
	completed := func(line string) string {
		_, out, stderr := pota("", append(strings.Split(line, " "), complete.Flag)...)
		return strings.Join(strings.Fields(out+stderr), " ")
	}
	for _, test := range []struct{ words, want string }{
		{"detect --eng", "--engine"},
		{"detect --engine in", "intervals"},
		{"detect F run.jsonl --format j", "json junit"},
		{"draw --format d", "dot"},
		{"translate --to p", "promela"},
		{"stats --input shi", "shiviz"},
		{"detect --map etcd", "etcd-raft"},
		{"detect --property mu", "mutex:"},
		{"simulate mu", "mutex"},
		{"help wi", "witnesses"},
		{"completion z", "zsh"},
		{"map zoo", "zookeeper"},
		{"detect --timeout ", ""},
		{"detect run", ""},
		{"detect -- run", ""},
		{"detect", ""},
	} {
		if got := completed(test.words); got != test.want {
			t.Errorf("%s: %q, want %q", test.words, got, test.want)
		}
	}
	if engines := completed("detect --engine "); engines != strings.Join(decide.EngineNames(), " ") {
		t.Errorf("engines %q", engines)
	}
	for _, name := range []string{"detect", "merge", "slice", "draw"} {
		formats := strings.Fields(completed(name + " --format "))
		if len(formats) < 3 {
			t.Errorf("%s --format %q", name, formats)
		}
		for _, format := range append(formats, "nosuch") {
			_, _, stderr := pota("", name, "--format", format, "true", "missing.jsonl")
			if refused := strings.Contains(stderr, "there is no format"); refused != (format == "nosuch") {
				t.Errorf("%s --format %s: %s", name, format, stderr)
			}
		}
	}
}

// The script for each shell, in that shell, completes a value, and leaves files to it.
func TestCompleteInShells(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "pota")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n[ \"$3$4\" = sl--generate-bash-completion ] && echo slice\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "run.jsonl"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	// What stands for zsh's own functions is enough for a shell without a terminal.
	const zsh = "compdef() {}\n_files() { print run.jsonl }\ncompadd() { print -rl -- ${(P)2} }\n"
	for _, test := range []struct{ shell, script string }{
		{"bash", script("bash") + `
COMP_WORDS=(pota detect --engine sl) COMP_CWORD=3; _pota; echo "${COMPREPLY[@]}"
COMP_WORDS=(pota detect F ru) COMP_CWORD=3; _pota; echo ${COMPREPLY[@]:-$(compgen -o default ru)}`},
		{"zsh", zsh + script("zsh") + "\nwords=(pota detect --engine sl) CURRENT=4; _pota\nwords=(pota detect F ru); _pota"},
		{"zsh", zsh + "_pota() {\n" + script("zsh") + "\n}\nwords=(pota detect --engine sl) CURRENT=4; _pota\nwords=(pota detect F ru); _pota"}, // as it is in fpath
		{"fish", script("fish") + "\ncomplete -C 'pota detect --engine sl'; complete -C 'pota detect F ru'"},
	} {
		path, err := exec.LookPath(test.shell)
		if err != nil {
			if os.Getenv("CI") == "true" {
				t.Errorf("%s is not installed", test.shell)
			}
			t.Logf("%s is not installed: nothing has shown that it reads the script", test.shell)
			continue
		}
		c := exec.Command(path, "-c", test.script)
		c.Dir = dir
		c.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "HOME="+dir)
		if out, err := c.CombinedOutput(); err != nil || string(out) != "slice\nrun.jsonl\n" {
			t.Errorf("%s: %v: %s", test.shell, err, out)
		}
	}
}

// A property file can be decided in part.
func TestChosenProperty(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.txt")
	if err := os.WriteFile(file, []byte("first: AG(x < 5)\nsecond: AF(x == 2)\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	trace := filepath.Join(repository(t), "testdata", "figure1.jsonl")
	status, out, _ := pota("", "detect", "-f", file, "--property", "second", trace)
	if status != 0 || strings.Count(out, "holds") != 1 || !strings.Contains(out, "  second  AF") {
		t.Errorf("status %d\n%s", status, out)
	}
	status, out, stderr := pota("", "detect", "-f", file, "--property", "secnd", trace)
	if status != 2 || out != "" || !strings.Contains(stderr, "has no property of that name") {
		t.Errorf("status %d\n%s%s", status, out, stderr)
	}
}

// The man page has commands and flags, and groff can read it.
func TestManPage(t *testing.T) {
	t.Parallel()
	_, page, _ := pota("", "help", "--man")
	for _, want := range []string{".SH detect", `\fB--engine\fP="": decide with \fB`, ".SH simulate"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Log("there is no groff to read it")
		return
	}
	c := exec.Command(groff, "-man", "-Tascii", "-ww", "-z")
	c.Stdin = strings.NewReader(page)
	if out, err := c.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}

// script returns the script for a shell that there is one for.
func script(shell string) string {
	text, err := complete.Script(shell)
	if err != nil {
		panic(err)
	}
	return text
}
