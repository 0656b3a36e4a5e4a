package viewer

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/clocks"
	"github.com/pota-project/pota/graphs/dot"
	"github.com/pota-project/pota/graphs/draw"
	"github.com/pota-project/pota/graphs/layout"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/graphs/view"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// A Drawing is a trace with a formula, to be drawn in some format.
type Drawing struct {
	Trace     string
	Formula   *string // nil if there is none
	Format    string  // dot, svg or html, and for a slice also json
	By        string  // what places the events of Draw: causality or, for svg, time
	MaxEvents int     // 0 for the default
	Output    string  // the file; "" for standard output
	Read      load.Options
	Binding   []bindings.Choice // for a formula about data; nil for the first that decides
}

// A Writer writes a picture in some format.
type Writer func(io.Writer, draw.Picture) error

// pictures has the writers of pictures, by format.
var pictures = map[string]Writer{"dot": dot.Write, "svg": draw.SVG}

// WriterFor returns the writer of the format that the suffix of a file asks for.
func WriterFor(path string) (Writer, error) {
	format := strings.TrimPrefix(filepath.Ext(path), ".")
	write, ok := pictures[format]
	if !ok {
		return nil, exit.Unknown("format of pictures", format, "dot", "svg")
	}
	return write, nil
}

// byTime places events by their times.
const byTime = "time"

// html is the format of an interactive page.
const html = "html"

// DrawFormats and SliceFormats are the formats of Draw and Slice.
var (
	DrawFormats  = []string{"dot", "svg", html}
	SliceFormats = []string{"dot", "svg", html, "json"}
)

// ask reads the trace for the formula. The format must be one of formats.
func (d Drawing) ask(r *job.Run, formats []string) (*load.Question, error) {
	if !slices.Contains(formats, d.Format) {
		return nil, exit.Unknown("format", d.Format, formats...)
	}
	want := load.Want{Names: true, Places: d.Format == html, Times: d.By == byTime || d.Format == html}
	return load.Ask(r, d.Read, d.Formula, d.Trace, want)
}

// Draw draws the space-time diagram of a trace and, with a formula, the run that shows its
// verdict.
func Draw(r *job.Run, d Drawing) error {
	switch {
	case d.By != "causality" && d.By != byTime:
		return exit.Unknown("order of events", d.By, "causality", byTime)
	case d.By == byTime && d.Format != "svg":
		return exit.Usagef("--by time is about --format svg (in a page, the key t goes by time)")
	}
	q, err := d.ask(r, DrawFormats)
	if err != nil {
		return err
	}
	if d.Format == html {
		return q.Wrap(d.savePage(r, q, -1))
	}
	orders, err := job.Do(r, "drawing", q.Orders)
	if err != nil {
		return q.Wrap(err)
	}
	about, err := job.Do(r, "deciding", func(ctx context.Context) (*decided, error) {
		return decide(ctx, q, d.Binding, rctl.Options{MaxMemory: r.Budget.Memory(1)})
	})
	if err != nil {
		return q.Wrap(err)
	}
	p := draw.Picture{Of: about.plain.Computation, Title: q.Execution.Name, MaxEvents: d.MaxEvents}
	if d.By == byTime {
		p.Times = times(about.plain)
		_, err := job.Do(r, "reading times", func(ctx context.Context) (*clocks.Readings, error) {
			return clocks.Read(ctx, p.Of, about.plain.Unit)
		})
		if err != nil {
			return q.Wrap(err)
		}
	}
	// The execution of one binding may lack the events of orders.
	if about.plain == q.Execution {
		for _, e := range orders {
			p.Missing = append(p.Missing, draw.Missing{Edge: e})
		}
	}
	// Without a formula the diagram shows the trace alone.
	if about.result != nil {
		if err := mark(r, &p, about); err != nil {
			return q.Wrap(err)
		}
	}
	return Write(r, d.Output, pictures[d.Format], p)
}

// times returns when events may have happened: according to the assumed model of clocks, or else to
// the trace. A time that cannot be read counts as missing.
func times(e *format.Execution) layout.Times {
	c, model := e.Computation, e.Clocks
	unit := cmp.Or(e.Unit, time.Second)
	return func(e graphs.Event) (from, to int64, ok bool) {
		from, to, ok, err := c.Interval(e, unit)
		if err != nil || !ok {
			return 0, 0, false
		}
		if model != nil && model.Earliest(e) != -clocks.Unbounded && model.Latest(e) != clocks.Unbounded {
			from, to = model.Earliest(e), model.Latest(e)
		}
		return from, to, true
	}
}

// Write draws a picture and writes it to a file.
func Write(r *job.Run, path string, write Writer, p draw.Picture) error {
	return r.Output(path, "drawing", func(_ context.Context, w io.Writer) error { return write(w, p) })
}

// Slice computes the slice of a trace for a formula, and draws it, or writes it as a trace.
func Slice(r *job.Run, d Drawing) error {
	q, err := d.ask(r, SliceFormats)
	if err == nil {
		err = q.Resolve(r)
	}
	if err != nil {
		return err
	}
	// Compute the slice even for a page: this command fails if the formula has none.
	sl, edges, err := sliceOf(r, q)
	if err != nil {
		return q.Wrap(err)
	}
	// The description is for a user; the picture goes to a file or a pipe.
	if r.Console.Progress {
		kind := "lean: its cuts are exactly those that satisfy the formula"
		switch {
		case sl.Empty():
			kind = "empty: no cut satisfies the formula"
		case !sl.Lean():
			kind = "not known to be lean: it has all cuts that satisfy the formula, and may have others"
		}
		fmt.Fprintf(r.Console.Err, "%s added; the slice is %s\n", graphs.Plural(len(edges), "edge"), kind)
	}
	if d.Format == html {
		return q.Wrap(d.savePage(r, q, 0))
	}
	return r.Output(d.Output, "writing the slice", func(_ context.Context, w io.Writer) error {
		c := q.Execution.Computation
		// The trace with the edges of the slice can be read again, as any native trace.
		if d.Format == "json" {
			return native.Write(w, c, edges)
		}
		return pictures[d.Format](w, draw.Picture{Of: c, Title: "slice for " + q.Formula.String(), Added: edges, MaxEvents: d.MaxEvents})
	})
}

// savePage writes the page about a question. At first it shows the slice for the part sliced, or
// none if that is -1.
func (d Drawing) savePage(r *job.Run, q *load.Question, sliced int) error {
	return writePage(r, d.Output, func(ctx context.Context) (*shown, error) {
		// A saved page takes the memory of one decision.
		v, err := newViewing(ctx, q, d.Binding, rctl.Options{MaxMemory: r.Budget.Memory(1)})
		if err != nil {
			return nil, err
		}
		return v.save(ctx, d.MaxEvents, sliced)
	})
}

// writePage writes a page to a file.
func writePage(r *job.Run, path string, of func(context.Context) (*shown, error)) error {
	data, err := job.Do(r, "deciding", of)
	if err != nil {
		return err
	}
	return r.Output(path, "writing the page", func(_ context.Context, w io.Writer) error {
		return view.NewPage(false).Write(w, data)
	})
}

// Save writes the page about a question to a file. For a formula about data, the page is about the
// chosen binding, or else about the first one that decides.
func Save(r *job.Run, path string, only []bindings.Choice, q *load.Question) error {
	return Drawing{Output: path, Binding: only}.savePage(r, q, -1)
}

// mark adds the evidence for the verdict of a formula to a picture: the cut and the runs, first the
// outermost one, or the slice if there is no run.
func mark(r *job.Run, p *draw.Picture, q *decided) error {
	p.Title = fmt.Sprintf("%s: %s %s", p.Title, q.Formula, q.result.Verdict)
	if e := q.result.Evidence; e != nil {
		runs := runsOf(e)
		p.Cut = e.Cut
		// The initial cut decides the verdict, so there is no run to draw.
		if len(runs) == 0 {
			p.Title += " at the initial cut"
			return nil
		}
		p.Run = runs[0]
		p.Further = runs[1:]
		return nil
	}
	if q.open {
		p.Title += ": " + q.result.Reason
		return nil
	}
	if m := syntax.MarginOf(q.Resolved); m != nil {
		p.Cut = during(q.Execution.Computation, m)
		return nil
	}
	// All runs or none show the verdict, so the picture shows the cuts that satisfy the formula.
	var err error
	_, p.Added, err = sliceOf(r, &q.Question)
	if failure.Is[*rctl.NoSliceError](err) {
		p.Title += "; no run shows it, and it has no slice"
		return nil
	}
	return err
}

// during returns a cut within the longest or the shortest time: the time has begun, and everything
// before its end has happened.
func during(c *graphs.Computation, m *syntax.Margin) graphs.Cut {
	if m.To == graphs.Bottom {
		return c.Final() // it does not end
	}
	before, _ := c.Above(c.Initial(), m.To)
	for _, e := range c.Step(m.To) {
		before[c.Process(e)]-- // the step of the end itself
	}
	cut, _ := c.Above(before.Join(c.Initial()), m.From)
	return cut
}

// sliceOf returns the slice for a question, and the added edges. Both steps may take long.
func sliceOf(r *job.Run, q *load.Question) (*slice.Slice, []graphs.Edge, error) {
	var edges []graphs.Edge
	sl, err := job.Do(r, "slicing", func(ctx context.Context) (*slice.Slice, error) {
		return rctl.SliceOf(ctx, q.Execution.Computation, q.Resolved)
	})
	if err == nil {
		edges, err = job.Do(r, "slicing", func(context.Context) ([]graphs.Edge, error) { return sl.Edges(), nil })
	}
	return sl, edges, err
}

// runsOf returns the runs of evidence and of its children.
func runsOf(e *rctl.Evidence) [][]graphs.Event {
	var runs [][]graphs.Event
	if len(e.Run) > 0 {
		runs = append(runs, e.Run)
	}
	for _, child := range e.Children {
		runs = append(runs, runsOf(child)...)
	}
	return runs
}
