package rctl

import (
	"errors"
	"math/big"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/ist"
	"github.com/pota-project/pota/graphs/lattice"
	"github.com/pota-project/pota/rctl/syntax"
)

// beyond decides a formula rooted at an E operator that slices do not decide, by
// the cheapest of the other engines that does, on the events that it can see.
func (k *checker) beyond(f *syntax.Formula) answer {
	if k.opts.Engine == Slice {
		return unknown(sliceReason(k.comp, f))
	}
	return k.projected(f, (*checker).climb)
}

// forced decides a formula by one engine other than slices. Those that know only
// some operators decide what Boolean combinations and dualities lead to.
func (k *checker) forced(f *syntax.Formula) answer {
	switch k.opts.Engine {
	case IST:
		return k.projected(f, (*checker).byTrees)
	case Explicit:
		return k.projected(f, (*checker).enumerate)
	case Union:
		return k.projected(f, only(Union, (*checker).byUnion))
	}
	switch {
	case f.Op == syntax.OpAnd:
		return k.all(f.Sub)
	case f.Op == syntax.OpOr:
		return k.any(f.Sub)
	case !isExistential(f):
		return k.decide(k.negation(f)).not()
	case f.Op == syntax.OpEF && k.opts.Engine == Pairs:
		return only(Pairs, (*checker).byPairs)(k, f)
	case f.Op == syntax.OpEF && k.opts.Engine == Flow:
		return only(Flow, (*checker).byFlow)(k, f)
	case f.Op == syntax.OpEF && k.opts.Engine == SAT:
		return k.projected(f, only(SAT, (*checker).bySAT))
	case f.Op == syntax.OpEG && k.opts.Engine == Intervals:
		return only(Intervals, (*checker).byIntervals)(k, f)
	}
	return unfit(k.opts.Engine, f)
}

// only makes an engine that may not know a formula's kind say so.
func only(e Engine, try func(*checker, *syntax.Formula) (answer, bool)) func(*checker, *syntax.Formula) answer {
	return func(k *checker, f *syntax.Formula) answer {
		if a, ok := try(k, f); ok {
			return a
		}
		return unfit(e, f)
	}
}

func unfit(e Engine, f *syntax.Formula) answer {
	return unknown("engine " + e.String() + " does not decide " + brief(f))
}

// brief prints f, cut short where a quantifier over many processes made it long.
func brief(f *syntax.Formula) string {
	const most = 200
	text := []rune(f.String())
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

// projected decides f on the projection to the events that it can see, where
// there is one, and lifts the runs that are found.
func (k *checker) projected(f *syntax.Formula, decide func(*checker, *syntax.Formula) answer) answer {
	if k.projection != nil || k.opts.NoProjection || hasNext(f) {
		return decide(k, f)
	}
	p, err := project(k.comp, f)
	switch {
	case err != nil:
		k.err = err
		return unknown("")
	case p == nil:
		return decide(k, f)
	}
	inner := newChecker(k.ctx, p.comp, k.opts)
	inner.projection = p
	a := decide(inner, f)
	k.use(inner.used)
	if inner.err != nil {
		k.err = inner.err
	}
	for i, e := range a.runs {
		a.runs[i] = p.lift(e)
	}
	return a
}

// climb tries the engines from the cheapest to the dearest.
func (k *checker) climb(f *syntax.Formula) answer {
	if a, ok := k.byUnion(f); ok {
		return a
	}
	if f.Op == syntax.OpEF {
		if a, ok := k.bySAT(f); ok && (a.verdict != Unknown || k.ctx.Err() != nil) {
			return a
		}
	}
	if Bound(k.comp).Cmp(fewCuts) <= 0 {
		return k.enumerate(f)
	}
	a := k.byTrees(f)
	if a.verdict == Unknown && k.ctx.Err() == nil && k.err == nil {
		if b := k.enumerate(f); b.verdict != Unknown {
			return b
		}
	}
	return a
}

// fewCuts are enumerated sooner than trees are built.
var fewCuts = big.NewInt(64)

// byTrees decides f by interval sharing trees.
func (k *checker) byTrees(f *syntax.Formula) answer {
	k.use(IST)
	roots := k.roots(f)
	t, err := runTrees(k.ctx, k.comp, k.opts.MaxMemory, roots...)
	if err != nil {
		return k.limited(err, "interval sharing trees: ")
	}
	if k.projection != nil {
		t.weigh = k.weigh
	}
	a := answer{verdict: verdictOf(t.holds(f))}
	if k.opts.Evidence {
		a.runs = t.runs(shows(a.verdict, roots))
	}
	return a
}

// roots are the formulas an engine has to evaluate: f, and its negation where
// that may have to be shown.
func (k *checker) roots(f *syntax.Formula) []*syntax.Formula {
	if k.opts.Evidence {
		return []*syntax.Formula{f, k.negation(f)}
	}
	return []*syntax.Formula{f}
}

// shows returns which of the roots holds.
func shows(v Verdict, roots []*syntax.Formula) *syntax.Formula {
	if v == Holds {
		return roots[0]
	}
	return roots[1]
}

// limited turns an engine's error into an answer: a limit leaves the formula
// undecided.
func (k *checker) limited(err error, engine string) answer {
	var cuts *lattice.LimitError
	var nodes *ist.LimitError
	var clauses *satMemoryError
	switch {
	case errors.As(err, &cuts):
		return unknown(engine + cuts.Reason)
	case errors.As(err, &nodes):
		return unknown(engine + nodes.Reason)
	case errors.As(err, &clauses):
		return unknown(engine + clauses.Error())
	case !isLimit(err):
		k.err = err
	}
	return unknown(reasonOf(err))
}

// byUnion decides f by unions of slices, if they do.
func (k *checker) byUnion(f *syntax.Formula) (answer, bool) {
	members, ok := k.union(f)
	if !ok {
		return answer{}, false
	}
	k.use(Union)
	for _, m := range members {
		if m.Contains(k.comp.Initial()) {
			a := answer{verdict: Holds}
			if k.opts.Evidence {
				a.runs = k.unionRuns(f)
			}
			return a, true
		}
	}
	a := answer{verdict: Fails}
	if k.opts.Evidence {
		if not := k.negation(f); isExistential(not) {
			a.runs = k.unionRuns(not)
		}
	}
	return a, true
}

func isExistential(f *syntax.Formula) bool {
	switch f.Op {
	case syntax.OpEX, syntax.OpEF, syntax.OpEG, syntax.OpEU, syntax.OpER, syntax.OpEW:
		return true
	}
	return false
}

// unionRuns shows a formula that holds at the initial cut, as far as unions of
// slices know a run.
func (k *checker) unionRuns(f *syntax.Formula) []*evidence {
	best := answer{}
	try := func(e *evidence) {
		if a := (answer{runs: []*evidence{e}}); k.shorter(a, best) {
			best = a
		}
	}
	switch f.Op {
	case syntax.OpEF:
		members, _ := k.union(f.Sub[0])
		for _, m := range members {
			if !m.Empty() {
				try(&evidence{formula: f, cut: m.Least(), within: k.comp})
			}
		}
	case syntax.OpEU, syntax.OpER:
		p, q := f.Sub[0], f.Sub[1]
		if f.Op == syntax.OpER {
			p, q = q, p
		}
		along := k.regular(p)
		if along == nil {
			return nil
		}
		members, _ := k.union(q)
		for _, m := range members {
			if e := k.untilRunOf(f, along, m); e != nil {
				try(e)
			}
		}
		if len(best.runs) == 0 && f.Op == syntax.OpER {
			return []*evidence{k.wholeRun(f, p)}
		}
	case syntax.OpOr:
		for _, sub := range f.Sub {
			if a, ok := k.byUnion(sub); ok && a.verdict == Holds {
				return a.runs
			}
		}
	case syntax.OpAnd:
		var all []*evidence
		for _, sub := range f.Sub {
			all = append(all, k.unionRuns(sub)...)
		}
		return all
	}
	return best.runs
}

// enumerate decides f by enumeration of all cuts.
func (k *checker) enumerate(f *syntax.Formula) answer {
	if k.err != nil {
		return unknown("")
	}
	k.use(Explicit)
	roots := k.roots(f)
	x, err := runExplicit(k, roots...)
	if err != nil {
		return k.limited(err, "enumerating the cuts: ")
	}
	a := answer{verdict: verdictOf(x.at(f, 0, 0))}
	if k.opts.Evidence {
		a.runs = x.runs(shows(a.verdict, roots))
	}
	return a
}

// sliceReason says why slices do not decide f.
func sliceReason(c *graphs.Computation, f *syntax.Formula) string {
	text := brief(f)
	if class := Classify(c, f); len(class.Leaves) > 0 {
		return "slices do not decide " + text + ": " + class.Leaves[0].Reason
	}
	return "slices do not decide " + text
}
