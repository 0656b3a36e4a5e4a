package sat

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/go-air/gini"
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
	ctx   context.Context
	gini  *gini.Gini
	limit int64 // bytes, 0 for none
	bytes int64 // that the clauses take, as estimated
	other int64 // least size of the heap that was seen: what others take, and perhaps garbage
	vars  lit
	count int // of clauses
	empty bool
	err   error // that of ctx, or a *memoryError; once set, clauses are ignored
}

// A memoryError says that a formula takes more memory than it may.
type memoryError struct{ limit int64 }

func (e *memoryError) Error() string {
	return fmt.Sprintf("satisfiability needs more than %d bytes of memory", e.limit)
}

// What the solver's tables take for a variable, a clause and a literal of one,
// room to grow included.
const (
	bytesOfVar    = 250
	bytesOfClause = 40
	bytesOfLit    = 8
)

func newSolver(ctx context.Context, limit int64) *solver {
	return &solver{ctx: ctx, gini: gini.New(), limit: limit, other: heapBytes()}
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

// lookEvery is the time between two looks at what the solver has taken.
var lookEvery = 20 * time.Millisecond

// solve reports whether the clauses can be satisfied together with some literals.
// Learned clauses are kept for the next call, and so are the values of variables,
// as what to try first. When ctx ends, the solver stops within some thousand propagations.
// Once they cannot be satisfied, or the solver was stopped, it must not be called
// again: gini does not promise to remember why.
//
// Where the steps of ctx are limited, a result that took more of them than were left is
// none, even where the solver had it before it was stopped: so what comes of it does not
// depend on time. Nor is the heap looked at, which others use, too.
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
	for _, l := range with {
		s.gini.Assume(z.Dimacs2Lit(int(l)))
	}
	before := s.propagations()
	steps := func() int64 { return (s.propagations() - before) / propagationsOfStep }
	left, limited := effort.Left(ctx)
	run := s.gini.GoSolve()
	ended := func(result int, err error) (bool, error) {
		spent := 1 + steps()
		if limited {
			spent = min(spent, left+1) // it may have gone on for a while
		}
		if over := effort.Spend(ctx, spent); over != nil && limited {
			return false, over
		}
		return s.stopped(result, err)
	}
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	quick := time.NewTimer(0) // most calls end within microseconds
	defer quick.Stop()
	for wait := 10 * time.Microsecond; ; wait = min(2*wait, lookEvery) {
		if result, done := run.Test(); done {
			return ended(result, nil)
		}
		quick.Reset(wait)
		select {
		case <-ctx.Done():
			return ended(run.Stop(), ctx.Err())
		case <-look.C:
			switch {
			case limited:
				result, paused := run.Pause()
				if !paused {
					return ended(result, nil)
				}
				over := steps() >= left
				if run.Unpause(); over {
					return ended(run.Stop(), nil)
				}
			case s.grown():
				s.err = &memoryError{s.limit}
				return ended(run.Stop(), s.err)
			}
		case <-quick.C:
		}
	}
}

// propagationsOfStep is how many propagations take about as long as a step.
const propagationsOfStep = 4

// propagations returns how many literals the solver has propagated. It must not be running.
// gini counts them, but tells nobody.
func (s *solver) propagations() int64 {
	return reflect.ValueOf(s.gini).Elem().FieldByName("xo").Elem().FieldByName("Trail").Elem().FieldByName("Props").Int()
}

// stopped returns the result, if there was one after all.
func (s *solver) stopped(result int, err error) (bool, error) {
	if result == 0 {
		return false, err
	}
	return result > 0, nil
}

// grown reports whether the solver takes too much: its clauses as estimated, or the heap
// beyond the least size that it has had, garbage aside.
func (s *solver) grown() bool {
	most := func() int64 {
		now := heapBytes()
		s.other = min(s.other, now)
		return max(s.bytes, now-s.other)
	}
	if s.limit <= 0 || most() <= s.limit {
		return false
	}
	runtime.GC()
	return most() > s.limit
}

// heapBytes returns the size of the objects on the heap.
func heapBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
