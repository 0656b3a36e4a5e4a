package crucial

import (
	"context"
	"errors"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/program"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Verdict is the answer to whether a formula holds in the initial state.
type Verdict = engine.Verdict

// Options says how to decide.
type Options struct {
	MaxMemory int64 // how many bytes the states may use; 0 is no limit
	Whole     bool  // whether to explore all transitions of each state, not only crucial ones
	Trail     bool  // whether to find a trail that shows the verdict, if there is one
}

// A Result is a decided formula.
type Result struct {
	Verdict Verdict
	Reason  string // why the verdict is Unknown
	States  int    // how many states were visited
	Reduced bool   // whether some states were explored by fewer than all their transitions
	// the runs that together show the verdict; nil if no run does, or Options.Trail is not set
	Trails []*Trail
}

// Check decides f in the initial state of p. The formula must be resolved in the scope of p.
// When ctx is done or a limit is reached the verdict is Unknown, with the reason. The error is
// that of Apply, or *syntax.Error for a label that does not exist.
func Check(ctx context.Context, p program.Program, f *syntax.Formula, opts Options) (*Result, error) {
	declared, err := declarations(p)
	if err != nil {
		return nil, err
	}
	l := p.Layout()
	k := &checker{ctx: ctx, program: p, layout: l, declared: declared, opts: opts, states: newStore(l.Size),
		futures: newFutures(l), top: make(map[*node]*breadth),
		holds: slices.ContainsFunc(l.Actions, func(a program.Action) bool { return a.Solitary })}
	n, err := k.compile(f)
	if err != nil {
		return nil, err
	}
	root := k.states.add(p.Initial(nil))
	holds := k.decide(n, root)
	res := &Result{Verdict: engine.VerdictOf(holds), States: k.states.n, Reduced: k.reduced}
	isLimit := func() bool { return k.err == errMemory || engine.IsLimit(k.err) }
	if isLimit() {
		res.Verdict, res.Reason = engine.Unknown, k.err.Error()
		return res, nil
	}
	if k.err == nil && opts.Trail {
		if res.Trails = k.show(n, root, holds); isLimit() {
			res.Trails, k.err = nil, nil
		}
	}
	return res, k.err
}

// decide is eval in the initial state. It decides an until outside of other temporal operators
// breadth first, for a shortest trail.
func (k *checker) decide(n *node, root uint32) bool {
	switch n.op {
	case not, and, or:
		return n.combine(func(sub *node) bool { return k.decide(sub, root) })
	case until:
		s := &breadth{checker: k, node: n}
		k.top[n] = s
		s.reach(root)
		return s.found >= 0
	}
	return k.eval(n, root)
}

// A checker decides one formula on one program.
type checker struct {
	ctx      context.Context
	program  program.Program
	layout   *program.Layout
	declared *graphs.Computation // see declarations
	opts     Options

	states  *store
	futures *futures
	looks   []*look // a stack; the first looking elements are in use
	looking int
	buffer  []byte
	steps   int
	holds   bool               // whether in some state a process may hold the program
	reduced bool               // whether in some state not all transitions were explored
	top     map[*node]*breadth // the searches from the initial state

	// The first error ends all searches. Until they have ended, answers mean nothing.
	err error
}

var errMemory = errors.New("the memory limit was reached")

// limit ends all searches once a limit is reached, with errMemory or the error of the context.
func (k *checker) limit() {
	if k.err == nil {
		k.err = k.ctx.Err()
	}
	if k.err == nil && k.opts.MaxMemory > 0 && k.states.bytes() > k.opts.MaxMemory {
		k.err = errMemory
	}
}
