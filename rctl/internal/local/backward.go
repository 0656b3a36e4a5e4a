package local

import (
	"slices"

	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// A backward is what a search from the end needs. EG q holds at the cuts that are
// reached from the final cut by going back through q, where it holds, too. EF(p && EG q)
// holds at a cut if p does at one of these that contains it; such a one tends to be near
// the end, where a search from the other side comes last. And where these are few, they
// all are soon known.
type backward struct {
	p       []*node // conjuncts; none for EG q itself
	q       *node
	measure measure // of p
	most    int     // visits
	given   bool    // up
	follows []int32 // the cut that was gone back from, by number
}

// mostBack bounds the visits for EG q, which is looked for from the other side, too.
const mostBack = 4096

// newBackward returns nil for a formula of another form.
func (x *evaluation) newBackward(f *syntax.Formula) *backward {
	if f.Op == syntax.OpEG {
		return &backward{q: x.node(f.Sub[0]), most: mostBack}
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

// fromTheEnd decides EG q or EF(p && EG q) at a cut by a search from the final cut. It is
// Unknown for other formulas, and where there are too many cuts to visit.
func (x *evaluation) fromTheEnd(n *node, start int32) engine.Verdict {
	b := n.backward
	if b == nil || b.given {
		return engine.Unknown
	}
	first := x.load(start).Clone()
	final := x.number(x.walk.Final())
	var reached marks
	reached.add(final)
	measure := b.measure
	if len(b.p) == 0 {
		measure = n.measure
	}
	open := &frontier{goal: len(b.p) > 0, whole: len(b.p) == 0}
	open.add([]place{{cut: final}})
	var keys []uint64
	var places []place
	for visits := 0; ; visits++ {
		cut, ok := open.next()
		if !ok {
			return n.note(start, engine.Fails)
		}
		if visits > b.most {
			b.given = true
			return engine.Unknown
		}
		holds := x.decide(b.q, cut) == engine.Holds
		found := holds && (len(b.p) > 0 || cut == start) &&
			!slices.ContainsFunc(b.p, func(p *node) bool { return x.decide(p, cut) != engine.Holds })
		switch {
		case x.stopped():
			return engine.Unknown
		case found && len(b.p) > 0:
			n.end = cut
			return n.note(start, engine.Holds)
		case found:
			n.searches++
			n.reach(start, start)
			for ; cut != final; cut = b.follows[cut] {
				n.note(cut, engine.Holds)
				n.reach(b.follows[cut], cut)
			}
			n.end = final
			return n.note(start, engine.Holds)
		case !holds:
			continue
		}
		keys, places = keys[:0], places[:0]
		x.walk.Predecessors(x.cuts.Key(int(cut)), func(key []uint64) { keys = append(keys, key...) })
		for key := range slices.Chunk(keys, x.words) {
			if at := x.number(key); reached.add(at) && first.Within(x.load(at)) {
				for int(at) >= len(b.follows) {
					b.follows = append(b.follows, none)
				}
				b.follows[at] = cut
				places = append(places, place{cut: at, far: measure.at(x.load(at))})
			}
		}
		open.add(places)
	}
}
