package online

import (
	"time"

	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl/syntax"
)

// Ended codes which executions have ended that are remembered.
func (x *Executions) Ended(c *stream.Codec) { c.Names(&x.ended) }

// Save writes what is known of an execution, so that Restore goes on from there. All that
// has come must have been decided.
func (e *Execution) Save(c *stream.Codec) {
	open := e.Monitor != nil
	c.Bool(&open)
	if open {
		e.Monitor.code(c) //nolint:errcheck // there is nothing to be wrong when it is written
	}
}

// Restore begins the execution of a name with what Save wrote, and returns it.
func (x *Executions) Restore(name string, now time.Time, c *stream.Codec) (*Execution, error) {
	e, err := x.Of([]byte(name), now)
	if err != nil {
		return nil, err
	}
	var open bool
	if c.Bool(&open); open {
		if err := e.Monitor.code(c); err != nil {
			return nil, err
		}
	} else {
		e.Monitor = nil
	}
	return e, c.Err()
}

// code codes a monitor.
func (m *Monitor) code(c *stream.Codec) error {
	m.stream.Code(c)
	m.scope, m.fixed = m.stream.Scope(), m.stream.Fixed()
	stream.Number(c, &m.marks)
	stream.Number(c, &m.least)
	stream.Number(c, &m.clocks)
	for i, p := range m.props {
		a := &p.answer
		stream.Number(c, &a.Verdict)
		c.Bool(&a.Final)
		stream.Text(c, &a.Reason)
		c.Int64(&a.Events)
		stream.List(c, &a.Cut, c.Int64)
		stream.List(c, &a.Steps, func(id *string) { stream.Text(c, id) })
		stream.Number(c, &p.from)
		c.Bool(&p.decided)
		text := "" // what the formula says, where that is known
		if p.resolved != nil {
			text = p.resolved.String()
		}
		if stream.Text(c, &text); text == "" {
			continue
		}
		if c.Reading() {
			f, err := m.says.again(i, text, m.stream)
			if err != nil {
				return err
			}
			p.resolved, p.root = f.resolved, newPart(f.normal)
		}
		p.root.code(c)
	}
	if c.Reading() && c.Err() == nil {
		m.see()
	}
	return c.Err()
}

// again resolves a formula from what it was found to say in a stream.
func (r *resolutions) again(property int, text string, s *stream.Stream) (resolution, error) {
	f, err := syntax.Parse(text)
	if err != nil {
		return resolution{}, err
	}
	return r.formula(f, property, s, r.in(s))
}

func (p *part) code(c *stream.Codec) {
	stream.Number(c, &p.known)
	stream.Text(c, &p.why)
	for _, sub := range p.sub {
		sub.code(c)
	}
	switch p.kind {
	case responds:
		p.response.code(c)
	case overlaps:
		p.overlap.code(c)
	}
}

func (r *response) code(c *stream.Codec) {
	c.Bool(&r.begun)
	stream.Number(c, &r.seen)
	stream.List(c, &r.states.holds, c.Bool)
	stream.List(c, &r.states.list, func(o *Obligation) {
		since := o.Since.UnixNano()
		stream.Text(c, &o.Event)
		c.Int64(&o.Events)
		c.Int64(&since)
		stream.Number(c, &o.More)
		c.Int64(&o.end)
		o.Since = time.Unix(0, since)
	})
}

func (o *overlap) code(c *stream.Codec) {
	c.Bool(&o.begun)
	stream.Number(c, &o.seen)
	for i := range o.intervals {
		stream.List(c, &o.intervals[i], func(x *interval) {
			c.Past(&x.entered)
			c.Past(&x.left)
			c.Bool(&x.ended)
		})
	}
}
