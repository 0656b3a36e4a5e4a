package rctl

import (
	"fmt"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/ends"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/internal/replay"
	"github.com/pota-project/pota/rctl/syntax"
)

// Evidence is a run that shows why Formula holds at the cut Start: for EF, EU and EX a run to a cut
// that satisfies what they reach for; for EG, and for ER and EW that never reach it, a run to the
// final cut (Whole). For EF and EU no run to such a cut has fewer events, or MaybeShorter is set.
//
// The evidence of a failing formula shows its negation. If several runs are needed, or the formula
// holds because of operators nested in it, Children show those from the end of the run on.
type Evidence struct {
	Formula *syntax.Formula // in negation normal form
	Start   graphs.Cut
	Cut     graphs.Cut // the cut at the end of the run
	// the run, as Unrolled returns it; nil if any run will do, with Options.Cuts
	Run []graphs.Event
	// with Run nil: the run must first execute what Via[0] needs, then what Via[1] needs, …
	Via          []graphs.Event
	Whole        bool
	MaybeShorter bool // whether a limit left open that a shorter run exists
	Children     []*Evidence
}

// present makes the evidence of an answer for f and replays it. It returns nil if no run shows the
// answer.
func (k *checker) present(f *syntax.Formula, a engine.Answer) (*Evidence, error) {
	if a.Verdict == Fails {
		f = syntax.Not(f)
	}
	f = syntax.NNF(f)
	k.Ends = ends.NewMemo()
	all, err := k.presentAll(f, a)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	if len(all) == 1 {
		return all[0], nil
	}
	initial := k.Comp.Initial()
	return &Evidence{Formula: k.Tidy(f), Start: initial, Cut: initial, Children: all}, nil
}

// runsFor returns the least number of runs needed to show f, a formula in negation normal form that
// holds.
func runsFor(f *syntax.Formula) int {
	n := 0
	switch {
	case syntax.IsExistential(f):
		return 1
	case f.Op == syntax.OpAnd:
		for _, sub := range f.Sub {
			n += runsFor(sub)
		}
	case f.Op == syntax.OpOr:
		n = runsFor(f.Sub[0])
		for _, sub := range f.Sub[1:] {
			n = min(n, runsFor(sub))
		}
	}
	return n
}

// runs returns the runs that show f, a formula in negation normal form that holds: the known ones
// and, if there are too few of them, others from an engine that finds them soon.
func (k *checker) runs(f *syntax.Formula, known []*engine.Run) []*engine.Run {
	switch {
	case len(known) >= runsFor(f):
		return known
	case k.shownByAnyRun(f):
		return []*engine.Run{{Formula: f, Cut: k.Comp.Final(), Within: k.Comp, Whole: true}}
	case f.Op == syntax.OpAnd:
		of := make(map[string]*engine.Run)
		for _, r := range known {
			of[r.Formula.String()] = r
		}
		var all []*engine.Run
		for _, sub := range syntax.Conjuncts(f) {
			if r := of[k.Normal(sub).String()]; r != nil {
				all = append(all, r)
			} else {
				all = append(all, k.runs(sub, nil)...)
			}
		}
		return all
	case f.Op == syntax.OpOr:
		defer func(e Engine) { k.opts.Engine = e }(k.opts.Engine)
		k.opts.Engine = Auto // the requested engine decided the whole formula
		for _, sub := range f.Sub {
			if k.decide(k.Normal(sub)).Verdict != Holds {
				continue
			}
			if runs := k.runs(sub, nil); len(runs) > 0 {
				return runs
			}
		}
		return nil
	case k.exceeds(shortenWork):
		return nil
	}
	if normal := k.Normal(f); syntax.IsExistential(normal) {
		f = normal // else, as for E[true R q], no run is needed to decide it
	}
	v := k.smallView(f)
	for _, c := range candidates {
		if c.prepare == nil || v == nil {
			continue
		}
		if t, err := c.prepare(v.Problem, f); err == nil && t != nil {
			if b := k.run(v, t); b.Verdict == Holds && len(b.Runs) > 0 {
				return b.Runs
			}
		}
	}
	return nil
}

// shownByAnyRun reports whether every run shows f, a formula in negation normal form that holds. EG
// AG p says that p always holds, EG EF p and EG AF p say that p holds at the final cut. EG AX p
// says the same as AG AX p if !p is a disjunction of predicates of single chains.
func (k *checker) shownByAnyRun(f *syntax.Formula) bool {
	if f.Op != syntax.OpEG {
		return false
	}
	sub := f.Sub[0]
	return sub.Op == syntax.OpAG || sub.Op == syntax.OpEF || sub.Op == syntax.OpAF ||
		sub.Op == syntax.OpAX && regular.SomeChain(k.Negation(sub.Sub[0]))
}

// presentAll makes the evidence of an answer. f is in negation normal form and holds.
func (k *checker) presentAll(f *syntax.Formula, a engine.Answer) ([]*Evidence, error) {
	end := k.withEvidenceBudget(0)
	runs := k.runs(f, a.Runs)
	end()
	var all []*Evidence
	for _, e := range runs {
		ev := &Evidence{
			Formula:      k.Tidy(e.Formula),
			Start:        k.Comp.Initial(),
			Cut:          e.Cut,
			Via:          e.Via,
			Whole:        e.Whole,
			MaybeShorter: e.MaybeShorter,
		}
		if !k.opts.Cuts || e.Within != k.Comp {
			ev.Run = k.Comp.Unrolled(e.In(k.Comp))
			if err := Replay(k.Comp, ev); err != nil {
				return nil, fmt.Errorf("bug: the evidence for %s does not replay: %w", e.Formula, err)
			}
		}
		// A whole run of EG, ER or EW never reaches the goal.
		op := ev.Formula.Op
		if target := syntax.Goal(ev.Formula); (!e.Whole || op == syntax.OpEF || op == syntax.OpEX) &&
			target != nil && !syntax.IsPropositional(target) {
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
		if a.Verdict == Unknown && later.opts.Engine != Auto {
			later.opts.Engine = Auto // the requested engine decided another formula
			a = later.decide(later.Normal(f))
		}
		if a.Verdict == Fails {
			err = fmt.Errorf("bug: %s was found to hold at %v, and then to fail", f, cut)
			return a
		}
		if a.Verdict == Holds && later.failure() == nil {
			children, err = later.presentAll(later.Normal(f), a)
		}
		return a
	})
	return children, err
}

// Replay checks evidence by executing its run. It checks that every step is enabled when it is
// taken, that no event of a step comes before one of its causes, that the run ends at the right
// cut, and that no variable or channel contradicts the formula's operator at the cuts on the way.
// It uses neither slices nor enumeration. It does not check operators nested in the formula: their
// own evidence is in Children, which Replay does not visit.
//
// The time complexity of Replay is O(|V|+|edges|) and, for each step, an evaluation of
// the conjuncts that read the values changed by it.
func Replay(c *graphs.Computation, e *Evidence) error {
	if err := replay.Check(c, e.Start, &engine.Run{Formula: e.Formula, Cut: e.Cut, Events: e.Run, Whole: e.Whole}); err != nil {
		return err
	}
	cut := e.Start.Clone()
	for _, x := range e.Run {
		for _, f := range c.Causes(x) {
			if !c.Has(cut, f) {
				return fmt.Errorf("%s stands before %s, which caused it", c.ID(x), c.ID(f))
			}
		}
		cut[c.Process(x)]++
	}
	return nil
}

// Shown returns the formula that the evidence of a verdict on f shows: f if it holds, its negation
// if it fails, in negation normal form, without a ! before comparisons. The quantifiers of an
// unresolved f stay. Evidence for a part of f has as its Formula that part of Shown(f, v), resolved,
// or an equivalent formula that an engine put in its place.
func Shown(f *syntax.Formula, v Verdict) *syntax.Formula {
	if v == Fails {
		f = syntax.Not(f)
	}
	return syntax.Tidy(syntax.NNF(f))
}
