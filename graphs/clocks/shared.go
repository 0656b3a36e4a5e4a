package clocks

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pota-project/pota/graphs"
)

// A Sharing says how the clocks that several processes share were used.
type Sharing struct {
	Clocks       int      // how many clocks order events
	Contradicted []string // the clocks that contradict the trace, and so order nothing
}

// errContradicted reports that clocks contradict the trace, or each other.
var errContradicted = errors.New("clocks contradict the trace")

// Shared returns c with the order of shared clocks: of two events of processes that read one clock
// (see graphs.Computation.Clock), the one with the earlier reading happened first. It ignores
// clocks that contradict the trace, by ordering two events against it, or events that happen
// together. Errors are those of Read except ErrNoTimes, and those of Model.Ordered.
//
// The time complexity of Shared is O(|V| log |V|+|edges|) if no clock contradicts the trace or
// another clock; otherwise it is at most that once more for each clock.
func Shared(ctx context.Context, c *graphs.Computation) (*graphs.Computation, Sharing, error) {
	names, groups := sharedClocks(c)
	if len(names) == 0 {
		return c, Sharing{}, nil
	}
	r, err := Read(ctx, c, time.Second)
	if errors.Is(err, ErrNoTimes) {
		return c, Sharing{}, nil
	}
	if err != nil {
		return nil, Sharing{}, err
	}
	all := make([]clock, len(names))
	for n, name := range names {
		all[n] = r.clock(name, groups[n])
	}

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
	// Each of them agrees with the trace, but they contradict each other.
	return c, Sharing{Contradicted: names}, nil
}

// sharedClocks returns the clocks that several processes read, ordered by their first processes,
// and the processes of each.
func sharedClocks(c *graphs.Computation) (names []string, groups [][]int) {
	all := make(map[string][]int)
	for p := range c.NumProcesses() {
		name := c.Clock(p)
		all[name] = append(all[name], p)
		if name != "" && len(all[name]) == 2 {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return all[a][0] - all[b][0] })
	for _, name := range names {
		groups = append(groups, all[name])
	}
	return names, groups
}

// share returns the computation with the order of clocks. The error is errContradicted, or one of
// Model.Ordered.
func (r *Readings) share(ctx context.Context, all []clock) (*graphs.Computation, error) {
	d, err := r.order(ctx, all, 0)
	var cycle *graphs.CycleError
	if errors.As(err, &cycle) {
		return nil, errContradicted
	}
	if err != nil || len(r.c.Syncs()) == 0 {
		return d, err
	}
	// With syncs, edges may close a cycle and so form a meta-event, although an edge orders events
	// of different times.
	causal := d.WithoutEdges()
	for edge := range r.edges(ctx, all, 0) {
		if causal.SameStep(edge.From, edge.To) {
			return nil, errContradicted
		}
	}
	return d, ctx.Err()
}
