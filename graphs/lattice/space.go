package lattice

import (
	"math/bits"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
)

// A space numbers what lies between the initial and the final cut of a
// computation. Counts are relative to the initial cut; processes without an event
// between the two are left out.
//
//	(1) process i of the space has length[i] > 0 events
//	(2) steps[first[i]+k] is the meta-event of the k-th of them, k from 0, where
//	    that event represents its meta-event: it is on the least process, and the
//	    first there; -1 elsewhere
//	(3) a meta-event can be executed when needs holds and its representative is
//	    next; it then adds gains to the counts
type space struct {
	initial graphs.Cut
	process []int32 // number in the computation
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

// require notes that the step that is being added needs n events of a process.
func (s *space) require(process, n int32) {
	counts := s.needs.Open()
	for i := range counts {
		if counts[i].process == process {
			counts[i].events = max(counts[i].events, n)
			return
		}
	}
	s.needs.Add(count{process, n})
}

// newSpace numbers the meta-events process by process.
func newSpace(c *graphs.Computation) *space {
	s := &space{initial: c.Initial()}
	if c.Empty() {
		s.layOut()
		return s
	}
	number := make([]int32, c.NumProcesses()) // in the space
	for p := range number {
		number[p] = -1
		if n := c.Final()[p] - c.Initial()[p]; n > 0 {
			number[p] = int32(len(s.process))
			s.process = append(s.process, int32(p))
			s.first = append(s.first, int32(len(s.steps)))
			s.length = append(s.length, n)
			s.steps = append(s.steps, make([]int32, n)...)
		}
	}
	at := func(e graphs.Event) (process, position int32) {
		p := c.Process(e)
		return number[p], int32(c.Position(e)) - s.initial[p]
	}
	s.needs.Grow(len(s.steps), len(s.steps)/2)
	s.gains.Grow(len(s.steps), len(s.steps))
	for i, p := range s.process {
		for k := range s.length[i] {
			e := c.Event(int(p), int(s.initial[p]+k)+1)
			members := c.Step(e)
			if members[0] != e {
				s.steps[s.first[i]+k] = -1
				continue
			}
			s.steps[s.first[i]+k] = int32(s.needs.Len())
			s.addStep(c, members, at)
		}
	}
	s.layOut()
	return s
}

// addStep adds a meta-event: its needs and its events.
func (s *space) addStep(c *graphs.Computation, members []graphs.Event,
	at func(graphs.Event) (int32, int32)) {
	lead, _ := at(members[0])
	for _, m := range members {
		process, position := at(m)
		gains := s.gains.Open()
		if len(gains) == 0 || gains[len(gains)-1].process != process {
			s.gains.Add(count{process, 1})
			if process != lead && position > 1 {
				s.require(process, position-1)
			}
		} else {
			gains[len(gains)-1].events++
		}
		for _, f := range c.Preds(m) {
			if c.Has(s.initial, f) || c.SameStep(m, f) {
				continue
			}
			if q, n := at(f); q != lead {
				s.require(q, n)
			}
		}
	}
	s.needs.End()
	s.gains.End()
}

// layOut chooses the place of each process's count in the words.
func (s *space) layOut() {
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
}

// unpack writes the counts of a packed cut.
func (s *space) unpack(key []uint64, counts []int32) {
	if s.words == 1 {
		k := key[0]
		for i := range counts {
			counts[i] = int32(k >> s.shift[i] & s.mask[i])
		}
		return
	}
	for i := range counts {
		counts[i] = int32(key[s.word[i]] >> s.shift[i] & s.mask[i])
	}
}

// cut writes the cut that the counts stand for.
func (s *space) cut(counts []int32, into graphs.Cut) graphs.Cut {
	into = append(into[:0], s.initial...)
	for i, p := range s.process {
		into[p] += counts[i]
	}
	return into
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

// execute adds a meta-event to a packed cut.
func (s *space) execute(key []uint64, step int32) {
	for _, g := range s.gains.Row(int(step)) {
		key[s.word[g.process]] += uint64(g.events) << s.shift[g.process]
	}
}
