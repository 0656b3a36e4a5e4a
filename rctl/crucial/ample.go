package crucial

import (
	"slices"

	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/graphs/program"
)

// A look is a state while the transitions to explore from it are chosen.
type look struct {
	*checker
	id        uint32
	state     []byte
	locations []int
	enabled   [][]program.Transition // by process, if asked
	asked     []bool                 // by process: whether enabled is known
	buffer    []byte
}

// lookAt begins a look at a state. Evaluating a formula during a look may begin looks at other
// states, so looks are kept on a stack.
func (k *checker) lookAt(id uint32) *look {
	if k.looking == len(k.looks) {
		n := len(k.layout.Processes)
		k.looks = append(k.looks, &look{
			checker: k, locations: make([]int, n), enabled: make([][]program.Transition, n), asked: make([]bool, n),
		})
	}

	l := k.looks[k.looking]
	k.looking++
	l.id, l.state = id, k.states.at(id)
	for p := range l.locations {
		l.locations[p] = k.program.Location(l.state, p)
		l.asked[p] = false
	}

	return l
}

// transitions returns the enabled transitions that process p begins.
func (l *look) transitions(p int) []program.Transition {
	if !l.asked[p] {
		l.asked[p] = true
		l.enabled[p] = l.program.Enabled(l.state, p, l.enabled[p][:0])
	}
	return l.enabled[p]
}

// ample appends the transitions to explore from a state in which n is not yet known.
func (k *checker) ample(n *node, id uint32, dst []program.Transition) []program.Transition {
	l := k.lookAt(id)
	defer func() { k.looking-- }()
	var chosen dense.Set // the processes to explore; nil for all
	if !k.opts.Whole && n.op != next && n.keeps != nil && !k.held(id) {
		chosen = l.choose(n)
	}
	for p := range l.locations {
		if chosen == nil || chosen.Has(p) {
			dst = append(dst, l.transitions(p)...)
		} else {
			k.reduced = k.reduced || len(l.transitions(p)) > 0
		}
	}
	return dst
}

// choose returns a set of processes whose transitions are enough to explore, or nil if all
// transitions have to be explored.
func (l *look) choose(n *node) (best dense.Set) {
	seeds, ok := l.crucial(n.goal(), true)
	if !ok {
		return nil
	}
	least := -1
	consider := func(g dense.Set) {
		n := 0 // how many transitions the processes of g begin
		for p := range g.All() {
			n += len(l.transitions(p))
		}
		if least < 0 || n < least {
			best, least = g, n
		}
	}

	for _, seed := range seeds {
		g, ok := l.close(n, seed)
		switch {
		case !ok:
		case n.op == until || l.goesOn(n, g):
			consider(g)
		default:
			for p := range l.locations {
				if !g.Has(p) && len(l.transitions(p)) > 0 {
					more := slices.Clone(g)
					more.Add(p)
					if more, ok := l.close(n, more); ok && l.goesOn(n, more) {
						consider(more)
					}
				}
			}
		}
	}

	return best
}

// goesOn reports whether a transition of some process of g leads to a state that satisfies what n
// keeps. Transitions after which a process holds the program do not count, nor do those that cannot
// be applied: their errors are found when they are explored.
func (l *look) goesOn(n *node, g dense.Set) bool {
	for p := range g.All() {
		for _, t := range l.transitions(p) {
			if l.layout.Actions[t.Action].Solitary {
				continue
			}
			var err error
			l.buffer, err = l.program.Apply(l.state, t, l.buffer[:0])
			if err == nil && l.is(n.kept(), l.buffer) {
				return true
			}
		}
	}

	return false
}

// crucial returns sets of processes such that before a formula becomes true, or false if should is
// false, a process of each of the sets must execute a transition. It returns ok = false if only the
// set of all processes is known to have this property.
func (l *look) crucial(n *node, should bool) (seeds []dense.Set, ok bool) {
	switch n.op {
	case leaf:
		g := dense.NewSet(len(l.locations))
		l.joinChanging(g, &n.change)
		return []dense.Set{g}, true
	case not:
		return l.crucial(n.sub[0], !should)
	case and, or:
		if (n.op == and) != should {
			return l.crucialOfEach(n.sub, should)
		}
		// All operands have to become true, or false: the result has the sets of every operand that
		// is not yet.
		for _, sub := range n.sub {
			if l.eval(sub, l.id) == should {
				continue
			}
			if sets, known := l.crucial(sub, should); known {
				seeds, ok = append(seeds, sets...), true
			}
		}
		return seeds, ok
	}
	if n.op == next || !should {
		return nil, false
	}
	kept := n.kept()
	switch {
	case l.eval(kept, l.id):
		return l.crucial(kept, false)
	case n.op == release:
		return l.crucial(kept, true)
	}
	return l.crucialOfEach(n.sub, true)
}

// crucialOfEach returns the set for several formulas if one has to become true, or false if should
// is false, and none is so yet.
func (l *look) crucialOfEach(subs []*node, should bool) ([]dense.Set, bool) {
	union := dense.NewSet(len(l.locations))
	for _, sub := range subs {
		sets, ok := l.crucial(sub, should)
		if !ok {
			return nil, false
		}
		union.AddAll(sets[0])
	}
	return []dense.Set{union}, true
}

// close returns the least closed set of processes that includes seed. It returns ok = false if all
// transitions have to be explored.
func (l *look) close(n *node, seed dense.Set) (g dense.Set, ok bool) {
	g = slices.Clone(seed)
	done := dense.NewSet(len(l.locations))
	for g.LenWithout(done) > 0 {
		for p := range g.All() {
			if !done.Has(p) && !l.joinRivals(n, g, p) {
				return nil, false
			}
			done.Add(p)
		}
	}

	return g, true
}

// joinRivals adds to g the processes that (C1), (C2) and (C3) demand because of process p. It
// returns false if all transitions have to be explored.
func (l *look) joinRivals(n *node, g dense.Set, p int) bool {
	for _, a := range l.futures.actions[p][l.locations[p]] {
		// Actions that receive in handshakes are taken to be enabled.
		action := &l.layout.Actions[a]
		enabled := action.Meets > 0 && !action.Sends ||
			slices.ContainsFunc(l.transitions(p), func(t program.Transition) bool { return t.Action == a })
		if !enabled || action.Meets > 0 {
			l.join(g, l.futures.wake[a])
		}
		if !enabled {
			continue
		}
		l.join(g, l.futures.clash[a])
		if !l.keepOrder(n, g, p, a) {
			return false
		}
	}
	return true
}

// join adds to g the processes whose locations are in places.
func (l *look) join(g, places dense.Set) {
	for q, at := range l.locations {
		if places.Has(l.futures.base[q] + at) {
			g.Add(q)
		}
	}
}

// keepOrder adds to g the processes that may change a conjunct that n keeps and that the enabled
// action a of process p may change, too. It returns false if all transitions have to be explored.
func (l *look) keepOrder(n *node, g dense.Set, p int, a int32) bool {
	action := &l.layout.Actions[a]
	touches := func(f *footprint) bool {
		return slices.Contains(f.moves, p) || slices.ContainsFunc(action.Writes, f.objects.Has)
	}
	for i := range n.keeps {
		kept := &n.keeps[i]
		switch {
		case !touches(&kept.footprint):
		case !kept.atEnd:
			return false
		default:
			l.joinChanging(g, &kept.footprint)
		}
	}

	return true
}

// joinChanging adds to g the processes that may now or later change a formula with a footprint.
func (l *look) joinChanging(g dense.Set, f *footprint) {
	for q, at := range l.locations {
		of := &l.futures.of[q][at]
		if of.acts && (slices.Contains(f.moves, q) || meet(f.objects, of.writes)) {
			g.Add(q)
		}
	}
}
