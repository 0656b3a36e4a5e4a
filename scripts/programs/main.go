// Programs compares pota check with SPIN on the models of the BEEM suite.
//
//	go run ./scripts/programs [-limit 60s] table MODELS    Table 1 of Kashyap and Garg, anew
//	go run ./scripts/programs [-n 500] agree MODELS        whether verdicts agree; -seed and -from go on
//
// MODELS is a folder of models. Seconds are of the processor, of all programs that are
// run, compilers included. States are those stored. Steps of a trail are those of
// processes; those of a claim are not counted.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/pota-project/pota/graphs/program/promela"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/crucial"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/translate/spin"
)

var (
	limit = flag.Duration("limit", time.Minute, "the time for each run")
	pairs = flag.Int("n", 500, "how many pairs of model and formula agree compares")
	seed  = flag.Uint64("seed", 0, "the first round of agree, each of which has its own formulas")
	from  = flag.Int("from", 0, "the first model of that round, by length")
	only  = flag.String("only", "", "the one model of the table")
	dfs   = flag.Bool("dfs", false, "run SPIN depth-first only")
)

func main() {
	flag.Parse()
	var err error
	switch flag.Arg(0) {
	case "table":
		err = table(flag.Arg(1))
	case "agree":
		err = agree(flag.Arg(1), *pairs)
	default:
		err = fmt.Errorf("name table or agree, and a folder of models")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "programs:", err)
		os.Exit(1)
	}
}

// A model is one of the suite.
type model struct {
	name    string
	text    []byte
	program *promela.Program
}

func read(dir, name string) (*model, error) {
	path := filepath.Join(dir, name+".pm")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	parsed, err := promela.Read(path)
	if err != nil {
		return nil, err
	}
	p, err := promela.Compile(parsed)
	return &model{name, text, p}, err
}

func (m *model) resolve(text string) (*syntax.Formula, error) {
	f, err := syntax.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", m.name, text, err)
	}
	scope, err := crucial.Scope(m.program)
	if err != nil {
		return nil, err
	}
	return syntax.Resolve(context.Background(), f, scope)
}

// A run is the answer of a checker, with its cost.
type run struct {
	verdict rctl.Verdict
	states  int64
	steps   int // -1 where there is no trail
	seconds float64
}

func (r run) String() string {
	if r.verdict == rctl.Unknown {
		return fmt.Sprintf("%.2f | – | –", r.seconds)
	}
	states := "–"
	if r.states > 0 {
		states = fmt.Sprint(r.states)
	}
	return fmt.Sprintf("%.2f | %s | %s", r.seconds, states, steps(r.steps))
}

func steps(n int) string {
	if n < 0 {
		return "–"
	}
	return fmt.Sprint(n)
}

// byPota reads and checks a model.
func byPota(dir, name, text string) (run, error) {
	// Reading and compiling count, as SPIN's figures include its compiler.
	begun := spent()
	m, err := read(dir, name)
	if err != nil {
		return run{}, err
	}
	f, err := m.resolve(text)
	if err != nil {
		return run{}, err
	}
	ctx, stop := context.WithTimeout(context.Background(), *limit)
	defer stop()
	res, err := crucial.Check(ctx, m.program, f, crucial.Options{Trail: true, MaxMemory: 4 << 30})
	if err != nil {
		return run{}, fmt.Errorf("%s: %w", name, err)
	}
	// -1 until a trail is found.
	r := run{res.Verdict, int64(res.States), -1, spent() - begun}
	for _, t := range res.Trails {
		if line, ok := t.Linear(); ok {
			r.steps = len(line.Steps)
		}
	}
	return r, nil
}

func bySpin(m *model, text string, opts spin.ModelOptions) (run, error) {
	f, err := m.resolve(text)
	if err != nil {
		return run{}, err
	}
	begun := spent()
	ctx, stop := context.WithTimeout(context.Background(), *limit)
	defer stop()
	opts.MaxMemory = 6 << 30
	all, err := spin.CheckModel(ctx, m.text, m.program.Layout(), []*syntax.Formula{f}, opts)
	if err != nil {
		return run{}, fmt.Errorf("%s: %w", m.name, err)
	}
	r := run{all[0].Verdict, all[0].States, -1, spent() - begun}
	if all[0].Steps > 0 {
		r.steps = all[0].Steps
	}
	return r, nil
}

// spent returns the seconds of the processor that this program and those it ran took.
func spent() float64 {
	total := 0.0
	// Children are the compiler and the verifier that SPIN generates.
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err == nil {
			total += time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
		}
	}
	return total
}
