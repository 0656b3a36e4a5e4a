package rctl

import (
	"context"
	"errors"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/lattice"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// A checker decides formulas at the initial cut of one computation.
type checker struct {
	ctx    context.Context
	comp   *graphs.Computation
	opts   Options
	slices map[*syntax.Formula]*slice.Slice // nil where slices do not decide
	used   Engine                           // the heaviest engine so far
	err    error

	eithers map[*syntax.Formula]*syntax.Formula // p || q of E[p U q] and E[p W q], so that their slices are found again
}

func newChecker(ctx context.Context, c *graphs.Computation, opts Options) *checker {
	return &checker{ctx: ctx, comp: c, opts: opts, slices: make(map[*syntax.Formula]*slice.Slice), eithers: make(map[*syntax.Formula]*syntax.Formula)}
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
	case k.opts.Engine == Explicit:
		return k.enumerate(f)
	case syntax.IsPropositional(f):
		return k.decideState(f)
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
	return k.decide(syntax.NNF(syntax.Not(f))).not()
}

func (k *checker) use(e Engine) { k.used = max(k.used, e) }

func (k *checker) decideState(f *syntax.Formula) answer {
	p := k.compile(f)
	if p == nil {
		return unknown("")
	}
	return answer{verdict: verdictOf(p.at(k.comp.Initial(), p.env()))}
}

// all decides a conjunction part by part: a failing part shows that it fails.
func (k *checker) all(fs []*syntax.Formula) answer {
	sum := answer{verdict: Holds}
	for _, f := range fs {
		a := k.decide(f)
		switch {
		case a.verdict == Fails && (sum.verdict != Fails || shorter(a, sum)):
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

// any decides a disjunction; its dual is all.
func (k *checker) any(fs []*syntax.Formula) answer {
	sum := answer{verdict: Fails}
	for _, f := range fs {
		a := k.decide(f)
		switch {
		case a.verdict == Holds && (sum.verdict != Holds || shorter(a, sum)):
			sum = a
		case sum.verdict == Holds:
		case a.verdict == Unknown:
			sum = a
		case sum.verdict == Fails:
			sum.runs = append(sum.runs, a.runs...)
		}
		if sum.verdict == Holds && !k.opts.Evidence {
			break
		}
	}
	return sum
}

// shorter reports whether a is shown better than b: by a run at all, by a run to
// an earlier cut.
func shorter(a, b answer) bool {
	switch {
	case len(a.runs) == 0:
		return false
	case len(b.runs) == 0:
		return true
	}
	return size(a) < size(b)
}

func size(a answer) int {
	n := 0
	for _, e := range a.runs {
		n += e.cut.Size()
	}
	return n
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

// shown is the answer that f holds, by a run within a computation.
func shown(f *syntax.Formula, cut graphs.Cut, within *graphs.Computation) answer {
	return answer{verdict: Holds, runs: []*evidence{{formula: f, cut: cut, within: within}}}
}

// decideEF decides EF g for each disjunct of g.
func (k *checker) decideEF(f *syntax.Formula) answer {
	if s := k.regular(f.Sub[0]); s != nil {
		if s.Empty() {
			return answer{verdict: Fails}
		}
		return shown(f, s.Least(), k.comp)
	}
	ds, ok := disjuncts(f.Sub[0])
	if !ok {
		return k.enumerate(f)
	}
	best := answer{verdict: Fails}
	var rest []*syntax.Formula
	for _, d := range ds {
		if k.ctx.Err() != nil {
			break
		}
		s := k.regular(d)
		if s == nil {
			rest = append(rest, d)
			continue
		}
		if s.Empty() {
			continue
		}
		if a := shown(f, s.Least(), k.comp); best.verdict != Holds || shorter(a, best) {
			best = a
		}
		if !k.opts.Evidence {
			return best
		}
	}
	if len(rest) == 0 || k.err != nil {
		return best
	}
	return k.searchEF(f, rest, best)
}

// searchEF decides EF of a disjunction of formulas that have no slice of their
// own, best being the answer so far.
func (k *checker) searchEF(f *syntax.Formula, rest []*syntax.Formula, best answer) answer {
	for i, d := range rest {
		a, ok := k.searchSlice(f, d, best)
		if !ok {
			whole := &syntax.Formula{Op: syntax.OpEF, Sub: []*syntax.Formula{syntax.Or(rest[i:]...)}, Pos: f.Pos}
			a = k.enumerate(whole)
			for _, e := range a.runs {
				e.formula = f
			}
			rest = nil
		}
		switch {
		case a.verdict == Holds && (best.verdict != Holds || shorter(a, best)):
			open := best.verdict == Unknown
			best = a
			if open && len(a.runs) > 0 {
				best.runs[0].nearer = true
			}
		case a.verdict == Unknown && best.verdict == Holds:
			best.runs[0].nearer = true
		case a.verdict == Unknown:
			best = a
		}
		if rest == nil || best.verdict == Holds && !k.opts.Evidence {
			break
		}
	}
	return best
}

// searchSlice decides EF d for a conjunction of parts that have slices and parts
// without temporal operators, by visiting the cuts of the slice. It is not ok
// where d has other parts or none with a slice.
func (k *checker) searchSlice(f, d *syntax.Formula, best answer) (answer, bool) {
	if k.opts.Engine == Slice {
		return answer{}, false
	}
	var sliced []*slice.Slice
	var states []*syntax.Formula
	for _, part := range conjuncts(d) {
		if s := k.regular(part); s != nil {
			sliced = append(sliced, s)
		} else if syntax.IsPropositional(part) {
			states = append(states, part)
		} else {
			return answer{}, false
		}
	}
	if len(sliced) == 0 {
		sliced = append(sliced, slice.All(k.comp))
	}
	s := slice.And(sliced...)
	if s.Empty() {
		return answer{verdict: Fails}, true
	}
	test, err := newStateTest(k.comp, syntax.And(states...))
	if err != nil {
		k.err = err
		return unknown(""), true
	}
	k.use(Explicit)
	least, bound := graphs.Cut(nil), -1
	if best.verdict == Holds {
		bound = size(best)
	}
	base := s.Least().Size()
	err = lattice.Walk(k.ctx, s.Computation(), lattice.Limits{Bytes: k.opts.MaxMemory}, func(level int, cut graphs.Cut) bool {
		if bound >= 0 && base+level >= bound {
			return true
		}
		if n := cut.Size(); (bound < 0 || n < bound) && test.at(cut) {
			least, bound = cut.Clone(), n
		}
		return least != nil && !k.opts.Evidence
	})
	switch {
	case least != nil:
		return shown(f, least, k.comp), true
	case err != nil:
		return unknown(limitReason(err)), true
	}
	return answer{verdict: Fails}, true
}

func (k *checker) decideEG(f *syntax.Formula) answer {
	s := k.regular(f)
	if s == nil {
		return k.enumerate(f)
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
	switch f.Op {
	case syntax.OpEU:
		if a, ok := k.distribute(f); ok {
			return a
		}
	case syntax.OpEW:
		// E[f W g] = E[f U g] || EG f
		until := &syntax.Formula{Op: syntax.OpEU, Sub: f.Sub, Pos: f.Pos}
		always := &syntax.Formula{Op: syntax.OpEG, Sub: f.Sub[:1], Pos: f.Pos}
		if k.opts.Engine == Slice || k.regular(always) != nil {
			return k.any([]*syntax.Formula{until, always})
		}
	}
	return k.enumerate(f)
}

// distribute decides E[p U q] for each disjunct of q, if q has several.
func (k *checker) distribute(f *syntax.Formula) (answer, bool) {
	ds, ok := disjuncts(f.Sub[1])
	if !ok || len(ds) < 2 {
		return answer{}, false
	}
	untils := make([]*syntax.Formula, len(ds))
	for i, d := range ds {
		untils[i] = &syntax.Formula{Op: syntax.OpEU, Sub: []*syntax.Formula{f.Sub[0], d}, Pos: f.Pos}
		if k.regular(untils[i]) == nil {
			return answer{}, false
		}
	}
	return k.any(untils), true
}

// untilRun shows a regular E[p U q], E[q R p] or E[p W q] by a run of
// the slice of p to the least cut of p && q where there is one within reach.
func (k *checker) untilRun(f *syntax.Formula) *evidence {
	p, q := f.Sub[1], f.Sub[0] // of E[q R p]
	if f.Op != syntax.OpER {
		p, q = k.along(f), f.Sub[1]
	}
	ps, qs := k.regular(p), k.regular(q)
	if !slice.EU(ps, qs).Contains(k.comp.Initial()) {
		return k.wholeRun(f, p)
	}
	e := &evidence{formula: f, cut: slice.And(ps, qs).Least()}
	if k.opts.Evidence {
		e.within = ps.Computation()
	}
	return e
}

// decideAG decides AG g. Where g has a slice, the least cut outside it is the
// counterexample.
func (k *checker) decideAG(f *syntax.Formula) answer {
	negation := syntax.NNF(syntax.Not(f)) // EF !g
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
			a.runs = shown(negation, cut, k.comp).runs
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
		return answer{verdict: Fails, runs: k.decideEG(syntax.NNF(syntax.Not(f))).runs}
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

// enumerate decides f by enumeration of all cuts, where that is allowed.
func (k *checker) enumerate(f *syntax.Formula) answer {
	if k.opts.Engine == Slice {
		return unknown(sliceReason(k.comp, f))
	}
	if k.err != nil {
		return unknown("")
	}
	k.use(Explicit)
	roots := []*syntax.Formula{f}
	if k.opts.Evidence {
		roots = append(roots, syntax.NNF(syntax.Not(f)))
	}
	x, err := runExplicit(k.ctx, k.comp, k.opts.MaxMemory, roots...)
	if err != nil {
		if !isLimit(err) && !isLatticeLimit(err) {
			k.err = err
		}
		return unknown(limitReason(err))
	}
	a := answer{verdict: verdictOf(x.at(f, 0, 0))}
	switch {
	case !k.opts.Evidence:
	case a.verdict == Holds:
		a.runs = x.runs(roots[0])
	default:
		a.runs = x.runs(roots[1])
	}
	return a
}

func isLatticeLimit(err error) bool {
	var limit *lattice.LimitError
	return errors.As(err, &limit)
}

func limitReason(err error) string {
	var limit *lattice.LimitError
	if errors.As(err, &limit) {
		return "enumerating the cuts: " + limit.Reason
	}
	return reasonOf(err)
}

// sliceReason says why slices do not decide f.
func sliceReason(c *graphs.Computation, f *syntax.Formula) string {
	text := f.String()
	if class := Classify(c, f); len(class.Leaves) > 0 {
		return "slices do not decide " + text + ": " + class.Leaves[0].Reason
	}
	return "slices do not decide " + text
}
