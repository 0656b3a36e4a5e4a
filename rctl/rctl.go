package rctl

import (
	"context"
	"errors"
	"fmt"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Verdict is the answer to whether a formula holds at the initial cut.
type Verdict uint8

// The verdicts.
const (
	Unknown Verdict = iota
	Holds
	Fails
)

func (v Verdict) String() string { return [...]string{"unknown", "holds", "fails"}[v] }

func (v Verdict) not() Verdict { return [...]Verdict{Unknown, Fails, Holds}[v] }

func verdictOf(holds bool) Verdict {
	if holds {
		return Holds
	}
	return Fails
}

// An Engine decides formulas.
type Engine uint8

// The engines. The later ones of a decision's engines is the one it is named for.
const (
	Auto      Engine = iota // whatever decides the formula soonest
	Slice                   // lean slices and exact rewritings
	Pairs                   // two of several at once, by ordering intervals
	Intervals               // EG of a disjunction, AF of a conjunction, by chains of intervals
	Flow                    // bounds on sums, by minimum cuts
	Union                   // unions of lean slices
	SAT                     // EF and AG of Boolean predicates, by satisfiability
	IST                     // interval sharing trees
	Explicit                // enumeration of cuts
)

var engineNames = [...]string{"auto", "slice", "pairs", "intervals", "flow", "union", "sat", "ist", "explicit"}

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

// Options says how to decide.
type Options struct {
	Engine    Engine
	MaxMemory int64 // bytes that an enumeration of cuts may take; 0 is no limit
	Evidence  bool  // find a run that shows the verdict, where there is one

	NoProjection bool // let engines see all events, not only those that matter
}

// A Result is a decided formula.
type Result struct {
	Verdict  Verdict
	Reason   string // of Unknown
	Class    syntax.Class
	Engine   Engine
	Evidence *Evidence // nil where no run shows the verdict, or none was asked for
}

// ErrEmpty says that a computation has no cut, so that no formula can be decided
// on it.
var ErrEmpty = errors.New("the computation is empty: no cut satisfies its edges")

// Check decides f, which must be resolved in the scope of c, at c's initial cut.
// When ctx is done or a limit is reached the verdict is Unknown, with the reason.
// Errors are ErrEmpty, values that were not read, and evidence that did not
// replay, which would be a bug.
func Check(ctx context.Context, c *graphs.Computation, f *syntax.Formula, opts Options) (*Result, error) {
	return NewSession(c).Check(ctx, f, opts)
}

// A Session decides several formulas on one computation. What they have in common
// is sliced once. It must not be used by several goroutines at once.
type Session struct {
	comp *graphs.Computation
	memo *memo
}

// NewSession returns a session for c.
func NewSession(c *graphs.Computation) *Session { return &Session{c, newMemo()} }

// Check is as the function Check, for the session's computation.
func (s *Session) Check(ctx context.Context, f *syntax.Formula, opts Options) (*Result, error) {
	if s.comp.Empty() {
		return nil, ErrEmpty
	}
	res := &Result{Class: Classify(s.comp, f)}
	k := newChecker(ctx, s.comp, opts)
	k.memo = s.memo
	k.use(Slice)
	a := k.decide(k.normal(f))
	if k.err != nil && !isLimit(k.err) {
		return nil, k.err
	}
	if k.err != nil {
		a = unknown(reasonOf(k.err))
	}
	res.Verdict, res.Engine, res.Reason = a.verdict, k.used, a.reason
	if a.verdict == Unknown && ctx.Err() != nil {
		res.Reason = reasonOf(ctx.Err())
	}
	if opts.Evidence && a.verdict != Unknown {
		ev, err := k.present(f, a)
		if err != nil && !isLimit(err) {
			return nil, err
		}
		res.Evidence = ev
	}
	return res, nil
}

// Classify returns the smallest fragment of CTL that f or its negation is in,
// given which variables of c never decrease.
func Classify(c *graphs.Computation, f *syntax.Formula) syntax.Class {
	return syntax.ClassifyWith(f, func(e *syntax.Expr) bool {
		v := c.Variable(e.Owner, e.Text)
		return v != nil && neverDecreases(v)
	})
}

func isLimit(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

func reasonOf(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "the time limit was reached"
	case errors.Is(err, context.Canceled):
		return "interrupted"
	}
	return fmt.Sprint(err)
}
