package local

import (
	"cmp"
	"slices"

	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// A place is a reached cut.
type place struct {
	cut  int32
	far  float64 // its estimated distance from the goal of the search
	when int     // how many places were added up to it
}

// Before orders places: the one that seems nearest comes first, among several the one reached last.
func (p place) Before(q place) bool {
	if p.far != q.far {
		return p.far < q.far
	}
	return p.when > q.when
}

// A frontier has the cuts that were reached but not visited: in the heap near if the search is for a
// goal, on the stack deep if it is for a run to the end, and in both if either will do.
type frontier struct {
	near dense.Heap[place]
	deep []place

	goal, whole bool

	// If a cut is in both, these take turns, and the cut is visited once.
	turn    int
	visited *marks

	when int // how many places were added
}

// Marks are a set of numbers of cuts that is emptied in no time: it has the cuts that were marked in
// the present round.
type marks struct {
	round int32
	last  []int32 // by cut: the round in which it was marked last
}

func (m *marks) clear() { m.round++ }

// add reports whether the cut is new.
func (m *marks) add(cut int32) bool {
	for int(cut) >= len(m.last) {
		m.last = append(m.last, none)
	}
	is := m.last[cut] == m.round
	m.last[cut] = m.round
	return !is
}

// Paths are marks with the cut from which each marked cut was reached.
type paths struct {
	marks
	from []int32 // by number of the reached cut
}

// add records the cut from which another was reached, if that is new, and reports whether it is.
func (p *paths) add(cut, from int32) bool {
	if !p.marks.add(cut) {
		return false
	}
	for int(cut) >= len(p.from) {
		p.from = append(p.from, none)
	}
	p.from[cut] = from
	return true
}

// add adds places. On the stack, the nearest comes to the top.
func (f *frontier) add(places []place) {
	for i := range places {
		f.when++
		places[i].when = f.when
		if f.goal {
			f.near.Push(places[i])
		}
	}
	if f.whole {
		slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(b.far, a.far) })
		f.deep = append(f.deep, places...)
	}
}

// next yields each cut once.
func (f *frontier) next() (cut int32, ok bool) {
	for f.near.Len()+len(f.deep) > 0 {
		f.turn++
		if len(f.deep) == 0 || f.turn%2 == 0 && f.near.Len() > 0 {
			cut = f.near.Pop().cut
		} else {
			cut = f.deep[len(f.deep)-1].cut
			f.deep = f.deep[:len(f.deep)-1]
		}
		if !(f.goal && f.whole) || f.visited.add(cut) {
			return cut, true
		}
	}
	return 0, false
}

// search decides a path formula at a cut by visiting the cuts that along leads to. It
// is Unknown only if a limit is reached.
func (x *evaluation) search(n *node, start int32) engine.Verdict {
	n.reached.clear()
	n.reached.add(start, start)
	n.visited.clear()
	open := &frontier{goal: n.goal != nil, whole: n.whole, visited: &n.visited}
	open.add([]place{{cut: start}})
	visited := []int32{start}
	var places []place
	for {
		cut, ok := open.next()
		if !ok {
			break
		}
		v := x.visit(n, cut)
		switch {
		case x.stopped():
			return engine.Unknown
		case v == engine.Holds:
			n.end = cut
			for ; cut != start; cut = n.reached.from[cut] {
				n.note(cut, v)
			}
			return n.note(start, v)
		case v == engine.Fails:
			continue
		}
		places = places[:0]
		for _, next := range x.successors(cut) {
			if n.reached.add(next, cut) && x.look(n, next) != engine.Fails {
				visited = append(visited, next)
				places = append(places, place{cut: next, far: n.measure.at(x.load(next))})
			}
		}
		open.add(places)
	}
	for _, cut := range visited {
		n.note(cut, engine.Fails)
	}
	return engine.Fails
}

// visit decides whether a run for a path formula ends at a cut (Holds), comes to an
// end without success (Fails) or goes on (Unknown).
func (x *evaluation) visit(n *node, cut int32) engine.Verdict {
	v := x.look(n, cut)
	if v != engine.Unknown {
		return v
	}
	if n.goal != nil && x.decide(n.goal, cut) == engine.Holds {
		return engine.Holds
	}
	if x.decide(n.along, cut) == engine.Fails {
		return engine.Fails
	}
	return x.arrives(n, cut) // all that it asks for is decided now
}

// run returns the run that was found for f, the formula that was to be decided.
func (x *evaluation) run(n *node, f *syntax.Formula) *engine.Run {
	if n.op == syntax.OpEF {
		end := x.load(n.end).Clone()
		return &engine.Run{Formula: f, Cut: end, Within: x.Comp, MaybeShorter: n.end != 0}
	}
	path := []int32{n.end}
	if n.op == syntax.OpEX {
		path = append(path, 0)
	}
	for at := n.end; n.op != syntax.OpEX && at != 0; at = path[len(path)-1] {
		path = append(path, n.reached.from[at])
	}
	slices.Reverse(path)
	r := &engine.Run{Formula: f}
	for i, cut := range path[1:] {
		from, to := x.load(path[i]).Clone(), x.load(cut)
		p := 0
		for from[p] == to[p] {
			p++
		}
		r.Events = append(r.Events, x.Comp.Step(x.Comp.Event(p, int(from[p])+1))...)
	}
	r.Cut = x.load(n.end).Clone()
	r.Whole = n.whole && (n.goal == nil || x.look(n.goal, n.end) != engine.Holds)
	r.MaybeShorter = !r.Whole && n.op != syntax.OpEX && len(path) > 1
	return r
}
