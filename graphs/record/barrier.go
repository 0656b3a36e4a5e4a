package record

import "sync"

// A Barrier lets processes wait for each other. The events of those that meet are
// one step.
type Barrier struct {
	mutex   sync.Mutex
	parties int
	members []member
	done    []chan Ref
}

// NewBarrier returns a barrier where each n calls of Wait meet.
func NewBarrier(n int) *Barrier { return &Barrier{parties: n} }

// Wait waits until as many have come as the barrier has parties, and records an
// event of p.
func (b *Barrier) Wait(p *Process, actions ...Action) Ref {
	b.mutex.Lock()
	done := make(chan Ref, 1)
	b.members = append(b.members, member{p, actions})
	b.done = append(b.done, done)
	if len(b.members) >= b.parties {
		for i, ref := range together(b.members...) {
			b.done[i] <- ref
		}
		b.members, b.done = nil, nil
	}
	b.mutex.Unlock()
	return <-done
}
