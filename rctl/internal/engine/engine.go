// Package engine is what engines see of the decision: the problem, and the tasks and
// answers that they return. Each engine is a package beside this one, named as the
// command line names it. An engine knows neither another engine nor the code that calls
// it.
//
// # Definitions
//
// A problem is to decide formulas at the initial cut of a computation, within limits of
// time and memory.
//
// An engine prepares a task for a formula: it looks whether it can decide it, says how
// and at what cost, and decides it when it is asked to. A task that is not asked costs
// no more than its preparation.
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
	Bytes    int64 // how much memory an engine may take; 0 is no limit
	Evidence bool  // runs that show the answer are wanted
	Any      bool  // any run to a cut will do, not only a short one
	Ends     Ends  // what package ends remembers; nil for nothing

	// Size measures the cuts of a projection by the events of the cuts of the whole that they stand
	// for. It grows with the cut. It is nil if Comp is no projection, and the events of a cut count.
	Size func(graphs.Cut) int
}

// Ends is the memory of package ends from one formula to the next, for evidence of many levels.
type Ends interface {
	Later() Ends // for problems at later cuts of the same computation
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

// An Engine prepares a task for deciding a formula. It returns nil for formulas of other kinds than
// the engine decides. The error is the context's own, or a *atoms.ValuesError.
type Engine func(p *Problem, f *syntax.Formula) (*Task, error)

// A Task is a formula that an engine has taken on.
type Task struct {
	How     string // what is done
	Cost    string // what is expected, in words; "" for what slices cost
	Partial bool   // even without limits, the answer may be Unknown

	// Decide decides the formula. The error is the context's own, or a *atoms.ValuesError.
	Decide func() (Answer, error)
}

// An Answer is a verdict with the runs that show it. Their formulas hold at the initial cut and
// together imply the formula or, where that fails, its negation.
type Answer struct {
	Verdict Verdict
	Reason  string // of Unknown
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
