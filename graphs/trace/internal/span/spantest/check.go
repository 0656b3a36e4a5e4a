// Package spantest checks what all readers of spans have in common, whatever they
// read.
package spantest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
)

// A Reader is the function Read of a package.
type Reader func(context.Context, *trace.Source, trace.Options) ([]trace.Execution, error)

// File reads a file or a directory.
func (read Reader) File(path string, opts trace.Options) ([]trace.Execution, error) {
	source, err := trace.Open(path)
	if err != nil {
		return nil, err
	}
	return read(context.Background(), source, opts)
}

// Text reads a text.
func (read Reader) Text(t testing.TB, text string, opts trace.Options) ([]trace.Execution, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "x.json")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	all, err := read.File(file, opts)
	var e *trace.Error
	// The name of a temporary file differs in each run.
	if errors.As(err, &e) {
		e.File = filepath.Base(e.File)
	}
	return all, err
}

// Written returns executions with their names in the native format.
func Written(t testing.TB, all []trace.Execution) string {
	t.Helper()
	var b strings.Builder
	for _, x := range all {
		b.WriteString("# " + x.Name + "\n")
		if err := native.Write(&b, x.Computation, nil); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// Check reads a text in several ways, from files in dir:
//
//	(1) errors have one line and a place
//	(2) reading twice gives the same, and so does reading the native format of the result
//	(3) variables that are not asked for do not change the rest
//	(4) a text that is accepted is not cut off
//	(5) with AllowTruncated an error of a cut text has one line and a place, too
func (read Reader) Check(t *testing.T, dir string, text []byte) {
	t.Helper()
	file := filepath.Join(dir, "x.json")
	// Readers get files, as users give them.
	save := func(text []byte) {
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	save(text)
	all, err := read.File(file, trace.Options{Names: true})
	if err != nil {
		checkError(t, err)
	}
	again, err2 := read.File(file, trace.Options{Names: true})
	if fmt.Sprint(err) != fmt.Sprint(err2) {
		t.Fatalf("first %v, then %v", err, err2)
	}
	// Without values, events and edges must be the same: variables never decide causality.
	few, err3 := read.File(file, trace.Options{Variables: map[string]bool{}})
	if (err == nil) != (err3 == nil) {
		t.Fatalf("with variables %v, without %v", err, err3)
	}
	cut, err4 := read.File(file, trace.Options{Names: true, AllowTruncated: true})
	if err4 != nil {
		checkError(t, err4)
		if err == nil {
			t.Fatalf("accepted, but with AllowTruncated: %v", err4)
		}
	}
	if err != nil {
		return
	}
	want := Written(t, all)
	if got := Written(t, again); got != want {
		t.Fatalf("first\n%s\nthen\n%s", want, got)
	}
	if got := Written(t, cut); got != want {
		t.Fatalf("as it is\n%s\nwith AllowTruncated\n%s", want, got)
	}
	for i, x := range all {
		c := x.Computation
		d := few[i].Computation
		if with, without := sizes(c), sizes(d); with != without {
			t.Fatalf("%s; without values %s", with, without)
		}
		checkSpans(t, c)
		checkNative(t, dir, x)
	}
	// Two thirds of a text end within a span, mostly.
	save(text[:len(text)*2/3])
	if _, err := read.File(file, trace.Options{AllowTruncated: true}); err != nil {
		checkError(t, err)
	}
}

func sizes(c *graphs.Computation) string {
	return fmt.Sprintf("%d events, %d edges", c.NumEvents(), c.NumEdges())
}

// checkError checks that an error has one line, and a place or no span.
func checkError(t *testing.T, err error) {
	t.Helper()
	var e *trace.Error
	if !errors.As(err, &e) {
		t.Fatalf("%T: %v", err, err)
	}
	if strings.ContainsFunc(e.Msg, unicode.IsControl) || e.Line == 0 && !strings.HasPrefix(e.Msg, "no span") {
		t.Fatalf("%q", err)
	}
}

// checkSpans checks the properties of every computation of spans.
func checkSpans(t *testing.T, c *graphs.Computation) {
	t.Helper()
	if c.LowerBound() == "" || c.NumProcesses() == 0 {
		t.Fatalf("lower bound %q, %d processes", c.LowerBound(), c.NumProcesses())
	}
	for p := range c.Processes() {
		active := c.Variable(p, "active")
		// Each span begins and ends, and active says so.
		if c.Len(p) < 2 || active == nil || active.Len() != 2 || active.Event(0) != c.Event(p, 1) || active.Event(1) != c.Event(p, c.Len(p)) {
			t.Fatalf("%d events, active is %+v", c.Len(p), active)
		}
	}
}

// checkNative writes a computation in the native format, reads it, and writes it again.
func checkNative(t *testing.T, dir string, x trace.Execution) {
	t.Helper()
	x.Name = ""
	want := Written(t, []trace.Execution{x})
	file := filepath.Join(dir, "x.jsonl")
	// The first line is the name of the execution, a comment.
	_, text, _ := strings.Cut(want, "\n")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := native.ReadFile(context.Background(), file, trace.Options{Names: true})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if got := Written(t, []trace.Execution{{Computation: c}}); got != want {
		t.Fatalf("written\n%s\nread and written\n%s", want, got)
	}
}
