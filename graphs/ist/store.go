package ist

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/pota-project/pota/graphs/dense"
)

// A Set is a set of tuples of a Store, represented by the number of its node. Two sets of a Store
// are equal if and only if their numbers are.
type Set int32

// Empty is the set without tuples. The number 1 is the end, the node of the empty
// tuple; the next k numbers are those of the full sets, from the last level up.
const (
	Empty Set = 0
	end   Set = 1
)

// An Interval is an edge of a node: the values up to Hi, from the Hi of the interval before plus
// one, or from 0 for the first, lead to To.
type Interval struct {
	Hi int32
	To Set
}

// A Move is a joint move, which changes several variables at once: if each variable Vars[i] has the
// value From[i], it adds Gain[i] > 0 to it. Vars is increasing.
type Move struct {
	Vars       []int
	From, Gain []int32
}

// A LimitError names the limit that was reached.
type LimitError struct{ Reason string }

func (e *LimitError) Error() string { return "interval sharing trees: " + e.Reason }

// A Store owns the nodes of the sets of one universe.
//
//	(1) the intervals of a node are in increasing order, and neighbouring ones lead
//	    to different nodes
//	(2) an interval leads to a node of the next level, or to Empty; the last one of
//	    a node does not lead to Empty, but values above it do
//	(3) no two nodes have the same intervals
//	(4) node end+i is the full set of level k-i
//
// A Store is not safe for concurrent use.
type Store struct {
	ctx  context.Context
	err  error
	tops []int32 // the greatest value of each variable

	maxBytes int64 // the memory limit in bytes; 0 for no limit

	moves  []Move
	moveAt [][]int32 // by variable: the joint moves whose first variable it is, by From

	nodes     dense.List[node]
	edges     edgePages
	count     int32
	index     []place // a hash table of nodes by their intervals, with open addressing
	memo      cache
	scratch   []Interval // a stack of intervals that become nodes
	stretches []stretch  // a stack of the stretches of Backward and Forward
	since     int        // how many operations were started since the last check of ctx

	tried    int   // how many nodes Try allows; 0 outside Try
	borrowed int64 // how many bytes the current operation holds
}

type node struct {
	at    uint32 // the position of its intervals in edgePages
	n     int32
	level int32
}

// nodeSize is the memory of a node in bytes.
const nodeSize = 12

// A place of the hash table is free, or has a node and the hash of its intervals.
type place struct {
	set  Set // Empty if the place is free
	hash uint32
}

// New returns a store for tuples of len(tops) variables, where variable v has the values 0 …
// tops[v], and for joint moves in addition to the steps of single variables. It may use maxBytes of
// memory; 0 stands for no limit.
func New(ctx context.Context, tops []int32, moves []Move, maxBytes int64) *Store {
	s := &Store{ctx: ctx, maxBytes: maxBytes, tops: tops, moves: moves, index: make([]place, 1<<10)}
	s.memo.entries = make([]entry, 1<<10)
	s.moveAt = make([][]int32, len(tops))
	for i, m := range moves {
		s.moveAt[m.Vars[0]] = append(s.moveAt[m.Vars[0]], int32(i))
	}
	for _, at := range s.moveAt {
		slices.SortStableFunc(at,
			func(a, b int32) int { return int(moves[a].From[0] - moves[b].From[0]) })
	}
	k := int32(len(tops))
	s.nodes.Add(node{level: k})
	s.nodes.Add(node{level: k})
	s.count = 2
	for v := k - 1; v >= 0; v-- {
		s.push(len(s.scratch), tops[v], Set(s.count-1))
		s.seal(0, v)
	}
	return s
}

// Err returns the *LimitError or context error that put the store into its error state, or nil.
// Results of operations since then are meaningless.
func (s *Store) Err() error { return s.err }

// Size returns the number of nodes in the store.
func (s *Store) Size() int { return int(s.count) }

// Bytes returns how much memory the store and its current operation hold.
func (s *Store) Bytes() int64 {
	return int64(s.count)*nodeSize + s.edges.bytes + int64(len(s.index))*8 + s.memo.bytes() +
		int64(cap(s.scratch))*8 + int64(cap(s.stretches))*40 + s.borrowed
}

// Full returns the set of all tuples.
func (s *Store) Full() Set { return s.full(0) }

// full returns the set of all tuples of variables v … k-1.
func (s *Store) full(v int32) Set { return end + Set(int32(len(s.tops))-v) }

func (s *Store) isFull(a Set) bool { return a >= end && a <= end+Set(len(s.tops)) }

func (s *Store) node(a Set) *node { return s.nodes.At(int(a)) }

func (s *Store) intervals(a Set) []Interval {
	n := s.node(a)
	start := n.at & (edgeLen - 1)
	return s.edges.list[n.at>>edgeBits][start : start+uint32(n.n)]
}

// push appends an interval to those above base on the stack, or extends the last one if it leads to
// the same node.
func (s *Store) push(base int, hi int32, to Set) {
	if n := len(s.scratch); n > base && s.scratch[n-1].To == to {
		s.scratch[n-1].Hi = hi
		return
	}
	s.scratch = append(s.scratch, Interval{hi, to})
}

// seal makes the intervals above base on the stack a node of level v.
func (s *Store) seal(base int, v int32) Set {
	list := s.scratch[base:]
	for len(list) > 0 && list[len(list)-1].To == Empty {
		list = list[:len(list)-1]
	}
	a := s.find(list, v)
	s.scratch = s.scratch[:base]
	return a
}

// Tuple returns the set of one tuple.
func (s *Store) Tuple(t []int32) Set {
	a := end
	for v, x := range slices.Backward(t) {
		a = s.point(int32(v), x, a)
	}
	return a
}

// Choose returns tuples of the variables from v on: the value of v selects, by list, a set of
// tuples of later variables. Skipped variables may have any value.
func (s *Store) Choose(v int, list []Interval) Set {
	if s.stopped() {
		return Empty
	}
	base := len(s.scratch)
	for _, i := range list {
		s.push(base, i.Hi, s.lift(i.To, v+1))
	}
	return s.seal(base, int32(v))
}

// Lift turns tuples of the variables from some one on, as Choose returns them, into tuples of all
// variables. The variables before may have any value.
func (s *Store) Lift(a Set) Set { return s.lift(a, 0) }

// lift turns tuples of the variables from some one on into tuples of those from v on, which must
// not be later.
func (s *Store) lift(a Set, v int) Set {
	switch {
	case a == Empty:
		return a
	case s.isFull(a):
		return s.full(int32(v))
	}
	for u := s.node(a).level - 1; u >= int32(v); u-- {
		base := len(s.scratch)
		s.push(base, s.tops[u], a)
		a = s.seal(base, u)
	}
	return a
}

func (s *Store) find(list []Interval, v int32) Set {
	if len(list) == 0 || s.err != nil {
		return Empty
	}
	hash := hashOf(list)
	mask := uint32(len(s.index) - 1)
	i := hash & mask
	for ; s.index[i].set != Empty; i = (i + 1) & mask {
		if s.index[i].hash == hash && slices.Equal(s.intervals(s.index[i].set), list) {
			return s.index[i].set
		}
	}
	if !s.makeRoom(len(list)) {
		return Empty
	}
	a := Set(s.count)
	at := s.edges.add(list)
	s.nodes.Add(node{at, int32(len(list)), v})
	s.count++
	s.index[i] = place{a, hash}
	if int(s.count) > len(s.index)/4*3 {
		s.growIndex()
	}
	return a
}

// makeRoom reports whether one more node with n intervals is within the limits. If not, the store
// enters its error state.
func (s *Store) makeRoom(n int) bool {
	if s.tried > 0 && int(s.count) >= s.tried {
		return s.fail(errTried)
	}
	if s.count == math.MaxInt32 {
		return s.fail(&LimitError{fmt.Sprintf("more than %d nodes", s.count)})
	}
	return s.reserve(nodeSize + s.edges.growth(n))
}

// reserve reports whether that many more bytes are within the limit. If not, the store enters its
// error state.
func (s *Store) reserve(bytes int64) bool {
	if bytes > 0 && s.maxBytes > 0 && s.Bytes()+bytes > s.maxBytes {
		return s.fail(&LimitError{fmt.Sprintf("more than %d bytes of memory", s.maxBytes)})
	}
	return true
}

func (s *Store) fail(err error) bool {
	if s.err == nil {
		s.err = err
	}
	return false
}

// Try calls f and reports whether the store had at most that many nodes meanwhile. If f needs more,
// but stays within the limits of the store, its results are meaningless, but the store does not
// stay in the error state.
func (s *Store) Try(nodes int, f func()) bool {
	if s.err != nil {
		return false
	}
	s.tried = max(nodes, 1)
	f()
	s.tried = 0
	if s.err == errTried {
		s.err = nil
		return false
	}
	return s.err == nil
}

var errTried = errors.New("more nodes than were to be tried")

// checkEvery is how many operations on nodes are done between two checks of the context.
const checkEvery = 1024

// stopped reports whether the store is in its error state. Operations call it before they work on a
// node.
func (s *Store) stopped() bool {
	if s.since++; s.since >= checkEvery {
		s.since = 0
		if err := s.ctx.Err(); err != nil {
			s.fail(err)
		}
	}
	return s.err != nil
}

func hashOf(list []Interval) uint32 {
	h := uint64(len(list))
	for _, i := range list {
		h = (h ^ (uint64(uint32(i.Hi))<<32 | uint64(uint32(i.To)))) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return uint32(h>>32) ^ uint32(h)
}

func (s *Store) growIndex() {
	old := s.index
	if !s.reserve(int64(len(old)) * 16) {
		return
	}
	s.index = make([]place, 2*len(old))
	mask := uint32(len(s.index) - 1)
	for _, p := range old {
		if p.set == Empty {
			continue
		}
		i := p.hash & mask
		for s.index[i].set != Empty {
			i = (i + 1) & mask
		}
		s.index[i] = p
	}
}

// edgePages holds the intervals of nodes, those of a node adjacent, and never moves them: a page
// holds many short lists, or one long one.
type edgePages struct {
	list  [][]Interval
	used  int // how much of the last page is used
	bytes int64
}

const (
	edgeBits = 13
	edgeLen  = 1 << edgeBits
)

// growth returns how many bytes adding a list of n intervals allocates.
func (p *edgePages) growth(n int) int64 {
	if len(p.list) > 0 && p.used+n <= len(p.list[len(p.list)-1]) {
		return 0
	}
	return int64(max(n, edgeLen)) * 8
}

// add stores a copy of list and returns its position.
func (p *edgePages) add(list []Interval) uint32 {
	if g := p.growth(len(list)); g > 0 {
		p.bytes += g
		p.list = append(p.list, make([]Interval, g/8))
		p.used = 0
	}
	page := len(p.list) - 1
	at := uint32(page)<<edgeBits | uint32(p.used)
	copy(p.list[page][p.used:], list)
	p.used += len(list)
	if p.used >= edgeLen {
		p.used = len(p.list[page])
	}
	return at
}
