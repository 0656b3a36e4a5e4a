package clocks

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/pota-project/pota/graphs"
)

// Unbounded is the largest difference of events that no clock relates. An event without bounds has
// the earliest time -Unbounded and the latest time Unbounded.
const Unbounded = math.MaxInt64

// A Model is an assumption on clocks that does not contradict the trace. All times are in nanoseconds.
// Methods are safe for concurrent use.
type Model interface {
	// Earliest and Latest bound the true time of an event, both inclusive, in the nanoseconds of
	// graphs.Computation.Instant.
	Earliest(e graphs.Event) int64
	Latest(e graphs.Event) int64
	// MaxDifference returns how long after e an event f can have happened at most. It is negative
	// if f certainly happened before e.
	MaxDifference(e, f graphs.Event) int64
	// Ordered returns the computation with edges for the pairs of events that clocks order. Errors
	// are *graphs.LimitError, *graphs.UnorderedError, and that of ctx.
	Ordered(ctx context.Context) (*graphs.Computation, error)
	// AllowsEachRun reports whether each run of the ordered computation has an assignment. Each
	// cut has one in any case.
	AllowsEachRun() bool
	// String states the assumption, as in "clocks agree within 5ms".
	String() string
}

// A ContradictionError reports that the clocks of a trace cannot agree within a bound.
type ContradictionError struct {
	Early, Late graphs.Event // Early happened before Late and has the later time
	IDs, Times  [2]string    // the ids and times of Early and Late
	Least       time.Duration
}

// Error names the two events that contradict the bound, and the least bound without a
// contradiction.
func (e *ContradictionError) Error() string {
	return fmt.Sprintf("the clocks contradict the trace: %s (time %s) happened before %s (time %s), but is %s later by the clock; --skew must be at least %[5]s",
		e.IDs[0], e.Times[0], e.IDs[1], e.Times[1], e.Least)
}
