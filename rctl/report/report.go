// Package report defines the record of a verdict on one formula and one execution. In JSON it is
// an object with the verdict or an error, on a line of its own. The commands detect, check and
// pota-fleet write records, and merge and pota-fleet read them back. The last line of the results
// on a part of the traces is a Shard.
//
// Parse is strict: it refuses keys that no record has, since another program must have written
// them.
package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/explain"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Subject names the execution and the formula that a verdict is about.
type Subject struct {
	Trace   string `json:"trace"`
	Name    string `json:"name,omitempty"`
	Formula string `json:"formula,omitempty"` // "" stands for all formulas
}

// Title returns the formula, preceded by the name of the property and a colon if it has one.
func (s Subject) Title() string {
	if s.Name == "" {
		return s.Formula
	}
	return s.Name + ": " + s.Formula
}

// SubjectOf returns the subject for a property and the execution that it is decided on.
func SubjectOf(trace string, p syntax.Property) Subject {
	return Subject{Trace: trace, Name: p.Name, Formula: p.Source}
}

// A Record is the result for one formula on one execution, or on the runs of a program. It has a
// verdict, an error, or both: an error may also be about something other than the verdict.
type Record struct {
	Subject
	Error string `json:"error,omitempty"`

	Spec      string      `json:"spec,omitempty"` // only in JSON: the formula of a Conformance
	Verdict   string      `json:"verdict"`        // for a Conformance in JSON, its verdict
	Unordered [][2]string `json:"unordered,omitzero"`
	Reason    string      `json:"reason,omitempty"`
	Fragment  string      `json:"fragment"`
	Engine    string      `json:"engine"`
	ElapsedMS float64     `json:"elapsed_ms"`
	Stats     Sizes       `json:"stats"`

	Conformance *Conformance `json:"conformance,omitempty"` // the result of a comparison with a sequence diagram

	Bindings *Bindings  `json:"bindings,omitempty"` // for a formula about data
	Margin   *Margin    `json:"margin,omitempty"`   // for a formula about times
	States   *int       `json:"states,omitempty"`   // how many states of a program were visited
	Witness  *Witness   `json:"witness,omitempty"`
	Others   []*Witness `json:"others,omitempty"`  // further runs of a program, if one run is not enough
	Engines  []Opinion  `json:"engines,omitempty"` // the results of --cross-check

	PossiblySpurious bool   `json:"possibly_spurious,omitempty"`
	LowerBound       string `json:"lower_bound,omitempty"` // why the verdict may be spurious
	Notes            []Note `json:"notes,omitempty"`

	// These are set in a record that was read:
	Shard *Shard `json:"-"` // nil unless the line is a Shard; all other fields but Text are then zero
	Text  []byte `json:"-"` // the line without blanks around it, with the complete witness
}

// An Opinion is the result of one engine for a formula.
type Opinion struct {
	Engine    string  `json:"engine"`
	Verdict   string  `json:"verdict"`
	Reason    string  `json:"reason,omitempty"`
	ElapsedMS float64 `json:"elapsed_ms"`
	States    int64   `json:"states,omitempty"` // how many states SPIN stored or another engine visited
	Memory    int64   `json:"memory,omitempty"` // how many bytes SPIN used
}

func (o Opinion) String() string {
	text := fmt.Sprintf("%-9s %s", o.Engine, o.Verdict)
	if o.Reason != "" {
		text += ": " + o.Reason
	}
	return text
}

// A Size is a number of things in a computation. It is negative if it is not known.
type Size int

// IsZero makes encoding/json omit unknown sizes, and keep zeros.
func (n Size) IsZero() bool { return n < 0 }

// Sizes are the sizes of a computation.
type Sizes struct {
	Processes Size `json:"processes,omitzero"`
	Events    Size `json:"events,omitzero"`
	Messages  Size `json:"messages,omitzero"`
	Edges     Size `json:"edges,omitzero"`
}

// Unread are the sizes of a computation that was not read.
var Unread = Sizes{-1, -1, -1, -1}

// UnmarshalJSON implements json.Unmarshaler. A size that is left out becomes unknown.
func (s *Sizes) UnmarshalJSON(text []byte) error {
	type plain Sizes
	*s = Unread
	return json.Unmarshal(text, (*plain)(s))
}

// SizesOf returns the sizes of c.
func SizesOf(c *graphs.Computation) Sizes {
	return Sizes{
		Processes: Size(c.NumProcesses()),
		Events:    Size(c.NumEvents()),
		Messages:  Size(c.NumMessages()),
		Edges:     Size(c.NumEdges()),
	}
}

// A Note is something that a reader should know in addition to a verdict.
type Note struct {
	Kind string `json:"kind"`
	Text string `json:"text"`

	Within Bounds `json:"-"` // for a remedy, the bounds of clock skew with another verdict
}

// String returns the note with its label, as text formats print it.
func (n Note) String() string { return n.Label() + ": " + n.Text }

// Label returns the name of the kind for people.
func (n Note) Label() string {
	if n.Kind == Spurious {
		return "possibly spurious"
	}
	return n.Kind
}

// Bounds are a range of bounds of clock skew, in nanoseconds, with one verdict.
type Bounds struct {
	Verdict  string
	From, To int64
}

// The kinds of notes.
const (
	Spurious = "spurious" // the verdict may be due to impossible cuts, and the note says why there may be some
	Remedy   = "remedy"   // what to do about a spurious verdict
	Vacuous  = "vacuous"  // the verdict says less than it seems to
	Assumed  = "assumed"  // what the verdict assumes in addition to the trace
)

// Milliseconds returns d in milliseconds, truncated to whole microseconds.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// New returns the record of a verdict, without sizes or a witness. The name of the engine that
// reached the verdict is engine, and the time that it needed is elapsed.
func New(of Subject, res *rctl.Result, engine string, elapsed time.Duration, notes []Note) *Record {
	r := &Record{
		Subject:   of,
		Verdict:   res.Verdict.String(),
		Reason:    res.Reason,
		Fragment:  res.Class.Fragment.String(),
		Engine:    engine,
		ElapsedMS: Milliseconds(elapsed),
		Notes:     notes,
		Stats:     Unread,
	}
	// Scripts test the two keys below, and people read the notes.
	for _, n := range notes {
		if n.Kind == Spurious && r.LowerBound == "" {
			r.LowerBound = n.Text
			r.PossiblySpurious = true
		}
	}
	return r
}

// KindOf returns the kind of a run that shows a verdict.
func KindOf(v rctl.Verdict) string {
	if v == rctl.Fails {
		return "counterexample"
	}
	return "witness"
}

// A Witness is a run to be written in JSON. The steps of a child begin at the cut of its parent.
type Witness struct {
	Kind     string
	Cycle    int // the number, from 1, of the step from which a trail repeats forever; 0 if it ends
	Remarks  []string
	Children []*Witness
	Missing  []Order // orders that exclude such runs; nil if they were not looked for or not found

	// These are set for a run that was kept only in part:
	Cut   *Cut[int64] // the cut at its end
	Steps []string    // ids of events of the run

	c   *graphs.Computation
	run *explain.Level
}

// NewPart returns a run that was kept only in part: the counts of the first processes in the cut
// at its end, and the ids of some of its events.
func NewPart(v rctl.Verdict, processes []string, counts []int64, steps []string) *Witness {
	cut := &Cut[int64]{Processes: processes[:len(counts)], Counts: counts}
	return &Witness{Kind: KindOf(v), Cut: cut, Steps: steps}
}

// A Cut is a cut in JSON, with the processes in order.
type Cut[N int32 | int64] struct {
	Processes []string
	Counts    []N
}

// MarshalJSON implements json.Marshaler.
func (n Cut[N]) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	e := &encoder{Encoder: jsontext.NewEncoder(&text, options)}
	e.token(jsontext.BeginObject)
	for p, name := range n.Processes {
		e.member(name, n.Counts[p])
	}
	e.token(jsontext.EndObject)
	return text.Bytes(), e.err
}

// NewWitness returns the run of a level of an explanation. The kind is witness or counterexample.
func NewWitness(c *graphs.Computation, kind string, l *explain.Level) *Witness {
	w := &Witness{Kind: kind, Remarks: l.Remarks, c: c, run: l}
	for _, child := range l.Children {
		w.Children = append(w.Children, NewWitness(c, "witness", child))
	}
	return w
}

// A Conformance says whether a trace conforms to a sequence diagram.
type Conformance struct {
	Verdict string         `json:"-"`                // conforms, by luck, unfinished, unknown or violated
	Outcome string         `json:"outcome"`          // only in JSON: the verdict of the record
	Values  map[string]int `json:"values,omitempty"` // how many scenarios have each verdict
	Details []string       `json:"details,omitempty"`
}

// Bindings count the values and events that the outermost names of a formula about data may stand
// for, and list the first ones that decide the verdict.
type Bindings struct {
	Total      int       `json:"total"`
	Failing    *int      `json:"failing,omitempty"`    // how many fail, for forall
	Satisfying *int      `json:"satisfying,omitempty"` // how many satisfy the formula, for exists
	First      []Binding `json:"first"`                // the first bindings that decide the verdict, in the order of the trace
}

// A Binding gives the values that names stand for, and the run that shows the verdict for them.
type Binding struct {
	Names   []string
	Values  []json.RawMessage // constants, and ids of events
	Witness *Witness          // nil if no run shows the verdict
}

// MarshalJSON implements json.Marshaler: {"r":"r17","witness":{…}}.
func (b Binding) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	e := &encoder{Encoder: jsontext.NewEncoder(&text, options)}
	e.token(jsontext.BeginObject)
	for i, name := range b.Names {
		e.member(name, b.Values[i])
	}
	if b.Witness != nil {
		e.member("witness", b.Witness)
	}
	e.token(jsontext.EndObject)
	return text.Bytes(), e.err
}

// UnmarshalJSON implements json.Unmarshaler. The witness is only written.
func (b *Binding) UnmarshalJSON(text []byte) error {
	return members(text, func(name string, value json.RawMessage) error {
		if name != "witness" {
			b.Names = append(b.Names, name)
			b.Values = append(b.Values, value)
		}
		return nil
	})
}
