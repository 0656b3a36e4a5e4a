package online

import (
	"context"
	"fmt"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	known "github.com/pota-project/pota/rctl/scope"
)

// A follower decides a formula by looking at each event once, when it is admitted.
type follower interface {
	// declare sees a declaration, and step the events that are admitted together.
	declare(*stream.Line)
	step([]stream.Admitted)

	// advance decides what waits for no event, as a process may have closed.
	advance()

	// obligations lists the open ones, the oldest first.
	obligations() []Obligation

	// finish decides what is open at the end.
	finish(context.Context) (Answer, error)

	state() *following
}

// following is the state of any follower.
type following struct {
	m        *Monitor
	property int
	sum      bindings.Result
	answered int    // decisive ones of the sum that have had answers of their own
	over     hashes // bindings with final verdicts, which no event may open again
	held     int    // what is kept of open ones
	pending  []Answer
	failure  error // why nothing is decided any more
	done     bool  // its one answer is there
	late     Late
}

func (x *following) state() *following { return x }

// A follower that decides at events alone needs no declarations, and knows of no obligations.
func (x *following) declare(*stream.Line)      {}
func (x *following) advance()                  {}
func (x *following) obligations() []Obligation { return nil }

// final returns a final answer without a verdict.
func (x *following) final() Answer {
	return Answer{Property: x.property, Final: true, Events: x.m.stream.Admitted()}
}

// limit returns an error where more is kept than may be: of what is open, and in a set of hashes. Each step asks, so
// what is open is put in words for an error alone.
func (x *following) limit(open func() string, hashes int) error {
	switch most := x.m.opts.Most; {
	case most > 0 && x.held > most:
		return fmt.Errorf("the window has reached its limit of %s, as %s are open", graphs.Plural(most, "event"), open())
	case hashes > maxHashes:
		return fmt.Errorf("%d bindings are final, and more cannot be told from new ones", maxHashes)
	}
	return nil
}

// giveUp makes an answer of the failure. A verdict that was answered stands.
func (x *following) giveUp(a Answer) {
	if x.sum.Decisive == 0 {
		a.Reason = reasonOf(x.failure)
		x.pending = append(x.pending, a)
	}
}

// conclude gives an answer the verdict that follows from all bindings so far, and names some of them.
func (x *following) conclude(a *Answer, named []bindings.Binding) {
	sum := x.sum
	sum.Conclude()
	sum.First = named
	a.Verdict, a.Bindings = sum.Verdict, &sum
	if sum.Verdict == rctl.Unknown {
		a.Reason = sum.Reason
	}
}

// idOf returns the id of an event.
func idOf(e *stream.Admitted) string {
	if len(e.Line.ID) > 0 {
		return string(e.Line.ID)
	}
	_, at := e.At()
	return fmt.Sprintf("%s:%d", e.Line.Process, at)
}

// noTimeOf is the error of an event without a time.
func noTimeOf(id string) error {
	return fmt.Errorf("the event %q has no time, or a malformed one (in a condition, has(@time) leaves such events out)", id)
}

// deciding yields the followers that have not given up or ended. The others keep nothing, and must see nothing more.
func (m *Monitor) deciding(yield func(follower) bool) {
	for _, x := range m.followers {
		if s := x.state(); s.failure == nil && !s.done && !yield(x) {
			return
		}
	}
}

// step shows the events that are admitted together to all followers.
func (m *Monitor) step(events []stream.Admitted) {
	for x := range m.deciding {
		x.step(events)
	}
}

// bound returns the answers about bindings that have become final.
func (m *Monitor) bound() (all []Answer) {
	for x := range m.deciding {
		x.advance()
	}
	for _, x := range m.followers {
		s := x.state()
		for _, a := range s.pending {
			all = append(all, m.conclude(a)...)
		}
		s.pending = nil
	}
	return all
}

// conclude makes an answer that of its property, and returns it. It is about a further binding where the
// property has an answer; one that says nothing more is left out.
func (m *Monitor) conclude(a Answer) []Answer {
	p := m.props[a.Property]
	if p.answer.Final {
		if a.Bindings == nil || p.answer.Verdict == rctl.Unknown {
			return nil
		}
		a.Further = true
		return []Answer{a}
	}
	p.answer = a
	return []Answer{a}
}

// endData decides the formulas about data that are open at the end.
func (m *Monitor) endData(ctx context.Context, end stream.Mark) ([]Answer, error) {
	all := m.bound()
	for x := range m.deciding {
		s := x.state()
		a, err := x.finish(ctx)
		if err != nil {
			return all, err
		}
		// It says nothing new if all that decide have had their answers.
		if s.answered == 0 || s.sum.Decisive > s.answered {
			all = append(all, m.conclude(a)...)
		}
	}
	for i, p := range m.props {
		if !m.says.whole[i] || p.answer.Final {
			continue
		}
		w, err := m.stream.Window(end, false)
		if err != nil {
			return all, err
		}
		opts := bindings.Options{First: m.opts.Bindings, Times: known.Times{Unit: m.opts.Unit}}
		a := DecideWhole(ctx, w.Computation, p.formula, opts, m.opts.Skew).Answer
		a.Property, a.Final = i, true
		a.Events = m.stream.Admitted()
		a.Cut = nil // its events are those of the window
		all = append(all, m.conclude(a)...)
	}
	return all, nil
}
