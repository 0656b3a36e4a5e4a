package rctl

import (
	"fmt"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/replay"
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
	Run      []graphs.Event // the events of a meta-event stand together; nil for any run, with Options.Cuts
	Via      []graphs.Event // of any run that has first what the first of these needs, and so on
	Whole    bool
	Nearer   bool // a limit left it open whether a shorter run would do
	Children []*Evidence
}

// present makes the evidence of an answer for f and has it replayed. It is nil
// where no run shows the answer.
func (k *checker) present(f *syntax.Formula, a engine.Answer) (*Evidence, error) {
	if a.Verdict == Fails {
		f = syntax.Not(f)
	}
	f = syntax.NNF(f)
	if len(a.Runs) == 0 && shownByAnyRun(f) {
		a.Runs = []*engine.Run{{Formula: f, Cut: k.Comp.Final(), Within: k.Comp, Whole: true}}
	}
	all, err := k.presentAll(a)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	if len(all) == 1 {
		return all[0], nil
	}
	initial := k.Comp.Initial()
	return &Evidence{Formula: syntax.Tidy(f), Start: initial, Cut: initial, Children: all}, nil
}

// shownByAnyRun reports whether every run shows f, in negation normal form, where it
// holds at all: EG AG p says that p always holds, and EG EF p, as EG AF p, that it holds
// at the final cut.
func shownByAnyRun(f *syntax.Formula) bool {
	if f.Op != syntax.OpEG {
		return false
	}
	op := f.Sub[0].Op
	return op == syntax.OpAG || op == syntax.OpEF || op == syntax.OpAF
}

func (k *checker) presentAll(a engine.Answer) ([]*Evidence, error) {
	var all []*Evidence
	for _, e := range a.Runs {
		ev := &Evidence{Formula: syntax.Tidy(e.Formula), Start: k.Comp.Initial(), Cut: e.Cut, Via: e.Via, Whole: e.Whole, Nearer: e.Nearer}
		if !k.opts.Cuts || e.Within != k.Comp {
			ev.Run = e.In(k.Comp)
			if err := Replay(k.Comp, ev); err != nil {
				return nil, fmt.Errorf("bug: the evidence for %s does not replay: %w", e.Formula, err)
			}
		}
		if target := reached(ev); target != nil && !syntax.IsPropositional(target) {
			children, err := k.explain(target, e.Cut)
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
	k.from(cut, func(later *checker) engine.Answer {
		a := later.decide(later.Normal(f))
		if a.Verdict == Fails {
			err = fmt.Errorf("bug: %s was found to hold at %v, and then to fail", f, cut)
			return a
		}
		if a.Verdict == Holds && later.failure() == nil {
			children, err = later.presentAll(a)
		}
		return a
	})
	return children, err
}

// reached returns what holds at the cut at which the run of e ends for the
// formula's sake, nil for a run to the final cut.
func reached(e *Evidence) *syntax.Formula {
	if op := e.Formula.Op; e.Whole && op != syntax.OpEF && op != syntax.OpEX {
		return nil
	}
	return syntax.Goal(e.Formula)
}

// Replay checks evidence by executing its run: every step is enabled when it is
// taken, the run ends where it should, and what the formula's operator asks of the
// cuts along it is not contradicted by any variable or channel. It uses neither
// slices nor enumeration. Operators nested in the formula are not looked into; their
// own evidence is in Children, which Replay does not visit.
//
// The time complexity of Replay is O(|V|+|edges|) and an evaluation, for each
// step, of the conjuncts whose values it changes.
func Replay(c *graphs.Computation, e *Evidence) error {
	return replay.Check(c, e.Start, &engine.Run{Formula: e.Formula, Cut: e.Cut, Events: e.Run, Whole: e.Whole})
}

// Shown returns what the evidence of a verdict on f shows: f where it holds, its
// negation where it fails, in negation normal form, comparisons without a ! before
// them. The quantifiers of an f that is not resolved stay. Evidence for a part of
// f has that part of Shown(f, v), resolved, for its Formula, unless an engine put
// an equivalent one in its place.
func Shown(f *syntax.Formula, v Verdict) *syntax.Formula {
	if v == Fails {
		f = syntax.Not(f)
	}
	return syntax.Tidy(syntax.NNF(f))
}
