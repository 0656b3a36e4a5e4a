package crucial

import (
	"slices"

	"github.com/pota-project/pota/graphs/program"
)

// kept returns the formula that holds until the goal of n: p of E[p U q] and of E[q R p].
func (n *node) kept() *node { return n.sub[0] }

// goal returns the formula that n waits for: q of E[p U q] and of E[q R p].
func (n *node) goal() *node { return n.sub[1] }

// settle decides n, an until or a release, in a state if the state alone decides it.
func (k *checker) settle(n *node, id uint32) answer {
	a := n.known(id)
	if a != open {
		return a
	}
	kept := k.keeps(n, id)
	switch {
	case (kept || n.op == until) && k.reaches(n, id):
		a = yes
	case !kept:
		a = no
	default:
		return open
	}
	n.learn(id, a)
	return a
}

// held reports whether a process holds the program in a state. Formulas skip such states.
func (k *checker) held(id uint32) bool { return k.holds && k.program.Holder(k.states.at(id)) >= 0 }

// keeps reports whether the kept formula of n holds in a state, or n skips the state.
func (k *checker) keeps(n *node, id uint32) bool { return k.held(id) || k.eval(n.kept(), id) }

// reaches reports whether the goal of n holds in a state that n does not skip.
func (k *checker) reaches(n *node, id uint32) bool { return !k.held(id) && k.eval(n.goal(), id) }

// successor returns a next state that satisfies the operand of n, an EX, and the steps that lead
// there. There are several steps if a process holds the program in between.
func (k *checker) successor(n *node, id uint32) (steps []program.Transition, to uint32, found bool) {
	t := newTree(id)
	for i := 0; i < len(t.states) && k.err == nil; i++ {
		at := t.states[i].id
		if i > 0 && !k.held(at) {
			if k.eval(n.sub[0], at) {
				return t.steps(i, nil), at, true
			}
			continue
		}
		for _, step := range k.ample(n, at, nil) {
			if to := k.apply(at, step); i == 0 || t.place[to] == 0 {
				t.add(i, step, to)
			}
		}
	}
	return nil, 0, false
}

// A frame is a state on the path of a depth-first search.
type frame struct {
	id   uint32
	list []program.Transition // the transitions still to be explored

	// the place of the state on the stack, and the least place known to be reachable
	place, low uint32
}

// search decides n, until or release, by a depth-first search that also decides it in all states
// it visits.
//
// No state of a strongly connected component satisfies E[p U q] if the component is fully explored
// without finding one that does. Once a state that does is found, so do all states of the components
// not yet fully explored, as each leads to the path of the search (Tarjan, Depth-first search and
// linear graph algorithms, 1972).
//
// E[q R p] is true as well if the path reaches a deadlock or closes a cycle. So while it is open,
// each component is a single state.
func (k *checker) search(n *node, root uint32) bool {
	if a := k.settle(n, root); a != open {
		return a == yes
	}
	var path []frame
	var stack []uint32 // the states whose component is not yet fully explored
	push := func(id uint32, mover int) (ends bool) {
		list := k.ample(n, id, nil)
		if n.op == release {
			slices.SortStableFunc(list, func(t, u program.Transition) int { return k.after(t, mover) - k.after(u, mover) })
		}
		n.learn(id, visited)
		n.places.Grow(int(id) + 1)
		place := uint32(len(stack))
		*n.places.At(int(id)) = place
		path = append(path, frame{id: id, list: list, low: place, place: place})
		stack = append(stack, id)
		return n.op == release && len(list) == 0
	}

	ends := push(root, -1)
	for k.err == nil && !ends && len(path) > 0 {
		top := &path[len(path)-1]
		if len(top.list) == 0 {
			f := *top
			path = path[:len(path)-1]
			if f.low == f.place {
				for _, id := range stack[f.place:] {
					n.learn(id, no)
				}
				stack = stack[:f.place]
			} else {
				// The root is the first state of its component, so f is not the root.
				path[len(path)-1].low = min(path[len(path)-1].low, f.low)
			}
			continue
		}

		step := top.list[0]
		top.list = top.list[1:]
		to := k.apply(top.id, step)
		switch a := k.settle(n, to); {
		case a == yes, a == visited && n.op == release:
			ends = true
		case a == visited:
			top.low = min(top.low, *n.places.At(int(to)))
		case a == open:
			ends = push(to, k.layout.Actions[step.Action].Process)
		}
	}

	if ends {
		for _, id := range stack {
			n.learn(id, yes)
		}
	}
	return ends
}

// after orders transitions: those of the process that moved last come first, because one process
// alone closes a cycle sooner than several in turn.
func (k *checker) after(t program.Transition, mover int) int {
	if k.layout.Actions[t.Action].Process == mover {
		return 0
	}
	return 1
}

// apply returns the state that a transition leads to; after an error, any state.
func (k *checker) apply(id uint32, t program.Transition) uint32 {
	if k.err == nil {
		k.buffer, k.err = k.program.Apply(k.states.at(id), t, k.buffer[:0])
	}
	if k.steps++; k.steps%1024 == 0 {
		k.limit()
	}
	if k.err != nil {
		return id
	}
	return k.states.add(k.buffer)
}
