package simulate

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/pota-project/pota/graphs/record"
)

// A Model is a protocol.
type Model struct {
	Name        string
	Description string
	// MinProcesses and MaxProcesses bound the number of processes; a MaxProcesses
	// of 0 does not.
	MinProcesses, MaxProcesses int
	Faults                     []Fault
	// Skew is within what the clocks of a run agree, where properties rely on that, and else 0: then
	// events need no times.
	Skew time.Duration

	endless    bool // it has no finite state, so that there is no Program of it
	properties func(n int) []Property
	run        func(w *world) // declares processes, and begins; the agenda does the rest
}

// A Property is a formula that holds on every run without a fault.
type Property struct {
	Name, Formula string
}

// A Fault is something that a model can do wrong.
type Fault struct {
	Name        string
	Breaks      string // the property that fails on most runs with the fault
	Description string
}

// Properties returns the properties of a run with n processes.
func (m *Model) Properties(n int) []Property { return m.properties(n) }

// models are in the order of listing.
var models = []*Model{
	&peterson, &petersonN, &alternatingBit, &philosophers,
	&philosophersMP, &mutex, &primarySecondary, &giop, &atmr, &leader,
	&random, &raftModel, &leases, &twoPhaseCommit,
}

// Models returns all models.
func Models() []*Model { return slices.Clone(models) }

// Lookup returns the model of that name. The error is an *UnknownModelError.
func Lookup(name string) (*Model, error) {
	for _, m := range models {
		if m.Name == name {
			return m, nil
		}
	}
	return nil, &UnknownModelError{Name: name}
}

// A Config says what to run. The run is a function of it.
type Config struct {
	Model     string
	Processes int
	Events    int // about how many the run has
	Seed      uint64
	Fault     string // none for ""
	Rounds    int    // how often each process begins its work; 0 is as often as Events allow
}

// Run runs a model and writes the trace, in the native format. Errors are *UnknownModelError,
// *UnknownFaultError, *SizeError, an error of out, and ctx.Err(): then the trace is a run that was
// cut off.
func Run(ctx context.Context, out io.Writer, cfg Config) error {
	if _, err := modelFor(cfg); err != nil {
		return err
	}
	r := record.New(out)
	err := Record(ctx, r, cfg)
	if closing := r.Close(); closing != nil && (err == nil || err == ctx.Err()) {
		return closing
	}
	return err
}

// Record is Run with a recorder of the caller's, who closes it and so learns of
// errors of writing.
func Record(ctx context.Context, r *record.Recorder, cfg Config) error {
	m, err := modelFor(cfg)
	if err != nil {
		return err
	}
	w := &world{Rand: rand.New(rand.NewPCG(cfg.Seed, 0)), config: cfg, recorder: r, ctx: ctx}
	m.run(w)
	w.run()
	return ctx.Err()
}

// modelFor returns the model that can run cfg.
func modelFor(cfg Config) (*Model, error) {
	m, err := Lookup(cfg.Model)
	if err != nil {
		return nil, err
	}
	return m, m.Check(cfg)
}

// Check refuses what m cannot run. Errors are *UnknownFaultError and *SizeError.
func (m *Model) Check(cfg Config) error {
	n := cfg.Processes
	if n < m.MinProcesses || m.MaxProcesses > 0 && n > m.MaxProcesses || cfg.Events < 0 {
		return &SizeError{Model: m, Config: cfg}
	}
	is := func(f Fault) bool { return f.Name == cfg.Fault }
	if cfg.Fault != "" && !slices.ContainsFunc(m.Faults, is) {
		return &UnknownFaultError{Model: m, Name: cfg.Fault}
	}
	return nil
}

// name is the name of the i-th of a kind of processes or variables.
func name(kind string, i int) string { return fmt.Sprintf("%s%d", kind, i) }
