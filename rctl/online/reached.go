package online

import (
	"slices"
	"sort"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/syntax"
)

// EF(p && EG a) and EF(p && E[a U b]), with p a conjunction and a a disjunction of predicates of single
// processes, need the window and some of its cuts. Their negations include AG(p -> AF q), q a conjunction.
//
// All cuts that are not seen yet contain G. A run through a that starts at a cut with p and does
// not contain G there reaches a cut that contains G if it is long enough, and only its
// continuation from there matters. At each of its cuts some process i is in an interval J, a run
// of states with its predicate of a. If runs through a reach two cuts with i in J, one within the
// other, the lesser is enough: i stays in J on the way to the other. So these are enough:
//
//   - the least of all cuts with p and i in J;
//   - for a cut D with i in J and an interval J' of j that D has not left, the union of D with the event
//     that enters J' and its past, unless J is left in this union before. It is the least cut with both that
//     contains D, and any run that goes from J to J' through a cut that contains D also passes through a cut
//     that contains this union.
//
// Such a cut with i in J that does not contain G leads to its union with G if J is not left in
// G. If J is left in G, the run has continued in another interval. The cuts that contain G are
// found again in the remaining window.

// reached is a formula of this form.
type reached struct {
	inner *syntax.Formula // EG a or E[a U b]
	p, a  []single
}

// single is a predicate of a process.
type single struct {
	process int
	f       *syntax.Formula
}

// maxReached bounds the cuts that are examined.
const maxReached = 1 << 16

// newReached returns the passage of a part; nil if its formula is of another form.
func newReached(of *part) passage {
	p, inner := phase(of.f)
	if inner == nil || slices.ContainsFunc(inner.Sub, isTemporal) {
		return nil
	}
	x := &reached{inner: inner}
	var along *syntax.Formula
	switch inner.Op {
	case syntax.OpEG, syntax.OpEU, syntax.OpEW:
		along = inner.Sub[0]
	case syntax.OpER:
		along = inner.Sub[1]
	default:
		return nil
	}
	var ok, is bool
	x.p, ok = singles(syntax.Conjuncts(p), syntax.And)
	x.a, is = singles(syntax.Alternatives(along), syntax.Or)
	if !ok || !is {
		return nil
	}
	// Without constants, p may hold again, and each predicate of a may become true or false.
	of.stuck = hasConstant(of.f) || inner.Op != syntax.OpEG && inner.Op != syntax.OpEU
	return x.pass
}

// singles returns the predicates by process, and joins those of the same process. It returns ok = false if one is not
// of a single process.
func singles(all []*syntax.Formula, join func(...*syntax.Formula) *syntax.Formula) (list []single, ok bool) {
	for _, f := range all {
		process, _, ok := syntax.ChainOf(f)
		if !ok || process < 0 {
			return nil, false
		}
		i := slices.IndexFunc(list, func(l single) bool { return l.process == process })
		if i < 0 {
			list = append(list, single{process, f})
			continue
		}
		list[i].f = join(list[i].f, f)
	}

	return list, true
}

// span is a run of states of a process with its predicate.
type span struct {
	// ⊥ for the beginning, which all cuts have, and ⊤ for no end, which no cut has.
	entered, left graphs.Event
	// the cuts that are reached with the process in the span; none contains another
	cuts []cut
}

// cut is a reached cut.
type cut struct {
	graphs.Cut
	keep bool // whether it is not found again once the events of G are forgotten
}

// spansOf returns for each predicate the runs of states in a window that satisfy it, in their order.
func spansOf(w *stream.Window, predicates []single) (all [][]span) {
	for _, x := range predicates {
		p := must(atoms.Compile(w.Computation, x.f))
		var list []span
		for e, holds := range changes(w, p, seen{}, false) {
			if holds {
				list = append(list, span{entered: e, left: w.Computation.Top()})
			} else {
				list[len(list)-1].left = e
			}
		}
		all = append(all, list)
	}
	return all
}

// notLeft returns the first span that a cut has not left.
func notLeft(c *graphs.Computation, list []span, cut graphs.Cut) int {
	return sort.Search(len(list), func(i int) bool { return !c.Has(cut, list[i].left) })
}

// enter adds the events that enter a span to a cut.
func enter(c *graphs.Computation, cut graphs.Cut, s *span) (changed bool) {
	if changed = !c.Has(cut, s.entered); changed {
		c.Advance(cut, s.entered)
	}
	return changed
}

// pass finds the reached cuts that must be kept before the events of G are forgotten, and keeps their unions with G.
func (x *reached) pass(p *part, at *moment) {
	floor := at.floor()
	if floor == nil {
		return
	}
	w, _ := at.plain()
	r := &reaching{c: w.Computation, a: spansOf(w, x.a), p: spansOf(w, x.p)}
	for _, of := range p.left[1:] {
		d := contains(w, of.cut)
		for i, list := range r.a {
			if k := notLeft(r.c, list, d); k < len(list) && r.c.Has(d, list[k].entered) {
				r.reach(i, k, cut{d, true})
			}
		}
	}

	for i := range r.a {
		r.begin(i)
	}
	if !r.goOn() {
		p.pass = nil // there is too much to remember
		return
	}
	p.left = p.left[:1]
	g := contains(w, floor)
	for i, list := range r.a {
		for k := notLeft(r.c, list, g); k < len(list); k++ {
			for _, d := range r.a[i][k].cuts {
				if d.keep || !g.Within(d.Cut) {
					counts := w.Counts(d.Cut.Join(g))
					if !slices.ContainsFunc(p.left[1:], func(other rest) bool { return slices.Equal(other.cut, counts) }) {
						p.left = append(p.left, rest{x.inner, counts})
					}
				}
			}
		}
	}
}

// reaching finds the cuts that are reached in a computation.
type reaching struct {
	c      *graphs.Computation
	a, p   [][]span // by predicate
	queue  []found
	looked int
}

// found is a cut that is reached with the process of predicate i in span k.
type found struct {
	i, k int
	cut  cut
}

// reach records that a cut is reached with the process of predicate i in span k, unless a lesser one is known. It keeps
// a copy.
func (r *reaching) reach(i, k int, d cut) {
	r.looked++
	s := &r.a[i][k]
	if slices.ContainsFunc(s.cuts, func(e cut) bool { return e.Within(d.Cut) }) {
		return
	}
	d.Cut = d.Clone()
	s.cuts = append(slices.DeleteFunc(s.cuts, func(e cut) bool { return d.Within(e.Cut) }), d)
	r.queue = append(r.queue, found{i, k, d})
}

// begin finds the least cut with p for each span of a predicate.
func (r *reaching) begin(i int) {
	d := r.c.Initial().Clone()
	for k := range r.a[i] {
		s := &r.a[i][k]
		enter(r.c, d, s)
		for changed := true; changed; {
			changed = false
			for _, list := range r.p {
				n := notLeft(r.c, list, d)
				if n == len(list) {
					return
				}
				changed = enter(r.c, d, &list[n]) || changed
			}
		}
		if !r.c.Has(d, s.left) {
			r.reach(i, k, cut{d, false})
		}
	}
}

// goOn extends the reached cuts to the spans of other processes. It returns false if it would have to visit more than
// maxReached cuts.
func (r *reaching) goOn() bool {
	for n := 0; n < len(r.queue); n++ {
		x := r.queue[n]
		from := r.a[x.i][x.k]
		if !slices.ContainsFunc(from.cuts, func(e cut) bool { return &e.Cut[0] == &x.cut.Cut[0] }) {
			continue // a lesser cut has been found
		}
		for j, list := range r.a {
			d := x.cut.Clone()
			for k := notLeft(r.c, list, d); j != x.i && k < len(list); k++ {
				enter(r.c, d, &list[k])
				// The cut may leave J only if J' is entered in the same step.
				together, to := r.c.Has(d, from.left), list[k].entered
				if together && (to == graphs.Bottom || !r.c.SameStep(from.left, to)) {
					break
				}
				if r.reach(j, k, cut{d, together}); r.looked > maxReached {
					return false
				}
			}
		}
	}

	return true
}
