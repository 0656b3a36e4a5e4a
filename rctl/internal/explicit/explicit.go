package rctl

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/lattice"
	"github.com/pota-project/pota/rctl/syntax"
)

// An explicit engine has enumerated the cuts of a computation level by level and
// knows the truth of every subformula at each of them. Truth is computed from the
// final cut backwards, by the definitions over runs of the operators.
type explicit struct {
	k      *checker
	comp   *graphs.Computation
	levels *lattice.Levels
	nodes  []exNode
	number map[*syntax.Formula]int
	words  int        // of one cut's truth
	truth  [][]uint64 // by level: words for each cut, a bit for each node
}

// exNode is a subformula: a propositional one with a way to evaluate it, or an
// operator over nodes of smaller numbers.
type exNode struct {
	op    syntax.Op
	sub   []int
	state *stateTest // for propositional formulas
}

// runExplicit decides every subformula of fs, in negation normal form, at every
// cut. Its errors are those of lattice.Explore.
//
// The time complexity of runExplicit is O(cuts·(steps+|fs|)), its memory
// O(cuts·(packed cut+|fs|/64)).
func runExplicit(k *checker, fs ...*syntax.Formula) (*explicit, error) {
	ctx, c, bytes := k.ctx, k.comp, k.opts.MaxMemory
	x := &explicit{k: k, comp: c, number: make(map[*syntax.Formula]int)}
	for _, f := range fs {
		if err := x.add(f); err != nil {
			return nil, err
		}
	}
	x.words = (len(x.nodes) + 63) / 64
	levels, err := lattice.Explore(ctx, c, lattice.Limits{Bytes: bytes / 2})
	if err != nil {
		return nil, err
	}
	if need := levels.Total() * int64(x.words) * 8; bytes > 0 && need > bytes/2 {
		return nil, &lattice.LimitError{Reason: "the truth of all subformulas at all cuts does not fit into memory"}
	}
	x.levels = levels
	x.truth = make([][]uint64, levels.NumLevels())
	for level := levels.NumLevels() - 1; level >= 0; level-- {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		x.evaluate(level)
	}
	return x, nil
}

// add numbers f and what it is made of, operands first.
func (x *explicit) add(f *syntax.Formula) error {
	if _, ok := x.number[f]; ok {
		return nil
	}
	n := exNode{op: f.Op}
	if syntax.IsPropositional(f) {
		state, err := newStateTest(x.comp, f)
		if err != nil {
			return err
		}
		n.state = state
	} else {
		for _, sub := range f.Sub {
			if err := x.add(sub); err != nil {
				return err
			}
			n.sub = append(n.sub, x.number[sub])
		}
	}
	x.number[f] = len(x.nodes)
	x.nodes = append(x.nodes, n)
	return nil
}

func (x *explicit) evaluate(level int) {
	row := make([]uint64, x.levels.Len(level)*x.words)
	x.truth[level] = row
	var next []uint64
	if level+1 < len(x.truth) {
		next = x.truth[level+1]
	}
	some, all := make([]uint64, x.words), make([]uint64, x.words)
	var cut graphs.Cut
	x.levels.Successors(level, func(i int, successors []int32) {
		for w := range x.words {
			some[w], all[w] = 0, ^uint64(0)
			for _, s := range successors {
				some[w] |= next[int(s)*x.words+w]
				all[w] &= next[int(s)*x.words+w]
			}
		}
		cut = x.levels.Cut(level, i, cut)
		here := row[i*x.words : (i+1)*x.words]
		last := len(successors) == 0
		for k, n := range x.nodes {
			if x.holds(k, n, here, some, all, last, cut) {
				here[k>>6] |= 1 << (k & 63)
			}
		}
	})
}

// holds evaluates node k at a cut. some and all tell which nodes hold at some
// and at all of the cuts that follow; at the final cut there are none, so some
// is empty and all is full.
func (x *explicit) holds(k int, n exNode, here, some, all []uint64, last bool, cut graphs.Cut) bool {
	if n.state != nil {
		return n.state.at(cut)
	}
	bit := func(row []uint64, k int) bool { return row[k>>6]>>(k&63)&1 != 0 }
	f := bit(here, n.sub[0])
	g := len(n.sub) > 1 && bit(here, n.sub[1])
	switch n.op {
	case syntax.OpAnd:
		for _, sub := range n.sub {
			if !bit(here, sub) {
				return false
			}
		}
		return true
	case syntax.OpOr:
		for _, sub := range n.sub {
			if bit(here, sub) {
				return true
			}
		}
		return false
	case syntax.OpEX:
		return bit(some, n.sub[0])
	case syntax.OpAX:
		return bit(all, n.sub[0])
	case syntax.OpEF:
		return f || bit(some, k)
	case syntax.OpAF:
		return f || !last && bit(all, k)
	case syntax.OpEG:
		return f && (last || bit(some, k))
	case syntax.OpAG:
		return f && bit(all, k)
	case syntax.OpEU:
		return g || f && bit(some, k)
	case syntax.OpAU:
		return g || f && !last && bit(all, k)
	case syntax.OpER:
		return g && (f || last || bit(some, k))
	case syntax.OpAR:
		return g && (f || bit(all, k))
	case syntax.OpEW:
		return g || f && (last || bit(some, k))
	case syntax.OpAW:
		return g || f && bit(all, k)
	}
	panic("this cannot happen, because the formula is in negation normal form: " + n.op.String())
}

// at tells whether f, a subformula, holds at the i-th cut of a level.
func (x *explicit) at(f *syntax.Formula, level, i int) bool {
	k := x.number[f]
	return x.truth[level][i*x.words+k>>6]>>(k&63)&1 != 0
}

// stateTest evaluates a propositional formula at cuts: by a table where it is of
// one process, by its program otherwise.
type stateTest struct {
	process int
	table   []bool
	program *program
	env     []graphs.Value
}

func newStateTest(c *graphs.Computation, f *syntax.Formula) (*stateTest, error) {
	p, err := compile(c, f)
	if err != nil {
		return nil, err
	}
	t := &stateTest{program: p, env: p.env()}
	if owner, _, ok := syntax.ChainOf(f); ok && owner >= 0 {
		t.process = owner
		t.table = make([]bool, c.Len(owner)+1)
		cut := make(graphs.Cut, c.NumProcesses())
		for k := range t.table {
			cut[owner] = int32(k)
			t.table[k] = p.at(cut, t.env)
		}
	}
	return t, nil
}

func (t *stateTest) at(cut graphs.Cut) bool {
	if t.table != nil {
		return t.table[cut[t.process]]
	}
	return t.program.at(cut, t.env)
}
