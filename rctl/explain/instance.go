package explain

import (
	"context"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// A scene is a property under one binding of names, with the results for its parts.
type scene struct {
	*explanation
	bound []syntax.Binding // the instances of quantifiers that the evidence shows

	// each part resolved under bound; nil for a part that cannot be resolved
	resolved map[*syntax.Formula]*syntax.Formula
	indexes  map[*syntax.Formula]*index // by the root of the indexed part
	// a scene for each instance of each quantifier in the property
	inner map[*syntax.Formula][]*scene
}

// An explanation holds the state that its scenes share.
type explanation struct {
	*mentions
	ctx   context.Context
	asked *syntax.Formula // the property, with its quantifiers; nil if unknown
	// whether the property is about data; its parts then resolve only to what paired found
	data   bool
	normal *syntax.Normalizer
	same   syntax.Interner

	decisions int // how many more formulas may be decided
}

// newScene returns the scene of a property without bindings. It uses resolved only for a property
// about data. A nil ctx stands for context.Background.
func newScene(ctx context.Context, c *graphs.Computation, asked, resolved *syntax.Formula) *scene {
	if ctx == nil {
		ctx = context.Background()
	}
	t := &explanation{
		mentions: &mentions{
			c: c, below: make(map[*syntax.Formula]*interest),
			sets: make(map[*graphs.Variable]map[graphs.Event]int),
		},
		ctx:       ctx,
		asked:     asked,
		data:      asked != nil && !syntax.DataFree(asked),
		normal:    syntax.NewNormalizer(),
		decisions: maxDecisions,
	}

	s := t.scene(nil)
	if t.data {
		t.asked = s.paired(asked, resolved)
	}
	return s
}

// paired returns a property about data without its outer quantifiers, and records the resolved form
// of each of its parts. It returns nil if the forms are not known.
//
// Example: forall r in values(req where req == "r3"): AG(once(req == r) -> AF done) was resolved to
// AG(once(req == "r3")@P -> AF done). So AG, -> and AF correspond to parts of the resolved form.
func (s *scene) paired(asked, resolved *syntax.Formula) *syntax.Formula {
	if resolved == nil {
		return nil
	}
	body := asked
	for body.Quant != nil && body.Quant.Data != nil {
		// A quantifier with one instance becomes its body. With several, it becomes a conjunction or
		// disjunction at its own position, whose operands are not parts of the body.
		if body.Pos == resolved.Pos {
			return nil
		}
		body = body.Sub[0]
	}
	if body.Op != resolved.Op {
		return nil
	}
	s.pair(body, resolved)
	return body
}

// pair records the resolved form of each part of g. It does not descend into quantifiers and atoms.
func (s *scene) pair(g, resolved *syntax.Formula) {
	if g.Op != resolved.Op {
		return
	}
	s.resolved[g] = resolved
	for i, sub := range g.Sub {
		s.pair(sub, resolved.Sub[i])
	}
}

// scene returns a scene in which no part is resolved yet.
func (t *explanation) scene(bound []syntax.Binding) *scene {
	return &scene{
		explanation: t,
		bound:       bound,
		resolved:    make(map[*syntax.Formula]*syntax.Formula),
		indexes:     make(map[*syntax.Formula]*index),
		inner:       make(map[*syntax.Formula][]*scene),
	}
}

// with returns the scene under bound, which extends the bindings of s.
func (s *scene) with(bound []syntax.Binding) *scene {
	if len(bound) == len(s.bound) {
		return s
	}
	return s.scene(bound)
}

// maxDecisions bounds how many formulas are decided to explain one verdict.
const maxDecisions = 50

// A part is a subformula of the written property, with the verdict that some formula shows and the
// scene in which it does.
type part struct {
	formula *syntax.Formula
	verdict rctl.Verdict
	within  *scene
}

// shows returns the formula that evidence for the verdict shows, with quantifiers.
func (p *part) shows() *syntax.Formula { return p.within.shown(p.formula, p.verdict) }

// shown is rctl.Shown with interned results: equal formulas are the same pointer, and parts of
// formulas that were shown before cost nothing.
func (t *explanation) shown(f *syntax.Formula, v rctl.Verdict) *syntax.Formula {
	return t.same.Same(t.normal.Tidy(t.normal.NNF(f, v == rctl.Fails)))
}

// maxInstances bounds how many instances of the quantifiers around a temporal operator are
// searched.
const maxInstances = 1000

// find returns the part of the property whose verdict f shows. It returns nil if there is none,
// because engines may use an equivalent formula.
func (s *scene) find(f *syntax.Formula) *part {
	if s.asked == nil || s.ctx.Err() != nil {
		return nil
	}
	left := maxInstances
	return s.within(s.asked, s.same.Same(f), &left)
}

// An index maps formulas to the parts that show them, of a property or of the body of one of its
// quantifiers.
//
// Example: the index of AG(p -> (forall i: AF q@i)) has the formulas that AG shows. Those below the
// quantifier are in the indexes of its instances.
type index struct {
	parts       map[*syntax.Formula]*part
	quantifiers []*syntax.Formula
}

// within returns a part of g, the property or the body of a quantifier, that shows f: the first one
// outside quantifiers or, if there is none, in their instances. f is interned. The time complexity
// of within is O(instances), plus the indexing of new parts.
func (s *scene) within(g, f *syntax.Formula, left *int) *part {
	x := s.indexes[g]
	if x == nil {
		x = &index{parts: make(map[*syntax.Formula]*part)}
		s.indexes[g] = x
		s.enter(x, g)
	}
	if found := x.parts[f]; found != nil {
		return found
	}
	for _, q := range x.quantifiers {
		for _, instance := range s.instances(q) {
			if *left--; *left < 0 {
				return nil
			}
			if found := instance.within(q.Sub[0], f, left); found != nil {
				return found
			}
		}
	}
	return nil
}

// enter adds g and its subformulas to an index.
func (s *scene) enter(x *index, g *syntax.Formula) {
	isLeaf := syntax.IsPropositional(g)
	if isLeaf && g != s.asked {
		return
	}
	if resolved := s.resolve(g); resolved != nil && (g.Op.IsTemporal() || g == s.asked) {
		forms := []*syntax.Formula{resolved}
		if s.data { // a single binding is decided with constants folded
			forms = append(forms, syntax.Folded(resolved))
		}
		// A part is identified by the formulas that evidence for either of its verdicts shows.
		for _, form := range forms {
			for _, v := range []rctl.Verdict{rctl.Holds, rctl.Fails} {
				if shown := s.shown(form, v); x.parts[shown] == nil {
					x.parts[shown] = &part{g, v, s}
				}
			}
		}
	}
	switch {
	case isLeaf:
	case g.Quant != nil && !slices.ContainsFunc(s.bound, func(b syntax.Binding) bool { return b.Name == g.Quant.Names[0].Text }):
		x.quantifiers = append(x.quantifiers, g) // the scene does not bind its names
	default:
		for _, sub := range g.Sub {
			s.enter(x, sub)
		}
	}
}

// instances returns the scenes of the first instances of a quantified formula.
func (s *scene) instances(g *syntax.Formula) []*scene {
	all, ok := s.inner[g]
	if ok || s.data { // only quantifiers over processes have scenes
		return all
	}
	visit := func(b []syntax.Binding, _ *syntax.Formula) bool {
		all = append(all, s.with(slices.Concat(s.bound, b)))
		return len(all) < maxInstances
	}

	if err := syntax.Instances(s.ctx, g, s.bound, rctl.Scope(s.c), nil, visit); err != nil {
		all = nil
	}
	s.inner[g] = all
	return all
}

// resolve resolves a part under the bindings of the scene, once. It returns nil if a quantifier
// around the part has unbound names.
func (s *scene) resolve(g *syntax.Formula) *syntax.Formula {
	f, known := s.resolved[g]
	if known || s.data {
		return f
	}
	s.resolved[g] = nil // until it is known to resolve

	// Only atoms and quantifiers need the resolver.
	if g.Op == syntax.OpAtom || g.Quant != nil {
		var err error
		if f, err = syntax.ResolveWithin(s.ctx, g, s.bound, rctl.Scope(s.c)); err != nil {
			return nil
		}
	} else {
		f = &syntax.Formula{Op: g.Op, Pos: g.Pos}
		for _, sub := range g.Sub {
			r := s.resolve(sub)
			if r == nil {
				return nil
			}
			f.Sub = append(f.Sub, r)
		}
	}

	s.resolved[g] = f
	return f
}

// truthOf returns the formula that evidence for g shows, or nil if g cannot be resolved.
func (s *scene) truthOf(g *syntax.Formula) *syntax.Formula {
	f := s.resolve(g)
	if f == nil {
		return nil
	}
	return s.shown(f, rctl.Holds)
}

// A focus is the part of a formula that a cut makes true.
type focus struct {
	about *syntax.Formula // the part, resolved
	bound []syntax.Binding
}

// focus finds the instances in written, the formula that e shows, that are true at the cut where
// its run ends, or along the whole run. It returns nil if there is nothing to choose from, or no
// instance is known to be true.
func (s *scene) focus(e *rctl.Evidence, written *syntax.Formula) *focus {
	switch {
	case s.data:
		return nil
	case e.Whole:
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
	if along = s.truthOf(along); along == nil {
		return nil
	}
	return &focus{syntax.And(along, found.about), found.bound}
}

// along finds an instance that is true at all cuts of a run that shows EG.
func (s *scene) along(e *rctl.Evidence, written *syntax.Formula) *focus {
	if written.Op != syntax.OpEG || written.Sub[0].Op != syntax.OpExists {
		return nil
	}
	exists := written.Sub[0]
	r := newRecording(s.ctx, s.c, e.Start, e.Run)
	for _, instance := range s.instances(exists) {
		f := instance.truthOf(exists.Sub[0])
		if f == nil || !syntax.IsPropositional(f) {
			return nil
		}
		if h, ok := r.truth(f); ok && h.first && len(h.turns) == 0 {
			return &focus{f, instance.bound}
		}
	}
	return nil
}

// A chooser searches for instances that are true at the cut of a piece of evidence.
type chooser struct {
	*scene
	at    *rctl.Evidence
	truth map[*syntax.Formula]bool // the truth of interned formulas at the cut
}

// choose returns the part of g, in negation normal form with quantifiers, that makes
// it true.
func (k *chooser) choose(g *syntax.Formula) *focus {
	switch g.Op {
	case syntax.OpExists:
		// Choose the first instance that is true.
		var bound []syntax.Binding
		holds := func(f *syntax.Formula) bool { return k.holds(k.shown(f, rctl.Holds)) }
		err := syntax.Instances(k.ctx, g, k.bound, rctl.Scope(k.c), holds, func(b []syntax.Binding, f *syntax.Formula) bool {
			if holds(f) {
				bound = slices.Concat(k.bound, b)
			}
			return bound == nil
		})
		if err != nil || bound == nil {
			return nil
		}
		return k.within(bound).choose(g.Sub[0])
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
			if f := k.truthOf(sub); f != nil && k.holds(f) {
				return k.choose(sub)
			}
		}
		return nil
	}

	f := k.truthOf(g)
	if f == nil {
		return nil
	}
	return &focus{f, k.bound}
}

// within returns the chooser under more bindings.
func (k *chooser) within(bound []syntax.Binding) *chooser {
	return &chooser{k.with(bound), k.at, k.truth}
}

// holds reports whether f, resolved and in negation normal form, is known to be true at the cut. A
// temporal operator is known to be true if a child shows it, or if slices decide it.
func (k *chooser) holds(f *syntax.Formula) bool {
	if truth, known := k.truth[f]; known {
		return truth
	}
	truth := false
	switch {
	case f.Op == syntax.OpAnd:
		truth = !slices.ContainsFunc(f.Sub, func(sub *syntax.Formula) bool { return !k.holds(sub) })
	case f.Op == syntax.OpOr:
		truth = slices.ContainsFunc(f.Sub, k.holds)
	case f.Op.IsTemporal():
		truth = slices.ContainsFunc(k.at.Children, func(child *rctl.Evidence) bool {
			return k.same.Same(child.Formula) == k.same.Same(f)
		})
		// A formula about all runs has no child. Slices may decide it.
		if !truth && !syntax.IsExistential(f) && k.decisions > 0 {
			k.decisions--
			res, err := rctl.Check(k.ctx, k.c.From(k.at.Cut), f, rctl.Options{Engine: rctl.Slice})
			truth = err == nil && res.Verdict == rctl.Holds
		}
	default:
		at, err := rctl.At(k.c, f, k.at.Cut)
		truth = at && err == nil
	}
	k.truth[f] = truth
	return truth
}
