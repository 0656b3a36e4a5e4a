package decide

import (
	"encoding/json"
	"math/big"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

// margin returns how near a verdict was, for a record. Names in front of the formula stand for what is bound.
func (d *decider) margin(k execution, m *syntax.Margin, names []syntax.Bound) *report.Margin {
	made := &report.Margin{
		What:     m.What,
		Relation: m.Rel.String(),
		Bound:    nanoseconds(m.Bound),
		From:     d.moment(k, m.From, m.Began),
		To:       d.moment(k, m.To, m.Ended),
	}
	if m.Seconds != nil {
		took := nanoseconds(m.Seconds)
		made.Took = &took
	}
	if names != nil {
		one := report.Choice(bound(names))
		made.Binding = &one
	}
	return made
}

// moment describes an event that happens at a time in seconds, nil where the event is none.
func (d *decider) moment(k execution, event int, seconds *big.Rat) *report.Moment {
	c, e := k.Execution.Computation, graphs.Event(event)
	if e == graphs.Bottom {
		return nil
	}
	at := c.Place(e)
	m := &report.Moment{
		ID:     c.ID(e),
		Time:   json.RawMessage(c.Time(e)),
		Label:  c.Label(e),
		File:   at.File,
		Number: at.Line,
	}
	if reading, ok, err := c.Instant(e, d.in.Unit); ok && err == nil && seconds != nil {
		m.Off = nanoseconds(seconds) - reading
	}
	return m
}

// nanoseconds returns a number of seconds in nanoseconds.
func nanoseconds(seconds *big.Rat) int64 {
	n := new(big.Rat).Mul(seconds, big.NewRat(1e9, 1))
	return new(big.Int).Quo(n.Num(), n.Denom()).Int64()
}
