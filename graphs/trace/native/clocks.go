package native

import (
	"fmt"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace/internal/clock"
)

// clocks checks the entries of vector clocks and collects those for other
// processes.
type clocks struct {
	clock.Clocks
	unknown map[int32]graphs.Handle // symbols of processes not known when first named, and where
}

// entry adds entry q = count to the clock of event h of process p; p and q are
// symbols.
func (c *clocks) entry(b *graphs.Builder, all *processes, h graphs.Handle, p, q int32, count int64) string {
	position := int32(b.PositionOf(h))
	if all.numbers[q] < 0 {
		if _, ok := c.unknown[q]; !ok {
			c.unknown[q] = h
		}
	}
	if p == q {
		if count != int64(position) {
			return fmt.Sprintf("the clock of event %d of process %q has %d as its own entry", position, all.symbols.At(p), count)
		}
		return ""
	}
	if count > mostEvents {
		return fmt.Sprintf("the clock is ahead: process %q has no event %d", all.symbols.At(q), count)
	}
	if previous := c.Add(h, p, position, q, int32(count)); int32(count) < previous {
		return fmt.Sprintf("the clock of process %q runs backwards: its entry for %q was %d and is now %d", all.symbols.At(p), all.symbols.At(q), previous, count)
	}
	return ""
}

// resolve adds the edges that the clocks imply to the Builder.
func (c *clocks) resolve(r *resolver) {
	for q, h := range c.unknown {
		if r.processes.numbers[q] < 0 {
			name := r.processes.symbols.At(q)
			r.refuse(r.places.of(h), named(opClock, name), "the clock has an entry for an unknown process %q%s", name, r.lost)
		}
	}
	c.All(func(h graphs.Handle, q, count int32) {
		p := r.processes.numbers[q]
		if p >= 0 && int(count) > r.builder.Count(int(p)) {
			name := r.processes.symbols.At(q)
			r.refuse(r.places.of(h), named(opClock, name), "the clock is ahead: process %q has %s, not %d%s", name, graphs.Plural(r.builder.Count(int(p)), "event"), count, r.lost)
		}
	})
	if r.fault != nil {
		return
	}
	c.Edges(func(h graphs.Handle, q, count int32) {
		r.builder.Order(r.at(r.processes.numbers[q], count), h)
	})
}
