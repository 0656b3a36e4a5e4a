package lattice

import (
	"math/bits"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
)

// A space numbers the events between the initial and the final cut of a computation. Counts are 0
// at the initial cut. Processes without an event between the two cuts are left out.
//
//	(1) process i of the space has length[i] > 0 events
//	(2) steps[first[i]+k] is the meta-event of the k-th of them, k from 0, if
//	    that event represents its meta-event: it is on the least process, and the
//	    first there; -1 otherwise
//	(3) a meta-event can be executed if its needs are met and its representative is
//	    next; it then adds gains to the counts
type space struct {
	comp    *graphs.Computation
	process []int32 // the number of each process in the computation
	number  []int32 // the number in the space of each process of the computation, -1 if left out
	length  []int32
	first   []int32
	steps   []int32
	needs   dense.Rows[count] // by meta-event: the counts of other processes that it requires
	gains   dense.Rows[count]

	words int // how many words a packed cut has
	word  []int32
	shift []uint8
	mask  []uint64 // the mask of each count after shifting it right
}

// A count says how many events of a process have happened.
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
	// Assign each count its bits in the words of a packed cut.
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

// count returns the process of an event, or -1 if the process is left out, and the least number of
// its events in a cut that contains the event. The number is not positive if every cut contains it.
func (s *space) count(e graphs.Event) count {
	p := s.comp.Process(e)
	return count{s.number[p], int32(s.comp.Position(e)) - s.comp.Initial()[p]}
}

// addStep adds the meta-event of the k-th event of process i, with its needs and gains, and returns
// its number, or -1 if that event does not represent it.
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

// require adds to the meta-event that is being added, of process i, that it needs some events of
// another process.
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

// unpack writes the counts of a packed cut to counts.
func (s *space) unpack(key []uint64, counts []int32) {
	for i := range counts {
		counts[i] = int32(key[s.word[i]] >> s.shift[i] & s.mask[i])
	}
}

// enabled returns the meta-event that process i can execute, or -1 if there is none or another
// process represents it.
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
