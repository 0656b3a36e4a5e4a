package online

import (
	"context"
	"fmt"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	known "github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// A follower decides a formula by visiting each event once, when it is admitted.
type follower interface {
	// declare receives a declaration, and step the events that are admitted together.
	declare(*stream.Line)
	step([]stream.Admitted)

	// advance decides what does not need another event, for instance because a process has closed.
	advance()

	// obligations lists the open obligations, the oldest first.
	obligations() []Obligation

	// opened describes what is kept, for the message about a limit.
	opened() string

	// finish decides what is open at the end of the execution, if the formula fits it.
	finish(context.Context) (Answer, error)

	// state records the follower itself in its state, and returns the state.
	state(follower) *following
}

// following is the state that all followers have.
type following struct {
	m        *Monitor
	of       follower // nil once it has given up
	property int
	formula  *syntax.Formula // the formula with the types that fields must have
	names    []string        // the names that bindings bind
	sum      bindings.Result
	// bindings that have answers of their own, then the first ones decided at the end
	decisive []decisive
	answered int    // how many bindings have answers of their own
	over     hashes // bindings that no event may open or count again
	held     int    // how much is kept for open bindings
	pending  []Answer
	failure  error // why the follower has given up
	done     bool  // whether its only answer has been given
	ended    bool  // whether the execution has ended
	late     Late
}

// A decisive binding has the verdict that decides the formula.
type decisive struct {
	order  int // its number in the order of binding
	bound  []syntax.Bound
	steps  []string // the ids of events that show the verdict
	reason string   // "" for none
}

func (m *Monitor) newFollowing(property int, op syntax.Op, of string) following {
	sum := bindings.Result{Op: op, Survey: bindings.Survey{Of: of}}
	return following{m: m, property: property, formula: m.says.list[property].formula, over: newHashes(), sum: sum}
}

func (x *following) state(of follower) *following {
	x.of = of
	return x
}

// A follower that decides at events alone needs no declarations, and has no obligations.
func (x *following) declare(*stream.Line)      {}
func (x *following) advance()                  {}
func (x *following) obligations() []Obligation { return nil }

// final returns a final answer without a verdict.
func (x *following) final() Answer {
	return Answer{Property: x.property, Final: true, Events: x.m.stream.Admitted(), Late: x.late}
}

// unknown returns a final answer that is Unknown for a reason.
func (x *following) unknown(why error) Answer {
	a := x.final()
	a.Reason = reasonOf(why)
	return a
}

// note counts a verdict on a binding that decides the formula, and ignores others. The verdict becomes an answer after
// the given number of events or, at the end, part of the last answer. Shown is called only for the bindings that are
// named, at most Options.Bindings.
func (x *following) note(v rctl.Verdict, events int64, shown func() decisive) {
	if !x.sum.Decides(v) {
		return
	}
	x.sum.Decisive++
	named := x.answered
	if x.ended {
		named = len(x.decisive) - x.answered
	}
	if named >= x.m.opts.Bindings {
		return
	}
	x.decisive = append(x.decisive, shown())
	if !x.ended {
		a := x.conclude(x.decisive[x.answered])
		a.Events = events
		x.pending = append(x.pending, a)
		x.answered++
	}
}

// conclude returns an answer with the verdict that follows from all bindings so far. It names the given ones.
func (x *following) conclude(some ...decisive) Answer {
	a, sum := x.final(), x.sum
	sum.Conclude()
	for _, b := range some {
		sum.First = append(sum.First, bindings.Binding{Bound: b.bound})
	}
	a.Verdict = sum.Verdict
	a.Bindings = &sum
	switch {
	case x.ended:
		a.Bound = boundOf(&sum)
	case len(x.names) == 1:
		a.Bound = x.names[0] + " = " + sum.First[0].Text()
	default:
		a.Bound = sum.First[0].Text()
	}
	if sum.Verdict == rctl.Unknown {
		a.Reason = sum.Reason
	}
	if len(some) > 0 {
		a.Steps, a.Reason = some[0].steps, some[0].reason
	}
	return a
}

// concluded returns the last answer, once all bindings are decided.
func (x *following) concluded() Answer {
	slices.SortFunc(x.decisive, func(a, b decisive) int { return a.order - b.order })
	a := x.conclude(x.decisive[:min(len(x.decisive), x.m.opts.Bindings)]...)
	if x.answered > 0 {
		a.Steps = nil // an earlier answer has them
	}
	return a
}

// boundOf returns what the bindings say about a verdict.
func boundOf(r *bindings.Result) string {
	if r.Total == 0 {
		return "there are no " + r.Of
	}
	return r.Text()
}

// idOf returns the id of an event of a process.
func idOf(l *stream.Line, position int64) string {
	if len(l.ID) > 0 {
		return string(l.ID)
	}
	return fmt.Sprintf("%s:%d", l.Process, position)
}

// noTimeOf returns the error for an event without a time.
func noTimeOf(id string) error {
	return fmt.Errorf("the event %q has no time, or a malformed one (in a condition, has(@time) leaves such events out)", id)
}

// deciding yields the followers that have neither given up nor given their only answer.
func (m *Monitor) deciding(yield func(*following) bool) {
	for _, s := range m.following {
		if s.of != nil && !s.done && !yield(s) {
			return
		}
	}
}

// step passes the events that are admitted together to all followers. A follower that keeps too much gives up, and
// then keeps nothing. Verdicts that it has given stand.
func (m *Monitor) step(events []stream.Admitted) {
	for s := range m.deciding {
		s.of.step(events)
		switch most := m.opts.Most; {
		case s.failure != nil:
		case most > 0 && s.held > most:
			s.failure = fmt.Errorf("the window has reached its limit of %s, as %s", graphs.Plural(most, "event"), s.of.opened())
		case len(s.over.set) > maxHashes:
			s.failure = fmt.Errorf("%d bindings are final, and more cannot be distinguished from new ones", maxHashes)
		default:
			continue
		}
		if s.sum.Decisive == 0 {
			s.pending = append(s.pending, s.unknown(s.failure))
		}
		i := slices.Index(m.following, s)
		m.following[i] = &following{property: s.property, pending: s.pending, late: s.late}
	}
}

// bound returns the answers about bindings that have become final.
func (m *Monitor) bound() (all []Answer) {
	for s := range m.deciding {
		s.of.advance()
	}
	for _, s := range m.following {
		for _, a := range s.pending {
			all = append(all, m.conclude(a)...)
		}
		s.pending = nil
	}
	return all
}

// conclude makes a the answer to its property, and returns it. If the property already has a final answer, a is
// returned as one about a further binding, or left out if it says nothing new.
func (m *Monitor) conclude(a Answer) []Answer {
	switch p := m.props[a.Property]; {
	case !p.answer.Final:
		p.answer = a
	case a.Bindings == nil || p.answer.Verdict == rctl.Unknown:
		return nil
	default:
		a.Further = true
	}
	return []Answer{a}
}

// endData decides the formulas about data that are open at the end.
func (m *Monitor) endData(ctx context.Context, end stream.Mark) ([]Answer, error) {
	// At the end all deadlines pass, except those of a formula that does not fit.
	for s := range m.deciding {
		if misfit := m.misfit(ctx, s.formula); misfit != nil {
			a := s.unknown(misfit)
			a.Misfit = misfit
			s.pending, s.done = append(s.pending, a), true
		}
	}
	all := m.bound()
	for s := range m.deciding {
		a, err := s.of.finish(ctx)
		if err != nil {
			return all, err
		}
		// It says nothing new if all decisive bindings have had answers of their own.
		if s.answered == 0 || s.sum.Decisive > s.answered {
			all = append(all, m.conclude(a)...)
		}
	}
	for i, p := range m.props {
		if !p.whole || p.answer.Final {
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
