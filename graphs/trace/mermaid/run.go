package mermaid

import (
	"context"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/internal/choices"
)

const (
	maxExecutions = 1000
	// events and repetitions of a file, participants and variables counted once an
	// execution
	maxSteps = 1 << 20
)

// A run goes through a diagram once, with the choices given.
// The diagram is shared by all runs, and only read.
type run struct {
	*document
	*diagram
	ctx     context.Context
	steps   *int // left for the file
	choices *choices.Choices
	others  int      // executions there are besides, at least
	names   []string // of the choices that were met

	events   []event
	messages []delivery
	pairs    [][2]int // events that happen together
	last     []int    // the last event of each participant, -1 for none
	depth    []int    // activations
	initial  map[[2]any]graphs.Value
	atFirst  []int // activations before the first event

	creating, destroying *statement // without their message yet
	gone                 []bool
}

type event struct {
	at          int // in the text
	participant int
	label       string
	sets        []assignment
	active      int // after it, -1 where it does not change
}

// delivery is a message; recv is -1 if it is lost.
type delivery struct{ send, recv, to int }

func (d *document) run(ctx context.Context, g *diagram, c *choices.Choices, steps *int) (*run, error) {
	n := len(g.participants)
	r := &run{
		document: d, diagram: g, ctx: ctx, steps: steps, choices: c,
		last: make([]int, n), depth: make([]int, n), atFirst: make([]int, n), gone: make([]bool, n),
		initial: make(map[[2]any]graphs.Value),
	}

	for p := range r.last {
		// No event yet.
		r.last[p] = -1
	}
	if err := r.spend(g.at, n+len(g.variables)); err != nil {
		return nil, err
	}
	// broken means that the scenario ended early, so what is pending stays so.
	broken, err := r.follow(g.body)
	if err != nil {
		return nil, err
	}
	switch {
	case broken || g.truncated:
	case r.creating != nil:
		return nil, d.fail(r.creating.at, "%s is created, but gets no message after that", g.participants[r.creating.a])
	case r.destroying != nil:
		return nil, d.fail(r.destroying.at, "%s is destroyed, but neither sends nor receives a message after that", g.participants[r.destroying.a])
	}
	return r, nil
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
func (r *run) follow(body []statement) (broken bool, err error) {
	for i := range body {
		s := &body[i]
		switch s.kind {
		case message:
			err = r.message(s)
		case note:
			err = r.note(s)
		case activate:
			err = r.activate(s, s.a, s.delta)
		case create:
			err = r.pending(s, &r.creating)
		case destroy:
			err = r.pending(s, &r.destroying)
		case loop:
			err = r.repeat(s)
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
func (r *run) repeat(s *statement) error {
	// The bound on steps limits loops with large numbers, and those of nothing.
	for range s.times {
		if err := r.spend(s.at, 1); err != nil {
			return err
		}
		if broken, err := r.follow(s.body); broken || err != nil {
			return err
		}
	}
	return nil
}

// choose executes one branch of a choice.
func (r *run) choose(s *statement) (broken bool, err error) {
	if err := r.spend(s.at, 1); err != nil {
		return false, err
	}
	// Each choice of n adds n-1 executions at least, so too many are refused before they are
	// made.
	n := len(s.branches)
	if r.others += n - 1; r.others >= maxExecutions {
		return false, r.fail(s.at, "more than %d executions: each combination of choices is one", maxExecutions)
	}
	b := s.branches[r.choices.Of(n)]
	r.names = append(r.names, b.name)
	broken, err = r.follow(b.body)
	return broken || b.breaks, err
}

// event adds an event of a participant.
func (r *run) event(s *statement, p int, label string) (int, error) {
	switch {
	case r.gone[p]:
		return 0, r.fail(s.at, "%s takes part after it is destroyed", r.participants[p])
	case r.creating != nil && r.creating.a == p && s.kind != message:
		return 0, r.fail(s.at, "%s takes part before the message that creates it", r.participants[p])
	}
	if err := r.spend(s.at, 1); err != nil {
		return 0, err
	}
	r.last[p] = len(r.events)
	r.events = append(r.events, event{at: s.at, participant: p, label: label, active: -1})
	return r.last[p], nil
}

func (r *run) message(s *statement) error {
	// The message that creates must be the next one.
	if c := r.creating; c != nil && (s.b != c.a || s.a == s.b) {
		return r.fail(s.at, "expected the message that creates %s to go to it", r.participants[c.a])
	}
	send, err := r.event(s, s.a, s.text)
	if err != nil {
		return err
	}
	// A message to oneself is one event.
	if s.a != s.b {
		switch s.sends {
		case lost:
			r.messages = append(r.messages, delivery{send, -1, s.b})
		default:
			recv, err := r.event(s, s.b, s.text)
			if err != nil {
				return err
			}
			if s.sends == both {
				r.pairs = append(r.pairs, [2]int{send, recv})
			} else {
				r.messages = append(r.messages, delivery{send, recv, s.b})
			}
		}
	}

	switch s.delta {
	case 1:
		err = r.activate(s, s.b, 1)
	case -1:
		err = r.activate(s, s.a, -1)
	}
	r.creating = nil
	// Destruction completes with this message, so events after it are refused.
	if d := r.destroying; d != nil {
		if s.a != d.a && s.b != d.a {
			return r.fail(s.at, "expected a message that %s, which is destroyed, sends or receives", r.participants[d.a])
		}
		r.gone[d.a], r.destroying = true, nil
	}

	return err
}

// activate changes the number of activations of p with its last event.
func (r *run) activate(s *statement, p, delta int) error {
	r.depth[p] += delta
	switch {
	case r.depth[p] < 0:
		return r.fail(s.at, "%s is not active here", r.participants[p])
	// Before the first event, an activation is part of the initial state.
	case r.last[p] < 0:
		r.atFirst[p] = r.depth[p]
	default:
		r.events[r.last[p]].active = r.depth[p]
	}
	return nil
}

func (r *run) note(s *statement) error {
	if !s.initially {
		return r.assign(s)
	}
	for _, p := range []int{s.a, s.b} {
		if r.last[p] >= 0 {
			return r.fail(s.at, "%s has events above, so this is not what it has initially", r.participants[p])
		}
		for _, set := range s.sets {
			r.initial[[2]any{p, set.variable}] = set.value
		}
	}

	return nil
}

func (r *run) assign(s *statement) error {
	first, err := r.event(s, s.a, s.text)
	if err != nil {
		return err
	}
	r.events[first].sets = s.sets
	if s.a == s.b {
		return nil
	}
	second, err := r.event(s, s.b, s.text)
	if err != nil {
		return err
	}
	r.events[second].sets = s.sets
	// A note over two participants sets both at once, so the two events are one step.
	r.pairs = append(r.pairs, [2]int{first, second})
	return nil
}

// pending notes a creation or destruction that the next message completes.
func (r *run) pending(s *statement, what **statement) error {
	name := r.participants[s.a]
	switch {
	case r.creating != nil:
		return r.fail(s.at, "expected the message that creates %s", r.participants[r.creating.a])
	case r.destroying != nil && s.kind == destroy:
		return r.fail(s.at, "expected the message with which %s is destroyed", r.participants[r.destroying.a])
	case s.kind == create && r.last[s.a] >= 0:
		return r.fail(s.at, "%s is created, but takes part above", name)
	case r.gone[s.a]:
		return r.fail(s.at, "%s is destroyed already", name)
	}
	*what = s
	return nil
}

// name returns the choices taken.
func (r *run) name() string { return strings.Join(r.names, "/") }
