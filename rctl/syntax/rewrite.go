package syntax

import (
	"maps"
	"slices"
)

// This file copies expressions with other names. An aggregate that cannot be expanded keeps its written form,
// which is shown to users, and distinguishes one aggregate from another. Under forall i, the text of
//
//	count j: x@j == x@i
//
// has to say which i is meant, so it becomes count j: x@j == x@P1. If P1 were called j, the name that the
// count binds would be renamed first.

// A renaming maps names to their replacements.
type renaming map[string]string

// of returns the replacement of a name, or the name itself if it has none.
func (names renaming) of(name string) string {
	if text, ok := names[name]; ok {
		return text
	}
	return name
}

// written returns an aggregate with the current meanings in place of bound names. A name that the
// aggregate itself binds is renamed if it is also the name of such a process.
func (r *resolver) written(e *Expr) *Expr {
	names := renaming{}
	for text, slot := range r.slots {
		m := r.meanings[slot]
		if m.number == unbound {
			continue
		}
		// Values and events are replaced by their text, because aggregates are compared by text.
		switch m.sort() {
		case OfProcess:
			names[text] = r.processes[m.number]
		case OfEvent:
			names[text] = quote(r.dataText(m.quant, m.number))
		case OfValue:
			names[text] = r.dataText(m.quant, m.number)
		}
	}
	return r.rewrite(e, names)
}

// rewrite copies e with other names. It does not change e, because other instances need it
// again.
func (r *resolver) rewrite(e *Expr, names renaming) *Expr {
	inside := names
	var quant *Quantifier
	if e.Aggregate != nil {
		quant, inside = r.rewriteQuantifier(e.Quant, names)
	}
	g := e.with(func(e *Expr) *Expr { return r.rewrite(e, inside) }, func(f *Formula) *Formula { return r.rewriteFormula(f, inside) })
	g.Process.Text = names.of(e.Process.Text)
	switch {
	case e.Op == ExprValue:
		g.Text = names.of(e.Text)
	case e.Aggregate != nil:
		g.Quant = quant
	case e.Past != nil:
		g.Event.Text = names.of(e.Event.Text)
		g.Other.Text = names.of(e.Other.Text)
	case e.Channel != nil:
		g.Channel = new(*e.Channel)
		g.From.Text = names.of(e.From.Text)
		g.To.Text = names.of(e.To.Text)
	}
	return g
}

// rewriteFormula is rewrite for a formula.
func (r *resolver) rewriteFormula(f *Formula, names renaming) *Formula {
	g := &Formula{Op: f.Op, Pos: f.Pos}
	if f.Quant != nil {
		g.Quant, names = r.rewriteQuantifier(f.Quant, names)
	}
	g.Sub = Mapped(f.Sub, func(sub *Formula) *Formula { return r.rewriteFormula(sub, names) })
	if f.Op == OpAtom {
		g.Expr = r.rewrite(f.Expr, names)
	}
	return g
}

// rewriteQuantifier is rewrite for a quantifier. It also returns the renaming for the body of q.
func (r *resolver) rewriteQuantifier(q *Quantifier, names renaming) (*Quantifier, renaming) {
	g := new(*q)
	g.Domain = Mapped(q.Domain, func(n Name) Name { return Name{names.of(n.Text), n.Pos} })
	if q.Data != nil && q.Data.Where != nil {
		g.Data = new(*q.Data)
		g.Data.Where = r.rewriteFormula(q.Data.Where, names)
	}
	g.Names = slices.Clone(q.Names)
	// names that the ones bound here must not capture
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

// taken reports whether text names a process, or is a bound name other than name.
func (r *resolver) taken(text, name string) bool {
	_, process := r.scope.LookupProcess(text)
	_, slot := r.slots[text]
	return process || slot && text != name
}
