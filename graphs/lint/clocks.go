package lint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/clocks"
)

// readings has the times of events, in nanoseconds.
type readings struct {
	at    []int64 // the time of each event
	known []bool
	worst int64 // the greatest step back reported so far
}

// clocks reports what the times of events reveal about clocks: steps backwards, the least bound on
// their skew, offsets and drift.
func (s *search) clocks() {
	c := s.c
	r := &readings{at: make([]int64, c.Top()+1), known: make([]bool, c.Top()+1)}
	for e := graphs.Event(1); e < c.Top(); e++ {
		at, ok, err := c.Instant(e, s.unit)
		// An unreadable time is a finding of its own; otherwise the event counts as untimed.
		var bad *graphs.TimeError
		if errors.As(err, &bad) {
			s.report("clock", []graphs.Event{e}, "%v", bad)
		}
		r.at[e], r.known[e] = at, ok
	}
	if !slices.Contains(r.known, true) {
		return
	}
	s.alongProcesses(r)
	messages := s.acrossProcesses(r)
	// An error is about unreadable times, which have been reported.
	all, err := clocks.Read(context.Background(), c, s.unit)
	if err != nil {
		return
	}
	s.leastSkew(all, r)
	drifts := s.drift(r, messages)
	s.offsets(all, r, drifts)
}

// clock returns the name of the clock that timed an event: that of its process, or the name of the
// process if the trace names no clock.
func (s *search) clock(e graphs.Event) string {
	p := s.c.Process(e)
	if name := s.c.Clock(p); name != "" {
		return graphs.Shorten(name, 60)
	}
	return s.c.Processes()[p]
}

// alongProcesses finds the greatest step back in time along each process. It skips events without a
// time: in the times 3, none, 1 the step is 2.
func (s *search) alongProcesses(r *readings) {
	c := s.c
	for p, name := range c.Processes() {
		var back []graphs.Event
		var most int64
		last := graphs.Bottom
		for k := 1; k <= c.Len(p); k++ {
			e := c.Event(p, k)
			if !r.known[e] {
				continue
			}
			if last != graphs.Bottom && r.at[e] < r.at[last] {
				back = append(back, e)
				most = max(most, r.at[last]-r.at[e])
			}
			last = e
		}
		r.worst = max(r.worst, most)
		if back != nil {
			s.report("clock", few(back), "the clock of %s runs backwards %s, by at most %s, at %s",
				name, times(len(back)), time.Duration(most), s.ids(back))
		}
	}
}

// acrossProcesses reports the edge between processes with the greatest step back in time, and
// returns all edges between timed events of different processes.
func (s *search) acrossProcesses(r *readings) (edges []graphs.Edge) {
	c := s.c
	var most int64
	var worst graphs.Edge
	count := 0
	for e := graphs.Event(1); e < c.Top(); e++ {
		for _, f := range c.Succs(e) {
			// Events that happen together are not ordered, whatever their clocks say.
			if c.Process(e) == c.Process(f) || c.SameStep(e, f) || !r.known[e] || !r.known[f] {
				continue
			}
			edges = append(edges, graphs.Edge{From: e, To: f})
			if d := r.at[e] - r.at[f]; d > 0 {
				count++
				if d > most {
					most = d
					worst = graphs.Edge{From: e, To: f}
				}
			}
		}
	}
	r.worst = max(r.worst, most)
	if count > 0 {
		s.report("clock", []graphs.Event{worst.From, worst.To}, "%d of %s between processes go backwards in time, by at most %s: %s happened before %s",
			count, graphs.Plural(len(edges), "edge"), time.Duration(most), c.ID(worst.From), c.ID(worst.To))
	}
	return edges
}

// times returns "once" or "n times".
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// leastSkew reports the least bound on the skew of clocks that does not contradict causality, if it
// results from a chain of events: single steps back have been reported already.
func (s *search) leastSkew(all *clocks.Readings, r *readings) {
	least := all.Least()
	if int64(least) <= r.worst {
		return
	}
	// The error for a bound just below names the two events.
	_, err := all.Skew(least - 1)
	var why *clocks.ContradictionError
	if errors.As(err, &why) {
		s.report("clock", []graphs.Event{why.Early, why.Late}, "no --skew below %s explains that %s happened before %s",
			least, why.IDs[0], why.IDs[1])
	}
}

const (
	maxClocks = 1000 // the most processes for which offsets, in cubic time, are computed
	maxPairs  = 100  // the most pairs of clocks that are reported
)

// offsets reports, for each pair of clocks, how far apart messages allow them to be, if constant
// offsets explain the trace. Otherwise it reports that they do not, unless drift has already, or a
// single clock runs backwards.
func (s *search) offsets(all *clocks.Readings, r *readings, drifts bool) {
	c := s.c
	// The first event with a time represents its clock.
	var first []graphs.Event
	seen := make(map[string]bool)
	for e := graphs.Event(1); e < c.Top(); e++ {
		if name := s.clock(e); r.known[e] && !seen[name] {
			seen[name] = true
			first = append(first, e)
		}
	}
	if len(first) < 2 || c.NumProcesses() > maxClocks {
		return
	}
	model, err := all.Offsets(-1)
	var no *clocks.OffsetError
	if errors.As(err, &no) && !drifts && no.Clocks[0] != no.Clocks[1] {
		s.report("drift", no.Events[:], "%v", no)
	}
	if err != nil {
		return
	}

	type pair struct {
		ahead, behind graphs.Event
		least, most   int64 // bounds on how far the clock of ahead is ahead
	}
	var pairs []pair
	for i, e := range first {
		for _, f := range first[:i] {
			// The largest difference of two events minus the difference of their readings bounds
			// the offset.
			d := r.at[f] - r.at[e]
			later, earlier := model.MaxDifference(e, f), model.MaxDifference(f, e)
			if later == clocks.Unbounded || earlier == clocks.Unbounded {
				continue
			}
			x := pair{ahead: e, behind: f, least: -earlier - d, most: later - d}
			if x.least+x.most < 0 {
				x = pair{ahead: f, behind: e, least: -x.most, most: -x.least}
			}
			pairs = append(pairs, x)
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.least, a.least) })
	for _, x := range pairs[:min(len(pairs), maxPairs)] {
		ahead, behind := s.clock(x.ahead), s.clock(x.behind)
		if x.least > 0 {
			s.report(Offset, nil, "by messages, the clock of %s is %s to %s ahead of that of %s",
				ahead, time.Duration(x.least), time.Duration(x.most), behind)
			continue
		}
		s.report(Offset, nil, "by messages, the clocks of %s and %s are at most %s apart",
			behind, ahead, time.Duration(x.most))
	}
}

// A gap bounds how far the clock of p is ahead of that of q: messages from p to q bound it from
// below, and messages back from above. It is empty if least exceeds most.
type gap struct {
	least, most int64
	from, back  graphs.Edge // the messages that determine least and most
}

// drift reports clocks that certainly gained on another, and returns whether there are any. A
// message from p to q, sent at t and received at u by their clocks, shows that the clock of p is
// then at least t-u ahead of that of q, and one from q to p that it is at most u-t ahead. The
// greatest lower and the least upper bound contradict each other only if the offset changed in
// between.
func (s *search) drift(r *readings, edges []graphs.Edge) (found bool) {
	gaps := make(map[[2]string]*gap)
	var order [][2]string
	for _, e := range edges {
		key := [2]string{s.clock(e.From), s.clock(e.To)}
		back := key[0] > key[1]
		if back {
			key[0], key[1] = key[1], key[0]
		}
		if key[0] == key[1] {
			continue
		}
		g := gaps[key]
		if g == nil {
			g = &gap{least: math.MinInt64, most: math.MaxInt64}
			gaps[key] = g
			order = append(order, key)
		}
		d := r.at[e.From] - r.at[e.To]
		switch {
		case !back && d > g.least:
			g.least = d
			g.from = e
		case back && -d < g.most:
			g.most = -d
			g.back = e
		}
	}
	for _, key := range order {
		g := gaps[key]
		if g.least <= g.most {
			continue
		}
		found = true
		// Both are events of p, so its clock says which was first.
		fast, slow := key[0], key[1]
		begin, end := g.back.To, g.from.From
		if r.at[begin] > r.at[end] {
			fast, slow = slow, fast
			begin, end = end, begin
		}
		s.report("drift", []graphs.Event{begin, end}, "the clock of %s gained at least %s on that of %s in %s, from %s to %s",
			fast, time.Duration(g.least-g.most), slow, time.Duration(r.at[end]-r.at[begin]), s.c.ID(begin), s.c.ID(end))
	}
	return found
}
