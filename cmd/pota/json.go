package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/explain"
	"github.com/pota-project/pota/rctl/syntax"
)

// subject is what a verdict is about.
type subject struct {
	Trace   string `json:"trace"`
	Name    string `json:"name,omitempty"`
	Formula string `json:"formula"`
}

func (v *decision) subject() subject {
	return subject{v.execution.Name, v.property.Name, v.property.Source}
}

// report is the JSON object for one formula on one trace.
type report struct {
	subject
	Verdict   string    `json:"verdict"`
	Reason    string    `json:"reason,omitempty"`
	Fragment  string    `json:"fragment"`
	Engine    string    `json:"engine"`
	ElapsedMS float64   `json:"elapsed_ms"`
	Stats     sizes     `json:"stats"`
	Witness   *witness  `json:"witness,omitempty"`
	Engines   []opinion `json:"engines,omitempty"` // of --cross-check

	PossiblySpurious bool   `json:"possibly_spurious,omitempty"`
	LowerBound       string `json:"lower_bound,omitempty"` // why it is
	Notes            []note `json:"notes,omitempty"`
}

type sizes struct {
	Processes int `json:"processes"`
	Events    int `json:"events"`
	Messages  int `json:"messages"`
	Edges     int `json:"edges"`
}

func sizesOf(c *graphs.Computation) sizes {
	return sizes{c.NumProcesses(), c.NumEvents(), c.NumMessages(), c.NumEdges()}
}

// milliseconds is d to the microsecond.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// witness is a run in JSON. The steps of a child begin at the cut of its parent.
type witness struct {
	Kind     string          `json:"kind"`
	Formula  string          `json:"formula"`
	Cut      namedCut[int32] `json:"cut"`
	Steps    []string        `json:"steps"`
	Shortest *bool           `json:"shortest,omitempty"`
	Cycle    int             `json:"cycle,omitempty"` // the number of the step, from 1, from which on a trail repeats for ever
	Children []*witness      `json:"children,omitempty"`

	Explains string            `json:"explains"` // the part of the property, as it was written, and the verdict on it
	Bindings map[string]string `json:"bindings,omitempty"`
	Values   map[string]any    `json:"values,omitempty"` // at the cut
	Changes  []change          `json:"changes,omitempty"`
	Remarks  []string          `json:"remarks,omitempty"`
}

// change is a step of a run that changes something, in JSON.
type change struct {
	Step    int            `json:"step"` // from 1
	ID      string         `json:"id"`
	Process string         `json:"process"`
	Label   string         `json:"label,omitempty"`
	Set     map[string]any `json:"set"`
}

// namedCut is a cut in JSON, the processes in their order.
type namedCut[N int32 | int64] struct {
	processes []string
	cut       []N
}

func (n namedCut[N]) MarshalJSON() ([]byte, error) {
	var counts []string
	for p, name := range n.processes {
		key, _ := json.Marshal(name) // every string has a JSON form
		counts = append(counts, fmt.Sprintf("%s:%d", key, n.cut[p]))
	}
	return []byte("{" + strings.Join(counts, ",") + "}"), nil
}

// jsonLines prints an object a line.
type jsonLines struct{ silence }

func (jsonLines) fork() presentation { return jsonLines{} }

func (jsonLines) decision(v *decision) {
	switch {
	case v.told != nil:
		v.out.Write(v.told.text) //nolint:errcheck // Flush tells
		v.out.WriteByte('\n')    //nolint:errcheck // Flush tells
		return
	case v.result != nil:
		v.printJSON(v.report(), "")
	}
	if v.err != nil && v.errorLines {
		v.printJSON(errorLine{v.subject(), headOf(v.err)}, "")
	}
}

func (jsonLines) refusal(d *detection, trace string, err error) {
	if d.errorLines {
		d.printJSON(errorLine{subject{Trace: trace}, headOf(err)}, "")
	}
}

func (jsonLines) end(d *detection) {
	if d.part != nil {
		d.printJSON(shardLine{d.part.String(), d.number, mapOf(d.properties, titled)}, "")
	}
}

// headOf is the first line of what an error says.
func headOf(err error) string {
	text, _, _ := strings.Cut(errorText(err), "\n")
	return text
}

// titled is a property with its name.
func titled(p syntax.Property) string {
	if p.Name == "" {
		return p.Source
	}
	return p.Name + ": " + p.Source
}

func (v *decision) report() *report {
	e, res := v.execution, v.result
	r := &report{
		subject: v.subject(),
		Verdict: res.Verdict.String(), Reason: res.Reason,
		Fragment: res.Class.Fragment.String(), Engine: v.engineOf(res),
		ElapsedMS: milliseconds(v.elapsed),
		Engines:   v.opinions, LowerBound: v.lowerBound(), Notes: v.notes,
	}
	if e.Computation != nil {
		r.Stats = sizesOf(e.Computation)
	}
	r.PossiblySpurious = r.LowerBound != ""
	if res.Evidence != nil {
		kind := "witness"
		if res.Verdict == rctl.Fails {
			kind = "counterexample"
		}
		r.Witness = newWitness(e.Computation, kind, v.teller().Explain(res.Evidence))
	}
	return r
}

func newWitness(c *graphs.Computation, kind string, l *explain.Level) *witness {
	e := l.Evidence
	w := &witness{Kind: kind, Formula: explain.Abbreviate(e.Formula), Cut: namedCut[int32]{c.Processes(), e.Cut}, Steps: make([]string, len(e.Run))}
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
		change := change{Step: s.Number, ID: c.ID(s.Event), Process: c.Processes()[c.Process(s.Event)], Label: c.Label(s.Event), Set: make(map[string]any)}
		for _, x := range s.Changes {
			change.Set[x.Variable.Name] = rawJSON(x.To)
		}
		w.Changes = append(w.Changes, change)
	}
	for _, child := range l.Children {
		w.Children = append(w.Children, newWitness(c, "witness", child))
	}
	return w
}

// mostValues bounds the values at a cut that are in JSON.
const mostValues = 1000

// rawJSON is a value as encoding/json takes it.
func rawJSON(v graphs.Value) json.RawMessage { return json.RawMessage(v.String()) }
