package stream

import (
	"cmp"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/admission"
)

// A LateError says that a line was accepted, but an earlier event that it made ready breaks a rule. The stream is given
// up.
type LateError struct{ Err error }

func (e *LateError) Error() string { return e.Err.Error() }
func (e *LateError) Unwrap() error { return e.Err }

// late returns and clears the failure of an accepted event, if there is one.
func (s *Stream) late() error {
	if s.failure == nil {
		return nil
	}
	err := &LateError{s.failure}
	s.failure = nil
	return err
}

// disorder refuses an event that could be admitted at once and assigns a shared variable although the last assignment
// did not happen before it. The event is at the given position of process p, -1 for a new process.
func (s *Stream) disorder(l *Line, p int32, pos int64) error {
	if len(l.Sync) > 0 || p >= 0 && s.Waiting(int(p)) {
		return nil
	}
	for _, a := range l.Values {
		v := s.owned[owner{graphs.Shared, string(a.Name)}]
		if v != nil && v.at.pos > 0 && v.at.process != p && !(p >= 0 && s.processes[p].clock.of(v.at.process) >= v.at.pos) && !s.mayFollow(l, v.at) {
			id := string(l.ID)
			if id == "" {
				id = string(admission.AppendDefault(nil, string(l.Process), pos))
			}
			return unordered(v, s.idOf(v.id, v.at), v.source, id, l.Place)
		}
	}
	return nil
}

// mayFollow reports whether an admitted event happened before or at an event that a line refers to, or may have done so
// because the latter is not known yet.
func (s *Stream) mayFollow(l *Line, at place) bool {
	knows := func(from place, m *message) bool {
		c, ok := s.past(from, m)
		return !ok || from.process == at.process && from.pos >= at.pos || c.of(at.process) >= at.pos
	}
	for _, id := range l.Recv {
		m := s.known(id)
		if m == nil || !m.sent || knows(m.from, m) {
			return true
		}
	}
	for _, id := range l.After {
		if from, ok := s.place(id); !ok || knows(from, nil) {
			return true
		}
	}
	for _, c := range l.Clock {
		if c.Events == 0 || string(c.Process) == string(l.Process) {
			continue
		}
		if r := s.counted(c); r.id != "" || knows(r.place, nil) {
			return true
		}
	}
	return false
}

// unordered checks the assignments of shared variables in a step with a given clock: the last assignment before the
// step must be known to the clock, and those within the step must be ordered. It keeps only the last of these.
func (s *Stream) unordered(step []*pending, known clock) error {
	var assigned []*variable // only for a step of several events
	var by map[*variable][]*pending
	for _, e := range step {
		for _, x := range e.sets {
			if x.v.process != graphs.Shared {
				continue
			}
			if at := x.v.at; at.pos > 0 && at.process != e.process && known.of(at.process) < at.pos {
				return unordered(x.v, s.idOf(x.v.id, at), x.v.source, s.idOf(e.id, e.place), e.source)
			}
			if len(step) == 1 {
				continue
			}
			if by == nil {
				by = make(map[*variable][]*pending)
			}
			if by[x.v] == nil {
				assigned = append(assigned, x.v)
			}
			by[x.v] = append(by[x.v], e)
		}
	}
	for _, v := range assigned {
		if all := by[v]; len(all) > 1 {
			if err := s.leaveLast(v, all, step); err != nil {
				return err
			}
		}
	}
	return nil
}

// leaveLast drops all assignments of a shared variable in a step but the last one. It fails if happened-before does not
// order them.
func (s *Stream) leaveLast(v *variable, all, step []*pending) error {
	component, _ := s.components(step, false)
	slices.SortFunc(all, func(e, f *pending) int { return cmp.Compare(component[e.number], component[f.number]) })
	for i, e := range all[:len(all)-1] {
		before := map[*pending]bool{all[i+1]: true}
		for list := []*pending{all[i+1]}; len(list) > 0 && !before[e]; list = list[1:] {
			s.needs(list[0], func(f *pending) {
				if !before[f] {
					before[f] = true
					list = append(list, f)
				}
			})
		}
		if !before[e] {
			f := all[i+1]
			return unordered(v, s.idOf(e.id, e.place), e.source, s.idOf(f.id, f.place), f.source)
		}
		e.sets = slices.DeleteFunc(e.sets, func(x set) bool { return x.v == v })
	}
	return nil
}

// An OrderError is about two unordered assignments of a shared variable. Place is that of the later line.
type OrderError struct {
	*graphs.UnorderedError
	Place graphs.Place
}

func (e *OrderError) Unwrap() error { return e.UnorderedError }

// unordered returns the error for two unordered assignments of a shared variable, by events with these ids and places.
func unordered(v *variable, first string, source graphs.Place, second string, then graphs.Place) error {
	if source.Line > then.Line {
		then = source
	}
	return &OrderError{&graphs.UnorderedError{Variable: v.name, IDs: [2]string{first, second}}, then}
}

// idOf returns the id of an event: the given one, or its default id if that is "".
func (s *Stream) idOf(id string, at place) string {
	if id != "" {
		return id
	}
	return string(s.defaultID(at))
}
