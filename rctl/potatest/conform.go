package potatest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/rctl/conform"
)

// Conform compares what has been recorded so far with the sequence diagram of a file in Mermaid or
// Markdown; FILE#2 is the second one. The test fails unless the recording conforms in every order
// that its causality allows. There may be one value of options; with Prefix the recording may be
// unfinished. Nothing may be recorded while Conform runs.
func Conform(t testing.TB, rec *Recording, diagram string, options ...conform.Options) {
	t.Helper()
	ctx, cancel := withinTest(t)
	defer cancel()
	spec, err := conform.Open(ctx, diagram)
	if err != nil {
		t.Fatal(err)
	}
	if err := rec.Flush(); err != nil {
		t.Fatalf("recording: %v", err)
	}
	source, err := trace.Open(rec.path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := native.Read(ctx, source, trace.Options{Names: true})
	if err != nil {
		t.Fatal(err)
	}

	opts := conform.Options{First: 3}
	for _, o := range options {
		opts = o
	}
	r, err := spec.Check(ctx, c, opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, note := range r.Notes {
		t.Log(note)
	}
	if conform.Passes(r.Verdict, opts.Prefix) {
		return
	}
	text := fmt.Sprintf("%s  %s\n  %s", r.Verdict, diagram, strings.Join(r.Details(), "\n  "))
	if path, err := keep(t, rec.path); err == nil {
		text += "\n  the trace is " + path
	}
	t.Error(text)
}
