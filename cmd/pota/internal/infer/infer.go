// Package infer is the command that finds properties in traces: properties that good runs keep and
// a bad one breaks, that good runs kept only by luck, and that held.
//
// For example, with two good runs and a bad one,
//
//	pota infer good/ --bad bad.log
//
// reads each trace of the directory good, and lists the properties that both keep and bad.log
// breaks. This package reads, limits the time and prints; package rctl/infer searches. A trace that
// cannot be read is reported and left out. The exit status is that of an undecided run if time ran
// out before the lists were complete.
package infer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/decide"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl/infer"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Request asks for the properties of some runs.
type Request struct {
	Good, Bad []string // traces, patterns, and directories of traces
	Read      load.Options
	Output    string // the property file; "" for none
	JSON      bool
	Witness   bool // print a run for each property that fails

	Templates string // a file of definitions; "" for none
	Infer     infer.Options
}

// A source reads runs from traces.
//
// The reader reports positions and warnings as for detect. Paths are kept, because properties are
// decided on the traces again for witnesses.
type source struct {
	run  *job.Run
	in   *load.Reader
	path map[string]string // the path of the trace, by the name of the execution
}

// Infer reads the runs, searches for properties, and prints them.
func Infer(r *job.Run, q Request) error {
	in, err := load.New(r, q.Read, load.Want{Names: true, Times: true, Places: true})
	if err != nil {
		return err
	}
	if q.Templates != "" {
		text, err := os.ReadFile(q.Templates)
		if err != nil {
			return err
		}
		if q.Infer.Templates, err = infer.ParseTemplates(string(text)); err != nil {
			return fmt.Errorf("%s:%w", q.Templates, err)
		}
	}
	s := &source{run: r, in: in, path: make(map[string]string)}
	good, err := s.runs(q.Good)
	if err != nil {
		return err
	}
	bad, err := s.runs(q.Bad)
	if err != nil {
		return err
	}
	switch {
	case len(good) > 0:
	case r.Status == exit.Undecided: // a limit was reached, and the reader has reported it
		return nil
	default:
		return exit.Usagef("there is no good run: nothing could be read")
	}

	res, err := job.Do(r, "looking for properties", func(ctx context.Context) (*infer.Result, error) {
		// At the limit itself, a step is abandoned and its result lost, so end the search earlier.
		if deadline, ok := ctx.Deadline(); ok {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeoutCause(ctx, time.Until(deadline)*3/4, errTime)
			defer cancel()
		}
		return infer.Infer(ctx, good, bad, q.Infer), nil
	})
	if err != nil {
		return err
	}
	// The lists are correct, but may be incomplete.
	if res.Reason != "" {
		r.Worsen(exit.Undecided)
	}
	if q.JSON {
		writeLines(r, res)
	} else if _, err := r.Console.Out.WriteString(res.String()); err != nil {
		return err
	}
	if q.Witness {
		s.witnesses(q, res)
	}
	if q.Output == "" {
		return nil
	}
	return r.Output(q.Output, "writing", job.Text(res.Properties()))
}

// A line is a finding in JSON.
type line struct {
	List     string         `json:"list"` // the name of the list: breaks, luck or held
	Property string         `json:"property"`
	Formula  string         `json:"formula"`
	Says     string         `json:"says"`
	Evidence *infer.Finding `json:"evidence"`
}

// writeLines writes a line for each finding, list by list, with the best first. Remarks about all
// findings go to standard error.
func writeLines(r *job.Run, res *infer.Result) {
	write := func(list string, findings []*infer.Finding) {
		for _, f := range findings {
			r.JSON(r.Console.Out, line{list, f.Name, f.Text, f.Says, f}, "")
		}
	}
	write("breaks", res.Breaks)
	write("luck", res.Luck)
	write("held", res.Held)
	for _, text := range res.Notes {
		r.Note("%s", text)
	}
	if res.Reason != "" {
		r.Note("the lists may lack lines: %s", res.Reason)
	}
}

// errTime is the cause of the context's end when a search ends early.
var errTime = errors.New("the time limit was reached")

// runs reads traces. It reports traces that cannot be read, and goes on with the others.
func (s *source) runs(names []string) ([]infer.Run, error) {
	paths, err := load.Glob(names)
	if err != nil {
		return nil, err
	}
	var all []infer.Run
	for _, path := range paths {
		s.in.Each(s.run, s.runsOf(path), func(e *format.Execution) {
			s.path[e.Name] = path
			all = append(all, infer.Run{Name: e.Name, Computation: e.Computation, Times: load.Times(e, false)})
		})
	}
	return all, nil
}

// runsOf returns the traces of a directory in which each file is a trace. A file, or any other
// directory, is one trace: each process of an execution may have its own log file.
func (s *source) runsOf(path string) []string {
	entries, err := os.ReadDir(path)
	if err != nil {
		return []string{path}
	}
	var files []string
	for _, entry := range entries {
		file := filepath.Join(path, entry.Name())
		if entry.IsDir() || format.Known(s.run.Context, file) == "" {
			return []string{path}
		}
		all, err := format.Read(s.run.Context, file, s.in.Format())
		if err != nil || slices.ContainsFunc(all, func(e format.Execution) bool { return e.Computation.NumProcesses() < 2 }) {
			return []string{path}
		}
		files = append(files, file)
	}
	return files
}

// witnesses prints a counterexample for each property that fails, as the command detect does.
func (s *source) witnesses(q Request, res *infer.Result) {
	status := s.run.Status // failing properties are not a failure of the command
	report := present.New(s.run, s.run.Console, present.Options{Format: present.Text, Witness: true})
	for _, f := range slices.Concat(res.Breaks, res.Luck) {
		name := f.LuckIn
		if len(f.BreaksIn) > 0 {
			name = f.BreaksIn[0]
		}
		set := decide.Set{
			Properties: []syntax.Property{{Name: f.Name, Formula: f.Formula, Source: f.Text}},
			Paths:      []string{s.path[name]},
		}
		// Print only the run for each verdict.
		set.Decide(s.run, s.in, report, decide.Options{Evidence: true, Report: present.Options{Witness: true, Quiet: true}})
	}
	report.Close()
	s.run.Status = status
}
