package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/modelcheck"
	"github.com/pota-project/pota/graphs/program"
	"github.com/pota-project/pota/graphs/program/promela"
	"github.com/pota-project/pota/graphs/simulate"
	"github.com/pota-project/pota/graphs/trace/native"
)

// A Simulation is a model with the length of its run, or a request for a list.
type Simulation struct {
	Model      modelcheck.Model
	Events     int    // the approximate number of events, after which no new activity begins
	Output     string // file, "" for standard output
	Properties bool   // list the properties of the model instead of running it
	Faults     bool   // list the faults of the model instead of running it
}

// ListModels lists the models.
func ListModels(r *job.Run, output string) error {
	return r.Output(output, "writing", func(_ context.Context, w io.Writer) error {
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, m := range simulate.Models() {
			// A model may have a fixed number of processes.
			size := fmt.Sprintf("%d or more processes", m.MinProcesses)
			if m.MaxProcesses == m.MinProcesses {
				size = fmt.Sprintf("%d processes", m.MinProcesses)
			}
			fmt.Fprintf(table, "%s\t%s\t%s\n", m.Name, size, m.Description)
		}
		return table.Flush()
	})
}

// Simulate runs a model and writes its trace. Equal options give equal traces.
func Simulate(r *job.Run, o Simulation) error {
	// Names of models contain neither dots nor slashes, and names of files contain one of them.
	if strings.ContainsAny(o.Model.Name, "./") {
		return o.promela(r)
	}
	model, err := simulate.Lookup(o.Model.Name)
	if err != nil {
		return exit.Usagef("%s", err)
	}
	cfg := o.Model.Config(model)
	// Only a simulation has a length. Checking a program covers all of its runs.
	cfg.Events = o.Events
	// Report mistakes before creating the output.
	if err := model.Check(cfg); err != nil {
		return exit.Usagef("%s", err)
	}

	var list strings.Builder
	switch {
	case o.Faults && o.Properties:
		return exit.Usagef("--faults and --properties exclude each other: choose one")
	case o.Faults:
		for _, f := range model.Faults {
			fmt.Fprintf(&list, "%s: %s\n", f.Name, f.Breaks)
		}
	case o.Properties:
		for _, p := range model.Properties(cfg.Processes) {
			fmt.Fprintf(&list, "%s: %s\n", p.Name, p.Formula)
		}
	default:
		return r.Output(o.Output, "simulating "+model.Name, func(ctx context.Context, w io.Writer) error {
			return simulate.Run(ctx, w, cfg)
		})
	}
	return r.Output(o.Output, "writing", job.Text(list.String()))
}

// promela records a random run of a model in Promela.
func (o Simulation) promela(r *job.Run) error {
	name := o.Model.Name
	// Refuse a flag without effect rather than ignore it.
	if len(o.Model.Given) > 0 {
		return exit.Usagef("--%s is for the models that pota simulate --list prints: %s says itself which processes there are", o.Model.Given[0], name)
	}
	if o.Events < 0 {
		return exit.Usagef("%d events: there must be at least 0", o.Events)
	}
	p, err := modelcheck.Promela(r, name)
	if err != nil {
		return err
	}
	return r.Output(o.Output, "simulating "+name, func(ctx context.Context, w io.Writer) error {
		// The walk ends early at a deadlock.
		steps, err := program.Walk(ctx, p, o.Model.Seed, o.Events)
		// If the model does something undefined, such as a division by zero, the run up to that point
		// is still a trace.
		if undefined, ok := errors.AsType[*promela.Error](err); ok {
			fmt.Fprintf(r.Console.Err, "pota: the run ends after %d steps: %v\n", len(steps),
				undefined)
		} else if err != nil {
			return err
		}
		// Record only the control locations of processes and no variables, since it is not known which
		// variables formulas will name.
		recorded, err := program.Record(p, steps, func(string) bool { return false })
		if err != nil {
			return err
		}
		return native.Write(w, recorded.Computation, nil)
	})
}
