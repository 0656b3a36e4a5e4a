package scenario

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
)

// errLimit ends a search that takes too long.
var errLimit = errors.New("the search for a matching took too many steps")

// A search looks for an order and a matching that the diagram accepts. It goes depth first, through
// states of a cut of the trace and a term, the rest of the diagram.
//
// Invariant: log is a way from the start to (cut, node). forks has all states on it with untried moves,
// and seen has all states with more than one move so far. A state seen before failed before, or it
// would have ended the search.
type search struct {
	*table
	*layout
	ctx    context.Context
	left   int  // steps
	strong bool // the order of the scenario is contained in happened-before
	prefix bool // the rest of the diagram may be missing

	cut      []int32 // by track
	node     *node
	log      []move
	forks    []fork
	seen     map[string]bool
	next     int  // no occurrence before it is left
	branched bool // there was something to choose

	cutShort bool // more notes might have been passed

	partial []move // the first way to the end of the trace that is not the end of the diagram
	rest    *node  // of the diagram then
	best    []move // the longest way
	bestAt  *node
}

// maxAhead bounds the terms that passing notes leads to. With more, the search is not complete.
const maxAhead = 64

// A move is an occurrence that was matched, and the term after it.
type move struct {
	occurrence int32
	to         *node
}

// A fork is a state with moves that have not been tried.
type fork struct {
	moves []move
	depth int
	node  *node
}

// run searches from a term. It reports whether it found a matching, with its moves in log. It
// expands each state with a choice once.
func (s *search) run(from *node) (found bool, err error) {
	s.cut = make([]int32, len(s.tracks))
	s.seen = make(map[string]bool)
	s.node = s.settled(from)
	for {
		if s.left--; s.left < 0 {
			return false, errLimit
		}
		if s.left%1024 == 0 && s.ctx.Err() != nil {
			return false, s.ctx.Err()
		}
		if len(s.log) == len(s.Occurrences) {
			over := s.over()
			if over || s.prefix {
				return true, nil
			}
			// Where only notes are left, nothing more can happen: they do not hold.
			if s.rest == nil && s.node.busy {
				s.partial, s.rest = slices.Clone(s.log), s.node
			}
		}
		moves := s.moves()
		if len(moves) > 1 {
			s.branched = true
			if key := s.key(); s.seen[key] {
				moves = nil
			} else {
				s.seen[key] = true
				s.forks = append(s.forks, fork{moves[1:], len(s.log), s.node})
			}
		}
		if len(moves) > 0 {
			s.take(moves[0])
			continue
		}
		// A dead end: the longest way says where the trace diverges.
		if s.bestAt == nil || len(s.log) > len(s.best) {
			s.best, s.bestAt = slices.Clone(s.log), s.node
		}
		switch {
		case len(s.forks) > 0:
			s.back()
		case s.cutShort: // maxAhead may have hidden a matching
			return false, errLimit
		default:
			return false, nil
		}
	}
}

// take makes a move.
func (s *search) take(m move) {
	s.cut[s.at[m.occurrence].track]++
	s.log = append(s.log, m)
	s.node = s.settled(m.to)
	s.log[len(s.log)-1].to = s.node
}

// back returns to the last fork, and takes its next move.
func (s *search) back() {
	f := &s.forks[len(s.forks)-1]
	for _, m := range s.log[f.depth:] {
		s.cut[s.at[m.occurrence].track]--
		s.next = min(s.next, int(m.occurrence))
	}
	s.log = s.log[:f.depth]
	s.node = f.node
	m := f.moves[0]
	if f.moves = f.moves[1:]; len(f.moves) == 0 {
		s.forks = s.forks[:len(s.forks)-1]
	}
	s.take(m)
}

// key names a state. Equal terms are one node, so its number stands for the term.
func (s *search) key() string {
	key := binary.AppendUvarint(nil, uint64(s.node.id))
	for _, k := range s.cut {
		key = binary.AppendUvarint(key, uint64(k))
	}
	return string(key)
}

// counts returns how many occurrences of each process are in the cut.
func (s *search) counts() []int32 {
	counts := make([]int32, s.Processes)
	for t, k := range s.cut {
		counts[s.tracks[t].process] += k
	}
	return counts
}

// query returns a query at this state.
func (s *search) query(occurrence int32, lane int) *query {
	q := &query{
		table:      s.table,
		layout:     s.layout,
		occurrence: occurrence,
		lane:       lane,
		marks:      s.strong,
	}
	if occurrence < 0 {
		q.counts = s.counts()
	}
	return q
}

// settled passes the notes that hold.
func (s *search) settled(n *node) *node {
	if n.noted == 0 {
		return n
	}
	return s.query(-1, 0).settle(n, 0)
}

// over reports whether the diagram may end here, perhaps after notes.
func (s *search) over() bool {
	if s.node.ends || !s.node.quiet {
		return s.node.ends
	}
	return slices.ContainsFunc(s.passing(^uint64(0), false), func(n *node) bool { return n.ends })
}

// passing lists the terms that passing notes leads to, the present one first. Only notes of some
// lifelines matter.
//
// A loop may have notes ahead without an end, in rounds that have not begun elsewhere. A round that has
// nothing of the rest of the trace is not needed, so there are no more than that has occurrences.
func (s *search) passing(lanes uint64, weak bool) []*node {
	all := []*node{s.node}
	most := s.node.most + s.round*(len(s.Occurrences)-len(s.log))
	for i := 0; i < len(all); i++ {
		if len(all) > maxAhead {
			s.cutShort = true
			break
		}
		for _, lane := range lifelines(all[i].noted & lanes) {
			q := s.query(-1, lane)
			q.weak = weak
			for _, r := range q.steps(all[i]) {
				if r.to.most <= most && !slices.Contains(all, r.to) {
					all = append(all, r.to)
				}
			}
		}
	}
	return all
}

// left reports whether an occurrence has not been taken.
func (s *search) isLeft(i int32) bool { return s.cut[s.at[i].track] <= s.at[i].index }

// enabled reports whether an occurrence may be the next one.
func (s *search) enabled(i int32) bool {
	if s.cut[s.at[i].track] != s.at[i].index {
		return false
	}
	for t, k := range s.needs[i] {
		if s.cut[t] < k {
			return false
		}
	}
	return true
}

// moves lists the moves of a state: all of them, or those of an occurrence that has to be taken next.
func (s *search) moves() []move {
	for s.next < len(s.Occurrences) && !s.isLeft(int32(s.next)) {
		s.next++
	}
	if s.next == len(s.Occurrences) {
		return nil
	}
	first := int32(s.next)
	if !s.strong && s.enabled(first) {
		if moves, alone := s.alone(first); alone {
			return moves
		}
	}
	var all []move
	var chosen *Occurrence
	for _, t := range s.fronts() {
		o := &s.Occurrences[t]
		switch {
		case !s.strong:
			moves, alone := s.alone(t)
			if alone {
				return moves
			}
			all = append(all, moves...)
			continue
		// The order of the trace is as good as any: only what happens together has none.
		case chosen == nil:
			chosen = o
		case chosen.Step != o.Step || chosen.Phase != o.Phase:
			continue
		}
		all = append(all, s.alternatives(t, false)...)
	}
	return all
}

// fronts lists the enabled occurrences in the order of the trace.
func (s *search) fronts() []int32 {
	var all []int32
	for t, k := range s.cut {
		if members := s.tracks[t].members; int(k) < len(members) && s.enabled(members[k]) {
			all = append(all, members[k])
		}
	}
	slices.Sort(all)
	return all
}

// alone returns the moves of an occurrence, and whether no others need to be looked at: it is the next
// one of its lifelines, and will not have other alternatives later.
func (s *search) alone(i int32) ([]move, bool) {
	moves := s.alternatives(i, false)
	if s.lanes[i]&^s.total != 0 {
		return moves, false
	}
	if !s.strict {
		return moves, true
	}
	// What may happen first leaves more than what must, until all before it on the page is over.
	return moves, slices.Equal(moves, s.alternatives(i, true))
}

// alternatives lists what an occurrence can stand for, after notes that hold.
func (s *search) alternatives(i int32, weak bool) []move {
	var all []move
	for _, lane := range lifelines(s.lanes[i]) {
		q := s.query(i, lane)
		q.weak = weak
		// Notes that hold make a branch likely, so it is tried first.
		for _, n := range slices.Backward(s.passing(s.above(lane), weak)) {
			for _, r := range q.steps(n) {
				if len(r.late) == 0 {
					all = append(all, move{i, r.to})
				}
			}
		}
	}
	return all
}

// above returns the lifelines that may have notes before an occurrence of one.
func (s *search) above(lane int) uint64 {
	if s.strict {
		return ^uint64(0)
	}
	return bit(lane)
}
