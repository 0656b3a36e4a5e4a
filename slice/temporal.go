package slice

import "github.com/pota-project/pota/graphs"

// EF returns the slice for EF p, s being the slice of p: the cuts within the greatest
// cut W of s. (Sen and Garg, algorithm A1: edges ⊤→v for each v outside W.) It is lean
// if s is.
//
// The time complexity of EF is O(|V|+|edges|).
func EF(s *Slice) *Slice {
	if s.Empty() {
		return None(s.comp)
	}
	return bounded(s.comp, s.comp.Initial(), s.Greatest(), s.lean)
}

// AG returns the slice for AG p, s being the slice of p: the cuts of s that have u for
// every edge u→v of s that the computation does not imply. (Sen and Garg, algorithm A2:
// edges u→⊥ in addition to those of s.) It is lean if s is.
//
// The time complexity of AG is O(|V|+|edges|), and as much again for each process where an
// edge between chains begins; transit bounds and Difference have such edges.
func AG(s *Slice) *Slice {
	if s.none || !s.comp.Final().Within(s.ceiling()) {
		return None(s.comp)
	}
	low := s.floor()
	for e := range s.unimplied() {
		force(s.comp, low, e.From)
	}
	for _, d := range s.needs {
		low = low.Join(d.require)
	}
	for _, a := range s.ahead {
		for _, u := range a.events {
			force(s.comp, low, u)
		}
	}
	return s.narrowed(low, s.ceiling())
}

// EG returns the slice for EG p, s being the slice of p: the cuts of s that have every
// event of a strongly connected component of s that is larger than one step of the
// computation. (Sen and Garg, algorithm A3: edges u→⊥ in addition to those of s.) It is
// lean if s is.
//
// The time complexity of EG is O(|V|+|edges|).
func EG(s *Slice) *Slice {
	if !s.reachesFinal() {
		return None(s.comp)
	}
	return s.narrowed(s.withComponents().Join(s.floor()), s.ceiling())
}

// EU returns the slice for E[p U p && q], p and q being the slices of the two.
// Its cuts are the cuts of p within the greatest cut W of p && q that have u
// with every v that u reaches in the slice of p && q, for each u of a component
// of p larger than one step. The slice is lean if p and q are. (It exists by
// Theorem 3 of Kashyap and Garg.)
//
// The time complexity of EU is O(|V|+|edges|).
func EU(p, q *Slice) *Slice {
	both := And(p, q)
	if both.Empty() {
		return None(p.comp)
	}
	return p.until(both, p.ceiling().Meet(both.Greatest()))
}

// ER returns the slice for E[q R p], q and p being the slices of the two: as EU,
// but if p holds at the final cut, a cut with every event of the components of p
// larger than one step may go beyond W. The slice is lean if p and q are.
//
// The time complexity of ER is O(|V|+|edges|).
func ER(q, p *Slice) *Slice {
	both := And(p, q)
	switch {
	case both.Empty():
		return EG(p)
	case !p.reachesFinal():
		return EU(p, q)
	}
	s := p.until(both, p.ceiling())
	if w := both.Greatest(); !p.comp.Final().Within(w) {
		s.needs = append(s.needs[:len(s.needs):len(s.needs)], need{above: w, require: p.withComponents()})
	}
	return s
}

// until returns p with the lookahead along both that E[p U p && q] needs, and no cuts
// beyond high.
func (p *Slice) until(both *Slice, high graphs.Cut) *Slice {
	events := p.componentEvents(both.Greatest())
	low := p.floor()
	for _, u := range events {
		if p.comp.Has(both.Least(), u) {
			force(p.comp, low, u)
		}
	}
	s := p.narrowed(low, high)
	s.lean = p.lean && both.lean
	if len(events) > 0 {
		s.ahead = append(s.ahead[:len(s.ahead):len(s.ahead)], &lookahead{both, events})
	}
	return s
}

// narrowed returns s with other bounds.
func (s *Slice) narrowed(low, high graphs.Cut) *Slice { return s.in(s.comp, low, high) }

// From returns the cuts of s that are cuts of c, the computation of s from a later cut on. It is the
// slice on c for the formula of s, because the truth of a formula at a cut depends only on the cut
// and on later ones.
//
// The time complexity of From is O(n).
func (s *Slice) From(c *graphs.Computation) *Slice {
	if s.none {
		return None(c)
	}
	return s.in(c, s.floor().Join(c.Initial()), s.ceiling())
}

// in returns s with other bounds on a computation with the same events.
func (s *Slice) in(c *graphs.Computation, low, high graphs.Cut) *Slice {
	t := bounded(c, low, high, s.lean)
	t.edges = s.edges
	t.needs, t.ahead = s.needs, s.ahead
	return t
}

// reachesFinal reports whether the final cut of the computation is in s.
func (s *Slice) reachesFinal() bool {
	return !s.Empty() && s.comp.Final().Within(s.Greatest())
}
