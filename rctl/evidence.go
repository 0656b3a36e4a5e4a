package rctl

import (
	"fmt"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// Evidence is a run that shows why Formula holds at the cut Start: for EF, EU and
// EX a run to a cut that satisfies what they reach for; for EG, and for ER and EW
// that never reach it, a run to the final cut (Whole). For EF no run to such a cut
// has fewer events, nor for EU, unless Nearer is set.
//
// The evidence of a failing formula shows its negation. Where several runs are
// needed, or a formula holds for the sake of the operators nested in it, Children
// show those from the cut at which the run ends.
type Evidence struct {
	Formula  *syntax.Formula // in negation normal form
	Start    graphs.Cut
	Cut      graphs.Cut     // after the run
	Run      []graphs.Event // the events of a meta-event stand together
	Whole    bool
	Nearer   bool // a limit left it open whether a shorter run would do
	Children []*Evidence
}

// present makes the evidence of an answer for f and has it replayed. It is nil
// where no run shows the answer.
func (k *checker) present(f *syntax.Formula, a answer) (*Evidence, error) {
	all, err := k.presentAll(a)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	if len(all) == 1 {
		return all[0], nil
	}
	if a.verdict == Fails {
		f = syntax.Not(f)
	}
	initial := k.comp.Initial()
	return &Evidence{Formula: tidy(syntax.NNF(f)), Start: initial, Cut: initial, Children: all}, nil
}

func (k *checker) presentAll(a answer) ([]*Evidence, error) {
	var all []*Evidence
	for _, e := range a.runs {
		ev := &Evidence{Formula: tidy(e.formula), Start: k.comp.Initial(), Cut: e.cut, Run: e.events(k.comp), Whole: e.whole, Nearer: e.nearer}
		if err := Replay(k.comp, ev); err != nil {
			return nil, fmt.Errorf("bug: the evidence for %s does not replay: %w", e.formula, err)
		}
		if target := reached(ev); target != nil && !syntax.IsPropositional(target) {
			children, err := k.explain(target, e.cut)
			if err != nil {
				return nil, err
			}
			ev.Children = children
		}
		all = append(all, ev)
	}
	return all, nil
}

// explain shows why f holds at a later cut.
func (k *checker) explain(f *syntax.Formula, cut graphs.Cut) (children []*Evidence, err error) {
	k.from(cut, func(later *checker) answer {
		a := later.decide(later.normal(f))
		if a.verdict == Fails {
			err = fmt.Errorf("bug: %s was found to hold at %v, and then to fail", f, cut)
			return a
		}
		if a.verdict == Holds && later.err == nil {
			children, err = later.presentAll(a)
		}
		return a
	})
	return children, err
}

// reached returns what holds at the cut at which the run of e ends for the
// formula's sake, nil for a run to the final cut.
func reached(e *Evidence) *syntax.Formula {
	f := e.Formula
	switch f.Op {
	case syntax.OpEF, syntax.OpEX:
		return f.Sub[0]
	case syntax.OpEU, syntax.OpEW, syntax.OpER:
		if e.Whole {
			return nil
		}
		if f.Op == syntax.OpER {
			return syntax.And(f.Sub...)
		}
		return f.Sub[1]
	}
	return nil
}
