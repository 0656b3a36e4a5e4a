// Package export writes traces for other uses: converted (Convert), translated for other model
// checkers (Translate), or made by running a model (Simulate). It also lists the choices: formats,
// mappings and models.
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

// Convert writes a trace in the native format. If formula is not nil, it writes only the events
// that matter to one binding of the formula.
func Convert(r *job.Run, path string, read load.Options, formula *string, only []bindings.Choice, output string) error {
	// A converted trace keeps all data of the original: labels, times and names of messages. A file in
	// the native format holds one execution.
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

// Formats lists the formats that can be read, and the built-in mappings.
func Formats(w io.Writer) {
	// Only people read this layout. Shell completion uses the tables, not this text.
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

// Mapping writes a mapping: the built-in one with a name, or one that is guessed from a log.
func Mapping(r *job.Run, name string, isLog bool, output string) error {
	// Either way, the text is for a file that the user then edits.
	var text string
	var err error
	if isLog {
		// Standard input cannot be read twice.
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

// GuessMapping guesses the mapping of a log. A directory is also a log: its files share a mapping.
func GuessMapping(r *job.Run, path string) (string, error) {
	source, err := trace.Open(path)
	if err != nil {
		return "", err
	}
	return job.Do(r, "reading "+source.Path, func(ctx context.Context) (string, error) {
		return guess.Mapping(ctx, source)
	})
}

// Languages are the names of the languages, starting with the default.
var Languages = []string{promelaName, smvName}

const (
	promelaName = "promela"
	smvName     = "smv"
)

// orderSuffix is appended to the name of an SMV file for the file with the order of its variables.
const orderSuffix = ".ord"

// A Translation is a formula and a trace to write in a language.
type Translation struct {
	Language string
	Formula  string
	Trace    string
	Read     load.Options
	NoSlices bool   // refuse formulas that have no equivalent without slices
	Output   string // file, "" for standard output
}

// Translate writes a trace and a formula in the language of another model checker. It writes the
// order of variables for SMV only next to a named file. It translates everything before it creates
// a file, so that a formula without an equivalent leaves no partial file.
func Translate(r *job.Run, o Translation) error {
	// Check the language first, since reading a trace may take minutes.
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

	// There can be no file next to standard output.
	ordered := o.Language == smvName && job.IsFile(o.Output)
	// Hold both texts in memory until both are complete.
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
	// The second file is put in place first, see WriteFiles.
	case ordered:
		return r.WriteFiles("writing",
			job.File{Path: o.Output, Write: job.Text(made.main.String())},
			job.File{Path: o.Output + orderSuffix, Write: job.Text(made.order.String())})
	}
	return r.Output(o.Output, "writing", job.Text(made.main.String()))
}
