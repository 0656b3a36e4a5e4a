package record

import (
	"slices"
	"strconv"
)

// A member is the part that a process has in what happens to several at once.
type member struct {
	process *Process
	actions []Action
}

// together records the events of the members as one step and returns their Refs.
// It is called while all of them wait, so that whatever one of them causes has a
// later line than the events of all. A process that is a member twice takes part
// once; its other events stand alone.
func together(members ...member) []Ref {
	var id Sync
	var known clock
	var recorded []*Process
	for _, m := range members {
		if m.process == nil || slices.Contains(recorded, m.process) {
			continue
		}
		recorded = append(recorded, m.process)
		known = known.join(m.process.knows())
	}
	if len(recorded) > 1 {
		id = recorded[0].newSync()
	}
	refs := make([]Ref, len(members))
	for i, m := range members {
		actions := m.actions
		if k := slices.Index(recorded, m.process); k >= 0 && id != "" {
			recorded[k] = nil
			m.process.learn(known)
			actions = append(slices.Clip(actions), id)
		}
		refs[i] = m.process.Event(actions...)
	}
	for _, m := range members {
		for _, ref := range refs {
			if ref.more != nil {
				m.process.learn(ref.more.clock)
			}
		}
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

// knows returns a copy of the clock, nil without clocks.
func (p *Process) knows() clock {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return slices.Clone(p.clock)
}

// learn joins a clock to that of the process.
func (p *Process) learn(c clock) {
	if p == nil || len(c) == 0 {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.clock = p.clock.join(c)
}
