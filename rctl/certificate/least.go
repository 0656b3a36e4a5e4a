package certificate

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// forced is rule 1.
func (k *Checker) forced(n *Node, low, high graphs.Cut, p *Proof) {
	k.ties = p.Ties
	d := low.Clone()
	_, ok := k.up(n, d, high)
	k.require(!ok, n.Not, p, "its negation may hold at a cut from %v on", d)
}

// up adds events to c that every cut between c and high has that satisfies n. It is not ok
// only if there is no such cut; whether c grew counts only where it is.
func (k *Checker) up(n *Node, c, high graphs.Cut) (grew, ok bool) {
	switch {
	case n.Op == syntax.OpAtom, n.Truth != nil && n.one:
		return k.upAtom(n, c, high)
	case n.Op == syntax.OpAnd:
		return k.upAll(n, c, high)
	case n.Op == syntax.OpOr:
		return k.upAny(n, c, high)
	case n.Op == syntax.OpEX, n.Op == syntax.OpAX:
		return false, true
	}
	return k.upPath(n, c, high)
}

// upAtom is rule L1.
func (k *Checker) upAtom(n *Node, c, high graphs.Cut) (grew, ok bool) {
	for !n.Truth(c) {
		if !oneChain(n.helps) { // it may become true, unless nothing that it reads changes up to high
			may := slices.ContainsFunc(n.reads, func(s *source) bool { return k.count(s, c) != k.count(s, high) })
			return grew, may
		}
		next := graphs.Bottom
		for e, d := range k.chain(n.helps, c) {
			if e != graphs.Bottom && (!n.one || n.Truth(d)) {
				next = e
				break
			}
		}
		if grew = true; next == graphs.Bottom || k.advance(c, next, high) < 0 {
			return grew, false
		}
	}
	return grew, true
}

// upAll is rule L2.
func (k *Checker) upAll(n *Node, c, high graphs.Cut) (grew, ok bool) {
	for i, quiet := 0, 0; quiet < len(n.Sub); i++ { // how many in a row had what they need
		g, ok := k.up(n.Sub[i%len(n.Sub)], c, high)
		if !ok {
			return grew, false
		}
		if quiet++; g {
			grew, quiet = true, 0
		}
	}
	return grew, true
}

// upAny is rule L3.
func (k *Checker) upAny(n *Node, c, high graphs.Cut) (grew, ok bool) {
	var meet graphs.Cut
	for _, s := range n.Sub {
		d := c.Clone()
		switch g, ok := k.up(s, d, high); {
		case ok && !g:
			return false, true
		case ok && meet == nil:
			meet = d
		case ok:
			meet = meet.Meet(d)
		}
	}
	grew = meet != nil && !meet.Equal(c)
	copy(c, meet)
	return grew, meet != nil
}

// upPath is rules L4 to L6.
func (k *Checker) upPath(n *Node, c, high graphs.Cut) (grew, ok bool) {
	for again := true; again; {
		again = false
		g, ok := k.up(n.Along, c, high)
		if grew = grew || g; !ok {
			return grew, false
		}
		d := c.Clone()
		_, reached := k.up(n.Goal, d, k.final)
		if !reached && (n.Op == syntax.OpER || n.Op == syntax.OpAR) {
			_, ok = k.up(n.Along, k.final.Clone(), k.final)
		}
		if !reached && (!ok || n.Op == syntax.OpEU || n.Op == syntax.OpAU) {
			return grew, false
		}
		for _, tie := range k.ties[n.ID] {
			k.exist(n.Not, forced, tie[:]...)
			if k.comp.Has(c, tie[0]) && k.comp.Has(c, tie[1]) {
				continue
			}
			both := k.tied(n, c, tie[0], tie[1])
			if !both && k.comp.Has(c, tie[1]) || both && reached && !k.comp.Has(d, tie[0]) && !k.comp.Has(d, tie[1]) {
				continue // it has it, or the run may end before them
			}
			ok = k.advance(c, tie[1], high) >= 0 && (!both || k.advance(c, tie[0], high) >= 0)
			if grew, again = true, true; !ok {
				return grew, false
			}
		}
	}
	return grew, true
}

// tied checks that each cut from c on that satisfies what n asks for along runs and has e has
// f, an event of another step. It reports whether one that has f has e, too; if not, n must be
// AG p, and e must not need f.
func (k *Checker) tied(n *Node, c graphs.Cut, e, f graphs.Event) (both bool) {
	implies := func(e, f graphs.Event) (ok, needs bool) {
		d := c.Clone()
		k.advance(d, e, k.final)
		needs = k.comp.Has(d, f)
		_, ok = k.up(n.Along, d, k.final)
		return needs || !ok || k.comp.Has(d, f), needs
	}
	ok, needs := implies(e, f)
	k.require(ok && !k.comp.SameStep(e, f), n.Not, forced, "event %d can happen without %d", e, f)
	if !needs && n.Op == syntax.OpAR && n.Goal == k.falsehood {
		return false
	}
	ok, _ = implies(f, e)
	k.require(ok, n.Not, forced, "event %d can happen without %d", f, e)
	return true
}
