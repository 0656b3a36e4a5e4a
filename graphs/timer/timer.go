// Package timer adds events for what a trace does not log: a lease ends, a session expires, a
// request times out.
//
// # Definitions
//
// An event may start timers of its process, each with a name and assignments. A timer is due a
// given time after the local time of the event, or at a given local time, but not before the event.
// When it is due it ends: at that moment the process executes an event with the assignments.
// Starting a timer replaces the running one of the same name, and an event may cancel it.
//
// Time determines the position of the end of a timer on its process: it comes before the first
// later event of the process with a time after the timer is due, and after all earlier ones. So an
// event at the very moment that a timer is due comes first, and may still cancel it. Timers that
// are due at the same moment end in the order of their starts. If a clock knows its error, the
// earliest time counts. While a timer runs, the events of its process need times: for an event
// without one, it is unknown whether the timer has ended.
//
// For example, the timer lease of a process with these events ends at 10, before b:
//
//	{"process":"A","id":"a","time":0,"set":{"holds":true},"timer":{"lease":{"in":"10s","set":{"holds":false}}}}
//	{"process":"A","id":"b","time":12}
//
// The end of the timer lease that event a started has the id a.lease. Default ids count only the
// events in the log: an event is process:k if it is the k-th event of its process in the log.
// Vector clocks also count only these and cannot include ends of timers, so a trace has vector
// clocks or timers, not both.
//
// The end of a timer is an event with a time like any other, and the models of package clocks do
// not treat it specially. So clocks that agree within ε allow a timer to last up to ε longer or
// shorter than it says, and a constant offset preserves its length. Every cut that a model keeps
// has an assignment of times; a run may need a timer of the wrong length, and verdicts on runs are
// marked accordingly.
package timer

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/admission"
)

// Inexact explains why a verdict on runs may be spurious if timers end.
const Inexact = "in a run like that a timer may last longer or shorter than it says"

// A Timer is what an event states about a timer of its process: that it starts, or is cancelled.
type Timer struct {
	Name   string
	Cancel bool   // whether the event cancels the timer, if it runs
	In     string // a duration such as 1.5s, or a number that counts units of time; "" for At
	At     string // the time when it is due, as JSON text
	Set    []Assignment
}

// An Assignment gives a variable a value.
type Assignment struct {
	Name  string
	Value graphs.Value
}

// ParseDuration parses how long a timer runs: a duration such as 1.5s, or a number of units; ok is
// false if text is neither, or negative.
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
	Time string // its time, as JSON text
	ID   string
	By   S // what the reader recorded about the event that started the timer

	due int64
}

// Label describes the event for people.
func (e *End[S]) Label() string { return "timer " + e.Name }

// A Process holds the running timers of a process. The zero Process has none.
//
//	(1) running is ordered by due, and timers due at the same moment by their starts
//	(2) no two running timers have the same name
type Process[S any] struct {
	running []End[S]
	ended   int64
}

// Runs reports whether a timer runs.
func (p *Process[S]) Runs() bool { return len(p.running) > 0 }

// Ended returns how many timers of the process have ended.
func (p *Process[S]) Ended() int64 { return p.ended }

// Before removes and returns the timers that end before an event with that time, as JSON text, in
// the order of their ends. While a timer runs, it returns an error if the event has no time, or one
// of another form.
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

// Rest removes and returns all running timers, in the order of their ends.
func (p *Process[S]) Rest() []End[S] { return p.end(len(p.running)) }

// end removes the first n timers, and returns them.
func (p *Process[S]) end(n int) []End[S] {
	ends := slices.Clone(p.running[:n])
	p.running = slices.Delete(p.running, 0, n)
	p.ended += int64(n)
	return ends
}

// Start starts or cancels a timer by an event with an id and a time, as JSON text. It keeps t, but
// neither text. It returns an error if the event has no time or one of another form, or if t has no
// valid duration or time.
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
		return -1 // timers due at the same moment stay before it
	})
	p.running = slices.Insert(p.running, i, e)
	return nil
}

// Check returns the error that Start would return.
func Check(t Timer, at string, unit time.Duration) error {
	_, err := started(t, "", at, unit, struct{}{})
	return err
}

// started returns the end of a timer that an event starts.
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
		e.due, e.Time = now, strings.Clone(at) // it is overdue, and ends at once
	}
	return e, err
}

// instant parses a time that a timer needs.
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

// form reports whether a time is as in RFC 3339, and not a number: numbers have no date, so the two
// cannot be compared.
func form(text string) bool { return strings.HasPrefix(strings.TrimPrefix(text, "["), `"`) }
