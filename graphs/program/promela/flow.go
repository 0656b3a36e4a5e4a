package promela

import "slices"

// A node is a statement in the control flow of a proctype, as in SPIN: markAtomic, bridge and hunt
// follow its rules for atomic sequences.
type node struct {
	*Statement
	follows *node       // the next node in the sequence
	inside  []*sequence // options, or the body of a block
	jump    *node       // the target of Goto and Break
	atomic  bool        // whether the next node is in the same atomic sequence
	last    bool        // the last of an atomic sequence
	within  *node       // the d_step around it
	at      int         // its location; 0 if no process can be there
}

// A sequence is a list of nodes from first to last, linked by follows. extent is the last node that
// stands in the text: a join may be appended after it.
type sequence struct{ first, last, extent *node }

// A transition leads from a node to another by the statement of by.
type transition struct {
	by, to *node
}

// A flow is the control flow of a proctype.
type flow struct {
	proc   *Proc
	nodes  []*node
	labels map[Label]*node
	breaks []*node
	within *node // the d_step that is being added
	start  *node
	// the nodes where a process can stand, in the order of discovery: location k is states[k-1]
	states []*node
	edges  map[*node][]transition
	runs   []bool // by state: whether a process may still start another one from there
}

// newFlow makes the control flow of a proctype in four steps: nodes for the statements; jumps and
// the marks of atomic sequences; the locations, by a search from the start; and backwards from the
// runs, where a process may still start another one.
func newFlow(proc *Proc) *flow {
	f := &flow{proc: proc, labels: make(map[Label]*node), edges: make(map[*node][]transition)}
	body := f.sequence(proc.Body)
	f.append(body, f.node(&Statement{Position: proc.Position, Form: stop}))
	for _, n := range f.nodes {
		// All nodes exist by now, so that jumps can be resolved, forward ones, too.
		if n.Form == Goto {
			n.jump = f.labels[n.Target.key()]
		}
		if n.jump != nil && n.jump.within != n.within {
			fail(n.Position, "a jump into or out of a d_step is not possible: use atomic")
		}
		if n.block() && n.inside[0].last.follows == nil {
			n.inside[0].last.follows = n.follows
		}
	}
	for _, n := range f.nodes {
		if n.block() {
			bridge(n.inside[0])
		}
	}
	f.start = f.hunt(body.first, false)
	f.reach(f.start)
	// Locations are numbered as a search from the start finds them.
	for i := 0; i < len(f.states); i++ {
		n := f.states[i]
		f.edges[n] = f.leave(n, nil)
		for _, t := range f.edges[n] {
			if t.to != nil {
				f.reach(t.to)
			}
		}
	}
	// Backwards from the runs: a least fixed point over the edges.
	f.runs = make([]bool, len(f.states))
	for changed := true; changed; {
		changed = false
		for i, n := range f.states {
			for _, t := range f.edges[n] {
				if !f.runs[i] && (t.by.Expr != nil && t.by.Expr.Op == Run || t.to != nil &&
					f.runs[t.to.at-1]) {
					f.runs[i], changed = true, true
				}
			}
		}
	}
	return f
}

// reach gives a node a location, if it has none.
func (f *flow) reach(n *node) {
	if n.at == 0 {
		f.states = append(f.states, n)
		n.at = len(f.states)
	}
}

// block reports whether n is a block, which is left as it is entered.
func (n *node) block() bool { return n.Form == Atomic || n.Form == DStep || n.Form == Block }

// node makes a node that is in no sequence yet.
func (f *flow) node(s *Statement) *node {
	n := &node{Statement: s, within: f.within}
	f.nodes = append(f.nodes, n)
	return n
}

// append adds a node to the end of a sequence. extent stays: a join that is appended to an option
// is no part of it for bridge.
func (f *flow) append(q *sequence, n *node) {
	if q.first == nil {
		q.first = n
	} else {
		q.last.follows = n
	}
	q.last = n
}

// sequence makes the nodes of a list of statements.
func (f *flow) sequence(list []*Statement) *sequence {
	q := new(sequence)
	for _, s := range list {
		f.add(q, s)
	}
	if q.first == nil { // declarations only
		f.append(q, f.node(skipAt(f.proc.Position)))
	}
	q.extent = q.last
	return q
}

// add appends the nodes of a statement to q.
func (f *flow) add(q *sequence, s *Statement) {
	if s.Form == Declare && s.initial {
		return
	}
	n := f.node(s)
	named := n
	switch s.Form {
	case Goto:
		// SPIN puts a skip before a goto with one of its special labels, since the goto itself is
		// no step.
		if slices.ContainsFunc(s.Labels, Label.special) {
			named = f.node(skipAt(s.Position, s.Labels...))
			f.append(q, named)
		}
		f.append(q, n)
	case Break:
		n.jump = f.breaks[len(f.breaks)-1]
		f.append(q, n)
	case If, Do:
		// The options of if and do end at meet. A do begins again there, and break leads to exit.
		meet := f.node(&Statement{Position: s.Position, Form: join})
		exit := meet
		if s.Form == Do {
			exit = f.node(&Statement{Position: s.Position, Form: join})
			f.breaks = append(f.breaks, exit)
			f.append(q, meet)
		}
		// All options lead to the same place, so that what follows is there once.
		var otherwise *sequence
		for _, o := range s.Options {
			inside := f.sequence(o)
			f.append(inside, meet)
			// else is tried last, wherever it stands.
			if o[0].Form == Else && inside.first.Form == Else {
				otherwise = inside
			} else {
				n.inside = append(n.inside, inside)
			}
		}
		if otherwise != nil {
			n.inside = append(n.inside, otherwise)
		}
		if s.Form == Do {
			f.breaks = f.breaks[:len(f.breaks)-1]
		}
		f.append(q, n)
		f.append(q, exit)
	case Atomic, DStep, Block:
		// Of nested d_steps the outermost is the step; jumps are checked against it.
		outer := f.within
		if s.Form == DStep && outer == nil {
			f.within = n
		}
		n.inside = []*sequence{f.sequence(s.Options[0])}
		f.within = outer
		if s.Form != Block {
			markAtomic(n.inside[0])
		}
		f.append(q, n)
	default:
		f.append(q, n)
	}
	for _, l := range s.Labels {
		f.labels[l.key()] = named
	}
}

// markAtomic marks the nodes of an atomic sequence. After the last one, control may go to another
// process; where that is a block, after the last one in it.
func markAtomic(q *sequence) {
	every(q.first, q.last, func(n *node) { n.atomic = true })
	for n := q.last; ; n = n.inside[0].last {
		if n.Form != Block && n.Form != Atomic {
			n.atomic, n.last = false, true
			return
		}
		every(n.inside[0].first, n.inside[0].last, func(n *node) { n.atomic, n.last = true, false })
	}
}

// every visits the nodes from one to another, and those inside them. A d_step is one step: what is
// inside it is left out.
func every(n, last *node, visit func(*node)) {
	for ; ; n = n.follows {
		visit(n)
		for _, q := range n.inside {
			if n.Form != DStep {
				every(q.first, q.last, visit)
			}
		}
		if n == last {
			return
		}
	}
}

// bridge corrects the marks of jumps that leave an atomic sequence or enter another one.
func bridge(q *sequence) {
	for n := q.first; n != nil; n = n.follows {
		if n.jump != nil {
			// A jump from atomic to atomic keeps control; one that leaves gives it up.
			in := n.jump.atomic || n.jump.last
			if (n.atomic || n.last) && !in {
				n.atomic, n.last = false, true
			}
			if n.last && in {
				n.atomic, n.last = true, false
			}
		} else if !n.block() {
			for _, o := range n.inside {
				bridge(o)
			}
		}
		if n == q.extent {
			return
		}
	}
}

// hunt returns the node where a process that comes to n stops. It does not stop at jumps, because
// they are not steps unless they leave an atomic sequence.
func (f *flow) hunt(n *node, atomic bool) *node {
	for hops := 0; ; hops++ {
		to := n.jump
		if n.Form == join {
			to = n.follows
		}
		if to == nil || atomic && !to.atomic {
			return n
		}
		// More hops than nodes are a cycle of jumps.
		if hops > len(f.nodes) {
			fail(n.Position, "this goto leads to itself, without a statement between")
		}
		n = to
	}
}

// leave appends the transitions from n.
func (f *flow) leave(n *node, list []transition) []transition {
	switch {
	case n.Form == If || n.Form == Do:
		for _, q := range n.inside {
			list = f.leave(skipJoins(q.first), list)
		}
		return list
	case n.Form == Atomic || n.Form == Block:
		return f.leave(skipJoins(n.inside[0].first), list)
	case n.Form == stop:
		return append(list, transition{by: n})
	}
	// The place after the statement is looked for from where it leads, by a jump or in the text.
	to := n.follows
	if n.jump != nil {
		to = n.jump
	}
	return append(list, transition{n, f.hunt(to, n.atomic)})
}

// skipJoins returns the first node from n on that is not just a meeting point.
func skipJoins(n *node) *node {
	for n.Form == join && n.follows != nil {
		n = n.follows
	}
	return n
}
