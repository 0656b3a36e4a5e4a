package order

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/nearmiss"
	"github.com/pota-project/pota/graphs/trace"
)

// An assignment is an event, with the value that it gives the variable of the order.
type assignment struct {
	event graphs.Event
	value graphs.Value
}

// compare orders assignments by their values.
func (a assignment) compare(b assignment) int {
	if a.value.Kind == graphs.String {
		return cmp.Compare(a.value.Text(), b.value.Text())
	}
	return a.value.Compare(b.value)
}

// sortBy adds the edges of an order by a variable.
func (a *application) sortBy(st *statement) {
	all := a.assignments(st)
	by := func(x, y assignment) int { return cmp.Or(x.compare(y), cmp.Compare(x.event, y.event)) }
	slices.SortFunc(all, by)
	n := int64(len(a.added))
	a.steps(all, func(before, after []assignment) { n += int64(len(before)) * int64(len(after)) })
	if n > graphs.MaxAdded {
		a.fail(st, st.by, "%v", &graphs.LimitError{Edges: n - int64(len(a.added))})
		return
	}
	a.added = slices.Grow(a.added, int(n)-len(a.added))
	a.steps(all, func(before, after []assignment) {
		for _, x := range before {
			for _, y := range after {
				if a.c.Process(x.event) != a.c.Process(y.event) {
					a.added = append(a.added, graphs.Edge{From: x.event, To: y.event})
				}
			}
		}
	})
}

// steps calls visit for each pair of successive values, with the last event of each process that
// assigns the first value, and the first event of each process that assigns the second.
func (a *application) steps(all []assignment, visit func(before, after []assignment)) {
	var before, first, last []assignment
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && all[from].compare(all[to]) == 0 {
			to++
		}
		first, last = first[:0], last[:0]
		for i := from; i < to; i++ {
			p := a.c.Process(all[i].event)
			if i == from || p != a.c.Process(all[i-1].event) {
				first = append(first, all[i])
			}
			if i == to-1 || p != a.c.Process(all[i+1].event) {
				last = append(last, all[i])
			}
		}
		if from > 0 {
			visit(before, first)
		}
		before, last = last, before
		from = to
	}
}

// assignments collects the assignments that a statement orders, and checks that values do not
// decrease along the order of the trace.
func (a *application) assignments(st *statement) (all []assignment) {
	variables := a.c.VariablesNamed(st.by.text)
	if len(variables) == 0 {
		a.unknown(st)
		return nil
	}
	chosen := a.choose(st)
	kind, owner := graphs.NoKind, 0
	found := false
	for _, v := range variables {
		if v.Process != graphs.Shared && !chosen[v.Process] {
			continue
		}
		found = true
		switch {
		case v.Kind == graphs.NoKind:
			continue
		case v.Kind == graphs.Bool:
			a.fail(st, st.by, "variable %q is a boolean (order by a number or a string)", v.Name)
			return nil
		case v.Skipped():
			a.fail(st, st.by, "the values of variable %q were not read", v.Name)
			return nil
		case kind != graphs.NoKind && kind != v.Kind:
			a.fail(st, st.by, "variable %q has two types: it is a %s on process %q and a %s on process %q",
				v.Name, kind, a.c.Processes()[owner], v.Kind, a.c.Processes()[v.Process])
			return nil
		}
		kind, owner = v.Kind, v.Process
		start := len(all)
		for i, e := range v.Events() {
			if !chosen[a.c.Process(e)] {
				continue
			}
			x := assignment{e, v.Value(i)}
			if n := len(all); n > start && all[n-1].compare(x) > 0 && (!a.c.SameStep(all[n-1].event, e) || a.c.Process(all[n-1].event) == a.c.Process(e)) {
				a.fail(st, st.by, "the order by %q contradicts the trace: %s, which sets it to %s, happened before %s, which sets it to %s",
					v.Name, a.c.ID(all[n-1].event), all[n-1].value, a.c.ID(e), x.value)
				return nil
			}
			all = append(all, x)
		}
	}
	if !found {
		const msg = "no process that matches has the variable %q"
		a.fail(st, st.processes[0], msg, st.by.text)
	}
	return all
}

// choose returns, for each process, whether a statement is about it.
func (a *application) choose(st *statement) []bool {
	chosen := make([]bool, a.c.NumProcesses())
	for p := range chosen {
		chosen[p] = st.processes == nil
	}
	for _, pattern := range st.processes {
		some := false
		for p, name := range a.c.Processes() {
			if trace.Match(pattern.text, name, true) {
				chosen[p], some = true, true
			}
		}
		if !some {
			hint := nearmiss.Hint(pattern.text, a.c.Processes())
			a.fail(st, pattern, "no process matches %q%s", pattern.text, hint)
		}
	}
	return chosen
}

// unknown records the error of a variable that the trace does not have.
func (a *application) unknown(st *statement) {
	var names []string
	for _, v := range a.c.Variables() {
		names = append(names, v.Name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if hint := nearmiss.Hint(st.by.text, names); hint != "" {
		a.fail(st, st.by, "there is no variable %q%s", st.by.text, hint)
	}
	list := "the trace has none"
	if len(names) > 0 {
		list = "the variables are " + graphs.List(names, 10)
	}
	a.fail(st, st.by, "there is no variable %q (%s)", st.by.text, list)
}

// valueAt returns the variable with the value that event e assigns, for an error; "" if there is
// none.
func (a *application) valueAt(st *statement, e graphs.Event) string {
	for _, v := range a.c.VariablesNamed(st.by.text) {
		if v.Process == graphs.Shared || v.Process == a.c.Process(e) {
			if i := slices.Index(v.Events(), e); i >= 0 {
				return fmt.Sprintf(" (%s %s)", v.Name, v.Value(i))
			}
		}
	}
	return ""
}
