package rctl

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/ist"
)

// A treeSpace makes tuples of the cuts of a computation: a variable for each
// process with events between the initial and the final cut, which counts them.
type treeSpace struct {
	comp     *graphs.Computation
	process  []int   // by variable
	variable []int   // by process, -1 where there is none
	tops     []int32 // by variable
	bounds   *ist.Bounds
	moves    []ist.Move // meta-events of several events
	bytes    int64
	scratch  []int32
}

func newTreeSpace(ctx context.Context, c *graphs.Computation, bytes int64) (*treeSpace, error) {
	s := &treeSpace{comp: c, variable: make([]int, c.NumProcesses())}
	s.arrange()
	s.scratch = make([]int32, len(s.process))
	if err := s.bound(ctx, bytes); err != nil {
		return nil, err
	}
	if c.Cyclic() {
		s.findMoves()
	}
	return s, nil
}

// arrange numbers the processes that have events to execute, so that those that
// talk to each other are near each other.
func (s *treeSpace) arrange() {
	c := s.comp
	for p := range s.variable {
		s.variable[p] = -1
		if c.Initial()[p] < c.Final()[p] {
			s.variable[p] = len(s.process)
			s.process = append(s.process, p)
		}
	}
	k := len(s.process)
	related := make([][]int64, k)
	for v := range related {
		related[v] = make([]int64, k)
	}
	cost := make([]float64, k)
	for v, p := range s.process {
		ends := 1
		for i := c.Initial()[p] + 1; i <= c.Final()[p]; i++ {
			e := c.Event(p, int(i))
			end := false
			for _, f := range c.Preds(e) {
				if w := s.variable[c.Process(f)]; w >= 0 && w != v && !c.Has(c.Initial(), f) {
					related[v][w]++
					end = true
				}
			}
			for _, f := range c.Succs(e) {
				if w := s.variable[c.Process(f)]; w >= 0 && w != v && c.Has(c.Final(), f) {
					end = true
				}
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
func (s *treeSpace) bound(ctx context.Context, bytes int64) error {
	c := s.comp
	s.bounds = ist.NewBounds(len(s.process))
	order := c.Topological(c.Initial(), c.Final())
	last := make([]int32, c.NumEvents()+2)
	s.bytes = int64(len(last))*8 + int64(len(s.process)*len(s.process))*24
	for w, q := range s.process {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.lastOf(q, order, last)
		for v, p := range s.process {
			var stairs []ist.Stair
			need := int32(0)
			for at := int32(1); at <= s.tops[v]; at++ {
				if n := last[c.Event(p, int(c.Initial()[p]+at))]; n > need && (v != w || n > at) {
					need = n
					stairs = append(stairs, ist.Stair{At: at, Need: need})
				}
			}
			s.bounds.Set(v, w, stairs)
			s.bytes += int64(cap(stairs)) * 8
			if bytes > 0 && s.bytes > bytes {
				return &ist.LimitError{Reason: fmt.Sprintf("more than %d bytes of memory", bytes)}
			}
		}
	}
	return nil
}

// lastOf writes for each event of order how many events of process q, from the
// initial cut on, are before it or are it. Events of one meta-event, which stand
// together, are before each other.
func (s *treeSpace) lastOf(q int, order []graphs.Event, last []int32) {
	c := s.comp
	for len(order) > 0 {
		step := c.Step(order[0])
		k := int32(0)
		for _, m := range step {
			for _, f := range c.Preds(m) {
				if !c.SameStep(f, m) {
					k = max(k, last[f]) // 0 for events of the initial cut
				}
			}
			p := c.Process(m)
			at := int32(c.Position(m)) - c.Initial()[p]
			if p == q {
				k = max(k, at)
			} else if at > 1 && !c.SameStep(m-1, m) {
				k = max(k, last[m-1])
			}
		}
		for _, m := range step {
			last[m] = k
		}
		order = order[len(step):]
	}
}

func (s *treeSpace) findMoves() {
	c := s.comp
	for _, p := range s.process {
		for i := c.Initial()[p] + 1; i <= c.Final()[p]; i++ {
			e := c.Event(p, int(i))
			step := c.Step(e)
			if len(step) == 1 || step[0] != e {
				continue
			}
			gains := make(map[int]int32)
			first := make(map[int]int32)
			var vars []int
			for _, m := range step {
				v := s.variable[c.Process(m)]
				if gains[v] == 0 {
					vars = append(vars, v)
					first[v] = int32(c.Position(m)) - c.Initial()[c.Process(m)] - 1
				}
				gains[v]++
			}
			slices.Sort(vars)
			move := ist.Move{Vars: vars}
			for _, v := range vars {
				move.From = append(move.From, first[v])
				move.Gain = append(move.Gain, gains[v])
			}
			s.moves = append(s.moves, move)
		}
	}
}

func (s *treeSpace) variables() []int {
	all := make([]int, len(s.process))
	for v := range all {
		all[v] = v
	}
	return all
}

// tuple returns the tuple of a cut. It is valid until the next call.
func (s *treeSpace) tuple(cut graphs.Cut) []int32 {
	for v, p := range s.process {
		s.scratch[v] = cut[p] - s.comp.Initial()[p]
	}
	return s.scratch
}

// cut returns the cut of a tuple.
func (s *treeSpace) cut(tuple []int32) graphs.Cut {
	cut := s.comp.Initial().Clone()
	for v, p := range s.process {
		cut[p] += tuple[v]
	}
	return cut
}
