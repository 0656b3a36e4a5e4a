package record

import (
	"slices"
	"strconv"
	"sync"
)

// A Mutex is a sync.Mutex that orders critical sections in the trace: Lock and
// Unlock are events, and each Lock happens after the Unlock before it. The zero
// Mutex is unlocked. It must not be copied after first use.
type Mutex struct {
	mutex    sync.Mutex
	released Ref
}

// Lock locks m and records an event of p that has it.
func (m *Mutex) Lock(p *Process, actions ...Action) Ref {
	m.mutex.Lock()
	return p.Event(append([]Action{After(m.released)}, actions...)...)
}

// TryLock locks m if it is not locked. Then, and only then, it records an event
// like Lock.
func (m *Mutex) TryLock(p *Process, actions ...Action) bool {
	if !m.mutex.TryLock() {
		return false
	}
	p.Event(append([]Action{After(m.released)}, actions...)...)
	return true
}

// Unlock records an event of p that gives m up, and unlocks m.
func (m *Mutex) Unlock(p *Process, actions ...Action) Ref {
	ref := p.Event(actions...)
	m.released = ref
	m.mutex.Unlock()
	return ref
}

// A Barrier lets processes wait for each other. The events of processes that waited for each other
// are one step.
type Barrier struct {
	mutex   sync.Mutex
	parties int
	members []member
	done    []chan Ref
}

// NewBarrier returns a barrier for n calls of Wait, which wait for each other.
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

// A member is the part that a process has in what happens to several at once.
type member struct {
	process *Process
	actions []Action
}

// together records the events of the members as one step and returns their Refs.
// It is called while all of them wait, so that whatever one of them causes has a
// later line than the events of all. A process that is a member twice takes part
// once; its other events are steps of their own.
func together(members ...member) []Ref {
	var id Sync
	var recorded []*Process
	for _, m := range members {
		if m.process != nil && !slices.Contains(recorded, m.process) {
			recorded = append(recorded, m.process)
		}
	}
	if len(recorded) > 1 {
		id = recorded[0].newSync()
	}
	refs := make([]Ref, len(members))
	for i, m := range members {
		actions := m.actions
		if k := slices.Index(recorded, m.process); k >= 0 && id != "" {
			recorded[k] = nil
			actions = append(slices.Clip(actions), id)
		}
		refs[i] = m.process.Event(actions...)
	}
	return refs
}

// newSync returns an id that no other process makes.
func (p *Process) newSync() Sync {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.syncs++
	return Sync(strconv.AppendInt(slices.Clone(p.escaped), int64(p.syncs), 10))
}
