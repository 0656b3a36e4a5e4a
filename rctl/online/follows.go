package online

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/syntax"
)

// In addition to the window, AG(p -> EF q) needs one cut with p and one for each alternative of q, if p and
// the alternatives are conjunctions of predicates of single processes. The cuts with such a
// conjunction are closed under union, so there is a greatest one if there is any.
//
// Proposition. AG(p -> EF q) holds if and only if no cut has p, or the greatest cut M with p is
// contained in the greatest cut N with some alternative of q.
//
// Proof. A cut has EF of an alternative if and only if it is contained in a cut with it, and so in N.
// If M is contained in N, then so are all cuts with p, as M contains them, and all have EF q. If M is
// contained in no such N, then M has p, and not EF q. ∎
//
// Events of processes that p and q do not mention are irrelevant: the union of a cut with the past of a
// later one with q has the same events of the mentioned processes as the later one. So cuts are compared
// on the mentioned processes only.
//
// A cut that is not seen yet contains G, and if it has p, M contains it. So M is the greatest
// cut with p in the window or, if the window has none, the last one before it; likewise N.
// If N is from before the window and M contains G, then N does not contain M: otherwise N
// would be in the window.
//
// An open atom is true or false, whichever is worse for a verdict. In both cases p and the alternatives
// remain conjunctions of such predicates. So Holds is final if it follows for the greatest cut that may have
// p and the greatest cuts that are known to have q. Fails is final if it follows for the greatest cut that is
// known to have p and the greatest cuts that may have q.

// follows decides AG(p -> EF q).
type follows struct {
	formulas []*syntax.Formula // p, and the alternatives of q
	// How many events of each process the greatest cut with each formula has; nil if there is none.
	greatest  [][]int64
	processes []int // the processes that p and q mention
	constant  bool  // whether p or q has an atom without variables

	// The obligation of a cut with p that no q has followed so far, and the cut; nil if there is none.
	waiting []Obligation
	cut     []int64
}

// maxAlternatives bounds the number of alternatives that a formula is split into.
const maxAlternatives = 256

// newFollows returns the decider of f; nil if f is of another form.
func newFollows(f *syntax.Formula) decider {
	p, q := leads(f)
	if q == nil {
		return nil
	}
	alternatives, ok := regular.Disjuncts(q, maxAlternatives)
	if !ok {
		return nil
	}
	x := &follows{formulas: append([]*syntax.Formula{p}, alternatives...), constant: hasConstant(f)}
	for _, g := range x.formulas {
		for _, h := range syntax.Conjuncts(g) {
			process, _, ok := syntax.ChainOf(h)
			if !ok || process == syntax.Shared {
				return nil
			}
			if process != syntax.NoChain && !slices.Contains(x.processes, process) {
				x.processes = append(x.processes, process)
			}
		}
	}

	x.greatest = make([][]int64, len(x.formulas))
	return x
}

// bound is a greatest cut: one of the window or, if that is nil, one from before the window.
type bound struct {
	cut    graphs.Cut
	counts []int64 // the cut from before the window; nil if there is none
}

// greatest returns the greatest cut of a window with a conjunction, or else the last one before it.
func greatest(m *moment, w *stream.Window, f *syntax.Formula, last []int64) bound {
	k := regular.New(m.ctx, w.Computation, regular.NewMemo())
	s := k.Of(f)
	if must(s, k.Err()) == nil {
		return bound{}
	}
	return bound{s.Greatest(), last}
}

// within reports whether b contains all events of a on the processes of p and q.
func (x *follows) within(w *stream.Window, a, b bound) bool {
	if a.cut == nil && b.cut == nil {
		return b.counts != nil && !slices.ContainsFunc(x.processes, func(p int) bool { return of(a.counts, p) > of(b.counts, p) })
	}
	if b.cut == nil {
		return false
	}
	cut := a.cut
	if cut == nil {
		cut = contains(w, a.counts)
	}
	return !slices.ContainsFunc(x.processes, func(p int) bool { return cut[p] > b.cut[p] })
}

// of returns the count of a process; 0 if the process was not known then.
func of(counts []int64, process int) int64 {
	if process < len(counts) {
		return counts[process]
	}
	return 0
}

// holds decides AG(p -> EF q) on a window; p rewrites the open atoms of the premise, and q those of the alternatives.
func (x *follows) holds(m *moment, w *stream.Window, p, q func(*syntax.Formula) *syntax.Formula) bool {
	premise := greatest(m, w, p(x.formulas[0]), x.greatest[0])
	if premise.cut == nil && premise.counts == nil {
		return true
	}
	for i, f := range x.formulas[1:] {
		if x.within(w, premise, greatest(m, w, q(f), x.greatest[1+i])) {
			return true
		}
	}
	return false
}

func (x *follows) open() []Obligation { return x.waiting }

// settle implements decider.
func (x *follows) settle(m *moment) rctl.Verdict {
	if m.mark.Over == 0 && !x.constant {
		return rctl.Unknown
	}
	w, _ := m.get(&m.open, true)
	g := guard{w: w, done: make(map[*syntax.Formula]*syntax.Formula)}
	possible := func(f *syntax.Formula) *syntax.Formula {
		return syntax.NNF(syntax.Not(g.of(syntax.NNF(syntax.Not(f)))))
	}
	switch {
	case x.holds(m, w, possible, g.of):
		return rctl.Holds
	case !x.holds(m, w, g.of, possible):
		return rctl.Fails
	}
	return rctl.Unknown
}

// remember notes the greatest cuts at a moment, and since when a cut with p has been waiting for q.
func (x *follows) remember(m *moment) {
	w, _ := m.plain()
	var premise graphs.Cut
	for i, f := range x.formulas {
		cut := greatest(m, w, f, nil).cut
		if cut != nil {
			x.greatest[i] = w.Counts(cut)
		}
		if i == 0 {
			premise = cut
		}
	}
	if x.waiting != nil && x.answered(w, x.cut) {
		x.waiting = nil
	}
	if with := x.greatest[0]; x.waiting == nil && with != nil && !x.answered(w, with) {
		x.waiting = []Obligation{{Event: x.last(w, premise), Events: m.mark.Events, Since: m.now()}}
		x.cut = with
	}
}

// answered reports whether a remembered cut with q follows a given cut.
func (x *follows) answered(w *stream.Window, cut []int64) bool {
	return slices.ContainsFunc(x.greatest[1:], func(answer []int64) bool {
		return x.within(w, bound{counts: cut}, bound{counts: answer})
	})
}

// last returns the id of the last event in the window that a cut has on the processes of p and q; "" if there is none.
func (x *follows) last(w *stream.Window, cut graphs.Cut) (id string) {
	latest := int64(0)
	for _, p := range x.processes {
		if cut == nil || cut[p] == 0 {
			continue
		}
		if e := w.Computation.Event(p, int(cut[p])); w.Step(e) > latest {
			latest, id = w.Step(e), w.ID(e)
		}
	}
	return id
}
