package rctl

import (
	"slices"
	"sort"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/effort"
	"github.com/pota-project/pota/rctl/internal/ends"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/syntax"
)

// late is the step that shows EF(p && q) for a stable q (AG r, say). It tries a few runs; in each
// another process goes first. As q is stable, bisection finds the first cut of a run where q holds,
// and EF p is decided from there.
//
// It returns ok = false for other formulas. A step that finds no run refutes nothing.
func (k *checker) late(f *syntax.Formula) (s step, ok bool) {
	if f.Op != syntax.OpEF || k.Comp.Cyclic() || k.exceeds(tryWork) {
		return step{}, false
	}
	var stable, others []*syntax.Formula
	for _, part := range syntax.Conjuncts(f.Sub[0]) {
		if ends.Stable(part) {
			stable = append(stable, part)
		} else {
			others = append(others, part)
		}
	}
	if len(stable) == 0 || len(others) == 0 {
		return step{}, false
	}
	ef := k.Normal(syntax.New(syntax.OpEF, f.Pos, syntax.And(others...)))
	for i, part := range stable {
		stable[i] = k.Normal(part)
	}
	return k.attempt("try from where a few runs come to what is stable", func() engine.Answer { return k.after(f, stable, ef) }, ef), true
}

// after takes the step that late describes.
func (k *checker) after(f *syntax.Formula, stable []*syntax.Formula, ef *syntax.Formula) engine.Answer {
	c := k.Comp
	firsts := [][]graphs.Event{nil}
	for p := range c.NumProcesses() {
		if last := c.Final()[p]; last > c.Initial()[p] {
			firsts = append(firsts, []graphs.Event{c.Event(p, int(last))})
		}
	}
	defer k.withEvidenceBudget(attemptSteps)()
	for _, first := range firsts {
		run := engine.Through(c, first, c.Final())
		from := func(steps int) *graphs.Computation {
			cut := c.Initial().Clone()
			for _, e := range run[:steps] {
				cut[c.Process(e)]++
			}
			return c.From(cut)
		}
		steps := sort.Search(len(run)+1, func(steps int) bool {
			if effort.Spend(k.Ctx, int64(len(run)/visits)) != nil {
				return true
			}
			later := newChecker(k.Ctx, from(steps), regular.NewMemo(), k.opts)
			later.cores, later.Evidence = nil, false
			return !slices.ContainsFunc(stable, func(q *syntax.Formula) bool { return later.decide(later.Normal(q)).Verdict != Holds })
		})
		if k.Ctx.Err() != nil || steps > len(run) {
			break
		}
		if a := k.within(from(steps), ef); len(a.Runs) > 0 {
			return k.anyRun(f, a.Runs[0].Cut, nil)
		}
	}
	return engine.Answer{}
}

// visits is how many visits to events count as one step of effort.
const visits = 32
