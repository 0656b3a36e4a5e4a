package online

import (
	"slices"
	"time"

	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl/syntax"
)

// Form is that of what Save returns, and changes with it: a state of another form cannot be read.
const Form = 10

// Ended codes which executions have ended that are remembered.
func (x *Executions) Ended(c *stream.Codec) { c.Names(&x.ended) }

// Save returns what is known of an execution, so that Restore goes on from there. All that
// has come must have been decided.
func (e *Execution) Save() []byte {
	if e.asleep != nil {
		return e.asleep.state
	}
	var c stream.Codec
	open := e.Monitor != nil
	if c.Bool(&open); open {
		e.Monitor.code(&c) //nolint:errcheck // there is nothing to be wrong when it is written
	}
	return slices.Clip(c.Bytes())
}

// Restore begins the execution of a name with what Save returned, and returns it.
func (x *Executions) Restore(name string, now time.Time, state []byte) (*Execution, error) {
	e, err := x.Of([]byte(name), now)
	if err != nil {
		return nil, err
	}
	return e, x.read(e, state)
}

// read gives e, of which nothing is known, what Save returned.
func (x *Executions) read(e *Execution, state []byte) error {
	c := stream.NewReader(state)
	var open bool
	if c.Bool(&open); open {
		return e.Monitor.code(c)
	}
	x.lie(e)
	return c.Err()
}

// code codes a monitor.
func (m *Monitor) code(c *stream.Codec) error {
	m.stream.Code(c)
	m.scope, m.fixed = m.stream.Scope(), m.stream.Fixed()
	stream.Number(c, &m.marks)
	stream.Number(c, &m.least)
	stream.Number(c, &m.clocks)
	var shared []resolution
	if c.Reading() {
		shared = m.says.in(m.stream)
	}
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
		p.codeMisfit(c)
		if c.Reading() && p.misfit != nil {
			_, p.misfit.Misfit = m.says.resolve(i, scope{s: m.stream}, shared)
		}
		resolved := p.resolved != nil
		if c.Bool(&resolved); !resolved {
			continue
		}
		var meant []meaning
		if m.says.bare[i] {
			meant = p.meant(c)
		}
		if c.Reading() {
			f, err := m.says.resolve(i, scope{m.stream, meant}, shared)
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

func (p *property) codeMisfit(c *stream.Codec) {
	is := p.misfit != nil
	if c.Bool(&is); !is {
		return
	}
	if p.misfit == nil {
		p.misfit = &Answer{Property: p.answer.Property, Final: true}
	}
	stream.Text(c, &p.misfit.Reason)
	c.Int64(&p.misfit.Events)
	stream.Number(c, &p.until)
}

// meant codes which variables those are that the formula names without their process: others
// may have become known that it could mean as well.
func (p *property) meant(c *stream.Codec) (all []meaning) {
	if !c.Reading() {
		syntax.WalkExprs(p.resolved, func(e *syntax.Expr) {
			if e.Op == syntax.ExprVar && e.Process.Text == "" {
				all = append(all, meaning{e.Text, e.Owner})
			}
		})
	}
	stream.List(c, &all, func(x *meaning) {
		stream.Text(c, &x.name)
		stream.Number(c, &x.owner)
	})
	return all
}

func (p *part) code(c *stream.Codec) {
	stream.Number(c, &p.known)
	stream.Text(c, &p.why)
	for _, sub := range p.sub {
		sub.code(c)
	}
	switch {
	case p.kind == responds:
		p.response.code(c)
	case p.kind == overlaps:
		p.overlap.code(c)
	case p.kind == leading:
		p.follows.code(c)
	case p.phases != nil:
		p.phases.code(c)
	case p.passage != nil:
		p.passage.code(c)
	case p.reached != nil:
		p.reached.code(c)
	}
}

func (r *response) code(c *stream.Codec) {
	c.Bool(&r.begun)
	stream.Number(c, &r.seen)
	stream.List(c, &r.states.holds, c.Bool)
	stream.List(c, &r.states.list, func(o *Obligation) { o.code(c) })
}

func (o *Obligation) code(c *stream.Codec) {
	stream.Text(c, &o.Event)
	c.Int64(&o.Events)
	since(c, &o.Since)
	stream.Number(c, &o.More)
	c.Int64(&o.end)
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
