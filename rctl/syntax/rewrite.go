package syntax

import (
	"maps"
	"slices"
)

// What follows copies expressions with other names. An aggregate that could not be expanded is kept as it was
// written, for people and for what tells equal ones apart. Under forall i, the text of
//
//	count j: x@j == x@i
//
// has to say which i is meant, so it becomes count j: x@j == x@P1. If P1 were called j, the name bound by the
// count would get another name first.

// A renaming says what names become.
type renaming map[string]string

// written returns an aggregate with processes in place of the names that are bound now. If one
// of its own names is the name of such a process, it gets another.
func (r *resolver) written(e *Expr) *Expr {
	names := renaming{}
	for text, slot := range r.slots {
		m := r.meanings[slot]
		if m.process == unbound {
			continue
		}
		// Values and events as they are printed: aggregates are told apart by their text.
		switch m.sort() {
		case OfProcess:
			names[text] = r.processes[m.process]
		case OfValue:
			names[text] = r.elements.at(m.process).value.String()
		default:
			names[text] = quote(r.scope.(Events).EventID(r.elements.at(m.process).event))
		}
	}
	return r.rewrite(e, names)
}

// rewrite copies e with other names of processes. It never changes e, as other instances need it
// again.
func (r *resolver) rewrite(e *Expr, names renaming) *Expr {
	g := new(*e)
	name := func(n *Name) {
		if text, ok := names[n.Text]; ok {
			n.Text = text
		}
	}

	name(&g.Process)
	if e.Op == ExprValue {
		if text, ok := names[e.Text]; ok {
			g.Text = text
		}
	}
	if e.Past != nil {
		g.Past = new(*e.Past)
		name(&g.Event)
		name(&g.Other)
		g.Conds = slices.Clone(e.Conds)
		for i, cond := range e.Conds {
			g.Conds[i] = r.rewriteFormula(cond, names)
		}
	}
	if e.Channel != nil {
		g.Channel = new(*e.Channel)
		name(&g.From)
		name(&g.To)
	}

	if e.Aggregate != nil {
		g.Aggregate = new(*e.Aggregate)
		g.Quant, names = r.rewriteQuantifier(e.Quant, names)
		if e.Term != nil {
			g.Term = r.rewrite(e.Term, names)
		} else {
			g.Form = r.rewriteFormula(e.Form, names)
		}
	}

	g.Args = slices.Clone(e.Args)
	for i, arg := range e.Args {
		g.Args[i] = r.rewrite(arg, names)
	}
	return g
}

// rewriteFormula is rewrite for the body of a count.
func (r *resolver) rewriteFormula(f *Formula, names renaming) *Formula {
	g := &Formula{Op: f.Op, Sub: slices.Clone(f.Sub), Pos: f.Pos}
	if f.Quant != nil {
		g.Quant, names = r.rewriteQuantifier(f.Quant, names)
	}
	for i, sub := range f.Sub {
		g.Sub[i] = r.rewriteFormula(sub, names)
	}
	if f.Op == OpAtom {
		g.Expr = r.rewrite(f.Expr, names)
	}
	return g
}

// rewriteQuantifier also returns what names become in the body of q.
func (r *resolver) rewriteQuantifier(q *Quantifier, names renaming) (*Quantifier, renaming) {
	g := new(*q)
	g.Domain = slices.Clone(q.Domain)
	for i, name := range q.Domain {
		if text, ok := names[name.Text]; ok {
			g.Domain[i].Text = text
		}
	}

	if q.Data != nil && q.Data.Where != nil {
		g.Data = new(*q.Data)
		g.Data.Where = r.rewriteFormula(q.Data.Where, names)
	}
	g.Names = slices.Clone(q.Names)
	// that the names bound here must not catch
	into := slices.Collect(maps.Values(names))
	for i, name := range q.Names {
		text := name.Text
		for slices.Contains(into, name.Text) && r.taken(text, name.Text) {
			text += "_"
		}
		if text != name.Text {
			g.Names[i].Text = text
			names = maps.Clone(names)
			names[name.Text] = text
		}
	}

	return g, names
}

// taken reports whether a process has that name, or something bound other than
// the name itself.
func (r *resolver) taken(text, name string) bool {
	_, process := r.scope.LookupProcess(text)
	_, slot := r.slots[text]
	return process || slot && text != name
}
