package main

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/lattice"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

func (s *session) statsCommand() *cli.Command {
	return s.command(1, -1, cli.Command{
		Name:      "stats",
		Usage:     "count processes, events, messages, causal edges and consistent cuts",
		ArgsUsage: "TRACE...",
		Description: "   pota stats run.jsonl logs/ chord.log\n" +
			"   pota slice --format json 'EF(cs@P1 && cs@P2)' run.jsonl | pota stats --json -",
		Flags: slices.Concat([]cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print a JSON object a line for each trace"},
			&cli.BoolFlag{Name: "names", Usage: "list the variables that formulas may name, and some of their values"},
		}, limitFlags(0), inputFlags()),
		Action: s.stats,
	})
}

// census is the JSON object for one trace.
type census struct {
	Trace string `json:"trace"`
	report.Sizes
	Cuts   *string        `json:"cuts"`
	Reason string         `json:"reason,omitempty"`
	Empty  bool           `json:"empty,omitempty"`
	Names  []variableName `json:"names,omitempty"`
}

// variableName is a variable of some processes.
type variableName struct {
	Variable string   `json:"variable"`
	Written  []string `json:"written"` // in formulas, one for each process
	Values   []string `json:"values"`  // the first few of them
	More     bool     `json:"more,omitempty"`
}

// namesOf returns the variables of a computation, by name in order of appearance.
func namesOf(c *graphs.Computation) []variableName {
	const most = 4 // values
	var all []variableName
	index := make(map[string]int)
	for _, v := range c.Variables() {
		i, known := index[v.Name]
		if !known {
			i = len(all)
			index[v.Name] = i
			all = append(all, variableName{Variable: v.Name})
		}
		n := &all[i]
		written := syntax.Expr{Op: syntax.ExprVar, Text: v.Name}
		if v.Process != graphs.Shared {
			written.Process.Text = c.Processes()[v.Process]
		}
		n.Written = append(n.Written, written.String())
		for k := -1; k < v.Len() && !n.More; k++ {
			if text := v.Value(k).String(); slices.Contains(n.Values, text) {
				continue
			} else if n.More = len(n.Values) == most; !n.More {
				n.Values = append(n.Values, text)
			}
		}
	}
	return all
}

func (s *session) stats(c *cli.Context) error {
	wanted := map[string]bool{}
	if c.Bool("names") {
		wanted = nil // all
	}
	in, err := s.inputOf(c, wanted, false)
	if err != nil {
		return err
	}
	s.each(in, c.Args().Slice(), func(e *format.Execution) {
		r := census{Trace: e.Name, Sizes: report.SizesOf(e.Computation), Empty: e.Computation.Empty()}
		if c.Bool("names") {
			r.Names = namesOf(e.Computation)
		}
		cuts, err := s.countCuts(e.Computation)
		if err != nil {
			r.Reason = err.Error()
			s.status = worst(s.status, undecided)
		} else {
			text := cuts.String()
			r.Cuts = &text
		}
		if c.Bool("json") {
			s.printJSON(r, "")
		} else {
			s.printCensus(r)
		}
	})
	return nil
}

// countCuts returns the number of cuts, or the limit that was reached first.
func (s *session) countCuts(comp *graphs.Computation) (*big.Int, error) {
	n, err := do(s, "counting cuts", func(ctx context.Context) (*big.Int, error) {
		return lattice.Count(ctx, comp, lattice.Limits{Cuts: mostStates, Steps: mostSteps, Bytes: s.budget.Memory(1)})
	})
	if reached, ok := errors.AsType[*lattice.LimitError](err); ok {
		return nil, errors.New(reached.Reason)
	}
	return n, err
}

// Bounds on counting cuts, so that it ends within seconds.
const (
	mostStates = 20_000_000    // intermediate results
	mostSteps  = 2_000_000_000 // between two processes
)

func (s *session) printCensus(r census) {
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	cuts := "not counted: " + r.Reason
	switch {
	case r.Empty:
		cuts = "0: the computation is empty, its edges leave no cut"
	case r.Cuts != nil:
		cuts = *r.Cuts
	}
	fmt.Fprintf(w, "%s\n", graphs.Printable(r.Trace))
	fmt.Fprintf(w, "  processes\t%d\n  events\t%d\n  messages\t%d\n  causal edges\t%d\n  cuts\t%s\n",
		r.Processes, r.Events, r.Messages, r.Edges, cuts)
	if r.Names != nil {
		fmt.Fprintln(w, "  variables")
	}
	for _, n := range r.Names {
		values := strings.Join(n.Values, ", ")
		if n.More {
			values += ", …"
		}
		fmt.Fprintf(w, "    %s\t%s\n", graphs.Printable(graphs.List(n.Written, 2)), graphs.Printable(values))
	}
	if err := w.Flush(); err != nil {
		s.fail(err)
	}
}
