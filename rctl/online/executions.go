package online

import (
	"cmp"
	"container/list"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl/syntax"
)

// Executions decides properties on many executions at once. Each has its own window and answers.
// Executions must not be used by several goroutines at once.
//
//	(1) named has the executions that have begun and not ended; quiet has the same ones by the time of their last lines
//	(2) open has all executions with undecided lines, each once, and possibly others
//	(3) loaded has the executions with a monitor that can be evicted, the least recently used first
type Executions struct {
	opts   Options
	says   *resolutions
	named  map[string]*Execution
	quiet  list.List
	loaded list.List
	open   []*Execution
	ended  stream.Recent[bool]
	buffer stream.Codec
}

// An Execution has begun and not ended.
type Execution struct {
	Name   string    // "" if there is only one
	Latest time.Time // when its last line arrived

	*Monitor // nil if the execution is evicted, or Over

	at      *list.Element // in quiet
	used    *list.Element // in loaded; nil if it is not there
	evicted bool
	held    int  // how much it held when it was evicted
	open    bool // whether it is in Executions.open
	history history

	reported dense.Set // the properties whose final answers have been reported
	replayed []Answer  // final answers that a replay has found
}

// report calls deliver for final answers, those of a replay first. It does so once for each property, and for further
// bindings in a single unnamed execution.
func (e *Execution) report(answers []Answer, deliver func(*Execution, Answer)) {
	answers = append(e.replayed, answers...)
	e.replayed = nil
	for _, a := range answers {
		if a.Further && e.Name == "" { // for many executions, one binding of each is enough
			deliver(e, a)
		} else if !e.reported.Has(a.Property) {
			e.reported.Grow(a.Property)
			deliver(e, a)
		}
	}
}

// NewExecutions returns an Executions that decides parsed formulas. No execution has begun
// yet.
func NewExecutions(formulas []*syntax.Formula, opts Options) *Executions {
	opts.MaxLoaded = cmp.Or(opts.MaxLoaded, defaultMaxLoaded)
	x := &Executions{opts: opts, says: newResolutions(formulas, opts.Skew), named: make(map[string]*Execution)}
	x.says.several = true
	return x
}

// Len returns the number of executions that have begun and not ended.
func (x *Executions) Len() int { return len(x.named) }

// Find returns the execution with a name; nil if none has begun, or it has ended.
func (x *Executions) Find(name string) *Execution { return x.named[name] }

// All yields the executions that have begun and not ended, the quietest first.
func (x *Executions) All(yield func(*Execution) bool) {
	for at := x.quiet.Front(); at != nil; {
		next := at.Next() // because this one may end
		if !yield(at.Value.(*Execution)) {
			return
		}
		at = next
	}
}

// Of returns the execution with a name, and begins it if necessary. It returns an error if the execution has ended.
//
// The time complexity of Of is O(1), or O(formulas) if the execution begins.
func (x *Executions) Of(name []byte, now time.Time) (*Execution, error) {
	e := x.named[string(name)]
	if e == nil {
		if _, ended := x.ended.Find(name); ended {
			return nil, fmt.Errorf("execution %q has ended, and cannot have more lines", name)
		}
		e = &Execution{Name: string(name)}
		e.at = x.quiet.PushBack(e)
		x.named[e.Name] = e
		x.attach(e)
	} else {
		x.quiet.MoveToBack(e.at)
	}
	e.Latest = now
	return e, nil
}

// Add adds a line to its execution, and returns the execution. Errors are those of [Monitor.Add]. The caller has
// to end the execution after an ending line, and when its stream is complete. An ending line of an execution that
// has not begun, or has ended, returns nil.
func (x *Executions) Add(l *stream.Line, now time.Time) (*Execution, error) {
	if l.Kind == stream.Ending {
		return x.named[string(l.Execution)], nil
	}
	e, err := x.Of(l.Execution, now)
	if err != nil || e.Over() {
		return e, err
	}
	x.Load(e)
	if !e.open {
		e.open = true
		x.open = append(x.open, e)
	}
	err = e.Monitor.Add(l)
	most := maxReplayed
	if e.Name == "" {
		most = x.opts.MaxLines
	}
	if _, late := errors.AsType[*stream.LateError](err); err == nil || late {
		e.history.add(&x.buffer, l, most)
	}
	return e, err
}

// Open yields the executions with undecided lines, in the order of the first such lines. It empties the list.
func (x *Executions) Open(yield func(*Execution) bool) {
	for len(x.open) > 0 {
		e := x.open[0]
		x.open[0] = nil
		x.open = x.open[1:]
		if e.open = false; e.Monitor != nil && !yield(e) {
			return
		}
	}
}

// Decide decides an execution, and calls deliver for each answer that becomes final.
func (x *Executions) Decide(ctx context.Context, e *Execution, deliver func(*Execution, Answer)) error {
	if e.Monitor == nil {
		return nil
	}
	answers, err := e.Monitor.Decide(ctx)
	e.report(answers, deliver)
	// With declared processes the end will be known, so the monitor is kept until then.
	closes := x.opts.Declared && e.stream.GivenUp() == nil
	if e.Name != "" && !closes && e.Monitor.Final() {
		x.detach(e)
	}
	return err
}

// End ends an execution, with all answers final. Its name is remembered for a while, so that
// late lines do not begin another.
func (x *Executions) End(ctx context.Context, e *Execution, deliver func(*Execution, Answer)) (err error) {
	x.Load(e)
	if !e.Over() {
		var answers []Answer
		answers, err = e.Monitor.End(ctx)
		if err != nil && e.Name != "" {
			answers = append(answers, e.Monitor.GiveUp(err.Error())...)
		}
		e.report(answers, deliver)
	}
	x.forget(e)
	return err
}

// GiveUp ends an execution, and makes its open answers unknown for a reason.
func (x *Executions) GiveUp(e *Execution, reason string, deliver func(*Execution, Answer)) {
	x.Load(e)
	if !e.Over() {
		e.report(e.Monitor.GiveUp(reason), deliver)
	}
	x.forget(e)
}

func (x *Executions) forget(e *Execution) {
	delete(x.named, e.Name)
	x.quiet.Remove(e.at)
	x.ended.Add(e.Name, true)
	x.detach(e)
}

// Ended yields the names of executions that have ended and are remembered.
func (x *Executions) Ended(yield func(name string) bool) {
	x.ended.All(func(name string, _ bool) bool { return yield(name) })
}

// AddEnded remembers the name of an execution that has ended.
func (x *Executions) AddEnded(name string) { x.ended.Add(name, true) }

// AddOver begins an execution that is over already.
func (x *Executions) AddOver(name string, now time.Time) {
	if e, err := x.Of([]byte(name), now); err == nil {
		x.detach(e)
	}
}
