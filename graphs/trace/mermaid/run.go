package mermaid

import (
	"context"
	"slices"

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
	active  []*graphs.Variable // by participant, none where nobody is activated
	last    []graphs.Handle    // the last event of each participant, NoHandle for none
	depth   []int              // activations
	changed []bool             // the last event changes the number of activations
}

func newRun(ctx context.Context, g *Diagram, c *choices.Choices, steps *int, opts trace.Options) *run {
	n := len(g.Participants)
	return &run{
		Diagram: g, ctx: ctx, opts: opts, steps: steps, choices: c, lineOf: g.Lines(),
		last: slices.Repeat([]graphs.Handle{graphs.NoHandle}, n), depth: make([]int, n),
		changed: make([]bool, n),
	}
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
	for p := range r.Participants {
		// Diagrams without activations have no variable of that name.
		if r.activates {
			r.active = append(r.active, b.Variable(p, active))
			b.Init(r.active[p], graphs.Int(0))
		}
	}
	for _, v := range r.variables {
		b.Init(b.Variable(v.participant, v.name), graphs.Zero(v.kind))
	}

	if _, err := r.follow(r.Body); err != nil {
		return nil, err
	}
	for p := range r.Participants {
		r.settle(p)
	}
	c, err := b.Build()
	if err != nil {
		return nil, trace.Wrap(r.document.name, 0, err)
	}
	return c, nil
}

// settle makes the last event of a participant assign the number of activations, if it changes
// that.
func (r *run) settle(p int) {
	if r.changed[p] {
		r.opts.Set(&r.builder, r.active[p], r.last[p], graphs.Int(int64(r.depth[p])))
		r.changed[p] = false
	}
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
		case Activate:
			err = r.activate(s, s.From, s.delta)
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
	r.settle(p)
	h := r.builder.Event(p)
	r.last[p] = h
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

	switch s.delta {
	case 1:
		return r.activate(s, s.To, 1)
	case -1:
		return r.activate(s, s.From, -1)
	}
	return nil
}

// activate changes the number of activations of p with its last event.
func (r *run) activate(s *Statement, p, delta int) error {
	r.depth[p] += delta
	switch {
	case r.depth[p] < 0:
		return r.fail(s.At, "%s is not active here", r.Participants[p])
	// Before the first event, an activation is part of the initial state.
	case r.last[p] == graphs.NoHandle:
		r.builder.Init(r.active[p], graphs.Int(int64(r.depth[p])))
	default:
		r.changed[p] = true
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
		if r.last[p] != graphs.NoHandle {
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
