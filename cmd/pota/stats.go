package main

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/lattice"
	"github.com/pota-project/pota/graphs/trace/format"
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
		}, limitFlags(0), inputFlags()),
		Action: s.stats,
	})
}

// census is the JSON object for one trace.
type census struct {
	Trace string `json:"trace"`
	sizes
	Cuts   *string `json:"cuts"`
	Reason string  `json:"reason,omitempty"`
	Empty  bool    `json:"empty,omitempty"`
}

func (s *session) stats(c *cli.Context) error {
	in, err := s.inputOf(c, map[string]bool{}, false)
	if err != nil {
		return err
	}
	s.each(in, c.Args().Slice(), func(e *format.Execution) {
		r := census{Trace: e.Name, sizes: sizesOf(e.Computation), Empty: e.Computation.Empty()}
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
		return lattice.Count(ctx, comp, lattice.Limits{Cuts: mostStates, Steps: mostSteps, Bytes: s.budget.memory(1)})
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
	if err := w.Flush(); err != nil {
		s.fail(err)
	}
}
