package stream

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/admission"
	"github.com/pota-project/pota/graphs/timer"
)

// EndedTimers returns how many events were ends of timers.
func (s *Stream) EndedTimers() int {
	n := int64(0)
	for _, of := range s.timers {
		n += of.Ended()
	}
	return int(n)
}

// beforeTimers adds the events of timers that end before the event of a line, and returns the line. If timers of the
// process have ended, the returned line has an id, because default ids count lines and not the ends of timers.
func (s *Stream) beforeTimers(l *Line) (*Line, error) {
	p, known := s.number[string(l.Process)]
	of := s.timers[p]
	if !known || of == nil || s.processes[p].closed {
		return l, nil
	}
	ends, err := of.Before(string(l.Time), s.opts.Unit)
	if err == nil {
		err = s.addEnds(p, ends)
	}
	if err != nil || of.Ended() == 0 || len(l.ID) > 0 {
		return l, err
	}
	named := *l
	named.ID = admission.AppendDefault(nil, s.names[p], s.processes[p].arrived()+1-of.Ended())
	return &named, nil
}

// restTimers adds the events of the remaining timers of a process that will execute no more events.
func (s *Stream) restTimers(p int32) error {
	if of := s.timers[p]; of != nil {
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
func (s *Stream) refusedTimers(l *Line, p int32) error {
	clocked := s.clocked || len(l.Clock) > 0
	if clocked && (len(l.Timers) > 0 || len(s.timers) > 0) {
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

// startTimers starts the timers of an event that refusedTimers has accepted. It also fixes the types of the variables
// that the timers set.
func (s *Stream) startTimers(p int32, l *Line) {
	of := s.timers[p]
	if of == nil {
		of = new(timer.Process[graphs.Place])
		s.timers[p] = of
	}
	id := s.idOf(string(l.ID), place{p, s.processes[p].arrived()})
	for _, t := range l.Timers {
		for _, x := range t.Set {
			if s.find(p, []byte(x.Name)) == nil {
				s.variable(p, Assignment{[]byte(x.Name), x.Value})
			}
		}
		_ = of.Start(t, id, string(l.Time), s.opts.Unit, l.Place) // refusedTimers has checked it
	}
}
