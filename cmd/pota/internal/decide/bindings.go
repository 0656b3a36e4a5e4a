package decide

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// byBinding decides a formula about data binding by binding. It returns nil for others, and where
// something is asked for that is about one formula alone.
func (d *decider) byBinding(k execution, r *present.Record, p syntax.Property, times scope.Times) *bindings.Result {
	if syntax.NewTemplate(p.Formula) == nil || d.opts.Engine == Spin || d.opts.CrossCheck || d.opts.Certify {
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
		return new(bindings.Result)
	}

	notes := d.notes(k, p.Formula, p.Formula, res)
	for _, text := range found.Notes() {
		notes = append(notes, report.Note{Kind: report.Vacuous, Text: text})
	}
	d.complete(k, r, res, time.Since(begun), notes)
	r.NoRun = ""
	r.Bindings, r.Bound = RecordOf(found), found.Text()
	for i, b := range found.First {
		if b.Result == nil || b.Result.Evidence == nil {
			continue
		}
		r.Runs = append(r.Runs, present.Run{
			Of:          b.Text(),
			Binding:     i,
			Formula:     b.Formula,
			Evidence:    b.Result.Evidence,
			Computation: b.Computation,
			Context:     d.run.Context,
			Full:        d.opts.Full,
		})
	}
	return found
}

// RecordOf returns the bindings for the record of a verdict.
func RecordOf(found *bindings.Result) *report.Bindings {
	all := &report.Bindings{Total: found.Total, First: []report.Binding{}}
	if found.Op == syntax.OpForall {
		all.Failing = &found.Decisive
	} else {
		all.Satisfying = &found.Decisive
	}
	for _, b := range found.First {
		var one report.Binding
		for _, name := range b.Bound {
			value := json.RawMessage(name.Text)
			if name.IsEvent {
				value, _ = json.Marshal(name.Text) // a string is always encodable
			}
			one.Names = append(one.Names, name.Name)
			one.Values = append(one.Values, value)
		}
		all.First = append(all.First, one)
	}
	return all
}
