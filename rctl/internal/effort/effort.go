// Package effort bounds work by a count of steps, not by time: it ends at the same
// point in every run, on any machine and under any load.
//
// # Definitions
//
// A step is work that takes about as long as some tens of visits to events: a look at a
// cut, an operation on a node of a tree, a few propagations of a solver. The steps of a
// context are all steps spent with it or with a context made of it. A context is
// limited if it ends once it has spent more than a number of steps.
//
// Only one goroutine at a time may spend steps of a context.
package effort

import (
	"context"
	"runtime/metrics"
)

// A meter counts the steps of a context.
type meter struct {
	spent, limit int64 // limit is 0 where there is none
	end          context.CancelFunc
	outer        *meter // of the context that this one was made of
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

// Limited returns a context that ends after a number of steps, too; 0 is no limit. Its steps count
// for ctx as well.
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

// Spent returns the steps of ctx so far; 0 where they are not counted.
func Spent(ctx context.Context) int64 {
	if m := of(ctx); m != nil {
		return m.spent
	}
	return 0
}

// Left returns how many steps may still be spent with ctx. It is not limited where ctx is
// not.
func Left(ctx context.Context) (steps int64, limited bool) {
	for m := of(ctx); m != nil; m = m.outer {
		if rest := m.limit - m.spent; m.limit > 0 && (!limited || rest < steps) {
			steps, limited = rest, true
		}
	}
	return steps, limited
}

// Looking returns ctx for code that knows nothing of steps: each call of Err spends some.
func Looking(ctx context.Context, steps int64) context.Context { return looking{ctx, steps} }

// looking spends steps whenever its error is asked for.
type looking struct {
	context.Context
	steps int64
}

// Err implements context.Context.
func (l looking) Err() error { return Spend(l.Context, l.steps) }

// Heap returns the bytes of all objects, garbage included: what work takes beside steps.
func Heap() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
