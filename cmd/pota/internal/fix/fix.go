// Package fix is the command that names the orders that a trace lacks: as few orders between events
// as possible that make AG p hold. Package rctl/fix finds them.
//
// Example: AG(!(holds@A && holds@B)) fails on testdata/lock.jsonl. The answer is that l2, the end
// of A's lease, must wait for a3, where A releases the lock. -o writes that as
// {"edge":["a3","l2"]}.
//
// # Proof
//
// Each answer is proven by a second decision. The orders are written as an order file, read back,
// and added to the trace as --order does. The formula is then resolved again on that trace, and
// must hold. If the orders change the meaning of the formula, this check may fail, and the answer
// is then unknown.
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
// In addition to the search of rctl/fix, an answer needs one decision for its proof, and one for
// each listed order (at most maxListed), which finds a cut that only this order excludes.
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
	AnyOrder bool   // allow orders that contradict the recorded one
	Output   string // the order file; "" for none
	Draw     string // the file for a picture; "" for none
	JSON     bool
}

// The possible answers.
const (
	fixed      = "fixed"
	holds      = "holds"      // nothing is missing
	infeasible = "infeasible" // no order helps
	unknown    = "unknown"
)

// An answer is the outcome of the search.
//
// The fields from fix on are set in order: the search sets fix, prevents is derived from it, and
// the proof sets file and ordered. So an answer other than fixed may have some of them.
type answer struct {
	property syntax.Property
	e        *format.Execution // the execution as it was read
	about    *format.Execution // the execution with the columns of the formula
	resolved *syntax.Formula
	options  rctl.Options

	word     string
	reason   string // why the answer is infeasible or unknown
	fix      *fix.Fix
	prevents []graphs.Cut        // cuts that the first orders prevent, one each
	ordered  *graphs.Computation // the computation with the orders
	file     bytes.Buffer        // the order file
}

// Run finds the missing orders, prints them, and writes them to the files in the options. The exit
// status depends on the answer.
func Run(r *job.Run, opts Options) error {
	// Report mistakes in the arguments before reading the trace.
	write, err := viewer.WriterFor(cmp.Or(opts.Draw, ".svg"))
	if err != nil {
		return err
	}
	all, err := load.Properties(r, opts.Formulas)
	if err != nil {
		return err
	}
	if len(all) != 1 {
		return exit.Usagef("a fix is for one property, and there are %d: --property selects one", len(all))
	}
	a := &answer{property: all[0], word: fixed, options: rctl.Options{MaxMemory: r.Budget.Memory(1)}}
	if _, err := fix.Invariant(a.property.Formula); err != nil {
		return exit.Usagef("%v", err)
	}

	// The answer needs labels, and the recorded order needs times and lines.
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
		return nil // keep existing files
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

// find searches for a fix, and decides again with it. The word of the answer is fixed initially,
// and stays fixed if both succeed.
func (a *answer) find(ctx context.Context, anyOrder bool) (err error) {
	opts := fix.Options{AnyOrder: anyOrder, Check: a.options}
	if a.fix, err = fix.Missing(ctx, a.about.Computation, a.resolved, opts); err != nil {
		return err
	}
	// An empty fix means that the formula already holds.
	if len(a.fix.Orders) == 0 {
		a.word = holds
		return nil
	}

	// Each cut may need a decision, so only listed orders get one.
	for i := range min(len(a.fix.Orders), maxListed) {
		cut, err := a.fix.Prevented(i)
		if err != nil {
			return err
		}
		a.prevents = append(a.prevents, cut)
	}
	return a.prove(ctx)
}

// prove writes the order file, reads it back, and decides whether the formula holds with it. It
// uses the file deliberately, so that the proof is about the file that the user gets.
//
// A formula about orders, such as one about happened-before, may fail in the end. That is a
// *fix.UndecidedError, not a fault of the search, which assumes that orders do not change the
// formula.
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

	// Make a copy, since the answer is printed with the trace without the orders.
	again := *a.e
	if again.Computation, err = file.Apply(ctx, a.e.Computation); err != nil {
		return err
	}
	a.ordered = again.Computation

	// The orders may change the domains of the formula's quantifiers.
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

// giveUp turns an error into an answer if it is one, and worsens the exit status. It returns any
// other error, with the name of the trace if the trace is at fault. A nil error has no effect.
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
		return err // the error already has the name
	default:
		return fmt.Errorf("%s: %w", a.e.Name, err)
	}
	return nil
}

// why describes the cut that the i-th order prevents. It returns "" for orders beyond maxListed.
// The text is a comment in the order file, and the label of the arrow in the picture.
func (a *answer) why(i int) string {
	if i >= len(a.prevents) {
		return ""
	}
	return "prevents the cut " + a.cut(a.prevents[i])
}
