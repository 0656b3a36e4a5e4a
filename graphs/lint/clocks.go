package lint

import (
	"errors"
	"time"

	"github.com/pota-project/pota/graphs"
)

// clocks reports times that run backwards: along a process, and from one process to
// another, where the greatest difference tells how far clocks are apart at least.
func (s *search) clocks() {
	c := s.c
	// Indexed by event; nanoseconds since a common origin.
	instants := make([]int64, c.Top()+1)
	known := make([]bool, c.Top()+1)
	any := false
	for e := graphs.Event(1); e < c.Top(); e++ {
		at, ok, err := c.Instant(e, s.opts.TimeUnit)
		// A time that cannot be read is a finding of its own, and else like none.
		var bad *graphs.TimeError
		if errors.As(err, &bad) {
			s.report("clock", []graphs.Event{e}, "%v", bad)
		}
		instants[e], known[e] = at, ok
		any = any || ok
	}
	if !any {
		return
	}
	s.alongProcesses(instants, known)
	s.acrossProcesses(instants, known)
}

// alongProcesses finds the greatest step back in time along each process.
func (s *search) alongProcesses(instants []int64, known []bool) {
	c := s.c
	for p, name := range c.Processes() {
		var back []graphs.Event
		var most int64
		last := graphs.Bottom
		for k := 1; k <= c.Len(p); k++ {
			e := c.Event(p, k)
			if !known[e] {
				continue
			}
			if last != graphs.Bottom && instants[e] < instants[last] {
				back = append(back, e)
				most = max(most, instants[last]-instants[e])
			}
			last = e
		}
		if back != nil {
			s.report("clock", few(back), "the clock of %s runs backwards %s, by at most %s, at %s",
				name, times(len(back)), time.Duration(most), s.ids(back))
		}
	}
}

// acrossProcesses finds the edge between processes with the greatest step back in time.
func (s *search) acrossProcesses(instants []int64, known []bool) {
	c := s.c
	var most int64
	var from, to graphs.Event
	count, edges := 0, 0
	for e := graphs.Event(1); e < c.Top(); e++ {
		// Direct successors suffice: time that runs backwards along a path does so along one of
		// its edges, if all events have times.
		for _, f := range c.Succs(e) {
			// Events that happen together are not ordered, whatever their clocks say.
			if c.Process(e) == c.Process(f) || c.SameStep(e, f) || !known[e] || !known[f] {
				continue
			}
			edges++
			if d := instants[e] - instants[f]; d > 0 {
				count++
				if d > most {
					most = d
					from = e
					to = f
				}
			}
		}
	}
	if count > 0 {
		s.report("clock", []graphs.Event{from, to},
			"%d of %s between processes go backwards in time; clocks are at least %s apart: %s happened before %s", count, graphs.Plural(edges, "edge"), time.Duration(most), c.ID(from), c.ID(to))
	}
}
