package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/translate/promela"
)

// A translation writes a computation and a resolved formula for another tool.
type translation struct {
	name string
	what string
	to   func(ctx context.Context, w io.Writer, c *graphs.Computation, f *syntax.Formula, opts translateOptions) error
}

type translateOptions struct{ noSlices bool }

var translations = []translation{
	{"promela", "SPIN; the first two lines say how to run it and what an error means", toPromela},
}

func toPromela(ctx context.Context, w io.Writer, c *graphs.Computation, f *syntax.Formula, opts translateOptions) error {
	return promela.Write(ctx, w, c, f, promela.Options{NoSlices: opts.noSlices})
}

func (s *session) translateCommand() *cli.Command {
	var list strings.Builder
	for _, t := range translations {
		fmt.Fprintf(&list, "\n   %-8s %s", t.name, t.what)
	}
	return command(cli.Command{
		Name:      "translate",
		Usage:     "write a trace and a formula for another model checker",
		ArgsUsage: "FORMULA TRACE",
		Description: "The trace may be a slice, as pota slice --format json writes it.\n\n" +
			"   pota translate 'AG(!(cs@P1 && cs@P2))' run.jsonl -o run.pml\n" +
			"   pota slice --format json 'cs@P1' run.jsonl | pota translate 'AF(x@P2 == 1)' -\n\nLanguages:\n" + list.String(),
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "to", Value: translations[0].name, Usage: "write `LANGUAGE`"},
			&cli.BoolFlag{Name: "no-slices", Usage: "promela: refuse what has no equivalent in LTL, rather than put slices in as propositions"},
			outputFlag(),
		}, inputFlags()...),
		Action: s.translate,
	})
}

func (s *session) translate(c *cli.Context) error {
	if err := arguments(c, 2, 2, "FORMULA TRACE"); err != nil {
		return err
	}
	i := slices.IndexFunc(translations, func(t translation) bool { return t.name == c.String("to") })
	if i < 0 {
		return usagef("translate: there is no language %q; there are %s", c.String("to"), translationNames())
	}
	f, err := parseFormula(c.Args().Get(0))
	if err != nil {
		return err
	}
	e, err := s.readOne(c, c.Args().Get(1), readOptions(c, syntax.Names(f), false))
	if err != nil {
		return err
	}
	resolved, err := resolve("", f, e.Computation)
	if err != nil {
		return fmt.Errorf("%s: %w", e.Name, err)
	}
	done := s.busy("translating")
	var text strings.Builder // so that no file is left half written
	err = translations[i].to(s.ctx, &text, e.Computation, resolved, translateOptions{noSlices: c.Bool("no-slices")})
	done()
	if err != nil {
		return s.unlessInexpressible(fmt.Errorf("%s: %w", e.Name, err))
	}
	return s.output(c, func(w io.Writer) error {
		_, err := io.WriteString(w, text.String())
		return err
	})
}

// unlessInexpressible turns an error into status 3 where the other tool cannot
// express the formula or hold the trace: neither is wrong.
func (s *session) unlessInexpressible(err error) error {
	var inexpressible *promela.InexpressibleError
	var limit *promela.LimitError
	if !errors.As(err, &inexpressible) && !errors.As(err, &limit) {
		return err
	}
	fmt.Fprintln(s.err, "pota: "+err.Error())
	s.status = worst(s.status, undecided)
	return nil
}

func translationNames() string {
	names := make([]string, len(translations))
	for i, t := range translations {
		names[i] = t.name
	}
	return strings.Join(names, ", ")
}
