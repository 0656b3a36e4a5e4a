package trace

import (
	"fmt"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace/internal/clock"
)

// clocks checks the entries of vector clocks and collects those for other
// processes.
type clocks struct {
	clock.Clocks
}

// entry adds entry q = count to the clock of event h of process p; p and q are
// symbols.
func (c *clocks) entry(b *graphs.Builder, all *processes, h graphs.Handle, p, q int32, count int64) string {
	position := int32(b.PositionOf(h))
	if p == q {
		if count != int64(position) {
			return fmt.Sprintf("the clock of event %d of process %q has %d as its own entry", position, all.symbols.at(p), count)
		}
		return ""
	}
	if count > mostEvents {
		return fmt.Sprintf("the clock is ahead: process %q has no event %d", all.symbols.at(q), count)
	}
	if previous := c.Add(h, p, position, q, int32(count)); int32(count) < previous {
		return fmt.Sprintf("the clock of process %q runs backwards: its entry for %q was %d and is now %d", all.symbols.at(p), all.symbols.at(q), previous, count)
	}
	return ""
}

// resolve adds the edges that the clocks imply to the Builder.
func (c *clocks) resolve(r *resolver) {
	c.All(func(h graphs.Handle, q, count int32) {
		name := r.processes.symbols.at(q)
		switch p := r.processes.numbers[q]; {
		case p < 0:
			r.refuse(r.places.of(h), named(opClock, name), "the clock has an entry for an unknown process %q", name)
		case int(count) > r.builder.Count(int(p)):
			r.refuse(r.places.of(h), named(opClock, name), "the clock is ahead: process %q has %d events, not %d", name, r.builder.Count(int(p)), count)
		}
	})
	if r.fault != nil {
		return
	}
	c.Edges(func(h graphs.Handle, q, count int32) {
		r.builder.Order(r.at(r.processes.numbers[q], count), h)
	})
}
