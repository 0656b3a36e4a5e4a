package record

import "sync"

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
