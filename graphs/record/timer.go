package record

import (
	"fmt"
	"strings"
	"time"
)

// A Timing starts or cancels a timer of the process; see Timer and CancelTimer.
type Timing struct {
	name   string
	after  time.Duration
	cancel bool
	set    []Assignment
}

// Timer says that something ends without an event, such as a lease: so long after the event the variables
// get the values, unless an event of the process cancels the timer or starts it anew before, by the same
// name. The reader of the trace adds an event for it.
//
//	p.Event(record.Set("holds", true), record.Timer("lease", 10*time.Second, record.Set("holds", false)))
//
// The event and all later ones of its process are recorded with a time.
func Timer(name string, after time.Duration, set ...Assignment) Timing {
	return Timing{name: name, after: after, set: set}
}

// CancelTimer says that a timer of the process ends no more, if it runs.
func CancelTimer(name string) Timing { return Timing{name: name, cancel: true} }

func (Timing) action() {}

// timers appends what an event says of timers. Of two of one name the later one counts.
func (p *Process) timers(line []byte, actions []Action) []byte {
	sep := `,"timer":{`
	for i := range actions {
		t, ok := actions[i].(Timing)
		if !ok || some(actions[i+1:], func(u Timing) bool { return u.name == t.name }) {
			continue
		}
		if t.after < 0 {
			err := fmt.Errorf("timer %q cannot last %s", strings.Clone(t.name), t.after)
			p.recorder.misused(p.where(), err)
			continue
		}
		line = append(appendString(append(line, sep...), t.name), ':')
		line = p.end(line, &t)
		sep = ","
	}
	if sep == "," {
		line = append(line, '}')
	}
	return line
}

// end appends when a timer ends, and what it sets.
func (p *Process) end(line []byte, t *Timing) []byte {
	if t.cancel {
		return append(line, "null"...)
	}
	line = appendString(append(line, `{"in":`...), t.after.String())
	set, n, err := appendObject(append(line, `,"set":`...), t.set)
	p.recorder.misused(p.where(), err)
	if n > 0 {
		line = set
	}
	return append(line, '}')
}
