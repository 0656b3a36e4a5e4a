// Package export writes traces for other uses: translated for other model checkers (Translate),
// or made by running a model (Simulate). It also lists what there is to choose from.
package export

import (
	"context"
	"slices"
	"strings"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/translate/promela"
	"github.com/pota-project/pota/translate/smv"
)

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
