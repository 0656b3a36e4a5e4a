package outofcore

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/admission"
	"github.com/pota-project/pota/graphs/stream"
)

// A survey finds the processes and variables of a trace, and refuses declarations that do
// not fit each other.
type survey struct {
	processes []string          // in order of first appearance
	found     map[string]*found // by process
	shared    []stream.Assignment
	scope     map[string]scope // of variables that were declared

	receivers []string // that had no line when a message was first sent to them
}

// found is what a survey knows of a process.
type found struct {
	initial map[string]graphs.Value // of its variables; nil before its first line
	order   []string                // of these names
	events  int64
	lines   int // without declarations
	passed  int // of these, in the pass in the order of the file
}

// scope says how a variable was declared.
type scope uint8

const (
	undeclared scope = iota
	local            // by a process
	shared           // for all processes
)

func newSurvey() *survey {
	return &survey{
		found: make(map[string]*found),
		scope: make(map[string]scope),
	}
}

// line adds a line.
func (s *survey) line(l *stream.Line) error {
	if l.Kind == stream.Sharing {
		return s.share(l)
	}

	// A receiver may have its own lines later, and processes come in the order of their lines.
	p := s.process(string(l.Process))
	if to := string(l.To); to != "" && s.found[to] == nil {
		s.receivers = append(s.receivers, to)
		s.found[to] = new(found)
	}

	switch l.Kind {
	case stream.Declaration:
		return s.declare(p, l)
	case stream.Event:
		p.lines++
		p.events++
		p.event(l)
	default:
		p.lines++
	}
	return nil
}

// event notes the variables of an event.
func (p *found) event(l *stream.Line) {
	// A variable that was not declared begins with the zero of its kind.
	for _, a := range l.Values {
		p.add(a.Name, graphs.Zero(a.Value.Kind))
	}
	for _, t := range l.Timers {
		for _, a := range t.Set {
			p.add([]byte(a.Name), graphs.Zero(a.Value.Kind))
		}
	}
}

// declare notes the initial values of a process.
func (s *survey) declare(p *found, l *stream.Line) error {
	if p.events > 0 {
		return admission.LateInitials.Broken(l.Process)
	}
	for _, a := range l.Values {
		name := string(a.Name)
		again := !p.add(a.Name, a.Value)
		if err := admission.Initial(name, s.scope[name] == shared, again); err != nil {
			return err
		}
		s.scope[name] = local
	}
	return nil
}

// share notes shared variables and their initial values.
func (s *survey) share(l *stream.Line) error {
	for _, a := range l.Values {
		name := string(a.Name)
		if err := admission.Share(name, s.scope[name] == local, s.scope[name] == shared); err != nil {
			return err
		}
		s.scope[name] = shared
		s.shared = append(s.shared, stream.Assignment{Name: []byte(name), Value: a.Value})
	}
	return nil
}

// add notes a variable and reports whether it is new.
func (p *found) add(name []byte, value graphs.Value) bool {
	if _, known := p.initial[string(name)]; known {
		return false
	}
	p.initial[string(name)] = value
	p.order = append(p.order, string(name))
	return true
}

// process returns the findings on a process, and adds the process if it is new.
func (s *survey) process(name string) *found {
	p := s.found[name]
	if p == nil {
		p = new(found)
		s.found[name] = p
	}
	if p.initial == nil {
		p.initial = make(map[string]graphs.Value)
		s.processes = append(s.processes, name)
	}
	return p
}

// addReceivers adds the processes that messages were sent to and that have no line.
func (s *survey) addReceivers() {
	for _, name := range s.receivers {
		s.process(name)
	}
}

// declarations returns lines that declare all that was found, and close the processes that
// execute nothing.
func (s *survey) declarations() []*stream.Line {
	all := []*stream.Line{{Kind: stream.Sharing, Values: s.shared}}
	for _, name := range s.processes {
		l := &stream.Line{Kind: stream.Declaration, Process: []byte(name)}
		p := s.found[name]
		for _, variable := range p.order {
			if s.scope[variable] != shared {
				l.Values = append(l.Values, stream.Assignment{Name: []byte(variable), Value: p.initial[variable]})
			}
		}
		all = append(all, l)
	}
	// Nobody else will close them, and the monitor would wait for their first event.
	for _, name := range s.processes {
		if s.found[name].lines == 0 {
			all = append(all, &stream.Line{Kind: stream.Closing, Process: []byte(name)})
		}
	}
	return all
}
