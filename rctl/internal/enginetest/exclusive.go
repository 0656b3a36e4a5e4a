package enginetest

import (
	"fmt"
	"math/rand/v2"

	"github.com/pota-project/pota/graphs"
)

// Exclusive makes a computation of n processes and a token, passed on by messages, that admits one
// of them at a time to a critical section (cs). A counter x counts the admissions, and processes
// also send each other unrelated messages. Where broken, one of the last entries does not wait for
// the token.
func Exclusive(n, events int, broken bool) *graphs.Computation {
	// The seed follows from the sizes, so equal arguments make equal computations.
	r := rand.New(rand.NewPCG(uint64(n), uint64(events)))
	var b graphs.Builder
	b.Grow(events)
	cs, x := make([]*graphs.Variable, n), make([]*graphs.Variable, n)
	for p := range n {
		b.Process(fmt.Sprintf("P%d", p))
		cs[p], x[p] = b.Variable(p, "cs"), b.Variable(p, "x")
		b.Init(cs[p], graphs.Boolean(false))
		b.Init(x[p], graphs.Int(0))
	}
	holder, stage := 0, 0
	// NoHandle as long as nobody has passed the token on.
	token := graphs.NoHandle
	type letter struct {
		send graphs.Handle
		to   int
	}
	var letters []letter
	count := make([]int64, n)
	for b.NumEvents() < events {
		// The fault: another process enters without the token.
		// Late in the run, so that an engine has to look at nearly all of it.
		if broken && b.NumEvents() == events*9/10 {
			other := (holder + 1) % n
			b.Set(cs[other], b.Event(other), graphs.Boolean(true))
			b.Set(cs[other], b.Event(other), graphs.Boolean(false))
		}
		// A tenth of the events move the token on, by stages; most others send or
		// receive letters.
		switch k := r.IntN(10); {
		case k == 0 && stage == 0: // receive the token and enter
			e := b.Event(holder)
			if token != graphs.NoHandle {
				b.Deliver(b.NewMessage(""), token, e, -1)
			}
			b.Set(cs[holder], e, graphs.Boolean(true))
			stage = 1
		case k == 0 && stage == 1: // leave
			e := b.Event(holder)
			b.Set(cs[holder], e, graphs.Boolean(false))
			count[holder]++
			b.Set(x[holder], e, graphs.Int(count[holder]))
			stage = 2
		case k == 0:
			// The process that leaves passes the token on to any other one.
			token = b.Event(holder)
			holder = (holder + 1 + r.IntN(n-1)) % n
			stage = 0
		case k < 5:
			letters = append(letters, letter{b.Event(r.IntN(n)), r.IntN(n)})
		case k < 9 && len(letters) > 0:
			i := r.IntN(len(letters))
			l := letters[i]
			// Removed in O(1); the order of letters is random anyway.
			letters[i] = letters[len(letters)-1]
			letters = letters[:len(letters)-1]
			if b.ProcessOf(l.send) != l.to {
				b.Deliver(b.NewMessage(""), l.send, b.Event(l.to), -1)
			}
		default:
			b.Event(r.IntN(n))
		}
	}
	c, err := b.Build()
	if err != nil {
		panic(err)
	}
	return c
}
