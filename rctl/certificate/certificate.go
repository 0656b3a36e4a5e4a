package certificate

import (
	"cmp"
	"context"
	"fmt"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/abort"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

const Version = 10 // the version of the rules

// A Proof names a rule and its arguments, to show that no cut between two satisfies a formula. It is
// nil for rule "forced" without ties. Processes are numbered from 0, and events from 1, those of the
// first process first.
type Proof struct {
	Rule   string                    `json:"rule"`
	Which  int                       `json:"which,omitempty"` // the number of an operand, from 0
	Run    [][2]int32                `json:"run,omitempty"`   // pairs of a process and its number of steps
	Events []graphs.Event            `json:"events,omitempty"`
	Ties   map[int][][2]graphs.Event `json:"ties,omitempty"` // by the ID of the node
	Flow   [][3]int64                `json:"flow,omitempty"` // the events from and to, and the amount
	Of     []*Proof                  `json:"of,omitempty"`
}

var forced = &Proof{Rule: "forced"} // without arguments

// of returns a part of a proof.
func (p *Proof) of(i int) *Proof {
	if i < len(p.Of) && p.Of[i] != nil {
		return p.Of[i]
	}
	return forced
}

// A Rejection names the rule that a proof breaks, its formula, and the reason.
type Rejection string

func (r Rejection) Error() string { return string(r) }

// A Checker checks proofs about one formula on one computation.
type Checker struct {
	// Step is called for each rule that applies, parts first: no cut from low to high satisfies n.
	Step      func(n *Node, low, high graphs.Cut, p *Proof)
	Root      *Node // the node of the formula
	ctx       context.Context
	comp      *graphs.Computation
	final     graphs.Cut
	falsehood *Node
	nodes     int
	done      map[*syntax.Formula]*Node
	ties      map[int][][2]graphs.Event // the ties of the proof by rule forced
	weight    []int64                   // by event; rule flow leaves all of them 0
	steps     int
}

// New returns a checker for a parsed formula. If the formula does not fit the computation, New
// fails. It returns the error of ctx when ctx is done; the checker stops soon after that, too.
func New(ctx context.Context, c *graphs.Computation, f *syntax.Formula) (*Checker, error) {
	return NewWith(ctx, c, f, scope.Times{})
}

// NewWith is New for clocks that are not trusted. Comparisons that depend on clocks must be decided in favour of
// the formula for a proof that it fails, and against it for a proof that it holds.
func NewWith(ctx context.Context, c *graphs.Computation, f *syntax.Formula, times scope.Times) (k *Checker, err error) {
	s := scope.With(c, times)
	if syntax.HasBounds(f) {
		return nil, Rejection("bounds on time have no rules of proof")
	}
	if f, err = syntax.Resolve(ctx, f, s); err != nil {
		return nil, err
	}
	c = s.Computation()
	defer abort.Catch(&err)
	k = &Checker{ctx: ctx, comp: c, final: c.Final(), done: make(map[*syntax.Formula]*Node)}
	k.Step = func(*Node, graphs.Cut, graphs.Cut, *Proof) {}
	k.falsehood = k.atom(&syntax.Expr{Op: syntax.ExprBool})
	k.falsehood.Formula, k.falsehood.Not.Formula = &syntax.Formula{Op: syntax.OpFalse}, &syntax.Formula{Op: syntax.OpTrue}
	k.Root = k.form(f)
	return k, nil
}

// Check checks that the formula of the checker holds, or fails, at the initial cut, by a proof
// for rules of a version. Errors are Rejection and that of the context.
func (k *Checker) Check(version int, verdict string, p *Proof) error {
	n := map[string]*Node{"holds": k.Root, "fails": k.Root.Not}[verdict]
	if n == nil || version != Version || k.comp.Empty() {
		return Rejection(fmt.Sprintf("the rules are those of version %d, not %d, for holds and fails, not %q, on computations with a cut (empty: %t)", Version, version, verdict, k.comp.Empty()))
	}
	return k.Prove(n, k.comp.Initial(), p)
}

// Prove checks that n holds at a cut: that none between it and itself satisfies !n.
func (k *Checker) Prove(n *Node, c graphs.Cut, p *Proof) error { return k.Refute(n.Not, c, c, p) }

// Refute checks that no cut between two satisfies n.
func (k *Checker) Refute(n *Node, low, high graphs.Cut, p *Proof) (err error) {
	defer abort.Catch(&err)
	k.refute(n, low, high, cmp.Or(p, forced))
	return nil
}

// require stops the checker if a rule does not show that n holds.
func (k *Checker) require(ok bool, n *Node, p *Proof, format string, args ...any) {
	if !ok {
		panic(abort.Error{Err: Rejection(fmt.Sprintf("rule %q does not show that %s: ", p.Rule, n) + fmt.Sprintf(format, args...))})
	}
}

// take adds events that a proof names, and all that they need, to a cut.
func (k *Checker) take(n *Node, c, high graphs.Cut, p *Proof, events ...graphs.Event) {
	k.exist(n, p, events...)
	for _, e := range events {
		k.require(k.advance(c, e, high) >= 0, n, p, "event %d, or what it needs, is beyond %v", e, high)
	}
}

// exist checks that a proof names events.
func (k *Checker) exist(n *Node, p *Proof, all ...graphs.Event) {
	for _, e := range all {
		k.require(e > graphs.Bottom && e < k.comp.Top() && k.comp.Has(k.final, e), n, p, "there is no event %d", e)
	}
}

// tick counts steps that take time, and stops the checker when the context is done.
func (k *Checker) tick() {
	if k.steps++; k.steps > 4096 && k.ctx.Err() != nil {
		panic(abort.Error{Err: k.ctx.Err()})
	}
	k.steps %= 4097
}

// advance adds e and its needs to a cut. It returns how many events these are, or -1 if the cut
// would exceed high; in that case the cut must not be used any more.
func (k *Checker) advance(c graphs.Cut, e graphs.Event, high graphs.Cut) (added int) {
	for todo := []graphs.Event{e}; len(todo) > 0; {
		e := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		p, to := k.comp.Process(e), int32(k.comp.Position(e))
		if k.tick(); to > high[p] {
			return -1
		}
		for ; c[p] < to; added++ {
			c[p]++
			for _, f := range k.comp.Preds(k.comp.Event(p, int(c[p]))) {
				if !k.comp.Has(c, f) {
					todo = append(todo, f)
				}
			}
		}
	}

	return added
}

// step takes a process's next step. It returns ok = false if there is none, or if other steps come first;
// in that case c must not be used any more.
func (k *Checker) step(c graphs.Cut, process int) (ok bool) {
	if process < 0 || process >= len(c) || c[process] == k.final[process] {
		return false
	}
	e := k.comp.Event(process, int(c[process])+1)
	return k.advance(c, e, k.final) == len(k.comp.Step(e))
}
