package pairs

import (
	"cmp"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// begun is the least cut at which an interval of a process has begun.
type begun struct {
	process int
	cut     graphs.Cut
	size    int
}

// least returns the smallest cut at which two of a family hold, found being one
// such cut, and whether that is certain. The least cut for two intervals is the
// union of those at which they begin; so only intervals that begin at cuts smaller
// than the best known one are looked at.
//
// The time complexity of least is O(n·events) for the events with fewer than
// |found| events before them, and O(n·m²) for the m intervals among them. It gives up
// where that is too much.
func least(p *engine.Problem, family []*syntax.Formula, found graphs.Cut) (cut graphs.Cut, proven bool, err error) {
	c := p.Comp
	n := c.NumProcesses()
	if n > mostProcesses {
		return found, false, nil
	}
	best, bound := found, p.Weigh(found)
	tests := make([]*atoms.Test, len(family))
	var begins []begun
	work := 0
	for q, a := range family {
		if a == nil {
			continue
		}
		test, err := atoms.NewTest(c, a)
		if err != nil {
			return found, false, err
		}
		tests[q] = test
		cut, before := c.Initial(), false
		for k := int(cut[q]); ; k++ {
			if k > int(cut[q]) {
				cut, _ = c.Above(cut, c.Event(q, k))
			}
			size := p.Weigh(cut)
			if size >= bound {
				break
			}
			if work += n; work > mostWork {
				return found, false, nil
			}
			k = int(cut[q]) // a step may have several of its events
			if test.States[k] && !before {
				begins = append(begins, begun{q, cut, size})
			}
			before = test.States[k]
			if k == int(c.Final()[q]) {
				break
			}
		}
		if len(begins) > mostBegins {
			return found, false, nil
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
			if size := p.Weigh(both); size < bound && tests[a.process].At(both) && tests[b.process].At(both) {
				best, bound = both, size
			}
		}
	}
	return best, true, nil
}

// What is spent in search of the smallest cut, which no verdict waits for.
const (
	mostProcesses = 5000
	mostWork      = 1e8     // entries of cuts
	mostBegins    = 1 << 11 // intervals of which any two are compared
)
