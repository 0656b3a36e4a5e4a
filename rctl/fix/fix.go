// Package fix finds the orders that a computation lacks: fewest orders between events with which
// AG p holds.
//
// # Definitions
//
// An order e→f says that e happened before f. It excludes the cuts that have f and not e. Orders that
// close no cycle leave all other cuts as they are, and allow no new one. So AG p holds with some
// orders if and only if each cut where p is false is excluded by one of them. Such orders are a fix.
// It is least if none has fewer orders, and irredundant if none of its orders can be left out.
//
// Example: A lets the lock go at a3 and, at l2, another process ends the lease of A, after which B
// gets the lock at b2. Nothing orders b2 after a3. The cut with b2 and without a3 has two holders, and
// the order a3→b2 is a fix. So is a3→l2, since l2 leads to b2.
//
// Of two orders between the same processes the weaker one excludes fewer cuts: its e is earlier, its
// f later. A fix has the weakest orders that will do, but for one thing: an event with a label says
// more than one without, so f may be the last event with a label of its own that leads to it.
//
// # Orders along a run
//
// A run that satisfies p at each of its cuts, such as the recorded one, has a fix along it: the order
// of all its events. Whatever goes along a run closes no cycle, and does not delay what was seen. If
// no run does, EG p fails, and no order helps; if one does, there is a fix. (Tarafdar and Garg,
// Predicate control for active debugging of distributed programs, 1998, where any fix will do.)
//
// # How a least fix is found
//
// Where p says that of some conditions at most one holds at a time, each of one process, the
// fix follows from the intervals of the conditions (package intervals, Handovers).
//
// Otherwise a least fix is a least hitting set: each cut C with p false is to be excluded by one of
// {e→f : f in C, e not in C}. The cuts are too many, so they are found one by one, as long as p fails
// with the orders that hit those found so far (an implicit hitting set). No fix has fewer orders than
// hit the cuts found. What excludes the same cuts is represented by one order, so that there are no
// more than n²·m to choose from for n processes and m cuts along a run, and m² times n² otherwise.
package fix

import (
	"context"
	"errors"
	"fmt"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/internal/intervals"
	"github.com/pota-project/pota/rctl/syntax"
)

// Options say which orders may be in a fix, and how much is done to find few.
type Options struct {
	AnyOrder bool       // also orders against the recorded run, where that is good
	Steps    int64      // of work to find a least fix; 0 for about ten seconds' worth
	Quick    bool       // give up where that is not enough, and where the recorded run is bad
	Bad      graphs.Cut // where the formula is false; nil if none is known
	Check    rctl.Options
}

// DefaultSteps is what Options.Steps is for 0.
const DefaultSteps = 1 << 24

// An Order says that Before has to happen before After.
type Order struct {
	Before, After graphs.Event

	prevented graphs.Cut   // nil for the least one with open and After that the other orders allow
	open      graphs.Event // begins an interval that Before ends
}

// A Fix is a set of orders with which a formula holds.
type Fix struct {
	Of     *graphs.Computation
	Orders []Order // along Run; none if the formula holds as it is
	Run    []graphs.Event
	// Run is as it was recorded. It is another one where that is not known, where the formula is
	// false along it, and where a fix with any orders is smaller.
	Recorded bool
	Bad      bool // the recorded run is known, and the formula is false along it
	Least    bool // of those that Options allow; the fix is irredundant in any case
	Cuts     int  // that were found to be excluded

	about map[string]bool // names of the variables of the formula
}

// Prevented returns a cut where the formula is false, and that no order but number i of the fix
// excludes. Its time complexity is O(|V|+|edges|).
func (f *Fix) Prevented(i int) graphs.Cut {
	o := &f.Orders[i]
	if o.prevented != nil {
		return o.prevented
	}
	cut := f.Of.Initial().Clone()
	f.Of.Advance(cut, o.open)
	f.Of.Advance(cut, o.After)
	// Handovers come in the order of the run: what one adds asks for earlier ones only.
	for k := i - 1; k >= 0; k-- {
		if f.Of.Has(cut, f.Orders[k].After) {
			f.Of.Advance(cut, f.Orders[k].Before)
		}
	}
	o.prevented = cut
	return cut
}

// String names the first order in one line, "" where none is missing.
func (f *Fix) String() string {
	if len(f.Orders) == 0 {
		return ""
	}
	o := f.Orders[0]
	text := f.Of.ID(o.After) + " must wait for " + f.Of.ID(o.Before)
	if n := len(f.Orders) - 1; n > 0 {
		text += fmt.Sprintf(", and %s more", graphs.Plural(n, "order"))
	}
	return text
}

// Edges returns the orders as edges.
func (f *Fix) Edges() []graphs.Edge { return edges(f.Orders) }

func edges(orders []Order) []graphs.Edge {
	all := make([]graphs.Edge, len(orders))
	for i, o := range orders {
		all[i] = graphs.Edge{From: o.Before, To: o.After}
	}
	return all
}

// A FormulaError says that a formula is not one that orders can make hold for certain.
type FormulaError struct {
	Part *syntax.Formula // that is to blame
	Rule string
}

func (e *FormulaError) Error() string {
	return fmt.Sprintf("%s: a fix is for AG p, p without temporal operators, and for conjunctions of such: %s", e.Part.Brief(100), e.Rule)
}

// An InfeasibleError says that no order helps: EG p fails.
type InfeasibleError struct {
	At graphs.Cut // the initial or the final cut where p is false there, else nil
}

func (e *InfeasibleError) Error() string {
	return "no order helps: every run passes a cut where the formula is false"
}

// An UndecidedError says that a question on the way was not decided.
type UndecidedError struct{ Reason string }

func (e *UndecidedError) Error() string { return e.Reason }

// ErrNotQuick says that Options.Quick asks for less than is to be done.
var ErrNotQuick = errors.New("a fix takes longer to find")

// Invariant returns the p of f, AG p or a conjunction of such, resolved or not. The error is a
// *FormulaError.
func Invariant(f *syntax.Formula) (*syntax.Formula, error) {
	var all []*syntax.Formula
	for _, part := range syntax.Conjuncts(syntax.NNF(f)) {
		for part.Op == syntax.OpForall && part.Quant != nil {
			part = part.Sub[0]
		}
		switch {
		case part.Op == syntax.OpTrue:
			continue
		case part.Op != syntax.OpAG && syntax.IsExistential(part) && part.Op.IsTemporal():
			return nil, &FormulaError{part, "it asks for a run, and orders only take runs away"}
		case part.Op != syntax.OpAG:
			return nil, &FormulaError{part, "write AG around what is always to be so"}
		case !syntax.IsPropositional(part.Sub[0]):
			return nil, &FormulaError{part, "what it says of a cut depends on the runs from there, and orders change those; leave out the operators within AG"}
		case syntax.UsesKnowledge(part):
			return nil, &FormulaError{part, "what a process knows depends on the orders themselves; leave out knows"}
		}
		all = append(all, part.Sub[0])
	}
	return syntax.And(all...), nil
}

// Missing returns a fix for f, resolved in the scope of c. Errors are *FormulaError,
// *InfeasibleError, *UndecidedError, ErrNotQuick, those of rctl.Check and that of ctx.
//
// It takes one decision of AG p where that holds, three where the recorded run satisfies p and p is
// mutual exclusion, and otherwise about as many as there are orders, or several times that.
func Missing(ctx context.Context, c *graphs.Computation, f *syntax.Formula, opts Options) (*Fix, error) {
	p, err := Invariant(f)
	if err != nil {
		return nil, err
	}
	s, end := newSearch(ctx, c, p, opts)
	defer end()
	const fewest = 4 // decisions, where orders are missing
	if opts.Quick && fewest*s.cost(c) > opts.Steps {
		return nil, ErrNotQuick
	}
	first := opts.Bad
	if first == nil {
		if first, err = s.violation(nil); err != nil || first == nil {
			return &Fix{Of: c, Least: true}, err
		}
	}

	found := &Fix{Of: c, Least: true, about: syntax.Names(p)}
	if found.Run, err = s.recorded(); err != nil {
		return nil, err
	}
	found.Recorded = found.Run != nil
	found.Bad = !found.Recorded && len(c.Recorded()) > 0
	switch {
	case found.Recorded:
	case opts.Quick:
		return nil, ErrNotQuick
	default:
		if found.Run, err = s.another(); err != nil {
			return nil, err
		}
	}
	s.follow(found.Run)
	if found.Orders, found.Least, err = s.along(first); err != nil {
		return nil, err
	}
	if !found.Recorded || opts.AnyOrder {
		if err := s.anyOrder(found); err != nil {
			return nil, err
		}
	}
	if found.Least {
		s.nameAfter(found)
	}
	found.Cuts = len(s.seen)
	return found, nil
}

// along finds a fix along the run of the search.
func (s *search) along(first graphs.Cut) (fix []Order, least bool, err error) {
	handovers, ok, err := intervals.Handovers(s.c, s.never, s.run)
	if err != nil {
		return nil, false, err
	}
	if !ok {
		s.add(first)
		return s.hitting()
	}
	for _, h := range handovers {
		fix = append(fix, Order{Before: h.End, After: h.Begin, open: h.Open})
	}
	cut, err := s.violation(fix)
	if err == nil && cut != nil {
		panic("this cannot happen, because the handovers order all intervals")
	}
	return fix, true, err
}
