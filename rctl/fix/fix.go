// Package fix finds the orders that a computation lacks: the fewest orders between events that make
// AG p hold.
//
// # Definitions
//
// An order e→f says that e happened before f. It excludes the cuts that contain f but not e. Orders
// that close no cycle preserve all other cuts and add no new ones. So AG p holds with some orders
// if and only if each cut where p is false, a bad cut, is excluded by one of them. Such orders are
// a fix. A fix is least if no fix has fewer orders, and irredundant if none of its orders can be
// omitted.
//
// Example: A releases the lock at a3, and another process ends the lease of A at l2. Then B
// acquires the lock at b2. Nothing orders b2 after a3. The cut with b2 and without a3 has two
// holders, and the order a3→b2 is a fix. So is a3→l2, because l2 leads to b2.
//
// Of two orders between the same processes, the weaker one excludes fewer cuts: its e is earlier,
// its f later. A fix has the weakest orders that suffice, with one exception. An event with a label
// is more informative than one without, so f may be the last event with a unique label that leads
// to it.
//
// # Orders along a run
//
// A run without bad cuts, such as the recorded one, has a fix along it: the order of all its
// events. Orders along a run close no cycle, and permit the run. If every run has a bad cut, EG p
// fails, and no order helps. (Tarafdar and Garg, in Predicate control for active debugging of
// distributed programs, 1998, seek any fix.)
//
// # Finding a least fix
//
// Suppose p says that at most one of several conditions, each of one process, holds at a time. Then
// the fix follows from the intervals of the conditions (package intervals, Handovers).
//
// Otherwise, a least fix is a least hitting set: it must exclude each bad cut C by one of {e→f : f
// in C, e not in C}. There are too many bad cuts to list. The search finds them one by one, as long
// as p fails with the orders that hit those found so far (an implicit hitting set). Every fix has
// at least as many orders as are needed to hit the cuts found. Orders that exclude the same of
// these cuts are represented by one. Hence there are at most n²·m to choose from, for n processes
// and m cuts along a run, and n²·m² in any order. Orders that close a cycle are not chosen together
// again.
package fix

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// Options bound the orders of a fix, and the search for as few as possible.
type Options struct {
	AnyOrder bool       // whether to try orders against a recorded run without a bad cut, too
	Steps    int64      // the work to find a least fix; 0 for about ten seconds
	Quick    bool       // whether to give up after Steps, and if the recorded run has a bad cut
	Bad      graphs.Cut // a cut where the formula is false; nil if none is known
	Check    rctl.Options
}

// defaultSteps replaces an Options.Steps of 0.
const defaultSteps = 1 << 25

// A Fix is a set of orders that make a formula hold: From must happen before To.
type Fix struct {
	Orders []graphs.Edge  // the orders, along Run; nil if the formula holds without any
	Run    []graphs.Event // a run that the orders permit; nil if the formula holds without any
	// Recorded reports whether Run is the recorded run. Run is another one if the recorded run is
	// unknown or has a bad cut, or if orders against it are a smaller fix.
	Recorded bool
	Observed bool // whether the recorded run is known and has a bad cut
	// whether Options allow no fix with fewer orders; the fix is irredundant in any case
	Least bool

	of *search
}

// Prevented returns a bad cut that would be possible without the i-th order of the fix. It may
// decide the formula. Its errors are those of Missing.
func (f *Fix) Prevented(i int) (graphs.Cut, error) { return f.of.violation(without(f.Orders, i)) }

// String describes the first order in one line. It returns "" if no order is missing.
func (f *Fix) String() string {
	if len(f.Orders) == 0 {
		return ""
	}
	o := f.Orders[0]
	text := f.of.c.ID(o.To) + " must wait for " + f.of.c.ID(o.From)
	if n := len(f.Orders) - 1; n > 0 {
		text += fmt.Sprintf(", and %s more", graphs.Plural(n, "order"))
	}
	return text
}

// An InfeasibleError says that no order helps: EG p fails.
type InfeasibleError struct {
	At graphs.Cut // the initial or the final cut if one of them is bad, or nil
}

func (e *InfeasibleError) Error() string {
	return "no order helps: every run passes a cut where the formula is false"
}

// An UndecidedError says that a decision during the search came out unknown.
type UndecidedError struct{ Reason string }

func (e *UndecidedError) Error() string { return e.Reason }

// ErrNotQuick says that finding a fix takes more work than Options.Quick allows.
var ErrNotQuick = errors.New("a fix takes longer to find")

// Invariant returns the p of f, which is AG p or a conjunction of such formulas, resolved or not.
// The error names a part that orders are not certain to make hold.
func Invariant(f *syntax.Formula) (*syntax.Formula, error) {
	var all []*syntax.Formula
	for _, part := range syntax.Conjuncts(syntax.NNF(f)) {
		for part.Op == syntax.OpForall && part.Quant != nil {
			part = part.Sub[0]
		}
		rule := ""
		switch {
		case part.Op == syntax.OpTrue:
			continue
		case part.Op.IsTemporal() && syntax.IsExistential(part):
			rule = "it asks for a run, and orders only take runs away"
		case part.Op != syntax.OpAG:
			rule = "write AG around the condition that is always to hold"
		case !syntax.IsPropositional(part.Sub[0]):
			rule = "what holds at a cut depends on the runs from there, and orders change those; leave out the operators within AG"
		case syntax.UsesKnowledge(part):
			rule = "what a process knows depends on the orders themselves; leave out knows"
		}
		if rule != "" {
			return nil, fmt.Errorf("%s: a fix is for AG p, p without temporal operators, and for conjunctions of such: %s",
				part.Brief(100), rule)
		}
		all = append(all, part.Sub[0])
	}
	return syntax.And(all...), nil
}

// Missing returns a fix for f, resolved in the scope of c. Its errors are that of Invariant,
// *InfeasibleError, *UndecidedError, ErrNotQuick, the errors of rctl.Check, and the error of ctx.
//
// It takes one decision of AG p if that holds, three if p is mutual exclusion and the recorded run
// has no bad cut, and otherwise about as many as there are orders, or several times that.
func Missing(ctx context.Context, c *graphs.Computation, f *syntax.Formula, opts Options) (*Fix, error) {
	p, err := Invariant(f)
	if err != nil {
		return nil, err
	}
	s, end, err := newSearch(ctx, c, p, opts)
	if err != nil {
		return nil, err
	}
	defer end()
	const fewest = 4 // the least number of decisions if orders are missing
	if opts.Quick && fewest*s.cost(c) > opts.Steps {
		return nil, ErrNotQuick
	}
	found := &Fix{Least: true, of: s}
	if opts.Bad != nil {
		s.seen = append(s.seen, opts.Bad)
	}
	if cut, err := s.violation(nil); cut == nil || err != nil {
		return found, err
	}
	if found.Run, found.Recorded, err = s.goodRun(); err != nil {
		return nil, err
	}
	found.Observed = !found.Recorded && len(c.Recorded()) > 0
	anyOrder := !found.Recorded || opts.AnyOrder
	if found.Orders, found.Least, err = s.fewest(found.Run, anyOrder); err != nil {
		return nil, err
	}
	along := slices.Concat(c.RunEdges(found.Run), found.Orders)
	if anyOrder && s.together(along) == nil { // some orders are against the run
		d := s.together(found.Orders)
		found.Run, found.Recorded = d.Topological(d.Initial(), d.Final()), false
	}
	s.nameAfter(found)
	return found, nil
}
