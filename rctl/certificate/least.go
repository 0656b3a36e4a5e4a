package certificate

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// forced is rule 1.
func (k *Checker) forced(n *Node, low, high graphs.Cut, p *Proof) {
	d := low.Clone()
	if k.ties = nil; p != nil {
		k.ties = p.Ties
	}
	_, ok := k.up(n, d, high)
	k.require(!ok, n.Not, nil, "its negation may hold at a cut from %v on", d)
}

// up adds events to c that every cut between c and high has that satisfies n. It is not ok
// only if there is no such cut; whether c grew counts only where it is.
func (k *Checker) up(n *Node, c, high graphs.Cut) (grew, ok bool) {
	k.work()
	switch {
	case n.Op == syntax.OpAtom, n.Truth != nil && n.one:
		return k.upAtom(n, c, high)
	case n.Op == syntax.OpAnd:
		return k.upAll(n, c, high)
	case n.Op == syntax.OpOr:
		return k.upAny(n, c, high)
	case n.Op == syntax.OpEX:
		_, ok = k.up(n.Sub[0], c.Clone(), k.final)
		return false, ok
	case n.Op == syntax.OpAX:
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
		for e, d := range k.along(n.helps, c) {
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
	for i, quiet := 0, 0; quiet < len(n.Sub); i, quiet = (i+1)%len(n.Sub), quiet+1 {
		g, ok := k.up(n.Sub[i], c, high)
		if !ok {
			return grew, false
		}
		if g {
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
		g, ok := k.up(s, d, high)
		switch {
		case ok && !g:
			return false, true
		case ok && meet == nil:
			meet = d
		case ok:
			meet = meet.Meet(d)
		}
	}
	if meet == nil {
		return false, false
	}
	grew = !meet.Equal(c)
	copy(c, meet)
	return grew, true
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
		if !reached && (n.Op == syntax.OpEU || n.Op == syntax.OpAU) {
			return grew, false
		}
		if _, ok := k.up(n.Along, k.final.Clone(), k.final); !reached && !ok {
			return grew, false
		}
		for _, tie := range k.ties[n.ID] {
			k.exists(tie[0], n.Not, nil)
			k.exists(tie[1], n.Not, nil)
			if k.comp.Has(c, tie[0]) && k.comp.Has(c, tie[1]) {
				continue
			}
			both := k.tied(n, c, tie)
			if both && reached && !k.comp.Has(d, tie[0]) && !k.comp.Has(d, tie[1]) {
				continue // what it leads to may be before them
			}
			for i, e := range tie {
				if k.comp.Has(c, e) || i == 0 && !both {
					continue
				}
				if grew, again = true, true; k.advance(c, e, high) < 0 {
					return grew, false
				}
			}
		}
	}
	return grew, true
}

// tied checks that each cut from c on that satisfies what n asks for along runs and has the
// first of two events of different steps has the other. It reports whether one that has the
// other has the first, too; if not, n must be AG p, and the first must not need the other.
func (k *Checker) tied(n *Node, c graphs.Cut, tie [2]graphs.Event) (both bool) {
	k.require(!k.comp.SameStep(tie[0], tie[1]), n.Not, nil, "%d and %d are one step", tie[0], tie[1])
	implies := func(e, f graphs.Event) (ok, needs bool) {
		d := c.Clone()
		k.advance(d, e, k.final)
		needs = k.comp.Has(d, f)
		_, ok = k.up(n.Along, d, k.final)
		return needs || !ok || k.comp.Has(d, f), needs
	}
	ok, needs := implies(tie[0], tie[1])
	if ok && !needs && n.Op == syntax.OpAR && n.Goal == k.falsehood {
		return false
	}
	also, _ := implies(tie[1], tie[0])
	k.require(ok && also, n.Not, nil, "one of %d and %d can happen without the other", tie[0], tie[1])
	return true
}
