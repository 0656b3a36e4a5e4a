// Package engine has the types that engines share with the code that calls them: the
// problem, and the tasks and answers that engines return. Each engine is a sibling
// package, with its name on the command line. An engine depends neither on another
// engine nor on the code that calls it.
//
// # Definitions
//
// A problem is to decide formulas at the initial cut of a computation, within limits of
// time and memory.
//
// An engine prepares a task for a formula: it checks whether it can decide the formula,
// and says how and at what cost. The task decides it on request. A task that is not used
// costs no more than its preparation.
package engine

import (
	"context"
	"errors"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/regular"
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

// String returns unknown, holds or fails.
func (v Verdict) String() string { return [...]string{"unknown", "holds", "fails"}[v] }

// Not returns the verdict on the negation.
func (v Verdict) Not() Verdict { return [...]Verdict{Unknown, Fails, Holds}[v] }

// VerdictOf returns Holds or Fails.
func VerdictOf(holds bool) Verdict {
	if holds {
		return Holds
	}
	return Fails
}

// Kleene returns the verdict on a disjunction if Holds decides, or on a conjunction if Fails does, in
// Kleene's strong three-valued logic.
func Kleene[T any](decides Verdict, operands []T, of func(T) Verdict) Verdict {
	sum := decides.Not()
	for _, x := range operands {
		switch v := of(x); v {
		case decides:
			return v
		case Unknown:
			sum = v
		}
	}
	return sum
}

// A Problem is to decide formulas in negation normal form at the initial cut of a computation that
// has a cut.
type Problem struct {
	*regular.Slices
	Ctx      context.Context
	Comp     *graphs.Computation
	Bytes    int64 // how much memory an engine may use; 0 is no limit
	Evidence bool  // whether runs that show the answer are wanted
	Any      bool  // whether any run to a cut will do, not only a short one
	Ends     Ends  // the memory of package ends; nil for none

	// Size returns how many events the cut of the original computation has that a cut of the
	// projection stands for. It is monotone. It is nil if Comp is not a projection: then the size of
	// a cut is its number of events.
	Size func(graphs.Cut) int
}

// Ends is the memory of package ends from one formula to the next, for evidence of many levels.
type Ends interface {
	Later() Ends // the memory for problems at later cuts of the same computation
}

// Weigh returns the size of a cut.
func (p *Problem) Weigh(cut graphs.Cut) int {
	if p.Size != nil {
		return p.Size(cut)
	}
	return cut.Size()
}

// MaxWeighed bounds the minimal cuts that an engine weighs to find the lightest.
const MaxWeighed = 1000

// An Engine prepares a task for deciding a formula. It returns nil for formulas of kinds that it
// does not decide. The error is the context's own, or a *atoms.ValuesError.
type Engine func(p *Problem, f *syntax.Formula) (*Task, error)

// A Task is the decision of a formula that an engine has accepted.
type Task struct {
	How     string // what the engine does, in words
	Cost    string // the expected cost, in words; "" for the cost of slices
	Partial bool   // whether the answer may be Unknown even without limits

	// Decide decides the formula. The error is the context's own, or a *atoms.ValuesError.
	Decide func() (Answer, error)
}

// An Answer is a verdict with the runs that show it. Their formulas hold at the initial cut and
// together imply the formula or, where that fails, its negation.
type Answer struct {
	Verdict Verdict
	Reason  string // why the verdict is Unknown
	Runs    []*Run
}

// Not returns the answer for the negation.
func (a Answer) Not() Answer { return Answer{a.Verdict.Not(), a.Reason, a.Runs} }

// Undecided returns the answer Unknown for a reason.
func Undecided(reason string) Answer { return Answer{Reason: reason} }

// IsLimit reports whether an error says that a context is done.
func IsLimit(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}
