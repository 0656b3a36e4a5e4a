package rctl

import (
	"context"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// A checker decides formulas at the initial cut of one computation.
type checker struct {
	*memo
	ctx  context.Context
	comp *graphs.Computation
	opts Options
	used Engine // the heaviest engine so far
	err  error

	projection *projection // comp is the projection's, nil where it is the whole computation
}

func newChecker(ctx context.Context, c *graphs.Computation, opts Options) *checker {
	return &checker{memo: newMemo(), ctx: ctx, comp: c, opts: opts}
}

// An answer is a verdict with the runs that show it: of formulas that hold at the
// initial cut and together imply the formula, or its negation where it fails.
type answer struct {
	verdict Verdict
	reason  string // of Unknown
	runs    []*evidence
}

func (a answer) not() answer { return answer{a.verdict.not(), a.reason, a.runs} }

func unknown(reason string) answer { return answer{reason: reason} }

// An evidence is a formula, rooted at an E operator, that holds at the initial
// cut, with a run that shows it: to a cut, or to the final one.
type evidence struct {
	formula *syntax.Formula
	cut     graphs.Cut
	whole   bool
	nearer  bool                // a shorter run may exist
	run     []graphs.Event      // nil until asked for where within is set
	within  *graphs.Computation // the run is any run of this from the initial cut to cut
}

func (e *evidence) events(c *graphs.Computation) []graphs.Event {
	if e.within != nil {
		e.run, e.within = e.within.Topological(c.Initial(), e.cut), nil
	}
	return e.run
}

// decide decides a formula in negation normal form.
func (k *checker) decide(f *syntax.Formula) answer {
	if err := k.ctx.Err(); err != nil {
		return unknown(reasonOf(err))
	}
	switch {
	case syntax.IsPropositional(f):
		return k.decideState(f)
	case k.opts.Engine > Slice:
		return k.forced(f)
	}
	switch f.Op {
	case syntax.OpAnd:
		return k.all(f.Sub)
	case syntax.OpOr:
		return k.any(f.Sub)
	case syntax.OpEX:
		return k.next(f)
	case syntax.OpEF:
		return k.decideEF(f)
	case syntax.OpEG:
		return k.decideEG(f)
	case syntax.OpEU, syntax.OpER, syntax.OpEW:
		return k.decideUntil(f)
	case syntax.OpAG:
		return k.decideAG(f)
	case syntax.OpAF:
		if g := k.someChain(f.Sub[0]); g != nil {
			// Every run passes through all local states of a process.
			return k.decideAFChain(f, g)
		}
	}
	return k.decide(k.negation(f)).not()
}

func (k *checker) use(e Engine) { k.used = max(k.used, e) }

func (k *checker) decideState(f *syntax.Formula) answer {
	p := k.compile(f)
	if p == nil {
		return unknown("")
	}
	return answer{verdict: verdictOf(p.at(k.comp.Initial(), p.env()))}
}

// all decides a conjunction part by part, any a disjunction.
func (k *checker) all(fs []*syntax.Formula) answer { return k.conjoin(fs, k.decide) }

func (k *checker) any(fs []*syntax.Formula) answer {
	return k.conjoin(fs, func(f *syntax.Formula) answer { return k.decide(f).not() }).not()
}

// conjoin decides whether all parts hold: one that fails shows that they do not,
// the one with the shortest run best.
func (k *checker) conjoin(fs []*syntax.Formula, decide func(*syntax.Formula) answer) answer {
	sum := answer{verdict: Holds}
	for _, f := range fs {
		a := decide(f)
		switch {
		case a.verdict == Fails && (sum.verdict != Fails || k.shorter(a, sum)):
			sum = a
		case sum.verdict == Fails:
		case a.verdict == Unknown:
			sum = a
		case sum.verdict == Holds:
			sum.runs = append(sum.runs, a.runs...)
		}
		if sum.verdict == Fails && !k.opts.Evidence {
			break
		}
	}
	return sum
}

// shorter reports whether a is shown better than b: by a run at all, by a run to
// an earlier cut.
func (k *checker) shorter(a, b answer) bool {
	switch {
	case len(a.runs) == 0:
		return false
	case len(b.runs) == 0:
		return true
	}
	return k.size(a) < k.size(b)
}

// size adds up the events to the cuts of a's runs.
func (k *checker) size(a answer) int {
	n := 0
	for _, e := range a.runs {
		n += k.weigh(e.cut)
	}
	return n
}

// weigh counts the events of a cut; for a projection, those of the least cut of
// the whole computation that it stands for.
func (k *checker) weigh(cut graphs.Cut) int {
	if k.projection != nil {
		cut = k.projection.cut(cut)
	}
	return cut.Size()
}

// next decides EX by looking at each cut that follows the initial one.
func (k *checker) next(f *syntax.Formula) answer {
	sum := answer{verdict: Fails}
	for p := range k.comp.NumProcesses() {
		at := k.comp.Initial()[p]
		if int(at) >= k.comp.Len(p) {
			continue
		}
		e := k.comp.Event(p, int(at)+1)
		if k.comp.Step(e)[0] != e || !k.comp.Enabled(k.comp.Initial(), e) {
			continue
		}
		cut := k.comp.Execute(k.comp.Initial(), e)
		a := k.from(cut, func(k *checker) answer { return k.decide(f.Sub[0]) })
		switch a.verdict {
		case Holds:
			ev := &evidence{formula: f, cut: cut, within: k.comp}
			return answer{verdict: Holds, runs: []*evidence{ev}}
		case Unknown:
			sum = answer{verdict: Unknown, reason: a.reason}
		}
	}
	return sum
}

// from decides at a later cut.
func (k *checker) from(cut graphs.Cut, decide func(*checker) answer) answer {
	later := newChecker(k.ctx, k.comp.From(cut), k.opts)
	a := decide(later)
	k.use(later.used)
	if later.err != nil {
		k.err = later.err
	}
	return a
}

// shown is the answer that f holds, by a run to a cut.
func (k *checker) shown(f *syntax.Formula, cut graphs.Cut) answer {
	return answer{verdict: Holds, runs: []*evidence{{formula: f, cut: cut, within: k.comp}}}
}

// decideEF decides EF g. Where g has no slice but is a disjunction of not too many
// formulas that have, it looks at each.
func (k *checker) decideEF(f *syntax.Formula) answer {
	if s := k.regular(f.Sub[0]); s != nil {
		if s.Empty() {
			return answer{verdict: Fails}
		}
		return k.shown(f, s.Least())
	}
	if k.opts.Engine != Slice {
		if a, ok := k.byPairs(f); ok {
			return a
		}
	}
	ds, ok := disjuncts(f.Sub[0])
	if !ok || len(ds) > mostDistributed {
		return k.beyond(f)
	}
	best := answer{verdict: Fails}
	for _, d := range ds {
		s := k.regular(d)
		if s == nil {
			if k.opts.Engine != Slice {
				if a, ok := k.byFlow(f); ok {
					return a
				}
			}
			return k.beyond(f)
		}
		if s.Empty() {
			continue
		}
		if a := k.shown(f, s.Least()); best.verdict != Holds || k.shorter(a, best) {
			best = a
		}
		if !k.opts.Evidence {
			break
		}
	}
	return best
}

// mostDistributed bounds the disjuncts that are looked at one by one, each in a
// pass over the whole trace.
const mostDistributed = 32

func (k *checker) decideEG(f *syntax.Formula) answer {
	s := k.regular(f)
	if s == nil {
		if k.opts.Engine != Slice {
			if a, ok := k.byIntervals(f); ok {
				return a
			}
		}
		return k.beyond(f)
	}
	if !s.Contains(k.comp.Initial()) {
		return answer{verdict: Fails}
	}
	return answer{verdict: Holds, runs: []*evidence{k.wholeRun(f, f.Sub[0])}}
}

// wholeRun shows E[… for ever] by a run of the slice of p: where EG p holds, its
// meta-events are steps of the computation.
func (k *checker) wholeRun(f, p *syntax.Formula) *evidence {
	e := &evidence{formula: f, cut: k.comp.Final(), whole: true}
	if k.opts.Evidence {
		e.within = k.regular(p).Computation()
	}
	return e
}

// decideUntil decides E[p U q], E[q R p] and E[p W q].
func (k *checker) decideUntil(f *syntax.Formula) answer {
	if s := k.regular(f); s != nil {
		if !s.Contains(k.comp.Initial()) {
			return answer{verdict: Fails}
		}
		return answer{verdict: Holds, runs: []*evidence{k.untilRun(f)}}
	}
	return k.beyond(f)
}

// untilRun shows a regular E[p U q], E[q R p] or E[p W q] by a run of the slice of
// p to the least cut of p && q where there is one within reach.
func (k *checker) untilRun(f *syntax.Formula) *evidence {
	p, q := f.Sub[1], f.Sub[0] // of E[q R p]
	if f.Op != syntax.OpER {
		p, q = k.along(f), f.Sub[1]
	}
	if e := k.untilRunOf(f, k.regular(p), k.regular(q)); e != nil {
		return e
	}
	return k.wholeRun(f, p)
}

// untilRunOf is a run of the slice p to the least cut that is in q too, nil where
// there is none from the initial cut.
func (k *checker) untilRunOf(f *syntax.Formula, p, q *slice.Slice) *evidence {
	if !slice.EU(p, q).Contains(k.comp.Initial()) {
		return nil
	}
	e := &evidence{formula: f, cut: slice.And(p, q).Least()}
	if k.opts.Evidence {
		e.within = p.Computation()
	}
	return e
}

// decideAG decides AG g. Where g has a slice, the least cut outside it is the
// counterexample.
func (k *checker) decideAG(f *syntax.Formula) answer {
	negation := k.negation(f) // EF !g
	s := k.regular(f)
	if s == nil {
		return k.decide(negation).not()
	}
	if s.Contains(k.comp.Initial()) {
		return answer{verdict: Holds}
	}
	a := answer{verdict: Fails}
	if k.opts.Evidence {
		if cut, ok := k.regular(f.Sub[0]).LeastOutside(); ok {
			a.runs = k.shown(negation, cut).runs
		}
	}
	return a
}

// decideAFChain decides AF g for a disjunction g of predicates of single chains,
// as EF g. A run that avoids g shows that it fails.
func (k *checker) decideAFChain(f, g *syntax.Formula) answer {
	a := k.decideEF(&syntax.Formula{Op: syntax.OpEF, Sub: []*syntax.Formula{g}, Pos: f.Pos})
	switch a.verdict {
	case Holds:
		return answer{verdict: Holds}
	case Fails:
		return answer{verdict: Fails, runs: k.decideEG(k.negation(f)).runs}
	}
	return a
}

// someChain returns g if it is a disjunction of predicates of single chains, nil
// otherwise.
func (k *checker) someChain(g *syntax.Formula) *syntax.Formula {
	for _, d := range alternatives(g) {
		if _, _, ok := syntax.ChainOf(d); !ok {
			return nil
		}
	}
	return g
}
