package slice

import (
	"sync"

	"github.com/pota-project/pota/graphs"
)

// A Slice is a set of cuts of a computation, closed under union and
// intersection. Slices are immutable and safe for concurrent use.
type Slice struct {
	comp *graphs.Computation

	low   bounds // the least number of events that every cut has of these processes
	high  bounds // the greatest number of events that any cut has of these processes
	edges []edges
	needs []need
	ahead []*lookahead

	none bool // whether it is the slice for false; the other fields then mean nothing
	lean bool

	least    lazy // nil if the slice is empty
	greatest lazy
}

// lazy is a cut that is computed on first use.
type lazy struct {
	once sync.Once
	cut  graphs.Cut
}

func (l *lazy) get(find func() graphs.Cut) graphs.Cut {
	l.once.Do(func() { l.cut = find() })
	return l.cut
}

// edges is a list of added edges between events.
type edges struct {
	list  []graphs.Edge
	chain bool // whether every edge leads from a later to an earlier event of one chain
}

// need says that a cut that is not within above contains require.
type need struct{ above, require graphs.Cut }

// A lookahead says for each u of events: if u reaches v in the slice under, a cut with v
// has u. The bounds of under are ignored.
type lookahead struct {
	under  *Slice
	events []graphs.Event
}

func newSlice(c *graphs.Computation, low, high bounds, lean bool) *Slice {
	return &Slice{comp: c, low: low, high: high, lean: lean}
}

// All returns the slice for true: every cut of c.
func All(c *graphs.Computation) *Slice { return newSlice(c, nil, nil, true) }

// UpTo returns the slice of the cuts of c that are within cut, a cut of c.
func UpTo(c *graphs.Computation, cut graphs.Cut) *Slice { return Between(c, c.Initial(), cut) }

// Between returns the slice of the cuts of c that contain low and are within high, both cuts of c.
func Between(c *graphs.Computation, low, high graphs.Cut) *Slice { return bounded(c, low, high, true) }

// None returns the empty slice, the slice for false.
func None(c *graphs.Computation) *Slice {
	s := newSlice(c, nil, nil, true)
	s.none = true
	return s
}

// Of returns the computation that s is a slice of.
func (s *Slice) Of() *graphs.Computation { return s.comp }

// Lean reports whether all cuts of s are known to satisfy its predicate. A cut of a slice
// that is not lean need not satisfy it.
func (s *Slice) Lean() bool { return s.lean }

// Empty reports whether s has no cut.
func (s *Slice) Empty() bool { return s.Least() == nil }

// Least returns the least cut of s, or nil if s is empty. The cut must not be changed.
// The first call of Least or Empty takes O(|V|+|edges|) time.
func (s *Slice) Least() graphs.Cut { return s.least.get(s.findLeast) }

// Greatest returns the greatest cut of s, or nil if s is empty. The cut must not be
// changed. The first call takes O(|V|+|edges|) time.
func (s *Slice) Greatest() graphs.Cut {
	return s.greatest.get(func() graphs.Cut {
		if s.Empty() {
			return nil
		}
		return newSearch(newLayers(s), true, s.comp.AllEvents()).run(s.ceiling())
	})
}

// Contains reports whether cut, a consistent cut of the computation, is in s.
// The time complexity of Contains is O(n+|added edges|), and O(|V|+|edges|) for
// slices of E[p U q] and E[q R p].
func (s *Slice) Contains(cut graphs.Cut) bool {
	if s.none {
		return false
	}
	for _, b := range s.low {
		if cut[b.process] < b.events {
			return false
		}
	}
	for _, b := range s.high {
		if cut[b.process] > b.events {
			return false
		}
	}
	for _, l := range s.edges {
		for _, e := range l.list {
			if s.comp.Has(cut, e.To) && !s.comp.Has(cut, e.From) {
				return false
			}
		}
	}
	for _, d := range s.needs {
		if !cut.Within(d.above) && !d.require.Within(cut) {
			return false
		}
	}
	if len(s.ahead) == 0 {
		return true
	}
	least, ok := s.Above(cut)
	return ok && least.Equal(cut)
}

// Above returns the least cut of s that contains cut, and whether there is one.
// The time complexity of Above is O(|V|+|edges|).
func (s *Slice) Above(cut graphs.Cut) (graphs.Cut, bool) {
	if s.Empty() {
		return nil, false
	}
	least := newSearch(newLayers(s), false, s.comp.NoEvents()).run(s.floor(), cut)
	return least, least.Within(s.ceiling())
}

// findLeast finds the least cut, or nil if s is empty. If s has only bounds, it starts from the
// initial cut, whose events need not be visited again.
func (s *Slice) findLeast() graphs.Cut {
	if s.none {
		return nil
	}
	from := s.comp.Initial()
	if len(s.edges)+len(s.needs)+len(s.ahead) > 0 {
		from = s.comp.NoEvents()
	}
	least := newSearch(newLayers(s), false, from).run(s.floor())
	if !least.Within(s.ceiling()) {
		return nil
	}
	return least
}
