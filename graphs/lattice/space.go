package lattice

import (
	"math/bits"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
)

// A space numbers the events between the initial and the final cut of a computation. Counts begin
// with 0 at the initial cut. Processes without an event between the two cuts are left out.
//
//	(1) process i of the space has length[i] > 0 events
//	(2) steps[first[i]+k] is the meta-event of the k-th of them, k from 0, where
//	    that event represents its meta-event: it is on the least process, and the
//	    first there; -1 elsewhere
//	(3) a meta-event can be executed when needs holds and its representative is
//	    next; it then adds gains to the counts
type space struct {
	comp    *graphs.Computation
	process []int32 // number in the computation
	number  []int32 // of each process of the computation, -1 if it is left out
	length  []int32
	first   []int32
	steps   []int32
	needs   dense.Rows[count] // by meta-event
	gains   dense.Rows[count]

	words int // of a packed cut
	word  []int32
	shift []uint8
	mask  []uint64 // not shifted
}

// A count is a number of events of a process.
type count struct{ process, events int32 }

// newSpace numbers the meta-events process by process.
func newSpace(c *graphs.Computation) *space {
	s := &space{comp: c, number: make([]int32, c.NumProcesses())}
	for p := range s.number {
		s.number[p] = -1
		if n := c.Final()[p] - c.Initial()[p]; n > 0 && !c.Empty() {
			s.number[p] = int32(len(s.process))
			s.process = append(s.process, int32(p))
			s.first = append(s.first, int32(len(s.steps)))
			s.length = append(s.length, n)
			s.steps = append(s.steps, make([]int32, n)...)
		}
	}
	s.needs.Grow(len(s.steps), len(s.steps)/2)
	s.gains.Grow(len(s.steps), len(s.steps))
	for i := range s.process {
		for k := range s.length[i] {
			s.steps[s.first[i]+k] = s.addStep(i, k)
		}
	}
	// The count of each process gets its place in the words of a packed cut.
	used := 64
	for _, n := range s.length {
		width := bits.Len32(uint32(n))
		if used+width > 64 {
			s.words++
			used = 0
		}
		s.word = append(s.word, int32(s.words-1))
		s.shift = append(s.shift, uint8(used))
		s.mask = append(s.mask, 1<<width-1)
		used += width
	}
	s.words = max(s.words, 1)
	return s
}

// event returns the k-th event of process i, k from 0.
func (s *space) event(i int, k int32) graphs.Event {
	p := s.process[i]
	return s.comp.Event(int(p), int(s.comp.Initial()[p]+k)+1)
}

// count returns the process of an event, -1 if the process is left out, and how many events of the
// process a cut with the event has at least. The number is not positive if every cut has the event.
func (s *space) count(e graphs.Event) count {
	p := s.comp.Process(e)
	return count{s.number[p], int32(s.comp.Position(e)) - s.comp.Initial()[p]}
}

// addStep adds the meta-event of the k-th event of process i, its needs and its events, and returns
// its number; -1 if that event does not represent it.
func (s *space) addStep(i int, k int32) int32 {
	c := s.comp
	e := s.event(i, k)
	members := c.Step(e)
	if int(s.count(members[0]).process) < i || k > 0 && c.SameStep(e, s.event(i, k-1)) {
		return -1
	}
	for _, m := range members {
		at := s.count(m)
		gains := s.gains.Open()
		if n := len(gains); n > 0 && gains[n-1].process == at.process {
			gains[n-1].events++
		} else {
			s.gains.Add(count{at.process, 1})
			s.require(i, count{at.process, at.events - 1})
		}
		for _, f := range c.Preds(m) {
			if !c.SameStep(m, f) {
				s.require(i, s.count(f))
			}
		}
	}
	s.needs.End()
	s.gains.End()
	return int32(s.needs.Len()) - 1
}

// require notes that the step that is being added, of process i, needs some events of another.
func (s *space) require(i int, need count) {
	if need.events <= 0 || int(need.process) == i || need.process < 0 {
		return
	}
	needs := s.needs.Open()
	for j := range needs {
		if needs[j].process == need.process {
			needs[j].events = max(needs[j].events, need.events)
			return
		}
	}
	s.needs.Add(need)
}

// unpack writes the counts of a packed cut.
func (s *space) unpack(key []uint64, counts []int32) {
	for i := range counts {
		counts[i] = int32(key[s.word[i]] >> s.shift[i] & s.mask[i])
	}
}

// enabled returns the meta-event that process i can execute, -1 when there is
// none or when it is left to another of its processes.
func (s *space) enabled(counts []int32, i int) int32 {
	k := counts[i]
	if k == s.length[i] {
		return -1
	}
	step := s.steps[s.first[i]+k]
	if step < 0 {
		return -1
	}
	for _, n := range s.needs.Row(int(step)) {
		if counts[n.process] < n.events {
			return -1
		}
	}
	return step
}
