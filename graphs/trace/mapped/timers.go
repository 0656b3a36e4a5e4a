package mapped

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/admission"
	"github.com/pota-project/pota/graphs/timer"
	"github.com/pota-project/pota/graphs/trace"
)

// started is a timer that an event starts or cancels. Its name is that of the variable that it sets;
// a value without a kind stands for the zero value of the variable's type.
type started struct {
	event int32
	timer.Timer
}

// ended identifies a timer that ended: by the event that started it, and by its name.
type ended struct {
	start int32
	name  string
}

// ending starts the timer that ends the value of a rule or, if the value stays, cancels the timer of an
// earlier value.
func (a *adding) ending(v *variable, r *rule) {
	e := int32(len(a.events) - 1)
	t := started{event: e, Timer: timer.Timer{Name: v.name, Cancel: true}}
	ends := r.ends
	switch {
	case ends == nil:
	case ends.until != nil:
		text, first := a.moment(ends.until)
		if text == nil && first.kind > nullKind {
			a.noTime(ends.until, first)
		}
		if t.At = string(text); text != nil {
			a.finds(ends.until.part)
		}
	case ends.ttl < 0:
		t.In = ends.duration
	case a.row[ends.ttl].kind > nullKind:
		ttl := a.row[ends.ttl]
		t.In = string(a.plain(nil, ttl))
		if _, ok := timer.ParseDuration(t.In, a.opts.Unit()); !ok {
			a.wrong(ttl, "%v", admission.TimerDuration.Broken(v.name, t.In))
		}
	}
	// Without an end in the line, the value stays.
	if t.Cancel = t.In == "" && t.At == ""; !t.Cancel {
		t.Set = []timer.Assignment{{Name: v.name, Value: ends.then}}
		if f := &a.facts[a.variable([]byte(v.name))]; ends.then.Kind != graphs.NoKind {
			f.kind = trace.Unify(f.kind, ends.then.Kind)
		}
	}
	a.timers = append(a.timers, t)
}

// addTimers inserts the events that end timers into the order of events.
func (o *ordered) addTimers() error {
	if len(o.timers) == 0 {
		return nil
	}
	o.ends, o.ids = make(map[int32]ended), make(map[int32][]byte)
	of := make([]timer.Process[int32], len(o.procNames))
	lines := make([]int64, len(of)) // how many lines each process has had
	starts, order := o.timers, o.order
	o.order = make([]int32, 0, len(order))

	for _, e := range order {
		ev := o.events[e]
		p, at := &of[ev.process], ""
		if ev.time >= 0 {
			at = o.textOf(ev.time)
		}
		ends, err := p.Before(at, o.opts.Unit())
		if err != nil {
			return o.failAt(e, "%v", err)
		}
		o.addEnds(ends)
		o.order = append(o.order, e)

		lines[ev.process]++
		id := admission.AppendDefault(nil, o.process(ev.process), lines[ev.process])
		if p.Ended() > 0 {
			o.ids[e] = id
		}
		for ; len(starts) > 0 && starts[0].event == e; starts = starts[1:] {
			if err := p.Start(starts[0].Timer, string(id), at, o.opts.Unit(), e); err != nil {
				return o.failAt(e, "%v", err)
			}
		}
	}
	for p := range of {
		o.addEnds(of[p].Rest())
	}

	o.number()
	return nil
}

// addEnds appends events that end timers to the order.
func (o *ordered) addEnds(ends []timer.End[int32]) {
	a := adding{log: o.log}
	for _, end := range ends {
		e := int32(len(o.events))
		// a copy, with the place and the process of the event that started the timer
		ev := o.events[end.By]
		ev.own, ev.label = 0, o.texts.Intern([]byte(end.Label()))
		ev.time = o.texts.Intern([]byte(end.Time))
		o.events = append(o.events, ev)
		o.counts[ev.process]++
		o.ends[e] = ended{end.By, end.Name}
		o.ids[e] = []byte(end.ID)
		for _, x := range end.Set {
			name := a.variable([]byte(x.Name))
			if x.Value.Kind == graphs.NoKind {
				x.Value = graphs.Zero(o.facts[name].kind)
			}
			a.set(ev.process, name, x.Value, sets)
		}
		o.entries.End()
		o.assigned.End()
		o.order = append(o.order, e)
	}
}

// timers returns the timers that an event of a growing log starts or cancels.
func (s *Scanner) timers(e int32) []timer.Timer {
	var all []timer.Timer
	for _, t := range s.log.timers {
		if t.event != e {
			continue
		}
		for i := range t.Set {
			if x := &t.Set[i]; x.Value.Kind == graphs.NoKind {
				x.Value = graphs.Zero(s.next[x.Name].Kind)
			}
		}
		all = append(all, t.Timer)
	}
	return all
}

// clockID notes the clock that gives the process of an event its times.
func (a *adding) clockID(ev *event) {
	if !a.optional("the clock", a.s.clockID, a.s.line, a.row) {
		return
	}
	for int(ev.process) >= len(a.clockIDs) {
		a.clockIDs = append(a.clockIDs, -1)
	}
	id := a.texts.Intern(a.scratch)
	if before := a.clockIDs[ev.process]; before >= 0 && before != id {
		first := string(a.texts.At(before))
		err := admission.ClockID(a.process(ev.process), first, a.texts.At(id), false)
		a.wrong(value{}, "%v", err)
		return // the earlier events, which a Scanner passes on, name the other clock
	}
	a.clockIDs[ev.process] = id
}

// clockIDOf returns the clock that gives a process its times; "" if the process has its own.
func (l *log) clockIDOf(p int32) string {
	if int(p) >= len(l.clockIDs) || l.clockIDs[p] < 0 {
		return ""
	}
	return l.textOf(l.clockIDs[p])
}
