// Package fix is the command that names the orders a trace lacks: as few orders between events as
// make AG p hold. Package rctl/fix finds them.
//
// Example: AG(!(holds@A && holds@B)) fails on testdata/lock.jsonl. The answer is that l2, the end
// of A's lease, must wait for a3, where A lets the lock go. -o writes that as {"edge":["a3","l2"]}.
//
// # Proof
//
// Each answer is proven by another decision. The orders are written as an order file, read back,
// and added to the trace as --order does. Then the formula is resolved on that trace anew, and must
// hold. So a formula that changes its meaning with the orders is found out: the answer is unknown.
//
// # Answers
//
//	fixed       orders are missing, and the formula holds with them
//	holds       the formula holds already
//	infeasible  every run has a cut where the formula is false, so no order helps
//	unknown     a limit came first, or the proof failed
//
// # Complexity
//
// Beside the search of rctl/fix, an answer takes one decision for its proof, and one for each order
// that is listed (at most maxListed): it finds a cut that this order alone excludes.
package fix

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/viewer"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/draw"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/order"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/fix"
	"github.com/pota-project/pota/rctl/syntax"
)

// Options choose the trace, the formula and the results.
type Options struct {
	Trace    string
	Formulas load.Formulas
	Read     load.Options
	AnyOrder bool   // also orders against the recorded one
	Output   string // order file, "" for none
	Draw     string // picture, "" for none
	JSON     bool
}

// The words that sum up an answer.
const (
	fixed      = "fixed"
	holds      = "holds"      // nothing is missing
	infeasible = "infeasible" // no order helps
	unknown    = "unknown"
)

// An answer is the outcome of the search.
//
// The fields from fix on are set in this order: fix by the search, prevents from it, and file and
// ordered by the proof. So an answer that is not fixed may have the first of them.
type answer struct {
	property syntax.Property
	e        *format.Execution // as it was read
	about    *format.Execution // with the columns of the formula
	resolved *syntax.Formula
	options  rctl.Options

	word     string
	reason   string // for infeasible and unknown
	fix      *fix.Fix
	prevents []graphs.Cut        // by the first orders
	ordered  *graphs.Computation // with the orders
	file     bytes.Buffer        // with the orders
}

// Run finds the orders that are missing, prints them, and writes them to the files of the options.
// Its exit status tells the answers apart.
func Run(r *job.Run, opts Options) error {
	// Mistakes in the arguments come before the trace is read.
	write, err := viewer.WriterFor(cmp.Or(opts.Draw, ".svg"))
	if err != nil {
		return err
	}
	all, err := load.Properties(r, opts.Formulas)
	if err != nil {
		return err
	}
	if len(all) != 1 {
		return exit.Usagef("a fix is of one property, and there are %d: --property names one", len(all))
	}
	a := &answer{property: all[0], word: fixed, options: rctl.Options{MaxMemory: r.Budget.Memory(1)}}
	if _, err := fix.Invariant(a.property.Formula); err != nil {
		return exit.Usagef("%v", err)
	}

	// Labels are for the answer, times and lines for the recorded order.
	in, err := load.New(r, opts.Read, load.Want{Names: true, Times: true, Places: true})
	if err != nil {
		return err
	}
	if a.e, err = in.ReadOne(r, opts.Trace); err != nil {
		return err
	}
	a.about, a.resolved, err = load.Resolve(r, a.property, a.e)
	if err == nil {
		err = r.Try("looking for missing orders", func(ctx context.Context) error { return a.find(ctx, opts.AnyOrder) })
	}
	if err := a.giveUp(r, err); err != nil {
		return err
	}
	if opts.JSON {
		r.JSON(r.Console.Out, a.record(), "")
	} else {
		a.print(r)
	}
	if a.word != fixed {
		return nil // older files are kept
	}
	if opts.Output != "" {
		if err := r.Output(opts.Output, "writing the orders", job.Text(a.file.String())); err != nil {
			return err
		}
	}
	if opts.Draw == "" {
		return nil
	}
	p := draw.Picture{
		Of:    a.ordered,
		Title: fmt.Sprintf("%s: %s with %s more", a.e.Name, a.property.Source, graphs.Plural(len(a.fix.Orders), "order")),
	}
	for i, o := range a.fix.Orders {
		p.Missing = append(p.Missing, draw.Missing{Edge: o, Why: a.why(i)})
	}
	return viewer.Write(r, opts.Draw, write, p)
}

// find looks for a fix, and decides once more with it. The word of the answer was fixed at first,
// and stays so if both succeed.
func (a *answer) find(ctx context.Context, anyOrder bool) (err error) {
	opts := fix.Options{AnyOrder: anyOrder, Check: a.options}
	if a.fix, err = fix.Missing(ctx, a.about.Computation, a.resolved, opts); err != nil {
		return err
	}
	// No orders at all are a fix, too: the formula holds already.
	if len(a.fix.Orders) == 0 {
		a.word = holds
		return nil
	}

	// Each cut may take a decision, so only orders that are listed get one.
	for i := range min(len(a.fix.Orders), maxListed) {
		cut, err := a.fix.Prevented(i)
		if err != nil {
			return err
		}
		a.prevents = append(a.prevents, cut)
	}
	return a.prove(ctx)
}

// prove writes the order file, reads it, and decides whether the formula holds with it. The way
// through the file is on purpose: the proof is about the file that the user gets.
//
// A formula that speaks of orders itself, such as one about happened-before, may fail in the end.
// That is an *fix.UndecidedError, not a fault of the search: it took the formula for fixed.
func (a *answer) prove(ctx context.Context) error {
	head := fmt.Sprintf("with these orders, %s holds on %s", a.property.Source, a.e.Name)
	err := order.Write(&a.file, a.e.Computation, a.fix.Orders, head, a.why)
	if err != nil {
		return err
	}
	file, err := order.Read(a.file.Bytes(), "the orders")
	if err != nil {
		return err
	}

	// A copy: the answer is printed with the trace before the orders.
	again := *a.e
	if again.Computation, err = file.Apply(ctx, a.e.Computation); err != nil {
		return err
	}
	a.ordered = again.Computation

	// The formula may range over what the orders change.
	f, err := rctl.ResolveWith(ctx, again.Computation, a.property.Formula, load.Times(&again, false))
	if err != nil {
		return err
	}
	res, err := rctl.Check(ctx, f.Computation, f.Formula, a.options)
	switch {
	case err != nil:
		return err
	case res.Verdict == rctl.Unknown:
		return &fix.UndecidedError{Reason: res.Reason}
	case res.Verdict == rctl.Fails:
		return &fix.UndecidedError{Reason: "with the orders that it lacks, the formula has another meaning: it speaks of orders itself"}
	}
	return nil
}

// giveUp takes an error, if any, for an answer if it is one, which makes the exit status worse.
// Otherwise it returns the error, with the name of the trace where the trace is at fault.
func (a *answer) giveUp(r *job.Run, err error) error {
	none, impossible := errors.AsType[*fix.InfeasibleError](err)
	switch {
	case err == nil:
	case impossible:
		r.Worsen(exit.SomeFails)
		a.word, a.reason = infeasible, none.Error()
		if none.At != nil {
			a.reason = "no order helps: the formula is false at the cut " + a.cut(none.At) + ", which is on every run"
		}
	case failure.IsLimit(err) || failure.Is[*fix.UndecidedError](err):
		r.Worsen(exit.Undecided)
		a.word, a.reason = unknown, err.Error()
	case a.about == nil:
		return err // with the name already
	default:
		return fmt.Errorf("%s: %w", a.e.Name, err)
	}
	return nil
}

// why names the cut that the i-th order prevents, "" for orders past maxListed. The order file has
// it as a comment, and the picture at the arrow.
func (a *answer) why(i int) string {
	if i >= len(a.prevents) {
		return ""
	}
	return "prevents the cut " + a.cut(a.prevents[i])
}
