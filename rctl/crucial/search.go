package crucial

import (
	"slices"

	"github.com/pota-project/pota/graphs/program"
)

// kept is what holds until what n waits for: p of E[p U q] and of E[q R p].
func (n *node) kept() *node {
	if n.op == until {
		return n.sub[0]
	}
	return n.sub[1]
}

// goal is what n waits for: q of E[p U q] and of E[q R p].
func (n *node) goal() *node {
	if n.op == until {
		return n.sub[1]
	}
	return n.sub[0]
}

// settle decides n, until or release, in a state if that state alone decides it.
func (k *checker) settle(n *node, id uint32) (answer, error) {
	if a := n.known(id); a != open {
		return a, nil
	}
	kept, err := k.keeps(n, id)
	if err != nil {
		return open, err
	}
	reached := false
	if kept || n.op == until {
		if reached, err = k.reaches(n, id); err != nil {
			return open, err
		}
	}

	a := open
	switch {
	case reached:
		a = yes
	case !kept:
		a = no
	}
	if a != open {
		n.learn(id, a)
	}
	return a, nil
}

// held reports whether a process holds the program in a state, so that formulas do not
// look at it.
func (k *checker) held(id uint32) bool { return k.holds && k.program.Holder(k.states.at(id)) >= 0 }

// keeps reports whether what n keeps holds in a state, or is not looked at there.
func (k *checker) keeps(n *node, id uint32) (bool, error) {
	if k.held(id) {
		return true, nil
	}
	return k.eval(n.kept(), id)
}

// reaches reports whether what n waits for holds in a state, and is looked at there.
func (k *checker) reaches(n *node, id uint32) (bool, error) {
	if k.held(id) {
		return false, nil
	}
	return k.eval(n.goal(), id)
}

// next decides EX.
func (k *checker) next(n *node, id uint32) (bool, error) {
	if a := n.known(id); a != open {
		return a == yes, nil
	}
	_, _, found, err := k.successor(n, id)
	if err == nil && found {
		n.learn(id, yes)
	} else if err == nil {
		n.learn(id, no)
	}
	return found, err
}

// successor returns a next state that satisfies the operand of n, EX, and the steps that
// lead there: several, where a process holds the program in between.
func (k *checker) successor(n *node, id uint32) (steps []program.Transition, to uint32, found bool, err error) {
	t := newTree(id)
	for i := 0; i < len(t.states); i++ {
		at := t.states[i].id
		if i > 0 && !k.held(at) {
			is, err := k.eval(n.sub[0], at)
			if err != nil || is {
				return t.steps(i, nil), at, is, err
			}
			continue
		}
		list, err := k.ample(n, at, nil)
		if err != nil {
			return nil, 0, false, err
		}
		for _, step := range list {
			to, err := k.apply(at, step)
			if err != nil {
				return nil, 0, false, err
			}
			if i == 0 || t.place[to] == 0 {
				t.add(i, step, to)
			}
		}
	}

	return nil, 0, false, nil
}

// A frame is a state on the path of a depth-first search.
type frame struct {
	id   uint32
	list []program.Transition // still to be explored

	// The place of the state on the stack, and the least place that is known to be reachable.
	place, low uint32
}

// search decides n, until or release, by a depth-first search that also decides it in all states
// it visits.
//
// No state of a strongly connected component satisfies E[p U q] once all are explored. When a
// state is found that does, so do all states of the components that are not yet explored, as each
// leads to the path of the search (Tarjan, Depth-first search and linear graph algorithms, 1972).
//
// E[q R p] is true as well where the path comes to a deadlock or closes a cycle. So while it is
// not, each component is a single state.
func (k *checker) search(n *node, root uint32) (bool, error) {
	if a, err := k.settle(n, root); err != nil || a != open {
		return a == yes, err
	}
	var path []frame
	var stack []uint32 // of states whose component is not yet explored
	push := func(id uint32, mover int) (ends bool, err error) {
		list, err := k.ample(n, id, nil)
		if err != nil {
			return false, err
		}
		if n.op == release {
			slices.SortStableFunc(list, func(t, u program.Transition) int { return k.after(t, mover) - k.after(u, mover) })
		}
		n.learn(id, visited)
		n.places.Grow(int(id) + 1)
		place := uint32(len(stack))
		*n.places.At(int(id)) = place
		path = append(path, frame{id: id, list: list, low: place, place: place})
		stack = append(stack, id)
		return n.op == release && len(list) == 0, nil
	}

	ends, err := push(root, -1)
	for err == nil && !ends && len(path) > 0 {
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
				// The root is the first of its component, so this is not the root.
				path[len(path)-1].low = min(path[len(path)-1].low, f.low)
			}
			continue
		}

		step := top.list[0]
		top.list = top.list[1:]
		to, err := k.apply(top.id, step)
		if err != nil {
			return false, err
		}
		a, err := k.settle(n, to)
		switch {
		case err != nil:
			return false, err
		case a == yes, a == visited && n.op == release:
			ends = true
		case a == visited:
			top.low = min(top.low, *n.places.At(int(to)))
		case a == open:
			if ends, err = push(to, k.layout.Actions[step.Action].Process); err != nil {
				return false, err
			}
		}
	}

	if ends {
		for _, id := range stack {
			n.learn(id, yes)
		}
	}
	return ends, err
}

// after orders transitions: those of the process that moved last come first, as one process
// alone closes a cycle sooner than several in turn.
func (k *checker) after(t program.Transition, mover int) int {
	if k.layout.Actions[t.Action].Process == mover {
		return 0
	}
	return 1
}

// apply returns the state that a transition leads to.
func (k *checker) apply(id uint32, t program.Transition) (uint32, error) {
	var err error
	if k.buffer, err = k.program.Apply(k.states.at(id), t, k.buffer[:0]); err != nil {
		return 0, err
	}
	k.steps++
	if k.steps%1024 == 0 {
		if err := k.limit(); err != nil {
			return 0, err
		}
	}
	return k.states.add(k.buffer), nil
}
