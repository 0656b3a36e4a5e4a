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
	found    bool

	cutShort bool // more notes might have been passed

	best   []move // the longest way, if it can be one after which more happens
	bestAt *node
}

// maxAhead bounds the terms that passing notes leads to. With more, the search is not complete.
const maxAhead = 64

// A move is an occurrence that was matched, and the term after it.
type move struct {
	occurrence int32
	arrow      int32
	to         *node
	late       []int32 // occurrences that the diagram has right before it, and happened-before has not
}

// A fork is a state with moves that have not been tried.
type fork struct {
	moves []move
	depth int
	node  *node
}

// run searches from a term. If it finds a matching, the moves are in log. It expands each state with a
// choice once.
func (s *search) run(from *node) error {
	s.cut = make([]int32, len(s.tracks))
	s.seen = make(map[string]bool)
	s.node = s.settled(from)
	for {
		if s.left--; s.left < 0 {
			return errLimit
		}
		if s.left%1024 == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		if len(s.log) == len(s.Occurrences) && (s.prefix || s.over()) {
			s.found = true
			return nil
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
		longer := s.bestAt == nil || len(s.log) > len(s.best)
		if longer || len(s.log) == len(s.best) && s.node.busy && !s.bestAt.busy {
			s.best, s.bestAt = slices.Clone(s.log), s.node
		}
		switch {
		case len(s.forks) > 0:
			s.back()
		case s.cutShort: // maxAhead may have hidden a matching
			return errLimit
		default:
			return nil
		}
	}
}

// take makes a move.
func (s *search) take(m move) {
	s.cut[s.at[m.occurrence].track]++
	s.node = s.settled(m.to)
	s.log = append(s.log, m)
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

// key names a state. Equal terms are one node, so its number stands for the term. What has happened in
// the term makes no difference for a weak search.
func (s *search) key() string {
	n := s.node
	if !s.strong {
		n = s.bare(n)
	}
	key := binary.AppendUvarint(nil, uint64(n.id))
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

// settled passes the notes that hold, and leaves out what nothing will be compared with.
func (s *search) settled(n *node) *node {
	if n.noted != 0 {
		n = s.settle(n, s.holds(), 0)
	}
	n, _ = s.trim(n, 0)
	return n
}

// over reports whether the diagram may end here, perhaps after notes.
func (s *search) over() bool {
	// Notes ahead in loops lead to many terms, and more than maxAhead make a search incomplete. So they are
	// only looked at where one of them can be over.
	return s.node.quiet && slices.ContainsFunc(s.passing(^uint64(0), false), func(n *node) bool { return n.ends })
}

// passing lists the terms that passing notes leads to, the present one first. Only notes of some
// lifelines matter.
//
// A loop may have notes ahead without an end, in rounds that have not begun elsewhere. A round that has
// nothing of the rest of the trace is not needed, so there are no more than that has occurrences.
func (s *search) passing(lanes uint64, weak bool) []*node {
	all := []*node{s.node}
	holds := s.holds()
	most := s.node.most + s.round*(len(s.Occurrences)-len(s.log))
	for i := 0; i < len(all); i++ {
		if len(all) > maxAhead {
			s.cutShort = true
			break
		}
		for _, lane := range lifelines(all[i].noted & lanes) {
			q := query{search: s, lane: lane, match: holds, weak: weak}
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

// early reports whether an occurrence is a receive, and its send has not been taken: a send comes before
// its receive in every scenario, also where the trace does not order them.
func (s *search) early(i int32) bool {
	o := &s.Occurrences[i]
	send, ok := s.sends[o.Message]
	return ok && o.Phase == Receive && s.isLeft(send)
}

// fronts lists the occurrences that may be the next ones, in the order of the trace: the next of a track
// each, and none before it is the next of another. It takes time O(k²) for k tracks.
func (s *search) fronts() (all []int32) {
	var next []int32
	for t, k := range s.cut {
		if members := s.tracks[t].members; int(k) < len(members) {
			next = append(next, members[k])
		}
	}
	for _, i := range next {
		after := func(j int32) bool { return strictly(&s.Occurrences[j], &s.Occurrences[i]) }
		if !s.early(i) && !slices.ContainsFunc(next, after) {
			all = append(all, i)
		}
	}
	slices.Sort(all)
	return all
}

// moves lists the moves of a state: all of them, or those of an occurrence that has to be taken next.
func (s *search) moves() []move {
	for s.next < len(s.Occurrences) && !s.isLeft(int32(s.next)) {
		s.next++
	}
	if s.next == len(s.Occurrences) {
		return nil
	}
	// It is the first one left, so nothing but a send can come before it.
	if first := int32(s.next); !s.early(first) {
		if moves, alone := s.alone(first); alone {
			return moves
		}
	}
	fronts := s.fronts()
	if s.strong && len(fronts) > 0 {
		// The order of the trace is as good as any: only what happens together has none.
		o := s.Occurrences[fronts[0]]
		fronts = slices.DeleteFunc(fronts, func(i int32) bool {
			return s.Occurrences[i].Step != o.Step || s.Occurrences[i].Phase != o.Phase
		})
	}
	var all []move
	for _, i := range fronts {
		moves, alone := s.alone(i)
		if alone {
			return moves
		}
		all = append(all, moves...)
	}
	return all
}

// alone returns the moves of an occurrence, and whether no others need to be looked at: it is the next
// one of its lifelines, and will not have other alternatives later.
func (s *search) alone(i int32) ([]move, bool) {
	moves := s.alternatives(i, false)
	switch {
	case s.strong || s.lanes[i]&^s.total != 0:
		return moves, false
	case !s.strict:
		return moves, true
	}
	// What may happen first leaves more than what must, until all before it on the page is over.
	same := func(a, b move) bool { return a.to == b.to }
	return moves, slices.EqualFunc(moves, s.alternatives(i, true), same)
}

// alternatives lists the moves of an occurrence, after notes that hold.
func (s *search) alternatives(i int32, weak bool) []move {
	var all []move
	for _, lane := range lifelines(s.lanes[i]) {
		q := query{search: s, lane: lane, match: s.takes(i), weak: weak}
		// Notes that hold make a branch likely, so it is tried first.
		for _, n := range slices.Backward(s.passing(s.page(bit(lane)), weak)) {
			for _, r := range q.steps(n) {
				if late := s.late(i, r); !s.strong || late == nil {
					all = append(all, move{i, r.of.n, r.to, late})
				}
			}
		}
	}
	return all
}

// late lists the occurrences that the diagram has right before one, and happened-before has not.
func (s *search) late(i int32, r rest) (all []int32) {
	o := &s.Occurrences[i]
	if o.Phase == Receive {
		r.after = append([]int32{s.sends[o.Message]}, r.after...)
	}
	for _, j := range r.after {
		if !before(&s.Occurrences[j], o) && !slices.Contains(all, j) {
			all = append(all, j)
		}
	}
	return all
}
