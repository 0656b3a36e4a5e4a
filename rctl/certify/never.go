package certify

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/certificate"
	"github.com/pota-project/pota/rctl/internal/flow"
	"github.com/pota-project/pota/rctl/syntax"
)

// never shows a formula with an A operator by what its negation asks for in the end.
func (m *maker) never(n *certificate.Node, c graphs.Cut) (*certificate.Proof, bool) {
	if n.Not.Op != syntax.OpEU && n.Not.Op != syntax.OpAU {
		return nil, false
	}
	show := func(p *certificate.Proof) (*certificate.Proof, bool) {
		p = &certificate.Proof{Rule: "never", Of: parts(p)}
		return p, m.check(n, c, p)
	}
	goal := n.Not.Goal
	if goal.Op == syntax.OpOr {
		p := &certificate.Proof{Rule: "each", Of: make([]*certificate.Proof, len(goal.Sub))}
		for i, s := range goal.Sub {
			p.Of[i] = m.impossible(s, c)
		}
		return show(p)
	}
	return show(m.impossible(goal, c))
}

// impossible returns what may show that no cut from c on satisfies n, nil for nothing.
func (m *maker) impossible(n *certificate.Node, c graphs.Cut) *certificate.Proof {
	if m.checker.Never(n, c, m.comp.Final(), nil) == nil {
		return nil
	}
	for _, by := range []func(*certificate.Node, graphs.Cut) *certificate.Proof{m.order, m.flow, m.boxes} {
		if p := by(n, c); p != nil && m.checker.Never(n, c, m.comp.Final(), p) == nil {
			return p
		}
	}
	return nil
}

// mostBoxes bounds the boxes into which boxes splits what is between two cuts.
const mostBoxes = 1000

// boxes shows that no cut from c on satisfies n, without temporal operators, by cases: an
// event has happened or has not. It is the one in the middle of those that can change n of
// the process with the most.
func (m *maker) boxes(n *certificate.Node, c graphs.Cut) *certificate.Proof {
	if n.Truth == nil {
		return nil
	}
	f, err := atoms.Compile(m.comp, m.formula(n))
	if err != nil {
		return nil
	}
	visible := make([][]int32, m.comp.NumProcesses())
	for _, s := range f.Slots {
		for _, e := range s.Changes() {
			p := m.comp.Process(e)
			visible[p] = append(visible[p], int32(m.comp.Position(e)))
		}
	}
	for p := range visible {
		slices.Sort(visible[p])
		visible[p] = slices.Compact(visible[p])
	}
	left := mostBoxes
	p, _ := m.split(n, c, m.comp.Final(), visible, &left)
	return p
}

func (m *maker) split(n *certificate.Node, low, high graphs.Cut, visible [][]int32, left *int) (*certificate.Proof, bool) {
	if m.checker.Never(n, low, high, nil) == nil {
		return nil, true
	}
	if *left--; *left < 0 || m.ctx.Err() != nil {
		return nil, false
	}
	var widest []int32
	process := 0
	for p, v := range visible {
		from, _ := slices.BinarySearch(v, low[p]+1)
		to, _ := slices.BinarySearch(v, high[p]+1)
		if to-from > len(widest) {
			widest, process = v[from:to], p
		}
	}
	if len(widest) == 0 {
		return nil, false
	}
	at := widest[len(widest)/2]
	without := high.Clone()
	without[process] = at - 1
	var cases [2]*certificate.Proof
	ok := true
	if with, _ := m.comp.Above(low, m.comp.Event(process, int(at))); with.Within(high) {
		cases[0], ok = m.split(n, with, high, visible, left)
	}
	if ok && low.Within(without) {
		cases[1], ok = m.split(n, low, without, visible, left)
	}
	return &certificate.Proof{Rule: "split", At: [][]int32{{int32(process), at}}, Of: parts(cases[:]...)}, ok
}

// flow shows by a maximum flow that a sum is not so great as n says, or not so small; nil
// where n bounds no sum.
func (m *maker) flow(n *certificate.Node, c graphs.Cut) *certificate.Proof {
	p := &certificate.Proof{Rule: "flow"}
	if n.Op == syntax.OpAnd {
		for i, s := range n.Sub {
			if q := m.flow(s, c); q != nil {
				q.Which = i
				return q
			}
		}
		return nil
	}
	e, is := n.Literal()
	if n.Op != syntax.OpAtom || e.Op != syntax.ExprCompare || len(e.Args) != 2 || e.Rel[0].Relates(-1) == e.Rel[0].Relates(1) {
		return nil
	}
	sign := int64(1)
	if e.Rel[0].Relates(-1) == is {
		sign = -1
	}
	all, ok, err := flow.Transfers(m.ctx, m.comp.From(c), e, sign)
	if !ok || err != nil {
		return nil
	}
	for _, t := range all {
		p.Flow = append(p.Flow, []int64{
			int64(m.comp.Process(t.From)), int64(m.comp.Position(t.From)), int64(m.comp.Process(t.To)), int64(m.comp.Position(t.To)), t.Amount,
		})
	}
	return p
}

// order lists the intervals in which the formulas that n counts hold, in an order in which
// they begin; nil where n does not count formulas of one process each.
func (m *maker) order(n *certificate.Node, c graphs.Cut) *certificate.Proof {
	e, _ := n.Literal()
	if n.Op != syntax.OpAtom || len(e.Args) != 2 {
		return nil
	}
	count, number := e.Args[0], e.Args[1]
	if count.Op != syntax.ExprCount {
		count, number = number, count
	}
	if count.Op != syntax.ExprCount || number.Op != syntax.ExprNumber || number.Int < 1 || number.Int > 2 {
		return nil
	}
	begins := make([]bool, m.comp.Top()+1)
	p := &certificate.Proof{Rule: "order"}
	for _, f := range count.Sub {
		owner, _, ok := syntax.ChainOf(f)
		if !ok || owner < 0 {
			return nil
		}
		all := m.intervals(f, c)
		if len(all) > 0 && all[0] == graphs.Bottom {
			p.At = append(p.At, []int32{int32(owner)})
			all = all[1:]
		}
		for _, e := range all {
			begins[e] = true
		}
	}
	for _, e := range m.comp.Order() {
		if begins[e] {
			p.At = append(p.At, []int32{int32(m.comp.Process(e))})
		}
	}
	return p
}

// intervals returns the events after c at which a formula of one process begins to hold, ⊥
// first if it holds at c.
func (m *maker) intervals(f *syntax.Formula, c graphs.Cut) (begins []graphs.Event) {
	t, err := atoms.Compile(m.comp, f)
	if err != nil {
		return nil
	}
	holds := false
	for e, is := range t.Steps() {
		switch {
		case e == graphs.Bottom || m.comp.Has(c, e):
			begins = begins[:0]
			if is {
				begins = append(begins, graphs.Bottom)
			}
		case is && !holds && m.comp.Has(m.comp.Final(), e):
			begins = append(begins, e)
		}
		holds = is
	}
	return begins
}

// overlap shows AF of a conjunction of formulas of one process each by an interval of each,
// none of which ends before all have begun: the first that are not seen to be of no use.
func (m *maker) overlap(n *certificate.Node, c graphs.Cut) (*certificate.Proof, bool) {
	if n.Op != syntax.OpAU || n.Sub[0] != n.Along || n.Goal.Op != syntax.OpAnd || n.Goal.Truth == nil {
		return nil, false
	}
	parts := n.Goal.Sub
	begins, ends := make([][]graphs.Event, len(parts)), make([][]graphs.Event, len(parts))
	for i, s := range parts {
		f := m.formula(s)
		if owner, _, ok := syntax.ChainOf(f); !ok || owner < 0 {
			return nil, false
		}
		begins[i] = m.intervals(f, c)
		ends[i] = m.intervals(m.formula(s.Not), c)
		if len(begins[i]) == 0 {
			return nil, false
		}
		if begins[i][0] != graphs.Bottom && len(ends[i]) > 0 {
			ends[i] = ends[i][1:] // of what held before the first
		}
	}
	at := make([]int, len(parts))
	for again := true; again; {
		again = false
		need := c.Clone()
		for i := range parts {
			if e := begins[i][at[i]]; e != graphs.Bottom {
				m.comp.Advance(need, e)
			}
		}
		for i := range parts {
			if at[i] >= len(ends[i]) {
				continue // it holds to the last
			}
			end := ends[i][at[i]]
			past, _ := m.comp.Above(c, end)
			same := false
			for j := range parts {
				e := begins[j][at[j]]
				same = same || e != graphs.Bottom && m.comp.SameStep(e, end)
			}
			if need.Within(past) && !same {
				continue
			}
			if at[i]++; at[i] == len(begins[i]) {
				return nil, false
			}
			again = true
		}
	}
	p := &certificate.Proof{Rule: "overlap"}
	for _, i := range at {
		p.At = append(p.At, []int32{int32(i)})
	}
	return p, m.check(n, c, p)
}
