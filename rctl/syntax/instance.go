package syntax

import (
	"context"
	"errors"
	"slices"
)

// A Binding says which process a quantified name stands for.
type Binding struct {
	Name    string
	Process int
}

// ResolveWithin is Resolve for a part of a formula: the names of outer, which
// quantifiers around it bind, stand for those processes; the last of a name counts.
func ResolveWithin(ctx context.Context, f *Formula, outer []Binding, scope Scope) (*Formula, error) {
	return newResolver(ctx, f, scope, outer).root(f)
}

// Instances calls visit for each instance of f, a forall or exists, until visit
// returns false: with what the names of f are bound to and the resolved body. They
// come in the order of the operands that Resolve gives f. Where possible is not nil,
// it is asked about the conjuncts that mention only the first few names, resolved, when
// these are bound, and what it denies has no instances. The error, if any, is an *Error,
// or ctx's as for Resolve. bound must not be kept.
func Instances(ctx context.Context, f *Formula, outer []Binding, scope Scope, possible func(conjunct *Formula) bool, visit func(bound []Binding, g *Formula) bool) error {
	r := newResolver(ctx, f, scope, outer)
	bound := make([]Binding, len(f.Quant.Names))
	enough := errors.New("enough")                    // ends the search
	known := make([][]*Formula, len(f.Quant.Names)+1) // conjuncts, by how many of the names must be bound
	for _, g := range Conjuncts(f.Sub[0]) {
		last := 0
		for i, name := range f.Quant.Names {
			if slices.Contains(r.node(g).free, r.slots[name.Text]) {
				last = i + 1
			}
		}
		known[last] = append(known[last], g)
	}
	err := r.each(f.Op.String(), f.Quant, func(bound int) (bool, error) {
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
