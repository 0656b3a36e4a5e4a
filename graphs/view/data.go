package view

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/layout"
)

// Data is a window in the form that the page reads. It refers to an event by its number in the
// window, and to a process by its place in Processes. All texts are printable.
type Data struct {
	window *layout.Window
	place  []int // the place of each process in Processes; -1 if it is left out

	Processes []Process `json:"processes"` // the processes with events in the window or in Named
	Named     []int     `json:"named"`     // the numbers of the processes that were asked for
	Others    int       `json:"others"`    // how many processes are left out
	Rest      string    `json:"rest"`      // the events of the low cut on those processes, as Counts writes them
	Events    int       `json:"events"`    // how many events the whole computation has
	Before    int       `json:"before"`    // how many of them are in the low cut
	After     int       `json:"after"`     // how many are not in the high cut

	IDs    []string `json:"ids"`    // the id of each event; "" if it has no id of its own
	Labels []string `json:"labels"` // the label of each event; nil if no event has one
	Times  []string `json:"times"`
	// the place of each event by time, in milliseconds from the first time, see layout.ByTime; nil
	// if no time is known
	Clock []float64 `json:"clock"`
	// the earliest and the latest time of each event in the same unit; nil for an event whose time
	// is exact or unknown
	When     [][]float64 `json:"when,omitempty"`
	Places   *Places     `json:"places"`   // nil if no place is known
	Edges    []int32     `json:"edges"`    // pairs of events: no cut has the second without the first
	Together [][]int32   `json:"together"` // the meta-events of several events
	Messages []Message   `json:"messages"` // the messages with an end in the window
	Waiting  int         `json:"waiting"`  // how many messages were sent below the window and not received in it

	Variables []Variable `json:"variables"`
	Texts     []string   `json:"texts"` // the texts of values
}

// A Process is a process that is shown.
type Process struct {
	Name   string `json:"name"`
	Number int    `json:"number"` // its number in the computation
	Before int32  `json:"before"` // how many of its events are in the low cut
	Count  int32  `json:"count"`  // how many are in the window
	Least  int32  `json:"least"`  // how many of its events in the window every cut has
	Most   int32  `json:"most"`   // how many of its events in the window some cut has
}

// Places give the places of events in the trace: for each event the number of a file in Files, a
// line or 0, and the number of a record in Records.
type Places struct {
	Files   []string `json:"files"`
	Records []string `json:"records"` // "" first
	File    []int32  `json:"file"`
	Line    []int32  `json:"line"`
	Record  []int32  `json:"record,omitempty"` // nil if all are ""
	Texts   []string `json:"texts,omitempty"`  // the texts of the lines, in a page that cannot request them
}

// A Message is a message to one receiver.
type Message struct {
	Name     string `json:"name"`
	From     int32  `json:"from"` // -1 if it was sent below the window
	To       int32  `json:"to"`   // -1 if it is not received in the window
	Sender   string `json:"sender,omitempty"`
	Receiver string `json:"receiver,omitempty"` // set if From or To is -1
}

// A Variable has its value below the window, and the assignments in the window.
type Variable struct {
	Name    string  `json:"name"`
	Process int     `json:"process"` // graphs.Shared for a shared variable
	First   int32   `json:"first"`   // the value below the window, as a place in Texts
	At      []int32 `json:"at"`
	Values  []int32 `json:"values"`
}

// New returns a window in the form that the page reads, with the wanted processes and all processes
// that have events in it. Times may be nil.
//
// The time complexity of New is O(n+messages+variables+size of the result) for n processes.
func New(w *layout.Window, wanted []int, times layout.Times) *Data {
	d := &Data{
		window:    w,
		Named:     wanted,
		Events:    w.Of.NumEvents(),
		Before:    w.Low.Size(),
		After:     w.Of.NumEvents() - w.High.Size(),
		IDs:       make([]string, 0, w.Len()),
		Edges:     []int32{},
		Messages:  []Message{},
		Variables: []Variable{},
	}
	d.processes()
	for e := range w.Events {
		d.event(e)
	}
	d.Labels, d.Times = orNil(d.Labels), orNil(d.Times)
	if times != nil {
		d.clock(times)
	}
	d.places()
	d.messages()
	d.variables()
	return d
}

// variables fills in the shared variables and the variables of the processes that are shown.
func (d *Data) variables() {
	w, c := d.window, d.window.Of
	number := numbering(&d.Texts)
	text := func(v graphs.Value) int32 { return number(v.String()) }
	for _, v := range c.Variables() {
		owner := graphs.Shared
		if v.Process != graphs.Shared {
			owner = d.place[v.Process]
		}
		if v.Process != graphs.Shared && owner < 0 || v.Kind == graphs.NoKind || v.Skipped() {
			continue
		}

		last := v.Last(c, w.Low)
		x := Variable{
			Name:    graphs.Printable(v.Name),
			Process: owner,
			First:   text(v.Value(last)),
			At:      []int32{},
			Values:  []int32{},
		}
		for i := last + 1; i < v.Len() && c.Has(w.High, v.Event(i)); i++ {
			x.At = append(x.At, w.Number(v.Event(i)))
			x.Values = append(x.Values, text(v.Value(i)))
		}
		d.Variables = append(d.Variables, x)
	}
}

// processes fills in the processes.
func (d *Data) processes() {
	w, c := d.window, d.window.Of
	shown := make([]bool, c.NumProcesses())
	for _, p := range d.Named {
		shown[p] = true
	}
	rest := c.NoEvents()
	for p, name := range c.Processes() {
		count := w.High[p] - w.Low[p]
		if count == 0 && !shown[p] && c.NumEvents() > 0 {
			d.place = append(d.place, -1)
			rest[p] = w.Low[p]
			d.Others++
			continue
		}
		d.place = append(d.place, len(d.Processes))
		d.Processes = append(d.Processes, Process{
			Name:   graphs.Printable(name),
			Number: p,
			Before: w.Low[p],
			Count:  count,
			Least:  w.Least[p] - w.Low[p],
			Most:   w.Greatest[p] - w.Low[p],
		})
	}
	const most = 5000 // of them tell where the page was
	if d.Others <= most {
		d.Rest = Counts(rest)
	}
}

// Cut returns a cut in the form that the page reads: the number of its events in the window for
// each process that is shown. It returns nil if the cut is not between the low and the high cut of
// the window.
func (d *Data) Cut(cut graphs.Cut) []int32 {
	if !d.window.Low.Within(cut) || !cut.Within(d.window.High) {
		return nil
	}
	counts := []int32{}
	for _, p := range d.Processes {
		counts = append(counts, cut[p.Number]-p.Before)
	}
	return counts
}

// event adds the next event of the window.
func (d *Data) event(e graphs.Event) {
	w, c := d.window, d.window.Of
	id := ""
	if c.HasID(e) {
		id = graphs.Printable(c.ID(e))
	}
	d.IDs = append(d.IDs, id)
	d.Labels = append(d.Labels, graphs.Printable(c.Label(e)))
	d.Times = append(d.Times, graphs.Printable(c.Time(e)))
	for _, f := range c.Preds(e) {
		if w.Inside(f) {
			d.Edges = append(d.Edges, w.Number(f), w.Number(e))
		}
	}
	if step := c.Step(e); len(step) > 1 && step[0] == e && c.Has(w.High, e) {
		d.Together = append(d.Together, w.Numbers(step))
	}
}

// orNil returns texts, or nil if all are empty.
func orNil(texts []string) []string {
	if slices.ContainsFunc(texts, func(text string) bool { return text != "" }) {
		return texts
	}
	return nil
}

// clock fills in the places of events by time, and the intervals in which they may have happened.
func (d *Data) clock(times layout.Times) {
	events := slices.Collect(d.window.Events)
	first, places := layout.ByTime(d.window.Of, events, times)
	if places == nil {
		return
	}
	const milli = float64(time.Millisecond)
	for i, e := range events {
		d.Clock = append(d.Clock, places[i]/milli)
		if from, to, ok := times(e); ok && to > from {
			if d.When == nil {
				d.When = make([][]float64, len(events))
			}
			d.When[i] = []float64{layout.Since(first, from) / milli, layout.Since(first, to) / milli}
		}
	}
}

// numbering returns a function that numbers texts, and appends new ones to a list in printable
// form.
func numbering(texts *[]string) func(text string) int32 {
	numbers := make(map[string]int32)
	return func(text string) int32 {
		n, ok := numbers[text]
		if !ok {
			n = int32(len(*texts))
			numbers[text], *texts = n, append(*texts, graphs.Printable(text))
		}
		return n
	}
}

// places fills in the places of events in the trace.
func (d *Data) places() {
	all := &Places{}
	file, record := numbering(&all.Files), numbering(&all.Records)
	record("")
	for e := range d.window.Events {
		at := d.window.Of.Place(e)
		all.File = append(all.File, file(at.File))
		all.Line = append(all.Line, int32(at.Line))
		all.Record = append(all.Record, record(at.Record))
	}
	if len(all.Records) == 1 {
		all.Record = nil
	}
	if orNil(all.Files) != nil {
		d.Places = all
	}
}

// messages fills in the messages with an end in the window.
func (d *Data) messages() {
	w, c := d.window, d.window.Of
	above := int32(w.Len())
	for _, m := range c.Messages() {
		from, to := w.Number(m.Send), above
		if m.Recv != graphs.Bottom {
			to = w.Number(m.Recv)
		}
		switch {
		case from == above || from == -1 && to == -1:
		case from == -1 && to == above:
			d.Waiting++
		default:
			x := Message{Name: graphs.Printable(c.MessageName(m.Index)), From: from, To: to}
			if from == -1 {
				x.Sender = graphs.Printable(c.Processes()[c.Process(m.Send)])
			}
			if to == above {
				x.To = -1
				to := int(m.To) // -1 if it is not known
				if m.Recv != graphs.Bottom {
					to = c.Process(m.Recv)
				}
				if to >= 0 {
					x.Receiver = graphs.Printable(c.Processes()[to])
				}
			}
			d.Messages = append(d.Messages, x)
		}
	}
}

// Counts returns a cut as text, with the number of events of each process that has some, such as
// "0:3,7:1".
func Counts(cut graphs.Cut) string {
	var parts []string
	for p, k := range cut {
		if k > 0 {
			parts = append(parts, strconv.Itoa(p)+":"+strconv.Itoa(int(k)))
		}
	}
	return strings.Join(parts, ",")
}

// ParseCounts reads a text of Counts. It returns the least cut of c that has these events, or ok =
// false if there is no such cut.
func ParseCounts(c *graphs.Computation, text string) (cut graphs.Cut, ok bool) {
	var events []graphs.Event
	for part := range strings.SplitSeq(text, ",") {
		process, count, _ := strings.Cut(part, ":")
		p, err := strconv.Atoi(process)
		k, err2 := strconv.Atoi(count)
		switch {
		case text == "":
		case err != nil || err2 != nil || p < 0 || p >= c.NumProcesses() || k < 0 || k > c.Len(p):
			return nil, false
		case k > 0:
			events = append(events, c.Event(p, k))
		}
	}
	return c.Above(c.Initial(), events...)
}

// A Slice describes what a slice adds to the part of the computation in a window.
type Slice struct {
	Edges []int32 `json:"edges"` // see layout.Window.Pairs
	// the meta-events of several events, including those of the computation
	Together [][]int32 `json:"together"`
	Forced   []int32   `json:"forced"` // the events that every cut of the slice in the window has
	Out      []int32   `json:"out"`    // the events that no such cut has
	Empty    bool      `json:"empty"`  // whether there is no such cut
	Lean     bool      `json:"lean"`   // whether its cuts are exactly those that satisfy the formula
}

// SliceOf returns a description of what the edges of a slice add to a window.
//
// The time complexity of SliceOf is O(|V|+|edges|).
func SliceOf(w *layout.Window, edges []graphs.Edge, lean bool) *Slice {
	s := &Slice{Edges: w.Pairs(edges), Together: [][]int32{}, Forced: []int32{}, Out: []int32{},
		Lean: lean}
	c := w.Of.With(edges)
	var least, greatest graphs.Cut
	ok := !c.Empty()
	if ok {
		greatest, ok = c.Below(c.Final(), ends(c, w.Greatest, 1)...)
	}
	if ok {
		least, ok = c.Above(c.Initial(), ends(c, w.Least, 0)...)
	}
	s.Empty = !ok || !least.Within(greatest)
	for e := range w.Events {
		switch step := c.Step(e); {
		case s.Empty || !c.Has(greatest, e):
			s.Out = append(s.Out, w.Number(e))
		case c.Has(least, e):
			s.Forced = append(s.Forced, w.Number(e))
		case len(step) > 1 && step[0] == e:
			s.Together = append(s.Together, w.Numbers(step))
		}
	}
	return s
}

// ends returns, for each process, its last event in a cut or, if later is 1, the event after that,
// if there is one.
func ends(c *graphs.Computation, cut graphs.Cut, later int) []graphs.Event {
	var events []graphs.Event
	for p, k := range cut {
		if at := int(k) + later; at > 0 && at <= c.Len(p) {
			events = append(events, c.Event(p, at))
		}
	}
	return events
}
