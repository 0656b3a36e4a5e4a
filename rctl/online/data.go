package online

import (
	"context"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
)

// touch shows the events that are admitted together to what decides by binding.
func (m *Monitor) touch(step []stream.Admitted) {
	for _, x := range m.touches {
		x.step(step)
	}
	for _, x := range m.deadlines {
		x.step(step)
	}
}

// bound returns the answers about bindings that have become final.
func (m *Monitor) bound() (all []Answer) {
	for _, x := range m.touches {
		for _, a := range x.pending {
			all = append(all, m.conclude(a)...)
		}
		x.pending = nil
	}
	for _, x := range m.deadlines {
		x.advance() // a process may have closed
		for _, a := range x.pending {
			all = append(all, m.conclude(a)...)
		}
		x.pending = nil
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
	for _, x := range m.touches {
		if x.failure != nil {
			continue
		}
		a, err := x.finish(ctx)
		if err != nil {
			return all, err
		}
		// It says nothing new if all that decide have had their answers.
		if x.named == 0 || x.sum.Decisive > x.named {
			all = append(all, m.conclude(a)...)
		}
	}
	for _, x := range m.deadlines {
		if x.failure != nil {
			continue
		}
		a := x.finish(ctx)
		// It says nothing new if all that fail have had their answers.
		if x.answered == 0 || x.sum.Decisive > x.answered {
			all = append(all, m.conclude(a)...)
		}
	}
	for i, p := range m.props {
		if !m.says.whole[i] || p.answer.Final {
			continue
		}
		a, err := m.decideWhole(ctx, p, end)
		if err != nil {
			return all, err
		}
		all = append(all, m.conclude(a)...)
	}
	return all, nil
}

// decideWhole decides a formula about data on the whole execution.
func (m *Monitor) decideWhole(ctx context.Context, p *property, end stream.Mark) (a Answer, err error) {
	a = Answer{Property: p.answer.Property, Final: true, Events: m.stream.Admitted()}
	w, err := m.stream.Window(end, false)
	if err != nil {
		return a, err
	}
	c, f := w.Computation, p.formula
	// As pota detect does on a recorded trace: by bindings where the formula has any.
	opts := rctl.Options{Evidence: true}
	var shown *rctl.Result
	found, err := bindings.Check(ctx, c, f, bindings.Options{Options: opts, First: maxBindings})
	switch {
	case err != nil:
	case found != nil:
		a.Verdict, a.Reason = found.Verdict, found.Reason
		a.Bindings, a.Bound = found, boundOf(found)
		if len(found.First) > 0 {
			shown, c = found.First[0].Result, found.First[0].Computation
		}
	default:
		if c, f, err = rctl.Resolve(ctx, c, f); err == nil {
			shown, err = rctl.Check(ctx, c, f, opts)
		}
		if err == nil {
			a.Verdict, a.Reason = shown.Verdict, shown.Reason
		}
	}
	if err != nil {
		a.Reason, a.Misfit = reasonOf(err), err
		return a, nil
	}
	if shown != nil && shown.Evidence != nil {
		a.Steps = idsOf(c, shown.Evidence.Run)
	}
	return a, nil
}

// idsOf lists the ids of events.
func idsOf(c *graphs.Computation, events []graphs.Event) (ids []string) {
	for _, e := range events {
		ids = append(ids, c.ID(e))
	}
	return ids
}
