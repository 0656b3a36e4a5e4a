// Package truth describes where the parts of a formula are true, in a form that can be
// evaluated at any cut without engines.
//
// # Definitions
//
// The parts of a formula are its subformulas, each once. The rule of a part determines its
// truth at a cut:
//
//	true, false, not, all, any, implies, iff
//	         a constant, or a connective of other parts
//	Column   a predicate of one chain: it changes at events of the chain
//	Sums     sums of numbers, each of which changes at events of one chain, are compared with 0
//	Slice    the part, or its negation, has a lean slice: it is true at the cuts that
//	         respect the edges of the slice, or at the others
//	Asked    none of these: an engine has to decide it (Formula.At)
//
// Thus the truth of a temporal formula whose slice is lean is known at every cut, including
// cuts that the recorded run did not pass through, at the cost of testing edges. (Sen and
// Garg, Detecting Temporal Logic Predicates in Distributed Programs Using Computation
// Slicing, OPODIS 2003: the slice for EF p, AG p and EG p has the cuts that satisfy it.)
package truth

import (
	"context"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// A Rule is the way to find the truth of a part.
type Rule string

// The rules other than those of connectives.
const (
	Column Rule = "column"
	Sums   Rule = "sums"
	Slice  Rule = "slice"
	Asked  Rule = "asked"
)

// connectives holds the rules of the operators that depend only on their operands.
var connectives = map[syntax.Op]Rule{
	syntax.OpTrue: "true", syntax.OpFalse: "false", syntax.OpNot: "not", syntax.OpAnd: "all",
	syntax.OpOr: "any", syntax.OpImplies: "implies", syntax.OpIff: "iff",
}

// A Formula is a formula on a computation, decomposed into parts.
type Formula struct {
	comp  *graphs.Computation
	memo  *regular.Memo
	parts []*part // the formula first, and operands after their operators
	index map[*syntax.Formula]int
}

// A part is a subformula with its rule.
type part struct {
	text    string
	formula *syntax.Formula // resolved
	sub     []int           // indices of the operands; nil if they are not parts
	rule    Rule
	column  atoms.Column[bool] // for the rule Column
	sums    []sum              // for the rule Sums: all of them hold
	edges   []graphs.Edge      // for the rule Slice: the edges of the slice
	negated bool               // whether the slice is that of the negation
	seen    []graphs.Event     // the events that may change an atom of several chains
}

// A sum is true at the cuts where the sum of the terms is in relation rel to 0.
type sum struct {
	rel   syntax.Relop
	terms []atoms.Column[int64]
}

// Bounds on the parts of a formula.
const (
	maxOperands = 5000  // a subformula with more operands is not decomposed
	maxParts    = 12000 // no subformula is decomposed beyond this many parts
	maxTerms    = 3000  // terms and channels of a sum
	maxText     = 300   // characters in the text of a part
)

// New decomposes a formula, given as written and as resolved in the scope of c. Parts that have
// no slice yet when ctx is done get the rule Asked. Errors are *atoms.ValuesError, those of
// computing slices, and ctx.Err().
func New(ctx context.Context, c *graphs.Computation, written, resolved *syntax.Formula) (*Formula, error) {
	t := &Formula{comp: c, memo: regular.NewMemo(), index: make(map[*syntax.Formula]int)}
	_, err := t.add(ctx, written, resolved)
	return t, err
}

// add adds g, the resolved form of f. f is nil if the written form is unknown.
func (t *Formula) add(ctx context.Context, f, g *syntax.Formula) (int, error) {
	if k, ok := t.index[g]; ok {
		return k, nil
	}
	k := len(t.parts)
	p := &part{formula: g}
	t.parts = append(t.parts, p)
	t.index[g] = k
	p.text = g.Brief(maxText)
	if f != nil {
		p.text = f.Brief(maxText)
	}
	if len(g.Sub) <= maxOperands && len(t.parts) < maxParts {
		for i, sub := range g.Sub {
			// The text of a part is as close to the source as possible, so that users recognize it.
			var written *syntax.Formula
			if f != nil && f.Op == g.Op && len(f.Sub) == len(g.Sub) {
				written = f.Sub[i]
			}
			s, err := t.add(ctx, written, sub)
			if err != nil {
				return 0, err
			}
			p.sub = append(p.sub, s)
		}
	}

	return k, t.decide(ctx, p)
}

// decide finds the rule of a part after those of its operands.
func (t *Formula) decide(ctx context.Context, p *part) error {
	g := p.formula
	rule, ok := connectives[g.Op]
	if ok && len(p.sub) == len(g.Sub) {
		p.rule = rule
		return nil
	}

	p.rule = Asked
	if g.Op == syntax.OpAtom {
		return t.atom(p)
	}
	k := regular.New(ctx, t.comp, t.memo)
	for i, f := range []*syntax.Formula{k.Normal(g), k.Negation(g)} {
		if !k.Has(f) {
			continue
		}
		s := k.Of(f)
		if ctx.Err() != nil {
			return nil
		}
		if s != nil {
			p.rule = Slice
			p.edges = s.Edges()
			p.negated = i == 1
		}
		return k.Err()
	}

	return nil
}

// atom finds the rule of an atom.
func (t *Formula) atom(p *part) error {
	predicate, err := atoms.Compile(t.comp, p.formula)
	if err != nil {
		return err
	}
	if _, ok := predicate.Chain(); ok || len(predicate.Slots) == 0 {
		p.rule, p.column = Column, atoms.Along(predicate)
		return nil
	}

	for i := range predicate.Slots {
		p.seen = append(p.seen, predicate.Slots[i].Changes()...)
	}
	e := p.formula.Expr
	if e.Op != syntax.ExprCompare {
		return nil
	}
	for _, one := range syntax.Split(e) {
		s, ok, err := t.sum(one)
		if err != nil || !ok {
			p.sums = nil
			return err
		}
		p.sums = append(p.sums, s)
	}

	p.rule = Sums
	return nil
}

// sum decomposes a comparison of whole numbers. It returns ok = false if that is not possible.
func (t *Formula) sum(e *syntax.Expr) (s sum, ok bool, err error) {
	l, err := atoms.Decompose(t.comp, e.Args[0], e.Args[1])
	if err != nil || l == nil || len(l.Terms)+len(l.Channels) > maxTerms {
		return sum{}, false, err
	}
	s.rel = e.Rel[0]
	add := func(term *atoms.Term, factor int64) bool {
		k := atoms.Along(term)
		column := atoms.Column[int64]{Events: k.Events}
		for _, v := range k.Values {
			if v.Kind != graphs.Number || v.Float || !small(factor, v.Int64()) {
				return false
			}
			column.Values = append(column.Values, factor*v.Int64())
		}
		s.terms = append(s.terms, column)
		return true
	}

	for _, term := range l.Terms {
		if !add(term.Term, term.Factor) {
			return sum{}, false, nil
		}
	}

	for _, h := range l.Channels {
		sent, received := h.Ends(t.comp)
		if !add(sent.Term(t.comp), h.Factor) || !add(received.Term(t.comp), -h.Factor) {
			return sum{}, false, nil
		}
	}

	return s, true, nil
}

// largest bounds the terms of a sum, so that maxTerms of them are exact as float64.
const largest = 1 << 40

// small reports whether x, y and x*y are all within ±largest.
func small(x, y int64) bool {
	if x < -largest || x > largest || y < -largest || y > largest {
		return false
	}
	return y == 0 || max(x, -x) <= largest/max(y, -y)
}

// Len returns the number of parts.
func (t *Formula) Len() int { return len(t.parts) }

// At decides the k-th part at a cut with an engine. If ctx is done, the verdict is Unknown, with
// the reason.
func (t *Formula) At(ctx context.Context, k int, cut graphs.Cut) (rctl.Verdict, string, error) {
	f := t.parts[k].formula
	if syntax.IsPropositional(f) {
		holds, err := rctl.At(t.comp, f, cut)
		return engine.VerdictOf(holds), "", err
	}

	result, err := rctl.Check(ctx, t.comp.From(cut), f, rctl.Options{})
	if err != nil {
		return rctl.Unknown, "", err
	}
	return result.Verdict, result.Reason, nil
}

// HasLean reports whether the slice of the k-th part is lean.
func (t *Formula) HasLean(ctx context.Context, k int) bool {
	s := regular.New(ctx, t.comp, t.memo)
	return s.Has(s.Normal(t.parts[k].formula))
}

// SliceOf computes the slice of the k-th part. Errors are those of rctl.SliceOf.
func (t *Formula) SliceOf(ctx context.Context, k int) (*slice.Slice, error) {
	s := regular.New(ctx, t.comp, t.memo)
	return s.Cover(s.Normal(t.parts[k].formula))
}
