package atoms

import (
	"sort"

	"github.com/pota-project/pota/graphs"
)

// A Chain is a process, or the assignments of a shared variable.
type Chain struct {
	Process int    // graphs.Shared for those of a shared variable
	Name    string // of the process or the shared variable
	// Low and High are the positions at the initial and the final cut.
	Low, High int

	rank     int
	comp     *graphs.Computation
	variable *graphs.Variable // the shared one
}

// Event returns the k-th event of the chain, k counted from 1: the position is k or
// more where the event has happened.
func (h *Chain) Event(k int) graphs.Event {
	if h.variable == nil {
		return h.comp.Event(h.Process, k)
	}
	return h.variable.Event(k - 1)
}

// Position returns the number of events of the chain in cut.
func (h *Chain) Position(cut graphs.Cut) int {
	if h.variable == nil {
		return int(cut[h.Process])
	}
	return sort.Search(h.variable.Len(), func(i int) bool { return !h.comp.Has(cut, h.variable.Event(i)) })
}

// Process returns the chain of a process.
func (s *Store) Process(p int) *Chain {
	if s.chains[p] == nil {
		h := &Chain{Process: p, Name: s.comp.Processes()[p], rank: p, comp: s.comp}
		s.chains[p] = h.bounded()
	}
	return s.chains[p]
}

// shared returns the chain of a shared variable.
func (s *Store) shared(v *graphs.Variable) *Chain {
	for _, h := range s.chains[s.comp.NumProcesses():] {
		if h.variable == v {
			return h
		}
	}
	h := &Chain{Process: graphs.Shared, Name: v.Name, rank: len(s.chains), comp: s.comp, variable: v}
	s.chains = append(s.chains, h.bounded())
	return h
}

func (h *Chain) bounded() *Chain {
	h.Low, h.High = h.Position(h.comp.Initial()), h.Position(h.comp.Final())
	return h
}
