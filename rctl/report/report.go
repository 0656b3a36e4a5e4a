// Package report has the JSON objects by which verdicts are told: a line for each formula
// and trace, as pota detect --json prints them and pota merge reads them.
package report

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/explain"
)

// A Subject is what a verdict is about.
type Subject struct {
	Trace   string `json:"trace"`
	Name    string `json:"name,omitempty"`
	Formula string `json:"formula"`
}

// Title is the formula, after the name of the property and a colon if it has one.
func (s Subject) Title() string {
	if s.Name == "" {
		return s.Formula
	}
	return s.Name + ": " + s.Formula
}

// A Line is the JSON object for one formula on one trace.
type Line struct {
	Subject
	Verdict   string   `json:"verdict"`
	Reason    string   `json:"reason,omitempty"`
	Fragment  string   `json:"fragment"`
	Engine    string   `json:"engine"`
	ElapsedMS float64  `json:"elapsed_ms"`
	Stats     Sizes    `json:"stats"`
	Witness   *Witness `json:"witness,omitempty"`
	Engines   any      `json:"engines,omitempty"` // of --cross-check

	PossiblySpurious bool   `json:"possibly_spurious,omitempty"`
	LowerBound       string `json:"lower_bound,omitempty"` // why it is
	Notes            []Note `json:"notes,omitempty"`
}

// Sizes are those of a computation.
type Sizes struct {
	Processes int `json:"processes"`
	Events    int `json:"events"`
	Messages  int `json:"messages"`
	Edges     int `json:"edges"`
}

// SizesOf counts.
func SizesOf(c *graphs.Computation) Sizes {
	return Sizes{c.NumProcesses(), c.NumEvents(), c.NumMessages(), c.NumEdges()}
}

// A Note is what a reader should know beside a verdict.
type Note struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// The kinds of notes.
const (
	Spurious = "spurious" // the verdict may be due to cuts that were impossible; why there may be such cuts
	Remedy   = "remedy"   // what to do about that
	Vacuous  = "vacuous"  // the verdict says less than it seems to
	Assumed  = "assumed"  // what the verdict rests on in addition to the trace
)

// Milliseconds is d to the microsecond.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// New returns the line of a verdict on a computation, nil where it was not read, which
// engine reached in some time. Teller describes the evidence.
func New(of Subject, c *graphs.Computation, res *rctl.Result, engine string, elapsed time.Duration, teller *explain.Teller, notes []Note) *Line {
	l := &Line{
		Subject: of, Verdict: res.Verdict.String(), Reason: res.Reason,
		Fragment: res.Class.Fragment.String(), Engine: engine, ElapsedMS: Milliseconds(elapsed), Notes: notes,
	}
	if c != nil {
		l.Stats = SizesOf(c)
	}
	for _, n := range notes {
		if n.Kind == Spurious && l.LowerBound == "" {
			l.LowerBound, l.PossiblySpurious = n.Text, true
		}
	}
	if res.Evidence != nil {
		kind := "witness"
		if res.Verdict == rctl.Fails {
			kind = "counterexample"
		}
		l.Witness = NewWitness(c, kind, teller.Explain(res.Evidence))
	}
	return l
}

// A Witness is a run in JSON. The steps of a child begin at the cut of its parent.
type Witness struct {
	Kind     string     `json:"kind"`
	Formula  string     `json:"formula"`
	Cut      Cut[int32] `json:"cut"`
	Steps    []string   `json:"steps"`
	Shortest *bool      `json:"shortest,omitempty"`
	Cycle    int        `json:"cycle,omitempty"` // the number of the step, from 1, from which on a trail repeats for ever
	Children []*Witness `json:"children,omitempty"`

	Explains string            `json:"explains"` // the part of the property, as it was written, and the verdict on it
	Bindings map[string]string `json:"bindings,omitempty"`
	Values   map[string]any    `json:"values,omitempty"` // at the cut
	Changes  []Change          `json:"changes,omitempty"`
	Remarks  []string          `json:"remarks,omitempty"`
}

// A Change is a step of a run that changes something, in JSON.
type Change struct {
	Step    int            `json:"step"` // from 1
	ID      string         `json:"id"`
	Process string         `json:"process"`
	Label   string         `json:"label,omitempty"`
	Set     map[string]any `json:"set"`
}

// A Cut is a cut in JSON, the processes in their order.
type Cut[N int32 | int64] struct {
	Processes []string
	Counts    []N
}

// MarshalJSON implements json.Marshaler.
func (n Cut[N]) MarshalJSON() ([]byte, error) {
	text := []byte{'{'}
	for p, name := range n.Processes {
		if p > 0 {
			text = append(text, ',')
		}
		if strings.ContainsFunc(name, notPlain) {
			key, _ := json.Marshal(name) // every string has a JSON form
			text = append(text, key...)
		} else {
			text = append(append(append(text, '"'), name...), '"')
		}
		text = strconv.AppendInt(append(text, ':'), int64(n.Counts[p]), 10)
	}
	return append(text, '}'), nil
}

// notPlain reports whether a rune may need an escape in JSON.
func notPlain(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '.' || r == '-' || r == '_')
}

// NewWitness is the run that a level explains, which is of a kind: witness or
// counterexample.
func NewWitness(c *graphs.Computation, kind string, l *explain.Level) *Witness {
	e := l.Evidence
	w := &Witness{Kind: kind, Formula: explain.Abbreviate(e.Formula), Cut: Cut[int32]{c.Processes(), e.Cut}, Steps: make([]string, len(e.Run))}
	for i, event := range e.Run {
		w.Steps[i] = c.ID(event)
	}
	if e.Nearer {
		w.Shortest = new(bool)
	}
	w.Explains, w.Remarks = l.Text+" "+l.Verdict.String(), l.Remarks
	for _, b := range l.Bindings {
		if w.Bindings == nil {
			w.Bindings = make(map[string]string)
		}
		w.Bindings[b.Name] = b.Process
	}
	for _, v := range l.Values[:min(len(l.Values), mostValues)] {
		if w.Values == nil {
			w.Values = make(map[string]any)
		}
		w.Values[v.Name] = rawJSON(v.Value)
	}
	for _, s := range l.Steps {
		if len(s.Changes) == 0 {
			continue
		}
		change := Change{Step: s.Number, ID: c.ID(s.Event), Process: c.Processes()[c.Process(s.Event)], Label: c.Label(s.Event), Set: make(map[string]any)}
		for _, x := range s.Changes {
			change.Set[x.Variable.Name] = rawJSON(x.To)
		}
		w.Changes = append(w.Changes, change)
	}
	for _, child := range l.Children {
		w.Children = append(w.Children, NewWitness(c, "witness", child))
	}
	return w
}

// mostValues bounds the values at a cut that are in JSON.
const mostValues = 1000

// rawJSON is a value as encoding/json takes it.
func rawJSON(v graphs.Value) json.RawMessage { return json.RawMessage(v.String()) }
