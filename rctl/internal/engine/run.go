package engine

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Run shows that Formula, with an E operator at its root, holds at the initial cut. It leads to
// Cut or, if Whole is set, to the final cut.
type Run struct {
	Formula      *syntax.Formula
	Cut          graphs.Cut
	Whole        bool
	MaybeShorter bool           // whether a shorter run may exist
	Events       []graphs.Event // the events in the order of the run; nil if Within is set
	// any run of this computation from the initial cut to Cut will do
	Within *graphs.Computation
	// the run within must first execute what Via[0] needs, then what Via[1] needs, …
	Via []graphs.Event
}

// In returns the events of the run in c. The time complexity of In is
// O(|V|+|edges|).
func (r *Run) In(c *graphs.Computation) []graphs.Event {
	switch {
	case r.Within != nil && r.Via != nil:
		r.Events, r.Within = Through(r.Within, r.Via, r.Cut), nil
	case r.Within != nil:
		r.Events, r.Within = r.Within.Topological(c.Initial(), r.Cut), nil
	}
	return r.Events
}

// Through returns a run from the initial cut of c to the cut to. First come the events that via[0]
// needs, then the further events that via[1] needs, and so on. The time complexity of Through is
// O(|V|+|edges|).
func Through(c *graphs.Computation, via []graphs.Event, to graphs.Cut) []graphs.Event {
	turn := make([]int32, c.Top()+1) // by event: the first of via that needs it
	size := make([]int32, len(via)+2)
	cut := c.Initial().Clone()
	take := func(k int, pieces []graphs.Piece) {
		for _, piece := range pieces {
			for e := piece.First; e <= piece.Last; e++ {
				turn[e] = int32(k)
				size[k+1]++
			}
		}
	}
	var pieces []graphs.Piece
	for k, e := range via {
		pieces = c.Extend(cut, e, pieces[:0])
		take(k, pieces)
	}
	for p := range cut {
		take(len(via),
			[]graphs.Piece{{First: c.Event(p, int(cut[p])+1), Last: c.Event(p, int(to[p]))}})
	}
	for k := range len(via) + 1 {
		size[k+1] += size[k]
	}
	run := make([]graphs.Event, size[len(via)+1])
	for _, e := range c.Order() {
		if !c.Has(c.Initial(), e) && c.Has(to, e) {
			run[size[turn[e]]] = e
			size[turn[e]]++
		}
	}
	return run
}

// Shown is the answer that f holds, by a run to a cut.
func (p *Problem) Shown(f *syntax.Formula, cut graphs.Cut) Answer {
	return Answer{Verdict: Holds, Runs: []*Run{{Formula: f, Cut: cut, Within: p.Comp}}}
}

// Shorter reports whether the runs of a are better than those of b: a has runs and b has none, or
// those of a lead to smaller cuts.
func (p *Problem) Shorter(a, b Answer) bool {
	switch {
	case len(a.Runs) == 0:
		return false
	case len(b.Runs) == 0:
		return true
	}
	length := func(runs []*Run) int {
		n := 0
		for _, r := range runs {
			n += p.Weigh(r.Cut)
		}
		return n
	}
	return length(a.Runs) < length(b.Runs)
}

// Roots returns the formulas that an engine has to evaluate: f, and its negation if it may
// have to be shown.
func (p *Problem) Roots(f *syntax.Formula) []*syntax.Formula {
	if p.Evidence {
		return []*syntax.Formula{f, p.Negation(f)}
	}
	return []*syntax.Formula{f}
}

// Decided is the answer for a formula with these evaluated Roots. holds reports whether a
// subformula holds at the initial cut. run finds a run that shows a formula with an E operator at
// its root, or returns nil if no single run can.
func (p *Problem) Decided(roots []*syntax.Formula, holds func(*syntax.Formula) bool, run func(*syntax.Formula) *Run) Answer {
	a := Answer{Verdict: VerdictOf(holds(roots[0]))}
	if p.Evidence {
		root := roots[0]
		if a.Verdict == Fails {
			root = roots[1]
		}
		a.Runs = p.runs(root, holds, run)
	}
	return a
}

// runs returns runs that together show why f holds at the initial cut, as far as runs can show it.
func (p *Problem) runs(f *syntax.Formula, holds func(*syntax.Formula) bool, run func(*syntax.Formula) *Run) []*Run {
	switch {
	case syntax.IsPropositional(f):
		return nil
	case f.Op == syntax.OpAnd:
		var all []*Run
		for _, sub := range f.Sub {
			all = append(all, p.runs(sub, holds, run)...)
		}
		return all
	case f.Op == syntax.OpOr:
		var best Answer
		for _, sub := range f.Sub {
			if !holds(sub) {
				continue
			}
			if a := (Answer{Runs: p.runs(sub, holds, run)}); p.Shorter(a, best) {
				best = a
			}
		}
		return best.Runs
	}
	if r := run(f); r != nil {
		return []*Run{r}
	}
	return nil
}
