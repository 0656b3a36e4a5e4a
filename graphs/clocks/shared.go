package clocks

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pota-project/pota/graphs"
)

// A Sharing says what became of the clocks that several processes share.
type Sharing struct {
	Clocks       int      // that order events
	Contradicted []string // by the trace, so that they order nothing
}

// errContradicted says that clocks contradict the trace, or each other.
var errContradicted = errors.New("clocks contradict the trace")

// A clock is what several processes read.
type clock struct {
	name              string
	processes         []int
	leaving, arriving []moment // of its processes; see Readings
}

// Shared returns c with what shared clocks order: of two events of processes that read one clock
// (see graphs.Computation.Clock), the one with the earlier reading happened first. Clocks that contradict
// the trace are left out. One does so if it orders events both ways, or events that happen together.
// Errors are those of Read but ErrNoTimes, and those of Model.Ordered.
//
// The time complexity of Shared is O(|V| log |V|+|edges|), where no two clocks contradict each other.
func Shared(ctx context.Context, c *graphs.Computation) (*graphs.Computation, Sharing, error) {
	all := sharedClocks(c)
	if len(all) == 0 {
		return c, Sharing{}, nil
	}
	r, err := Read(ctx, c, time.Second)
	if errors.Is(err, ErrNoTimes) {
		return c, Sharing{}, nil
	}
	if err != nil {
		return nil, Sharing{}, err
	}
	r.deal(all)

	good, bad := all, []string(nil)
	d, err := r.share(ctx, all)
	if errors.Is(err, errContradicted) {
		good = nil
		for _, k := range all {
			if _, err := r.share(ctx, []clock{k}); errors.Is(err, errContradicted) {
				bad = append(bad, k.name)
			} else {
				good = append(good, k)
			}
		}
		d, err = r.share(ctx, good)
	}
	if !errors.Is(err, errContradicted) {
		return d, Sharing{len(good), bad}, err
	}
	// They contradict each other together, if not one by one.
	bad = nil
	for _, k := range all {
		bad = append(bad, k.name)
	}
	return c, Sharing{Contradicted: bad}, nil
}

// sharedClocks returns the clocks that several processes read, in the order of their first ones.
func sharedClocks(c *graphs.Computation) []clock {
	numbers := make(map[string]int)
	var all []clock
	for p := range c.NumProcesses() {
		name := c.Clock(p)
		if name == "" {
			continue
		}
		n, ok := numbers[name]
		if !ok {
			n = len(all)
			numbers[name] = n
			all = append(all, clock{name: name})
		}
		all[n].processes = append(all[n].processes, p)
	}
	return slices.DeleteFunc(all, func(k clock) bool { return len(k.processes) == 1 })
}

// deal gives each clock the moments of its processes.
func (r *Readings) deal(all []clock) {
	of := make([]*clock, r.c.NumProcesses())
	for n := range all {
		for _, p := range all[n].processes {
			of[p] = &all[n]
		}
	}
	for _, e := range r.leaving {
		if k := of[r.c.Process(e.event)]; k != nil {
			k.leaving = append(k.leaving, e)
		}
	}
	for _, f := range r.arriving {
		if k := of[r.c.Process(f.event)]; k != nil {
			k.arriving = append(k.arriving, f)
		}
	}
}

// share returns the computation with what clocks order. The error is errContradicted, or one of
// Model.Ordered.
func (r *Readings) share(ctx context.Context, all []clock) (*graphs.Computation, error) {
	number := make([]int32, r.c.NumProcesses())
	for _, k := range all {
		for n, p := range k.processes {
			number[p] = int32(n)
		}
	}
	edges := func(add func(e, f graphs.Event)) error {
		for _, k := range all {
			if err := r.edges(ctx, k, number, 0, add); err != nil {
				return err
			}
		}
		return nil
	}
	d, err := ordered(r.c, edges)
	var cycle *graphs.CycleError
	if errors.As(err, &cycle) {
		return nil, errContradicted
	}
	if err != nil || len(r.c.Syncs()) == 0 {
		return d, err
	}
	// Syncs let edges close a cycle, which makes a meta-event, but its events have one time.
	causal, together := d.WithoutEdges(), false
	err = edges(func(e, f graphs.Event) { together = together || causal.SameStep(e, f) })
	if together {
		return nil, errContradicted
	}
	return d, err
}
