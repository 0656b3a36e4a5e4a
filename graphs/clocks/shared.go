package clocks

import (
	"context"
	"errors"
	"time"

	"github.com/pota-project/pota/graphs"
)

// A Sharing says what became of the clocks that several processes share.
type Sharing struct {
	Clocks       int      // that order events
	Contradicted []string // by the trace, so that they order nothing
}

// Shared returns c with what shared clocks order: of two events of processes that read one clock
// (see graphs.Computation.Clock), the one with the earlier reading happened first. Clocks that contradict
// the trace are left out. Errors are those of Read but ErrNoTimes, and those of Model.Ordered.
//
// The time complexity of Shared is O(|V| log |V|+|edges|), where no two clocks contradict each other.
func Shared(ctx context.Context, c *graphs.Computation) (*graphs.Computation, Sharing, error) {
	var sharing Sharing
	groups, names := sharedClocks(c)
	if len(groups) == 0 {
		return c, sharing, nil
	}
	r, err := Read(ctx, c, time.Second)
	if errors.Is(err, ErrNoTimes) {
		return c, sharing, nil
	}
	if err != nil {
		return nil, sharing, err
	}
	of := make([]int, c.NumProcesses()) // the group of each process, from 1
	for g, processes := range groups {
		for _, p := range processes {
			of[p] = g + 1
		}
	}
	all := make([]readingsOf, len(groups))
	for g := range all {
		all[g].processes = groups[g]
	}
	for _, e := range r.leaving {
		if g := of[c.Process(e.event)]; g > 0 {
			all[g-1].leaving = append(all[g-1].leaving, e)
		}
	}
	for _, f := range r.arriving {
		if g := of[c.Process(f.event)]; g > 0 {
			all[g-1].arriving = append(all[g-1].arriving, f)
		}
	}

	d, err := r.share(ctx, all)
	var cycle *graphs.CycleError
	if !errors.As(err, &cycle) {
		sharing.Clocks = len(all)
		return d, sharing, err
	}
	var good []readingsOf
	for g := range all {
		if _, err := r.share(ctx, all[g:g+1]); errors.As(err, &cycle) {
			sharing.Contradicted = append(sharing.Contradicted, names[g])
			continue
		}
		good = append(good, all[g])
	}
	if d, err = r.share(ctx, good); !errors.As(err, &cycle) {
		sharing.Clocks = len(good)
		return d, sharing, err
	}
	sharing.Contradicted = names // together, if not one by one
	return c, sharing, nil
}

// sharedClocks returns the processes of each clock that several read, and the names of the clocks.
func sharedClocks(c *graphs.Computation) (groups [][]int, names []string) {
	numbers := make(map[string]int)
	var all [][]int
	var texts []string
	for p := range c.NumProcesses() {
		name := c.Clock(p)
		if name == "" {
			continue
		}
		n, ok := numbers[name]
		if !ok {
			n = len(all)
			numbers[name] = n
			all = append(all, nil)
			texts = append(texts, name)
		}
		all[n] = append(all[n], p)
	}
	for n, processes := range all {
		if len(processes) > 1 {
			groups = append(groups, processes)
			names = append(names, texts[n])
		}
	}
	return groups, names
}

// readingsOf are the readings of some processes. They are compared with each other alone.
type readingsOf struct {
	processes         []int
	leaving, arriving []moment // see Readings
}

// share returns the computation with what groups of processes with one clock order.
func (r *Readings) share(ctx context.Context, groups []readingsOf) (*graphs.Computation, error) {
	number := make([]int32, r.c.NumProcesses())
	for _, g := range groups {
		for n, p := range g.processes {
			number[p] = int32(n)
		}
	}
	return ordered(r.c, func(add func(e, f graphs.Event)) error {
		for _, g := range groups {
			if err := r.edges(ctx, g, number, 0, add); err != nil {
				return err
			}
		}
		return nil
	})
}
