package rctl

import (
	"context"
	"fmt"
	"iter"
	"math/big"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/effort"
	"github.com/pota-project/pota/rctl/internal/ends"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/explicit"
	"github.com/pota-project/pota/rctl/internal/flow"
	"github.com/pota-project/pota/rctl/internal/intervals"
	"github.com/pota-project/pota/rctl/internal/ist"
	"github.com/pota-project/pota/rctl/internal/local"
	"github.com/pota-project/pota/rctl/internal/project"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/internal/sat"
	slices "github.com/pota-project/pota/rctl/internal/slice"
	"github.com/pota-project/pota/rctl/syntax"
)

// An Engine decides formulas.
type Engine uint8

// The engines. A decision is named for the last of its engines in this order.
const (
	Auto      Engine = iota // any engine, from the cheapest
	Slice                   // lean slices and exact rewritings
	Ends                    // values at the first and the last cut
	Intervals               // two predicates at once, EG of a disjunction, AF of a conjunction
	Flow                    // bounds on sums, by minimum cuts and searches for runs
	SAT                     // EF and AG of Boolean predicates, by satisfiability
	Local                   // search from cut to cut
	IST                     // interval sharing trees
	Explicit                // enumeration of cuts
)

var engineNames = [...]string{
	Auto:      "auto",
	Slice:     "slice",
	Ends:      "ends",
	Intervals: "intervals",
	Flow:      "flow",
	SAT:       "sat",
	Local:     "local",
	IST:       "ist",
	Explicit:  "explicit",
}

// String returns the name of the engine, as on the command line.
func (e Engine) String() string { return engineNames[e] }

// Engines lists the names of the engines.
func Engines() []string { return engineNames[:] }

// ParseEngine returns the engine of that name.
func ParseEngine(name string) (Engine, bool) {
	for e, n := range engineNames {
		if n == name {
			return Engine(e), true
		}
	}
	return Auto, false
}

// A candidate is an engine or a rewriting, with the properties that the planner uses.
type candidate struct {
	engine    Engine
	prepare   engine.Engine // nil if rewrite is set
	rewrite   func(*checker, *syntax.Formula) (s step, ok bool)
	universal bool // whether it accepts formulas with an A operator at the root
	projected bool // whether it works on the projection to the visible events
	// whether the reason given is that of the engine before if it does not decide either
	fallback bool
	anyRun   bool // whether it may find a run that is not the shortest
}

// candidates are tried in this order, from the cheapest to the most expensive.
var candidates []candidate

// Rewritings use the candidates themselves, so that an initializer of the variable would be circular.
func init() {
	candidates = []candidate{
		{engine: Ends, prepare: ends.Prepare, universal: true},
		{engine: Slice, prepare: slices.Prepare, universal: true},
		{engine: Intervals, prepare: intervals.Overlap},
		{engine: Slice, prepare: slices.Distribute, universal: true},
		{engine: Intervals, prepare: intervals.Prepare},
		{engine: Intervals, prepare: intervals.Until, anyRun: true},
		{engine: Ends, prepare: ends.PrepareAny, anyRun: true},
		{engine: Flow, prepare: flow.Prepare, anyRun: true},
		{engine: Intervals, prepare: intervals.Inevitable, projected: true, anyRun: true},
		{engine: Flow, prepare: flow.Runs, projected: true},
		{engine: Local, prepare: many(4096, local.PrepareFew), projected: true, anyRun: true},
		{engine: Flow, prepare: flow.Until, projected: true, anyRun: true},
		{engine: SAT, prepare: sat.Prepare, projected: true},
		{engine: Explicit, prepare: few(64, explicit.Prepare), projected: true},
		{engine: IST, prepare: few(4096, ist.Prepare), projected: true},
		{engine: Auto, rewrite: (*checker).constant},
		{engine: Auto, rewrite: (*checker).now},
		{engine: Auto, rewrite: (*checker).reachable},
		{engine: Auto, rewrite: (*checker).sufficient},
		{engine: Auto, rewrite: (*checker).late},
		{engine: Auto, rewrite: (*checker).approach},
		{engine: Auto, rewrite: (*checker).split},
		{engine: Local, prepare: local.Prepare, projected: true, anyRun: true},
		{engine: IST, prepare: ist.Prepare, projected: true},
		{engine: Explicit, prepare: explicit.Prepare, projected: true, fallback: true},
	}
}

// takesAll reports whether the engine accepts every formula. If it is requested by name, no formula
// is rewritten for it.
func (e Engine) takesAll() bool { return e == IST || e == Explicit }

// few restricts an engine to computations with few cuts, on which it finishes before later engines
// have prepared.
func few(cuts int64, prepare engine.Engine) engine.Engine { return restricted(cuts, false, prepare) }

// many restricts an engine to computations that may have more cuts.
func many(cuts int64, prepare engine.Engine) engine.Engine { return restricted(cuts, true, prepare) }

// restricted is many, or few if more is not set.
func restricted(cuts int64, more bool, prepare engine.Engine) engine.Engine {
	return func(p *engine.Problem, f *syntax.Formula) (*engine.Task, error) {
		if Bound(p.Comp).Cmp(big.NewInt(cuts)) > 0 != more {
			return nil, nil
		}
		return prepare(p, f)
	}
}

// Bound returns an upper bound for the number of cuts of c: the product of the
// lengths of its processes, each plus one.
func Bound(c *graphs.Computation) *big.Int {
	n := big.NewInt(1)
	for p := range c.NumProcesses() {
		n.Mul(n, big.NewInt(int64(c.Final()[p]-c.Initial()[p])+1))
	}
	return n
}

// A step is a way to decide a formula: a rewriting, or the task of an engine.
type step struct {
	engine    Engine
	how, cost string
	comp      *graphs.Computation // the computation that the engine sees
	parts     []*syntax.Formula   // the formulas that a rewriting leads to
	partial   bool                // whether the next step may be needed even without limits
	fallback  bool
	next      int // the number of the next candidate if this step may give up, else 0
	decide    func() engine.Answer
}

// steps yields the ways to decide f, a formula in negation normal form, in the order of
// the attempts, beginning with candidate number from: plan prints them, decide takes
// them. No step is prepared before its turn.
//
// No other function knows which engines can decide a formula. A rewriting that makes
// the formula smaller comes first. Then come the engines in the order of candidates; a
// formula with an A operator at the root is offered to few of them, and otherwise decided
// by its dual. Engines that can take exponential time work on the projection to the events
// that the formula can see. With EX or AX these are all events.
//
// A formula inside a temporal operator is never decided within a slice of another: the
// runs of a slice are not those of the computation.
func (k *checker) steps(f *syntax.Formula, from int) iter.Seq[step] {
	return func(yield func(step) bool) {
		if from == 0 {
			if s, ok := k.smaller(f); ok {
				yield(s)
				return
			}
			if s, ok := k.simpler(f); ok {
				yield(s)
				return
			}
		}
		all := k.opts.Engine.takesAll() || syntax.IsExistential(f)
		var v *view
		for i, c := range candidates[from:] {
			next := from + i + 1
			if k.opts.Engine != Auto && k.opts.Engine != c.engine || !all && !c.universal {
				continue
			}
			if c.prepare == nil {
				s, ok := c.rewrite(k, f)
				if s.next = next; ok && !yield(s) {
					return
				}
				continue
			}
			if v == nil || c.projected && !v.projected {
				if v = k.view(f, c.projected); v == nil {
					return
				}
			}
			t, err := c.prepare(v.Problem, f)
			if err != nil {
				k.fail(err)
				return
			}
			if t == nil {
				continue
			}
			s := k.task(f, c, v, t)
			if (t.Partial || c.engine > Flow) && !candidates[next%len(candidates)].fallback {
				s.next = next
			}
			if !yield(s) {
				return
			}
		}
		if !all {
			yield(k.dual(f))
		}
	}
}

// rewriting is the step that leads to parts.
func (k *checker) rewriting(how string, decide func() engine.Answer, parts ...*syntax.Formula) step {
	return step{engine: Slice, how: how, cost: "that of the parts", comp: k.Comp, parts: parts, decide: decide}
}

// attempt is a rewriting that may leave f undecided even without limits.
func (k *checker) attempt(how string, decide func() engine.Answer, parts ...*syntax.Formula) step {
	s := k.rewriting(how, decide, parts...)
	s.partial = true
	return s
}

// smaller is the step that leads to smaller formulas, at the same cut or at the cuts that follow. It
// returns ok = false if there is none.
func (k *checker) smaller(f *syntax.Formula) (s step, ok bool) {
	switch {
	case syntax.IsPropositional(f):
		decide := func() engine.Answer { return k.evaluate(f) }
		return step{engine: Slice, how: "evaluate at the initial cut", cost: "one look at the values", comp: k.Comp, decide: decide}, true
	case k.opts.Engine.takesAll():
	case f.Op == syntax.OpAnd:
		return k.rewriting("decide each part", func() engine.Answer { return k.conjoin(f.Sub, (*checker).decide) }, f.Sub...), true
	case f.Op == syntax.OpOr:
		return k.rewriting("decide each part", func() engine.Answer { return k.any(f.Sub) }, f.Sub...), true
	case f.Op == syntax.OpEX && k.opts.Engine <= Slice:
		return k.rewriting("decide at each cut that follows the initial one", func() engine.Answer { return k.next(f) }, f.Sub...), true
	}
	return step{}, false
}

// simpler is the step that leads to a simpler formula with the truth of f at all cuts. It returns
// ok = false if there is none, or if slices decide f unchanged.
func (k *checker) simpler(f *syntax.Formula) (s step, ok bool) {
	if k.opts.Engine != Auto || k.Has(f) || f.Op == syntax.OpEF && k.Has(f.Sub[0]) {
		return step{}, false
	}
	g, like, err := ends.Simplify(k.Problem, f)
	if err != nil {
		k.fail(err)
		return step{}, false
	}
	decide := func() engine.Answer {
		a := k.decide(g)
		if like {
			relabel(a.Runs, g, f)
			relabel(a.Runs, k.Negation(g), k.Negation(f))
		}
		return a
	}
	return k.rewriting("leave out what is the same at all cuts", decide, g), g != f
}

// relabel turns the runs for g into runs for f.
func relabel(runs []*engine.Run, g, f *syntax.Formula) {
	for _, r := range runs {
		if r.Formula == g {
			r.Formula = f
		}
	}
}

// dual is the step for a formula with an A operator at the root that no engine accepts.
func (k *checker) dual(f *syntax.Formula) step {
	if f.Op == syntax.OpAF && k.opts.Engine <= Slice && regular.SomeChain(f.Sub[0]) {
		ef := syntax.New(syntax.OpEF, f.Pos, f.Sub...)
		return k.rewriting(slices.Inevitable, func() engine.Answer {
			a := k.decide(ef)
			a.Runs = nil
			if a.Verdict == Fails { // shown by a run that never reaches the goal
				a.Runs = k.decide(k.Negation(f)).Runs
			}
			return a
		}, ef)
	}
	not := k.Negation(f)
	return k.rewriting("decide the negation", func() engine.Answer { return k.decide(not).Not() }, not)
}

// A view is the part of the problem that engines see for one formula: all events or, if projected
// is set and they are few enough, only the visible ones.
type view struct {
	*engine.Problem
	projected  bool
	projection *project.Projection // nil if engines see all events
}

// view returns the view for f, or nil if values were not read.
func (k *checker) view(f *syntax.Formula, projected bool) *view {
	v := &view{Problem: k.Problem, projected: projected}
	if !projected || k.opts.NoProjection || syntax.HasNext(f) {
		return v
	}
	p, err := project.New(k.Comp, f)
	if err != nil {
		k.fail(err)
		return nil
	}
	if p != nil {
		v.projection = p
		v.Problem = newProblem(k.Ctx, p.Comp, regular.NewMemo(), k.opts)
		v.Size = func(cut graphs.Cut) int { return p.Cut(cut).Size() }
	}
	return v
}

// task is the step that an engine has prepared.
func (k *checker) task(f *syntax.Formula, c candidate, v *view, t *engine.Task) step {
	return step{
		engine: c.engine, how: t.How, cost: t.Cost, comp: v.Comp, partial: t.Partial, fallback: c.fallback,
		decide: func() engine.Answer {
			before := effort.Spent(k.Ctx)
			a := k.run(v, t)
			if a.Verdict != engine.Unknown || a.Reason != "" {
				k.used = max(k.used, c.engine)
			}
			if c.anyRun && a.Verdict == Holds && len(a.Runs) > 0 && a.Runs[0].MaybeShorter {
				a = k.shorten(f, a, effort.Spent(k.Ctx)-before)
			}
			return a
		},
	}
}

// A Plan says how Check decides a formula: the way, the engine, the number of visible
// events, and the plans of the formulas needed for that.
type Plan struct {
	Formula  *syntax.Formula
	Fragment syntax.Fragment
	Engine   Engine
	How      string
	Visible  int // how many events the engine sees
	// an upper bound on the cuts of those events: the product of the processes' numbers of states
	Cuts  *big.Int
	Cost  string // the expected cost, in words
	Parts []*Plan
}

// MakePlan returns the plan for deciding f, resolved in the scope of c, at c's initial cut: the
// steps that Check takes, up to the first that is sure to decide each formula within the limits. It
// prepares engines as far as they need to see whether they apply, but decides nothing. It plans the
// operands of EX and AX at the initial cut, too, where they may be easier than at the cuts after it.
func MakePlan(ctx context.Context, c *graphs.Computation, f *syntax.Formula, opts Options) (*Plan, error) {
	if c.Empty() {
		return nil, ErrEmpty
	}
	k := newChecker(ctx, c, regular.NewMemo(), opts)
	p := k.plan(k.Normal(f))
	return p, k.failure()
}

// plan follows the steps for f without taking them, up to the first that is sure to
// decide it.
func (k *checker) plan(f *syntax.Formula) *Plan {
	p := &Plan{Formula: f, Fragment: Classify(k.Comp, f).Fragment, How: k.unfit(f), Visible: k.Comp.NumEvents(), Cuts: Bound(k.Comp)}
	before := "" // the descriptions of the partial steps so far
	for s := range k.steps(f, 0) {
		p.Engine = s.engine
		p.How, p.Cost = before+s.how, s.cost
		if s.cost == "" {
			n := 0 // slices need a pass for each operator
			syntax.Walk(f, func(f *syntax.Formula) bool {
				n++
				return !syntax.OfOneChain(f)
			})
			p.Cost = fmt.Sprintf("linear: about %d passes over %d events", n, s.comp.NumEvents())
		}
		p.Visible, p.Cuts = s.comp.NumEvents(), Bound(s.comp)
		if s.partial {
			before += s.how + "; else "
			continue
		}
		for _, part := range s.parts {
			q := k.plan(part)
			p.Engine = max(p.Engine, q.Engine)
			p.Parts = append(p.Parts, q)
		}
		break
	}
	return p
}
