package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/journal"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/online"
	"github.com/pota-project/pota/rctl/report"
)

// told is an answer in JSON.
type told struct {
	Execution string             `json:"execution,omitempty"`
	Property  string             `json:"property"`
	Formula   string             `json:"formula"`
	Verdict   string             `json:"verdict"`
	Final     bool               `json:"final"`
	Ended     string             `json:"ended,omitempty"`    // how, where the execution did not say it
	Repeated  bool               `json:"repeated,omitempty"` // it may have been told before the program was killed
	Reason    string             `json:"reason,omitempty"`
	Events    int64              `json:"events"`
	Cut       *report.Cut[int64] `json:"cut,omitempty"`
	Steps     []string           `json:"steps,omitempty"`
	Waiting   []waiting          `json:"obligations,omitempty"`
	Lower     string             `json:"lower_bound,omitempty"` // why the verdict is possibly spurious

	number uint64      // of a final one, more than of those before it
	got    journal.Got // who surely got it from a run before
}

// waiting is an obligation in JSON.
type waiting struct {
	Event  string  `json:"event"`
	Events int64   `json:"events"`
	AgeMS  float64 `json:"age_ms"`
	More   int     `json:"more,omitempty"`
}

// tell prints an answer on an execution, and what is open. That a formula does not fit the one
// execution there is, is a mistake in it; it may fit others of many.
func (w *watch) tell(e *online.Execution, a online.Answer, how string) {
	w.status = worst(w.status, statusOf(a.Verdict))
	if a.Misfit != nil && w.key == "" {
		w.fail(misfit(w.properties[a.Property], a.Misfit))
	}
	var open []waiting
	for _, o := range e.Obligations(a.Property) {
		open = append(open, waiting{o.Event, o.Events, report.Milliseconds(time.Since(o.Since)), o.More})
	}
	w.print(e, a, open, how)
}

func (w *watch) print(e *online.Execution, a online.Answer, open []waiting, how string) {
	t := w.about(a.Property)
	t.Execution, t.Ended, t.Verdict, t.Final, t.Reason, t.Events, t.Steps, t.Waiting = e.Name, how, a.Verdict.String(), a.Final, a.Reason, a.Events, a.Steps, open
	if !a.Final {
		t.Verdict, t.Events = "open", e.Stream().Admitted()
	}
	if w.lower != "" && a.Final && !rctl.Sound(e.Formula(a.Property), a.Verdict) {
		t.Lower = w.lower
	}
	if a.Cut != nil {
		t.Cut = &report.Cut[int64]{Processes: e.Stream().Processes()[:len(a.Cut)], Counts: a.Cut}
	}
	w.show(&t)
}

// about returns what is told of a property, but for the answer.
func (w *watch) about(property int) told {
	p := w.properties[property]
	formula := oneLine(p.Source)
	return told{Property: cmp.Or(p.Name, formula), Formula: formula}
}

// show tells an answer, a final one when what it rests on is safe.
func (w *watch) show(t *told) {
	if t.Final {
		w.number++
		t.number = w.number
	}
	if !w.lasting.holds(t) {
		w.display(t)
	}
}

// display gives an answer to who reads the results, and a final one to the command of --exec.
func (w *watch) display(t *told) {
	w.meter.answers.Of(t.Verdict).Add(1)
	if t.Final && !t.got[aCommand] {
		w.hook.give(t)
	}
	if w.cli.Bool("quiet") || t.got[aReader] {
		return
	}
	if err := w.results.give(t.key(), t.number, w.text(t)); err != nil && !w.broken {
		w.broken = true
		w.fail(err)
	}
}

// line returns an answer in JSON.
func (t *told) line() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(t); err != nil {
		panic("this cannot happen, because answers are data: " + err.Error())
	}
	return b.Bytes()
}

// text returns an answer as it is printed.
func (w *watch) text(t *told) []byte {
	if w.cli.Bool("json") {
		return t.line()
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%-8s ", t.Verdict)
	if t.Execution != "" {
		b.WriteString(graphs.Printable(t.Execution) + "  ")
	}
	fmt.Fprintf(&b, "%s  after %s", graphs.Printable(t.Property), graphs.Plural(int(t.Events), "event"))
	if t.Ended != "" {
		b.WriteString(", " + t.Ended)
	}
	if t.Repeated {
		b.WriteString(", perhaps told before")
	}
	if t.Reason != "" {
		b.WriteString(": " + t.Reason)
	}
	b.WriteByte('\n')
	if t.Lower != "" {
		fmt.Fprintf(&b, "         possibly spurious: %s\n", graphs.Printable(t.Lower))
	}
	for _, o := range t.Waiting {
		event := "the beginning"
		if o.Event != "" {
			event = graphs.Printable(o.Event)
		}
		fmt.Fprintf(&b, "         waiting since %s, event %d", event, o.Events)
		if o.More > 0 {
			fmt.Fprintf(&b, ", and %d before it", o.More)
		}
		b.WriteByte('\n')
	}
	if t.Verdict != "open" && t.Verdict != rctl.Unknown.String() && len(t.Steps) > 0 {
		fmt.Fprintf(&b, "         %s\n", graphs.Printable(graphs.List(t.Steps, 20)))
	}
	return b.Bytes()
}

// key names what an answer is to.
func (t *told) key() string { return t.Property + "\x00" + t.Formula + "\x00" + t.Execution }

// code codes a final answer.
func (t *told) code(c *stream.Codec) {
	for _, text := range []*string{&t.Execution, &t.Property, &t.Formula, &t.Verdict, &t.Ended, &t.Reason, &t.Lower} {
		stream.Text(c, text)
	}
	c.Int64(&t.Events)
	stream.List(c, &t.Steps, func(id *string) { stream.Text(c, id) })
	stream.List(c, &t.Waiting, func(x *waiting) {
		stream.Text(c, &x.Event)
		c.Int64(&x.Events)
		age := int64(math.Float64bits(x.AgeMS))
		c.Int64(&age)
		x.AgeMS = math.Float64frombits(uint64(age))
		stream.Number(c, &x.More)
	})
	cut := t.Cut != nil
	if c.Bool(&cut); !cut {
		return
	}
	if c.Reading() {
		t.Cut = new(report.Cut[int64])
	}
	stream.List(c, &t.Cut.Processes, func(name *string) { stream.Text(c, name) })
	stream.List(c, &t.Cut.Counts, c.Int64)
}
