package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/translate/promela"
	"github.com/pota-project/pota/translate/smv"
)

// A translation writes a computation and a formula for another tool: a main file, and
// perhaps a second one.
type translation struct {
	name   string
	what   string
	beside string                                                                           // suffix of the second file, "" if there is none
	to     func(ctx context.Context, w, beside io.Writer, q *question, noSlices bool) error // beside is nil where there is no second file
}

var translations = []translation{
	{"promela", "SPIN; the first two lines say how to run it and what an error means", "",
		func(ctx context.Context, w, _ io.Writer, q *question, noSlices bool) error {
			return promela.Write(ctx, w, q.Computation, q.resolved, promela.Options{NoSlices: noSlices})
		}},
	{"smv", "NuSMV and nuXmv; with -o FILE, the order of variables that is fast is in FILE.ord", ".ord",
		func(_ context.Context, w, beside io.Writer, q *question, _ bool) error {
			if err := smv.Write(w, q.Computation, q.resolved, smv.Options{Alone: beside == nil}); err != nil || beside == nil {
				return err
			}
			return smv.WriteOrder(beside, q.Computation)
		}},
}

func languages() []string { return mapOf(translations, func(t translation) string { return t.name }) }

func (s *session) translateCommand() *cli.Command {
	var list strings.Builder
	for _, t := range translations {
		fmt.Fprintf(&list, "\n   %-8s %s", t.name, t.what)
	}
	return s.command(2, 2, cli.Command{
		Name:      "translate",
		Usage:     "write a trace and a formula for another model checker",
		ArgsUsage: "FORMULA TRACE",
		Description: "The trace may be a slice, as pota slice --format json writes it.\n\n" +
			"   pota translate 'AG(!(cs@P1 && cs@P2))' run.jsonl -o run.pml\n" +
			"   pota slice --format json 'cs@P1' run.jsonl | pota translate 'AF(x@P2 == 1)' -\n\nLanguages:\n" + list.String(),
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "to", Value: translations[0].name, Usage: "write `LANGUAGE`"},
			&cli.BoolFlag{Name: "no-slices", Usage: "promela: refuse what has no equivalent in LTL, rather than put slices in as propositions"},
			outputFlag(),
		}, limitFlags(0), inputFlags()),
		Action: s.translate,
	})
}

func (s *session) translate(c *cli.Context) error {
	i := slices.IndexFunc(translations, func(t translation) bool { return t.name == c.String("to") })
	if i < 0 {
		return unknown("language", c.String("to"), languages()...)
	}
	t := translations[i]
	f, err := s.parseFormula(c.Args().Get(0))
	if err != nil {
		return err
	}
	q, err := s.question(c, f, c.Args().Get(1), false)
	if err != nil {
		return err
	}
	type result struct{ text, beside string }
	made, err := do(s, "translating", func(ctx context.Context) (result, error) {
		var text, second strings.Builder
		var beside io.Writer
		if toFile(c) && t.beside != "" {
			beside = &second
		}
		err := t.to(ctx, &text, beside, q, c.Bool("no-slices"))
		return result{text.String(), second.String()}, err
	})
	if err != nil {
		return q.wrap(err)
	}
	if toFile(c) && t.beside != "" {
		path := c.String("output")
		return s.writeFiles("writing", file{path, textOf(made.text)}, file{path + t.beside, textOf(made.beside)})
	}
	return s.outputText(c, made.text)
}
