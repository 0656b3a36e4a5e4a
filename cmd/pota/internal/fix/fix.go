// Package fix is the command that says which orders a trace lacks: fewest orders between events
// with which AG p holds. Package rctl/fix finds them.
//
// What is printed was decided once more. The orders are written as an order file, read back, and
// added to the trace as --order does; then the formula is related to that trace anew, and must hold.
// So a formula whose meaning depends on the orders is found out.
package fix

import (
	"bytes"
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

// statuses has the exit status of each answer.
var statuses = map[string]exit.Status{
	fixed:      exit.AllHold,
	holds:      exit.AllHold,
	infeasible: exit.SomeFails,
	unknown:    exit.Undecided,
}

// An answer is what came of the search.
type answer struct {
	property syntax.Property
	e        *format.Execution // as it was read
	about    *format.Execution // with the columns of the formula
	word     string
	reason   string // of an answer that is infeasible or unknown
	fix      *fix.Fix
	shown    *syntax.Formula     // that some cut without the orders is bad
	ordered  *graphs.Computation // with the orders
	file     []byte              // the order file
}

// Run finds the orders that are missing, prints them, and writes them to the files of the options.
func Run(r *job.Run, opts Options) error {
	var write viewer.Writer
	if opts.Draw != "" {
		var err error
		if write, err = viewer.WriterFor(opts.Draw); err != nil {
			return err
		}
	}
	p, err := property(r, opts.Formulas)
	if err != nil {
		return err
	}
	in, err := load.New(r, opts.Read, load.Want{Names: true, Times: true, Places: true})
	if err != nil {
		return err
	}
	e, err := in.ReadOne(r, opts.Trace)
	if err != nil {
		return err
	}
	a := &answer{property: p, e: e, about: e}
	if err := a.find(r, opts.AnyOrder); err != nil {
		return err
	}
	if opts.JSON {
		r.JSON(r.Console.Out, a.record(), "")
	} else {
		a.print(r)
	}
	r.Worsen(statuses[a.word])

	if opts.Output != "" && a.word == fixed {
		if err := r.Output(opts.Output, "writing the orders", job.Text(string(a.file))); err != nil {
			return err
		}
	}
	if opts.Draw != "" && a.word == fixed {
		return viewer.Write(r, opts.Draw, write, a.picture())
	}
	return nil
}

// property returns the conjunction of the properties that are named.
func property(r *job.Run, from load.Formulas) (p syntax.Property, err error) {
	all, err := load.Properties(r, from)
	if err != nil {
		return p, err
	}
	var formulas []*syntax.Formula
	var sources []string
	for _, one := range all {
		if _, err := fix.Invariant(one.Formula); err != nil {
			if one.Name != "" {
				err = fmt.Errorf("%s: %w", one.Name, err)
			}
			return p, exit.Usagef("%v", err)
		}
		formulas = append(formulas, one.Formula)
		sources = append(sources, one.Source)
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return syntax.Property{Formula: syntax.And(formulas...), Source: strings.Join(sources, " && ")}, nil
}

// find looks for a fix and decides once more with it.
func (a *answer) find(r *job.Run, any bool) error {
	about, resolved, err := load.ResolveWith(r, a.property, a.e, load.Times(a.e, false))
	if err != nil {
		return a.giveUp(err)
	}
	a.about = about
	a.shown = rctl.Shown(resolved.Formula, rctl.Fails)
	options := rctl.Options{MaxMemory: r.Budget.Memory(1)}
	a.fix, err = job.Do(r, "looking for missing orders", func(ctx context.Context) (*fix.Fix, error) {
		return fix.Missing(ctx, about.Computation, resolved.Formula, fix.Options{AnyOrder: any, Check: options})
	})
	switch {
	case err != nil:
		return a.giveUp(err)
	case len(a.fix.Orders) == 0:
		a.word = holds
		return nil
	}
	if a.file, err = a.orderFile(); err != nil {
		return err
	}
	return r.Try("deciding with the orders", func(ctx context.Context) error { return a.prove(ctx, options) })
}

// giveUp takes an error for an answer, as far as it is one.
func (a *answer) giveUp(err error) error {
	undecided, open := errors.AsType[*fix.UndecidedError](err)
	none, impossible := errors.AsType[*fix.InfeasibleError](err)
	switch {
	case impossible:
		a.word, a.reason = infeasible, none.Error()
		if none.At != nil {
			a.reason = "no order helps: the formula is false at the cut " + a.cut(none.At) + ", which is on every run"
		}
	case open:
		a.word, a.reason = unknown, undecided.Reason
	case failure.IsLimit(err):
		a.word, a.reason = unknown, err.Error()
	case failure.Is[*fix.FormulaError](err):
		return exit.Usagef("%v", err)
	default:
		return fmt.Errorf("%s: %w", a.e.Name, err)
	}
	return nil
}

// orderFile writes the orders, each with the cut that it prevents.
func (a *answer) orderFile() ([]byte, error) {
	var text bytes.Buffer
	head := fmt.Sprintf("with these orders, %s holds on %s", a.property.Source, a.e.Name)
	err := order.Write(&text, a.e.Computation, a.fix.Edges(), head, func(i int) string {
		if i >= maxPrevented {
			return ""
		}
		return fmt.Sprintf("%s must wait for %s: prevents %s", a.id(a.fix.Orders[i].After), a.id(a.fix.Orders[i].Before), a.cut(a.fix.Prevented(i)))
	})
	return text.Bytes(), err
}

// prove reads the order file and decides whether the formula holds with it.
func (a *answer) prove(ctx context.Context, options rctl.Options) error {
	file, err := order.Read(bytes.NewReader(a.file), "the orders")
	if err != nil {
		return err
	}
	again := *a.e
	if again.Computation, err = file.Apply(ctx, a.e.Computation); err != nil {
		return err
	}
	a.ordered = again.Computation
	f, err := rctl.ResolveWith(ctx, again.Computation, a.property.Formula, load.Times(&again, false))
	if err != nil {
		return err
	}
	res, err := rctl.Check(ctx, f.Computation, f.Formula, options)
	switch {
	case err != nil:
		return err
	case res.Verdict == rctl.Unknown:
		a.word, a.reason = unknown, res.Reason
	case res.Verdict == rctl.Fails:
		a.word = unknown
		a.reason = "what the formula says depends on the orders themselves: with those that it lacks, it says something else"
	default:
		a.word = fixed
	}
	return nil
}

// maxPrevented bounds the orders that are told with the cut that they prevent: to find one takes a
// look at the whole trace.
const maxPrevented = 50

// picture shows the trace with the orders, and the cut that the first of them prevents.
func (a *answer) picture() draw.Picture {
	p := draw.Picture{Of: a.ordered, Title: fmt.Sprintf("%s: %s, with %s more", a.e.Name, a.property.Source, graphs.Plural(len(a.fix.Orders), "order"))}
	for i, o := range a.fix.Orders {
		m := draw.Missing{Edge: graphs.Edge{From: o.Before, To: o.After}}
		if i < maxPrevented {
			m.Why = "it prevents the cut " + a.cut(a.fix.Prevented(i))
		}
		p.Missing = append(p.Missing, m)
	}
	return p
}

// maxProcesses bounds the processes that a cut is written with.
const maxProcesses = 20

// cut writes a cut, as witnesses have it.
func (a *answer) cut(cut graphs.Cut) string {
	var all []string
	for p, k := range cut {
		if k > 0 {
			all = append(all, fmt.Sprintf("%s:%d", a.e.Computation.Processes()[p], k))
		}
	}
	if all == nil {
		return "without events"
	}
	if n := len(all); n > maxProcesses {
		all = append(all[:maxProcesses], fmt.Sprintf("%d more", n-maxProcesses))
	}
	return strings.Join(all, " ")
}

// id is an event with its label or, where it has none, what it assigns of the formula's variables.
func (a *answer) id(e graphs.Event) string {
	c := a.e.Computation
	text := c.Label(e)
	if text == "" {
		text = a.fix.Assigned(e)
	}
	if text == "" {
		return c.ID(e)
	}
	return c.ID(e) + " (" + graphs.Shorten(text, 60) + ")"
}
