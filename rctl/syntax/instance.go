package syntax

import (
	"context"
	"slices"

	"github.com/pota-project/pota/rctl/internal/abort"
)

// A Binding maps a quantified name to a process.
type Binding struct {
	Name    string
	Process int
}

// ResolveWithin is Resolve for a part of a formula. The names in outer are bound by
// quantifiers around it, a later binding hiding an earlier one of the same name.
func ResolveWithin(ctx context.Context, f *Formula, outer []Binding, s Scope) (g *Formula, err error) {
	defer abort.Catch(&err)
	g = new(*newResolver(ctx, f, s, outer).formula(f))
	g.src = f.src
	return g, nil
}

// Instances calls visit for each instance of f, a forall or exists, until visit returns false:
// with what the names of f are bound to and the resolved body. They come in the order of the
// operands that Resolve gives f. If possible is not nil, it is asked about each resolved
// conjunct as soon as the names in it are bound. Bindings that it denies have no instances.
// The error, if any, is an *Error, or ctx's as for Resolve. bound must not be kept.
func Instances(ctx context.Context, f *Formula, outer []Binding, scope Scope, possible func(conjunct *Formula) bool, visit func(bound []Binding, g *Formula) bool) (err error) {
	defer abort.Catch(&err)
	r := newResolver(ctx, f, scope, outer)
	bound := make([]Binding, len(f.Quant.Names))
	// conjuncts, by how many of the names must be bound
	known := make([][]*Formula, len(f.Quant.Names)+1)
	for _, g := range Conjuncts(f.Sub[0]) {
		last := 0
		for i, name := range f.Quant.Names {
			if slices.Contains(r.node(g).free, r.slots[name.Text]) {
				last = i + 1
			}
		}
		known[last] = append(known[last], g)
	}

	denied := func(g *Formula) bool { return possible != nil && !possible(r.formula(g)) }
	for range r.each(f.Quant, func(bound int) bool { return !slices.ContainsFunc(known[bound], denied) }) {
		g := r.formula(f.Sub[0])
		for i, name := range f.Quant.Names {
			bound[i] = Binding{name.Text, r.meaning(name.Text).number}
		}
		if !visit(bound, g) {
			break
		}
	}
	return nil
}
