// Package local decides formulas at a few cuts.
//
// # Definitions
//
// To decide a formula at a cut it is enough to know some of its subformulas at some of
// the cuts above. For E[p U q] these are the cuts of one run to a q, or all cuts that
// the p lead to. So truth is decided cut by cut, from the initial one on, and
// remembered for each pair of a subformula and a cut (local model checking: Stirling
// and Walker, Local model checking in the modal mu-calculus, TAPSOFT 1989; Vergauwen
// and Lewi, A linear local model checking algorithm for CTL, CONCUR 1993).
//
// A path formula asks for a run from a cut: along holds at all of its cuts before the
// last one, and at that goal holds or, where the formula can go on to the end (whole),
// it is the final cut and along holds.
//
//	         along   goal      whole
//	EF q     true    q
//	EG p     p       false     yes
//	E[p U q] p       q
//	E[p W q] p       q         yes
//	E[q R p] p       p && q    yes
//
// A formula with an A operator is the negation of such a one.
//
// # Search
//
// A path formula is decided by a search of the cuts that along leads to. Where there is
// a goal, the cut that seems nearest to it comes next. Otherwise the search goes as
// deep as possible, by cuts where along seems farthest from failing (measure.go). When
// nothing is left to visit, the formula fails at all visited cuts; when the search
// arrives, it holds at those of the run. Cuts known by then end other searches.
//
// Before a search, and at each cut on its way, a look may decide without a search: by
// the values there, by known verdicts on subformulas, and by the lean slices of regular
// subformulas.
//
// # Bound
//
// A search is given up after a number of cuts. Up to that the time complexity is
// O(cuts·|f|·(n+evaluation)), the space complexity O(cuts·(|f|+n)). Runs need not be
// the shortest.
package local

import (
	"fmt"

	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// fewCuts and maxCuts bound the cuts that searches go on from, where maxCuts allows for two runs.
// maxBytes bounds the memory.
const (
	fewCuts  = 2000
	maxCuts  = 100_000
	maxBytes = 1 << 29
)

// Prepare accepts every formula with an E operator at the root. The time complexity
// of Prepare is O(1).
func Prepare(p *engine.Problem, f *syntax.Formula) (*engine.Task, error) {
	if !syntax.IsExistential(f) {
		return nil, nil
	}
	return prepare(p, f, max(maxCuts, 2*p.Comp.NumEvents()))
}

// PrepareFew is Prepare for a look at few cuts, before other engines. It leaves EF of
// predicates to them.
func PrepareFew(p *engine.Problem, f *syntax.Formula) (*engine.Task, error) {
	if !syntax.IsExistential(f) || f.Op == syntax.OpEF && syntax.IsPropositional(f.Sub[0]) {
		return nil, nil
	}
	return prepare(p, f, fewCuts)
}

// prepare makes the task for a number of cuts.
func prepare(p *engine.Problem, f *syntax.Formula, most int) (*engine.Task, error) {
	return &engine.Task{
		How:     "search from cut to cut",
		Cost:    fmt.Sprintf("a visit to at most %d cuts", most),
		Partial: true,
		Decide: func() (engine.Answer, error) {
			x, err := newEvaluation(p, f, most)
			if err != nil {
				return engine.Answer{}, err
			}
			return x.answer(f)
		},
	}, nil
}

// answer decides f, the formula that the evaluation was made for.
func (x *evaluation) answer(f *syntax.Formula) (engine.Answer, error) {
	root := x.nodes[f]
	v := x.decide(root, 0)
	switch {
	case x.err != nil:
		return engine.Answer{}, x.err
	case v == engine.Unknown:
		return engine.Undecided(
			fmt.Sprintf("searching from cut to cut: more than %d cuts, or too much memory", x.most),
		), nil
	case v == engine.Holds && x.Evidence:
		return engine.Answer{Verdict: v, Runs: []*engine.Run{x.run(root, f)}}, nil
	}
	return engine.Answer{Verdict: v}, nil
}
