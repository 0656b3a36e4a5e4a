package potatest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/explain"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/rctl/vacuity"
)

// A Checker says how properties are decided. Its zero value is what Check and
// CheckFile use.
type Checker struct {
	Timeout      time.Duration // for each property; 0 sets no limit but the test's own deadline
	MaxMemory    int64         // bytes that an enumeration of cuts may take; 0 stands for 1 GiB
	Engine       rctl.Engine   // rctl.Auto chooses
	AllowUnknown bool          // log what is not decided, instead of failing
}

// Check decides properties on what has been recorded so far, and makes the test fail
// for each that does not hold. A property is a formula, preceded by a name and a colon
// if it has a name; a string may have several named ones, one on each line. A property
// that cannot be read ends the test. Nothing may be recorded while Check runs.
func Check(t testing.TB, rec *Recording, properties ...string) {
	t.Helper()
	Checker{}.Check(t, rec, properties...)
}

// CheckFile decides the properties of a property file on the trace at a path, which
// may be whatever the command pota reads: each of its executions, where it holds
// several.
func CheckFile(t testing.TB, trace, properties string) {
	t.Helper()
	Checker{}.CheckFile(t, trace, properties)
}

// Check is the function Check with the limits of k.
func (k Checker) Check(t testing.TB, rec *Recording, properties ...string) {
	t.Helper()
	var all []syntax.Property
	for _, text := range properties {
		parsed, err := parse(text)
		if err != nil {
			t.Fatalf("property:%s", withSnippet(err))
		}
		all = append(all, parsed...)
	}
	if err := rec.Flush(); err != nil {
		t.Fatalf("recording: %v", err)
	}
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

// CheckFile is the function CheckFile with the limits of k.
func (k Checker) CheckFile(t testing.TB, trace, properties string) {
	t.Helper()
	text, err := os.ReadFile(properties)
	if err != nil {
		t.Fatal(err)
	}
	all, err := syntax.ParseProperties(string(text))
	switch {
	case err != nil:
		t.Fatalf("%s:%s", properties, withSnippet(err))
	case len(all) == 0:
		t.Fatalf("%s: there must be at least one property, written as name: formula", properties)
	}
	k.check(t, trace, all, func() string { return trace })
}

// named matches what starts with a name and a colon, or a comment, as no formula does.
var named = regexp.MustCompile(`^\s*(#|("([^"\\]|\\.)*"|[\pL\pN_.-]+)[ \t]*:)`)

// parse reads a formula, or properties with names.
func parse(text string) ([]syntax.Property, error) {
	if named.MatchString(text) {
		return syntax.ParseProperties(text)
	}
	f, err := syntax.Parse(text)
	return []syntax.Property{{Formula: f, Source: strings.TrimSpace(text)}}, err
}

func withSnippet(err error) string {
	msg := err.Error()
	var at *syntax.Error
	if errors.As(err, &at) {
		msg += "\n" + strings.TrimRight(at.Snippet(), "\n")
	}
	return msg
}

// check decides properties on all executions of a trace; kept is where the trace
// will be found later.
func (k Checker) check(t testing.TB, path string, properties []syntax.Property, kept func() string) {
	t.Helper()
	ctx, cancel := withinTest(t)
	defer cancel()
	variables := make(map[string]bool)
	for _, p := range properties {
		for name := range syntax.Names(p.Formula) {
			variables[name] = true
		}
	}
	executions, err := format.Read(ctx, path, format.Options{Options: trace.Options{Variables: variables, Names: true}})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range executions {
		session := rctl.NewSession(e.Computation)
		for _, p := range properties {
			v := verdict{property: p, execution: e, several: len(executions) > 1}
			if err := v.decide(ctx, k, session); err != nil {
				t.Fatalf("%s: %s", v.title(), withSnippet(err))
			}
			switch {
			case v.Verdict == rctl.Holds && !v.spurious() && v.vacuous == nil:
			case v.Verdict == rctl.Holds, v.Verdict == rctl.Unknown && k.AllowUnknown:
				t.Log(v.message(""))
			default:
				t.Error(v.message(kept()))
			}
		}
	}
}

// withinTest returns a context that ends a little before the test would be killed.
func withinTest(t testing.TB) (context.Context, context.CancelFunc) {
	if timed, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if deadline, ok := timed.Deadline(); ok {
			return context.WithDeadline(context.Background(), deadline.Add(-time.Until(deadline)/20))
		}
	}
	return context.WithCancel(context.Background())
}

// A verdict is what was found of a property on an execution.
type verdict struct {
	*rctl.Result
	property  syntax.Property
	execution format.Execution
	several   bool // executions in the trace
	resolved  *syntax.Formula
	vacuous   []vacuity.Finding
}

func (v *verdict) decide(ctx context.Context, k Checker, session *rctl.Session) (err error) {
	if k.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, k.Timeout)
		defer cancel()
	}
	v.resolved, err = syntax.Resolve(ctx, v.property.Formula, rctl.Scope(v.execution.Computation))
	if res := rctl.OutOfReach(v.property.Formula, err); res != nil {
		v.Result = res
		return nil
	}
	if err != nil {
		return err
	}
	opts := rctl.Options{Engine: k.Engine, MaxMemory: k.MaxMemory, Evidence: true}
	if opts.MaxMemory == 0 {
		opts.MaxMemory = 1 << 30
	}
	if v.Result, err = session.Check(ctx, v.resolved, opts); err != nil {
		return err
	}
	opts.Engine = rctl.Auto
	v.vacuous = vacuity.Find(ctx, session, v.execution.Computation, v.property.Formula, v.resolved, v.Verdict, opts)
	return nil
}

// spurious reports whether the verdict may be due to cuts that could not have been.
func (v *verdict) spurious() bool {
	return v.execution.Computation.LowerBound() != "" && !rctl.Sound(v.resolved, v.Verdict)
}

func (v *verdict) title() string {
	if v.property.Name != "" {
		return v.property.Name
	}
	return "property"
}

// message tells a verdict to the reader of the test's output; the trace is at path,
// "" where it was not kept.
func (v *verdict) message(path string) string {
	var b strings.Builder
	b.WriteString(v.Verdict.String() + ": ")
	if v.several {
		b.WriteString(v.execution.Name + ": ")
	}
	if v.property.Name != "" {
		b.WriteString(v.property.Name + ": ")
	}
	b.WriteString(v.property.Source + "\n")
	if v.Reason != "" {
		fmt.Fprintf(&b, "  %s\n", v.Reason)
	}
	if v.spurious() {
		fmt.Fprintf(&b, "  possibly spurious: %s\n", v.execution.Computation.LowerBound())
	}
	for _, found := range v.vacuous {
		fmt.Fprintf(&b, "  vacuous: %s\n", found.Text)
	}
	if v.Evidence != nil {
		t := explain.Teller{Of: v.execution.Computation, Property: v.property.Formula, Source: v.property.Source, Verdict: v.Verdict, Indent: "  "}
		t.Tell(&b, v.Evidence) //nolint:errcheck // a strings.Builder takes everything
	}
	if path != "" {
		fmt.Fprintf(&b, "  the trace is %s; to look at it:\n", path)
		fmt.Fprintf(&b, "  pota draw --format html -o run.html %s %s\n", quote(path), quote(v.property.Source))
	}
	return strings.TrimRight(b.String(), "\n")
}

// quote quotes an argument for a shell.
func quote(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._/") == "" && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
