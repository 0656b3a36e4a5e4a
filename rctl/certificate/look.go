package certificate

import (
	"encoding/binary"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// Bounds of what the checker looks at by itself.
const (
	mostBytes = 1 << 28 // to remember formulas at cuts
	deepest   = 1 << 16 // cuts on the way to one
)

// look is rule 9.
func (k *Checker) look(n *Node, c graphs.Cut, p *Proof) {
	known, bytes, depth := make(map[string]bool), 0, 0
	var holds func(n *Node, c graphs.Cut) bool
	next := func(n *Node, c graphs.Cut, want bool) bool { // at some next cut n is as wanted
		for q, i := range c {
			if i == k.final[q] {
				continue
			}
			d, e := c.Clone(), k.comp.Event(q, int(i)+1)
			if k.advance(d, e, k.final) == len(k.comp.Step(e)) && holds(n, d) == want {
				return true
			}
		}
		return false
	}
	holds = func(n *Node, c graphs.Cut) (is bool) {
		if n.Truth != nil {
			return n.Truth(c)
		} else if n.Op == syntax.OpAnd || n.Op == syntax.OpAX || n.Op == syntax.OpAR || n.Op == syntax.OpER {
			return !holds(n.Not, c)
		}
		key := binary.AppendUvarint(nil, uint64(n.ID))
		for _, i := range c {
			key = binary.AppendUvarint(key, uint64(i))
		}
		if is, ok := known[string(key)]; ok {
			return is
		}
		bytes, depth = bytes+len(key)+64, depth+1
		k.require(bytes < mostBytes && depth < deepest, n, p, "there is more to look at than the checker does")
		switch n.Op {
		case syntax.OpOr:
			is = slices.ContainsFunc(n.Sub, func(s *Node) bool { return holds(s, c) })
		case syntax.OpEX:
			is = next(n.Sub[0], c, true)
		case syntax.OpEU:
			is = holds(n.Sub[1], c) || holds(n.Sub[0], c) && next(n, c, true)
		case syntax.OpAU:
			is = holds(n.Sub[1], c) || holds(n.Sub[0], c) && !c.Equal(k.final) && !next(n, c, false)
		}
		depth--
		known[string(key)] = is
		return is
	}
	k.require(holds(n, c), n, p, "it fails at %v", c)
}
