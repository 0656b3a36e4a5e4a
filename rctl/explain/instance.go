package explain

import (
	"context"
	"fmt"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// A scene is what is known about the formulas that evidence shows.
type scene struct {
	ctx   context.Context
	c     *graphs.Computation
	asked *syntax.Formula  // what the root shows, with its quantifiers; nil where it is not known
	bound []syntax.Binding // what instances of them are shown
}

// root views the evidence of a verdict.
func (t *Teller) root(e *rctl.Evidence) *view {
	s := &scene{ctx: context.Background(), c: t.Of}
	if t.Ctx != nil {
		s.ctx = t.Ctx
	}
	if t.Property != nil {
		s.asked = rctl.Shown(t.Property, t.Verdict)
	}
	return s.view(e)
}

// view finds the formula of e as it was written, and the instance that is true.
func (s *scene) view(e *rctl.Evidence) *view {
	v := &view{Evidence: e, within: s}
	about := e.Formula
	written := s.written(e.Formula)
	if written == nil {
		v.claim = Abbreviate(e.Formula)
	} else {
		v.claim = Abbreviate(written)
		if focus := s.focus(e, written); focus != nil {
			about = focus.about
			v.within = &scene{s.ctx, s.c, s.asked, focus.bound}
			if len(focus.bound) > 0 {
				v.claim += " with " + s.text(focus.bound)
			}
		}
	}
	v.interest = newInterest(s.c, about)
	return v
}

func (s *scene) text(bound []syntax.Binding) string {
	var parts []string
	for _, b := range bound {
		parts = append(parts, fmt.Sprintf("%s = %s", b.Name, s.c.Processes()[b.Process]))
	}
	return strings.Join(parts, ", ")
}

// written returns the part of the property that resolves to f; nil where it is not
// found or has no quantifiers.
func (s *scene) written(f *syntax.Formula) *syntax.Formula {
	if s.asked == nil {
		return nil
	}
	return syntax.Find(s.asked, func(g *syntax.Formula) bool { return g.Op == f.Op && quantified(g) && s.resolves(g, f) })
}

func quantified(f *syntax.Formula) bool {
	return syntax.Find(f, func(g *syntax.Formula) bool { return g.Quant != nil }) != nil
}

// resolve resolves a part of the property, nil where a quantifier around it has
// names that are not known.
func (s *scene) resolve(g *syntax.Formula) *syntax.Formula {
	f, err := syntax.ResolveWithin(s.ctx, g, s.bound, rctl.Scope(s.c))
	if err != nil {
		return nil
	}
	return rctl.Shown(f, rctl.Holds)
}

func (s *scene) resolves(g, f *syntax.Formula) bool {
	resolved := s.resolve(g)
	return resolved != nil && resolved.Equal(f)
}

// A focus is the part of a formula that a cut makes true.
type focus struct {
	about *syntax.Formula // resolved
	bound []syntax.Binding
}

// focus finds the instances in written, which e shows, that are true at the cut
// where its run ends; nil where there are none to choose, or none is known to be.
func (s *scene) focus(e *rctl.Evidence, written *syntax.Formula) *focus {
	target := syntax.Goal(written)
	if target == nil || e.Whole {
		return nil
	}
	var along *syntax.Formula
	if written.Op == syntax.OpEU || written.Op == syntax.OpEW {
		along = written.Sub[0]
	}
	k := &chooser{s, e, make(map[*syntax.Formula]bool)}
	found := k.choose(target)
	if found == nil || along == nil {
		return found
	}
	if along = s.resolve(along); along == nil {
		return nil
	}
	return &focus{syntax.And(along, found.about), found.bound}
}

// A chooser looks for what is true at the cut of evidence.
type chooser struct {
	*scene
	at    *rctl.Evidence
	truth map[*syntax.Formula]bool
}

// choose returns the part of g, in negation normal form with quantifiers, that makes
// it true.
func (k *chooser) choose(g *syntax.Formula) *focus {
	switch g.Op {
	case syntax.OpExists:
		return k.instance(g)
	case syntax.OpAnd:
		all := &focus{about: &syntax.Formula{Op: syntax.OpTrue}, bound: k.bound}
		for _, sub := range g.Sub {
			f := k.within(all.bound).choose(sub)
			if f == nil {
				return nil
			}
			all = &focus{syntax.And(all.about, f.about), f.bound}
		}
		return all
	case syntax.OpOr:
		for _, sub := range g.Sub {
			if f := k.resolve(sub); f != nil && k.holds(f) {
				return k.choose(sub)
			}
		}
		return nil
	}
	f := k.resolve(g)
	if f == nil {
		return nil
	}
	return &focus{f, k.bound}
}

func (k *chooser) within(bound []syntax.Binding) *chooser {
	return &chooser{&scene{k.ctx, k.c, k.asked, bound}, k.at, make(map[*syntax.Formula]bool)}
}

// instance returns the first instance of an exists that is true.
func (k *chooser) instance(g *syntax.Formula) *focus {
	var bound []syntax.Binding
	err := syntax.Instances(k.ctx, g, k.bound, rctl.Scope(k.c), func(g *syntax.Formula) bool { return k.holds(rctl.Shown(g, rctl.Holds)) }, func(b []syntax.Binding, f *syntax.Formula) bool {
		if k.holds(rctl.Shown(f, rctl.Holds)) {
			bound = append(append(bound, k.bound...), b...)
		}
		return bound == nil
	})
	if err != nil || bound == nil {
		return nil
	}
	return k.within(bound).choose(g.Sub[0])
}

// holds reports whether f, resolved and in negation normal form, is known to be true
// at the cut: for temporal operators, from the children.
func (k *chooser) holds(f *syntax.Formula) bool {
	truth, ok := k.truth[f]
	if !ok {
		truth = k.decide(f)
		k.truth[f] = truth
	}
	return truth
}

func (k *chooser) decide(f *syntax.Formula) bool {
	switch {
	case f.Op == syntax.OpAnd:
		for _, sub := range f.Sub {
			if !k.holds(sub) {
				return false
			}
		}
		return true
	case f.Op == syntax.OpOr:
		for _, sub := range f.Sub {
			if k.holds(sub) {
				return true
			}
		}
		return false
	case f.Op.IsTemporal():
		for _, child := range k.at.Children {
			if child.Formula.Equal(f) {
				return true
			}
		}
		return false
	}
	truth, err := rctl.At(k.c, f, k.at.Cut)
	return truth && err == nil
}
