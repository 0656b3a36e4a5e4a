package crucial

import (
	"slices"

	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/graphs/program"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Trail is a run that shows that Formula holds in its first state: the initial one or, for
// Children, the last state of the parent trail. Formula is about some run, not all runs.
//
// The trail of an until has no more steps than any other run that shows it.
type Trail struct {
	Formula *syntax.Formula
	Steps   []program.Transition
	// Cycle is the first step of a cycle: the steps from it on lead back to the state before them,
	// and repeat for ever. It is -1 if there is no cycle.
	Cycle    int
	Deadlock bool // whether the last state has no enabled transition
	// Children are trails from the last state that show operators nested in Formula.
	Children []*Trail
}

// show returns trails that together show that a formula holds in a state or, if should is false,
// that it fails. It returns nil if no run can show that.
func (k *checker) show(n *node, id uint32, should bool) (all []*Trail) {
	switch n.op {
	case leaf:
		return nil
	case not:
		return k.show(n.sub[0], id, !should)
	case and, or:
		for _, sub := range n.sub {
			if k.eval(sub, id) != should {
				continue
			}
			all = append(all, k.show(sub, id, should)...)
			if (n.op == or) == should {
				break
			}
		}
		return all
	}

	if !should {
		return nil
	}
	t := &Trail{Formula: n.source, Cycle: -1}
	end, goal := id, n.sub[len(n.sub)-1]
	switch n.op {
	case next:
		t.Steps, end, _ = k.successor(n, id)
	case until:
		end = k.showUntil(n, id, t)
	case release:
		end = k.showRelease(n, id, t)
		if t.Cycle >= 0 || t.Deadlock {
			goal = nil
		}
	}

	if goal != nil && k.err == nil {
		t.Children = k.show(goal, end, true)
	}
	return []*Trail{t}
}

// showUntil finds a shortest run to the goal. It reuses the search that decided the formula if that
// began in the same state.
func (k *checker) showUntil(n *node, id uint32, t *Trail) (end uint32) {
	s := k.top[n]
	if s == nil || *s.queue.At(0) != id {
		s = &breadth{checker: k, node: n}
		if s.reach(id); k.err != nil {
			return id
		}
	}
	t.Steps = s.steps(s.found)
	return *s.queue.At(s.found)
}

// A breadth is a breadth-first search for a state that satisfies the goal of an until.
//
//	(1) queue has every state that was reached once, the nearest first
//	(2) queue[i] was reached from queue[from[i]], the root from itself
type breadth struct {
	*checker
	node  *node
	queue dense.List[uint32]
	from  dense.List[uint32]
	found int // the place in the queue of the nearest state with the goal; -1 if there is none

	workers []*worker
}

// reach looks for the nearest state with the goal by the transitions that are ample for the formula.
// If there is none, the formula does not hold in any state of the queue.
func (s *breadth) reach(root uint32) {
	n := s.node
	s.found = -1
	s.visit(root, 0)
	var list []program.Transition
	for i := 0; i < s.queue.Len() && s.found < 0 && s.err == nil; i++ {
		if s.queue.Len()-i >= sideBySide && n.sub[0].plain && n.sub[1].plain {
			i = s.reachSideBySide(i)
			continue
		}
		id := *s.queue.At(i)
		list = s.ample(n, id, list[:0])
		for _, t := range list {
			if s.visit(s.apply(id, t), uint32(i)); s.found >= 0 {
				break
			}
		}
	}
	if s.err != nil {
		return
	}

	left := no
	if s.found >= 0 {
		left = open
	}
	for i := range s.queue.Len() {
		n.learn(*s.queue.At(i), left)
	}
	for i := s.found; i >= 0; i = int(*s.from.At(i)) {
		n.learn(*s.queue.At(i), yes)
		if i == 0 {
			break
		}
	}
}

// visit appends a new state to the queue unless it is known not to satisfy the formula.
func (s *breadth) visit(id, from uint32) {
	n := s.node
	a := n.known(id)
	reached := a == yes && s.reaches(n, id)
	if a == open {
		a = s.settle(n, id)
		reached = a == yes
	}
	if a == no || a == visited {
		return
	}
	s.queue.Add(id)
	s.from.Add(from)
	if reached {
		s.found = s.queue.Len() - 1
	}
	n.learn(id, visited)
}

// steps returns the transitions that lead to a state of the queue.
func (s *breadth) steps(i int) (steps []program.Transition) {
	for ; i > 0; i = int(*s.from.At(i)) {
		from, id := *s.queue.At(int(*s.from.At(i))), *s.queue.At(i)
		for _, t := range s.ample(s.node, from, nil) {
			if s.apply(from, t) == id {
				steps = append(steps, t)
				break
			}
		}
	}
	slices.Reverse(steps)
	return steps
}
