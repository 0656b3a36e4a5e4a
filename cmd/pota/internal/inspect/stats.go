// Package inspect describes traces and formulas: counts and names (Stats), things that are legal
// but suspicious (Lint), and the fragment of a formula with the plan to decide it (Classify).
package inspect

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/lattice"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

// StatsOptions choose the traces.
type StatsOptions struct {
	Traces []string
	Read   load.Options
	Names  bool // list variables
	JSON   bool
}

// counts is the JSON object for one trace.
type counts struct {
	Trace string `json:"trace"`
	report.Sizes
	Cuts   *string    `json:"cuts"`
	Reason string     `json:"reason,omitempty"` // why cuts were not counted
	Empty  bool       `json:"empty,omitempty"`
	Names  []Variable `json:"names,omitempty"`
}

// A Variable describes the variables of one name, on all processes that have one.
type Variable struct {
	Name     string   `json:"variable"`
	Written  []string `json:"written"` // the form in formulas, one for each process
	Values   []string `json:"values"`  // the first few values
	More     bool     `json:"more,omitempty"`
	Assigned int      `json:"assigned"`     // how many different values events assign
	ID       bool     `json:"id,omitempty"` // whether the values look like ids, such as those of requests
}

// Stats counts the processes, events, messages, edges and cuts of traces.
func Stats(r *job.Run, opts StatsOptions) error {
	// The set is empty, since counting needs no values.
	want := load.Want{Variables: map[string]bool{}, Idle: true}
	if opts.Names {
		want.Variables = nil // all
	}
	in, err := load.New(r, opts.Read, want)
	if err != nil {
		return err
	}
	// A trace that cannot be read does not prevent counting the others.
	in.Each(r, opts.Traces, func(e *format.Execution) {
		// These counts are immediate, whereas the number of cuts may be out of reach.
		c := counts{
			Trace: e.Name,
			Sizes: report.SizesOf(e.Computation),
			Empty: e.Computation.Empty(),
		}
		if opts.Names {
			c.Names = Variables(e.Computation, maxValues)
		}
		// The number of cuts may be exponential. The other counts are useful without it.
		cuts, err := countCuts(r, e.Computation)
		if err != nil {
			c.Reason = err.Error()
			r.Worsen(exit.Undecided)
		} else {
			// Use text, because most readers round JSON numbers of that size.
			text := cuts.String()
			c.Cuts = &text
		}
		if opts.JSON {
			r.JSON(r.Console.Out, c, "")
		} else {
			c.print(r)
		}
	})
	return nil
}

// maxValues bounds how many values of a variable are listed.
const maxValues = 4

// Variables returns the variables of a computation by name, in order of appearance, with at most
// most values each.
func Variables(c *graphs.Computation, most int) []Variable {
	var all []Variable
	known := make(map[string]bool)
	for _, v := range c.Variables() {
		if !known[v.Name] {
			known[v.Name] = true
			all = append(all, named(c, v.Name, most))
		}
	}
	return all
}

// named describes the variables with a name. Their values look like ids if there are several, each
// is assigned by few events, and many pass from one process to another.
func named(c *graphs.Computation, name string, most int) Variable {
	n := Variable{Name: name}
	on := make(map[graphs.Value]int) // the process that assigned each value, or several
	passed, assignments := 0, 0
	for _, v := range c.VariablesNamed(name) {
		n.add(c, v, most)
		assignments += v.Len()
		for i := range v.Len() {
			x, p := v.Value(i), c.Process(v.Event(i))
			switch first, known := on[x]; {
			case !known:
				on[x] = p
			case first != p && first != several:
				on[x] = several
				passed++
			}
		}
	}
	n.Assigned = len(on)
	n.ID = len(on) > 2 && assignments <= maxPerID*len(on) && 2*passed >= len(on)
	return n
}

// maxPerID bounds how often an id is assigned on average, since each request has few events.
const maxPerID = 20

// several stands for more than one process.
const several = -2

// add adds the variable of one process.
func (n *Variable) add(c *graphs.Computation, v *graphs.Variable, most int) {
	// The parser's own form quotes names that need it.
	written := syntax.Expr{Op: syntax.ExprVar, Text: v.Name}
	// A shared variable is written without a process.
	if v.Process != graphs.Shared {
		written.Process.Text = c.Processes()[v.Process]
	}
	n.Written = append(n.Written, written.String())
	// Index -1 is the value before the first event.
	for k := -1; k < v.Len() && !n.More; k++ {
		text := v.Value(k).String()
		if slices.Contains(n.Values, text) {
			continue
		}
		// The search ends at the first value beyond the limit.
		if len(n.Values) == most {
			n.More = true
			return
		}
		n.Values = append(n.Values, text)
	}
}

// Bounds on counting cuts. They end it within a few seconds, since the number may be exponential and a user waits.
const (
	maxStates = 2_000_000   // intermediate results
	maxSteps  = 300_000_000 // steps between two processes
)

// countCuts returns the number of cuts, or the limit that was reached first.
func countCuts(r *job.Run, c *graphs.Computation) (*big.Int, error) {
	n, err := job.Do(r, "counting cuts", func(ctx context.Context) (*big.Int, error) {
		return lattice.Count(ctx, c, lattice.Limits{
			Cuts:  maxStates,
			Steps: maxSteps,
			Bytes: r.Budget.Memory(1),
		})
	})
	// The reason is printed after "not counted", without the name of the package.
	if reached, ok := errors.AsType[*lattice.LimitError](err); ok {
		return nil, errors.New(reached.Reason)
	}
	return n, err
}

// print prints counts for people.
func (c counts) print(r *job.Run) {
	w := tabwriter.NewWriter(r.Console.Out, 0, 0, 2, ' ', 0)
	// An empty computation has 0 cuts, and the reason is worth mentioning.
	cuts := "not counted: " + c.Reason
	switch {
	case c.Empty:
		cuts = "0: the computation is empty, its edges leave no cut"
	case c.Cuts != nil:
		cuts = *c.Cuts
	}
	// Names come from traces and may hold anything.
	fmt.Fprintf(w, "%s\n", graphs.Printable(c.Trace))
	fmt.Fprintf(w, "  processes\t%d\n  events\t%d\n  messages\t%d\n", c.Processes, c.Events, c.Messages)
	fmt.Fprintf(w, "  causal edges\t%d\n  cuts\t%s\n", c.Edges, cuts)
	if c.Names != nil {
		fmt.Fprintln(w, "  variables")
	}
	// If many processes have a variable of one name, show the written form for two.
	for _, n := range c.Names {
		values := strings.Join(n.Values, ", ")
		if n.More {
			values += ", …"
		}
		switch {
		case n.ID:
			values += fmt.Sprintf("  (%d values, like ids: forall x in values(%s): …)", n.Assigned, n.Name)
		case n.More:
			values += fmt.Sprintf("  (%d values)", n.Assigned)
		}
		fmt.Fprintf(w, "    %s\t%s\n", graphs.Printable(graphs.List(n.Written, 2)), graphs.Printable(values))
	}
	if err := w.Flush(); err != nil {
		r.Fail(err)
	}
}
