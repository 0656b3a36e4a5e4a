package syntax

import "context"

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
// come in the order of the operands that Resolve gives f. The error, if any, is an
// *Error, or ctx's as for Resolve. bound must not be kept.
func Instances(ctx context.Context, f *Formula, outer []Binding, scope Scope, visit func(bound []Binding, g *Formula) bool) error {
	r := newResolver(ctx, f, scope, outer)
	bound := make([]Binding, len(f.Quant.Names))
	over := false
	return r.each(f.Op.String(), f.Quant, func() error {
		if over {
			return nil
		}
		g, err := r.formula(f.Sub[0])
		if err != nil {
			return err
		}
		for i, name := range f.Quant.Names {
			bound[i] = Binding{name.Text, r.meaning(name.Text).process}
		}
		over = !visit(bound, g)
		return nil
	})
}
