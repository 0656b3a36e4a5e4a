package report

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/explain"
)

// Write writes a line for the verdict and one for the error, as far as there are any, as a
// json.Encoder does that does not escape HTML. A run is written while it is gone through: nothing
// is held for each of its steps.
func (r *Record) Write(w io.Writer) error {
	e := &encoder{w: w}
	// Two lines, because readers of verdicts need not know of errors beside them.
	if r.Verdict != "" {
		e.verdict(r)
	}
	if r.Error != "" {
		e.value(struct {
			Subject
			Error string `json:"error"`
		}{r.Subject, r.Error})
		e.text = append(e.text, '\n')
	}
	e.flush()
	return e.err
}

// verdict writes the line of a verdict.
func (e *encoder) verdict(r *Record) {
	rest := *r
	rest.Error = "" // it has its own line
	if r.Conformance != nil {
		c := *r.Conformance
		c.Outcome, rest.Verdict = r.Verdict, strings.TrimPrefix(c.Verdict, by)
		rest.Spec, rest.Formula = r.Formula, ""
		rest.Conformance = &c
	}
	if r.Witness != nil {
		rest.Witness = new(Witness)
	}
	e.value(rest)
	// The rest of the line is small. The witness goes into the place that its empty object holds.
	if before, after, found := bytes.Cut(e.text, []byte(`"witness":{}`)); found { // no other member has that name
		after = bytes.Clone(after)
		e.text = append(before, `"witness":`...)
		e.witness(r.Witness)
		e.text = append(e.text, after...)
	}
	e.text = append(e.text, '\n')
}

// by begins the verdict "by luck" for people. In JSON it is "luck".
const by = "by "

// MarshalJSON implements json.Marshaler. A Witness without a run and a cut is an empty object.
func (w *Witness) MarshalJSON() ([]byte, error) {
	if w.run == nil && w.Cut == nil {
		return []byte("{}"), nil
	}
	var text bytes.Buffer
	e := &encoder{w: &text}
	e.witness(w)
	e.flush()
	return text.Bytes(), e.err
}

// An encoder writes JSON.
type encoder struct {
	w    io.Writer
	text []byte // that is not written yet
	err  error

	event []byte // the id of an event
}

// piece is how many bytes are written at a time.
const piece = 64 << 10

// flush writes the text and empties it. After an error it only empties it, so that callers check
// once, at the end.
func (e *encoder) flush() {
	if e.err == nil {
		_, e.err = e.w.Write(e.text)
	}
	e.text = e.text[:0]
}

// witness writes a witness as an object. The members come in the order that readers of the format
// know.
func (e *encoder) witness(w *Witness) {
	e.text = append(e.text, '{')
	e.member("kind", w.Kind)
	// Only a part of the run was kept, as ids.
	if w.run == nil {
		e.name("cut")
		e.text = w.Cut.append(e.text)
		e.member("steps", append([]string{}, w.Steps...))
		if len(w.Remarks) > 0 {
			e.member("remarks", w.Remarks)
		}
		e.text = append(e.text, '}')
		return
	}
	// Events are looked up in the computation one by one, and not copied first.
	l := w.run
	ev := l.Evidence
	e.member("formula", explain.Abbreviate(ev.Formula))
	e.name("cut")
	e.text = Cut[int32]{w.c.Processes(), ev.Cut}.append(e.text)
	e.name("steps")
	e.list(func() {
		for _, event := range ev.Run {
			e.id(w.c, event)
			e.next()
		}
	})
	if ev.MaybeShorter {
		e.member("shortest", false)
	}
	if w.Cycle != 0 {
		e.member("cycle", w.Cycle)
	}
	if len(w.Children) > 0 {
		e.name("children")
		e.list(func() {
			for _, child := range w.Children {
				e.witness(child)
				e.next()
			}
		})
	}
	e.member("explains", l.Text+" "+l.Verdict.String())
	// Maps have their keys sorted by encoding/json, so that equal runs have equal bytes.
	if len(l.Bindings) > 0 {
		bindings := make(map[string]string)
		for _, b := range l.Bindings {
			bindings[b.Name] = b.Process
		}
		e.member("bindings", bindings)
	}
	if len(l.Values) > 0 {
		values := make(map[string]json.RawMessage)
		// A cut of a large trace may have a value for each of many processes.
		for _, v := range l.Values[:min(len(l.Values), maxValues)] {
			values[v.Name] = json.RawMessage(v.Value.String())
		}
		e.member("values", values)
	}
	e.changes(w)
	e.cause(w)
	if len(w.Remarks) > 0 {
		e.member("remarks", w.Remarks)
	}
	e.text = append(e.text, '}')
}

// maxValues bounds the values at a cut that are in JSON.
const maxValues = 1000

// An Event is what the trace says of one.
type Event struct {
	Step    int             `json:"step,omitempty"` // its place in the run, from 1
	ID      string          `json:"id"`
	Process string          `json:"process"`
	Time    json.RawMessage `json:"time,omitempty"`
	File    string          `json:"file,omitempty"`
	Line    int             `json:"line,omitempty"`
	Label   string          `json:"label,omitempty"`
}

// An Order says that one event should have waited for another.
type Order struct {
	Before Event `json:"before"`
	After  Event `json:"after"`
}

// OrderOf returns an edge of c as an order.
func OrderOf(c *graphs.Computation, e graphs.Edge) Order {
	return Order{EventOf(c, e.From), EventOf(c, e.To)}
}

// EventOf returns what the trace of c says of an event.
func EventOf(c *graphs.Computation, e graphs.Event) Event {
	at := c.Place(e)
	return Event{
		ID:      c.ID(e),
		Process: c.Processes()[c.Process(e)],
		Time:    json.RawMessage(c.Time(e)),
		File:    at.File,
		Line:    at.Line,
		Label:   c.Label(e),
	}
}

// cause writes how the recorded order compares with the run, and the steps that matter.
func (e *encoder) cause(w *Witness) {
	l := w.run
	event := func(number int, of graphs.Event) Event {
		e := EventOf(w.c, of)
		e.Step = number
		return e
	}
	if r := l.Recorded; r != nil {
		e.member("observed", r.Observed)
		if r.From != graphs.Bottom {
			e.member("from", event(0, r.From))
		}
		if r.To != graphs.Bottom {
			e.member("until", event(0, r.To))
		}
	}
	if u := l.Unordered; u != nil {
		e.member("unordered", Order{event(0, u.Before), event(0, u.After)})
	}
	if len(l.Causes) > 0 {
		e.member("cause", l.Causes)
	}
	var shown []Event
	for _, s := range l.Steps {
		shown = append(shown, event(s.Number, s.Event))
	}
	if shown != nil {
		e.member("shown", shown)
	}
	if w.Missing != nil {
		e.member("missing", w.Missing)
	}
}

// changes writes the steps that change something, if there are any.
func (e *encoder) changes(w *Witness) {
	some := false
	// Most steps of a long run change nothing that the formula speaks of.
	for s := range w.run.Changing() {
		if !some {
			e.name("changes")
			e.text = append(e.text, '[')
			some = true
		}
		e.text = strconv.AppendInt(append(e.text, `{"step":`...), int64(s.Number), 10)
		e.name("id")
		e.id(w.c, s.Event)
		e.name("process")
		e.string(w.c.Processes()[w.c.Process(s.Event)])
		if label := w.c.Label(s.Event); label != "" {
			e.name("label")
			e.string(label)
		}
		e.text = append(e.text, `,"set":{`...)
		byName := func(a, b explain.Change) int { return strings.Compare(a.Variable.Name, b.Variable.Name) }
		// Members are sorted, as encoding/json sorts the keys of a map.
		slices.SortStableFunc(s.Changes, byName)
		for i, x := range s.Changes {
			if i+1 < len(s.Changes) && byName(x, s.Changes[i+1]) == 0 {
				continue // a shared variable of the name of another
			}
			e.string(x.Variable.Name)
			e.text = append(append(append(e.text, ':'), x.To.String()...), ',')
		}
		e.text[len(e.text)-1] = '}'
		e.text = append(e.text, '}')
		e.next()
	}
	if some {
		e.text[len(e.text)-1] = ']'
	}
}

// member writes a member of an object.
func (e *encoder) member(name string, value any) {
	e.name(name)
	e.value(value)
}

// value writes a value.
func (e *encoder) value(v any) {
	text, err := appendValue(e.text, v)
	if e.text = text; e.err == nil {
		e.err = err
	}
}

// string writes a string.
func (e *encoder) string(s string) { e.text = appendString(e.text, s) }

// name writes the name of a member, after a comma if another member precedes it.
func (e *encoder) name(name string) {
	if last := e.text[len(e.text)-1]; last != '{' {
		e.text = append(e.text, ',')
	}
	e.string(name)
	e.text = append(e.text, ':')
}

// list writes an array. The function writes the elements and calls next after each.
func (e *encoder) list(elements func()) {
	e.text = append(e.text, '[')
	elements()
	if last := len(e.text) - 1; e.text[last] == ',' {
		e.text[last] = ']'
		return
	}
	e.text = append(e.text, ']')
}

// next ends an element of an array, and makes room. What was written last is kept.
func (e *encoder) next() {
	if len(e.text) >= piece {
		e.flush()
	}
	e.text = append(e.text, ',')
}

// id writes the id of an event.
func (e *encoder) id(c *graphs.Computation, event graphs.Event) {
	e.event = c.AppendID(e.event[:0], event)
	e.text = appendString(e.text, e.event)
}

// appendValue appends the JSON form of a value, without escapes for HTML: formulas have many of
// its characters.
func appendValue(text []byte, v any) ([]byte, error) {
	b := bytes.NewBuffer(text)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), err
}

// appendString is appendValue for a string. Most strings need no escapes, which are left to
// encoding/json, and copying them is much faster.
func appendString[S ~string | ~[]byte](text []byte, s S) []byte {
	for i := range len(s) {
		if !plain[s[i]] {
			text, _ = appendValue(text, string(s)) // every string has a JSON form
			return text
		}
	}
	return append(append(append(text, '"'), s...), '"')
}

// plain are the bytes that stand for themselves in every string of JSON.
var plain = func() (is [256]bool) {
	for b := range is {
		is[b] = ' ' <= b && b < 0x7f && b != '"' && b != '\\'
	}
	return is
}()
