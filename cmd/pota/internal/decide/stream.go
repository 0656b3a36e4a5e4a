package decide

import (
	"fmt"
	"slices"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/decide/outofcore"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/graphs/timer"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/online"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

// stream decides properties on a trace of which package outofcore holds only a window in memory.
func (d *decider) stream(k execution, properties []syntax.Property, to present.Reporter) {
	// One pass decides all properties, so they do not divide the limits.
	made, err := outofcore.Decide(k.Path, properties, outofcore.Options{
		Read:    d.in.Format().Options,
		Shared:  !d.in.Format().NoSharedClock,
		MaxHeld: d.opts.MaxHeld,
		Step:    d.run.Try,
		Note:    func(text string) { d.run.Note("%s", text) },
	})
	if err != nil && !failure.IsLimit(err) {
		to.Verdict(present.Unread(k.Path, err))
		return
	}
	for i, p := range properties {
		r := k.record(i, p)
		// Answers are in the order in which they became final, records in the order of the properties.
		at := slices.IndexFunc(made.Answers, func(a online.Answer) bool { return a.Property == i })
		switch {
		case at < 0:
			d.giveUp(k, r, nil, 0, err)
		case made.Answers[at].Misfit != nil:
			misfit := failure.InProperty(p, made.Answers[at].Misfit)
			d.giveUp(k, r, nil, 0, fmt.Errorf("%s: %w", k.Path, misfit))
		default:
			took := made.Elapsed / time.Duration(len(properties)) // they are decided together
			d.streamed(k, r, made, made.Answers[at], took)
		}
		// The sizes are those of the whole trace, known only after the pass.
		if r.Verdict != "" {
			r.Stats = made.Sizes
		}
		to.Verdict(r)
	}
}

// streamed fills in an answer.
func (d *decider) streamed(k execution, r *present.Record, made *outofcore.Decision, a online.Answer, took time.Duration) {
	var notes []report.Note
	why := made.LowerBound
	if why == "" && made.Monitor.Stream().EndedTimers() > 0 && !syntax.AboutCuts(r.Property.Formula) {
		why = timer.Inexact
	}
	if why != "" && !rctl.Sound(made.Monitor.Formula(a.Property), a.Verdict) {
		notes = []report.Note{{Kind: report.Spurious, Text: why}}
	}
	d.complete(k, r, &rctl.Result{
		Verdict: a.Verdict,
		Reason:  a.Reason,
		Class:   syntax.Classify(r.Property.Formula),
	}, took, notes)
	// Part of a run can be shown, so the reason for showing none does not apply.
	if a.Cut != nil {
		r.NoRun = ""
		r.Witness = report.NewPart(a.Verdict, made.Monitor.Stream().Processes(), a.Cut, a.Steps)
		r.Witness.Remarks = []string{"the steps are events that change what some formula speaks of, and were in the window then"}
	}
}
