package rctl

import (
	"cmp"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// begun is the least cut at which an interval of a process has begun.
type begun struct {
	process int
	cut     graphs.Cut
	size    int
}

// leastPair returns the smallest cut at which two of a family meet, found being one
// such cut, and whether that is certain. The least cut for two intervals is the
// union of those at which they begin; so only intervals that begin at cuts smaller
// than the best known one are looked at.
//
// The time complexity of leastPair is O(n·events) for the events with fewer than
// |found| events before them, and O(n·m²) for the m intervals among them.
func leastPair(c *graphs.Computation, f *syntax.Formula, found graphs.Cut, weigh func(graphs.Cut) int) (graphs.Cut, bool) {
	family, ok := familyOf(c, f)
	if !ok {
		return found, false
	}
	best, bound := found, weigh(found)
	tests := make([]*stateTest, len(family))
	var begins []begun
	for p, a := range family {
		if a == nil {
			continue
		}
		t, err := newStateTest(c, a)
		if err != nil {
			return found, false
		}
		tests[p] = t
		cut := c.Initial()
		for k := int(cut[p]); ; k++ {
			if k > int(cut[p]) {
				cut, _ = c.Above(cut, c.Event(p, k))
			}
			size := weigh(cut)
			if size >= bound {
				break
			}
			k = int(cut[p]) // a step may have several of its events
			before := k > int(c.Initial()[p]) && t.table[k-1]
			if t.table[k] && !before {
				begins = append(begins, begun{p, cut, size})
			}
			if k == int(c.Final()[p]) {
				break
			}
		}
		if len(begins) > mostBegins {
			return found, false
		}
	}
	slices.SortStableFunc(begins, func(a, b begun) int { return cmp.Compare(a.size, b.size) })
	for i, a := range begins {
		if a.size >= bound {
			break
		}
		for _, b := range begins[:i] {
			if a.process == b.process {
				continue
			}
			both := a.cut.Join(b.cut)
			if size := weigh(both); size < bound && tests[a.process].at(both) && tests[b.process].at(both) {
				best, bound = both, size
			}
		}
	}
	return best, true
}

// mostBegins bounds the intervals of which any two are compared.
const mostBegins = 1 << 11
