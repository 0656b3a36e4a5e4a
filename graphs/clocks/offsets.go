package clocks

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pota-project/pota/graphs"
)

// offsets is the offset model; see Offsets in the package documentation.
type offsets struct {
	r     *Readings
	bound int64     // Unbounded if none was given
	clock []int32   // the number of the clock of each process
	most  [][]int64 // most[p][q] is D(p,q), the largest difference of the offsets of clocks p and q
}

// A cause is the reason for a bound on the offsets of two clocks: from happened before to. The zero
// cause stands for the bound of the user.
type cause struct{ from, to graphs.Event }

// Offsets returns the offset model with a bound on the difference of two offsets. A negative bound
// means no bound. The error is an *OffsetError.
//
// The time complexity of Offsets is O(|V|+|edges|+n³) for n clocks if all events have a time. An
// event without one costs up to n more, as it keeps the latest reading of each clock that reaches
// it through other such events.
func (r *Readings) Offsets(bound time.Duration) (Model, error) {
	m := &offsets{r: r, bound: int64(bound), clock: make([]int32, r.c.NumProcesses())}
	if bound < 0 {
		m.bound = Unbounded
	}
	numbers := make(map[string]int32)
	n := int32(0)
	for p := range m.clock {
		name := r.c.Clock(p)
		number, shared := numbers[name]
		if name == "" || !shared {
			number = n
			numbers[name] = number
			n++
		}
		m.clock[p] = number
	}

	m.most = make([][]int64, n)
	why := make([][]cause, n)
	for p := range m.most {
		m.most[p] = slices.Repeat([]int64{m.bound}, int(n))
		m.most[p][p] = 0
		why[p] = make([]cause, n)
	}
	m.relate(why)
	return m, m.shortest(why)
}

// of returns the clock of an event.
func (m *offsets) of(e graphs.Event) int32 { return m.clock[m.r.c.Process(e)] }

// relate bounds offsets by pairs of events with readings, one of which happened before the other,
// with no reading in between. The bounds of other such pairs follow from these.
func (m *offsets) relate(why [][]cause) {
	c, at := m.r.causal, m.r.at
	// For each event without a reading, the latest event of each clock that reaches it only through
	// events without one.
	reaching := make(map[graphs.Event][]graphs.Event)
	var causes []graphs.Event
	add := func(e graphs.Event) {
		if at[e] >= 0 {
			causes = append(causes, e)
		} else {
			causes = append(causes, reaching[e]...)
		}
	}
	for step := range c.Steps() {
		causes = causes[:0] // the causes of the step; of several events, each may cause others
		for _, f := range step {
			if c.Process(f-1) == c.Process(f) {
				add(f - 1)
			}
			for _, e := range c.Preds(f) {
				add(e)
			}
		}
		for _, f := range step {
			if at[f] < 0 {
				reaching[f] = m.latest(causes)
				continue
			}
			for _, e := range causes {
				p, q := m.of(e), m.of(f)
				if d := at[f] - at[e]; d < m.most[p][q] {
					m.most[p][q] = d
					why[p][q] = cause{e, f}
				}
			}
		}
	}
}

// latest returns the latest of the given events for each clock.
func (m *offsets) latest(events []graphs.Event) []graphs.Event {
	last := make(map[int32]graphs.Event)
	for _, e := range events {
		if f, ok := last[m.of(e)]; !ok || m.r.at[e] > m.r.at[f] {
			last[m.of(e)] = e
		}
	}
	return slices.Sorted(maps.Values(last))
}

// shortest computes D from the bounds by the Floyd–Warshall algorithm. It returns an *OffsetError
// for a negative cycle.
func (m *offsets) shortest(why [][]cause) error {
	for via := range m.most {
		last := m.most[via]
		for p, row := range m.most {
			first := row[via]
			if first == Unbounded {
				continue
			}
			for q, d := range last {
				if d != Unbounded && first+d < row[q] {
					row[q] = first + d
					why[p][q] = why[p][via]
					if p == q && row[q] < 0 {
						return m.contradiction(why, p, via)
					}
				}
			}
		}
	}
	return nil
}

// An OffsetError reports that no constant offsets of clocks explain a trace.
type OffsetError struct {
	Clocks [2]string // the same one twice if a clock runs backwards
	// Two events, the first of which happened before the second, that bound an offset of the
	// contradiction; ⊥ if it is the bound of the user.
	Events [2]graphs.Event
	IDs    [2]string
	Bound  time.Duration // the bound of the user, negative if there is none
}

// Error names the clocks, and the two events if there are any.
func (e *OffsetError) Error() string {
	text := fmt.Sprintf("no constant offset of the clock of %s to that of %s explains the trace", e.Clocks[0], e.Clocks[1])
	if e.Clocks[0] == e.Clocks[1] {
		text = fmt.Sprintf("the clock of %s runs backwards", e.Clocks[0])
	}
	if e.Events[0] != graphs.Bottom {
		text += fmt.Sprintf(": %s happened before %s", e.IDs[0], e.IDs[1])
	}
	if e.Bound >= 0 {
		text += fmt.Sprintf(" (offsets are at most %s apart)", e.Bound)
	}
	return text
}

// contradiction returns the error for a negative cycle through two clocks.
func (m *offsets) contradiction(why [][]cause, p, q int) error {
	// The bound of the user names no events; the way back may.
	if why[p][q] == (cause{}) {
		p, q = q, p
	}
	err := &OffsetError{Bound: time.Duration(m.bound)}
	if m.bound == Unbounded {
		err.Bound = -1
	}
	for i, clock := range []int{p, q} {
		process := slices.Index(m.clock, int32(clock))
		err.Clocks[i] = m.r.c.Processes()[process]
	}
	at := why[p][q]
	err.Events = [2]graphs.Event{at.from, at.to}
	for i, e := range err.Events {
		err.IDs[i] = m.r.c.ID(e)
	}
	return err
}

// String implements Model.
func (m *offsets) String() string {
	if m.bound == Unbounded {
		return "clocks differ by constant offsets"
	}
	return fmt.Sprintf("clocks differ by constant offsets of at most %s", time.Duration(m.bound))
}

// AllowsEachRun implements Model.
func (m *offsets) AllowsEachRun() bool { return false }

// Earliest implements Model: no clock is known to be right.
func (m *offsets) Earliest(graphs.Event) int64 { return -Unbounded }

// Latest implements Model.
func (m *offsets) Latest(graphs.Event) int64 { return Unbounded }

// MaxDifference implements Model. It takes O(1) time. Events without a reading are not bounded.
func (m *offsets) MaxDifference(e, f graphs.Event) int64 {
	at := m.r.at
	if at[e] < 0 || at[f] < 0 {
		return Unbounded
	}
	d := m.most[m.of(f)][m.of(e)]
	if d == Unbounded {
		return Unbounded
	}
	return at[f] - at[e] + d
}

// Ordered implements Model.
//
// The time complexity of Ordered is O(n·|V|+|edges|) for n processes, including the edges that it
// adds, at most n·|V|.
func (m *offsets) Ordered(ctx context.Context) (*graphs.Computation, error) {
	var edges []graphs.Edge // kept, because finding them twice would take longer
	for q := range m.clock {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if edges = m.edgesTo(q, edges); len(edges) > graphs.MaxAdded {
			break
		}
	}
	return m.r.c.Ordered(slices.Values(edges))
}

// edgesTo appends the edges to events of process q to edges.
func (m *offsets) edgesTo(q int, edges []graphs.Edge) []graphs.Edge {
	leaving := m.r.leaving
	// How many events of each process clocks order before the current one.
	passed := make([]int, len(leaving))
	// The processes with an event ordered before the current one but not before an earlier one.
	var fresh []int
	for _, f := range m.r.arriving[q] {
		fresh = fresh[:0]
		newest := -1 // the process whose event precedes f by the least
		var slack int64
		for p, list := range leaving {
			most := m.most[m.clock[p]][m.clock[q]]
			if p == q || most == Unbounded {
				continue
			}
			k := passed[p]
			for k < len(list) && f.at-list[k].at > most {
				k++
			}
			if k == passed[p] {
				continue
			}
			passed[p] = k
			fresh = append(fresh, p)
			if s := f.at - list[k-1].at - most; newest < 0 || s < slack {
				newest, slack = p, s
			}
		}
		for _, p := range fresh {
			// An event before the newest one precedes f without an edge of its own.
			e, g := leaving[p][passed[p]-1], leaving[newest][passed[newest]-1]
			if p != newest && g.at-e.at > m.most[m.clock[p]][m.clock[newest]] {
				continue
			}
			edges = append(edges, graphs.Edge{From: e.event, To: f.event})
		}
	}
	return edges
}
