// Package slice decides formulas by their lean slices (package slice of the module).
//
// # Definitions
//
// A formula is decided by slices if it has a lean slice (package regular): it holds if
// the initial cut is in it. Three kinds more come to that. EF p holds if the slice of p
// is not empty. EF distributes over ||, lifted out of && below it. AF p is EF p for a
// disjunction p of predicates of single chains, because every run passes through all
// local states of a process.
//
// The steps are algorithms A1 (EF), A2 (AG) and A3 (EG) of Sen and Garg, Detecting
// Temporal Logic Predicates in Distributed Programs Using Computation Slicing, OPODIS
// 2003, and those for E[p U p && q] and E[q R p] of package slice. The time is linear
// in the computation for each operator.
package slice

import (
	"fmt"

	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// Prepare accepts formulas that have lean slices, and EF of such formulas.
func Prepare(p *engine.Problem, f *syntax.Formula) (*engine.Task, error) {
	if f.Op == syntax.OpEF {
		if !p.Has(f.Sub[0]) {
			return nil, nil
		}
		return task(p, "lean slice by algorithm A1",
			func() engine.Answer { return some(p, f, f.Sub) })
	}
	how := "lean slice of CETL"
	switch f.Op {
	case syntax.OpAG:
		how = "lean slice by algorithm A2"
	case syntax.OpEG:
		how = "lean slice by algorithm A3"
	case syntax.OpEU, syntax.OpER, syntax.OpEW:
	default:
		return nil, nil
	}
	if !p.Has(f) {
		return nil, nil
	}
	return task(p, how, func() engine.Answer {
		s := p.Of(f)
		if s == nil {
			return engine.Answer{}
		}
		a := engine.Answer{Verdict: engine.VerdictOf(s.Contains(p.Comp.Initial()))}
		switch {
		case f.Op == syntax.OpAG:
			if a.Verdict == engine.Holds || !p.Evidence {
				break
			}
			// A run leads to a cut outside the slice: the least one, if it is soon found.
			if cut, least, ok := p.Of(f.Sub[0]).LeastOutside(); ok {
				a.Runs = p.Shown(p.Negation(f), cut).Runs
				a.Runs[0].MaybeShorter = !least
			}
		case a.Verdict == engine.Holds:
			a.Runs = []*engine.Run{along(p, f)}
		}
		return a
	})
}

// task is the task of a formula that slices decide.
func task(p *engine.Problem, how string, decide func() engine.Answer) (*engine.Task, error) {
	return &engine.Task{
		How:    how,
		Decide: func() (engine.Answer, error) { return decide(), p.Err() },
	}, nil
}

// along shows an EG, EU, ER or EW that holds, by a run of the slice of the formula that
// has to hold along it. The run leads to the least cut where the goal holds as well, if
// there is one within reach, else to the final cut. Then EG of that formula holds, and the
// meta-events of its slice are steps of the computation.
func along(p *engine.Problem, f *syntax.Formula) *engine.Run {
	always, goal := f.Sub[0], (*syntax.Formula)(nil) // of EG
	switch f.Op {
	case syntax.OpEU, syntax.OpEW:
		always, goal = p.Along(f), f.Sub[1]
	case syntax.OpER:
		always, goal = f.Sub[1], f.Sub[0]
	}
	r := &engine.Run{Formula: f, Cut: p.Comp.Final(), Whole: true}
	along := p.Of(always)
	if goal != nil && slice.EU(along, p.Of(goal)).Contains(p.Comp.Initial()) {
		r.Cut, r.Whole = slice.And(along, p.Of(goal)).Least(), false
	}
	if p.Evidence {
		r.Events = along.Run(p.Comp.Initial(), r.Cut)
	}
	return r
}

// maxDisjuncts bounds the disjuncts that Distribute decides one by one, each in a pass over
// the whole computation.
const maxDisjuncts = 32

// Inevitable says why AF of a disjunction of predicates of single chains is EF.
const Inevitable = "as EF of the same: every run passes through all local states of a process"

// Distribute accepts EF of a disjunction of at most maxDisjuncts formulas that have
// lean slices, EF of any number of predicates of single chains, and AF of at most
// maxDisjuncts of these.
func Distribute(p *engine.Problem, f *syntax.Formula) (*engine.Task, error) {
	switch f.Op {
	case syntax.OpEF:
		all := syntax.Alternatives(f.Sub[0])
		if len(all) > maxDisjuncts && regular.SomeChain(f.Sub[0]) && !p.Comp.Cyclic() {
			return &engine.Task{
				How:    fmt.Sprintf("first event after which one of %d predicates of single chains holds", len(all)),
				Cost:   "one look at the values of each",
				Decide: func() (engine.Answer, error) { return chains(p, f, all) },
			}, nil
		}
		ds, ok := regular.Disjuncts(f.Sub[0], maxDisjuncts)
		if !ok {
			return nil, nil
		}
		for _, d := range ds {
			if !p.Has(d) {
				return nil, nil
			}
		}
		how := fmt.Sprintf("distribute over || into %d parts with lean slices", len(ds))
		return task(p, how, func() engine.Answer { return some(p, f, ds) })
	case syntax.OpAF:
		ds := syntax.Alternatives(f.Sub[0])
		if len(ds) > maxDisjuncts || !regular.SomeChain(f.Sub[0]) {
			return nil, nil
		}
		return task(p, Inevitable, func() engine.Answer {
			a := some(p, &syntax.Formula{Op: syntax.OpEF, Sub: f.Sub, Pos: f.Pos}, ds)
			a.Runs = nil
			// a run that avoids all
			if not := p.Negation(f); a.Verdict == engine.Fails && p.Of(not) != nil {
				a.Runs = []*engine.Run{along(p, not)}
			}
			return a
		})
	}
	return nil, nil
}

// some decides f, EF of a disjunction, and shows the disjunct that holds soonest.
func some(p *engine.Problem, f *syntax.Formula, ds []*syntax.Formula) engine.Answer {
	best := engine.Answer{Verdict: engine.Fails}
	for _, d := range ds {
		s := p.Of(d)
		if s == nil {
			return engine.Answer{}
		}
		if s.Empty() {
			continue
		}
		if a := p.Shown(f, s.Least()); best.Verdict != engine.Holds || p.Shorter(a, best) {
			best = a
		}
		if !p.Evidence {
			break
		}
	}
	return best
}
