package viewer

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/layout"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/view"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/explain"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/rctl/truth"
)

// A viewing is an execution to be shown and, perhaps, a verdict on it.
type viewing struct {
	execution *format.Execution
	formula   string          // as written
	finding   *Finding        // nil for a diagram alone
	truth     *truth.Formula  // nil if no formula gives the verdict
	margin    *explain.Margin // the margin of a formula that holds; nil if it is not known
	runs      []evidenceRun
	notes     []string
	assumed   []string
	processes []int // the processes that the verdict is about; they come first
}

// An evidenceRun is a run from the initial cut along the evidence of the parents, and then along
// its own evidence: the page shows whole runs, even about a part of the formula.
type evidenceRun struct {
	shownRun // the fields that do not depend on a window
	events   []graphs.Event
	decisive int  // how many of the events lead to the cut that matters
	every    bool // whether the run is about all cuts on the way, not only the last one
}

// A subject identifies what the page shows: a trace, a binding, and a formula.
type subject struct {
	Trace int `json:"trace"`
	// the binding of a formula about data, each NAME=VALUE; nil for that of the server
	Binding []string `json:"binding,omitempty"`
	Formula string   `json:"formula"`
}

// shown is the data of a page.
type shown struct {
	*view.Data
	Title string `json:"title"`
	subject
	Verdict  string       `json:"verdict"`
	Reason   *reason      `json:"reason"` // the reason for the verdict
	Notes    []string     `json:"notes"`
	Parts    []truth.Part `json:"parts"`
	Runs     []shownRun   `json:"runs"`
	Run      int          `json:"run"`    // the run that the window is about
	Slices   []*partSlice `json:"slices"` // the slices of parts that are known already
	Sliced   int          `json:"sliced"` // the part whose slice is shown at first; -1 if there is none
	Served   bool         `json:"served"`
	Traces   []string     `json:"traces"`
	Formulas []string     `json:"formulas"`         // the formulas to choose from
	Many     bool         `json:"many"`             // whether server.many has other verdicts
	Arrows   []string     `json:"arrows,omitempty"` // by event; see Finding
}

// A partSlice is the slice for a part of a formula.
type partSlice struct {
	Part int `json:"part"`
	*view.Slice
	Refused string `json:"refused,omitempty"` // why there is no slice
}

// shownRun is an evidenceRun in a window.
type shownRun struct {
	Claim   string   `json:"claim"`
	Level   int      `json:"level"`
	Events  []int32  `json:"events"`
	Size    int      `json:"size"` // how many events the whole run has
	Open    int      `json:"open"` // how many of Events lead to the cut that matters
	Away    bool     `json:"away"` // whether the window does not show it
	Remarks []string `json:"remarks"`
}

// A reason explains a verdict in words. Events are numbered as in the window.
type reason struct {
	Headline string   `json:"headline"`
	Detail   string   `json:"detail"`
	Culprits []int32  `json:"culprits"` // the events that brought about the state
	Assumed  []string `json:"assumed"`
	// pairs of events; if they were ordered, the state could not occur
	Missing [][]int32 `json:"missing,omitempty"`
	Fix     bool      `json:"fix,omitempty"`     // whether the property holds with the orders in Missing
	Closest []int32   `json:"closest,omitempty"` // if the formula holds, the cut closest to a failure
	Needed  []needed  `json:"needed,omitempty"`  // what prevents a failure there
}

// needed is an edge without which a formula would fail at a cut. Cut has, for each process that is
// shown, its number of events in the window; it is nil for a cut outside the window.
type needed struct {
	Edge []int32 `json:"edge"`
	Cut  []int32 `json:"cut"`
	Text string  `json:"text"`
}

// newViewing decides a question, see decide, and prepares everything that does not depend on a
// window. A formula that is not decided before ctx is done is Unknown.
func newViewing(ctx context.Context, q *load.Question, only []bindings.Choice, opts rctl.Options) (*viewing, error) {
	v := &viewing{execution: q.Execution, formula: q.Source, assumed: q.Assumed, processes: []int{}}
	// An empty computation has no cut to show.
	if v.execution.Computation.Empty() {
		return nil, rctl.ErrEmpty
	}
	about, err := decide(ctx, q, only, opts)
	// Without a verdict, the page has the diagram alone.
	if err != nil || about.result == nil {
		return v, err
	}
	c := about.Execution.Computation
	resolved, result := about.Resolved, about.result
	v.execution, v.formula = about.Execution, about.Source
	// The processes of the formula come first, so that they are seen without scrolling.
	v.processes = mentioned(resolved)
	level := outline(ctx, c, about.Property, resolved, result)
	v.finding = findingOf(about.Property, result, level)
	if about.open {
		return v, nil
	}
	// The truth of each part at each cut is found when the page asks for it.
	if v.truth, err = truth.New(ctx, c, about.Formula, resolved); err != nil {
		return nil, err
	}
	if why := c.LowerBound(); why != "" && !rctl.Sound(resolved, result.Verdict) {
		v.notes = append(v.notes, report.Note{Kind: report.Spurious, Text: why}.String())
	}
	// If a large trace would keep the user waiting, the page opens without the rest of the reason.
	soon, cancel := context.WithTimeout(ctx, reasonTimeout)
	defer cancel()
	small := c.NumEvents()*c.NumProcesses() <= maxMargin
	if result.Verdict == rctl.Holds && small {
		// at the time limit, a part of the margin is still useful
		v.margin, _ = explain.MarginOf(soon, c, resolved)
	}
	switch {
	case level != nil:
		v.follow(level, nil, 0, false)
	case v.margin != nil:
		v.finding.Detail = v.margin.String()
	}
	if level == nil || result.Verdict != rctl.Fails {
		return v, ctx.Err()
	}
	run := present.Run{Computation: c, Resolved: resolved, Evidence: result.Evidence}
	if found := present.Missing(soon, about.Formula, run); found != nil {
		v.finding.Missing, v.finding.Fix = found.Orders, true
	}
	return v, nil
}

// findingOf returns the finding for a result, with the reason that its evidence gives.
func findingOf(p syntax.Property, of *rctl.Result, level *explain.Level) *Finding {
	f := &Finding{Verdict: of.Verdict, Headline: explain.Headline(p, of.Verdict, level), Detail: of.Reason}
	if level == nil {
		return f
	}
	// The missing order explains most, so it comes first on the page.
	details := slices.Clone(level.Causes[1:])
	slices.Reverse(details)
	if instance := level.Instance(); instance != "" {
		details = append(details, "with "+instance)
	}
	f.Detail = strings.Join(details, "; ")
	f.Culprits = level.Culprits
	if u := level.Unordered; u != nil {
		f.Missing = []graphs.Edge{{From: u.Before, To: u.After}}
	}
	return f
}

// outline explains the evidence of a verdict as pota detect --witness does. It returns nil if no
// run shows the verdict.
func outline(ctx context.Context, c *graphs.Computation, p syntax.Property, resolved *syntax.Formula, of *rctl.Result) *explain.Level {
	if of.Evidence == nil {
		return nil
	}
	t := explain.Explainer{Of: c, Property: p.Formula, Resolved: resolved, Source: p.Source, Ctx: ctx}
	return t.Outline(of.Evidence)
}

// Limits of the search for the cut closest to a failure, and for missing orders. A slice is
// computed as a whole, however long that takes.
const (
	reasonTimeout = 300 * time.Millisecond
	maxMargin     = 1e5 // processes times events
)

// maxMentioned bounds the processes that are shown first.
const maxMentioned = 100

// mentioned returns the processes that a formula mentions by their variables and channels, in the
// order of the formula. The page shows them first.
func mentioned(f *syntax.Formula) []int {
	all := []int{}
	add := func(p int) {
		if p >= 0 && !slices.Contains(all, p) && len(all) < maxMentioned {
			all = append(all, p)
		}
	}
	syntax.WalkExprs(f, func(e *syntax.Expr) {
		switch e.Op {
		case syntax.ExprVar:
			add(e.Owner)
		// A channel has two ends.
		case syntax.ExprTransit:
			add(e.FromID)
			add(e.ToID)
		}
	})
	return all
}

// follow adds the run of a level of evidence, after the run of its parents, and then the runs of
// its children.
func (v *viewing) follow(l *explain.Level, before []graphs.Event, level int, every bool) {
	e := l.Evidence
	events := slices.Concat(before, e.Run)
	// For EF and EX only the last cut matters. Other operators are also about the way there.
	every = every || e.Whole || e.Formula.Op != syntax.OpEF && e.Formula.Op != syntax.OpEX && len(e.Run) > 0
	if e.Run != nil || len(e.Children) == 0 {
		run := evidenceRun{events: events, decisive: len(events), every: every}
		if e.Whole {
			run.decisive = len(before) // it is about the run from there to the end
		}
		run.Claim = graphs.Printable(l.Text + " " + l.Verdict.String())
		run.Level = level
		for _, remark := range l.Remarks {
			run.Remarks = append(run.Remarks, graphs.Printable(remark))
		}
		v.runs = append(v.runs, run)
		level++
	}
	for _, child := range l.Children {
		v.follow(child, events, level, every)
	}
}

// cutAfter returns the cut after the first n events of a run from start or, if that is in the
// middle of a meta-event, the cut before the meta-event.
func (v *viewing) cutAfter(start graphs.Cut, events []graphs.Event, n int) graphs.Cut {
	c := v.execution.Computation
	n = min(max(n, 0), len(events))
	// Both ends of a rendezvous execute together.
	for n > 0 && n < len(events) && c.SameStep(events[n-1], events[n]) {
		n--
	}
	cut := start.Clone()
	for _, e := range events[:n] {
		cut[c.Process(e)]++
	}
	return cut
}

// window returns a window of at most maxEvents events around a place. The place is a cut by its
// counts (view.Counts), "#" and a number for a cut with that many events, or "" for the cut that
// the run is about. Only a window is sent, because a browser cannot draw a million events.
func (v *viewing) window(run int, place string, maxEvents int) (*layout.Window, error) {
	c := v.execution.Computation
	number, isNumber := strings.CutPrefix(place, "#")
	switch {
	// The user typed a number of events.
	case isNumber:
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 {
			return nil, exit.Usagef("there is no place %q", place)
		}
		return layout.Around(c, layout.Nearest(c, c.Initial(), n, true), maxEvents), nil
	case place != "":
		cut, ok := view.ParseCounts(c, place)
		if !ok {
			return nil, exit.Usagef("there is no cut %q", place)
		}
		return layout.Around(c, cut, maxEvents), nil
	// Without a run the window begins where the computation does.
	case run >= len(v.runs):
		return layout.Around(c, c.Initial(), maxEvents), nil
	}
	r := v.runs[run]
	if !r.every || c.NumEvents() <= maxEvents {
		return layout.Around(c, v.cutAfter(c.Initial(), r.events, len(r.events)), maxEvents), nil
	}

	// All cuts on the way matter: two thirds of the window show the way to the last of them.
	// One third is left for the events after it.
	low := v.cutAfter(c.Initial(), r.events, r.decisive-maxEvents*2/3)
	high := v.cutAfter(c.Initial(), r.events, r.decisive+maxEvents/3)
	// Events of other processes fill the rest of the window.
	rest := maxEvents - (high.Size() - low.Size())
	return layout.Between(c, low, layout.Nearest(c, high, rest, true)), nil
}

// in returns a run as shown in a window, and the events of the run that are not below the window.
// The run is away if the window lacks some of its events up to the cut that matters, or begins at a
// cut that is not on the way there.
func (r evidenceRun) in(w *layout.Window) (shown shownRun, events []graphs.Event) {
	isBelow := func(e graphs.Event) bool { return w.Of.Has(w.Low, e) }
	events = slices.DeleteFunc(slices.Clone(r.events), isBelow)
	skipped := len(r.events) - len(events)
	onWay := slices.DeleteFunc(slices.Clone(r.events[:r.decisive]), isBelow)
	// Events are in the order of the run: after one above the window, all are.
	inside := events
	if i := slices.IndexFunc(events, func(e graphs.Event) bool { return !w.Inside(e) }); i >= 0 {
		inside = events[:i]
	}
	shown = r.shownRun
	shown.Events = w.Numbers(inside)
	shown.Size = len(r.events)
	shown.Open = min(len(onWay), len(inside))
	isMixed := slices.ContainsFunc(r.events[:skipped], func(e graphs.Event) bool { return !isBelow(e) })
	shown.Away = len(onWay) > len(inside) || skipped > r.decisive || r.every && isMixed ||
		skipped+w.Of.Initial().Size() != w.Least.Size()
	if shown.Away {
		shown.Events = []int32{}
	}
	return shown, events
}

// page returns the data of a window. Along the runs, it asks engines for the truth of the parts
// that only they can decide, until ctx is done.
func (v *viewing) page(ctx context.Context, w *layout.Window, run int) (*shown, error) {
	d := &shown{
		Data: view.New(w, v.processes, times(v.execution)), Title: graphs.Printable(v.execution.Name), subject: subject{Formula: v.formula}, Notes: v.notes,
		Parts: []truth.Part{}, Runs: []shownRun{}, Run: run, Sliced: -1,
	}
	if v.finding != nil {
		d.Verdict = v.finding.Verdict.String()
		d.Reason = v.reason(w, d.Data)
		if v.finding.Arrows != nil {
			d.Arrows = make([]string, w.Len())
		}
		for e, text := range v.finding.Arrows {
			if w.Inside(e) {
				d.Arrows[w.Number(e)] = graphs.Printable(text)
			}
		}
	}
	if v.truth != nil {
		d.Parts = v.truth.In(w)
	}
	// along asks engines about the cuts on a run, where the page shows which parts hold.
	along := func(events []graphs.Event, n int) error {
		return v.truth.Along(ctx, d.Parts, n+1, func(i int) graphs.Cut { return v.cutAfter(w.Least, events, i) })
	}
	for _, r := range v.runs {
		// Events below the window have happened at each of its cuts.
		shown, events := r.in(w)
		d.Runs = append(d.Runs, shown)
		if err := along(events, len(shown.Events)); err != nil {
			return nil, err
		}
	}
	// Without a run, engines are asked about the initial cut only.
	if len(v.runs) == 0 {
		return d, along(nil, 0)
	}
	return d, nil
}

// reason explains the verdict.
func (v *viewing) reason(w *layout.Window, d *view.Data) *reason {
	f := v.finding
	r := &reason{
		Headline: f.Headline,
		Detail:   graphs.Printable(f.Detail),
		Culprits: w.Numbers(f.Culprits),
		Assumed:  append([]string{}, v.assumed...),
		Fix:      f.Fix,
	}
	for _, e := range f.Missing {
		r.Missing = append(r.Missing, w.Numbers([]graphs.Event{e.From, e.To}))
	}
	if m := v.margin; m != nil {
		r.Closest = d.Cut(m.Cut)
		for _, n := range m.Needed {
			edge := w.Numbers([]graphs.Event{n.From, n.To})
			r.Needed = append(r.Needed, needed{edge, d.Cut(n.Cut), n.Text})
		}
	}
	return r
}

// parts returns how many parts the formula has.
func (v *viewing) parts() int {
	if v.truth == nil {
		return 0
	}
	return v.truth.Len()
}

// sliceOf returns the slice for a part of the formula.
func (v *viewing) sliceOf(ctx context.Context, w *layout.Window, part int) (*partSlice, error) {
	sl, err := v.truth.SliceOf(ctx, part)
	// The page shows the reason instead of a slice.
	if failure.Is[*rctl.NoSliceError](err) {
		return &partSlice{Part: part, Slice: &view.Slice{}, Refused: graphs.Printable(err.Error())}, nil
	}
	if err != nil {
		return nil, err
	}
	return &partSlice{Part: part, Slice: view.SliceOf(w, sl.Edges(), sl.Lean())}, nil
}

// SavedEvents is the default number of events in a saved page.
const SavedEvents = 20000

// Limits of a saved page: it should open at once, and be made within seconds.
const (
	maxPage     = 10 << 20 // bytes; if there are more, the page gets fewer events
	maxSlices   = 16       // parts of the formula that have their slices in the page
	maxCover    = 1e6      // processes times events, for slices that are not lean
	pageTimeout = 2 * time.Second
)

// save returns the page with all of its data. Its window is as large as the size of the page
// allows; maxEvents is 0 for the default, and negative for all events.
func (v *viewing) save(ctx context.Context, maxEvents, sliced int) (*shown, error) {
	switch {
	case maxEvents == 0:
		maxEvents = SavedEvents
	case maxEvents < 0:
		maxEvents = v.execution.Computation.NumEvents()
	}
	// A saved page has no server to ask later, but it should be made soon.
	asking, cancel := context.WithTimeout(ctx, pageTimeout)
	defer cancel()
	for {
		w, err := v.window(0, "", maxEvents)
		if err != nil {
			return nil, err
		}
		d, err := v.page(asking, w, 0)
		if err != nil {
			return nil, err
		}
		// Slices that are not lean cost a cover of the whole computation.
		small := w.Of.NumEvents()*w.Of.NumProcesses() <= maxCover
		for k := range min(len(d.Parts), maxSlices) {
			quick := asking.Err() == nil && (small || v.truth.HasLean(ctx, k))
			if k != sliced && !quick {
				continue
			}
			s, err := v.sliceOf(ctx, w, k)
			if err != nil {
				return nil, err
			}
			d.Slices = append(d.Slices, s)
		}
		d.Sliced = sliced
		// The size is known only when the page is finished.
		var page bytes.Buffer
		if err := view.NewPage(false).Write(&page, d); err != nil {
			return nil, err
		}
		if page.Len() <= maxPage || maxEvents < 100 {
			addLines(d.Places, w, maxPage-page.Len())
			return d, nil
		}
		// Halving ends after a few rounds, and a round takes as long as its page.
		maxEvents = min(maxEvents, w.Len()) / 2
	}
}

// How many bytes of a line of a log are shown: shortLine if the lines of a page would need too much
// room, and otherwise maxLine.
const (
	maxLine   = 2000
	shortLine = 200
)

// hasLine reports whether a line that can be read again is about an event, and about no other
// event.
func hasLine(at graphs.Place) bool { return at.File != "-" && at.Line > 0 && at.Record == "" }

// shownLine returns the beginning of a line, printable: logs may hold anything.
func shownLine(line []byte, limit int) string {
	if len(line) > limit {
		// The third index keeps append from writing into the text that follows.
		line = append(line[:limit:limit], "…"...)
	}
	return graphs.Printable(string(line))
}

// addLines adds the texts of lines to a saved page, if there is room and the files can be read
// again.
func addLines(places *view.Places, w *layout.Window, room int) {
	// Each file is read once for all of its lines.
	numbers := make(map[string][]int) // of each file
	for e := range w.Events {
		if at := w.Of.Place(e); hasLine(at) {
			numbers[at.File] = append(numbers[at.File], at.Line)
		}
	}
	files := make(map[string]map[int][]byte)
	for file, all := range numbers {
		if lines, err := trace.LinesAt(file, all, maxLine+1); err == nil {
			files[file] = lines
		}
	}
	// No file can be read again, so no line has a text.
	if len(files) == 0 {
		return
	}
	// Shorter lines of all events are better than long ones of none.
	for _, limit := range []int{maxLine, shortLine} {
		var texts []string
		for e := range w.Events {
			at := w.Of.Place(e)
			texts = append(texts, shownLine(files[at.File][at.Line], limit))
		}
		if text, err := json.Marshal(texts); err == nil && len(text) < room {
			places.Texts = texts
			return
		}
	}
}
