package lattice

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
)

// Limits bounds what Explore and Count may use; 0 stands for no limit.
type Limits struct {
	Cuts  int64 // cuts visited, or intermediate states of Count
	Bytes int64 // memory held, as estimated from the sizes of tables
	Steps int64 // of Count: how often it looks at what two processes exchange
}

// A LimitError names the limit that was reached.
type LimitError struct{ Reason string }

// Error names the limit.
func (e *LimitError) Error() string { return "lattice: " + e.Reason }

func tooMany(n int64, what string) error {
	return &LimitError{fmt.Sprintf("more than %s %s", grouped(n), what)}
}

func tooLarge(n int64) error {
	return &LimitError{fmt.Sprintf("more than %s bytes of memory", grouped(n))}
}

// grouped writes n with commas between thousands.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// checkEvery is how many cuts are made between two looks at limits and deadline.
const checkEvery = 2048

// Levels holds all cuts of a computation, level by level.
type Levels struct {
	space *space
	keys  [][]uint64 // packed cuts of each level
	total int64
}

// Explore computes all levels of c. An empty computation has none. The error is ctx.Err(), or a
// *LimitError.
//
// The time complexity of Explore is O(cuts·(n+needs)), needs the edges into the
// next events of a cut, the space complexity O(cuts·words).
func Explore(ctx context.Context, c *graphs.Computation, lim Limits) (*Levels, error) {
	l := new(Levels)
	var block arena
	e := newExplorer(ctx, c, lim)
	l.space = e.space
	for ok := !c.Empty(); ok; {
		l.keys = append(l.keys, block.keep(e.level.Keys()))
		l.total += int64(e.level.Len())
		e.kept = block.bytes + int64(cap(l.keys))*24
		var err error
		if ok, err = e.advance(); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// An explorer holds one level and makes the next one of it.
type explorer struct {
	ctx   context.Context
	lim   Limits
	space *space
	level *dense.Table[uint64] // of packed cuts
	next  *dense.Table[uint64]
	kept  int64 // bytes that the caller holds
	total int64 // cuts up to level
	since int   // cuts looked at since the last check
}

// newExplorer begins with the level of the initial cut.
func newExplorer(ctx context.Context, c *graphs.Computation, lim Limits) *explorer {
	s := newSpace(c)
	e := &explorer{ctx: ctx, lim: lim, space: s, level: dense.NewTable[uint64](s.words),
		next: dense.NewTable[uint64](s.words), total: 1}
	e.level.Add(make([]uint64, s.words))
	return e
}

// advance makes the next level, and reports whether it has any cut.
func (e *explorer) advance() (bool, error) {
	s := e.space
	e.next.Reset(e.level.Len())
	counts := make([]int32, len(s.process))
	key := make([]uint64, s.words)
	for i := range e.level.Len() {
		from := e.level.Key(i)
		s.unpack(from, counts)
		for p := range counts {
			if step := s.enabled(counts, p); step >= 0 {
				copy(key, from)
				s.execute(key, step)
				e.next.Add(key)
			}
		}
		if e.since++; e.since == checkEvery {
			e.since = 0
			if err := e.check(); err != nil {
				return false, err
			}
		}
	}
	if e.lim.Cuts > 0 && e.total+int64(e.next.Len()) > e.lim.Cuts {
		return false, tooMany(e.lim.Cuts, "cuts")
	}
	e.total += int64(e.next.Len())
	// The tables change places, so that their memory is used again.
	e.level, e.next = e.next, e.level
	return e.level.Len() > 0, nil
}

// check returns an error if a limit is reached or the context is done.
func (e *explorer) check() error {
	if err := e.ctx.Err(); err != nil {
		return err
	}
	if e.lim.Cuts > 0 && e.total+int64(e.next.Len()) > e.lim.Cuts {
		return tooMany(e.lim.Cuts, "cuts")
	}
	if e.lim.Bytes > 0 && e.kept+e.level.Bytes()+e.next.Bytes() > e.lim.Bytes {
		return tooLarge(e.lim.Bytes)
	}
	if e.next.Len() > math.MaxInt32/4 {
		return tooMany(math.MaxInt32/4, "cuts in one level")
	}
	return nil
}

// An arena keeps copies of levels without an allocation for each small one.
type arena struct {
	free  []uint64
	bytes int64
}

const arenaBlock = 1 << 13

// keep copies keys. Large levels get a block of their own, so that little room is wasted.
func (a *arena) keep(keys []uint64) []uint64 {
	if len(keys) > len(a.free) {
		n := max(len(keys), arenaBlock)
		if len(keys) > arenaBlock/4 {
			n = len(keys)
		}
		block := make([]uint64, n)
		a.bytes += int64(n) * 8
		if n == len(keys) {
			copy(block, keys)
			return block
		}
		a.free = block
	}
	kept := a.free[:len(keys):len(keys)]
	a.free = a.free[len(keys):]
	copy(kept, keys)
	return kept
}

// NumLevels returns the number of levels: one more than the meta-events between
// the initial and the final cut, 0 for an empty computation.
func (l *Levels) NumLevels() int { return len(l.keys) }

// Total returns the number of cuts.
func (l *Levels) Total() int64 { return l.total }

// Len returns the number of cuts of a level.
func (l *Levels) Len(level int) int { return len(l.keys[level]) / l.space.words }

// Cut writes the i-th cut of a level to into and returns it. Into may be nil.
func (l *Levels) Cut(level, i int, into graphs.Cut) graphs.Cut {
	counts := make([]int32, len(l.space.process))
	l.space.unpack(l.keys[level][i*l.space.words:], counts)
	return l.space.cut(counts, into)
}

// Successors calls visit for each cut of a level in order, with the numbers of its successors in
// the next level, ordered by the least process that takes part. The slice is valid during the call
// only; the final cut has an empty one.
//
// The time complexity of Successors is that of Explore for the two levels.
func (l *Levels) Successors(level int, visit func(i int, successors []int32)) {
	s := l.space
	next := dense.NewTable[uint64](s.words)
	if level+1 < len(l.keys) {
		next.Adopt(l.keys[level+1])
	}
	counts := make([]int32, len(s.process))
	key := make([]uint64, s.words)
	var successors []int32
	for i := range l.Len(level) {
		from := l.keys[level][i*s.words : (i+1)*s.words]
		s.unpack(from, counts)
		successors = successors[:0]
		for p := range counts {
			if step := s.enabled(counts, p); step >= 0 {
				copy(key, from)
				s.execute(key, step)
				at, _ := next.Find(key)
				successors = append(successors, at)
			}
		}
		visit(i, successors)
	}
}
