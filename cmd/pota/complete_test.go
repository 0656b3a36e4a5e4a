package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What may follow is what the command takes: each value that is offered is one.
func TestComplete(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("p.txt", []byte("first: AG(x < 5)\nsecond: AF(x == 2)\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ words, want string }{
		{"d", "detect draw"},
		{"detect --eng", "--engine"},
		{"detect --engine u", "union"},
		{"detect --engine=sl", "--engine=slice"},
		{"detect F run.jsonl --format j", "json junit"},
		{"draw --format d", "dot"},
		{"translate --to p", "promela pnml"},
		{"stats --input shi", "shiviz"},
		{"detect --map etcd", "etcd-raft"},
		{"detect --witness fu", "full"},
		{"detect --property mu", "mutex:"},
		{"detect -f p.txt --property s", "stable: second"},
		{"detect --property s", "stable:"},
		{"simulate mu", "mutex"},
		{"simulate mutex --fault reply", "reply-inside"},
		{"help wi", "witnesses"},
		{"completion z", "zsh"},
		{"detect --time-unit n", "ns"},
		{"detect --timeout ", ""},
		{"nosuch ", ""},
		{"detect run", ""},
	} {
		_, out, stderr := pota("", append([]string{completeWord}, strings.Split(test.words, " ")...)...)
		if got := strings.Join(strings.Fields(out), " "); got != test.want || stderr != "" {
			t.Errorf("%s: %q, want %q %s", test.words, got, test.want, stderr)
		}
	}
	if _, out, _ := pota("", completeWord, "detect", "--engine", ""); !slices.Equal(strings.Fields(out), engineNames()) {
		t.Errorf("engines %q", out)
	}
	for name, want := range formatsOf {
		for _, format := range append(slices.Clone(want), "nosuch") {
			_, _, stderr := pota("", name, "--format", format, "true", "missing.jsonl")
			if refused := strings.Contains(stderr, "there is no format"); refused != (format == "nosuch") {
				t.Errorf("%s --format %s: %s", name, format, stderr)
			}
		}
	}
}

// The script for bash, in bash, completes a value.
func TestCompleteInBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	program := filepath.Join(t.TempDir(), "pota")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n[ \"$1\" = __complete ] && [ \"$4\" = sl ] && echo slice\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	script := bashCompletion + "\nCOMP_WORDS=(" + program + " detect --engine sl) COMP_CWORD=3\n_pota\necho \"${COMPREPLY[@]}\""
	out, err := exec.Command(bash, "-c", script).CombinedOutput()
	if err != nil || string(out) != "slice\n" {
		t.Errorf("%v: %s", err, out)
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

// The man page has every command and flag, and no line that groff takes for a request
// and does not know.
func TestManPage(t *testing.T) {
	_, page, _ := pota("", "help", "--man")
	known := []string{".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".nf", ".fi"}
	for line := range strings.Lines(page) {
		if word, _, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasPrefix(line, ".") && !slices.Contains(known, word) || strings.HasPrefix(line, "'") {
			t.Errorf("%s", line)
		}
	}
	for _, want := range []string{`.SS pota detect `, `.B \-\-engine ENGINE`, `.B \-\-skew TIME`, `.SS pota simulate [flags] MODEL`, "pota help ci"} {
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
