package explain

import (
	"context"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// A scene is what is known about the formulas that evidence shows.
type scene struct {
	ctx   context.Context
	c     *graphs.Computation
	asked *syntax.Formula  // the property, with its quantifiers; nil where it is not known
	bound []syntax.Binding // what instances of them are shown

	decisions *int // that may still be made
}

func (s *scene) with(bound []syntax.Binding) *scene {
	return &scene{s.ctx, s.c, s.asked, bound, s.decisions}
}

// mostDecisions bounds the formulas that are decided to explain one verdict.
const mostDecisions = 50

// A part is a subformula of the property as it was written, with the verdict on it that
// some formula says, and the scene in which it does.
type part struct {
	formula *syntax.Formula
	verdict rctl.Verdict
	within  *scene
}

// shows returns what evidence for the verdict shows, with quantifiers.
func (p *part) shows() *syntax.Formula { return rctl.Shown(p.formula, p.verdict) }

// mostInstances bounds the instances of the quantifiers around a temporal operator that
// are looked at.
const mostInstances = 1000

// find returns the part of the property whose verdict f is, nil where it is not found:
// engines may put an equivalent formula in its place.
func (s *scene) find(f *syntax.Formula) *part {
	if s.asked == nil {
		return nil
	}
	left := mostInstances
	return s.within(s.asked, f, &left)
}

func (s *scene) within(g, f *syntax.Formula, left *int) *part {
	if g.Op.IsTemporal() || g == s.asked {
		if v := s.verdict(g, f); v != rctl.Unknown {
			return &part{g, v, s}
		}
	}
	if syntax.IsPropositional(g) {
		return nil
	}
	if g.Quant == nil || s.binds(g.Quant) {
		for _, sub := range g.Sub {
			if found := s.within(sub, f, left); found != nil {
				return found
			}
		}
		return nil
	}
	var found *part
	visit := func(b []syntax.Binding, _ *syntax.Formula) bool {
		*left--
		inner := s.with(append(append([]syntax.Binding(nil), s.bound...), b...))
		found = inner.within(g.Sub[0], f, left)
		return found == nil && *left > 0
	}
	if err := syntax.Instances(s.ctx, g, s.bound, rctl.Scope(s.c), nil, visit); err != nil {
		return nil
	}
	return found
}

// binds reports whether the scene says what a quantifier's names stand for.
func (s *scene) binds(q *syntax.Quantifier) bool {
	for _, b := range s.bound {
		if b.Name == q.Names[0].Text {
			return true
		}
	}
	return false
}

// verdict returns the verdict on g for which evidence shows f, Unknown where there is
// none.
func (s *scene) verdict(g, f *syntax.Formula) rctl.Verdict {
	resolved, err := syntax.ResolveWithin(s.ctx, g, s.bound, rctl.Scope(s.c))
	switch {
	case err != nil:
	case rctl.Shown(resolved, rctl.Holds).Equal(f):
		return rctl.Holds
	case rctl.Shown(resolved, rctl.Fails).Equal(f):
		return rctl.Fails
	}
	return rctl.Unknown
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

// A focus is the part of a formula that a cut makes true.
type focus struct {
	about *syntax.Formula // resolved
	bound []syntax.Binding
}

// focus finds the instances in written, which e shows, that are true at the cut
// where its run ends, or along all of it; nil where there are none to choose, or none
// is known to be.
func (s *scene) focus(e *rctl.Evidence, written *syntax.Formula) *focus {
	if e.Whole {
		return s.along(e, written)
	}
	target := syntax.Goal(written)
	if target == nil {
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

// mostLooks bounds the values that along looks at.
const mostLooks = 20_000

// along finds an instance that is true at all cuts of a run that shows EG.
func (s *scene) along(e *rctl.Evidence, written *syntax.Formula) *focus {
	if written.Op != syntax.OpEG || written.Sub[0].Op != syntax.OpExists || !syntax.IsPropositional(written.Sub[0]) {
		return nil
	}
	left := mostLooks
	var found *focus
	visit := func(b []syntax.Binding, f *syntax.Formula) bool {
		if left -= len(e.Run) + 1; left >= 0 && s.always(e, f) {
			found = &focus{rctl.Shown(f, rctl.Holds), append(append([]syntax.Binding(nil), s.bound...), b...)}
		}
		return found == nil && left > 0
	}
	if err := syntax.Instances(s.ctx, written.Sub[0], s.bound, rctl.Scope(s.c), nil, visit); err != nil {
		return nil
	}
	return found
}

// always reports whether f, which has no temporal operator, is true at all cuts of a run.
func (s *scene) always(e *rctl.Evidence, f *syntax.Formula) bool {
	cut := e.Start.Clone()
	if truth, err := rctl.At(s.c, f, cut); err != nil || !truth {
		return false
	}
	for event, changes := range newInterest(s.c, f).changing(e.Run) {
		s.c.Advance(cut, event)
		if len(changes) == 0 {
			continue
		}
		if truth, err := rctl.At(s.c, f, cut); err != nil || !truth {
			return false
		}
	}
	return true
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
	return &chooser{k.with(bound), k.at, make(map[*syntax.Formula]bool)}
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
// at the cut: for temporal operators, from the children, or because slices decide it.
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
		return shown(k.at, f) || !syntax.IsExistential(f) && k.holdsFrom(f, k.at.Cut)
	}
	truth, err := rctl.At(k.c, f, k.at.Cut)
	return truth && err == nil
}

// shown reports whether a child of e shows f.
func shown(e *rctl.Evidence, f *syntax.Formula) bool {
	for _, child := range e.Children {
		if child.Formula.Equal(f) {
			return true
		}
	}
	return false
}

// holdsFrom reports whether slices tell that f holds at a cut.
func (s *scene) holdsFrom(f *syntax.Formula, cut graphs.Cut) bool {
	if *s.decisions == 0 {
		return false
	}
	*s.decisions--
	res, err := rctl.Check(s.ctx, s.c.From(cut), f, rctl.Options{Engine: rctl.Slice})
	return err == nil && res.Verdict == rctl.Holds
}
