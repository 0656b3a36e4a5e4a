package stream

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/admission"
	"github.com/pota-project/pota/graphs/timer"
)

// timers are the timers of an execution.
type timers struct {
	of map[int32]*timer.Process[graphs.Place] // by process, of those that had timers

	clocked bool // an event has a vector clock
}

// EndedTimers returns how many events were ends of timers.
func (s *Stream) EndedTimers() int {
	n := int64(0)
	for _, of := range s.timers.of {
		n += of.Ended()
	}
	return int(n)
}

// endTimers adds the events of timers that end before an event.
func (s *Stream) endTimers(p int32, l *Line) error {
	of := s.timers.of[p]
	if of == nil {
		return nil
	}
	ends, err := of.Before(string(l.Time), s.opts.Unit)
	if err != nil {
		return err
	}
	return s.addEnds(p, ends)
}

// restTimers adds the events of the timers of a process that executes no more.
func (s *Stream) restTimers(p int32) error {
	if of := s.timers.of[p]; of != nil {
		return s.addEnds(p, of.Rest())
	}
	return nil
}

// addEnds adds the events of timers that end.
func (s *Stream) addEnds(p int32, ends []timer.End[graphs.Place]) error {
	for _, end := range ends {
		l := &Line{
			Process: []byte(s.names[p]),
			ID:      []byte(end.ID),
			Label:   []byte(end.Label()),
			Time:    []byte(end.Time),
			Place:   end.By,
		}
		for _, x := range end.Set {
			l.Values = append(l.Values, Assignment{[]byte(x.Name), x.Value})
		}
		if err := s.arrive(l); err != nil {
			return err
		}
	}
	return nil
}

// refusedTimers checks the timers that an event starts.
func (s *Stream) refusedTimers(l *Line, p int32, _ int64) error {
	clocked := s.timers.clocked || len(l.Clock) > 0
	if clocked && (len(l.Timers) > 0 || len(s.timers.of) > 0) {
		return admission.TimerAndClock.Broken()
	}
	for _, t := range l.Timers {
		if err := timer.Check(t, string(l.Time), s.opts.Unit); err != nil {
			return err
		}
		for _, x := range t.Set {
			if v := s.find(p, []byte(x.Name)); v != nil && v.process == graphs.Shared {
				return admission.TimerShared.Broken(t.Name, x.Name)
			}
			if err := s.refusedValue(Assignment{[]byte(x.Name), x.Value}, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// startTimers starts the timers of an event that refusedTimers let pass. Variables have the types of
// what timers set from now on.
func (s *Stream) startTimers(p int32, l *Line) {
	if s.timers.of == nil {
		s.timers.of = make(map[int32]*timer.Process[graphs.Place])
	}
	of := s.timers.of[p]
	if of == nil {
		of = new(timer.Process[graphs.Place])
		s.timers.of[p] = of
	}
	id := s.idOf(string(l.ID), place{p, s.processes[p].arrived()})
	for _, t := range l.Timers {
		for _, x := range t.Set {
			if s.find(p, []byte(x.Name)) == nil {
				s.variable(p, Assignment{[]byte(x.Name), x.Value})
			}
		}
		_ = of.Start(t, id, string(l.Time), s.opts.Unit, l.Place) // checked
	}
}

// named returns the line with the id of its event, the default one where it has none: behind the end of
// a timer, the position of the event is another.
func (s *Stream) named(l *Line, p int32) *Line {
	of := s.timers.of[p]
	if of == nil || of.Ended() == 0 || len(l.ID) > 0 {
		return l
	}
	named := *l
	named.ID = admission.AppendDefault(nil, s.names[p], s.processes[p].arrived()+1-of.Ended())
	return &named
}
