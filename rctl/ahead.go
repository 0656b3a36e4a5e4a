package rctl

import (
	"context"
	"iter"
	"sync/atomic"
	"time"

	"github.com/pota-project/pota/rctl/internal/effort"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/regular"
)

// This file uses idle cores to make decisions ahead of their turn: the next parts of a conjunction,
// and the steps that follow if the current engine gives up. Answers are used in the order of a
// single core, and dropped if they are not needed, so the result is the same on any number of
// cores. Only under a time limit may several cores decide more.

// A fork is a decision ahead of its turn. The only mutable state that its checker shares with
// others is the memo and the cores.
type fork struct {
	*checker
	decide func(*checker) engine.Answer
	ctx    context.Context
	cancel context.CancelFunc
	begun  atomic.Bool // whether the decision has begun, or never will
	tight  atomic.Bool // whether the decision was stopped because it used too much memory
	done   chan struct{}
	answer engine.Answer
}

// fork returns a decision that has not begun.
func (k *checker) fork(decide func(*checker) engine.Answer) *fork {
	f := &fork{decide: decide, done: make(chan struct{})}
	p := *k.Problem
	f.ctx, f.cancel = context.WithCancel(effort.Counted(k.Ctx))
	p.Ctx, p.Ends = f.ctx, nil
	p.Slices = regular.New(p.Ctx, p.Comp, k.Memo)
	f.checker = &checker{Problem: &p, opts: k.opts, cores: k.cores, nexts: k.nexts, since: k.since}
	return f
}

// begin makes the decision, once.
func (f *fork) begin() {
	if f.begun.CompareAndSwap(false, true) {
		defer close(f.done)
		if f.Bytes > 0 {
			go f.watch(effort.Heap())
		}
		f.answer = f.decide(f.checker)
	}
}

// use waits for the answer of a fork and returns it as if k had made the decision just now. It
// returns ok = false if the fork used too much memory, so that k has to make the decision itself.
func (k *checker) use(f *fork) (a engine.Answer, ok bool) {
	select {
	case <-f.done:
	case <-k.Ctx.Done():
		return engine.Undecided(reasonOf(k.Ctx.Err())), true
	}
	if f.tight.Load() {
		return a, false
	}
	_ = effort.Spend(k.Ctx, effort.Spent(f.ctx)) // k has no limit of steps when it has forks
	if err := f.failure(); err != nil {
		k.fail(err)
	}
	k.used = max(k.used, f.used)
	return f.answer, true
}

// watch stops a fork once the heap has grown by half of the memory that an engine may use. The
// other half is left for the engine whose turn it is.
func (f *fork) watch(before int64) {
	look := time.NewTicker(watchEvery)
	defer look.Stop()
	for {
		select {
		case <-f.done:
			return
		case <-look.C:
			if effort.Heap()-before > f.Bytes/2 {
				f.tight.Store(true)
				f.cancel()
			}
		}
	}
}

const watchEvery = 10 * time.Millisecond

// alone is how long a decision runs on one core before it may use others. Tests set it to 0.
var alone = 20 * time.Millisecond

// cores are the cores that a decision may use in addition to its own. The channel holds one value
// for each core in use.
type cores chan struct{}

// take takes a core if one is free.
func (c cores) take() bool {
	select {
	case c <- struct{}{}:
		return true
	default:
		return false
	}
}

// give returns a core.
func (c cores) give() { <-c }

// soon returns a decision that begins after the delay alone, if a core is free by then.
func (k *checker) soon(decide func(*checker) engine.Answer) *fork {
	f, cores := k.fork(decide), k.cores
	time.AfterFunc(alone, func() {
		if f.ctx.Err() == nil && cores.take() {
			defer cores.give()
			f.begin()
		}
	})
	return f
}

// each yields the answers of n decisions in their order. If the first ones take long, all free
// cores help with the others.
func (k *checker) each(n int, decide func(k *checker, i int) engine.Answer) iter.Seq2[int, engine.Answer] {
	return func(yield func(int, engine.Answer) bool) {
		begun := time.Now()
		var ahead []*fork // the forks of the next decisions
		defer func() {
			for _, f := range ahead {
				f.cancel()
			}
		}()
		for i := range n {
			// withEvidenceBudget has begun, and the forks are not within its budget
			if k.cores == nil {
				for _, f := range ahead {
					f.cancel()
				}
				ahead = nil
			}
			if len(ahead) == 0 && n-i > 1 && time.Since(begun) > alone {
				ahead = k.share(min(n-i, maxAhead), func(k *checker, j int) engine.Answer { return decide(k, i+j) })
			}
			a, ok := engine.Answer{}, false
			if len(ahead) > 0 {
				a, ok = k.use(ahead[0])
				ahead[0].cancel()
				ahead = ahead[1:]
			}
			if !ok {
				a = decide(k, i)
			}
			if !yield(i, a) {
				return
			}
		}
	}
}

// maxAhead is how many decisions are prepared ahead of their turn.
const maxAhead = 256

// share begins n decisions on the free cores, and on k's own core while k waits for them. It returns
// nil if no other core is free.
func (k *checker) share(n int, decide func(k *checker, i int) engine.Answer) []*fork {
	if !k.cores.take() {
		return nil
	}
	forks := make([]*fork, n)
	for i := range forks {
		forks[i] = k.fork(func(k *checker) engine.Answer { return decide(k, i) })
	}
	work := func() {
		for _, f := range forks {
			if f.ctx.Err() == nil {
				f.begin()
			}
		}
	}
	go work()
	cores := k.cores
	for taken := true; taken; taken = cores.take() {
		go func() {
			defer cores.give()
			work()
		}()
	}
	return forks
}
