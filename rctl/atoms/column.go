package atoms

import (
	"iter"

	"github.com/pota-project/pota/graphs"
)

// A Column holds the values of a function along the single chain of its slots: Values[0] before
// all events, Values[i+1] from Events[i] on.
//
//	(1) there is one more value than there are events
//	(2) the events are in the order of the chain, each once
//	(3) adjacent values differ
type Column[T comparable] struct {
	Events []graphs.Event
	Values []T
}

// Steps iterates along the chain of a function whose slots are of one chain, or that has no slots. It
// yields ⊥ with the value before all events, and then each event that may change the value. The time
// complexity of Steps is O(changes · (slots+|f|)).
func (f *Function[T]) Steps() iter.Seq2[graphs.Event, T] {
	return func(yield func(graphs.Event, T) bool) {
		env := f.Env()
		for i := range f.Slots {
			env[i] = f.Slots[i].Value(-1)
		}
		if !yield(graphs.Bottom, f.Of(env)) {
			return
		}
		next := make([]int, len(f.Slots))
		for {
			e := graphs.Event(-1)
			for i := range f.Slots {
				if at := f.Slots[i].Changes(); next[i] < len(at) && (e < 0 || at[next[i]] < e) {
					e = at[next[i]]
				}
			}
			if e < 0 {
				return
			}
			for i := range f.Slots {
				at := f.Slots[i].Changes()
				for next[i] < len(at) && at[next[i]] == e {
					env[i] = f.Slots[i].Value(next[i])
					next[i]++
				}
			}
			if !yield(e, f.Of(env)) {
				return
			}
		}
	}
}

// Along returns the column of a function whose slots are of one chain, or that has no slots. The time
// complexity of Along is O(changes · (slots+|f|)).
func Along[T comparable](f *Function[T]) Column[T] {
	var k Column[T]
	for e, x := range f.Steps() {
		switch n := len(k.Values); {
		case n == 0:
			k.Values = append(k.Values, x)
		case x != k.Values[n-1]:
			k.Events = append(k.Events, e)
			k.Values = append(k.Values, x)
		}
	}
	return k
}

// Between returns the part of the column that the cuts of c can distinguish: it leaves out changes
// in the initial cut and outside of the final one.
func (k Column[T]) Between(c *graphs.Computation) Column[T] {
	from, to := Count(c, k.Events, c.Initial()), Count(c, k.Events, c.Final())
	return Column[T]{k.Events[from:to], k.Values[from : to+1]}
}

// States returns the value in each state of process p, the chain of the column, indexed by how many
// of its events have happened. The time complexity of States is O(events of p).
func (k Column[T]) States(c *graphs.Computation, p int) []T {
	values := make([]T, c.Len(p)+1)
	next := 0
	for s := range values {
		for next < len(k.Events) && c.Position(k.Events[next]) <= s {
			next++
		}
		values[s] = k.Values[next]
	}
	return values
}
