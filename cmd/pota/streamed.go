package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/decide/outofcore"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/online"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

// notStreamed are the flags of detect that need all of a trace at once, or another format.
var notStreamed = []string{"engine", "cross-check", "spin-slice", "skew-sweep", "no-projection", "show", "certificate", "map", "order", "skew", "execution", "regexp", "delimiter", "assign"}

// checkStreamed refuses what --stream excludes.
func checkStreamed(c *cli.Context) error {
	if !c.Bool("stream") {
		return nil
	}
	for _, flag := range notStreamed {
		if c.IsSet(flag) {
			return usagef("--stream and --%s exclude each other: a stream is read in the native format, event by event", flag)
		}
	}
	if input := c.String("input"); input != "auto" && input != "native" {
		return usagef("--stream reads the native format, not %s: convert the trace first (pota convert)", input)
	}
	return nil
}

// maxHeld is outofcore.Options.MaxHeld; tests change it.
var maxHeld = 0

// streamed decides all formulas on a trace of which only a window is kept.
func (d *detection) streamed(path string) {
	made, err := outofcore.Decide(path, d.properties, outofcore.Options{
		Read:    d.in.options.Options,
		MaxHeld: maxHeld,
		Step:    func(doing string, work func(context.Context) error) error { return try(d.session, doing, work) },
		Note:    func(text string) { d.note("%s", text) },
	})
	if err != nil && !is[*limitError](err) {
		d.wrong(path, err)
		d.show.refusal(d, path, err)
		return
	}
	for k, p := range d.properties {
		v := &decision{
			detection: d,
			trace:     path,
			execution: &format.Execution{Name: path},
			index:     k,
			property:  p,
			window:    &window{sizes: made.Sizes},
		}
		i := slices.IndexFunc(made.Answers, func(a online.Answer) bool { return a.Property == k })
		switch {
		case i < 0:
			v.giveUp(nil, err)
		case made.Answers[i].Misfit != nil:
			v.giveUp(nil, fmt.Errorf("%s: %w", path, misfit(p, made.Answers[i].Misfit)))
		default:
			a := made.Answers[i]
			v.result = &rctl.Result{Verdict: a.Verdict, Reason: a.Reason, Class: syntax.Classify(p.Formula)}
			v.elapsed = made.Elapsed / time.Duration(len(d.properties)) // they are decided together
			if a.Cut != nil {
				v.window.cut = &report.Cut[int64]{Processes: made.Processes()[:len(a.Cut)], Counts: a.Cut}
				v.window.steps = a.Steps
			}
			if made.LowerBound != "" && !rctl.Sound(made.Formula(k), a.Verdict) {
				v.notes = append(v.notes, note{Kind: noteSpurious, Text: made.LowerBound})
			}
		}
		d.tell(v)
	}
}

// A window is what --stream knows of a trace and of a verdict.
type window struct {
	sizes report.Known
	cut   *report.Cut[int64] // that a run leads to which shows the verdict, nil for none
	steps []string           // ids of events of the run, as far as they were kept
}

// partly says what the steps of a window leave out.
const partly = "the steps are events that change what some formula speaks of, and were in the window then"

// text is the run of a window for people, "" for none.
func (w *window) text() string {
	if w == nil || w.cut == nil {
		return ""
	}
	var cut []string
	for p, name := range w.cut.Processes {
		cut = append(cut, fmt.Sprintf("%s:%d", name, w.cut.Counts[p]))
	}
	text := "a run to the cut " + graphs.List(cut, 20)
	if len(w.steps) > 0 {
		text += ", by way of " + graphs.List(w.steps, 20)
	}
	return text
}
