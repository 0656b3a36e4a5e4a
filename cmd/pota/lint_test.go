package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

// A tail that is cut off is a finding; other commands need to be told.
func TestLintTruncated(t *testing.T) {
	t.Chdir(t.TempDir())
	const text = `{"process":"P1","send":"m"}` + "\n" + `{"process":"P2","recv":"m"}` + "\n" + `{"process":"P1","se`
	if err := os.WriteFile("cut.jsonl", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		command string
		status  int
		out     string
	}{
		{"lint cut.jsonl", 1, "suspect  cut.jsonl  1 finding\n         truncated    cut.jsonl:3: the file is cut off: a last line of 19 bytes is unfinished\n"},
		{"stats cut.jsonl", 2, ""},
	} {
		var out, err bytes.Buffer
		status := run(context.Background(), strings.Fields(test.command), console{strings.NewReader(""), &out, &err})
		if status != test.status || out.String() != test.out {
			t.Errorf("%s: status %d, %q, %s", test.command, status, out.String(), err.String())
		}
	}
}
