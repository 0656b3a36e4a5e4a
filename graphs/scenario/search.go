package scenario

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
)

// errLimit ends a search that takes too many steps.
var errLimit = errors.New("the search for a matching took too many steps")

// maxSteps bounds a search, in addition to one step for each occurrence.
const maxSteps = 1_000_000

// A search looks for an order and a matching that the diagram accepts. It is depth-first; a state
// is a cut of the trace and a term, the remaining part of the diagram.
//
// Invariant: log is a path from the start to (cut, node). forks contains all states on it with
// untried moves, and seen all visited states with more than one move. A state in seen has failed,
// or it would have ended the search.
type search struct {
	*table
	*layout
	strong bool // whether happened-before must contain the order of the scenario
	prefix bool // whether the remaining diagram may be missing

	cut      []int32 // by track: how many occurrences are matched
	node     *node
	log      []move
	forks    []fork
	seen     map[string]bool
	branched bool // whether a state had more than one move
	found    bool

	best   []move // the longest path; of equal ones, one after which more may happen
	bestAt *node
}

// A move is a matched occurrence and the term after it.
type move struct {
	occurrence int32
	arrow      int32
	to         *node
	// the occurrences immediately before it in the diagram, but not before it in happened-before
	late []int32
}

// A fork is a state with moves that have not been tried.
type fork struct {
	moves []move
	depth int
	node  *node
}

// run searches from a term. If it finds a matching, the moves are in log. It expands each state
// with a choice once.
func (s *search) run(ctx context.Context, from *node) error {
	s.cut = make([]int32, len(s.tracks))
	s.seen = make(map[string]bool)
	s.node = from
	for left := len(s.Occurrences) + maxSteps; ; left-- {
		if left == 0 {
			return errLimit
		}
		if left%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if len(s.log) == len(s.Occurrences) {
			// Nothing more has to happen, or more may happen and the remaining diagram may be
			// missing.
			over := &query{search: s, lanes: ^uint64(0)}
			if s.found = s.prefix && s.node.busy || over.without(s.node) != nil; s.found {
				return nil
			}
		}
		moves := s.moves()
		if len(moves) > 1 {
			s.branched = true
			// Equal terms are one node, so the node's number identifies the term.
			key := binary.AppendUvarint(nil, uint64(s.node.id))
			for _, k := range s.cut {
				key = binary.AppendUvarint(key, uint64(k))
			}
			if s.seen[string(key)] {
				moves = nil
			} else {
				s.seen[string(key)] = true
				s.forks = append(s.forks, fork{moves[1:], len(s.log), s.node})
			}
		}
		if len(moves) > 0 {
			s.take(moves[0])
			continue
		}
		// At a dead end, the longest path shows where the trace diverges.
		longer := s.bestAt == nil || len(s.log) > len(s.best)
		if longer || len(s.log) == len(s.best) && s.node.busy && !s.bestAt.busy {
			s.best, s.bestAt = slices.Clone(s.log), s.node
		}
		if len(s.forks) == 0 {
			return nil
		}
		s.back()
	}
}

// take makes a move.
func (s *search) take(m move) {
	s.cut[s.at[m.occurrence].track]++
	s.node, _ = s.trim(m.to, 0)
	s.log = append(s.log, m)
}

// back returns to the last fork and makes its next move.
func (s *search) back() {
	f := &s.forks[len(s.forks)-1]
	for _, m := range s.log[f.depth:] {
		s.cut[s.at[m.occurrence].track]--
	}
	s.log = s.log[:f.depth]
	s.node = f.node
	m := f.moves[0]
	if f.moves = f.moves[1:]; len(f.moves) == 0 {
		s.forks = s.forks[:len(s.forks)-1]
	}
	s.take(m)
}

// fronts lists the occurrences that may be next, in the order of the trace: each is the next one of
// its track, and no next one of another track happened before it. It takes time O(k²) for k tracks.
func (s *search) fronts() (all []int32) {
	var next []int32
	for t, k := range s.cut {
		if members := s.tracks[t]; int(k) < len(members) {
			next = append(next, members[k])
		}
	}
	for _, i := range next {
		after := func(j int32) bool { return strictly(&s.Occurrences[j], &s.Occurrences[i]) }
		if !slices.ContainsFunc(next, after) {
			all = append(all, i)
		}
	}
	slices.Sort(all)
	return all
}

// moves lists the moves of a state: all of them, or those of one occurrence that can be matched
// first.
func (s *search) moves() (all []move) {
	fronts := s.fronts()
	for _, i := range fronts {
		o, first := &s.Occurrences[i], &s.Occurrences[fronts[0]]
		switch {
		// It is the next one of its lifelines, so it will have no other alternatives later.
		case !s.strong && s.orders(i)&^s.total == 0:
			return s.alternatives(i)
		// The order of the trace is as good as any: only occurrences of one step and phase have no
		// order, and notes may require another one.
		case !s.strong || s.noted&^s.total != 0 || o.Step == first.Step && o.Phase == first.Phase:
			all = append(all, s.alternatives(i)...)
		}
	}
	return all
}

// alternatives lists the moves that match an occurrence.
func (s *search) alternatives(i int32) (all []move) {
	fits := func(n *node) *node {
		if s.fits(i, n) {
			return s.after(n, i)
		}
		return nil
	}
	for _, lane := range lifelines(s.on[i] &^ s.page) {
		q := query{search: s, lanes: s.lanes(lane), match: fits}
		// The process also advances on its other lifelines.
		others := query{search: s, lanes: s.Processes[s.Occurrences[i].Process] &^ q.lanes}
		for _, n := range others.ahead(s.node, len(s.scenario.Notes)) {
			for _, r := range q.steps(n) {
				if late := s.late(i, r.after); !s.strong || late == nil {
					all = append(all, move{i, r.of.n, r.to, late})
				}
			}
		}
	}
	return all
}

// late lists the occurrences immediately before one in the diagram, but not before it in
// happened-before.
func (s *search) late(i int32, right []int32) (all []int32) {
	o := &s.Occurrences[i]
	if o.Phase == Receive {
		right = append([]int32{s.sends[o.Message]}, right...)
	}
	for _, j := range right {
		if !before(&s.Occurrences[j], o) && !slices.Contains(all, j) {
			all = append(all, j)
		}
	}
	return all
}
