package report

import (
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/explain"
)

// options are those of encoding/json without escapes for HTML, since formulas use many of the
// characters that it escapes.
var options = json.JoinOptions(jsonv1.DefaultOptionsV1(), jsontext.EscapeForHTML(false))

// Write writes a line for the verdict and a line for the error, if the record has them. It writes
// long runs event by event, and holds nothing in memory for each step.
func (r *Record) Write(w io.Writer) error {
	enc := jsontext.NewEncoder(w, options)
	// Write two lines, so that readers of verdicts need not know that errors can accompany them.
	if r.Verdict != "" {
		line := *r
		line.Error = ""
		if r.Conformance != nil {
			c := *r.Conformance
			c.Outcome, line.Verdict = r.Verdict, strings.TrimPrefix(c.Verdict, by)
			line.Spec, line.Formula = r.Formula, ""
			line.Conformance = &c
		}
		if err := json.MarshalEncode(enc, line); err != nil {
			return err
		}
	}
	if r.Error == "" {
		return nil
	}
	return json.MarshalEncode(enc, struct {
		Subject
		Error string `json:"error"`
	}{r.Subject, r.Error})
}

// by begins the verdict "by luck" in text. In JSON the verdict is "luck".
const by = "by "

// MarshalJSON implements json.Marshaler of encoding/json.
func (w *Witness) MarshalJSON() ([]byte, error) { return json.Marshal(w, options) }

// MarshalJSONTo implements json.MarshalerTo. The members keep the documented order.
func (w *Witness) MarshalJSONTo(enc *jsontext.Encoder) error {
	e := &encoder{Encoder: enc}
	e.token(jsontext.BeginObject)
	e.member("kind", w.Kind)
	if w.run == nil {
		// Only some events of the run were kept, by their ids.
		e.member("cut", w.Cut)
		e.member("steps", append([]string{}, w.Steps...))
	} else {
		e.evidence(w)
		e.changes(w)
		e.cause(w)
	}
	if len(w.Remarks) > 0 {
		e.member("remarks", w.Remarks)
	}
	e.token(jsontext.EndObject)
	return e.err
}

// An encoder keeps its first error, so that callers check once, at the end.
type encoder struct {
	*jsontext.Encoder
	err error
}

// token writes a token: the beginning or end of an object or array, or a string.
func (e *encoder) token(t jsontext.Token) {
	if e.err == nil {
		e.err = e.WriteToken(t)
	}
}

// strings writes strings, which may be names of members or their values.
func (e *encoder) strings(all ...string) {
	for _, s := range all {
		e.token(jsontext.String(s))
	}
}

// json writes a value that is already encoded as JSON.
func (e *encoder) json(text string) {
	if e.err == nil {
		e.err = e.WriteValue(jsontext.Value(text))
	}
}

// member writes a member of an object.
func (e *encoder) member(name string, value any) {
	e.strings(name)
	if e.err == nil {
		e.err = json.MarshalEncode(e.Encoder, value)
	}
}

// evidence writes the run, the formula that it shows, and the values at its cut. It looks up events
// in the computation one by one.
func (e *encoder) evidence(w *Witness) {
	l := w.run
	ev := l.Evidence
	e.member("formula", explain.Abbreviate(ev.Formula))
	e.member("cut", Cut[int32]{w.c.Processes(), ev.Cut})
	e.strings("steps")
	e.token(jsontext.BeginArray)
	for _, event := range ev.Run {
		e.strings(w.c.ID(event))
	}
	e.token(jsontext.EndArray)
	if ev.MaybeShorter {
		e.member("shortest", false)
	}
	if w.Cycle != 0 {
		e.member("cycle", w.Cycle)
	}
	if len(w.Children) > 0 {
		e.member("children", w.Children)
	}
	e.member("explains", l.Text+" "+l.Verdict.String())
	// Keys of maps are sorted when encoded, so equal runs have equal bytes.
	if len(l.Bindings) > 0 {
		bindings := make(map[string]string)
		for _, b := range l.Bindings {
			bindings[b.Name] = b.Process
		}
		e.member("bindings", bindings)
	}
	if len(l.Values) > 0 {
		values := make(map[string]jsontext.Value)
		// In a large trace, a cut may have a value for each of many processes.
		for _, v := range l.Values[:min(len(l.Values), maxValues)] {
			values[v.Name] = jsontext.Value(v.Value.String())
		}
		e.member("values", values)
	}
}

// maxValues bounds how many values at a cut are written in JSON.
const maxValues = 1000

// An Event describes an event of a trace.
type Event struct {
	Step    int            `json:"step,omitempty"` // the place in the run, from 1; 0 if there is none
	ID      string         `json:"id"`
	Process string         `json:"process"`
	Time    jsontext.Value `json:"time,omitempty"`
	File    string         `json:"file,omitempty"`
	Line    int            `json:"line,omitempty"`
	Label   string         `json:"label,omitempty"`
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

// EventOf returns the description of an event of c.
func EventOf(c *graphs.Computation, e graphs.Event) Event {
	at := c.Place(e)
	return Event{
		ID:      c.ID(e),
		Process: c.Processes()[c.Process(e)],
		Time:    jsontext.Value(c.Time(e)),
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
	// Most steps of a long run change nothing that the formula mentions.
	for s := range w.run.Changing() {
		if !some {
			e.strings("changes")
			e.token(jsontext.BeginArray)
			some = true
		}
		e.token(jsontext.BeginObject)
		e.strings("step")
		e.token(jsontext.Int(int64(s.Number)))
		e.strings("id", w.c.ID(s.Event), "process", w.c.Processes()[w.c.Process(s.Event)])
		if label := w.c.Label(s.Event); label != "" {
			e.strings("label", label)
		}
		e.strings("set")
		e.token(jsontext.BeginObject)
		// Sort the keys like those of a map. If a shared variable has the name of another variable,
		// write only the last change.
		byName := func(a, b explain.Change) int { return strings.Compare(a.Variable.Name, b.Variable.Name) }
		slices.SortStableFunc(s.Changes, byName)
		for i, x := range s.Changes {
			if i+1 == len(s.Changes) || byName(x, s.Changes[i+1]) != 0 {
				e.strings(x.Variable.Name)
				e.json(x.To.String())
			}
		}
		e.token(jsontext.EndObject)
		e.token(jsontext.EndObject)
	}
	if some {
		e.token(jsontext.EndArray)
	}
}
