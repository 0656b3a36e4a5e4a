package crucial

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/graphs/program"
	"github.com/pota-project/pota/rctl/atoms"
	names "github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// Scope returns the names that a formula may use, for syntax.Resolve: the variables of the
// program and the location of each process, at.
func Scope(p program.Program) (syntax.Scope, error) {
	c, err := declarations(p)
	if err != nil {
		return nil, err
	}
	return scope{names.Of(c)}, nil
}

// A scope hides the values of variables, because they may have more than the initial values.
type scope struct{ syntax.Scope }

// declarations returns the processes and variables of a program as a computation
// without events.
func declarations(p program.Program) (*graphs.Computation, error) {
	var b graphs.Builder
	l, s := p.Layout(), p.Initial(nil)
	for i, process := range l.Processes {
		b.Process(process.Name)
		if l.HasLabels(i) {
			b.Init(b.Variable(i, program.At), graphs.Str(l.LabelAt(i, p.Location(s, i))))
		}
	}

	for i, v := range l.Variables {
		if v.Process == graphs.Shared {
			b.Share(v.Name)
		}
		b.Init(b.Variable(v.Process, v.Name), p.Value(s, i))
	}

	return b.Build()
}

// An operator is the operator of a node.
type operator uint8

const (
	leaf operator = iota // a predicate, or its negation
	not                  // the negation of a temporal operator
	and
	or
	next    // EX sub[0]
	until   // E[sub[0] U sub[1]]
	release // E[sub[1] R sub[0]]
)

// A node is a formula with negations only above leaves, next, until and release.
type node struct {
	op     operator
	sub    []*node
	holds  func(env []graphs.Value) bool // the predicate of a leaf
	reads  []reading                     // what a leaf reads, by place in its environment
	env    []graphs.Value
	change footprint // the actions and moves that may change one of its leaves
	plain  bool      // whether it has no temporal operator

	// The conjuncts that an until or a release keeps, nil if they have temporal operators.
	keeps []keep

	source *syntax.Formula    // the formula that the node was made of
	places dense.List[uint32] // by state: its place on the stack of a search (until and release)
	answer dense.List[answer] // by state: the answer, if known (next, until and release)
}

// An answer is the truth of a formula in a state, or how far the search for it is.
type answer uint8

const (
	open answer = iota
	yes
	no
	visited // reached by a search that has not ended
)

// A reading is a value that a leaf reads: a variable of the program or, if variable is negative,
// the location of a process.
type reading struct {
	variable int
	process  int
}

// compile makes nodes of a resolved formula.
func (k *checker) compile(f *syntax.Formula) (*node, error) {
	c := &compiler{checker: k, whole: f, done: make(map[*syntax.Formula]*node)}
	n := c.node(syntax.NNF(f))
	return n, c.err
}

// A compiler makes nodes. Equal pointers become one node, so that its answers are
// shared.
type compiler struct {
	*checker
	whole *syntax.Formula
	done  map[*syntax.Formula]*node
	err   error
}

// node returns the node of f, made once.
func (c *compiler) node(f *syntax.Formula) *node {
	if n := c.done[f]; n != nil {
		return n
	}
	n := c.make(f)
	n.source = f
	c.done[f] = n
	return n
}

var (
	truth     = &syntax.Formula{Op: syntax.OpTrue}
	falsehood = &syntax.Formula{Op: syntax.OpFalse}
)

// make makes the node of a formula in negation normal form. Formulas for all runs are
// negations of those for some run.
func (c *compiler) make(f *syntax.Formula) *node {
	dual := func(f *syntax.Formula) *syntax.Formula { return syntax.NNF(syntax.Not(f)) }
	switch f.Op {
	case syntax.OpAnd:
		return c.several(and, f.Sub)
	case syntax.OpOr:
		return c.several(or, f.Sub)
	case syntax.OpEX:
		return c.temporal(next, f.Sub[0])
	case syntax.OpEF:
		return c.temporal(until, truth, f.Sub[0])
	case syntax.OpEU:
		return c.temporal(until, f.Sub...)
	case syntax.OpEG:
		return c.temporal(release, f.Sub[0], falsehood)
	case syntax.OpER:
		return c.temporal(release, f.Sub[1], f.Sub[0])
	case syntax.OpEW:
		return c.temporal(release, syntax.Or(f.Sub...), f.Sub[1])
	case syntax.OpAX, syntax.OpAF, syntax.OpAG, syntax.OpAU, syntax.OpAR, syntax.OpAW:
		return &node{op: not, sub: []*node{c.node(dual(f))}}
	}
	return c.leaf(f)
}

// several makes a node with operands.
func (c *compiler) several(op operator, subs []*syntax.Formula) *node {
	n := &node{op: op, plain: true}
	n.change.objects = dense.NewSet(c.layout.Objects)
	for _, f := range subs {
		sub := c.node(f)
		n.sub = append(n.sub, sub)
		n.plain = n.plain && sub.plain
		n.change.objects.AddAll(sub.change.objects)
		n.change.moves = append(n.change.moves, sub.change.moves...)
	}
	return n
}

// temporal makes a node about runs, with the conjuncts that (C3) refers to.
func (c *compiler) temporal(op operator, subs ...*syntax.Formula) *node {
	n := c.several(op, subs)
	n.plain = false
	if op != next && n.kept().plain {
		n.keeps = []keep{}
		for _, part := range conjuncts(n.kept()) {
			same := func(g *node) bool { return g.source.String() == part.source.String() }
			atEnd := op == release || slices.ContainsFunc(conjuncts(n.goal()), same)
			n.keeps = append(n.keeps, keep{part.change, atEnd})
		}
	}
	return n
}

// A keep is a conjunct of the formula that is kept until a goal is reached.
type keep struct {
	footprint
	atEnd bool // whether it is a conjunct of the goal, too
}

// conjuncts returns the operands of a conjunction, and any other node itself.
func conjuncts(n *node) []*node {
	if n.op == and {
		return n.sub
	}
	return []*node{n}
}

// leaf makes the node of an atom, of its negation, or of a constant.
func (c *compiler) leaf(f *syntax.Formula) *node {
	f = c.labels(f)
	predicate, err := atoms.Compile(c.declared, f)
	if err != nil {
		c.err = err
		return &node{}
	}

	n := &node{op: leaf, holds: predicate.Of, env: predicate.Env(), plain: true}
	l := c.program.Layout()
	n.change.objects = dense.NewSet(l.Objects)
	for _, slot := range predicate.Slots {
		if slot.Variable == nil {
			c.err = c.whole.Errorf(f.Pos, "", "transit counts the messages of a trace; of a program, len(q) is the number of messages in the channel q")
			return n
		}
		r := reading{variable: -1, process: slot.Variable.Process}
		if i := slices.IndexFunc(l.Variables, func(v program.Variable) bool {
			return v.Process == slot.Variable.Process && v.Name == slot.Variable.Name
		}); i >= 0 {
			r.variable = i
			n.change.objects.AddAll(setOf(l.Objects, l.Variables[i].Objects))
		} else {
			n.change.moves = append(n.change.moves, r.process)
		}
		n.reads = append(n.reads, r)
	}

	return n
}

// labels replaces each label by the first label of its location. It refuses labels that the
// process does not have.
func (c *compiler) labels(f *syntax.Formula) *syntax.Formula {
	if f.Op == syntax.OpNot {
		return syntax.Not(c.labels(f.Sub[0]))
	}
	if f.Op != syntax.OpAtom || f.Expr.Op != syntax.ExprCompare {
		return f
	}
	e := f.Expr
	i := slices.IndexFunc(e.Args, func(a *syntax.Expr) bool {
		return a.Op == syntax.ExprVar && a.Text == program.At && a.Owner != graphs.Shared
	})
	if i < 0 {
		return f
	}
	process := &c.program.Layout().Processes[e.Args[i].Owner]
	meant := *e
	meant.Args = slices.Clone(e.Args)
	for j, a := range meant.Args {
		if a.Op != syntax.ExprString {
			continue
		}
		first := *a
		known := a.Text == "" // stands for the locations without a label
		var all []string
		for _, at := range process.Locations {
			all = append(all, at.Labels...)
			if slices.Contains(at.Labels, a.Text) {
				first.Text, known = at.Labels[0], true
			}
		}
		if !known && c.err == nil {
			c.err = c.whole.Errorf(a.Pos, syntax.DidYouMean(a.Text, all), "process %s has no label %q", process.Name, a.Text)
		}
		meant.Args[j] = &first
	}

	return syntax.AsAtom(&meant)
}

// eval reports whether a formula holds in a state.
func (k *checker) eval(n *node, id uint32) bool {
	switch n.op {
	case leaf:
		return k.test(n, k.states.at(id))
	case next:
		if n.known(id) == open {
			n.learn(id, no)
			if _, _, found := k.successor(n, id); found {
				n.learn(id, yes)
			}
		}
		return n.known(id) == yes
	case until, release:
		return k.search(n, id)
	}
	return n.combine(func(sub *node) bool { return k.eval(sub, id) })
}

// combine evaluates a negation, a conjunction or a disjunction, given which operands hold.
func (n *node) combine(holds func(*node) bool) bool {
	if n.op == not {
		return !holds(n.sub[0])
	}
	for _, sub := range n.sub {
		if holds(sub) == (n.op == or) {
			return n.op == or
		}
	}
	return n.op == and
}

// test reports whether a leaf holds in a state.
func (k *checker) test(n *node, s []byte) bool {
	l := k.program.Layout()
	for i, r := range n.reads {
		if r.variable < 0 {
			n.env[i] = graphs.Str(l.LabelAt(r.process, k.program.Location(s, r.process)))
		} else {
			n.env[i] = k.program.Value(s, r.variable)
		}
	}
	return n.holds(n.env)
}

// known returns the answer for a node in a state.
func (n *node) known(id uint32) answer {
	if int(id) < n.answer.Len() {
		return *n.answer.At(int(id))
	}
	return open
}

// learn records the answer for a node in a state.
func (n *node) learn(id uint32, a answer) {
	n.answer.Grow(int(id) + 1)
	*n.answer.At(int(id)) = a
}

// is evaluates a formula without temporal operators in a state.
func (k *checker) is(n *node, s []byte) bool {
	if n.op == leaf {
		return k.test(n, s)
	}
	return n.combine(func(sub *node) bool { return k.is(sub, s) })
}
