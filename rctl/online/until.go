package online

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/syntax"
)

// E[p U q] with p a conjunction of predicates of single chains needs the window alone. On
// a run through cuts with p every chain passes through states with its predicate only, and
// conversely, as each chain passes through all of its states. So the cuts that are reached
// through cuts with p are those without any event after which a predicate of p does not
// hold. Every cut D from which a new one is reached in one step contains G; if it is
// reached through cuts with p, then so is G, which has no more events, and D is reached from
// G, as what is between them has no such event either. So while G has none, E[p U q] says at G
// what it says at the beginning, unless it holds already; and once G has one, no cut still
// to come is reached, and it fails.

// along returns p of E[p U q], one formula for each chain predicate; nil for a formula of
// another form.
func along(f *syntax.Formula) []*syntax.Formula {
	if f.Op != syntax.OpEU || !syntax.IsPropositional(f.Sub[0]) || !syntax.IsPropositional(f.Sub[1]) ||
		!regular.SomeChain(syntax.NNF(syntax.Not(f.Sub[0]))) {
		return nil
	}
	return syntax.Conjuncts(f.Sub[0])
}

// barred notes that p is final at a moment because G will have an event after which no
// other cut is reached.
func (p *part) barred(at *moment) error {
	w, _, err := at.plain()
	if err != nil {
		return err
	}
	floor := at.stream.Floor()
	forgotten := func(e graphs.Event) bool { // or is going to be
		process := w.Computation.Process(e)
		return w.Index(e) < 0 || floor != nil && w.Known(e, process) <= floor[process]
	}
	for _, f := range p.along {
		predicate, err := atoms.Compile(w.Computation, f)
		if err != nil {
			return err
		}
		for e, holds := range states(w.Computation, predicate) {
			if holds || e != graphs.Bottom && !forgotten(e) {
				continue
			}
			if p.known = rctl.Fails; p.kind == universal {
				p.known = rctl.Holds
			}
			return nil
		}
	}
	return nil
}
