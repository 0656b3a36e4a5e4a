package sat

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/go-air/gini"
	"github.com/go-air/gini/inter"
	"github.com/go-air/gini/z"

	"github.com/pota-project/pota/rctl/internal/effort"
)

// A lit is a literal: a variable of the solver, negative for its negation, or one
// of the constants.
type lit int32

const (
	yes lit = 1 << 30
	no      = -yes
)

// A solver is a CDCL solver that stops at a deadline and at a limit of memory.
type solver struct {
	ctx    context.Context
	gini   *gini.Gini
	limit  int64 // in bytes; 0 for no limit
	bytes  int64 // an estimate of the memory of the clauses
	other  int64 // the least size of the heap so far: the memory of others, and perhaps garbage
	vars   lit
	count  int   // how many clauses there are
	empty  bool  // some clause is empty
	sliced bool  // gini has a deadline that has passed
	err    error // the error of ctx, or a *memoryError; once it is set, clauses are ignored
}

// A memoryError says that a formula needs more memory than the limit.
type memoryError struct{ limit int64 }

func (e *memoryError) Error() string {
	return fmt.Sprintf("satisfiability needs more than %d bytes of memory", e.limit)
}

// The bytes in the solver's tables for a variable, a clause, and a literal of a clause, with room to
// grow.
const (
	bytesOfVar    = 250
	bytesOfClause = 40
	bytesOfLit    = 8
)

func newSolver(ctx context.Context, limit int64) *solver {
	return &solver{ctx: ctx, gini: gini.New(), limit: limit, other: effort.Heap()}
}

// newVars returns the first of n variables that follow one another.
func (s *solver) newVars(n int) lit {
	first := s.vars + 1
	s.vars += lit(n)
	s.charge(int64(n) * bytesOfVar)
	return first
}

// add adds a clause.
func (s *solver) add(lits ...lit) {
	if s.err != nil {
		return
	}
	// Constants are simplified away: gini has no true or false.
	kept := lits[:0:0]
	for _, l := range lits {
		switch l {
		case yes:
			return
		case no:
		default:
			kept = append(kept, l)
		}
	}
	s.charge(bytesOfClause + bytesOfLit*int64(len(kept)))
	if s.count++; s.err != nil || s.count&0xfff == 0 && !s.goesOn() {
		return
	}
	s.empty = s.empty || len(kept) == 0
	for _, l := range kept {
		s.gini.Add(z.Dimacs2Lit(int(l)))
	}
	s.gini.Add(z.LitNull)
}

// goesOn reports whether neither ctx has ended nor a limit was reached.
func (s *solver) goesOn() bool {
	if s.err == nil {
		s.err = s.ctx.Err()
	}
	return s.err == nil
}

// charge counts memory that the solver is going to use.
func (s *solver) charge(bytes int64) {
	s.bytes += bytes
	if s.limit > 0 && s.bytes > s.limit && s.err == nil {
		s.err = &memoryError{s.limit}
	}
}

// value returns the truth of a literal in the model that solve has found, until
// the next clause is added.
func (s *solver) value(l lit) bool {
	switch l {
	case yes, no:
		return l == yes
	}
	return s.gini.Value(z.Dimacs2Lit(int(l)))
}

// solve reports whether the clauses can be satisfied together with some literals. The
// solver keeps learned clauses for the next call, and the values of variables as those
// to try first. Once the clauses alone cannot be satisfied, or the context has ended,
// solve must not be called again: gini does not promise to remember why.
//
// Where the steps of ctx are limited, solve does the same in every run and on every
// machine: it counts its work, and reads neither the clock nor the heap.
func (s *solver) solve(ctx context.Context, with ...lit) (bool, error) {
	switch {
	case !s.goesOn():
		return false, s.err
	case s.empty:
		return false, nil
	case s.vars == 0:
		return true, nil
	case ctx.Err() != nil:
		return false, ctx.Err()
	}
	if _, limited := effort.Left(ctx); limited || s.sliced {
		if !s.sliced && s.vars > propagationsOfSlice/2 {
			s.settleSpares()
		}
		s.sliced = true
		return s.solveInSlices(ctx, with)
	}

	s.assume(with)
	result, err := s.wait(ctx, s.gini.GoSolve())
	if over := effort.Spend(ctx, s.pass()); err == nil {
		err = over
	}
	if result == 0 {
		return false, err
	}
	return result > 0, nil
}

// assume makes literals true for the next run only.
func (s *solver) assume(lits []lit) {
	for _, l := range lits {
		s.gini.Assume(z.Dimacs2Lit(int(l)))
	}
}

// lookEvery is the time between two checks of the heap.
const lookEvery = 20 * time.Millisecond

// wait waits for the result of a run. The result is 0 if the context or the limit of memory stopped
// the run, and the error says which.
func (s *solver) wait(ctx context.Context, run inter.Solve) (result int, err error) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	// Most runs end within microseconds.
	for wait := 10 * time.Microsecond; ; wait = min(2*wait, lookEvery) {
		if result, done := run.Test(); done {
			return result, nil
		}
		timer.Reset(wait)
		select {
		case <-ctx.Done():
			return run.Stop(), ctx.Err()
		case <-timer.C:
		}
		if wait == lookEvery && s.grown() {
			s.err = &memoryError{s.limit}
			return run.Stop(), s.err
		}
	}
}

// A solver has no bound on its work but one of time, and it looks at the clock after
// each slice of propagations only. So a run with a deadline in the past ends with the
// first slice, if not before with a result: at the same point in every run.
const (
	propagationsOfSlice = 20_000 // xo.PropTick of gini
	propagationsOfStep  = 4      // how many take about as long as a step of effort
)

// minRoom is how many variables gini has room for at first. It doubles the room as needed.
const minRoom = 128

// settleSpares makes true the variables that gini only has room for. It would assign them in
// every run, and may spend whole slices on them.
func (s *solver) settleSpares() {
	known := int(s.gini.MaxVar())
	room := minRoom
	for room <= known {
		room *= 2
	}
	for v := known + 1; v < room; v++ {
		s.gini.Add(z.Dimacs2Lit(v))
		s.gini.Add(z.LitNull)
	}
	s.vars = max(s.vars, lit(room)-1)
}

// solveInSlices solves as solve does, slice by slice, until the steps of ctx are spent.
//
// Every run begins with no variable assigned. Where one slice is too short to assign
// them all, the next run assumes what the one before has come to. Should that be
// contradictory, a clause says so, and the next run begins anew. A slice ends where no
// clause is violated. So once all variables are assigned there is a model.
func (s *solver) solveInSlices(ctx context.Context, with []lit) (bool, error) {
	var reached []lit
	for {
		s.assume(with)
		s.assume(reached)
		result := s.gini.Try(time.Nanosecond)
		steps := s.pass()
		if result == 0 {
			steps = propagationsOfSlice/propagationsOfStep + int64(len(reached))/propagationsOfStep
		}
		if err := effort.Spend(ctx, 1+steps); err != nil {
			return false, err
		}

		switch {
		case result > 0:
			return true, nil
		case result < 0 && reached == nil:
			return false, nil
		case result < 0:
			// The clause says that what was assumed is contradictory. It has to be added. Gini would
			// learn one itself when the next run begins, but if that showed that there is no model,
			// it would forget so, and end the process over a model that is none.
			var refuted []lit
			for _, m := range s.gini.Why(nil) {
				refuted = append(refuted, lit(m.Not().Dimacs()))
			}
			if len(refuted) == 0 { // there is no model whatever is assumed
				return false, nil
			}
			if s.add(refuted...); s.err != nil {
				return false, s.err
			}
			reached = nil
		case s.vars > propagationsOfSlice/2:
			known := lit(min(int(s.vars), int(s.gini.MaxVar()))) // to gini
			reached = nil
			for v := lit(1); v <= known; v++ {
				switch {
				case s.value(v):
					reached = append(reached, v)
				case s.value(-v):
					reached = append(reached, -v)
				}
			}
			if len(reached) == int(known) {
				return true, nil
			}
		}
	}
}

// pass returns how many steps a run takes that assigns each variable once.
func (s *solver) pass() int64 {
	return 1 + min(int64(s.vars), propagationsOfSlice)/propagationsOfStep
}

// grown reports whether the solver takes too much memory: its clauses as estimated, or
// the growth of the heap beyond its least size, garbage aside.
func (s *solver) grown() bool {
	most := func() int64 {
		now := effort.Heap()
		s.other = min(s.other, now)
		return max(s.bytes, now-s.other)
	}
	if s.limit <= 0 || most() <= s.limit {
		return false
	}
	// Garbage may be most of it: collect it and look again.
	runtime.GC()
	return most() > s.limit
}
