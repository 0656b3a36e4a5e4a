package online

import (
	"cmp"
	"context"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// An each decides forall i: p, or exists i: p, where p has a bound on time and is about the process i: by a deadline for
// each process. All of them see the same watermark, as an answer may come while any process goes on.
type each struct {
	following
	*watermark
	formula *syntax.Formula
	form    *syntax.Response
	of      []*deadline // by process
	open    []int       // the processes with deadlines that wait for a time
}

// newBounded returns what decides a formula with a bound on time, a property of m.
func newBounded(m *Monitor, property int, form *syntax.Response) follower {
	times := &watermark{first: noTime}
	if form.Each == nil {
		return newDeadline(m, property, form, times)
	}
	return &each{
		following: following{m: m, property: property},
		watermark: times,
		formula:   m.says.formulas[property],
		form:      form,
	}
}

// join returns the deadline of a process.
func (x *each) join(process int) *deadline {
	for p := len(x.of); p <= process; p++ {
		form := *x.form
		for i := range form.Sides {
			form.Sides[i].Process = x.m.stream.Processes()[p]
		}
		x.of = append(x.of, newDeadline(x.m, x.property, &form, x.watermark))
	}
	return x.of[process]
}

// declare notes the initial values of a process.
func (x *each) declare(l *stream.Line) {
	if p, ok := x.m.stream.Process(string(l.Process)); ok {
		x.join(p).declare(l)
		x.wait(p)
	}
}

// wait notes that the deadline of a process waits for a time, if it does.
func (x *each) wait(process int) {
	if x.waits(process) && !slices.Contains(x.open, process) {
		x.open = append(x.open, process)
	}
}

// waits reports whether a deadline may be decided without an event of its process: because an
// obligation is open, its process may have no event at all, or lacks variables.
func (x *each) waits(process int) bool {
	of := x.of[process]
	return len(of.due) > 0 || of.begins() || len(of.pending) > 0 && !x.fits(process)
}

// isEarly reports whether no obligation of a process can be decided yet. It is asked of each process
// at each event, and so looks at one clock alone.
func (x *each) isEarly(process int) bool {
	of := x.of[process]
	if len(of.due) == 0 || len(of.pending) > 0 || of.start != nil && !of.start.done {
		return false
	}
	if !x.form.Lasts {
		process = x.blocker
	}
	return process < len(x.shown) && x.shown[process] < of.due[0].due && !x.m.stream.Closed(process)
}

// step looks at the events that are admitted together.
func (x *each) step(events []stream.Admitted) {
	for i := range events {
		p, _ := events[i].At()
		of := x.join(p)
		held, late := of.held, of.late.Count
		x.failure = cmp.Or(x.failure, of.see(&events[i]))
		if of.late.Count > late {
			x.late.add(idOf(&events[i]))
		}
		x.held += of.held - held
		x.wait(p)
	}
	x.advance()
	if x.failure == nil {
		x.failure = x.limit(func() string { return "deadlines" }, 0)
	}
	if x.failure != nil {
		x.of, x.open = nil, nil
		x.giveUp(x.final())
	}
}

// advance decides the obligations with deadlines that have passed.
func (x *each) advance() {
	still := x.open[:0]
	for _, p := range x.open {
		if x.isEarly(p) {
			still = append(still, p)
			continue
		}
		of := x.of[p]
		held := of.held
		of.advance()
		x.held += of.held - held
		// A process without the variables is none of those that the formula is about.
		if len(of.pending) > 0 && of.pending[0].Verdict == x.decides() && x.fits(p) {
			x.pending = of.pending[:1]
			x.pending[0].Late = x.late
			x.of, x.open = nil, nil
			x.done = true
			return
		}
		if x.waits(p) {
			still = append(still, p)
		}
	}
	x.open = still
}

// decides returns the verdict on one process that decides the formula.
func (x *each) decides() rctl.Verdict { return truth(x.formula.Op == syntax.OpExists) }

// fits reports whether a process has the variables that the quantifier asks for.
func (x *each) fits(process int) bool {
	return !slices.ContainsFunc(x.form.Each.Having, func(name syntax.Name) bool {
		return x.m.stream.Kind(process, name.Text) == graphs.NoKind
	})
}

// obligations lists the open obligations, the oldest first.
func (x *each) obligations() []Obligation {
	var open []*obligation
	for _, p := range x.open {
		open = append(open, x.of[p].unmet()...)
	}
	slices.SortStableFunc(open, (*obligation).compare)
	return listed(open)
}

// finish decides what is open at the end.
func (x *each) finish(ctx context.Context) (Answer, error) {
	all := x.final()
	all.Verdict, all.Late = x.decides().Not(), x.late
	body := *x.formula
	body.Sub = []*syntax.Formula{syntax.And(bodyOf(body.Sub[0]).Expr.Conds...)}
	if err := x.m.misfit(ctx, &body); err != nil {
		all = x.final()
		all.Reason, all.Misfit = reasonOf(err), err
		return all, nil
	}
	for p := range x.m.stream.Processes() {
		of := x.join(p)
		if !x.fits(p) {
			continue
		}
		switch a := of.last(); a.Verdict {
		case x.decides():
			a.Late = x.late
			return a, nil
		case rctl.Unknown:
			all.Verdict, all.Reason = rctl.Unknown, a.Reason
		}
	}
	return all, nil
}
