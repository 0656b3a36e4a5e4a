// Package conform is the command that compares traces with a sequence diagram. It reads both, calls
// package rctl/conform, and makes a record of each verdict.
//
// Example: for the diagram A->>B: ask, a trace without a receive of ask is unfinished. So its
// record is unknown, or holds with --prefix.
//
// An execution that exceeds a limit also gets a record, with the verdict unknown, so that one large
// trace does not hide the verdicts on the others.
package conform

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/decide"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/cmd/pota/internal/viewer"
	"github.com/pota-project/pota/graphs/draw"
	"github.com/pota-project/pota/graphs/scenario"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/conform"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

// Options choose the diagram, the traces and the results.
type Options struct {
	Spec    string // the file of the diagram, perhaps followed by # and the number of the diagram
	Traces  []string
	Compare conform.Options
	Read    load.Options
	Report  present.Options
	Output  string
	Draw    string // the file for a drawing of the first execution that does not conform; "" for none
	View    string // the folder of pages, one for each trace that does not conform; "" for none
}

// Run compares traces with a diagram, one at a time, so that only one trace is in memory. It draws
// only the first finding, since there is one file. Each execution that does not conform has a page.
func Run(r *job.Run, o Options) error {
	// Check the options before any work.
	if ext := filepath.Ext(o.Draw); o.Draw != "" && ext != ".mmd" && ext != ".svg" {
		return exit.Usagef("--draw writes a file that ends in .mmd or .svg, not %s", o.Draw)
	}
	if _, err := conform.ParseEach(o.Compare.Each); err != nil && o.Compare.Each != "" {
		return exit.Usagef(`--each takes a field, or a range as in "r in values(req)": %v`, err)
	}
	spec, err := job.Do(r, "reading "+o.Spec, func(ctx context.Context) (*conform.Spec, error) {
		return conform.Open(ctx, o.Spec)
	})
	if err != nil {
		return err
	}
	paths, err := load.Traces(r, load.Choice{Paths: o.Traces})
	if err != nil {
		return err
	}
	if err := decide.PrepareViews(o.View, paths); err != nil {
		return err
	}
	want := load.Want{Variables: spec.Variables(o.Compare.Each), Names: true, Times: o.View != "", Places: true}
	in, err := load.New(r, o.Read, want)
	if err != nil {
		return err
	}

	property := syntax.Property{Source: o.Spec}
	o.Report.Output, o.Report.Properties = o.Output, []syntax.Property{property}
	drawn := o.Draw == ""
	return r.Results(o.Output, func(out *console.Console) error {
		p := present.New(r, out, o.Report)
		defer p.Close()
		for _, path := range paths {
			executions, err := in.Read(r, path)
			switch {
			case failure.IsLimit(err):
				executions = []format.Execution{{Name: path}}
			case err != nil:
				p.Verdict(present.Unread(path, err))
				continue
			}
			for i := range executions {
				e := &executions[i]
				record := &present.Record{
					Record:   report.Record{Subject: report.SubjectOf(e.Name, property), Stats: report.Unread},
					Path:     path,
					Property: property,
					Several:  len(paths)+len(executions) > 2,
					Err:      err,
				}
				found := compare(r, spec, e, o.Compare, record)
				wrong := found != nil && len(found.Findings) > 0 && record.Verdict != rctl.Holds.String()
				if wrong && o.View != "" {
					decide.SaveView(o.View, record, func(path string) error {
						return viewer.SaveFinding(r, path, e, page(record, &found.Findings[0], o.Compare.Prefix))
					})
				}
				p.Verdict(record)
				if !wrong || drawn {
					continue
				}
				drawn = true
				first := &found.Findings[0]
				if strings.HasSuffix(o.Draw, ".svg") {
					err = viewer.Write(r, o.Draw, draw.SVG, first.Picture())
				} else {
					err = r.Output(o.Draw, "drawing", job.Text(first.Mermaid()))
				}
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// compare compares one execution with the diagram, and completes its record.
func compare(r *job.Run, spec *conform.Spec, e *format.Execution, o conform.Options, record *present.Record) (found *conform.Result) {
	begun, err := time.Now(), record.Err
	if err == nil {
		record.Stats = report.SizesOf(e.Computation)
		found, err = job.Do(r, "comparing", func(ctx context.Context) (*conform.Result, error) {
			return spec.Check(ctx, e.Computation, o)
		})
	}
	record.Engine, record.Fragment = "scenario", "diagram"
	record.ElapsedMS = report.Milliseconds(time.Since(begun))
	switch {
	case failure.IsLimit(err):
		record.Err = nil
		record.Verdict, record.Reason = rctl.Unknown.String(), err.Error()
		record.Conformance = &report.Conformance{Verdict: scenario.Unknown.String(), Details: []string{err.Error()}}
		return nil
	case err != nil:
		record.Err = fmt.Errorf("%s: %w", e.Name, err)
		return nil
	}

	record.Verdict = outcome(found.Verdict, o.Prefix).String()
	record.Unordered = [][2]string{}
	for i := range found.Findings {
		for _, edge := range found.Findings[i].Missing() {
			record.Unordered = append(record.Unordered, [2]string{e.Computation.ID(edge.From), e.Computation.ID(edge.To)})
		}
	}
	record.Conformance = &report.Conformance{Verdict: found.Verdict.String(), Values: found.Counts, Details: found.Details()}
	if text := strings.Join(record.Conformance.Details, "; "); text != "" && found.Each == "" {
		record.Reason = record.Conformance.Verdict + ": " + text
	} else if found.Verdict != scenario.Conforms {
		record.Reason = text // the text begins with the numbers of verdicts
	}
	for _, text := range found.Notes {
		record.Notes = append(record.Notes, report.Note{Kind: report.Vacuous, Text: text})
	}
	if why := e.Computation.LowerBound(); why != "" && found.Verdict == scenario.ByLuck {
		record.Notes = append(record.Notes, report.Note{Kind: report.Spurious, Text: why})
		record.PossiblySpurious, record.LowerBound = true, why
	}
	return found
}

// page returns the content of a page about the first finding of an execution.
func page(record *present.Record, f *conform.Finding, prefix bool) *viewer.Finding {
	headline := record.Property.Source + ": " + f.Verdict.String()
	if f.Value != "" {
		headline += " for " + f.Value
	}
	missing := f.Missing()
	return &viewer.Finding{
		Verdict:  outcome(f.Verdict, prefix),
		Headline: headline,
		Detail:   strings.Join(f.Lines(), "; "),
		Run:      f.Run(),
		Culprits: f.Divergence(),
		Missing:  missing,
		Fix:      missing != nil,
		Arrows:   f.Arrows(),
	}
}

// outcome returns the verdict of a record or a page. An unfinished scenario is unknown, since the
// rest may still come; with prefix, it holds.
func outcome(v scenario.Verdict, prefix bool) rctl.Verdict {
	switch {
	case conform.Passes(v, prefix):
		return rctl.Holds
	case v == scenario.Violated, v == scenario.ByLuck:
		return rctl.Fails
	}
	return rctl.Unknown
}
