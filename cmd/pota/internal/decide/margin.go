package decide

import (
	"math/big"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

// margin returns how near a verdict was, for a record. names are the bound names in front of the
// formula.
//
// Example: for "within 2 s" and events at 1.0 s and 2.9 s, Bound is 2e9 and Took is 1.9e9. With
// several clocks Began and Took are on corrected time. Off is then how far a reading was corrected.
func (d *decider) margin(k execution, m *syntax.Margin, names []syntax.Bound) *report.Margin {
	made := &report.Margin{
		What:     m.What,
		Relation: m.Rel.String(),
		Bound:    nanoseconds(m.Bound),
		From:     d.moment(k, m.From),
		To:       d.moment(k, m.To),
	}
	if m.Seconds != nil {
		took := nanoseconds(m.Seconds)
		made.Took = &took
	}
	if m.Began != nil {
		began := nanoseconds(m.Began)
		made.From.Off = began - d.reading(k, m.From)
		made.To.Off = began + *made.Took - d.reading(k, m.To)
	}
	if names != nil {
		one := bound(names)
		made.Binding = &one
	}
	return made
}

// reading returns the time of an event in nanoseconds. Only events with a time that can be read are
// in a margin, so there is no error.
func (d *decider) reading(k execution, e graphs.Event) int64 {
	at, _, _ := k.Execution.Computation.Instant(e, d.in.Unit)
	return at
}

// moment describes an event, nil where it is none.
func (d *decider) moment(k execution, e graphs.Event) *report.Moment {
	if e == graphs.Bottom {
		return nil
	}
	return &report.Moment{Event: report.EventOf(k.Execution.Computation, e)}
}

// nanoseconds returns a number of seconds in nanoseconds. Fractions of one are cut off.
func nanoseconds(seconds *big.Rat) int64 {
	n := new(big.Rat).Mul(seconds, big.NewRat(1e9, 1))
	return new(big.Int).Quo(n.Num(), n.Denom()).Int64()
}
