package rctl

import (
	"context"
	"errors"
	"fmt"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/effort"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/project"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// A Verdict is the answer to whether a formula holds at the initial cut: Unknown,
// Holds or Fails.
type Verdict = engine.Verdict

// The verdicts.
const (
	Unknown = engine.Unknown
	Holds   = engine.Holds
	Fails   = engine.Fails
)

// Options says how to decide.
type Options struct {
	Engine    Engine
	MaxMemory int64 // how many bytes an enumeration of cuts may use; 0 is no limit
	Evidence  bool  // whether to find a run that shows the verdict, if there is one
	Cuts      bool  // whether to find only the cut, with Run nil, if any run to it is evidence

	Cores        int  // how many cores to use; 0 is all that the program has (GOMAXPROCS)
	NoProjection bool // whether engines see all events, not only the visible ones

	// evidenceSteps is how many steps tests allow for better evidence; 0 is the default.
	evidenceSteps int64
}

// A Result is a decided formula.
type Result struct {
	Verdict  Verdict
	Reason   string // why the verdict is Unknown
	Class    syntax.Class
	Engine   Engine
	Evidence *Evidence // nil if no run shows the verdict, or Options.Evidence is not set
}

// ErrEmpty says that a computation has no cut, so that no formula can be decided
// on it.
var ErrEmpty = errors.New("the computation is empty: no cut satisfies its edges")

// Check decides f, resolved in the scope of c, at c's initial cut. When ctx is done or a limit is
// reached the verdict is Unknown, with the reason. Errors are ErrEmpty, values that were not read,
// and, as the sign of a bug, evidence that did not replay.
func Check(ctx context.Context, c *graphs.Computation, f *syntax.Formula, opts Options) (*Result, error) {
	return NewSession(c).Check(ctx, f, opts)
}

// A Session decides several formulas on one computation. Subformulas that they share
// are sliced once. A Session must not be used by several goroutines at once.
type Session struct {
	comp *graphs.Computation
	memo *regular.Memo
}

// NewSession returns a session for c.
func NewSession(c *graphs.Computation) *Session { return &Session{c, regular.NewMemo()} }

// Check is like the function Check, for the session's computation.
func (s *Session) Check(ctx context.Context, f *syntax.Formula, opts Options) (*Result, error) {
	res, err := s.Decide(ctx, f, opts)
	if err == nil {
		res.Class = Classify(s.comp, f)
	}
	return res, err
}

// Decide is like Check, but does not classify f: on a small computation that can take longer than
// the decision.
func (s *Session) Decide(ctx context.Context, f *syntax.Formula, opts Options) (*Result, error) {
	if s.comp.Empty() {
		return nil, ErrEmpty
	}
	if s.memo.Full() {
		s.memo = regular.NewMemo()
	}
	res := new(Result)
	ctx, end := effort.Limited(ctx, 0)
	defer end()
	k := newChecker(ctx, s.comp, s.memo, opts)
	k.used = Slice
	a := k.decide(k.Normal(f))
	if err := k.failure(); err != nil {
		if !engine.IsLimit(err) {
			return nil, err
		}
		a = engine.Undecided(reasonOf(err))
	}
	res.Verdict, res.Reason = a.Verdict, a.Reason
	res.Engine = k.used
	if a.Verdict == Unknown && ctx.Err() != nil {
		res.Reason = reasonOf(ctx.Err())
	}
	if opts.Evidence && a.Verdict != Unknown {
		defer k.withEvidenceBudget(effort.Spent(ctx))()
		ev, err := k.present(f, a)
		if err != nil && !engine.IsLimit(err) {
			return nil, err
		}
		res.Evidence = ev
	}
	return res, nil
}

// OutOfReach returns the result for f, as parsed, if err says that a limit was reached while f was
// resolved. It returns nil if err is nil or any other error.
func OutOfReach(f *syntax.Formula, err error) *Result {
	if !engine.IsLimit(err) {
		return nil
	}
	return &Result{Class: syntax.Classify(f), Reason: reasonOf(err) + " while quantifiers were written out"}
}

// Scope returns the names that a formula may use in c, for syntax.Resolve.
func Scope(c *graphs.Computation) *scope.Scope { return ScopeWith(c, scope.Times{}) }

// ScopeWith is Scope with the given times of events.
func ScopeWith(c *graphs.Computation, times scope.Times) *scope.Scope {
	s := scope.With(c, times)
	s.Possible, s.Follow = possible, follow
	return s
}

// Resolve resolves f in the scope of c, and returns the computation that the result is about: c
// or, for formulas about events, c with columns of what events have done so far.
func Resolve(ctx context.Context, c *graphs.Computation, f *syntax.Formula) (*graphs.Computation, *syntax.Formula, error) {
	r, err := ResolveWith(ctx, c, f, scope.Times{})
	return r.Computation, r.Formula, err
}

// Resolved is a formula about a computation.
type Resolved struct {
	Computation *graphs.Computation
	Formula     *syntax.Formula
	// DependsOnClocks reports whether the model of clocks left some comparisons of times open, so
	// that they have the truth value that scope.Times gives them.
	DependsOnClocks bool
}

// ResolveWith is Resolve with the given times of events, for clocks that are not exact.
func ResolveWith(ctx context.Context, c *graphs.Computation, f *syntax.Formula, times scope.Times) (Resolved, error) {
	s := ScopeWith(c, times)
	g, err := syntax.Resolve(ctx, f, s)
	return Resolved{s.Computation(), g, s.DependsOnClocks()}, err
}

// Classify returns the smallest fragment of CTL that f or its negation is in, given the variables
// of c that never decrease.
func Classify(c *graphs.Computation, f *syntax.Formula) syntax.Class {
	return syntax.ClassifyWith(f, regular.Rise(c))
}

// reasonOf says why a decision ended without a verdict.
func reasonOf(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "the time limit was reached"
	case errors.Is(err, context.Canceled):
		return "interrupted"
	}
	return fmt.Sprint(err)
}

// A NoSliceError names an operator without slices.
type NoSliceError = regular.NoSliceError

// SliceOf returns the slice of c for f, resolved in the scope of c. If f is regular the slice is
// lean; if the negation of f is regular, it is the least slice that exists. Otherwise each || has
// the least slice around the slices of its operands, and the operators above are applied to that:
// every cut that satisfies f is in the result, and others may be. Errors are ErrEmpty, *NoSliceError
// and ctx's own.
func SliceOf(ctx context.Context, c *graphs.Computation, f *syntax.Formula) (*slice.Slice, error) {
	return NewSession(c).SliceOf(ctx, f)
}

// SliceOf is like the function SliceOf, for the session's computation.
func (s *Session) SliceOf(ctx context.Context, f *syntax.Formula) (*slice.Slice, error) {
	if s.comp.Empty() {
		return slice.All(s.comp), nil
	}
	k := regular.New(ctx, s.comp, s.memo)
	return k.Cover(k.Normal(f))
}

// Projected returns the computation of the events that f, resolved in the scope of c, can see: f
// and its subformulas have the same truth there. It is c if little would be left out, or f has EX
// or AX. The error is *atoms.ValuesError.
func Projected(ctx context.Context, c *graphs.Computation, f *syntax.Formula) (*graphs.Computation, error) {
	if syntax.HasNext(f) {
		return c, nil
	}
	p, err := project.New(c, regular.New(ctx, c, regular.NewMemo()).Normal(f))
	if err != nil || p == nil {
		return c, err
	}
	return p.Comp, nil
}
