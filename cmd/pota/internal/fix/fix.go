// Package fix is the command that names the orders a trace lacks: as few orders between events as
// make AG p hold. Package rctl/fix finds them.
//
// Example: AG(!(holds@A && holds@B)) fails on testdata/lock.jsonl. The answer is that l2, the end of
// A's lease, must wait for a3, where A lets the lock go. -o writes that as {"edge":["a3","l2"]}.
//
// # Proof
//
// Each answer is proven by another decision. The orders are written as an order file, read back, and
// added to the trace as --order does. Then the formula is resolved on that trace anew, and must hold.
// So a formula that changes its meaning with the orders is found out: the answer is unknown.
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
	"strings"

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
	proven   *syntax.Formula   // the property, and what holds already
	passed   []passed          // of what was asked
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
// Its exit status tells the answers apart: it gets worse for infeasible and for unknown.
func Run(r *job.Run, opts Options) error {
	// Mistakes in the arguments come before the trace is read.
	var write viewer.Writer
	if opts.Draw != "" {
		var err error
		if write, err = viewer.WriterFor(opts.Draw); err != nil {
			return err
		}
	}
	all, err := load.Properties(r, opts.Formulas)
	if err != nil {
		return err
	}
	a := &answer{word: fixed, options: rctl.Options{MaxMemory: r.Budget.Memory(1)}}
	asked, err := a.invariants(all)
	if err != nil {
		return err
	}

	// Labels and lines are for the answer, times for the recorded order.
	in, err := load.New(r, opts.Read, load.Want{Names: true, Times: true, Places: true})
	if err != nil {
		return err
	}
	if a.e, err = in.ReadOne(r, opts.Trace); err != nil {
		return err
	}
	if err := a.find(r, asked, opts.AnyOrder); err != nil {
		if err = a.giveUp(err); err != nil {
			return err
		}
	}
	if opts.JSON {
		r.JSON(r.Console.Out, a.record(), "")
	} else {
		a.print(r)
	}
	return a.write(r, opts, write)
}

// write writes the files of the options, and turns the answer into an exit status. Files are
// written for a fix alone: an older one is kept.
func (a *answer) write(r *job.Run, opts Options, picture viewer.Writer) (err error) {
	switch {
	case a.word == infeasible:
		r.Worsen(exit.SomeFails)
	case a.word == unknown:
		r.Worsen(exit.Undecided)
	case a.word == fixed && opts.Output != "":
		err = r.Output(opts.Output, "writing the orders", job.Text(a.file.String()))
	}
	if err == nil && a.word == fixed && opts.Draw != "" {
		err = viewer.Write(r, opts.Draw, picture, a.picture())
	}
	return err
}

// invariants returns the properties that a fix can be for, and passes over the others. It is an error
// if there are only others.
func (a *answer) invariants(all []syntax.Property) (asked []syntax.Property, err error) {
	for _, p := range all {
		_, wrong := fix.Invariant(p.Formula)
		if why, ok := errors.AsType[*fix.FormulaError](wrong); ok {
			a.pass(p, why.Rule)
			err = cmp.Or(err, exit.Usagef("%s", strings.TrimPrefix(p.Name+": "+why.Error(), ": ")))
			continue
		}
		asked = append(asked, p)
	}
	if len(asked) > 0 {
		err = nil
	}
	return asked, err
}

// pass notes that the fix is not for a property.
func (a *answer) pass(p syntax.Property, why string) {
	a.passed = append(a.passed, passed{Property: cmp.Or(p.Name, p.Source), Reason: why})
}

// failing returns the properties that fail on the trace, and passes over the others. Orders take cuts away
// only, so those keep holding. The exception are formulas about orders: see prove. If all hold, it
// returns all.
func (a *answer) failing(r *job.Run, asked []syntax.Property) ([]syntax.Property, error) {
	if len(asked) == 1 {
		return asked, nil // the search decides it
	}
	var holding, failing []syntax.Property
	for _, p := range asked {
		about, resolved, err := load.ResolveWith(r, p, a.e, load.Times(a.e, false))
		if err != nil {
			return nil, err
		}
		res, err := job.Do(r, "deciding", func(ctx context.Context) (*rctl.Result, error) {
			return rctl.Check(ctx, about.Computation, resolved.Formula, a.options)
		})
		switch {
		case err != nil:
			return nil, err
		case res.Verdict == rctl.Holds:
			holding = append(holding, p)
		default:
			failing = append(failing, p)
		}
	}
	if failing == nil {
		return asked, nil
	}
	for _, p := range holding {
		a.pass(p, "it holds")
	}
	return failing, nil
}

// conjunction returns the property that all of some hold: AG p && AG q is AG (p && q), an invariant,
// too. One property keeps its name.
func conjunction(all []syntax.Property) syntax.Property {
	if len(all) == 1 {
		return all[0]
	}
	var formulas []*syntax.Formula
	var sources []string
	for _, p := range all {
		formulas = append(formulas, p.Formula)
		sources = append(sources, p.Source)
	}
	return syntax.Property{Formula: syntax.And(formulas...), Source: strings.Join(sources, " && ")}
}

// find looks for a fix of the properties that fail, and decides once more with it. The word of the
// answer was fixed at first, and stays so if both succeed.
func (a *answer) find(r *job.Run, asked []syntax.Property, anyOrder bool) error {
	a.property = conjunction(asked)
	a.proven = a.property.Formula
	asked, err := a.failing(r, asked)
	if err != nil {
		return err
	}
	a.property = conjunction(asked)
	about, resolved, err := load.ResolveWith(r, a.property, a.e, load.Times(a.e, false))
	if err != nil {
		return err
	}
	a.about, a.resolved = about, resolved.Formula
	return r.Try("looking for missing orders", func(ctx context.Context) error {
		opts := fix.Options{AnyOrder: anyOrder, Check: a.options}
		a.fix, err = fix.Missing(ctx, about.Computation, a.resolved, opts)
		if err != nil {
			return err
		}
		// No orders at all are a fix, too: the formula holds already.
		if len(a.fix.Orders) == 0 {
			a.word = holds
			return nil
		}

		// Each cut takes a decision, so only orders that are listed get one.
		for i := range min(len(a.fix.Orders), maxListed) {
			cut, err := a.fix.Prevented(i)
			if err != nil {
				return err
			}
			a.prevents = append(a.prevents, cut)
		}
		return a.prove(ctx)
	})
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
	file, err := order.Read(bytes.NewReader(a.file.Bytes()), "the orders")
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
	f, err := rctl.ResolveWith(ctx, again.Computation, a.proven, load.Times(&again, false))
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

// giveUp takes an error for an answer, if it is one. Otherwise it returns the error, with the name
// of the trace where the trace is at fault.
func (a *answer) giveUp(err error) error {
	none, impossible := errors.AsType[*fix.InfeasibleError](err)
	switch {
	case impossible:
		a.word, a.reason = infeasible, none.Error()
		if none.At != nil {
			a.reason = "no order helps: the formula is false at the cut " + a.cut(none.At) + ", which is on every run"
		}
	case failure.IsLimit(err) || failure.Is[*fix.UndecidedError](err):
		a.word, a.reason = unknown, err.Error()
	case failure.Is[*fix.FormulaError](err):
		return exit.Usagef("%v", err)
	case failure.Is[*syntax.PropertyError](err):
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

// picture shows the trace with the orders.
func (a *answer) picture() draw.Picture {
	more := graphs.Plural(len(a.fix.Orders), "order")
	p := draw.Picture{
		Of:    a.ordered,
		Title: fmt.Sprintf("%s: %s with %s more", a.e.Name, a.property.Source, more),
	}
	for i, o := range a.fix.Orders {
		p.Missing = append(p.Missing, draw.Missing{Edge: o, Why: a.why(i)})
	}
	return p
}
