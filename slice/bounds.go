package slice

import (
	"cmp"
	"slices"

	"github.com/pota-project/pota/graphs"
)

// A bound says that cuts have at least, or at most, the given number of events of a process.
type bound struct{ process, events int32 }

// bounds are the bounds that a slice adds to its computation: at most one for each
// process, in the order of the processes, without those of the computation itself. A
// conjunction over n processes has n slices with one bound each, so processes without a
// bound must not use memory.
type bounds []bound

// beyond returns a bound for each process where cut differs from the computation's own
// bound.
func beyond(of, cut graphs.Cut) (b bounds) {
	for p, k := range cut {
		if k != of[p] {
			b = append(b, bound{int32(p), k})
		}
	}
	return slices.Clip(b)
}

// joined sorts bounds and keeps only the narrowest bound of each process: narrower
// returns the narrower of two.
func (b bounds) joined(narrower func(a, b int32) int32) bounds {
	slices.SortFunc(b, func(x, y bound) int { return cmp.Compare(x.process, y.process) })
	kept := b[:0]
	for _, x := range b {
		if n := len(kept); n > 0 && kept[n-1].process == x.process {
			kept[n-1].events = narrower(kept[n-1].events, x.events)
		} else {
			kept = append(kept, x)
		}
	}
	return slices.Clip(kept)
}

func larger(a, b int32) int32  { return max(a, b) }
func smaller(a, b int32) int32 { return min(a, b) }

// on returns cut with its entries replaced by the bounds.
func (b bounds) on(cut graphs.Cut) graphs.Cut {
	cut = cut.Clone()
	for _, x := range b {
		cut[x.process] = x.events
	}
	return cut
}

// floor returns the least number of events of each process in any cut of s, and ceiling the
// greatest, according to the bounds alone. The time complexity of both is O(n).
func (s *Slice) floor() graphs.Cut { return s.low.on(s.comp.Initial()) }

func (s *Slice) ceiling() graphs.Cut { return s.high.on(s.comp.Final()) }

// bounded returns the slice of the cuts between two.
func bounded(c *graphs.Computation, low, high graphs.Cut, lean bool) *Slice {
	return newSlice(c, beyond(c.Initial(), low), beyond(c.Final(), high), lean)
}

// forced returns the bound that makes e part of every cut, or nil if the computation
// already does.
func forced(c *graphs.Computation, e graphs.Event) bounds {
	if c.Has(c.Initial(), e) {
		return nil
	}
	return bounds{{int32(c.Process(e)), int32(c.Position(e))}}
}

// barred returns the bound that keeps e out of every cut, or nil if the computation
// already does.
func barred(c *graphs.Computation, e graphs.Event) bounds {
	if !c.Has(c.Final(), e) {
		return nil
	}
	return bounds{{int32(c.Process(e)), int32(c.Position(e)) - 1}}
}

// force makes e part of cut.
func force(c *graphs.Computation, cut graphs.Cut, e graphs.Event) {
	p := c.Process(e)
	cut[p] = max(cut[p], int32(c.Position(e)))
}
