package decide

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// byBinding decides a formula about data binding by binding. It returns nil for other formulas, and
// for options that need a single formula: SPIN, and the comparison of engines.
func (d *decider) byBinding(k execution, r *present.Record, p syntax.Property, times scope.Times) *bindings.Result {
	if syntax.NewTemplate(p.Formula) == nil || d.opts.Engine == Spin || d.opts.CrossCheck {
		return nil
	}
	opts := bindings.Options{
		Options: d.engineOptions(),
		First:   d.opts.Bindings,
		Only:    d.opts.Binding,
		Times:   times,
	}
	opts.Cuts = false // the computations are small
	begun := time.Now()
	of := k.Execution.Computation
	var found *bindings.Result
	res, err := job.Decide(d.run, "deciding", d.rounds(int(d.left.Load())), func(ctx context.Context) (*rctl.Result, error) {
		var err error
		if found, err = bindings.Check(ctx, of, p.Formula, opts); err != nil {
			return nil, err
		}
		return found.Summary(), nil
	})
	if err != nil {
		if failure.Is[*syntax.Error](err) {
			err = fmt.Errorf("%s: %w", k.Execution.Name, failure.InProperty(p, err))
		}
		d.giveUp(k, r, res, time.Since(begun), err)
		// without a result, the work may still be running
		if res != nil && found != nil && found.Stopped {
			r.Reason += fmt.Sprintf("; %s were decided until then", graphs.Plural(found.Total, "binding"))
		}
		return new(bindings.Result)
	}

	notes := d.notes(k, p.Formula, p.Formula, res)
	for _, text := range found.Notes() {
		notes = append(notes, report.Note{Kind: report.Vacuous, Text: text})
	}
	for _, text := range found.Chosen {
		notes = append(notes, report.Note{Kind: report.Assumed, Text: text})
	}
	if d.opts.Certify && res.Verdict != rctl.Unknown {
		r.Certificate, r.Err = d.certifyBindings(k, p, found, res, times)
	}
	d.complete(k, r, res, time.Since(begun), notes)
	r.NoRun = ""
	r.Bindings, r.Bound = RecordOf(found), found.Text()
	if found.Margin != nil {
		r.Margin = d.margin(k, found.Margin, found.Near)
	}
	for i, b := range found.First {
		if b.Result == nil || b.Result.Evidence == nil {
			continue
		}
		r.Runs = append(r.Runs, present.Run{
			Of:          b.Text(),
			Binding:     i,
			Formula:     b.Formula,
			Resolved:    b.Resolved,
			Evidence:    b.Result.Evidence,
			Computation: b.Computation,
			Context:     d.run.Context,
			Full:        d.opts.Full,
		})
	}
	return found
}

// maxWhole bounds how many bindings a formula may have to be certified as a whole. Such a proof
// relies only on the definition, but grows with each binding.
const maxWhole = 32

// certifyBindings makes the certificate of a verdict that was found by binding. It certifies shape
// by shape, unless there are few bindings or each was decided on the whole computation.
func (d *decider) certifyBindings(k execution, p syntax.Property, found *bindings.Result, res *rctl.Result, times scope.Times) ([]byte, error) {
	if found.Whole == "" && found.Total > maxWhole {
		return d.certify(k.Execution, nil, p, res)
	}
	e, resolved, err := load.ResolveWith(d.run, p, k.Execution, times)
	if err != nil { // at a limit, a certificate without a proof states the verdict to decide again
		return d.certify(k.Execution, nil, p, res)
	}
	session := rctl.NewSession(e.Computation)
	whole, err := job.Do(d.run, "deciding", func(ctx context.Context) (*rctl.Result, error) {
		opts := d.engineOptions()
		opts.Engine = rctl.Auto
		return session.Check(ctx, resolved.Formula, opts)
	})
	if err != nil || whole.Verdict != res.Verdict {
		return d.certify(k.Execution, nil, p, res)
	}
	return d.certify(e, session, p, whole)
}

// RecordOf returns bindings in the form for the record of a verdict.
func RecordOf(found *bindings.Result) *report.Bindings {
	all := &report.Bindings{Total: found.Total, First: []report.Binding{}}
	if found.Op == syntax.OpForall {
		all.Failing = &found.Decisive
	} else {
		all.Satisfying = &found.Decisive
	}
	for _, b := range found.First {
		all.First = append(all.First, bound(b.Bound))
	}
	return all
}

// bound returns the values that names stand for, in the form for a record.
func bound(names []syntax.Bound) report.Binding {
	var one report.Binding
	for _, name := range names {
		value := json.RawMessage(name.Text)
		if name.IsEvent {
			value, _ = json.Marshal(name.Text) // a string is always encodable
		}
		one.Names = append(one.Names, name.Name)
		one.Values = append(one.Values, value)
	}
	return one
}

// margin returns the margin of a verdict, in the form for a record. names are the bound names in
// front of the formula.
//
// Example: for "within 2 s" and events at 1.0 s and 2.9 s, Bound is 2e9 and Took is 1.9e9. With
// several clocks Began and Took are on corrected time. Off is then the correction of a reading.
func (d *decider) margin(k execution, m *syntax.Margin, names []syntax.Bound) *report.Margin {
	made := &report.Margin{
		What:     m.What,
		Relation: m.Rel.String(),
		Bound:    nanoseconds(m.Bound),
		From:     d.moment(k, m.From),
		To:       d.moment(k, m.To),
	}
	if m.Seconds != nil {
		took := nanoseconds(m.Seconds)
		made.Took = &took
	}
	if m.Began != nil {
		began := nanoseconds(m.Began)
		made.From.Off = began - d.reading(k, m.From)
		made.To.Off = began + *made.Took - d.reading(k, m.To)
	}
	if names != nil {
		one := bound(names)
		made.Binding = &one
	}
	return made
}

// reading returns the time of an event in nanoseconds. A margin has only events with readable
// times, so there is no error.
func (d *decider) reading(k execution, e graphs.Event) int64 {
	at, _, _ := k.Execution.Computation.Instant(e, d.in.Unit)
	return at
}

// moment describes an event. It returns nil for graphs.Bottom.
func (d *decider) moment(k execution, e graphs.Event) *report.Moment {
	if e == graphs.Bottom {
		return nil
	}
	return &report.Moment{Event: report.EventOf(k.Execution.Computation, e)}
}

// nanoseconds converts seconds to nanoseconds, and truncates the result.
func nanoseconds(seconds *big.Rat) int64 {
	n := new(big.Rat).Mul(seconds, big.NewRat(1e9, 1))
	return new(big.Int).Quo(n.Num(), n.Denom()).Int64()
}
