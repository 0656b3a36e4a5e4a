package atoms

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Test is a predicate for evaluation at many cuts, with a table if it is of one process. It must
// not be used by several goroutines at once.
type Test struct {
	States []bool // by state of the process; nil if the predicate is not about one process

	predicate *Predicate
	process   int
	chains    []int          // processes of the slots
	env       []graphs.Value // values of the slots at last
	last      graphs.Cut     // nil before the first call
}

// NewTest makes a test of a resolved formula without temporal operators. The error
// is a *ValuesError. The time complexity of NewTest is O(|f|) and, where f is of
// one process, O(events of the process + changes · |f|).
func NewTest(c *graphs.Computation, f *syntax.Formula) (*Test, error) {
	p, err := Compile(c, f)
	if err != nil {
		return nil, err
	}
	t := &Test{predicate: p, env: p.Env()}
	for i := range p.Slots {
		t.chains = append(t.chains, p.Slots[i].Chain().Process)
	}
	if h, ok := p.Chain(); ok && h.Shared == nil {
		t.process, t.States = h.Process, Along(p).States(c, h.Process)
	}
	return t, nil
}

// At reports whether the predicate holds at a cut. The time complexity of At is O(1) where the
// predicate is of one process. Elsewhere only the slots of processes that have moved since the last
// call are read anew.
func (t *Test) At(cut graphs.Cut) bool {
	if t.States != nil {
		return t.States[cut[t.process]]
	}
	for i, p := range t.chains {
		if t.last == nil || p == graphs.Shared || t.last[p] != cut[p] {
			t.env[i] = t.predicate.Slots[i].At(t.predicate.comp, cut)
		}
	}
	t.last = append(t.last[:0], cut...)
	return t.predicate.Of(t.env)
}
