package layout

import "github.com/pota-project/pota/graphs"

// Times returns when an event may have happened, in nanoseconds, from the earliest to the latest.
// It is not ok where that is not known.
type Times func(e graphs.Event) (from, to int64, ok bool)

// ByTime places some events of c, which are in increasing order, by time: it returns the earliest
// time, and for each event how many nanoseconds after that it stands. That is its earliest time. An
// event without a time stands where the one before it on its process does, and none stands before
// that. at is nil where no event has a time.
//
// The time complexity of ByTime is O(n) for n events.
func ByTime(c *graphs.Computation, events []graphs.Event, times Times) (first int64, at []float64) {
	known := false
	for _, e := range events {
		if from, _, ok := times(e); ok && (!known || from < first) {
			first, known = from, true
		}
	}
	if !known {
		return 0, nil
	}
	for i, e := range events {
		place := 0.0
		if i > 0 && events[i-1] == e-1 && c.Process(e-1) == c.Process(e) {
			place = at[i-1]
		}
		if from, _, ok := times(e); ok {
			place = max(place, Since(first, from))
		}
		at = append(at, place)
	}
	return first, at
}

// Since returns the nanoseconds from a time to a later one, which may be more than an int64 holds.
func Since(first, later int64) float64 { return float64(uint64(later) - uint64(first)) }
