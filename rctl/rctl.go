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
	MaxMemory int64 // bytes that an enumeration of cuts may take; 0 is no limit
	Evidence  bool  // find a run that shows the verdict, where there is one
	Cuts      bool  // of evidence that is any run to a cut, find any such cut alone: Run is nil

	Cores        int  // that may be used; 0 is all that the program has (GOMAXPROCS)
	NoProjection bool // let engines see all events, not only those that matter

	// Steps for better evidence that tests allow, 0 for the usual ones.
	evidenceSteps int64
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

// Check decides f, resolved in the scope of c, at c's initial cut. When ctx is done or a limit is
// reached the verdict is Unknown, with the reason. Errors are ErrEmpty, values that were not read,
// and, as the sign of a bug, evidence that did not replay.
func Check(ctx context.Context, c *graphs.Computation, f *syntax.Formula, opts Options) (*Result, error) {
	return NewSession(c).Check(ctx, f, opts)
}

// A Session decides several formulas on one computation. What they have in common
// is sliced once. It must not be used by several goroutines at once.
type Session struct {
	comp *graphs.Computation
	memo *regular.Memo
}

// NewSession returns a session for c.
func NewSession(c *graphs.Computation) *Session { return &Session{c, regular.NewMemo()} }

// Check is as the function Check, for the session's computation.
func (s *Session) Check(ctx context.Context, f *syntax.Formula, opts Options) (*Result, error) {
	res, err := s.Decide(ctx, f, opts)
	if err == nil {
		res.Class = Classify(s.comp, f)
	}
	return res, err
}

// Decide is as Check, but does not say the class of f: on a small computation that can take longer
// than the decision.
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
// resolved; nil for any other error and for none.
func OutOfReach(f *syntax.Formula, err error) *Result {
	if !engine.IsLimit(err) {
		return nil
	}
	return &Result{Class: syntax.Classify(f), Reason: reasonOf(err) + " while quantifiers were written out"}
}

// Scope returns what a formula may speak of in c, for syntax.Resolve.
func Scope(c *graphs.Computation) *scope.Scope { return ScopeWith(c, scope.Times{}) }

// ScopeWith is Scope with other times.
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
	// DependsOnClocks says that comparisons of times have the truth value that scope.Times
	// gives those that the model of clocks leaves open.
	DependsOnClocks bool
}

// ResolveWith is Resolve where clocks are not believed.
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

// SliceOf returns the slice of c for f, resolved in the scope of c. Where f is regular it is lean,
// where its negation is, the least that there is. Otherwise each || has the least slice around the
// slices of its operands, and the operators above are applied to that: every cut that satisfies f
// is in the result, others may be. Errors are ErrEmpty, *NoSliceError and ctx's own.
func SliceOf(ctx context.Context, c *graphs.Computation, f *syntax.Formula) (*slice.Slice, error) {
	return NewSession(c).SliceOf(ctx, f)
}

// SliceOf is as the function SliceOf, for the session's computation.
func (s *Session) SliceOf(ctx context.Context, f *syntax.Formula) (*slice.Slice, error) {
	if s.comp.Empty() {
		return slice.All(s.comp), nil
	}
	k := regular.New(ctx, s.comp, s.memo)
	return k.Cover(k.Normal(f))
}

// Projected returns the computation of the events that f, resolved in the scope of c, can see: f
// and its subformulas have the same truth there. It is c where little would be left out, or f has
// EX or AX. The error is *atoms.ValuesError.
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
