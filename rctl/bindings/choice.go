package bindings

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/clocks"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/internal/project"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Choice restricts a name to one value, such as r to r17. The value is written as in formulas, a
// string also without its quotes; the value of an event is its id.
type Choice struct{ Name, Value string }

// A NoBindingError reports that the choices match no binding. Users write choices by hand, so the
// text names the nearest value that exists.
type NoBindingError struct{ Text string }

// Error implements error.
func (e *NoBindingError) Error() string { return e.Text }

// plain returns the value of a name, a string without its quotes, because a shell removes them, too.
func plain(b syntax.Bound) string {
	var text string
	if b.IsEvent || json.Unmarshal([]byte(b.Text), &text) != nil {
		return b.Text
	}
	return text
}

// Choices returns the choices that match only this binding: each of its names with its value.
func (b *Binding) Choices() []Choice {
	var all []Choice
	for _, bound := range b.Bound {
		all = append(all, Choice{bound.Name, plain(bound)})
	}
	return all
}

// Choose returns the first binding of a formula that matches opts.Only. If opts.Only is empty, it
// returns the first binding that decides the verdict or, if none does, the first of all. The binding
// is nil if Check does not decide the formula, and if there is no binding. Errors are those of Check,
// and *NoBindingError.
func Choose(ctx context.Context, c *graphs.Computation, f *syntax.Formula, opts Options) (*Binding, error) {
	opts.First, opts.Evidence = 1, false
	k := newChecker(ctx, c, f, opts)
	if k == nil {
		return nil, nil
	}
	find := k.run
	if len(opts.Only) > 0 {
		find = k.first
	}
	if err := find(); err != nil || k.any == nil {
		return nil, err
	}
	b := &Binding{numbers: k.any, Bound: k.template.Bound(k.any)}
	if len(k.result.First) > 0 {
		b = &k.result.First[0]
	}
	_, _, err := k.narrow(b)
	return b, err
}

// errFound ends the search for a binding successfully.
var errFound = errors.New("found")

// first finds the first chosen binding.
func (k *checker) first() error {
	err := k.template.Each(k.ctx, k.scope, func(at *syntax.Instance) error {
		if !k.chosen(at.Numbers) {
			return nil
		}
		k.any = slices.Clone(at.Numbers)
		return errFound
	})
	switch {
	case err == errFound:
		return nil
	case err == nil:
		return k.missing()
	}
	return err
}

// maxNear bounds the values of a name that missing compares with a choice.
const maxNear = 100_000

// missing returns the error that no binding was chosen. Most choices are right, so it is only here
// that all values are collected.
func (k *checker) missing() error {
	names := []string{}
	for _, q := range k.template.Quants {
		for _, name := range q.Names {
			names = append(names, name.Text)
		}
	}
	of := k.template.Of()
	for _, c := range k.opts.Only {
		if !slices.Contains(names, c.Name) {
			hint := cmp.Or(syntax.DidYouMean(c.Name, names), fmt.Sprintf("as in %s=%s", names[0], c.Value))
			return &NoBindingError{fmt.Sprintf("%s=%s chooses nothing: the formula ranges over %s, and binds no %s (%s)", c.Name, c.Value, of, c.Name, hint)}
		}
	}

	values := make(map[string]map[string]bool) // by name
	total := 0
	err := k.template.Each(k.ctx, k.scope, func(at *syntax.Instance) error {
		total++
		for _, b := range k.template.Bound(at.Numbers) {
			if values[b.Name] == nil {
				values[b.Name] = make(map[string]bool)
			}
			if len(values[b.Name]) < maxNear {
				values[b.Name][plain(b)] = true
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	var texts []string
	for _, c := range k.opts.Only {
		text := c.Name + "=" + c.Value
		if known := values[c.Name]; !known[c.Value] {
			list := slices.Sorted(maps.Keys(known))
			hint := cmp.Or(syntax.DidYouMean(c.Value, list), "there are "+cmp.Or(graphs.List(list, 3), "none"))
			return &NoBindingError{fmt.Sprintf("%s chooses nothing: %s is none of the %d %s (%s)", text, c.Value, total, of, hint)}
		}
		texts = append(texts, text)
	}
	return &NoBindingError{fmt.Sprintf("%s chooses nothing: no binding has all of it at once (leave one out)", strings.Join(texts, ","))}
}

// explain gives a binding its evidence, if the options ask for it.
func (k *checker) explain(b *Binding) error {
	if !k.opts.Evidence {
		return nil
	}
	f, events, err := k.narrow(b)
	if err != nil {
		return err
	}
	b.Resolved = f
	// The columns come from the whole computation: only there the clocks are known.
	columns := k.scope.ColumnsOf(f)
	for i, v := range columns {
		columns[i] = onto(v, events)
	}
	b.Computation = b.Computation.WithVariables(columns)
	b.Result, err = rctl.Check(k.ctx, b.Computation, syntax.Folded(f), k.opts.Options)
	return err
}

// onto renumbers the events of a column for the computation of some events, which must include them;
// nil stands for all events.
func onto(v *graphs.Variable, events []graphs.Event) *graphs.Variable {
	if events == nil {
		return v
	}
	own := make([]graphs.Event, v.Len())
	values := make([]graphs.Value, v.Len())
	for i, e := range v.Events() {
		n, _ := slices.BinarySearch(events, e)
		own[i] = graphs.Event(n + 1)
		values[i] = v.Value(i)
	}
	return graphs.NewVariable(v.Process, v.Name, v.Init, own, values)
}

// narrow gives a binding its formula, and the computation of the events that matter to it. It
// returns the formula resolved in the whole computation, and these events; nil means all events.
func (k *checker) narrow(b *Binding) (*syntax.Formula, []graphs.Event, error) {
	b.Formula = k.template.Narrowed(b.numbers)
	b.Computation = k.comp
	observed := &observer{Scope: k.scope, events: make(map[graphs.Event]bool)}
	f, err := syntax.Resolve(k.ctx, b.Formula, observed)
	if err != nil || syntax.HasNext(b.Formula) { // to EX and AX, each event is a step
		return f, nil, err
	}
	syntax.WalkExprs(f, func(e *syntax.Expr) {
		switch e.Op {
		case syntax.ExprVar:
			// a column is not a variable of the trace
			if v := k.comp.Variable(e.Owner, e.Text); v != nil {
				observed.note(v.Events())
			}
		case syntax.ExprTransit:
			sends, recvs := k.comp.Channel(e.FromID, e.ToID)
			observed.note(sends)
			observed.note(recvs)
		}
	})
	// Knowledge of a process changes at other events than those of the conditions, too.
	for _, v := range k.scope.ColumnsOf(f) {
		observed.note(v.Events())
	}
	events := slices.AppendSeq([]graphs.Event{}, maps.Keys(observed.events))
	slices.Sort(events)
	b.Computation, err = project.Onto(k.comp, events)
	return f, events, err
}

// An observer is a scope that notes the events that matter to a formula resolved in it: the events
// that satisfy its conditions, and the first event that assigns each value of its domains.
type observer struct {
	*scope.Scope
	events map[graphs.Event]bool
}

// Observes marks the type as a syntax.Observer.
func (*observer) Observes() {}

// note adds events to those that matter.
func (o *observer) note(events []graphs.Event) {
	for _, e := range events {
		o.events[e] = true
	}
}

// Where implements syntax.Events.
func (o *observer) Where(cond *syntax.Formula) []graphs.Event {
	found := o.Scope.Where(cond)
	o.note(found)
	return found
}

// History implements syntax.Events.
func (o *observer) History(f *syntax.Formula) (clocks.History, bool, error) {
	h, ok, err := o.Scope.History(f)
	o.note(h.Flips)
	return h, ok, err
}

// Measure implements syntax.Events. A state without a beginning or an end of its own lasts from the
// beginning or to the end of the trace, so these events matter, too.
func (o *observer) Measure(what string, of []clocks.History) (syntax.Span, error) {
	open := slices.ContainsFunc(of, func(h clocks.History) bool { return h.Begins || h.First != nil || len(h.Flips)%2 == 1 })
	if what == syntax.Longest && open {
		o.note(o.Scope.Ends())
	}
	return o.Scope.Measure(what, of)
}

// Column implements syntax.Events.
func (o *observer) Column(op syntax.ExprOp, conds []*syntax.Formula, process int) (string, bool) {
	for _, cond := range conds {
		o.Where(cond)
	}
	return o.Scope.Column(op, conds, process)
}

// Assigned implements syntax.Events.
func (o *observer) Assigned(fields []string, where *syntax.Formula) ([][]*syntax.Expr, []graphs.Event) {
	rows, first := o.Scope.Assigned(fields, where)
	o.note(first)
	return rows, first
}
