// Package export writes traces for other uses: converted (Convert), translated for other model
// checkers (Translate), or made by running a model (Simulate). It also lists what there is to choose
// from.
package export

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/guess"
	"github.com/pota-project/pota/graphs/trace/mapped"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/translate/promela"
	"github.com/pota-project/pota/translate/smv"
)

// Convert writes a trace in the native format, or of a formula, nil for none, the events of a trace
// that matter to one binding.
func Convert(r *job.Run, path string, read load.Options, formula *string, only []bindings.Choice, output string) error {
	// A converted trace has all that the original says: labels, times and names of messages. The
	// native format holds one execution a file.
	q, err := load.Ask(r, read, formula, path, load.Want{Names: true})
	if err == nil && formula != nil {
		err = q.Narrow(r, only)
	}
	if err != nil {
		return err
	}
	if formula != nil && syntax.NewTemplate(q.Formula) == nil {
		return exit.Usagef("convert writes what matters to one value or event, and the formula does not begin with a quantifier over them, as in forall r in values(req): …")
	}
	return r.Output(output, "writing", func(_ context.Context, w io.Writer) error {
		return native.Write(w, q.Execution.Computation, nil)
	})
}

// Formats lists the formats that can be read, and the mappings that come with the program.
func Formats(w io.Writer) {
	// The layout is read by people only: scripts complete from the same tables, not from this
	// text.
	fmt.Fprintln(w, "formats (--input):")
	for _, f := range format.Formats() {
		fmt.Fprintf(w, "  %-14s  %s\n", f.Name, f.Description)
	}
	fmt.Fprintln(w,
		"mappings of logs (--map, which takes files of your own, too; pota map prints them):")
	for _, m := range format.Mappings() {
		fmt.Fprintf(w, "  %-14s  %s\n                  e.g. %s\n", m.Name, m.Description, m.Example)
	}
}

// Mapping writes a mapping: that of a name, or one that is guessed from a log.
func Mapping(r *job.Run, name string, isLog bool, output string) error {
	// Both ways end in the text of a file that the user goes on to edit.
	var text string
	var err error
	if isLog {
		// Standard input cannot be looked at twice.
		known := ""
		if name != "-" {
			known = format.Known(r.Context, name)
		}
		if known != "" {
			fmt.Fprintf(r.Console.Err, "pota: %s can be read without a mapping of yours, as %s\n", name, known)
		}
		text, err = GuessMapping(r, name)
	} else {
		text, err = mapped.Text(name)
	}
	if err != nil {
		return err
	}
	return r.Output(output, "writing", job.Text(text))
}

// GuessMapping guesses the mapping of a log. A directory is a log, too: its files have one mapping.
func GuessMapping(r *job.Run, path string) (string, error) {
	source, err := trace.Open(path)
	if err != nil {
		return "", err
	}
	return job.Do(r, "reading "+source.Path, func(ctx context.Context) (string, error) {
		return guess.Mapping(ctx, source)
	})
}

// Languages are the names of the languages, the default one first.
var Languages = []string{promelaName, smvName}

const (
	promelaName = "promela"
	smvName     = "smv"
)

// orderSuffix follows the name of the file for SMV in that of the order of its variables.
const orderSuffix = ".ord"

// A Translation is a formula and a trace, with the language to write.
type Translation struct {
	Language string
	Formula  string
	Trace    string
	Read     load.Options
	NoSlices bool   // refuse what has no equivalent without slices
	Output   string // file, "" for standard output
}

// Translate writes a trace and a formula in the language of another model checker. The order of
// variables for SMV is written only beside a named file. Everything is translated before a file is
// begun, so that a formula without an equivalent leaves no half file.
func Translate(r *job.Run, o Translation) error {
	// The language is checked first: reading a trace may take minutes.
	if !slices.Contains(Languages, o.Language) {
		return exit.Unknown("language", o.Language, Languages...)
	}
	q, err := load.Ask(r, o.Read, &o.Formula, o.Trace, load.Want{})
	if err == nil {
		err = q.Resolve(r)
	}
	if err != nil {
		return err
	}

	// Standard output has no file beside it.
	ordered := o.Language == smvName && job.IsFile(o.Output)
	// Both texts are held in memory until both are complete.
	type texts struct{ main, order strings.Builder }
	made, err := job.Do(r, "translating", func(ctx context.Context) (*texts, error) {
		t := new(texts)
		c := q.Execution.Computation
		if o.Language == promelaName {
			return t, promela.Write(ctx, &t.main, c, q.Resolved, promela.Options{NoSlices: o.NoSlices})
		}
		err := smv.Write(&t.main, c, q.Resolved, smv.Options{Alone: !ordered})
		if err == nil && ordered {
			err = smv.WriteOrder(&t.order, c)
		}
		return t, err
	})
	switch {
	case err != nil:
		return q.Wrap(err)
	// The second file takes its place first, see WriteFiles.
	case ordered:
		return r.WriteFiles("writing",
			job.File{Path: o.Output, Write: job.Text(made.main.String())},
			job.File{Path: o.Output + orderSuffix, Write: job.Text(made.order.String())})
	}
	return r.Output(o.Output, "writing", job.Text(made.main.String()))
}
