package scope

import (
	"cmp"
	"math/big"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/clocks"
)

// Times say what formulas take for the times of events. The zero Times are those of the trace.
type Times struct {
	// Unit is the unit of numeric times, 0 for a second.
	Unit time.Duration
	// Model bounds how far clocks are off; nil where they are believed.
	Model clocks.Model
	// InFavour says that a comparison that depends on clocks makes the formula true rather than
	// false.
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

// unit returns the unit of times that are numbers.
func (s *Scope) unit() time.Duration { return cmp.Or(s.times.Unit, time.Second) }

// seconds returns an exact number of seconds.
func seconds(nanoseconds int64) *big.Rat { return big.NewRat(nanoseconds, 1e9) }

// Believed implements syntax.Events.
func (s *Scope) Believed() bool { return s.times.Model == nil }

// DependsOnClocks reports whether a comparison of times was met that the model leaves open.
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
