package certificate

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

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
		reads := n.reads
		switch {
		case n.one:
		case n.steady && len(n.helps) <= 1:
			reads = slices.DeleteFunc(slices.Clone(reads), func(s *source) bool { return !slices.Contains(n.helps, s.chain) })
		default: // it may become true, unless nothing that it reads changes up to high
			may := slices.ContainsFunc(reads, func(s *source) bool { return k.count(s, c) != k.count(s, high) })
			return grew, may
		}
		e := k.next(reads, c)
		if grew = true; e == graphs.Bottom || !k.advance(c, e, high) {
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
		if !k.ever(s, c) {
			continue
		}
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

// ever is false only if n, of one process, is false at all cuts from c on: it is up without
// what events need.
func (k *Checker) ever(n *Node, c graphs.Cut) bool {
	p, ok := n.process()
	if !ok {
		return true
	}
	defer func(was int32) { c[p] = was }(c[p])
	for !n.Truth(c) {
		e := k.next(n.reads, c)
		if e == graphs.Bottom {
			return false
		}
		c[p] = int32(k.comp.Position(e))
	}
	return true
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
			var forced []graphs.Event
			if len(tie) == 4 {
				forced = k.tied(n, c, tie)
				if reached && !slices.ContainsFunc(forced, func(e graphs.Event) bool { return k.has(d, e) }) {
					continue
				}
			} else if forced, ok = k.beyond(n, c, tie); !ok {
				return grew, false
			}
			for _, e := range forced {
				if k.has(c, e) {
					continue
				}
				if grew, again = true, true; !k.advance(c, e, high) {
					return grew, false
				}
			}
		}
	}
	return grew, true
}

// tied returns two events of different steps, if each cut from c on that satisfies what n
// asks for along runs has both of them or none.
func (k *Checker) tied(n *Node, c graphs.Cut, tie []int32) []graphs.Event {
	p := &Proof{Rule: "region"}
	u, v := k.event(tie[:2], n, p), k.event(tie[2:], n, p)
	k.require(!k.comp.SameStep(u, v), n, p, "%s and %s are one step", k.comp.ID(u), k.comp.ID(v))
	if k.has(c, u) && k.has(c, v) {
		return nil
	}
	for _, e := range [2][2]graphs.Event{{u, v}, {v, u}} {
		d := c.Clone()
		k.advance(d, e[0], k.final)
		_, ok := k.up(n.Along, d, k.final)
		k.require(!ok || k.has(d, e[1]), n, p, "%s can happen without %s", k.comp.ID(e[0]), k.comp.ID(e[1]))
	}
	k.say("%s and %s would have to happen at once, if %s along the run.", u, v, n.Along)
	return []graphs.Event{u, v}
}

// beyond returns events that a cut from c on has if it satisfies n, AG p, because it
// satisfies p when an event and all that it needs is added. It is not ok if there is no
// such cut.
func (k *Checker) beyond(n *Node, c graphs.Cut, at []int32) (forced []graphs.Event, ok bool) {
	p := &Proof{Rule: "region"}
	k.require(n.Op == syntax.OpAR && n.Goal == k.falsehood, n, p, "one event alone says nothing of it")
	d := c.Clone()
	k.advance(d, k.event(at, n, p), k.final)
	e := d.Clone()
	_, ok = k.up(n.Along, e, k.final)
	for q := range e {
		if ok && e[q] > d[q] {
			forced = append(forced, k.comp.Event(q, int(e[q])))
		}
	}
	return forced, ok
}
