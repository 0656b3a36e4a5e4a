package ist

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/ist"
	"github.com/pota-project/pota/rctl/internal/engine"
)

// A space makes tuples of the cuts of a computation. A variable for each process counts
// its events between the initial and the final cut, if there are any.
type space struct {
	comp     *graphs.Computation
	process  []int   // by variable
	variable []int   // by process; -1 if it has none
	tops     []int32 // by variable: the greatest value
	bounds   *ist.Bounds
	moves    []ist.Move // meta-events of several events
	bytes    int64
	scratch  []int32
}

// newSpace returns the space of the cuts of p's computation. The error is the context's
// own, or *ist.LimitError.
func newSpace(p *engine.Problem) (*space, error) {
	s := &space{comp: p.Comp, variable: make([]int, p.Comp.NumProcesses())}
	s.arrange()
	s.scratch = make([]int32, len(s.process))
	if err := s.bound(p); err != nil {
		return nil, err
	}
	if p.Comp.Cyclic() {
		s.findMoves()
	}
	return s, nil
}

// arrange numbers the processes that have events to execute. Processes that exchange
// messages get numbers near each other.
func (s *space) arrange() {
	c := s.comp
	for p := range s.variable {
		s.variable[p] = -1
		if c.Initial()[p] < c.Final()[p] {
			s.variable[p] = len(s.process)
			s.process = append(s.process, p)
		}
	}
	k := len(s.process)
	// How many edges join two processes, and how many places of a process matter to
	// others, are what the order is made of.
	related := make([][]int64, k)
	cost := make([]float64, k)
	for v, p := range s.process {
		related[v] = make([]int64, k)
		other := func(e graphs.Event) int { // the variable of another process; -1 if there is none
			if w := s.variable[c.Process(e)]; w != v {
				return w
			}
			return -1
		}
		ends := 1
		for i := c.Initial()[p] + 1; i <= c.Final()[p]; i++ {
			e := c.Event(p, int(i))
			end := false
			for _, f := range c.Preds(e) {
				if w := other(f); w >= 0 && !c.Has(c.Initial(), f) {
					related[v][w]++
					end = true
				}
			}
			for _, f := range c.Succs(e) {
				end = end || other(f) >= 0 && c.Has(c.Final(), f)
			}
			if end {
				ends++
			}
		}
		cost[v] = math.Log(float64(ends))
	}
	processes := s.process
	s.process = nil
	for i, v := range ist.Arrange(related, cost) {
		p := processes[v]
		s.variable[p] = i
		s.process = append(s.process, p)
		s.tops = append(s.tops, c.Final()[p]-c.Initial()[p])
	}
}

// bound finds for each event how many events of each process happened before it.
//
// The time complexity of bound is O(n(|V|+|edges|)).
func (s *space) bound(p *engine.Problem) error {
	c := s.comp
	s.bounds = ist.NewBounds(len(s.process))
	s.bytes = int64(c.NumEvents())*8 + int64(len(s.process)*len(s.process))*24
	// Bounds are kept only where they grow: an event that needs no more of a process
	// than the one before it says nothing new.
	for w, q := range s.process {
		if err := p.Ctx.Err(); err != nil {
			return err
		}
		last := c.LastBefore(q)
		for v := range s.process {
			var bounds []ist.Bound
			need := int32(0)
			for at := int32(1); at <= s.tops[v]; at++ {
				if n := last[s.event(v, at)] - c.Initial()[q]; n > need && (v != w || n > at) {
					need = n
					bounds = append(bounds, ist.Bound{At: at, Need: need})
				}
			}
			s.bounds.Set(v, w, bounds)
			s.bytes += int64(cap(bounds)) * 8
			if p.Bytes > 0 && s.bytes > p.Bytes {
				return &ist.LimitError{Reason: fmt.Sprintf("more than %d bytes of memory", p.Bytes)}
			}
		}
	}
	return nil
}

// findMoves makes a move of each meta-event of several events.
func (s *space) findMoves() {
	variable := func(e graphs.Event) int { return s.variable[s.comp.Process(e)] }
	for v := range s.process {
		for x := int32(1); x <= s.tops[v]; x++ {
			// The least event of a step stands for it, so that each step is found once.
			e := s.event(v, x)
			step := s.comp.Step(e)
			if len(step) == 1 || step[0] != e {
				continue
			}
			// The events of a process follow each other.
			step = slices.Clone(step)
			slices.SortStableFunc(step,
				func(a, b graphs.Event) int { return cmp.Compare(variable(a), variable(b)) })
			var move ist.Move
			for _, m := range step {
				if w, n := variable(m), len(move.Vars); n > 0 && move.Vars[n-1] == w {
					move.Gain[n-1]++
				} else {
					move.Vars = append(move.Vars, w)
					move.From = append(move.From, s.value(m)-1)
					move.Gain = append(move.Gain, 1)
				}
			}
			s.moves = append(s.moves, move)
		}
	}
}

// event returns the event that gives variable v the value x, above 0.
func (s *space) event(v int, x int32) graphs.Event {
	p := s.process[v]
	return s.comp.Event(p, int(s.comp.Initial()[p]+x))
}

// value returns the value that its process's variable gets with e.
func (s *space) value(e graphs.Event) int32 {
	return int32(s.comp.Position(e)) - s.comp.Initial()[s.comp.Process(e)]
}

// tuple returns the tuple of a cut. It is valid until the next call.
func (s *space) tuple(cut graphs.Cut) []int32 {
	for v, p := range s.process {
		s.scratch[v] = cut[p] - s.comp.Initial()[p]
	}
	return s.scratch
}

// cut returns the cut of a tuple.
func (s *space) cut(tuple []int32) graphs.Cut {
	cut := s.comp.Initial().Clone()
	for v, p := range s.process {
		cut[p] += tuple[v]
	}
	return cut
}
