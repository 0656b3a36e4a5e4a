package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/modelcheck"
	"github.com/pota-project/pota/graphs/program"
	"github.com/pota-project/pota/graphs/program/promela"
	"github.com/pota-project/pota/graphs/simulate"
	"github.com/pota-project/pota/graphs/trace/native"
)

func (s *session) simulateCommand() *cli.Command {
	return s.command("simulate", 0, 1, append([]cli.Flag{
		toggle("list", "print the models, one a line"),
		number("processes, n", "run with `N` processes (default: as few as the model has)"),
		numberOr("events", 1000, "begin nothing new after about `N` events"),
		&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "start the random numbers from `N`"},
		text("fault", "break the protocol by the fault `NAME` (--faults lists them)"),
		toggle("properties", "print the properties of the model, as detect -f takes them"),
		toggle("faults", "print the faults of the model, each with the property that it breaks"),
		outputFlag(),
	}, limitFlags(0)...), s.simulate)
}

func (s *session) simulate(c *cli.Context) error {
	path := c.String("output")
	if c.Bool("list") != (c.NArg() == 0) {
		return exit.Usagef("name either a model or --list")
	}
	if c.Bool("list") {
		return s.run.Output(path, "writing", func(_ context.Context, w io.Writer) error { return listModels(w) })
	}
	m := modelOf(c)
	if strings.ContainsAny(m.Name, "./") {
		return s.simulateFile(c, m)
	}
	model, err := simulate.Lookup(m.Name)
	if err != nil {
		return exit.Usagef("%s", err)
	}
	cfg := m.Config(model)
	cfg.Events = c.Int("events")
	if err := model.Check(cfg); err != nil {
		return exit.Usagef("%s", err)
	}

	var list strings.Builder
	switch {
	case c.Bool("faults") && c.Bool("properties"):
		return exit.Usagef("--faults and --properties exclude each other: choose one")
	case c.Bool("faults"):
		for _, f := range model.Faults {
			fmt.Fprintf(&list, "%s: %s\n", f.Name, f.Breaks)
		}
		return s.run.Output(path, "writing", job.Text(list.String()))
	case c.Bool("properties"):
		for _, p := range model.Properties(cfg.Processes) {
			fmt.Fprintf(&list, "%s: %s\n", p.Name, p.Formula)
		}
		return s.run.Output(path, "writing", job.Text(list.String()))
	}
	return s.run.Output(path, "simulating "+model.Name, func(ctx context.Context, w io.Writer) error {
		return simulate.Run(ctx, w, cfg)
	})
}

// simulateFile records a random run of a model in Promela.
func (s *session) simulateFile(c *cli.Context, m modelcheck.Model) error {
	for _, flag := range []string{"processes", "fault", "properties", "faults"} {
		if c.IsSet(flag) {
			return exit.Usagef("--%s is for the models that pota simulate --list prints: %s says itself which processes there are", flag, m.Name)
		}
	}
	events := c.Int("events")
	if events < 0 {
		return exit.Usagef("%d events: there must be at least 0", events)
	}
	p, err := modelcheck.Promela(s.run, m.Name)
	if err != nil {
		return err
	}
	return s.run.Output(c.String("output"), "simulating "+m.Name, func(ctx context.Context, w io.Writer) error {
		steps, err := program.Walk(ctx, p, m.Seed, events)
		if undefined, ok := errors.AsType[*promela.Error](err); ok {
			fmt.Fprintf(s.run.Console.Err, "pota: the run ends after %d steps: %v\n", len(steps), undefined)
		} else if err != nil {
			return err
		}
		recorded, err := program.Record(p, steps, func(string) bool { return false })
		if err != nil {
			return err
		}
		return native.Write(w, recorded.Computation, nil)
	})
}

func listModels(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, m := range simulate.Models() {
		size := fmt.Sprintf("%d or more processes", m.MinProcesses)
		if m.MaxProcesses == m.MinProcesses {
			size = fmt.Sprintf("%d processes", m.MinProcesses)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", m.Name, size, m.Description)
	}
	return table.Flush()
}
