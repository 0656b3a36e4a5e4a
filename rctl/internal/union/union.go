package rctl

import (
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// mostMembers bounds the slices of a union.
const mostMembers = 1 << 8

// union returns lean slices whose union are the cuts that satisfy f, which is in
// negation normal form. Unions are closed under || and &&, under EF and E[p U ·],
// which distribute over ||, and under complement, because what is not in a slice
// is the union, over its added edges u→v, of the cuts with v and without u. (Ogale
// and Garg, Detecting temporal logic predicates on distributed computations, DISC
// 2007.) It is not ok where there would be too many members or f has an operator
// under which unions are not closed.
//
// The number of members is polynomial in the trace for a given formula, exponential
// in the formula.
func (k *checker) union(f *syntax.Formula) (members []*slice.Slice, ok bool) {
	if k.ctx.Err() != nil || k.err != nil {
		return nil, false
	}
	if s := k.regular(f); s != nil {
		return []*slice.Slice{s}, true
	}
	switch f.Op {
	case syntax.OpOr:
		for _, sub := range f.Sub {
			ms, ok := k.union(sub)
			if !ok {
				return nil, false
			}
			if members = prune(append(members, ms...)); len(members) > mostMembers {
				return nil, false
			}
		}
		return members, true
	case syntax.OpAnd:
		for i, sub := range f.Sub {
			ms, ok := k.union(sub)
			if ok && i > 0 {
				ms, ok = k.intersect(members, ms)
			}
			if !ok {
				return nil, false
			}
			members = ms
		}
		return members, true
	case syntax.OpEF:
		return k.each(f.Sub[0], slice.EF)
	case syntax.OpEU:
		if s := k.regular(f.Sub[0]); s != nil && includes(f.Sub[1], f.Sub[0]) {
			return k.each(f.Sub[1], func(q *slice.Slice) *slice.Slice { return slice.EU(s, q) })
		}
		return nil, false
	case syntax.OpER:
		if s := k.regular(f.Sub[1]); s != nil {
			ms, ok := k.each(f.Sub[0], func(q *slice.Slice) *slice.Slice { return slice.ER(q, s) })
			return prune(append(ms, slice.EG(s))), ok // EG p where q has no member
		}
		return nil, false
	case syntax.OpAF:
		if k.someChain(f.Sub[0]) != nil {
			return k.each(f.Sub[0], slice.EF)
		}
	case syntax.OpEX, syntax.OpAX, syntax.OpEG, syntax.OpEW, syntax.OpAtom, syntax.OpNot:
		return nil, false
	}
	ms, ok := k.union(k.negation(f))
	if !ok {
		return nil, false
	}
	return k.complement(ms)
}

// each applies an operator that distributes over || to the members for f.
func (k *checker) each(f *syntax.Formula, op func(*slice.Slice) *slice.Slice) ([]*slice.Slice, bool) {
	ms, ok := k.union(f)
	if !ok {
		return nil, false
	}
	members := make([]*slice.Slice, len(ms))
	for i, m := range ms {
		if k.ctx.Err() != nil {
			return nil, false
		}
		members[i] = op(m)
	}
	return prune(members), true
}

func (k *checker) intersect(as, bs []*slice.Slice) ([]*slice.Slice, bool) {
	var members []*slice.Slice
	for _, a := range as {
		for _, b := range bs {
			members = append(members, slice.And(a, b))
		}
		if members = prune(members); len(members) > mostMembers || k.ctx.Err() != nil {
			return nil, false
		}
	}
	return members, true
}

func (k *checker) complement(ms []*slice.Slice) ([]*slice.Slice, bool) {
	rest := []*slice.Slice{slice.All(k.comp)}
	for _, m := range ms {
		pieces, ok := m.Complement(mostMembers)
		if !ok {
			return nil, false
		}
		if rest, ok = k.intersect(rest, pieces); !ok {
			return nil, false
		}
	}
	return rest, true
}

// prune leaves out empty members and those that are obviously within others.
func prune(ms []*slice.Slice) []*slice.Slice {
	var kept []*slice.Slice
next:
	for _, m := range ms {
		if m.Empty() {
			continue
		}
		for _, other := range kept {
			if m.Within(other) {
				continue next
			}
		}
		left := kept[:0]
		for _, other := range kept {
			if !other.Within(m) {
				left = append(left, other)
			}
		}
		kept = append(left, m)
	}
	return kept
}
