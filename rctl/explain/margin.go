package explain

import (
	"context"
	"fmt"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Margin says why AG p holds, for a p without temporal operators.
//
// Example: a lock is handed from A to B by a message, and AG(!(holds@A && holds@B)) holds. The
// closest cut is the last one with holds@A; it lacks holds@B. The message is needed: without it,
// some cut has both.
type Margin struct {
	Cut    graphs.Cut        // the greatest cut with the most conjuncts of a violation
	Lacks  []*syntax.Formula // the conjuncts that are false there
	Needed []Needed          // the edges that are needed, those after the cut first
}

// Needed is an edge that keeps the formula from failing at Cut, which is consistent only without
// the edge.
type Needed struct {
	graphs.Edge
	Cut  graphs.Cut
	Text string // "without it, fails at A:2 B:2"
}

// String describes the margin in a sentence.
func (m *Margin) String() string {
	var lacks []string
	for _, f := range m.Lacks {
		lacks = append(lacks, Abbreviate(f))
	}
	text := "what comes closest to a failure lacks " + listed(lacks)
	switch n := len(m.Needed); {
	case n == 1:
		text += "; without one order it would fail"
	case n > 1:
		text += fmt.Sprintf("; without any one of %d orders it would fail", n)
	}
	return text
}

// Bounds on the search for a margin: the number of formulas decided, and that number times the
// number of events.
const (
	maxDecided = 200
	maxWork    = 400_000
)

// MarginOf returns the margin of f, a formula that holds and is resolved in the scope of c. The
// margin is nil if f has another form than AG p, if no cut has any conjunct of a violation, or if
// the bounds are reached. An edge is not needed if another one implies it. The error is that of
// ctx.
//
// It decides a formula for each pair of conjuncts and for each edge, at most maxDecided in total.
func MarginOf(ctx context.Context, c *graphs.Computation, f *syntax.Formula) (*Margin, error) {
	// Without the order that a message imposes, it makes no sense to ask what is in transit.
	if f.Op != syntax.OpAG || !syntax.IsPropositional(f.Sub[0]) || syntax.UsesTransit(f) || c.Cyclic() {
		return nil, nil
	}
	left := min(maxDecided, maxWork/(c.NumEvents()+1))
	session, best := rctl.NewSession(c), (*Margin)(nil)
	for _, violation := range syntax.Alternatives(syntax.Goal(rctl.Shown(f, rctl.Fails))) {
		all := syntax.Conjuncts(violation)
		if near := oneLess(all[0]); near != nil && len(all) == 1 {
			all = []*syntax.Formula{near, all[0]}
		}
		for i := range all {
			if left -= len(all); left < 0 {
				return best, ctx.Err()
			}
			m, err := closest(ctx, session, slices.Concat(all[i:], all[:i]))
			if err != nil {
				return best, ctx.Err()
			}
			if m != nil && (best == nil || len(m.Lacks) < len(best.Lacks)) {
				best = m
			}
		}
	}
	if best == nil {
		return nil, ctx.Err()
	}
	return best, best.need(ctx, c, f, left)
}

// need finds the edges that are needed. It decides at most left formulas.
func (m *Margin) need(ctx context.Context, c *graphs.Computation, f *syntax.Formula, left int) error {
	tried := make(map[graphs.Edge]bool)
	// The edges after the closest cut come first: one of them keeps it from being a violation.
	after, before := c.Topological(m.Cut, c.Final()), c.Topological(c.Initial(), m.Cut)
	for _, e := range slices.Concat(after, before) {
		for _, cause := range c.Preds(e) {
			edge := graphs.Edge{From: cause, To: e}
			if tried[edge] {
				continue
			}
			tried[edge] = true
			if left--; left < 0 {
				return nil
			}
			res, err := rctl.Check(ctx, c.Without(edge), f, rctl.Options{Evidence: true})
			if err != nil || ctx.Err() != nil {
				return ctx.Err()
			}
			if res.Verdict == rctl.Fails && res.Evidence != nil {
				cut := res.Evidence.Cut
				text := "without it, fails at " + cutText(c, c.Initial(), cut)
				m.Needed = append(m.Needed, Needed{edge, cut, graphs.Printable(text)})
			}
		}
	}
	return nil
}

// oneLess returns the nearest weaker formula of a lower bound on whole numbers: x >= 1 for x >= 2.
// Such a bound arises when a count of processes in a section is at least 2. It returns nil for
// other formulas.
func oneLess(f *syntax.Formula) *syntax.Formula {
	if f.Op != syntax.OpAtom || !f.Expr.ComparesTwo() {
		return nil
	}
	bound, rel := *f.Expr.Args[1], f.Expr.Rel[0]
	if bound.Op != syntax.ExprNumber || bound.IsFloat || rel != syntax.GreaterEqual && rel != syntax.Greater {
		return nil
	}
	bound.Int--
	e := *f.Expr
	e.Args = []*syntax.Expr{e.Args[0], &bound}
	return syntax.AsAtom(&e)
}

// closest adds conjuncts one by one as long as some cut satisfies all of them. The error is that of
// ctx.
func closest(ctx context.Context, session *rctl.Session, all []*syntax.Formula) (*Margin, error) {
	m := new(Margin)
	held := &syntax.Formula{Op: syntax.OpTrue}
	for _, part := range all {
		more := syntax.And(held, part)
		cut, err := cutWith(ctx, session, more)
		if err != nil {
			return nil, err
		}
		if cut == nil {
			m.Lacks = append(m.Lacks, part)
			continue
		}
		held = more
		m.Cut = cut
	}
	if m.Cut == nil || len(m.Lacks) == 0 {
		return nil, nil
	}
	return m, nil
}

// cutWith returns a cut that satisfies f, a formula without temporal operators: the greatest such
// cut if the slice of f is lean. It returns nil if there is none.
func cutWith(ctx context.Context, session *rctl.Session, f *syntax.Formula) (graphs.Cut, error) {
	if s, err := session.SliceOf(ctx, f); err == nil && s.Lean() {
		return s.Greatest(), nil
	}
	ef := syntax.New(syntax.OpEF, f.Pos, f)
	res, err := session.Check(ctx, ef, rctl.Options{Evidence: true, Cuts: true})
	if err != nil || res.Evidence == nil {
		return nil, err
	}
	return res.Evidence.Cut, nil
}
