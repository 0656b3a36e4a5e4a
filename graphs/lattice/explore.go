package lattice

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
)

// Limits bounds what Explore and Count may use; 0 stands for no limit.
type Limits struct {
	Cuts  int64 // the number of cuts visited, or of intermediate states of Count
	Bytes int64 // the memory held, as estimated from the sizes of tables
	Steps int64 // how many links between processes Count may visit
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

// checkEvery is how many cuts are computed between two checks of the limits and the context.
const checkEvery = 2048

// Levels holds all cuts of a computation, level by level. It is not safe for concurrent use.
type Levels struct {
	walk  *Walk
	keys  [][]uint64 // the packed cuts of each level
	total int64
}

// Explore computes all levels of c. An empty computation has none. The error is ctx.Err(), or a
// *LimitError.
//
// The time complexity of Explore is O(cuts·(n+needs)), where needs counts the edges into the next
// events of a cut, and its space complexity O(cuts·words).
func Explore(ctx context.Context, c *graphs.Computation, lim Limits) (*Levels, error) {
	l := &Levels{walk: NewWalk(c)}
	if c.Empty() {
		return l, nil
	}
	words := l.walk.space.words
	level, next := dense.NewTable[uint64](words), dense.NewTable[uint64](words)
	level.Add(l.walk.Initial())
	l.total = 1
	kept := int64(0) // how many bytes the earlier levels hold
	since := 0       // how many cuts were expanded since the last check
	for level.Len() > 0 {
		l.keys = append(l.keys, slices.Clone(level.Keys()))
		kept += int64(len(level.Keys()))*8 + 24
		next.Reset(level.Len())
		for i := range level.Len() {
			l.walk.Successors(level.Key(i), next.Add)
			if since++; since < checkEvery {
				continue
			}
			since = 0
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if lim.Bytes > 0 && kept+level.Bytes()+next.Bytes() > lim.Bytes {
				return nil, tooLarge(lim.Bytes)
			}
			if next.Len() > math.MaxInt32/4 {
				return nil, tooMany(math.MaxInt32/4, "cuts in one level")
			}
		}
		if l.total += int64(next.Len()); lim.Cuts > 0 && l.total > lim.Cuts {
			return nil, tooMany(lim.Cuts, "cuts")
		}
		// The tables are swapped to reuse their memory.
		level, next = next, level
	}
	return l, nil
}

// NumLevels returns the number of levels: one more than the number of meta-events between the
// initial and the final cut, or 0 for an empty computation.
func (l *Levels) NumLevels() int { return len(l.keys) }

// Total returns the number of cuts.
func (l *Levels) Total() int64 { return l.total }

// Len returns the number of cuts of a level.
func (l *Levels) Len(level int) int { return len(l.keys[level]) / l.walk.space.words }

// key returns the i-th packed cut of a level.
func (l *Levels) key(level, i int) []uint64 {
	words := l.walk.space.words
	return l.keys[level][i*words : (i+1)*words]
}

// Cut writes the i-th cut of a level to into, which may be nil, and returns it.
func (l *Levels) Cut(level, i int, into graphs.Cut) graphs.Cut {
	return l.walk.Cut(l.key(level, i), into)
}

// Successors calls visit for each cut of a level in order, with the numbers of its successors in
// the next level, ordered by the least process of the step. The slice is valid only during the
// call; it is empty for the final cut.
//
// The time complexity of Successors is that of Explore for the two levels.
func (l *Levels) Successors(level int, visit func(i int, successors []int32)) {
	next := dense.NewTable[uint64](l.walk.space.words)
	if level+1 < len(l.keys) {
		next.Adopt(l.keys[level+1])
	}
	var successors []int32
	for i := range l.Len(level) {
		successors = successors[:0]
		l.walk.Successors(l.key(level, i), func(key []uint64) {
			at, _ := next.Find(key)
			successors = append(successors, at)
		})
		visit(i, successors)
	}
}
