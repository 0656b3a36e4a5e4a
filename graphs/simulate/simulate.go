package simulate

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/pota-project/pota/graphs/nearmiss"
	"github.com/pota-project/pota/graphs/record"
)

// A Model is a protocol that can be simulated.
type Model struct {
	Name        string
	Description string
	// MinProcesses and MaxProcesses bound the number of processes; a MaxProcesses of 0 means no
	// upper bound.
	MinProcesses, MaxProcesses int
	Faults                     []Fault
	// Skew bounds the skew of the clocks of a run, if properties depend on times. Otherwise it is 0, and
	// events need no times.
	Skew time.Duration

	endless    bool       // whether its state is unbounded, so that there is no Program of it
	properties []Property // properties for any number of processes
	// propertiesOf returns properties that depend on the number of processes. A model has one of the two.
	propertiesOf func(n int) []Property
	run          func(w *world) // declares processes and fills the agenda, which does the rest
}

// A Property is a formula that holds on every run without a fault.
type Property struct {
	Name, Formula string
}

// A Fault is a mistake that a model can make.
type Fault struct {
	Name        string
	Breaks      string // the property that fails on most runs with the fault
	Description string
}

// Properties returns the properties of a run with n processes.
func (m *Model) Properties(n int) []Property {
	if m.propertiesOf != nil {
		return m.propertiesOf(n)
	}
	return slices.Clone(m.properties)
}

// models are all models, in the order in which they are listed.
var models = []*Model{
	&peterson, &petersonN, &alternatingBit, &philosophers,
	&philosophersMP, &mutex, &primarySecondary, &giop, &atmr, &leader,
	&random, &raftModel, &leases, &twoPhaseCommit,
}

// Models returns all models.
func Models() []*Model { return slices.Clone(models) }

// Lookup returns the model with a name. The error names the most similar one, or all.
func Lookup(name string) (*Model, error) {
	var names []string
	for _, m := range models {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return nil, fmt.Errorf("there is no model %q%s", name, nearmiss.HintOrList(name, names))
}

// A Config determines a run.
type Config struct {
	Model     string
	Processes int
	Events    int // about how many events the run has
	Seed      uint64
	Fault     string // "" means no fault
	Rounds    int    // how often each process begins its work; 0 means as often as Events allows
}

// Run runs a model and writes the trace in the native format. Errors are those of Lookup and Check, an
// error of out, and ctx.Err(), in which case the trace is a prefix of the run.
func Run(ctx context.Context, out io.Writer, cfg Config) error {
	if _, err := modelFor(cfg); err != nil {
		return err
	}
	r := record.New(out)
	err := Record(ctx, r, cfg)
	return cmp.Or(r.Close(), err)
}

// Record is Run with a recorder of the caller, who must close it, and so gets
// write errors.
func Record(ctx context.Context, r *record.Recorder, cfg Config) error {
	m, err := modelFor(cfg)
	if err != nil {
		return err
	}
	w := &world{Rand: rand.New(rand.NewPCG(cfg.Seed, 0)), config: cfg, recorder: r, ctx: ctx}
	m.run(w)
	w.settle()
	w.stopped = true
	// Threads that wait for something that will not happen are ended.
	for _, stop := range w.stops {
		stop()
	}
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

// Check returns an error if m cannot run cfg: for an unknown fault, or a number of processes or events out of bounds.
func (m *Model) Check(cfg Config) error {
	switch n := cfg.Processes; {
	case n < m.MinProcesses && m.MaxProcesses != m.MinProcesses:
		return fmt.Errorf("%s must have at least %d processes, not %d", m.Name, m.MinProcesses, n)
	case m.MaxProcesses > 0 && (n < m.MinProcesses || n > m.MaxProcesses):
		return fmt.Errorf("%s must have %d processes, not %d", m.Name, m.MaxProcesses, n)
	case cfg.Events < 0:
		return fmt.Errorf("the number of events must be at least 0, not %d", cfg.Events)
	case cfg.Fault == "":
		return nil
	}
	var names []string
	for _, f := range m.Faults {
		if f.Name == cfg.Fault {
			return nil
		}
		names = append(names, f.Name)
	}
	return fmt.Errorf("%s has no fault %q%s", m.Name, cfg.Fault, nearmiss.HintOrList(cfg.Fault, names))
}

// name returns the name of the i-th process or variable of a kind.
func name(kind string, i int) string { return fmt.Sprintf("%s%d", kind, i) }
