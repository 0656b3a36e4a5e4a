package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/translate/promela"
	"github.com/pota-project/pota/translate/smv"
)

// A translation writes a computation and a formula for another tool: a main file, and perhaps a
// second one.
type translation struct {
	name   string
	what   string
	suffix string // of the second file, "" if there is none
	write  func(ctx context.Context, w, second io.Writer, q *load.Question, noSlices bool) error
}

var translations = []translation{{
	name: "promela",
	what: "SPIN; the first two lines say how to run it and what an error means",
	write: func(ctx context.Context, w, _ io.Writer, q *load.Question, noSlices bool) error {
		return promela.Write(ctx, w, q.Execution.Computation, q.Resolved, promela.Options{NoSlices: noSlices})
	},
}, {
	name:   "smv",
	what:   "NuSMV and nuXmv; with -o FILE, the order of variables that is fast is in FILE.ord",
	suffix: ".ord",
	write: func(_ context.Context, w, second io.Writer, q *load.Question, _ bool) error {
		c := q.Execution.Computation
		err := smv.Write(w, c, q.Resolved, smv.Options{Alone: second == nil})
		if err != nil || second == nil {
			return err
		}
		return smv.WriteOrder(second, c)
	},
}}

func languages() []string {
	var names []string
	for _, t := range translations {
		names = append(names, t.name)
	}
	return names
}

func (s *session) translateCommand() *cli.Command {
	var list strings.Builder
	for _, t := range translations {
		fmt.Fprintf(&list, "\n   %-8s %s", t.name, t.what)
	}
	return s.command("translate", 2, 2, slices.Concat([]cli.Flag{
		textOr("to", translations[0].name, "write `LANGUAGE`"),
		toggle("no-slices",
			"promela: refuse what has no equivalent in LTL, rather than put slices in as "+
				"propositions"),
		outputFlag(),
	}, limitFlags(0), inputFlags()), s.translate)
}

func (s *session) translate(c *cli.Context) error {
	i := slices.IndexFunc(translations, func(t translation) bool { return t.name == c.String("to") })
	if i < 0 {
		return exit.Unknown("language", c.String("to"), languages()...)
	}
	t := translations[i]
	read := readOptions(c)
	formula := c.Args().First()
	q, err := load.Ask(s.run, read, &formula, c.Args().Get(1), load.Want{})
	if err != nil {
		return err
	}

	path := c.String("output")
	two := job.IsFile(path) && t.suffix != ""
	type result struct{ text, second string }
	made, err := job.Do(s.run, "translating", func(ctx context.Context) (result, error) {
		var text, beside strings.Builder
		var second io.Writer // nil where there is no second file
		if two {
			second = &beside
		}
		err := t.write(ctx, &text, second, q, c.Bool("no-slices"))
		return result{text.String(), beside.String()}, err
	})
	switch {
	case err != nil:
		return q.Wrap(err)
	case two:
		return s.run.WriteFiles("writing",
			job.File{Path: path, Write: job.Text(made.text)},
			job.File{Path: path + t.suffix, Write: job.Text(made.second)})
	}
	return s.run.Output(path, "writing", job.Text(made.text))
}
