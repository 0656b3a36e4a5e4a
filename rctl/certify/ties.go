package certify

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// forced shows by forced events that no cut from c on satisfies n, a formula about runs. It is nil
// if shows accepts no such proof.
func (m *maker) forced(n *node, c graphs.Cut, shows func(*proof) bool) *proof {
	t := ties{}
	for i := range t {
		t[i] = make(map[int][][2]graphs.Event)
	}
	path(n, make(map[int]bool), func(n *node) { m.ties(n, c, t) })
	p := &proof{Rule: "forced"}
	// The smallest set that the checker accepts is the best certificate; all of them are the last
	// attempt.
	for _, p.Ties = range t {
		if len(p.Ties) > 0 && shows(p) {
			return p
		}
	}
	return nil
}

// ties are pairs of events that would have to happen at once if a formula held along a run, by the
// ID of the formula. The first map has the first pair of each process, the second the last pair, and
// the third has all pairs.
type ties [3]map[int][][2]graphs.Event

// add adds the ties of n on one process, in the order of the process.
func (t ties) add(n *node, all ...[2]graphs.Event) {
	for i, some := range [...][][2]graphs.Event{all[:1], all[len(all)-1:], all} {
		t[i][n.ID] = append(t[i][n.ID], some...)
	}
}

// ties finds the ties of n, a formula about runs.
func (m *maker) ties(n *node, c graphs.Cut, t ties) {
	if n.Along.Formula.Op == syntax.OpTrue { // forces nothing
		return
	}
	// This is an estimate of the cost of building a slice.
	m.spend(4)
	along, err := m.from(c).SliceOf(m.ctx, n.Along.Formula)
	if err != nil || along.Empty() {
		return
	}
	sliced := along.Computation()
	if n.Op == syntax.OpAW && n.Goal.Formula.Op == syntax.OpFalse { // AG
		for _, e := range sliced.Edges() {
			// Edges from or to ⊥ and ⊤, beyond the end, or within the past of c force nothing
			// after c.
			if m.comp.Process(e.From) < 0 || m.comp.Process(e.To) < 0 || !m.comp.Has(m.comp.Final(), e.To) || m.comp.Has(c, e.To) {
				continue
			}
			// The edge is new if the computation itself does not order the two events.
			if past, ok := m.comp.Above(c, e.To); ok && !m.comp.Has(past, e.From) {
				t.add(n, [2]graphs.Event{e.To, e.From})
			}
		}
		return
	}

	for p := range m.comp.NumProcesses() {
		var own [][2]graphs.Event
		for k := int(c[p]) + 1; k <= int(m.comp.Final()[p]); k++ {
			e := m.comp.Event(p, k)
			// The slice has merged the step of e with another one: in a run along which the
			// formula holds, both would happen at once.
			if step := sliced.Step(e); len(step) > len(m.comp.Step(e)) {
				// Any event of the larger step that is not of the step of e makes the
				// contradiction visible.
				i := slices.IndexFunc(step, func(f graphs.Event) bool { return !m.comp.SameStep(e, f) })
				own = append(own, [2]graphs.Event{e, step[i]})
			}
		}
		if len(own) > 0 {
			t.add(n, own...)
		}
	}
}
