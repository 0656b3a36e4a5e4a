package monitor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/decide"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/online"
	"github.com/pota-project/pota/rctl/report"
)

// An Answer is a verdict on an execution so far. Its JSON is printed, passed to the command of --exec, and kept in the
// log. Consumers of a stream rely on its keys.
type Answer struct {
	Execution string `json:"execution,omitempty"`
	Property  string `json:"property"` // its name, or its formula if it has no name
	Formula   string `json:"formula"`
	Verdict   string `json:"verdict"`
	Final     bool   `json:"final"`
	// Ended says how the execution ended, if it did not say so itself.
	Ended    string      `json:"ended,omitempty"`
	Repeated bool        `json:"repeated,omitempty"` // whether it may have been delivered before a crash
	Reason   string      `json:"reason,omitempty"`
	Events   report.Size `json:"events"`

	// A cut that shows the verdict, and the ids of some events of a run to it.
	Cut   *report.Cut[int64] `json:"cut,omitempty"`
	Steps []string           `json:"steps,omitempty"`

	Pending  []pending        `json:"obligations,omitempty"`
	Bindings *report.Bindings `json:"bindings,omitempty"`
	Late     *online.Late     `json:"late,omitempty"`
	Lower    string           `json:"lower_bound,omitempty"`

	// For users and not for other consumers: what bindings say about the verdict, and the run that shows it.
	Bound string `json:"bound,omitempty"`
	Run   string `json:"run,omitempty"`

	known bool // whether the log has it
}

// show copies the evidence of an answer of package online. Processes are those of its cut.
func (a *Answer) show(x *online.Answer, processes []string) {
	if x.Cut != nil {
		a.Cut = &report.Cut[int64]{Processes: processes[:len(x.Cut)], Counts: x.Cut}
	}
	a.Steps = x.Steps
	if x.Bindings != nil {
		a.Bindings = decide.RecordOf(x.Bindings)
	}
	a.Bound = x.Bound
	if x.Late.Count > 0 {
		a.Late = &x.Late
	}
}

// pending is an open obligation.
type pending struct {
	Event  string  `json:"event"`
	Events int64   `json:"events"`
	AgeMS  float64 `json:"age_ms"`
	More   int     `json:"more,omitempty"`
}

// pendingOf returns an obligation with its age, for JSON.
func pendingOf(o *online.Obligation, age time.Duration) pending {
	return pending{Event: o.Event, Events: o.Events, AgeMS: report.Milliseconds(age), More: o.More}
}

// json returns the answer as a line.
func (a *Answer) json() []byte {
	l := *a
	l.Bound, l.Run = "", ""
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(l); err != nil {
		panic("this cannot happen, because answers are data: " + err.Error())
	}
	return b.Bytes()
}

// text returns the answer as text for users.
func (a *Answer) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%-8s ", a.Verdict)
	if a.Execution != "" {
		b.WriteString(graphs.Printable(a.Execution) + "  ")
	}
	fmt.Fprintf(&b, "%s  after %s", graphs.Printable(a.Property), graphs.Plural(int(a.Events), "event"))
	if a.Ended != "" {
		b.WriteString(", " + a.Ended)
	}
	if a.Repeated {
		b.WriteString(", perhaps delivered before")
	}
	for _, text := range []string{graphs.Printable(a.Bound), a.Reason} {
		if text != "" {
			b.WriteString(": " + text)
		}
	}
	b.WriteByte('\n')
	if a.Lower != "" {
		fmt.Fprintf(&b, "         possibly spurious: %s\n", graphs.Printable(a.Lower))
	}
	for _, o := range a.Pending {
		event := "the beginning"
		if o.Event != "" {
			event = graphs.Printable(o.Event)
		}
		fmt.Fprintf(&b, "         waiting since %s, event %d", event, o.Events)
		if o.More > 0 {
			fmt.Fprintf(&b, ", and %d more", o.More)
		}
		b.WriteByte('\n')
	}
	if a.Run != "" {
		b.WriteString(a.Run)
	} else if a.Verdict != openVerdict && a.Verdict != rctl.Unknown.String() && len(a.Steps) > 0 {
		fmt.Fprintf(&b, "         %s\n", graphs.Printable(graphs.List(a.Steps, maxSteps)))
	}
	return b.Bytes()
}

// maxSteps is how many steps of an answer its text shows.
const maxSteps = 20

// openVerdict is the verdict of an answer that is not final.
const openVerdict = "open"
