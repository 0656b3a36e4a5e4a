package monitor

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/decide"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/online"
	"github.com/pota-project/pota/rctl/report"
)

// An Answer is the record of a verdict on what has arrived of an execution. Of the sizes only the
// number of events is known, and a run is kept in part.
type Answer struct {
	report.Record
	Final bool `json:"final"`
	// How the execution ended, where it did not say so itself.
	Ended string `json:"ended,omitempty"`
	// It may have been delivered before a crash.
	Repeated bool         `json:"repeated,omitempty"`
	Pending  []pending    `json:"obligations,omitempty"`
	Bound    string       `json:"bound,omitempty"` // what bindings say of it, as a person reads it
	Late     *online.Late `json:"late,omitempty"`
	// The run that shows it, as a person reads it.
	Run string `json:"run,omitempty"`

	known bool // by the log
}

// show says what the answer of package online says beside the verdict. Processes are those of its cut.
func (a *Answer) show(x *online.Answer, processes []string) {
	switch {
	case x.Cut != nil:
		a.Witness = report.NewPart(x.Verdict, processes, x.Cut, x.Steps)
	case x.Steps != nil:
		a.Witness = &report.Witness{Kind: report.KindOf(x.Verdict), Steps: x.Steps}
	}
	if x.Bindings != nil {
		a.Bindings = decide.RecordOf(x.Bindings)
	}
	a.Bound = x.Bound
	if x.Late.Count > 0 {
		a.Late = &x.Late
	}
}

// pending is an obligation.
type pending struct {
	Event  string  `json:"event"`
	Events int64   `json:"events"`
	AgeMS  float64 `json:"age_ms"`
	More   int     `json:"more,omitempty"`
}

// pendingOf returns an obligation with its age, in a form that JSON has.
func pendingOf(o *online.Obligation, age time.Duration) pending {
	return pending{Event: o.Event, Events: o.Events, AgeMS: report.Milliseconds(age), More: o.More}
}

// property is the name of the property, or its formula if it has no name.
func (a *Answer) property() string { return cmp.Or(a.Name, a.Formula) }

// answerLine is an answer as it is printed in JSON and given to the command of --exec. Consumers of a
// stream rely on these keys; the keys of a record are for results that merge reads.
type answerLine struct {
	Execution string             `json:"execution,omitempty"`
	Property  string             `json:"property"`
	Formula   string             `json:"formula"`
	Verdict   string             `json:"verdict"`
	Final     bool               `json:"final"`
	Ended     string             `json:"ended,omitempty"`
	Repeated  bool               `json:"repeated,omitempty"`
	Reason    string             `json:"reason,omitempty"`
	Events    report.Size        `json:"events"`
	Cut       *report.Cut[int64] `json:"cut,omitempty"`
	Steps     []string           `json:"steps,omitempty"`
	Pending   []pending          `json:"obligations,omitempty"`
	Bindings  *report.Bindings   `json:"bindings,omitempty"`
	Late      *online.Late       `json:"late,omitempty"`
	Lower     string             `json:"lower_bound,omitempty"`
}

// json returns the answer as a line.
func (a *Answer) json() []byte {
	l := answerLine{
		Execution: a.Trace,
		Property:  a.property(),
		Formula:   a.Formula,
		Verdict:   a.Verdict,
		Final:     a.Final,
		Ended:     a.Ended,
		Repeated:  a.Repeated,
		Reason:    a.Reason,
		Events:    a.Stats.Events,
		Pending:   a.Pending,
		Bindings:  a.Bindings,
		Late:      a.Late,
		Lower:     a.LowerBound,
	}
	if w := a.Witness; w != nil {
		l.Cut = w.Cut
		l.Steps = w.Steps
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(l); err != nil {
		panic("this cannot happen, because answers are data: " + err.Error())
	}
	return b.Bytes()
}

// text returns the answer for a person.
func (a *Answer) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%-8s ", a.Verdict)
	if a.Trace != "" {
		b.WriteString(graphs.Printable(a.Trace) + "  ")
	}
	fmt.Fprintf(&b, "%s  after %s", graphs.Printable(a.property()), graphs.Plural(int(a.Stats.Events), "event"))
	if a.Ended != "" {
		b.WriteString(", " + a.Ended)
	}
	if a.Repeated {
		b.WriteString(", perhaps told before")
	}
	for _, text := range []string{graphs.Printable(a.Bound), a.Reason} {
		if text != "" {
			b.WriteString(": " + text)
		}
	}
	b.WriteByte('\n')
	if a.LowerBound != "" {
		fmt.Fprintf(&b, "         possibly spurious: %s\n", graphs.Printable(a.LowerBound))
	}
	for _, o := range a.Pending {
		b.WriteString("         " + o.text() + "\n")
	}
	if a.Run != "" {
		b.WriteString(a.Run)
	} else if w := a.Witness; w != nil && a.Verdict != openVerdict && a.Verdict != rctl.Unknown.String() && len(w.Steps) > 0 {
		fmt.Fprintf(&b, "         %s\n", graphs.Printable(graphs.List(w.Steps, maxSteps)))
	}
	return b.Bytes()
}

// maxSteps is how many steps of an answer are shown to a person.
const maxSteps = 20

// openVerdict is the verdict of an answer that is not final.
const openVerdict = "open"

// text returns the obligation for a person.
func (o *pending) text() string {
	event := "the beginning"
	if o.Event != "" {
		event = graphs.Printable(o.Event)
	}
	text := fmt.Sprintf("waiting since %s, event %d", event, o.Events)
	if o.More > 0 {
		text += fmt.Sprintf(", and %d before it", o.More)
	}
	return text
}
