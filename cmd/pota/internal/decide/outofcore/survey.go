package outofcore

import (
	"bytes"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/admission"
	"github.com/pota-project/pota/graphs/stream"
)

// A survey finds the processes and variables of a trace, and refuses contradictory declarations.
type survey struct {
	processes []string          // in order of first appearance
	found     map[string]*found // by process
	shared    []stream.Assignment
	scope     map[string]scope // by declared variable

	receivers []string // processes that had no line when a message was first sent to them
}

// found holds what a survey has found out about a process.
type found struct {
	initial []stream.Assignment // the initial values of its variables
	known   map[string]bool     // its variables; nil before the first line of the process
	events  int
	lines   int // how many lines it has, without declarations
	passed  int // how many of these lines inFileOrder has read
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

// line adds a line of the trace.
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
		// A variable that was not declared begins with the zero value of its kind.
		for _, a := range l.Values {
			p.add(a.Name, graphs.Zero(a.Value.Kind))
		}
		for _, t := range l.Timers {
			for _, a := range t.Set {
				p.add([]byte(a.Name), graphs.Zero(a.Value.Kind))
			}
		}
	default:
		p.lines++
	}
	return nil
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
	if p.known[string(name)] {
		return false
	}
	p.known[string(name)] = true
	p.initial = append(p.initial, stream.Assignment{Name: bytes.Clone(name), Value: value})
	return true
}

// process returns the findings on a process, and adds the process if it is new.
func (s *survey) process(name string) *found {
	p := s.found[name]
	if p == nil {
		p = new(found)
		s.found[name] = p
	}
	if p.known == nil {
		p.known = make(map[string]bool)
		s.processes = append(s.processes, name)
	}
	return p
}

// declarations returns lines that declare everything found, and close the processes without
// events.
func (s *survey) declarations() []*stream.Line {
	all := []*stream.Line{{Kind: stream.Sharing, Values: s.shared}}
	for _, name := range s.processes {
		own := slices.DeleteFunc(slices.Clone(s.found[name].initial), func(a stream.Assignment) bool {
			return s.scope[string(a.Name)] == shared
		})
		all = append(all, &stream.Line{Kind: stream.Declaration, Process: []byte(name), Values: own})
	}
	// These processes would not be closed otherwise, and the monitor would wait for their first events.
	for _, name := range s.processes {
		if s.found[name].lines == 0 {
			all = append(all, &stream.Line{Kind: stream.Closing, Process: []byte(name)})
		}
	}
	return all
}
