package programs

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs/program/promela"
	"github.com/pota-project/pota/rctl/crucial"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/translate/spin"
)

var (
	models = flag.String("models", "", "the folder of models")
	limit  = flag.Duration("limit", time.Minute, "the time for each run")
	pairs  = flag.Int("n", 500, "how many pairs of model and formula TestAgree compares")
	seed   = flag.Uint64("seed", 0, "the first round of TestAgree; each has its own formulas")
	from   = flag.Int("from", 0, "the first model of that round, by length")
	only   = flag.String("only", "", "the one model of the table")
	dfs    = flag.Bool("dfs", false, "run SPIN depth-first only")
)

// A model is one of the suite.
type model struct {
	name    string
	text    []byte
	program *promela.Program
}

// read reads the model of a name, and compiles it.
func read(t *testing.T, name string) *model {
	t.Helper()
	path := filepath.Join(*models, name+".pm")
	text, err := os.ReadFile(path)
	fail(t, name, err)
	parsed, err := promela.Read(path)
	fail(t, name, err)
	p, err := promela.Compile(parsed)
	fail(t, name, err)
	return &model{name, text, p}
}

// fail ends the test with an error about a model, if there is one.
func fail(t *testing.T, name string, err error) {
	t.Helper()
	if failed, ok := errors.AsType[*spin.FailedError](err); ok {
		t.Fatalf("%s: %v: %s", name, err, failed.Output)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// resolve parses a formula about the model.
func (m *model) resolve(t *testing.T, text string) *syntax.Formula {
	t.Helper()
	f, err := syntax.Parse(text)
	fail(t, m.name, err)
	scope, err := crucial.Scope(m.program)
	fail(t, m.name, err)
	f, err = syntax.Resolve(t.Context(), f, scope)
	fail(t, m.name, err)
	return f
}

// byPota decides a formula by pota, within some time.
func (m *model) byPota(t *testing.T, f *syntax.Formula, within time.Duration, opts crucial.Options) *crucial.Result {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), within)
	defer stop()
	res, err := crucial.Check(ctx, m.program, f, opts)
	fail(t, m.name+": "+f.String(), err)
	return res
}

// bySpin decides a formula by SPIN.
func (m *model) bySpin(t *testing.T, f *syntax.Formula, opts spin.ModelOptions) *spin.ModelResult {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), *limit)
	defer stop()
	res, err := spin.CheckModel(ctx, m.text, m.program.Layout(), f, opts)
	fail(t, m.name, err)
	return res
}
