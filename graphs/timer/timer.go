// Package timer makes events of what happens without one in a trace: a lease ends, a session
// expires, a request is given up.
//
// # Definitions
//
// An event may start timers of its process, each with a name and assignments. A timer is due so long
// after the local time of the event, or at a local time of its own, but not before the event. When it
// is due it ends: the process executes an event with the assignments, at that moment. A timer of a
// name that is started anew replaces the one that runs, and an event may cancel it.
//
// The end of a timer has its place in the order of its process by time: it comes before the first
// later event of the process with a time later than the timer is due, and after all others. So an
// event at the very moment that a timer is due comes first, and may still cancel it. Timers that are
// due at one moment end in the order of their starts. Of a clock that knows its error the
// earliest time counts. While a timer runs, the events of its process need times: without one it is
// not known whether the timer has ended.
//
// For example, of a process with these events, the timer lease ends at 10, before b:
//
//	{"process":"A","id":"a","time":0,"set":{"holds":true},"timer":{"lease":{"in":"10s","set":{"holds":false}}}}
//	{"process":"A","id":"b","time":12}
//
// The end of the timer lease that event a started has the id a.lease. Default ids count the events of the log alone: an event is process:k if it is the k-th that the log
// has of its process. Vector clocks do so, too, and cannot tell of the ends of timers; so a trace has
// clocks or timers.
//
// The end of a timer is an event with a time like any other, and the models of package clocks know no
// more of it. So clocks that agree within ε let a timer last up to ε longer or shorter than it says,
// and a constant offset leaves it its length. A model allows times for each cut
// that it leaves; a run may be of a timer that is sometimes slow, and is marked for that.
package timer

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/admission"
)

// Inexact says why a verdict about runs is possibly spurious where timers end.
const Inexact = "in a run like that a timer may last longer or shorter than it says"

// A Timer is what an event says of a timer of its process.
type Timer struct {
	Name   string
	Cancel bool   // the timer ends no more, if it runs
	In     string // a duration such as 1.5s, or a number that counts units of time; "" for At
	At     string // when it is due, as JSON text of a time
	Set    []Assignment
}

// An Assignment is a variable and the value that it gets.
type Assignment struct {
	Name  string
	Value graphs.Value
}

// ParseDuration reads how long a timer runs, at least 0.
func ParseDuration(text string, unit time.Duration) (d time.Duration, ok bool) {
	d, err := time.ParseDuration(text)
	if err == nil {
		return d, d >= 0
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || !(number*float64(unit) < 1<<63) {
		return 0, false
	}
	return time.Duration(number * float64(unit)), number >= 0
}

// An End is an event that ends a timer.
type End[S any] struct {
	Timer
	Time string // as JSON text
	ID   string
	By   S // what the reader knows of the event that started the timer

	due int64
}

// Label says what the event is.
func (e *End[S]) Label() string { return "timer " + e.Name }

// A Process has the timers of a process that run. The zero Process has none.
//
//	(1) running is ordered by due, and timers due at one moment by their starts
//	(2) no two of running have one name
type Process[S any] struct {
	running []End[S]
	ended   int64
}

// Runs reports whether a timer runs.
func (p *Process[S]) Runs() bool { return len(p.running) > 0 }

// Ended returns how many events of the process were ends of timers.
func (p *Process[S]) Ended() int64 { return p.ended }

// Before returns the timers that end before an event with that time, as JSON text, in their order;
// they run no more. The error says that the event has no time, or one of another form, while a timer
// runs.
func (p *Process[S]) Before(at string, unit time.Duration) ([]End[S], error) {
	if len(p.running) == 0 {
		return nil, nil
	}
	now, err := instant(at, unit, p.running[0].Name)
	if err != nil {
		return nil, err
	}
	if form(at) != form(p.running[0].Time) {
		return nil, admission.TimerMixed.Broken(p.running[0].Name, p.running[0].Time, at)
	}
	n := 0
	for n < len(p.running) && p.running[n].due < now {
		n++
	}
	return p.end(n), nil
}

// Rest returns the timers that run, in the order of their ends. They run no more.
func (p *Process[S]) Rest() []End[S] { return p.end(len(p.running)) }

// end removes the first n timers, and returns them.
func (p *Process[S]) end(n int) []End[S] {
	ends := slices.Clone(p.running[:n])
	p.running = slices.Delete(p.running, 0, n)
	p.ended += int64(n)
	return ends
}

// Start starts a timer by an event with an id and a time, as JSON text, or cancels one. It keeps neither
// text, but t. Errors say that the event has no time or one of another form.
func (p *Process[S]) Start(t Timer, id, at string, unit time.Duration, by S) error {
	e, err := started(t, id, at, unit, by)
	if err != nil {
		return err
	}
	p.running = slices.DeleteFunc(p.running, func(old End[S]) bool { return old.Name == t.Name })
	if t.Cancel {
		return nil
	}
	i, _ := slices.BinarySearchFunc(p.running, e.due, func(other End[S], due int64) int {
		if other.due > due {
			return 1
		}
		return -1 // those due at the same moment, too, stay before it
	})
	p.running = slices.Insert(p.running, i, e)
	return nil
}

// Check returns the error that Start would return.
func Check(t Timer, at string, unit time.Duration) error {
	_, err := started(t, "", at, unit, struct{}{})
	return err
}

// started returns how a timer ends that an event starts.
func started[S any](t Timer, id, at string, unit time.Duration, by S) (e End[S], err error) {
	e = End[S]{Timer: t, By: by}
	if t.Cancel {
		return e, nil
	}
	if at == "" {
		return e, admission.TimerStart.Broken(t.Name)
	}
	now, err := instant(at, unit, t.Name)
	if err != nil {
		return e, err
	}
	e.ID, e.Time = id+"."+t.Name, t.At
	if t.At == "" {
		d, ok := ParseDuration(t.In, unit)
		if !ok {
			return e, admission.TimerDuration.Broken(t.Name, t.In)
		}
		e.Time = graphs.AddTime(at, d, unit)
	}
	if form(at) != form(e.Time) {
		return e, admission.TimerMixed.Broken(t.Name, e.Time, at)
	}
	if e.due, err = instant(e.Time, unit, t.Name); err == nil && e.due < now {
		e.due, e.Time = now, strings.Clone(at) // it has ended already
	}
	return e, err
}

// instant reads a time that a timer needs.
func instant(text string, unit time.Duration, timer string) (int64, error) {
	if text == "" {
		return 0, admission.TimerUntimed.Broken(timer)
	}
	at, ok := graphs.ParseTime(text, unit)
	if !ok {
		return 0, admission.TimerRange.Broken(timer, text)
	}
	return at, nil
}

// form tells times as in RFC 3339 from numbers: without a date, the two cannot be compared.
func form(text string) bool { return strings.HasPrefix(strings.TrimPrefix(text, "["), `"`) }
