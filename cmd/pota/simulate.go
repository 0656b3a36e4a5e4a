package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs/program"
	"github.com/pota-project/pota/graphs/program/promela"
	"github.com/pota-project/pota/graphs/simulate"
	"github.com/pota-project/pota/graphs/trace/native"
)

func (s *session) simulateCommand() *cli.Command {
	return s.command(0, 1, cli.Command{
		Name:      "simulate",
		Usage:     "run a classical protocol and write its trace",
		ArgsUsage: "MODEL|FILE.pml",
		Description: "The same flags make the same trace. Every property of a model holds on every run\n" +
			"without a fault; a fault breaks one of them on most runs. FILE.pml is a model in\n" +
			"Promela: a random run of it is recorded, for which SPIN is not needed.\n\n" +
			"   pota simulate --list\n" +
			"   pota simulate mutex --processes 5 --events 1000 --seed 1 -o run.jsonl\n" +
			"   pota simulate mutex --processes 5 --properties -o mutex.properties\n" +
			"   pota detect -f mutex.properties run.jsonl\n" +
			"   pota simulate mutex --faults\n" +
			"   pota simulate mutex --processes 5 --fault reply-inside | pota detect -f mutex.properties -\n" +
			"   pota simulate model.pml --seed 7 | pota detect 'AG(!failed)' -",
		Flags: slices.Concat([]cli.Flag{
			&cli.BoolFlag{Name: "list", Usage: "print the models, one a line"},
			&cli.IntFlag{Name: "processes", Aliases: []string{"n"}, Usage: "run with `N` processes (default: as few as the model has)"},
			&cli.IntFlag{Name: "events", Value: 1000, Usage: "begin nothing new after about `N` events"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "start the random numbers from `N`"},
			&cli.StringFlag{Name: "fault", Usage: "break the protocol by the fault `NAME` (--faults lists them)"},
			&cli.BoolFlag{Name: "properties", Usage: "print the properties of the model, as detect -f takes them"},
			&cli.BoolFlag{Name: "faults", Usage: "print the faults of the model, each with the property that it breaks"},
			outputFlag(),
		}, limitFlags(0)),
		Action: s.simulate,
	})
}

func (s *session) simulate(c *cli.Context) error {
	if c.Bool("list") != (c.NArg() == 0) {
		return usagef("name either a model or --list")
	}
	if c.Bool("list") {
		return s.output(c, "writing", func(_ context.Context, w io.Writer) error { return listModels(w) })
	}
	if path := c.Args().First(); strings.ContainsAny(path, "./") {
		return s.simulateFile(c, path)
	}
	m, err := simulate.Lookup(c.Args().First())
	if err != nil {
		return usagef("%s", err)
	}
	cfg := simulation(c, m)
	if err := m.Check(cfg); err != nil {
		return usagef("%s", err)
	}
	var list strings.Builder
	switch {
	case c.Bool("faults") && c.Bool("properties"):
		return usagef("--faults and --properties exclude each other: choose one")
	case c.Bool("faults"):
		for _, f := range m.Faults {
			fmt.Fprintf(&list, "%s: %s\n", f.Name, f.Breaks)
		}
		return s.outputText(c, list.String())
	case c.Bool("properties"):
		for _, p := range m.Properties(cfg.Processes) {
			fmt.Fprintf(&list, "%s: %s\n", p.Name, p.Formula)
		}
		return s.outputText(c, list.String())
	}
	return s.output(c, "simulating "+m.Name, func(ctx context.Context, w io.Writer) error { return simulate.Run(ctx, w, cfg) })
}

// simulation returns what flags say of a model.
func simulation(c *cli.Context, m *simulate.Model) simulate.Config {
	cfg := simulate.Config{
		Model:     m.Name,
		Processes: m.MinProcesses,
		Events:    c.Int("events"),
		Seed:      c.Uint64("seed"),
		Fault:     c.String("fault"),
	}
	if c.IsSet("processes") {
		cfg.Processes = c.Int("processes")
	}
	return cfg
}

// simulateFile records a random run of a model in Promela.
func (s *session) simulateFile(c *cli.Context, path string) error {
	for _, flag := range []string{"processes", "fault", "properties", "faults"} {
		if c.IsSet(flag) {
			return usagef("--%s is for the models that pota simulate --list prints: %s says itself which processes there are", flag, path)
		}
	}
	if n := c.Int("events"); n < 0 {
		return usagef("%d events: there must be at least 0", n)
	}
	p, err := do(s, "reading "+path, func(context.Context) (program.Program, error) { return s.model(path) })
	if err != nil {
		return err
	}
	return s.output(c, "simulating "+path, func(ctx context.Context, w io.Writer) error {
		steps, err := program.Walk(ctx, p, c.Uint64("seed"), c.Int("events"))
		if undefined := (*promela.Error)(nil); errors.As(err, &undefined) {
			fmt.Fprintf(s.err, "pota: the run ends after %d steps: %v\n", len(steps), err)
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
