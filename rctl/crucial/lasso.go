package crucial

import "github.com/pota-project/pota/graphs/program"

// maxSteps bounds the transitions that are executed to make the trail of a release
// shorter, for each choice of processes.
const maxSteps = 1 << 14

// showRelease finds a run that shows E[q R p] in a state: to a state with q, to a deadlock, or
// into a cycle. It goes along states that are known to satisfy the formula, and then looks for
// a shorter run, breadth first.
func (k *checker) showRelease(n *node, id uint32, t *Trail) (end uint32, err error) {
	if end, err = k.follow(n, id, t); err != nil {
		return end, err
	}
	s := &shortener{checker: k, node: n, trail: t, end: end}
	processes := make([]int, len(k.layout.Processes))
	for p := range processes {
		processes[p] = p
		if err == nil {
			err = s.shorten(id, p)
		}
	}

	for p := range processes {
		for q := range p {
			if err == nil {
				err = s.shorten(id, q, p)
			}
		}
	}

	if err == nil {
		err = s.shorten(id, processes...)
	}
	return s.end, err
}

// follow goes along states that satisfy n until the run is whole or closes a cycle.
func (k *checker) follow(n *node, id uint32, t *Trail) (end uint32, err error) {
	place := make(map[uint32]int) // by state: after how many steps it was reached
	for {
		if at, ok := place[id]; ok {
			t.Cycle = at
			return id, nil
		}
		place[id] = len(t.Steps)
		reached, err := k.reaches(n, id)
		if err != nil || reached {
			return id, err
		}
		list, err := k.ample(n, id, nil)
		if err != nil {
			return id, err
		}
		if t.Deadlock = len(list) == 0; t.Deadlock {
			return id, nil
		}
		for _, step := range list {
			to, err := k.apply(id, step)
			if err != nil {
				return id, err
			}
			if is, err := k.eval(n, to); err != nil {
				return id, err
			} else if is {
				t.Steps = append(t.Steps, step)
				id = to
				break
			}
		}
	}
}

// A shortener looks for a shorter trail of a release than the one it has: among the
// transitions of one process alone, of two, and of all.
type shortener struct {
	*checker
	node  *node
	trail *Trail
	end   uint32
	among []int // processes whose transitions are looked at
	left  int   // transitions that may still be executed
}

// A tree is a part of the state graph, explored breadth first.
type tree struct {
	states []reached
	place  map[uint32]int // by state: where states has it
}

// A reached state has the step that led to it, and how many steps it is away from
// the root.
type reached struct {
	id    uint32
	from  int
	step  program.Transition
	depth int
}

// newTree returns the tree of a root alone.
func newTree(root uint32) *tree {
	return &tree{[]reached{{id: root}}, map[uint32]int{root: 0}}
}

// add appends a state. Its parent is the from-th one.
func (t *tree) add(from int, step program.Transition, id uint32) {
	t.place[id] = len(t.states)
	t.states = append(t.states, reached{id, from, step, t.states[from].depth + 1})
}

// steps appends those from the root to the i-th state.
func (t *tree) steps(i int, dst []program.Transition) []program.Transition {
	if i == 0 {
		return dst
	}
	return append(t.steps(t.states[i].from, dst), t.states[i].step)
}

// shorten looks for a nearer end, a nearer deadlock, and cycles through the states that
// are near.
func (s *shortener) shorten(root uint32, among ...int) error {
	s.among, s.left = among, maxSteps
	t := newTree(root)
	for i := 0; i < len(t.states) && t.states[i].depth < len(s.trail.Steps) && s.left > 0; i++ {
		at := &t.states[i]
		if ends, err := s.endsAt(t, i); err != nil || ends {
			return err
		}
		if err := s.cycle(t, i); err != nil {
			return err
		}
		if err := s.grow(t, i, at.id); err != nil {
			return err
		}
	}

	return nil
}

// endsAt reports whether the run to the i-th state of t shows the formula, and takes it.
func (s *shortener) endsAt(t *tree, i int) (bool, error) {
	id := t.states[i].id
	reached, err := s.reaches(s.node, id)
	if err != nil {
		return false, err
	}
	dead := !reached && s.deadlock(id)
	if reached || dead {
		s.end = id
		*s.trail = Trail{Formula: s.trail.Formula, Steps: t.steps(i, nil), Cycle: -1, Deadlock: dead}
	}
	return reached || dead, nil
}

// cycle looks for a cycle through the i-th state of t that makes the trail shorter.
func (s *shortener) cycle(t *tree, i int) error {
	start := t.states[i]
	c := newTree(start.id)
	for j := 0; j < len(c.states) && start.depth+c.states[j].depth+1 < len(s.trail.Steps) && s.left > 0; j++ {
		for _, step := range s.enabled(c.states[j].id) {
			to, err := s.try(c.states[j].id, step)
			if err != nil {
				return err
			}
			if to == start.id {
				stem := t.steps(i, nil)
				s.end = to
				*s.trail = Trail{Formula: s.trail.Formula, Steps: append(c.steps(j, stem), step), Cycle: len(stem)}
				return nil
			}
		}
		if err := s.grow(c, j, c.states[j].id); err != nil {
			return err
		}
	}

	return nil
}

// grow adds to t the successors of its i-th state that satisfy the kept formula.
func (s *shortener) grow(t *tree, i int, id uint32) error {
	for _, step := range s.enabled(id) {
		to, err := s.try(id, step)
		if err != nil {
			return err
		}
		if _, ok := t.place[to]; ok {
			continue
		}
		if kept, err := s.keeps(s.node, to); err != nil {
			return err
		} else if kept {
			t.add(i, step, to)
		}
	}

	return nil
}

// try executes a transition and counts it.
func (s *shortener) try(id uint32, step program.Transition) (uint32, error) {
	s.left--
	return s.apply(id, step)
}

// enabled returns the transitions in a state that are looked at.
func (s *shortener) enabled(id uint32) (list []program.Transition) {
	for _, p := range s.among {
		list = s.program.Enabled(s.states.at(id), p, list)
	}
	return list
}

// deadlock reports whether no process has an enabled transition.
func (k *checker) deadlock(id uint32) bool {
	for p := range k.layout.Processes {
		if len(k.program.Enabled(k.states.at(id), p, nil)) > 0 {
			return false
		}
	}
	return true
}
