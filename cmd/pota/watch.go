package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/online"
	"github.com/pota-project/pota/rctl/syntax"
)

func (s *session) watchCommand() *cli.Command {
	return s.command(0, -1, cli.Command{
		Name:      "watch",
		Usage:     "decide properties while the events of an execution arrive",
		ArgsUsage: "-f PROPERTIES [SOURCE...] | --property PATTERN [SOURCE...]",
		Description: "A SOURCE is a log in the native format that grows, a directory of such logs,\n" +
			"or - for standard input, which is also meant where there is none; all are of one\n" +
			"execution. Logs are followed, also when they are rotated or truncated.\n\n" +
			"Exit status: 0 every property holds, 1 some fails, 2 bad usage or input, 3 some is\n" +
			"open or undecided.\n\n" +
			"   program | pota watch -f properties.txt\n" +
			"   pota watch --json --until-final -f properties.txt logs/",
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "properties", Aliases: []string{"f"}, Usage: "decide the formulas of `FILE`, one `name: formula` a line"},
			&cli.StringSliceFlag{Name: "property", Aliases: []string{"p"}, Usage: "decide a `PATTERN` such as mutex:cs, or of the file that -f names only the property of that name; may be repeated"},
			&cli.BoolFlag{Name: "json", Usage: "print a JSON object a line for each answer"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print nothing: the exit status is the answer"},
			&cli.BoolFlag{Name: "until-final", Usage: "end when all answers are final"},
			&cli.BoolFlag{Name: "to-end", Usage: "read files up to their ends, and do not wait for more"},
			&cli.StringSliceFlag{Name: "listen", Usage: "take lines from whoever connects to `ADDRESS` of this machine, such as 127.0.0.1:7777; may be repeated"},
			&cli.BoolFlag{Name: "declared", Usage: "the processes and variables declared before the first event are all that there will be, so that formulas about all processes can be decided"},
			&cli.IntFlag{Name: "sync-size", Usage: "every sync has `N` events; else one is complete when no process can join it any more"},
			&cli.DurationFlag{Name: "deadline", Usage: "of AG(p -> AF q), tell what has waited for q longer than `TIME`; it is no verdict"},
			&cli.IntFlag{Name: "window", Value: 1 << 20, Usage: "give up on properties that need more than `N` events to be kept"},
		}, limitFlags(0)[1:]),
		Action: s.watching,
	})
}

// A watch is a run of pota watch.
type watch struct {
	*session
	cli        *cli.Context
	properties []syntax.Property
	monitor    *online.Monitor

	open    time.Time     // when the first line came that is not decided, zero for none
	took    time.Duration // the last decision
	printed []bool        // the final answers of properties
	told    []time.Time   // when the last obligation arose that was told to be overdue
	silent  string        // the process that was told to hold back events
	lower   string        // why the causality of some source is a lower bound
}

func (s *session) watching(c *cli.Context) error {
	w := &watch{session: s, cli: c}
	if !named(c) {
		return usagef("properties are missing: write -f FILE, or --property PATTERN (pota help watching)")
	}
	var err error
	if w.properties, err = s.properties(c); err != nil {
		return err
	}
	for _, flag := range []string{"sync-size", "window"} {
		if n := c.Int(flag); n < 0 || c.IsSet(flag) && n < 1 {
			return usagef("--%s must be at least 1, not %d", flag, n)
		}
	}
	var formulas []*syntax.Formula
	for _, p := range w.properties {
		formulas = append(formulas, p.Formula)
	}
	w.printed, w.told = make([]bool, len(formulas)), make([]time.Time, len(formulas))
	if d := c.Duration("deadline"); c.IsSet("deadline") && d <= 0 {
		return usagef("--deadline must be positive, not %s", d)
	}
	w.monitor = online.New(formulas, online.Options{
		Options: stream.Options{Declared: c.Bool("declared"), SyncSize: c.Int("sync-size")},
		Most:    c.Int("window"),
	})
	listen, err := ports(c.StringSlice("listen"))
	if err != nil {
		return err
	}
	paths := c.Args().Slice()
	if len(paths) == 0 && len(listen) == 0 {
		paths = []string{"-"}
	}
	ctx, stop := context.WithCancel(s.ctx)
	defer stop()
	in, err := s.follow(ctx, paths, c.Bool("to-end"), listen)
	if err != nil {
		return err
	}
	err = w.run(in)
	for i := range w.properties {
		if !w.printed[i] {
			w.tell(w.monitor.Answer(i))
		}
	}
	return err
}

// run decides what arrives until it ends, or all answers are final.
func (w *watch) run(in <-chan arrival) error {
	var overdue <-chan time.Time
	if d := w.cli.Duration("deadline"); d > 0 {
		ticker := time.NewTicker(max(d/8, time.Millisecond))
		defer ticker.Stop()
		overdue = ticker.C
	}
	for {
		var wait <-chan time.Time
		if !w.open.IsZero() {
			wait = time.After(time.Until(w.open.Add(w.took)))
		}
		select {
		case <-w.ctx.Done():
			return w.decide()
		case now := <-overdue:
			w.remind(now)
		case <-wait:
			if err := w.decide(); err != nil || w.over() {
				return err
			}
		case a, ok := <-in:
			if !ok {
				return w.end()
			}
			if err := w.take(a); err != nil || w.over() {
				return err
			}
		}
	}
}

// over reports whether there is nothing left to be decided.
func (w *watch) over() bool { return w.cli.Bool("until-final") && w.monitor.Final() }

// take adds lines that have arrived. They are decided when no more have arrived for as
// long as the last decision took, or when the window has doubled.
func (w *watch) take(a arrival) error {
	if a.note != "" {
		w.note("%s", a.note)
		return nil
	}
	if a.err != nil {
		return a.err
	}
	err := w.lines(a)
	a.source.free(a.text)
	if a.reply != nil && !is[*formulaError](err) {
		a.reply <- err
		err = nil
	}
	if err != nil {
		w.decide() //nolint:errcheck // of what came before; the first error is told
	} else if w.open.IsZero() {
		w.open = time.Now()
	}
	return err
}

// lines adds the lines of an arrival.
func (w *watch) lines(a arrival) error {
	err := a.source.scanner.Scan(a.text, func(_ int, l *stream.Line) error {
		if err := w.monitor.Add(l); err != nil {
			return w.named(err)
		}
		if !w.monitor.Due() {
			return nil
		}
		return w.decide()
	})
	if why := a.source.scanner.LowerBound; why != "" {
		w.lower = why
	}
	if e, ok := err.(*trace.Error); ok {
		if is[*formulaError](err) {
			return e.Err
		}
		e.File = a.source.name
	}
	return err
}

// named makes the error of a formula one that says which.
func (w *watch) named(err error) error {
	if is[*online.FormulaError](err) {
		e := err.(*online.FormulaError)
		return &formulaError{w.properties[e.Property].Name, e.Err}
	}
	return err
}

func (w *watch) decide() error { return w.answers(w.monitor.Decide) }

// end makes all answers final.
func (w *watch) end() error { return w.answers(w.monitor.End) }

// answers tells what a decision finds out.
func (w *watch) answers(decide func(context.Context) ([]online.Answer, error)) error {
	begun := time.Now()
	w.open = time.Time{}
	answers, err := decide(context.WithoutCancel(w.ctx))
	for _, a := range answers {
		w.tell(a)
	}
	w.took = time.Since(begun)
	if s := w.monitor.Stream(); s.Len() > w.cli.Int("window")/2 {
		if process, since, ok := s.Silent(); ok && process != w.silent {
			w.silent = process
			fmt.Fprintf(w.err, "pota: process %q has been silent since event %d, and %s must be kept for it; if it has ended, send {\"process\":%[1]q,\"closed\":true}\n", process, since, graphs.Plural(s.Len(), "event"))
		}
	}
	return w.named(err)
}

// remind tells of obligations that are open for longer than the deadline.
func (w *watch) remind(now time.Time) {
	deadline := w.cli.Duration("deadline")
	for i := range w.properties {
		var late []waiting
		for _, o := range w.monitor.Obligations(i) {
			if age := now.Sub(o.Since); age > deadline && o.Since.After(w.told[i]) {
				late = append(late, waiting{o.Event, o.Events, milliseconds(age), o.More})
				w.told[i] = o.Since
			}
		}
		if late != nil {
			a := w.monitor.Answer(i)
			a.Reason = fmt.Sprintf("overdue for more than %s", deadline)
			w.print(a, late)
		}
	}
}

// told is an answer in JSON.
type told struct {
	Property string           `json:"property"`
	Formula  string           `json:"formula"`
	Verdict  string           `json:"verdict"`
	Final    bool             `json:"final"`
	Reason   string           `json:"reason,omitempty"`
	Events   int64            `json:"events"`
	Cut      *namedCut[int64] `json:"cut,omitempty"`
	Steps    []string         `json:"steps,omitempty"`
	Waiting  []waiting        `json:"obligations,omitempty"`
	Lower    string           `json:"lower_bound,omitempty"` // why the verdict is possibly spurious
}

// waiting is an obligation in JSON.
type waiting struct {
	Event  string  `json:"event"`
	Events int64   `json:"events"`
	AgeMS  float64 `json:"age_ms"`
	More   int     `json:"more,omitempty"`
}

// tell prints an answer, and what is open.
func (w *watch) tell(a online.Answer) {
	w.printed[a.Property] = a.Final
	w.status = worst(w.status, statusOf(a.Verdict))
	var open []waiting
	for _, o := range w.monitor.Obligations(a.Property) {
		open = append(open, waiting{o.Event, o.Events, milliseconds(time.Since(o.Since)), o.More})
	}
	w.print(a, open)
}

func (w *watch) print(a online.Answer, open []waiting) {
	p := w.properties[a.Property]
	t := told{Property: p.Name, Formula: oneLine(p.Source), Verdict: a.Verdict.String(), Final: a.Final, Reason: a.Reason, Events: a.Events, Steps: a.Steps, Waiting: open}
	if t.Property == "" {
		t.Property = t.Formula
	}
	if !a.Final {
		t.Verdict, t.Events = "open", w.monitor.Stream().Admitted()
	}
	if w.lower != "" && a.Final && !rctl.Sound(w.monitor.Formula(a.Property), a.Verdict) {
		t.Lower = w.lower
	}
	if a.Cut != nil {
		t.Cut = &namedCut[int64]{w.monitor.Stream().Processes()[:len(a.Cut)], a.Cut}
	}
	switch {
	case w.cli.Bool("quiet"):
	case w.cli.Bool("json"):
		w.printJSON(t, "")
	default:
		text := fmt.Sprintf("%-8s %s  after %s", t.Verdict, graphs.Printable(t.Property), graphs.Plural(int(t.Events), "event"))
		if t.Reason != "" {
			text += ": " + t.Reason
		}
		fmt.Fprintln(w.out, text)
		if t.Lower != "" {
			fmt.Fprintf(w.out, "         possibly spurious: %s\n", graphs.Printable(t.Lower))
		}
		for _, o := range open {
			event := "the beginning"
			if o.Event != "" {
				event = graphs.Printable(o.Event)
			}
			fmt.Fprintf(w.out, "         waiting since %s, event %d", event, o.Events)
			if o.More > 0 {
				fmt.Fprintf(w.out, ", and %d before it", o.More)
			}
			fmt.Fprintln(w.out)
		}
		if a.Verdict != rctl.Unknown && len(a.Steps) > 0 {
			fmt.Fprintf(w.out, "         %s\n", graphs.Printable(graphs.List(a.Steps, 20)))
		}
	}
	w.flush()
}
