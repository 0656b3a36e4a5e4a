package scope

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/clocks"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Follower finds where a resolved predicate about single cuts is true. The computation c has the
// variables of the predicate, and before reports whether e happened before f, or with f, or equals
// f. It returns ok = false if causality does not order the events that change the predicate.
type Follower func(c *graphs.Computation, f *syntax.Formula, before func(e, f graphs.Event) bool) (h clocks.History, ok bool, err error)

// History implements syntax.Events.
func (s *Scope) History(f *syntax.Formula) (clocks.History, bool, error) {
	if f.Op == syntax.OpTrue || f.Op == syntax.OpFalse {
		return clocks.History{Begins: f.Op == syntax.OpTrue}, true, nil
	}
	if s.Follow == nil {
		return clocks.History{}, false, errors.New("bounds on time cannot be decided here")
	}
	// Only the columns of f: each of many requests adds its own, and all would slow down the engine.
	return s.Follow(s.c.WithVariables(s.ColumnsOf(f)), f, s.happened)
}

// happened reports whether e happened before f, or with f, or equals f.
func (s *Scope) happened(e, f graphs.Event) bool {
	if s.past == nil {
		s.past = graphs.NewPrecedence(s.c)
	}
	return s.past.Before(e, f)
}

// ruler returns the ruler that measures times; it is made at the first call.
func (s *Scope) ruler() *clocks.Ruler {
	if s.rules != nil {
		return s.rules
	}
	timed := func(e graphs.Event) bool {
		_, ok, err := s.c.Instant(e, s.unit())
		return ok && err == nil
	}
	s.rules = clocks.NewRuler(s.c, s.most, s.happened, timed, s.times.Model == nil)
	return s.rules
}

// Ends lists the events at which the trace may begin and end by its clocks.
func (s *Scope) Ends() []graphs.Event { return s.ruler().Ends() }

// most returns the largest time from e to f, in nanoseconds, that the clocks allow.
func (s *Scope) most(e, f graphs.Event) int64 {
	if m := s.times.Model; m != nil {
		return m.MaxDifference(e, f)
	}
	from, _, _ := s.c.Instant(e, s.unit())
	to, _, _ := s.c.Instant(f, s.unit()) // measurable has refused events without a time
	return to - from
}

// measurable refuses histories with an event that has no time.
func (s *Scope) measurable(all []clocks.History) error {
	if len(s.c.Edges()) > 0 {
		return errors.New("the trace has edges that choose among its cuts, and bounds on time are about whole executions")
	}
	for _, h := range all {
		for _, e := range slices.Concat(h.Flips, h.First) {
			switch _, ok, err := s.c.Instant(e, s.unit()); {
			case err != nil:
				return err
			case !ok:
				return fmt.Errorf("the event %q has no time (in a condition, has(@time) leaves such events out)", s.c.ID(e))
			}
		}
	}
	return nil
}

// Measure implements syntax.Events.
func (s *Scope) Measure(what string, all []clocks.History) (syntax.Span, error) {
	err := s.measurable(all)
	if err != nil {
		return syntax.Span{}, err
	}
	var least, most clocks.Took
	switch r := s.ruler(); what {
	case syntax.Slowest:
		least, most, err = r.Response(all[0], all[1])
	case syntax.Longest:
		least, most, err = r.Longest(all)
	default:
		least, most = r.Shortest(all[0])
	}
	return syntax.Span{Least: s.took(least, false), Most: s.took(most, true)}, err
}

// Between implements syntax.Events.
func (s *Scope) Between(from, to graphs.Event) syntax.Span {
	least, most := s.most(to, from), s.most(from, to)
	span := syntax.Span{Most: s.took(clocks.Took{Nanoseconds: most, From: from, To: to}, true)}
	if least == clocks.Unbounded {
		span.Least = syntax.Took{Below: true, From: from, To: to}
	} else {
		span.Least = s.took(clocks.Took{Nanoseconds: -least, From: from, To: to}, false)
	}
	return span
}

// took returns a duration with the time of its begin. A longest duration ends as late as it can, and
// a shortest one begins as late as it can.
func (s *Scope) took(t clocks.Took, most bool) syntax.Took {
	took := syntax.Took{From: t.From, To: t.To}
	if t.To == s.c.Top() {
		took.To = graphs.Bottom
	}
	if t.Nanoseconds == clocks.Unbounded {
		return took
	}
	took.Seconds = seconds(t.Nanoseconds)
	if took.From == graphs.Bottom || took.To == graphs.Bottom {
		return took
	}
	began, _, _ := s.c.Instant(t.From, s.unit())
	if m := s.times.Model; m != nil {
		if latest := m.Latest(t.To); most && latest != clocks.Unbounded {
			began = latest - t.Nanoseconds
		} else if latest := m.Latest(t.From); !most && latest != clocks.Unbounded {
			began = latest
		}
	}
	took.Began = seconds(began)
	return took
}

// Times says how formulas understand the times of events. The zero Times believes the clocks of the
// trace, and reads numeric times in seconds.
type Times struct {
	// Unit is the unit of numeric times; 0 means a second.
	Unit time.Duration
	// Model bounds how far clocks are off; nil means that they are exact.
	Model clocks.Model
	// InFavour says that a comparison that the model leaves open makes the formula true rather
	// than false.
	InFavour bool
}

// Time implements syntax.Events.
func (s *Scope) Time(e graphs.Event) (*big.Rat, bool, error) {
	nanoseconds, ok, err := s.c.Instant(e, s.unit())
	if err != nil || !ok {
		return nil, false, err
	}
	return seconds(nanoseconds), true, nil
}

// unit returns the unit of numeric times.
func (s *Scope) unit() time.Duration { return cmp.Or(s.times.Unit, time.Second) }

// seconds converts nanoseconds to an exact number of seconds.
func seconds(nanoseconds int64) *big.Rat { return big.NewRat(nanoseconds, 1e9) }

// Believed implements syntax.Events.
func (s *Scope) Believed() bool { return s.times.Model == nil }

// DependsOnClocks reports whether the model left any comparison of times open so far.
func (s *Scope) DependsOnClocks() bool { return s.open }

// Window implements syntax.Events.
func (s *Scope) Window(e graphs.Event) (earliest, latest *big.Rat) {
	if at := s.times.Model.Earliest(e); at != -clocks.Unbounded {
		earliest = seconds(at)
	}
	if at := s.times.Model.Latest(e); at != clocks.Unbounded {
		latest = seconds(at)
	}
	return earliest, latest
}

// Open implements syntax.Events.
func (s *Scope) Open(positive bool) bool {
	s.open = true
	return s.times.InFavour == positive
}
