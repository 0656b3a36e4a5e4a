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

// A Choice says what a name stands for in the bindings that are looked at: r and r17, a value as
// formulas write it, a string also without its quotes, or the id of an event.
type Choice struct{ Name, Value string }

// A NoBindingError says that no binding was chosen. Users write choices by hand, so it names the
// nearest choice that there is.
type NoBindingError struct{ Text string }

// Error implements error.
func (e *NoBindingError) Error() string { return e.Text }

// plain is what a name stands for without the quotes of a string: a shell takes them off, too.
func plain(b syntax.Bound) string {
	var text string
	if b.IsEvent || json.Unmarshal([]byte(b.Text), &text) != nil {
		return b.Text
	}
	return text
}

// Choices returns what chooses a binding: its names with what they stand for.
func (b *Binding) Choices() []Choice {
	var all []Choice
	for _, bound := range b.Bound {
		all = append(all, Choice{bound.Name, plain(bound)})
	}
	return all
}

// Choose returns the first binding of a formula that the options choose or, where they choose none,
// the first that decides the verdict, and otherwise the first of all. It is nil for a formula that
// Check does not decide, and one that ranges over nothing. Errors are those of Check, and a
// *NoBindingError.
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

// errFound ends the search for a binding.
var errFound = errors.New("found")

// first finds the first binding that is chosen.
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

// maxNear bounds the values among which a near one is sought: it takes a comparison with each.
const maxNear = 100_000

// missing returns the error that no binding was chosen. Only now are all values collected: most
// choices are right.
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

// explain gives a binding the evidence that is asked for.
func (k *checker) explain(b *Binding) error {
	if !k.opts.Evidence {
		return nil
	}
	f, events, err := k.narrow(b)
	if err != nil {
		return err
	}
	b.Resolved = f
	// The columns are those of the whole: only there is it known what clocks tell of times.
	columns := k.scope.ColumnsOf(f)
	for i, v := range columns {
		columns[i] = onto(v, events)
	}
	b.Computation = b.Computation.WithVariables(columns)
	b.Result, err = rctl.Check(k.ctx, b.Computation, syntax.Folded(f), k.opts.Options)
	return err
}

// onto returns a column for the computation of some events, which include those of the column.
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

// narrow gives a binding its formula, and the computation of the events that matter to that. It
// returns the formula as it is resolved in the whole computation, and these events, nil for all.
func (k *checker) narrow(b *Binding) (*syntax.Formula, []graphs.Event, error) {
	b.Formula = k.template.Narrowed(b.numbers)
	b.Computation = k.comp
	observed := &observer{Scope: k.scope, events: make(map[graphs.Event]bool)}
	f, err := syntax.Resolve(k.ctx, b.Formula, observed)
	if err != nil || syntax.HasNext(b.Formula) { // each event is a step
		return f, nil, err
	}
	syntax.WalkExprs(f, func(e *syntax.Expr) {
		switch e.Op {
		case syntax.ExprVar:
			if v := k.comp.Variable(e.Owner, e.Text); v != nil { // a column is none
				observed.note(v.Events())
			}
		case syntax.ExprTransit:
			sends, recvs := k.comp.Channel(e.FromID, e.ToID)
			observed.note(sends)
			observed.note(recvs)
		}
	})
	// What a process knows changes at other events than those of the conditions.
	for _, v := range k.scope.ColumnsOf(f) {
		observed.note(v.Events())
	}
	events := slices.AppendSeq([]graphs.Event{}, maps.Keys(observed.events))
	slices.Sort(events)
	b.Computation, err = project.Onto(k.comp, events)
	return f, events, err
}

// An observer is a scope that notes the events that matter to a formula that is resolved in it: those
// that satisfy its conditions, and of each value that names are bound to the first that assigns it.
// All that is asked of others is a constant.
type observer struct {
	*scope.Scope
	events map[graphs.Event]bool
}

// Observes implements syntax.Observer.
func (*observer) Observes() {}

// note notes events.
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

// Measure implements syntax.Events. States that have no begin or end of their own last as long as the trace.
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
