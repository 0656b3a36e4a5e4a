package mermaid

import (
	"context"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/internal/choices"
	"github.com/pota-project/pota/graphs/trace"
)

const (
	maxExecutions = 1000
	// events and repetitions of a file, participants and variables counted once an
	// execution
	maxSteps = 1 << 20
)

// A run goes through a diagram once, with the choices given, and builds the computation.
// The diagram is shared by all runs, and only read.
type run struct {
	*Diagram
	ctx     context.Context
	opts    trace.Options
	steps   *int // left for the file
	choices *choices.Choices
	others  int      // executions there are besides, at least
	names   []string // of the diagram, if there are several, and the choices that were met

	builder graphs.Builder
	lineOf  func(at int) int
	begun   []bool // by participant: it has an event
}

// execute goes through the diagram. Variables exist on their participants in every execution, even
// where no note assigns them, so that a formula fits all of them.
func (r *run) execute() (*graphs.Computation, error) {
	if err := r.spend(r.at, len(r.Participants)+len(r.variables)); err != nil {
		return nil, err
	}
	b := &r.builder
	for _, name := range r.Participants {
		b.Process(name)
	}
	for _, v := range r.variables {
		b.Init(b.Variable(v.participant, v.name), graphs.Zero(v.kind))
	}

	if _, err := r.follow(r.Body); err != nil {
		return nil, err
	}
	c, err := b.Build()
	if err != nil {
		return nil, trace.Wrap(r.document.name, 0, err)
	}
	return c, nil
}

// spend counts what an execution costs.
func (r *run) spend(at, steps int) error {
	// Cancellation is checked with each event, so endless loops end.
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if *r.steps -= steps; *r.steps < 0 {
		return r.fail(at, "the executions of this file have more than %d events and repetitions", maxSteps)
	}
	return nil
}

// follow executes statements; it reports whether a break ended them.
func (r *run) follow(body []Statement) (broken bool, err error) {
	for i := range body {
		s := &body[i]
		switch s.Kind {
		case Message:
			err = r.message(s)
		case Note:
			err = r.note(s)
		case Loop:
			err = r.repeat(s)
		case Par:
			err = r.all(s)
		default:
			broken, err = r.choose(s)
		}
		if broken || err != nil {
			return broken, err
		}
	}

	return false, nil
}

// repeat executes a loop. A break in it ends the loop, and not what is around it.
func (r *run) repeat(s *Statement) error {
	// The bound on steps limits loops with large numbers, and those of nothing.
	times := s.Times
	if times < 0 {
		times = 1 // any number is right
	}
	for range times {
		if err := r.spend(s.At, 1); err != nil {
			return err
		}
		if broken, err := r.follow(s.Body); broken || err != nil {
			return err
		}
	}
	return nil
}

// all executes the branches of par one after the other: events of different participants are ordered
// by messages alone. No break leaves a branch, see breakOf.
func (r *run) all(s *Statement) error {
	for _, b := range s.Branches {
		if _, err := r.follow(b.Body); err != nil {
			return err
		}
	}
	return nil
}

// choose executes one branch of a choice.
func (r *run) choose(s *Statement) (broken bool, err error) {
	if err := r.spend(s.At, 1); err != nil {
		return false, err
	}
	// Each choice of n adds n-1 executions at least, so too many are refused before they are
	// made.
	n := len(s.Branches)
	if r.others += n - 1; r.others >= maxExecutions {
		return false, r.fail(s.At, "more than %d executions: each combination of choices is one", maxExecutions)
	}
	b := s.Branches[r.choices.Of(n)]
	r.names = append(r.names, b.Name)
	broken, err = r.follow(b.Body)
	return broken || b.Breaks, err
}

// event adds an event of a participant.
func (r *run) event(s *Statement, p int) (graphs.Handle, error) {
	if err := r.spend(s.At, 1); err != nil {
		return 0, err
	}
	h := r.builder.Event(p)
	r.begun[p] = true
	if r.opts.Places {
		r.builder.SetPlace(h, graphs.Place{File: r.document.name, Line: r.lineOf(s.At)})
	}
	if r.opts.Names && s.Text != "" {
		r.builder.SetLabel(h, s.Text)
	}
	for _, set := range s.Sets {
		r.opts.Set(&r.builder, r.builder.Variable(p, set.Variable), h, set.Value)
	}
	return h, nil
}

func (r *run) message(s *Statement) error {
	send, err := r.event(s, s.From)
	if err != nil {
		return err
	}
	recv := graphs.NoHandle
	if s.From != s.To && s.Sends != Lost {
		if recv, err = r.event(s, s.To); err != nil {
			return err
		}
	}
	switch {
	case s.From == s.To: // a message to oneself is one event
	case s.Sends == Both:
		r.builder.Sync(send, recv)
	default:
		// Arrows have no names; the builder makes them.
		r.builder.Deliver(r.builder.NewMessage(""), send, recv, s.To)
	}
	return nil
}

func (r *run) note(s *Statement) error {
	switch {
	case len(s.Sets) == 0:
		return nil
	case !s.Initially:
		return r.assign(s)
	}
	for _, p := range []int{s.From, s.To} {
		if r.begun[p] {
			return r.fail(s.At, "%s has events above, so this is not what it has initially", r.Participants[p])
		}
		for _, set := range s.Sets {
			r.builder.Init(r.builder.Variable(p, set.Variable), set.Value)
		}
	}

	return nil
}

func (r *run) assign(s *Statement) error {
	first, err := r.event(s, s.From)
	if err != nil || s.From == s.To {
		return err
	}
	second, err := r.event(s, s.To)
	if err == nil {
		// A note over two participants sets both at once, so the two events are one step.
		r.builder.Sync(first, second)
	}
	return err
}
