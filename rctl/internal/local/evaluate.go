package local

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/graphs/lattice"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/internal/effort"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// A node is a subformula with its verdicts at the cuts so far. It is decided by a test, by a slice,
// as the negation of another node, or by its operator and operands.
type node struct {
	op     syntax.Op
	test   *atoms.Test
	slice  *slice.Slice
	not    *node
	sub    []*node
	along  *node            // for a path formula
	goal   *node            // for a path formula; nil for false
	whole  bool             // for a path formula: whether a run may go on to the end
	values []engine.Verdict // by number of the cut: the verdict there

	// Of a path formula: the cuts that its present search has reached and the ones that it has
	// visited, the end of the last run found, and how far a cut seems from the goal or, if there is
	// none, from the failure of along.
	reached paths
	visited marks
	end     int32
	measure measure
}

const none = -1

// note remembers a verdict at a cut and returns it.
func (n *node) note(cut int32, v engine.Verdict) engine.Verdict {
	for int(cut) >= len(n.values) {
		n.values = append(n.values, engine.Unknown)
	}
	n.values[cut] = v
	return v
}

// An evaluation decides subformulas at cuts. Cuts are numbered as they are met, the
// initial one first.
type evaluation struct {
	*engine.Problem
	nodes map[*syntax.Formula]*node
	walk  *lattice.Walk
	cuts  *dense.Table[uint64]

	next   dense.Rows[int32] // the numbers of the cuts that follow one
	row    []int32           // by cut: its row of next, or none
	loaded int32             // the number of the cut in at
	at     graphs.Cut

	looks   int   // how often look and decide were asked
	most    int   // how many cuts searches may go on from
	bytes   int64 // how much memory they may take
	limited bool  // one of these limits is exceeded
	err     error
}

// newEvaluation prepares the search for f within a number of cuts.
func newEvaluation(p *engine.Problem, f *syntax.Formula, most int) (*evaluation, error) {
	x := &evaluation{
		Problem: p,
		nodes:   make(map[*syntax.Formula]*node),
		walk:    lattice.NewWalk(p.Comp),
		loaded:  none,
		most:    most,
		bytes:   maxBytes,
	}
	if p.Bytes > 0 {
		x.bytes = min(x.bytes, p.Bytes)
	}
	if root := x.node(f); root != nil {
		root.slice = nil // a run is looked for
	}

	// The initial cut has the number 0.
	first := x.walk.Initial()
	x.cuts = dense.NewTable[uint64](len(first))
	x.number(first)
	return x, x.err
}

// node returns the node of a formula in negation normal form.
func (x *evaluation) node(f *syntax.Formula) *node {
	n, ok := x.nodes[f]
	if ok || x.err != nil {
		return n
	}
	n = &node{op: f.Op}
	x.nodes[f] = n
	if syntax.IsPropositional(f) {
		n.test, x.err = atoms.NewTest(x.Comp, f)
		return n
	}
	if s := x.Of(f); s != nil {
		n.slice = s
	} else if x.err = x.Err(); x.err != nil {
		return n
	}
	switch f.Op {
	case syntax.OpAnd, syntax.OpOr, syntax.OpEX:
		n.sub = syntax.Mapped(f.Sub, x.node)
	case syntax.OpEF:
		x.path(n, &syntax.Formula{Op: syntax.OpTrue}, f.Sub[0], false)
	case syntax.OpEG:
		x.path(n, f.Sub[0], nil, true)
	case syntax.OpEU, syntax.OpEW:
		x.path(n, f.Sub[0], f.Sub[1], f.Op == syntax.OpEW)
	case syntax.OpER:
		x.path(n, f.Sub[1], x.Normal(syntax.And(f.Sub...)), true)
	default:
		// The A operators say that no run satisfies the negation.
		n.not = x.node(x.Negation(f))
	}
	return n
}

// path sets what a path formula asks for along its runs and at their ends.
func (x *evaluation) path(n *node, along, goal *syntax.Formula, whole bool) {
	n.along, n.whole = x.node(along), whole
	if goal == nil {
		// A run to the end keeps away from where along fails.
		away := x.measure(x.Negation(along))
		n.measure = func(cut graphs.Cut) float64 { return -away.at(cut) }
		return
	}

	// Near the goal is near the end of a run.
	n.goal = x.node(goal)
	n.measure = x.measure(goal)
}

// number returns the number of a cut.
func (x *evaluation) number(key []uint64) int32 {
	at, found := x.cuts.Find(key)
	if !found {
		x.cuts.Add(key)
		x.row = append(x.row, none)
	}
	return at
}

// load returns the cut of a number. It is valid until the next call.
func (x *evaluation) load(cut int32) graphs.Cut {
	if x.loaded != cut {
		x.at, x.loaded = x.walk.Cut(x.cuts.Key(int(cut)), x.at), cut
	}
	return x.at
}

// successors returns the numbers of the cuts that follow.
func (x *evaluation) successors(cut int32) []int32 {
	if x.row[cut] == none {
		x.walk.Successors(x.cuts.Key(int(cut)), func(next []uint64) { x.next.Add(x.number(next)) })
		x.row[cut] = int32(x.next.Len())
		x.next.End()
		x.limited = x.limited || x.next.Len() > x.most
	}
	return x.next.Row(int(x.row[cut]))
}

// lookEvery is how many calls of stopped there are between two checks of the context.
const lookEvery = 1024

// stopped reports whether a limit was reached.
func (x *evaluation) stopped() bool {
	if x.looks++; x.looks%lookEvery == 0 && x.err == nil {
		x.err = effort.Spend(x.Ctx, lookEvery)
		held := x.cuts.Bytes() + int64(x.next.Size()+(1+len(x.nodes))*x.cuts.Len())*4 // about
		x.limited = x.limited || held > x.bytes
	}
	return x.limited || x.err != nil
}

// look returns the verdict on n at a cut, or Unknown if that needs a search.
func (x *evaluation) look(n *node, cut int32) engine.Verdict {
	if int(cut) < len(n.values) && n.values[cut] != engine.Unknown {
		return n.values[cut]
	}
	v := engine.Unknown
	if x.stopped() {
		return v
	}
	switch {
	case n.test != nil:
		v = engine.VerdictOf(n.test.At(x.load(cut)))
	case n.slice != nil:
		v = engine.VerdictOf(n.slice.Contains(x.load(cut)))
	case n.connective():
		v = n.connect(cut, x.look)
	case n.op == syntax.OpEX:
		if len(x.successors(cut)) == 0 {
			v = engine.Fails
		}
	default:
		v = x.arrives(n, cut)
	}
	if v != engine.Unknown {
		n.note(cut, v)
	}
	return v
}

// connective reports whether n is a negation, a conjunction or a disjunction.
func (n *node) connective() bool {
	return n.not != nil || n.op == syntax.OpAnd || n.op == syntax.OpOr
}

// connect returns the verdict on a connective at a cut, from the operands'. An && fails and an
// || holds if an operand does.
func (n *node) connect(cut int32, of func(n *node, cut int32) engine.Verdict) engine.Verdict {
	if n.not != nil {
		return of(n.not, cut).Not()
	}
	one := engine.VerdictOf(n.op == syntax.OpOr)
	all := one.Not()
	for _, sub := range n.sub {
		switch of(sub, cut) {
		case one:
			return one
		case engine.Unknown:
			all = engine.Unknown
		}
	}
	return all
}

// arrives returns Holds if a run for a path formula may end at a cut, Fails if it can neither end
// there nor go on, and Unknown otherwise.
func (x *evaluation) arrives(n *node, cut int32) engine.Verdict {
	goal := engine.Fails
	if n.goal != nil {
		if goal = x.look(n.goal, cut); goal == engine.Holds {
			return goal
		}
	}
	along := x.look(n.along, cut)
	switch {
	case goal == engine.Unknown:
		return engine.Unknown
	case along == engine.Fails:
		return along
	case x.load(cut).Equal(x.Comp.Final()):
		if n.whole {
			return along
		}
		return engine.Fails
	}
	return engine.Unknown
}

// decide decides n at a cut. The verdict is Unknown only if a limit is reached.
func (x *evaluation) decide(n *node, cut int32) engine.Verdict {
	v := x.look(n, cut)
	if v != engine.Unknown || x.stopped() {
		return v
	}
	switch {
	case n.connective():
		v = n.connect(cut, x.decide)
	case n.op == syntax.OpEX:
		v = engine.Fails
		for _, next := range x.successors(cut) {
			if w := x.decide(n.sub[0], next); w != engine.Fails {
				v, n.end = w, next
				break
			}
		}
	default:
		return x.search(n, cut)
	}
	if v != engine.Unknown {
		n.note(cut, v)
	}
	return v
}
