package rctl

import (
	"cmp"
	"context"
	"runtime"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/internal/effort"
	"github.com/pota-project/pota/rctl/internal/ends"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/ist"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/internal/sat"
	"github.com/pota-project/pota/rctl/syntax"
)

// A checker decides formulas at the initial cut of one computation.
type checker struct {
	*engine.Problem
	opts Options
	used Engine // the last of the engines used so far, in the order of their constants
	err  error

	cores cores // the cores it may still use; nil if it must use only its own

	nexts *nextMemo      // not nil below EX
	since []graphs.Event // the events from the initial cut of nexts to k's own, in increasing order
}

// newChecker returns a checker that may use all the cores that the options allow.
func newChecker(ctx context.Context, c *graphs.Computation, memo *regular.Memo, opts Options) *checker {
	n := opts.Cores
	if n == 0 {
		n = runtime.GOMAXPROCS(0)
	}
	return &checker{Problem: newProblem(ctx, c, memo, opts), opts: opts, cores: make(cores, n-1)}
}

// withEvidenceBudget limits what k spends on better evidence, which no verdict waits for, to
// evidenceSteps plus twice the given steps. It uses one core, so that the evidence is
// deterministic. The function returned ends the limit.
func (k *checker) withEvidenceBudget(steps int64) (end func()) {
	ctx, cores := k.Ctx, k.cores
	var cancel context.CancelFunc
	k.Ctx, cancel = effort.Limited(ctx, cmp.Or(k.opts.evidenceSteps, evidenceSteps)+2*steps)
	k.cores = nil
	return func() {
		cancel()
		k.Ctx, k.cores = ctx, cores
		if engine.IsLimit(k.err) && ctx.Err() == nil {
			k.err = nil // the budget is spent, but the decision goes on
		}
	}
}

// evidenceSteps take about a fifth of a second.
const evidenceSteps int64 = 1 << 19

// newProblem returns the problem that engines see.
func newProblem(ctx context.Context, c *graphs.Computation, memo *regular.Memo, opts Options) *engine.Problem {
	return &engine.Problem{
		Slices: regular.New(ctx, c, memo), Ctx: ctx, Comp: c,
		Bytes: opts.MaxMemory, Evidence: opts.Evidence, Any: opts.Cuts,
	}
}

// fail notes the first error.
func (k *checker) fail(err error) {
	if k.err == nil {
		k.err = err
	}
}

// failure returns the error that has ended the decision, if any.
func (k *checker) failure() error {
	if k.err != nil {
		return k.err
	}
	return k.Slices.Err()
}

// decide decides a formula in negation normal form.
func (k *checker) decide(f *syntax.Formula) engine.Answer {
	if err := k.Ctx.Err(); err != nil {
		return engine.Undecided(reasonOf(err))
	}
	a := k.follow(f, 0)
	if a.Verdict == Unknown && a.Reason == "" && k.failure() == nil {
		a.Reason = k.unfit(f)
	}
	return a
}

// follow takes the steps that decide f, beginning with candidate number from.
func (k *checker) follow(f *syntax.Formula, from int) (a engine.Answer) {
	for s := range k.steps(f, from) {
		var rest *fork
		if s.next > 0 && k.opts.Engine == Auto {
			rest = k.soon(func(k *checker) engine.Answer { return k.follow(f, s.next) })
			defer rest.cancel()
		}
		b := s.decide()
		if b.Verdict != Unknown || k.failure() != nil || k.Ctx.Err() != nil {
			return k.atLimit(b, rest)
		}
		if b.Reason != "" && !s.fallback {
			a = b
		}
		if rest == nil || rest.begun.CompareAndSwap(false, true) {
			continue
		}
		if b, ok := k.use(rest); ok {
			if b.Verdict == Unknown && b.Reason == "" {
				return a
			}
			return b
		}
	}
	return a
}

// atLimit returns the answer of a step or, if a time limit has ended the step, the verdict that a
// fork has already reached, if any.
func (k *checker) atLimit(a engine.Answer, rest *fork) engine.Answer {
	if rest == nil || a.Verdict != Unknown || k.failure() != nil && !engine.IsLimit(k.failure()) {
		return a
	}
	select {
	case <-rest.done:
		if rest.answer.Verdict == Unknown || rest.failure() != nil {
			return a
		}
	default:
		return a
	}
	if k.err = nil; k.Slices.Err() != nil {
		k.Slices = regular.New(k.Ctx, k.Comp, k.Memo)
	}
	k.used = max(k.used, rest.used)
	return rest.answer
}

// unfit says why the engine that was asked for does not decide f. If slices were asked for, it names
// a polynomial engine that does.
func (k *checker) unfit(f *syntax.Formula) string {
	switch k.opts.Engine {
	case Auto:
		return ""
	case Slice:
	default:
		return "engine " + k.opts.Engine.String() + " does not decide " + f.Brief(maxShown)
	}
	reason := "slices do not decide " + f.Brief(maxShown)
	if class := Classify(k.Comp, f); len(class.Leaves) > 0 {
		reason += ": " + class.Leaves[0].Reason
	}
	for _, c := range candidates {
		if c.engine > Flow {
			break
		}
		if t, err := c.prepare(k.Problem, f); c.engine != Slice && err == nil && t != nil && !t.Partial {
			return reason + "; engine " + c.engine.String() + " does"
		}
	}
	return reason
}

// maxShown bounds the characters of a formula in a reason.
const maxShown = 200

// run runs the task of an engine and lifts the runs found from the projection.
func (k *checker) run(v *view, t *engine.Task) engine.Answer {
	a, err := t.Decide()
	if err == nil {
		err = v.Slices.Err()
	}
	if err != nil {
		if !engine.IsLimit(err) {
			k.fail(err)
		}
		return engine.Undecided(reasonOf(err))
	}
	if v.projection != nil {
		for i, r := range a.Runs {
			a.Runs[i] = v.projection.Lift(r)
		}
	}
	return a
}

// evaluate decides a formula without temporal operators by the values at the initial
// cut.
func (k *checker) evaluate(f *syntax.Formula) engine.Answer {
	holds, err := At(k.Comp, f, k.Comp.Initial())
	if err != nil {
		k.fail(err)
		return engine.Answer{}
	}
	return engine.Answer{Verdict: engine.VerdictOf(holds)}
}

// any decides a disjunction part by part: its negation is a conjunction.
func (k *checker) any(fs []*syntax.Formula) engine.Answer {
	fails := k.conjoin(fs, func(k *checker, f *syntax.Formula) engine.Answer { return k.decide(f).Not() })
	return fails.Not()
}

// conjoin decides a conjunction part by part. After the first part that fails it looks for one with
// a shorter run among some more parts, within limits.
func (k *checker) conjoin(fs []*syntax.Formula, decide func(*checker, *syntax.Formula) engine.Answer) engine.Answer {
	before := effort.Spent(k.Ctx)
	fs = k.soonest(fs)
	sum := engine.Answer{Verdict: Holds}
	last := len(fs) - 1 // the last part to decide
	for i, a := range k.each(len(fs), func(k *checker, i int) engine.Answer { return decide(k, fs[i]) }) {
		failed := sum.Verdict == Fails
		switch {
		case a.Verdict == Fails && (!failed || k.Shorter(a, sum)):
			sum = a
		case failed:
		case a.Verdict == Unknown:
			sum = a
		case sum.Verdict == Holds:
			sum.Runs = append(sum.Runs, a.Runs...)
		}
		if sum.Verdict != Fails {
			continue
		}
		if !k.Evidence || k.Any {
			break
		}
		if !failed {
			last = min(last, i+betterWork/(k.Comp.NumEvents()+1))
			defer k.withEvidenceBudget(effort.Spent(k.Ctx) - before)()
		}
		if i >= last || k.Ctx.Err() != nil {
			break
		}
	}
	return sum
}

// betterWork bounds the search for the part with the shortest run, in parts times events.
const betterWork = 2e6

// soonest puts the formulas first that the first and the last cut decide.
func (k *checker) soonest(fs []*syntax.Formula) []*syntax.Formula {
	if k.opts.Engine != Auto {
		return fs
	}
	var known, others []*syntax.Formula
	for _, f := range fs {
		is, err := ends.Known(k.Problem, f)
		if err != nil {
			k.fail(err)
		}
		if is {
			known = append(known, f)
		} else {
			others = append(others, f)
		}
	}
	return append(known, others...)
}

// from decides at a cut. If that is the initial cut, as often in evidence for nested operators, it
// reuses the slices computed there.
func (k *checker) from(cut graphs.Cut, decide func(*checker) engine.Answer) engine.Answer {
	comp, memo := k.Comp, k.Memo
	known := k.Ends
	if !cut.Equal(comp.Initial()) {
		comp, memo = comp.From(cut), memo.From()
		if known != nil {
			known = known.Later()
		}
	}
	later := newChecker(k.Ctx, comp, memo, k.opts)
	later.cores, later.Ends = k.cores, known
	a := decide(later)
	k.used = max(k.used, later.used)
	if err := later.failure(); err != nil {
		k.fail(err)
	}
	return a
}

// shorten looks for a shorter run for EF than a's run, which took the given number of steps to find,
// by the engines that can prove a run shortest. If none of them can, it returns a.
func (k *checker) shorten(f *syntax.Formula, a engine.Answer, steps int64) engine.Answer {
	if !k.Evidence || k.Any || k.exceeds(shortenWork) {
		return a
	}
	defer k.withEvidenceBudget(steps)()
	v := k.smallView(f)
	if v == nil {
		return a
	}
	for _, prepare := range [...]engine.Engine{sat.Prepare, ist.Prepare} {
		t, err := prepare(v.Problem, f)
		if err != nil {
			return a
		}
		if t == nil {
			continue
		}
		b := k.run(v, t)
		if b.Verdict == Holds && len(b.Runs) > 0 {
			if !b.Runs[0].MaybeShorter || k.Shorter(b, a) {
				return b
			}
			return a
		}
	}
	return a
}

// smallView returns the view for engines that look for evidence, with little memory. It is nil
// if values were not read.
func (k *checker) smallView(f *syntax.Formula) *view {
	v := k.view(f, true)
	if v == nil {
		return nil
	}
	small := *v.Problem
	if small.Bytes == 0 || small.Bytes > shortenBytes {
		small.Bytes = shortenBytes
	}
	v.Problem = &small
	return v
}

// Bounds on the search for a shorter run, or for a run if the verdict came without one. The verdict
// waits for neither. There is no search if the projection alone would take longer than most
// verdicts.
const (
	shortenWork  = 2e7 // processes times events
	shortenBytes = 64 << 20
)

// exceeds reports whether the computation has more than so many processes times events.
func (k *checker) exceeds(work int) bool { return k.Comp.NumProcesses()*k.Comp.NumEvents() > work }

// At evaluates a resolved formula without temporal operators at a cut. The error
// says that values were not read.
func At(c *graphs.Computation, f *syntax.Formula, cut graphs.Cut) (bool, error) {
	p, err := atoms.Compile(c, f)
	if err != nil {
		return false, err
	}
	return p.At(cut, p.Env()), nil
}
