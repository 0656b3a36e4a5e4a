// Package spantest checks properties that all readers of spans share, regardless of their format.
package spantest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
)

// A Reader is the Read function of a package.
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
func (read Reader) Text(text string, opts trace.Options) ([]trace.Execution, error) {
	return read(context.Background(), trace.From("x.json", strings.NewReader(text)), opts)
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

// Check reads a text in several ways:
//
//	(1) errors have one line and a place
//	(2) reading twice gives the same, and so does reading the native format of the result
//	(3) variables that are not asked for do not change the rest
//	(4) a text that is accepted is not cut off
//	(5) with AllowTruncated an error of a cut text has one line and a place, too
func (read Reader) Check(t *testing.T, text []byte) {
	t.Helper()
	whole := string(text)
	all, err := read.Text(whole, trace.Options{Names: true})
	checkError(t, err)
	again, err2 := read.Text(whole, trace.Options{Names: true})
	if fmt.Sprint(err) != fmt.Sprint(err2) {
		t.Fatalf("first %v, then %v", err, err2)
	}
	// Without values, events and edges must be the same: variables never decide causality.
	few, err3 := read.Text(whole, trace.Options{Variables: map[string]bool{}})
	if (err == nil) != (err3 == nil) {
		t.Fatalf("with variables %v, without %v", err, err3)
	}
	cut, err4 := read.Text(whole, trace.Options{Names: true, AllowTruncated: true})
	checkError(t, err4)
	if err == nil && err4 != nil {
		t.Fatalf("accepted, but with AllowTruncated: %v", err4)
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
		c, d := x.Computation, few[i].Computation
		if c.NumEvents() != d.NumEvents() || c.NumEdges() != d.NumEdges() {
			t.Fatalf("%d events, %d edges; without values %d and %d", c.NumEvents(), c.NumEdges(), d.NumEvents(), d.NumEdges())
		}
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
		// The first line is the name of the execution, a comment.
		_, text, _ := strings.Cut(Written(t, all[i:i+1]), "\n")
		n, err := native.Read(t.Context(), trace.From("x.jsonl", strings.NewReader(text)), trace.Options{Names: true})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if got := Written(t, []trace.Execution{{Computation: n}}); got != "# \n"+text {
			t.Fatalf("written\n%s\nread and written\n%s", text, got)
		}
	}
	// Two thirds of a text end within a span, mostly.
	_, err = read.Text(whole[:len(whole)*2/3], trace.Options{AllowTruncated: true})
	checkError(t, err)
}

// checkError checks that an error, if there is one, has one line, and a place or no span.
func checkError(t *testing.T, err error) {
	t.Helper()
	var e *trace.Error
	switch {
	case err == nil:
	case !errors.As(err, &e):
		t.Fatalf("%T: %v", err, err)
	case strings.ContainsFunc(e.Msg, unicode.IsControl), e.Line == 0 && !strings.HasPrefix(e.Msg, "no span"):
		t.Fatalf("%q", err)
	}
}
