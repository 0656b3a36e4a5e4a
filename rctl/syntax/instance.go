package syntax

import (
	"context"
	"errors"
	"slices"
)

// A Binding maps a quantified name to a process.
type Binding struct {
	Name    string
	Process int
}

// ResolveWithin is Resolve for a part of a formula. The names in outer are bound by
// quantifiers around it, a later binding hiding an earlier one of the same name.
func ResolveWithin(ctx context.Context, f *Formula, outer []Binding, s Scope) (*Formula, error) {
	return newResolver(ctx, f, s, outer).root(f)
}

// Instances calls visit for each instance of f, a forall or exists, until visit returns false:
// with what the names of f are bound to and the resolved body. They come in the order of the
// operands that Resolve gives f. If possible is not nil, it is asked about each resolved
// conjunct as soon as the names in it are bound. Bindings that it denies have no instances.
// The error, if any, is an *Error, or ctx's as for Resolve. bound must not be kept.
func Instances(ctx context.Context, f *Formula, outer []Binding, scope Scope, possible func(conjunct *Formula) bool, visit func(bound []Binding, g *Formula) bool) error {
	r := newResolver(ctx, f, scope, outer)
	if r.wrong != nil {
		return r.wrong
	}
	bound := make([]Binding, len(f.Quant.Names))
	enough := errors.New("enough") // ends the search
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

	err := r.each(f.Quant, func(bound int) (bool, error) {
		for _, g := range known[bound] {
			if g, err := r.formula(g); err != nil || possible != nil && !possible(g) {
				return false, err
			}
		}
		return true, nil
	}, func() error {
		g, err := r.formula(f.Sub[0])
		if err != nil {
			return err
		}
		for i, name := range f.Quant.Names {
			bound[i] = Binding{name.Text, r.meaning(name.Text).process}
		}
		if !visit(bound, g) {
			return enough
		}
		return nil
	})
	if err == enough {
		return nil
	}
	return err
}
