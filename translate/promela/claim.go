package promela

import (
	"fmt"
	"strings"
)

// An arc leads from a state of the claim to another, or to acceptance, while the
// guard holds at the present cut.
type arc struct {
	guard []string
	to    *path // the property of the rest of the run; nil if any rest will do
}

// arcs returns the ways to meet a property of runs: what the present cut must satisfy, and what the
// run from the next cut on must.
func (g *path) arcs() []arc {
	switch g.op {
	case pathNow:
		return []arc{{[]string{g.prop.name}, nil}}
	case pathOr:
		var list []arc
		for _, h := range g.sub {
			list = append(list, h.arcs()...)
		}
		return list
	case pathAnd:
		list := g.sub[0].arcs()
		for i := range list {
			list[i].guard = append([]string{g.prop.name}, list[i].guard...)
		}
		return list
	}
	return append(g.sub[0].arcs(), arc{[]string{g.prop.name}, g})
}

// A claim is a Büchi automaton whose states are the operators U and W of a path. No way leads from a
// state back to an earlier one, so a run is accepted by an arc or stays in a state for ever. That is
// accepted for a W.
type claim struct {
	states []*path
	label  map[*path]string
	cycles bool // runs may be accepted because they stay in a state
}

// newClaim makes the automaton of a path: a state for each operator that a guard leads to.
func newClaim(g *path) *claim {
	k := &claim{states: []*path{g}, label: map[*path]string{g: "start"}}
	for i := 0; i < len(k.states); i++ {
		// A run may stay for ever in a W, so that SPIN has to look for cycles.
		if k.states[i].op == pathWeak {
			k.label[k.states[i]] = "accept_" + k.label[k.states[i]]
			k.cycles = true
		}
		for _, a := range k.states[i].arcs() {
			if a.to != nil && k.label[a.to] == "" && both(a.guard...) != no {
				k.label[a.to] = fmt.Sprintf("then_%d", len(k.states))
				k.states = append(k.states, a.to)
			}
		}
	}
	return k
}

// write writes the automaton as a never claim.
func (k *claim) write(b *strings.Builder) {
	b.WriteString("never {\n")
	for _, g := range k.states {
		fmt.Fprintf(b, "%s: /* %s */\n  do\n", k.label[g], g)
		taken := 0
		for _, a := range g.arcs() {
			guard := both(a.guard...)
			if guard == no {
				continue
			}
			taken++
			switch {
			case a.to == nil:
				fmt.Fprintf(b, "  :: atomic { %s -> assert(false) }\n", guard)
			case a.to == g:
				fmt.Fprintf(b, "  :: %s\n", guard)
			default:
				fmt.Fprintf(b, "  :: %s -> goto %s\n", guard, k.label[a.to])
			}
		}
		if taken == 0 {
			b.WriteString("  :: false\n")
		}
		b.WriteString("  od;\n")
	}
	b.WriteString("}\n")
}
