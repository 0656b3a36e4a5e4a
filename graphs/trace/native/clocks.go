package native

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/admission"
	"github.com/pota-project/pota/graphs/trace/internal/clock"
)

// clocks checks the entries of vector clocks and collects those for other
// processes.
type clocks struct {
	clock.Clocks
	// One event for each name suffices, because only one error is reported.
	unknown map[int32]graphs.Handle // by symbol: the first event to name a process without a line
}

// entry adds the entry count for process q to the clock of event h of process p; p and q are
// symbols.
func (c *clocks) entry(a *assembler, h graphs.Handle, p, q int32, count int64) error {
	position, all := int32(a.builder.PositionOf(h)), &a.processes

	// A line of the process may come later; resolve checks again.
	if all.numbers[q] < 0 {
		if _, ok := c.unknown[q]; !ok {
			c.unknown[q] = h
		}
	}
	// The entry of an event for its own process must be its position: otherwise clocks of other
	// processes would refer to the wrong event.
	if p == q {
		if count != int64(position) {
			return admission.WrongOwnEntry.Broken(position, all.symbols.At(p), count)
		}
		return nil
	}
	// Counts are stored in 32 bits.
	if count > maxEvents {
		return admission.TooManyEvents.Broken(all.symbols.At(q), count)
	}
	if previous := c.Add(h, p, position, q, int32(count)); int32(count) < previous {
		return admission.Backwards.Broken(all.symbols.At(p), all.symbols.At(q), previous, count)
	}
	return nil
}

// resolve adds the edges that the clocks imply to the Builder.
func (c *clocks) resolve(r *resolver) {
	// Only the first fault in the trace is reported, so the order of the map does not matter.
	for q, h := range c.unknown {
		if r.processes.numbers[q] < 0 {
			name := r.processes.symbols.At(q)
			r.refuseEvent(h, opClock, name, admission.UnknownProcess.Broken(name, r.why))
		}
	}
	c.All(func(h graphs.Handle, q, count int32) {
		if p := r.processes.numbers[q]; p >= 0 {
			name := r.processes.symbols.At(q)
			err := admission.Ahead(name, r.builder.Count(int(p)), int64(count), r.why)
			if err != nil {
				r.refuseEvent(h, opClock, name, err)
			}
		}
	})
	// After a fault, edges might refer to events that do not exist.
	if r.fault != nil {
		return
	}

	c.Edges(func(h graphs.Handle, q, count int32) {
		r.builder.Order(r.at(r.processes.numbers[q], count), h)
	})
}
