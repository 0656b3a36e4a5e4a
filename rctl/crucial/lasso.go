package crucial

import "github.com/pota-project/pota/graphs/program"

// maxSteps bounds the transitions that are executed to make the trail of a release
// shorter, for each choice of processes.
const maxSteps = 1 << 14

// showRelease finds a run that shows E[q R p] in a state: it leads to a state with q, to a deadlock,
// or into a cycle. The first run goes through states that are known to satisfy the formula; then a
// search breadth first looks for a shorter one.
func (k *checker) showRelease(n *node, id uint32, t *Trail) (end uint32) {
	s := &shortener{checker: k, node: n, trail: t, end: k.follow(n, id, t)}
	processes := make([]int, len(k.layout.Processes))
	for p := range processes {
		processes[p] = p
		s.shorten(id, p)
	}
	for p := range processes {
		for q := range p {
			s.shorten(id, q, p)
		}
	}
	s.shorten(id, processes...)
	return s.end
}

// follow goes along states that satisfy n until the run is whole or closes a cycle.
func (k *checker) follow(n *node, id uint32, t *Trail) (end uint32) {
	place := make(map[uint32]int) // by state: how many steps lead to it
	for k.err == nil {
		if at, ok := place[id]; ok {
			t.Cycle = at
			break
		}
		place[id] = len(t.Steps)
		if k.reaches(n, id) {
			break
		}
		list := k.ample(n, id, nil)
		if t.Deadlock = len(list) == 0; t.Deadlock {
			break
		}
		for _, step := range list {
			if to := k.apply(id, step); k.eval(n, to) {
				t.Steps = append(t.Steps, step)
				id = to
				break
			}
		}
	}
	return id
}

// A shortener looks for a shorter trail of a release: among the transitions of one process alone, of
// two, and of all.
type shortener struct {
	*checker
	node  *node
	trail *Trail
	end   uint32
	among []int // the processes whose transitions are executed
	left  int   // how many transitions may still be executed
}

// A tree is a part of the state graph, explored breadth first.
type tree struct {
	states []reached
	place  map[uint32]int // by state: its index in states
}

// A reached state has its predecessor, the step from there, and its distance from the root.
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

// add appends a state that a step reaches from the from-th state.
func (t *tree) add(from int, step program.Transition, id uint32) {
	t.place[id] = len(t.states)
	t.states = append(t.states, reached{id, from, step, t.states[from].depth + 1})
}

// steps appends the steps from the root to the i-th state.
func (t *tree) steps(i int, dst []program.Transition) []program.Transition {
	if i == 0 {
		return dst
	}
	return append(t.steps(t.states[i].from, dst), t.states[i].step)
}

// shorten looks for a nearer goal, a nearer deadlock, and cycles through the states on the way.
func (s *shortener) shorten(root uint32, among ...int) {
	s.among, s.left = among, maxSteps
	t := newTree(root)
	for i := 0; i < len(t.states) && t.states[i].depth < len(s.trail.Steps) && s.goesOn(); i++ {
		id := t.states[i].id
		reached := s.reaches(s.node, id)
		dead := !reached
		for p := 0; dead && p < len(s.layout.Processes); p++ {
			dead = len(s.program.Enabled(s.states.at(id), p, nil)) == 0
		}
		if reached || dead {
			s.end = id
			*s.trail = Trail{Formula: s.trail.Formula, Steps: t.steps(i, nil), Cycle: -1, Deadlock: dead}
			return
		}
		s.cycle(t, i)
		s.grow(t, i)
	}
}

// goesOn reports whether more transitions may be executed.
func (s *shortener) goesOn() bool { return s.left > 0 && s.err == nil }

// cycle looks for a cycle through the i-th state of t that makes the trail shorter.
func (s *shortener) cycle(t *tree, i int) {
	start := t.states[i]
	c := newTree(start.id)
	for j := 0; j < len(c.states) && start.depth+c.states[j].depth+1 < len(s.trail.Steps) && s.goesOn(); j++ {
		for _, step := range s.enabled(c.states[j].id) {
			if to := s.try(c.states[j].id, step); to == start.id {
				stem := t.steps(i, nil)
				s.end = to
				*s.trail = Trail{Formula: s.trail.Formula, Steps: append(c.steps(j, stem), step), Cycle: len(stem)}
				return
			}
		}
		s.grow(c, j)
	}
}

// grow adds to t the successors of its i-th state that satisfy the kept formula.
func (s *shortener) grow(t *tree, i int) {
	id := t.states[i].id
	for _, step := range s.enabled(id) {
		to := s.try(id, step)
		if _, ok := t.place[to]; !ok && s.keeps(s.node, to) {
			t.add(i, step, to)
		}
	}
}

// try executes a transition and counts it.
func (s *shortener) try(id uint32, step program.Transition) uint32 {
	s.left--
	return s.apply(id, step)
}

// enabled returns the transitions of the processes in among.
func (s *shortener) enabled(id uint32) (list []program.Transition) {
	for _, p := range s.among {
		list = s.program.Enabled(s.states.at(id), p, list)
	}
	return list
}
