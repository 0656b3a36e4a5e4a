package potatest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/conform"
	"github.com/pota-project/pota/rctl/infer"
	"github.com/pota-project/pota/rctl/pattern"
	"github.com/pota-project/pota/rctl/pota"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Checker checks properties with options. Check and CheckFile use its zero value.
type Checker struct {
	// the time limit for each property; 0 leaves only the test's own deadline
	Timeout time.Duration
	// how many bytes an enumeration of cuts may use; 0 stands for 1 GiB
	MaxMemory    int64
	Engine       rctl.Engine // rctl.Auto picks one for each property
	AllowUnknown bool        // log undecided properties instead of failing
	// fail unless each verdict has a proof that code independent of the engines checks
	Certify bool
}

// Check decides properties on the recording so far. The test fails for each property that does
// not hold. A property is a formula, preceded by a name and a colon if it has a name; a string
// may hold several named properties, one per line. A property that cannot be read ends the
// test. Nothing may be recorded while Check runs.
func Check(t testing.TB, rec *Recording, properties ...string) {
	t.Helper()
	Checker{}.Check(t, rec, properties...)
}

// CheckFile decides the properties of a property file on the trace at a path, in any format that
// the command pota reads. If the trace holds several executions, CheckFile checks each of them.
func CheckFile(t testing.TB, trace, properties string) {
	t.Helper()
	Checker{}.CheckFile(t, trace, properties)
}

// Check is like the function Check, with the options of k.
func (k Checker) Check(t testing.TB, rec *Recording, properties ...string) {
	t.Helper()
	var all []syntax.Property
	for _, text := range properties {
		parsed, err := pota.Parse(text)
		if err != nil {
			t.Fatalf("property:%s", pota.Describe(err))
		}
		all = append(all, parsed...)
	}

	flush(t, rec)
	kept := ""
	k.check(t, rec.path, all, func() string {
		if kept == "" {
			var err error
			if kept, err = keep(t, rec.path); err != nil {
				t.Errorf("the trace is not kept: %v", err)
			}
		}
		return kept
	})
}

// CheckFile is like the function CheckFile, with the options of k.
func (k Checker) CheckFile(t testing.TB, trace, properties string) {
	t.Helper()
	text, err := os.ReadFile(properties)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pattern.Formulas().ParseProperties(string(text))
	switch {
	case err != nil:
		t.Fatalf("%s:%s", properties, pota.Describe(err))
	case len(all) == 0:
		t.Fatalf("%s: there must be at least one property, written as name: formula", properties)
	}
	for i := range all {
		all[i].File = properties
	}
	k.check(t, trace, all, func() string { return trace })
}

// check decides properties on all executions of a trace. It calls kept for a path at which the
// trace can be found after the test.
func (k Checker) check(t testing.TB, path string, properties []syntax.Property, kept func() string) {
	t.Helper()
	ctx, cancel := withinTest(t)
	defer cancel()
	checker := pota.Checker{Timeout: k.Timeout, MaxMemory: k.MaxMemory, Engine: k.Engine, Certify: k.Certify}
	results, err := checker.Decide(ctx, path, properties)
	for _, r := range results {
		if k.Certify && r.Verdict != pota.Unknown && r.Certificate.Engine != "" {
			t.Errorf("%s: %s, as engine %s says; no proof of it was found", r.Property.Source, r.Verdict, r.Certificate.Engine)
		}
		switch {
		case r.Verdict == pota.Holds && r.Spurious == "" && r.Vacuous == nil:
		case r.Verdict == pota.Holds, r.Verdict == pota.Unknown && k.AllowUnknown:
			t.Log(r)
		default:
			text := r.String()
			if path := kept(); path != "" {
				text += fmt.Sprintf("\n  the trace is %s; to look at it:\n  pota draw --format html -o run.html %s %s", path, quote(path), quote(r.Property.Source))
			}
			t.Error(text)
		}
	}

	if err != nil {
		t.Fatal(pota.Describe(err))
	}
}

// withinTest returns a context that ends a little before the test's deadline.
func withinTest(t testing.TB) (context.Context, context.CancelFunc) {
	if timed, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if deadline, ok := timed.Deadline(); ok {
			return context.WithDeadline(context.Background(), deadline.Add(-time.Until(deadline)/20))
		}
	}
	return context.WithCancel(context.Background())
}

// quote quotes an argument for a shell.
func quote(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._/") == "" && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Conform compares the recording so far with a sequence diagram in a Mermaid or Markdown file;
// FILE#2 names the second diagram. The test fails unless the recording conforms in every order
// that its causality allows. At most one value of options may be given; with Prefix set, the
// recording may be unfinished. Nothing may be recorded while Conform runs.
func Conform(t testing.TB, rec *Recording, diagram string, options ...conform.Options) {
	t.Helper()
	ctx, cancel := withinTest(t)
	defer cancel()
	spec, err := conform.Open(ctx, diagram)
	if err != nil {
		t.Fatal(err)
	}
	flush(t, rec)
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

// update makes InferFile write its property file, like the flag of tests with golden files.
var update = flag.Bool("potatest.update", false, "write the property files of potatest.InferFile")

// Infer searches for properties that all recordings have, in every order that causality allows, and
// logs them in the form that the command pota infer prints. Each recording should be a run that
// went well; several recordings yield better properties than one. Nothing may be recorded while
// Infer runs.
func Infer(t testing.TB, recs ...*Recording) *infer.Result {
	t.Helper()
	ctx, cancel := withinTest(t)
	defer cancel()
	if len(recs) == 0 {
		t.Fatal("there is no recording to look at")
	}
	var good []infer.Run
	for i, rec := range recs {
		flush(t, rec)
		all, err := format.Read(ctx, rec.path, format.Options{Options: trace.Options{Names: true, Places: true}})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range all {
			good = append(good, infer.Run{Name: fmt.Sprintf("recording %d", i+1), Computation: e.Computation})
		}
	}
	res := infer.Infer(ctx, good, nil, infer.Options{})
	t.Log("\n" + res.String())
	return res
}

// InferFile checks the properties of a property file on all recordings, as Check does. With the
// flag -potatest.update, as in
//
//	go test -run TestElection -potatest.update
//
// it first writes the properties that Infer finds to the file. Then edit the file, and keep the
// properties that should hold.
func InferFile(t testing.TB, properties string, recs ...*Recording) {
	t.Helper()
	if *update {
		if err := os.WriteFile(properties, []byte(Infer(t, recs...).Properties()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, rec := range recs {
		flush(t, rec)
		CheckFile(t, rec.path, properties)
	}
}
