package present

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

// properties are those of the records that the goldens show.
func properties(t *testing.T) []syntax.Property {
	t.Helper()
	all, err := syntax.ParseProperties("mutex: AG(!(cs@A && cs@B))\nsome: EF(cs@A || cs@B)\nlive: AG(cs@A -> AF !cs@B)\n")
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		all[i].File = "props.txt"
		all[i].Line = i + 1
	}
	all[1].Name = "" // its formula stands for it
	return all
}

// ran returns the record of a decision on an execution in which A and then B set cs, with a message in between where
// they are ordered.
func ran(t *testing.T, trace string, index int, ordered bool) *Record {
	t.Helper()
	var b graphs.Builder
	var at [2]graphs.Handle
	for p, name := range []string{"A", "B"} {
		cs := b.Variable(b.Process(name), "cs")
		b.Init(cs, graphs.Boolean(false))
		at[p] = b.Event(p)
		b.Set(cs, at[p], graphs.Boolean(true))
		b.SetLabel(at[p], "enters "+name)
		b.SetPlace(at[p], graphs.Place{File: trace, Line: p + 1})
	}
	if ordered {
		leaves := b.Event(0)
		b.Set(b.Variable(0, "cs"), leaves, graphs.Boolean(false))
		b.Deliver(b.NewMessage("m"), leaves, at[1], 0)
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	p := properties(t)[index]
	c, f, err := rctl.Resolve(t.Context(), c, p.Formula)
	if err != nil {
		t.Fatal(err)
	}
	res, err := rctl.Check(t.Context(), c, f, rctl.Options{Evidence: true})
	if err != nil {
		t.Fatal(err)
	}
	r := &Record{
		Record:   *report.New(report.SubjectOf(trace, p), res, "slice", 0, nil),
		Path:     trace,
		Property: p,
		Index:    index,
		Several:  true,
	}
	r.Stats = report.SizesOf(c)
	if res.Evidence != nil {
		r.Runs = []Run{{Evidence: res.Evidence, Computation: c, Context: t.Context()}}
	}
	return r
}

// records are of several executions: alike and others, with all that a record can say.
func records(t *testing.T) (all []*Record) {
	for i, name := range []string{"run/a", "run/b", "run/c", "run/d"} {
		for index := range properties(t) {
			r := ran(t, name, index, i == 2)
			switch {
			case i == 1 && index == 0:
				r.View = "pages/b.html"
			case i == 2 && index == 0:
				r.Notes = []report.Note{{Kind: report.Vacuous, Text: "cs@B is never true"}}
			case i == 2 && index == 2:
				r.Notes = []report.Note{{Kind: report.Spurious, Text: "the log shows only a part"}, {Kind: report.Assumed, Text: "clocks are right"}}
				r.LowerBound, r.PossiblySpurious = "the log shows only a part", true
			case i == 3 && index == 0:
				*r = Record{Record: report.Record{Subject: r.Subject, Verdict: "unknown", Reason: "too many states", Stats: report.Unread}, Path: name, Property: r.Property, Several: true}
			case i == 3 && index == 1:
				r.NoRun = "no run to show"
				r.Runs = nil
			case i == 3 && index == 2:
				r.Bound = `1 of 2 values: "x"`
				r.Runs[0].Of = `n = "x"`
				r.Margin = &report.Margin{What: "slowest", Relation: "<=", Bound: 5_000_000_000}
			}
			all = append(all, r)
		}
	}
	read := ran(t, "run/e", 0, false)
	read.Origin, read.Runs = "results.json:7", nil
	read.Witness = report.NewPart(rctl.Fails, []string{"A", "B"}, []int64{1, 1}, []string{"A:1", "B:1"})
	part := ran(t, "run/f", 0, false)
	part.Runs = nil
	part.Witness = read.Witness
	broken := &Record{Record: report.Record{Subject: report.SubjectOf("run/g", read.Property), Stats: report.Unread}, Path: "run/g", Property: read.Property, Several: true, Err: errors.New("props.txt:1:5: there is no variable cs")}
	return append(all, read, part, broken)
}

// Whatever is printed of records is as in testdata; UPDATE=true writes what is printed there.
func TestGoldens(t *testing.T) {
	for _, format := range Formats() {
		for _, more := range []bool{false, true} {
			for _, several := range []bool{true, false} {
				if !more && !several {
					continue
				}
				var out, notes bytes.Buffer
				r := &job.Run{Context: t.Context(), Console: console.New(nil, &out, &notes)}
				p := New(r, r.Console, Options{
					Format: format, Witness: more, Verbose: more, All: more, Properties: properties(t), Version: "1", Output: "out/report",
				})
				for i, x := range records(t) {
					if x.Several = several; several || i%5 == 0 {
						p.Verdict(x)
					}
				}
				if several {
					p.Verdict(Unread("run/h", errors.New("run/h:3: it is cut off")))
					p.Verdict(Unread("run/a", errors.New("run/a: a remark")))
				}
				p.Close()
				r.Close()
				compare(t, fmt.Sprintf("%s-%v-%v", format, more, several), fmt.Sprintf("%s\nstatus %d\n%s", out.String(), r.Status, notes.String()))
			}
		}
	}
}

// compare compares a text with that of a file in testdata.
func compare(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	for i, line := range strings.Split(got, "\n") {
		if lines := strings.Split(string(want), "\n"); i >= len(lines) || lines[i] != line {
			t.Fatalf("%s:%d: %s", path, i+1, line)
		}
	}
	t.Errorf("%s has more lines", path)
}

// Sweeps are printed one by one, and of many executions those that flip or fail, up to a number.
func TestSweeps(t *testing.T) {
	p := properties(t)[0]
	bound := func(ns int64) *int64 { return &ns }
	sweeps := [][]Stretch{
		{{From: 0, To: bound(4_999_999), Verdict: "holds"}, {From: 5_000_000, Verdict: "fails"}},
		{{From: 0, Verdict: "holds"}},
		{{From: 2_000_000, Verdict: "fails"}},
		{{From: 0, Verdict: "unknown", Reason: "too many states"}},
		{{From: 0, To: bound(999), Verdict: "fails"}, {From: 1000, To: bound(1999), Verdict: "holds"}, {From: 2000, Verdict: "unknown", Reason: "it is late"}},
	}
	for _, several := range []bool{true, false} {
		for _, all := range []bool{false, true} {
			if all && !several {
				continue
			}
			var out bytes.Buffer
			r := &job.Run{Context: t.Context(), Console: console.New(nil, &out, new(bytes.Buffer))}
			report := New(r, r.Console, Options{Format: Text, All: all, Properties: properties(t)[:1]})
			for i := range 16 {
				of := ran(t, fmt.Sprintf("run/%02d", i), 0, false)
				of.Sweep = &Sweep{Subject: of.Subject, Sweep: sweeps[i%len(sweeps)], Least: sweeps[i%len(sweeps)][0].From, Exact: i != 5, Tried: i}
				of.Property, of.Several, of.Runs = p, several, nil
				if i == 7 {
					of.Sweep.Sweep, of.Err = nil, errors.New("a clock runs backwards")
				}
				if several || i < 6 {
					report.Verdict(of)
				}
			}
			report.Close()
			r.Close()
			compare(t, fmt.Sprintf("sweeps-%v-%v", all, several), fmt.Sprintf("%s\nstatus %d\n", out.String(), r.Status))
		}
	}
}

// Engines are compared in a table, or in lines of JSON; the status is that of the gravest.
func TestComparisons(t *testing.T) {
	opinions := [][]report.Opinion{
		{{Engine: "slice", Verdict: "holds", ElapsedMS: 1}, {Engine: "spin", Verdict: "holds", States: 17, Memory: 3_000_000, Reason: "exact"}},
		{{Engine: "slice", Verdict: "unknown", Reason: "too many"}, {Engine: "explicit", Verdict: "fails"}},
		{{Engine: "slice", Verdict: "holds"}, {Engine: "explicit", Verdict: "fails"}, {Engine: "spin", Verdict: "unknown"}},
		{{Engine: "slice", Verdict: "unknown"}},
	}
	for _, json := range []bool{false, true} {
		var out, notes bytes.Buffer
		for _, of := range opinions {
			r := &job.Run{Context: t.Context(), Console: console.New(nil, &out, &notes)}
			c := NewComparison("run/a", "EF x")
			for _, o := range of {
				c.Add(o)
			}
			all := Comparisons{Run: r, JSON: json, Source: "EF x"}
			all.Add(c)
			all.Refused("run/b", errors.New("run/b: it is cut off"))
			r.Close()
			fmt.Fprintf(&out, "agree %v: %s, status %d\n", c.Agree, c.Verdict, r.Status)
		}
		compare(t, fmt.Sprintf("comparisons-%v", json), out.String()+notes.String())
	}
}
