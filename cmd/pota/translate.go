package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/translate/pnml"
	"github.com/pota-project/pota/translate/promela"
	"github.com/pota-project/pota/translate/smv"
)

// A translation writes a computation and a resolved formula for another tool: its
// main file, and perhaps one beside it.
type translation struct {
	name   string
	what   string
	beside string // suffix of the file beside the main one, "" where there is none
	needed bool   // the main file is of no use without it
	to     func(ctx context.Context, w, beside io.Writer, c *graphs.Computation, f *syntax.Formula, opts translateOptions) error
}

type translateOptions struct{ noSlices bool }

var translations = []translation{
	{"promela", "SPIN; the first two lines say how to run it and what an error means", "", false, toPromela},
	{"smv", "NuSMV and nuXmv; with -o FILE, the order of variables that is fast is in FILE.ord", ".ord", false, toSMV},
	{"pnml", "Petri net tools such as verifypn; -o FILE is the net, FILE.xml the property", ".xml", true, toPNML},
}

func toSMV(_ context.Context, w, beside io.Writer, c *graphs.Computation, f *syntax.Formula, _ translateOptions) error {
	if err := smv.Write(w, c, f, smv.Options{}); err != nil {
		return err
	}
	return smv.WriteOrder(beside, c)
}

func toPNML(_ context.Context, w, beside io.Writer, c *graphs.Computation, f *syntax.Formula, _ translateOptions) error {
	return pnml.Write(w, beside, c, f)
}

func toPromela(ctx context.Context, w, _ io.Writer, c *graphs.Computation, f *syntax.Formula, opts translateOptions) error {
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
	t := translations[i]
	toFile := c.String("output") != "" && c.String("output") != "-"
	if t.needed && !toFile {
		return usagef("translate: --to %s writes two files; name the first with -o FILE, the other is FILE%s", t.name, t.beside)
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
	var text, beside strings.Builder // so that no file is left half written
	err = t.to(s.ctx, &text, &beside, e.Computation, resolved, translateOptions{noSlices: c.Bool("no-slices")})
	done()
	if err != nil {
		return s.unlessInexpressible(fmt.Errorf("%s: %w", e.Name, err))
	}
	if toFile && t.beside != "" {
		if err := os.WriteFile(c.String("output")+t.beside, []byte(beside.String()), 0o666); err != nil {
			return err
		}
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
	var atom *smv.Error
	if !errors.As(err, &inexpressible) && !errors.As(err, &limit) && !errors.As(err, &atom) {
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
