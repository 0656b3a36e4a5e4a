// Package export writes traces for other uses: translated for other model checkers (Translate),
// or made by running a model (Simulate). It also lists what there is to choose from.
package export

import (
	"context"
	"io"
	"slices"
	"strings"

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
	suffix string // of the second file, "" if there is none
	write  func(ctx context.Context, w, second io.Writer, q *load.Question, noSlices bool) error
}

// translations are in the order of the help. The first one is the default.
var translations = []translation{{
	name: "promela",
	write: func(ctx context.Context, w, _ io.Writer, q *load.Question, noSlices bool) error {
		return promela.Write(ctx, w, q.Execution.Computation, q.Resolved, promela.Options{NoSlices: noSlices})
	},
}, {
	name:   "smv",
	suffix: ".ord",
	write: func(_ context.Context, w, second io.Writer, q *load.Question, _ bool) error {
		c := q.Execution.Computation
		// The order of variables is of use only to the tool that reads both files.
		err := smv.Write(w, c, q.Resolved, smv.Options{Alone: second == nil})
		if err != nil || second == nil {
			return err
		}
		return smv.WriteOrder(second, c)
	},
}}

// Languages are the names of the languages, the default one first.
func Languages() []string {
	var names []string
	for _, t := range translations {
		names = append(names, t.name)
	}
	return names
}

// A Translation is a formula and a trace, with the language to write.
type Translation struct {
	Language string
	Formula  string
	Trace    string
	Read     load.Options
	NoSlices bool   // refuse what has no equivalent without slices
	Output   string // file, "" for standard output
}

// Translate writes a trace and a formula in the language of another model checker. The second file
// of a language is written only beside a named first one. Everything is translated before a file
// is begun, so that a formula without an equivalent leaves no half file.
func Translate(r *job.Run, o Translation) error {
	// The language is checked first: reading a trace may take minutes.
	i := slices.IndexFunc(translations, func(t translation) bool { return t.name == o.Language })
	if i < 0 {
		return exit.Unknown("language", o.Language, Languages()...)
	}
	t := translations[i]
	q, err := load.Ask(r, o.Read, &o.Formula, o.Trace, load.Want{})
	if err != nil {
		return err
	}

	// Standard output has no file beside it.
	two := job.IsFile(o.Output) && t.suffix != ""
	// Both are held in memory until both are complete.
	type result struct{ text, second string }
	made, err := job.Do(r, "translating", func(ctx context.Context) (result, error) {
		var text, beside strings.Builder
		var second io.Writer // nil where there is no second file
		if two {
			second = &beside
		}
		err := t.write(ctx, &text, second, q, o.NoSlices)
		return result{text.String(), beside.String()}, err
	})
	switch {
	case err != nil:
		return q.Wrap(err)
	// The second file takes its place first, see WriteFiles.
	case two:
		return r.WriteFiles("writing",
			job.File{Path: o.Output, Write: job.Text(made.text)},
			job.File{Path: o.Output + t.suffix, Write: job.Text(made.second)})
	}
	return r.Output(o.Output, "writing", job.Text(made.text))
}
