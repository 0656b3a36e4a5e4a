package local

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// A backward is a search from the end that goes on whenever more is asked of it. EG q
// holds at the cuts reached from the final one by going back through cuts where q
// holds. Of these, the cuts where p holds are the goals: EF(p && EG q) holds at all
// cuts within a goal. Goals tend to be near the end, and a forward search comes there
// last. And where these cuts are few, they all are soon known.
type backward struct {
	p       []*node // conjuncts; none for EG q itself
	q       *node
	measure measure // of p
	most    int     // visits
	visits  int
	open    *frontier
	reached paths
	goals   []graphs.Cut // none within one before
	numbers []int32      // of the goals
}

// maxBack bounds the visits for EG q. The forward search looks for it, too.
const maxBack = 4096

// newBackward returns nil for a formula of another form.
func (x *evaluation) newBackward(f *syntax.Formula) *backward {
	if f.Op == syntax.OpEG {
		return &backward{q: x.node(f.Sub[0]), most: maxBack}
	}
	if f.Op != syntax.OpEF {
		return nil
	}
	b := &backward{most: x.most / 2}
	var p []*syntax.Formula
	for _, f := range syntax.Conjuncts(f.Sub[0]) {
		if f.Op == syntax.OpEG && b.q == nil {
			b.q = x.node(f.Sub[0])
			continue
		}
		p = append(p, f)
		b.p = append(b.p, x.node(f))
	}
	if b.q == nil || len(p) == 0 {
		return nil
	}
	b.measure = x.measure(x.Normal(syntax.And(p...)))
	return b
}

// fromTheEnd decides EG q or EF(p && EG q) at a cut. It is Unknown for other formulas,
// and where there are too many cuts to visit.
func (x *evaluation) fromTheEnd(n *node, start int32) engine.Verdict {
	b := n.backward
	if b == nil {
		return engine.Unknown
	}
	if b.open == nil {
		b.open = &frontier{goal: len(b.p) > 0, whole: len(b.p) == 0}
		final := x.number(x.walk.Final())
		b.reached.add(final, final)
		b.open.add([]place{{cut: final}})
	}
	from := x.load(start).Clone()
	for i, goal := range b.goals {
		if from.Within(goal) {
			n.end = b.numbers[i]
			return n.note(start, engine.Holds)
		}
	}
	for b.visits <= b.most {
		cut, ok := b.open.next()
		if !ok {
			return n.note(start, engine.Fails)
		}
		b.visits++
		found := x.goBack(n, cut)
		switch {
		case x.stopped():
			return engine.Unknown
		case found && len(b.p) > 0 && from.Within(x.load(cut)):
			n.end = cut
			return n.note(start, engine.Holds)
		case found && cut == start:
			n.end = cut
			return engine.Holds
		}
	}
	return engine.Unknown
}

// goBack visits a cut and reports whether EG q holds at it and so does p. For EG q that
// is noted.
func (x *evaluation) goBack(n *node, cut int32) bool {
	b := n.backward
	if x.decide(b.q, cut) != engine.Holds {
		return false
	}
	var keys []uint64
	var places []place
	measure := b.measure
	if len(b.p) == 0 {
		measure = n.measure
	}
	x.walk.Predecessors(x.cuts.Key(int(cut)), func(key []uint64) { keys = append(keys, key...) })
	for key := range slices.Chunk(keys, x.words) {
		if at := x.number(key); b.reached.add(at, cut) {
			places = append(places, place{cut: at, far: measure.at(x.load(at))})
		}
	}
	b.open.add(places)
	if slices.ContainsFunc(b.p, func(p *node) bool { return x.decide(p, cut) != engine.Holds }) {
		return false
	}
	if len(b.p) == 0 {
		n.note(cut, engine.Holds)
		return true
	}
	at := x.load(cut)
	if !slices.ContainsFunc(b.goals, at.Within) {
		b.goals, b.numbers = append(b.goals, at.Clone()), append(b.numbers, cut)
	}
	return true
}
