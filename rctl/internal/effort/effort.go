// Package effort bounds work by a count of steps, not by time: it ends at the same
// point in every run, on any machine and under any load.
//
// # Definitions
//
// A step is work that takes about as long as some tens of visits to events: a visit to a
// cut, an operation on a node of a tree, a few propagations of a solver. The steps of a
// context are all steps spent with it or with a context derived from it. A context is
// limited if it ends once it has spent more than a given number of steps.
//
// Only one goroutine at a time may spend steps of a context.
package effort

import (
	"context"
	"runtime/metrics"
)

// A meter counts the steps of a context.
type meter struct {
	spent, limit int64 // in steps; a limit of 0 is no limit
	end          context.CancelFunc
	outer        *meter // the meter of the parent context; nil if it has none
}

type key struct{}

func of(ctx context.Context) *meter {
	m, _ := ctx.Value(key{}).(*meter)
	return m
}

// Counted returns a context with a count of its own: its steps do not count for ctx.
func Counted(ctx context.Context) context.Context {
	return context.WithValue(ctx, key{}, new(meter))
}

// Limited returns a context that ends with ctx or after more than limit steps; 0 is no limit. Its
// steps count for ctx as well.
func Limited(ctx context.Context, limit int64) (context.Context, context.CancelFunc) {
	ctx, end := context.WithCancel(ctx)
	return context.WithValue(ctx, key{}, &meter{limit: limit, end: end, outer: of(ctx)}), end
}

// Spend counts steps and returns the error of ctx.
func Spend(ctx context.Context, steps int64) error {
	for m := of(ctx); m != nil; m = m.outer {
		if m.spent += steps; m.limit > 0 && m.spent > m.limit {
			m.end()
		}
	}
	return ctx.Err()
}

// Spent returns the steps of ctx so far, or 0 if they are not counted.
func Spent(ctx context.Context) int64 {
	if m := of(ctx); m != nil {
		return m.spent
	}
	return 0
}

// Left returns how many steps may still be spent with ctx, and whether ctx or a parent of it has a
// limit.
func Left(ctx context.Context) (steps int64, limited bool) {
	for m := of(ctx); m != nil; m = m.outer {
		if rest := m.limit - m.spent; m.limit > 0 && (!limited || rest < steps) {
			steps, limited = rest, true
		}
	}
	return steps, limited
}

// Looking returns ctx for code that does not count steps: each call of Err spends steps.
func Looking(ctx context.Context, steps int64) context.Context { return looking{ctx, steps} }

// looking spends steps at each call of Err.
type looking struct {
	context.Context
	steps int64
}

// Err implements context.Context.
func (l looking) Err() error { return Spend(l.Context, l.steps) }

// Heap returns the bytes of all objects on the heap, garbage included.
func Heap() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
