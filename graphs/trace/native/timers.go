package native

import (
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/admission"
	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/graphs/timer"
)

// timer returns the timer that the first ops describe.
func (t texts) timer(c *chunk, ops []op) timer.Timer {
	made := timer.Timer{
		Name:   string(c.names.At(ops[0].name)),
		Cancel: ops[0].kind == opCancel,
	}
	for _, o := range ops[1:] {
		switch o.kind {
		case opTimerIn:
			made.In = string(c.str(o.bits))
		case opTimerAt:
			made.At = strings.Clone(timeText(c, o))
		case opTimerLatest:
			made.At = "[" + made.At + "," + timeText(c, o) + "]"
		case opTimerSet:
			name := string(c.names.At(o.name))
			made.Set = append(made.Set, timer.Assignment{Name: name, Value: t.value(c, o)})
		default:
			return made
		}
	}
	return made
}

// timers holds the running timers of all processes.
type timers struct {
	of      []timer.Process[graphs.Handle] // by process, up to the last one with timers
	ends    dense.Set                      // the events that end timers
	clocked bool                           // whether an event has a vector clock
}

// ended returns how many events of process p were ends of timers.
func (t *timers) ended(p int) int64 {
	if p >= len(t.of) {
		return 0
	}
	return t.of[p].Ended()
}

// endTimers adds the ends of those timers of process p that end before the event of a line.
func (a *assembler) endTimers(c *chunk, l *line, p int, ops []op) *fault {
	if p >= len(a.timers.of) || !a.timers.of[p].Runs() {
		return nil
	}
	ends, err := a.timers.of[p].Before(timeOf(c, ops), a.opts.Unit())
	if err != nil {
		return a.here(c, l, l.at, err)
	}
	return a.addEnds(p, ends)
}

// addEnds adds an event of process p for each end of a timer.
func (a *assembler) addEnds(p int, ends []timer.End[graphs.Handle]) *fault {
	b := &a.builder
	for _, end := range ends {
		at := a.places.of(end.By)
		h := b.Event(p)
		a.setPlace(h, at)
		a.timers.ends.Grow(int(h))
		b.SetTimer(h, end.By, end.Name)
		if a.opts.Names {
			b.SetLabel(h, end.Label())
		}
		if a.opts.KeepTimes() || b.Clock(p) != "" {
			b.SetTime(h, end.Time)
		}
		if err := a.ids.define(b, h, []byte(end.ID)); err != nil {
			return &fault{where: at, kind: opTimer, word: []byte(end.Name), err: err}
		}
		for _, x := range end.Set {
			if err := a.variables.setByTimer(b, p, h, end.Name, x); err != nil {
				return &fault{where: at, kind: opTimerSet, word: []byte(x.Name), err: err}
			}
		}
	}
	return nil
}

// setByTimer adds an assignment by event h, the end of timer by.
func (vs *variables) setByTimer(
	b *graphs.Builder, p int, h graphs.Handle, by string, x timer.Assignment,
) error {
	s := vs.symbol([]byte(x.Name))
	if vs.facts[s].shared != nil {
		return admission.TimerShared.Broken(by, x.Name)
	}
	v := b.Numbered(vs.of(b, p, s).number)
	if keep := vs.facts[s].keep; keep && !b.Set(v, h, x.Value) || !keep && !b.Skip(v, x.Value.Kind) {
		return admission.TwoTypes.Broken(v.Name, v.Kind, x.Value.Kind)
	}
	return nil
}

// timeOf returns the time of an event as JSON text, or "" if it has none.
func timeOf(c *chunk, ops []op) string {
	text := ""
	for _, o := range ops {
		switch o.kind {
		case opTime:
			text = timeText(c, o)
		case opLatest:
			return "[" + text + "," + timeText(c, o) + "]"
		}
	}
	return text
}

// defaultID returns the default id of event h, which has no other. The ends of timers do not count,
// so after one of them the Builder gets the id as if it were explicit.
func (a *assembler) defaultID(p int, h graphs.Handle) []byte {
	ended := a.timers.ended(p)
	id := admission.AppendDefault(nil, a.process(p), int64(a.builder.Count(p))-ended)
	if ended == 0 {
		return id
	}
	// References find the event by its position among lines, so no table has the id.
	a.builder.SetID(h, id)
	return id
}

// startTimers starts and cancels timers as event h, with the given id, states.
func (a *assembler) startTimers(c *chunk, l *line, p int, h graphs.Handle, id []byte, ops []op) *fault {
	for len(a.timers.of) <= p {
		a.timers.of = append(a.timers.of, timer.Process[graphs.Handle]{})
	}
	at := timeOf(c, ops)
	for i, o := range ops {
		if o.kind != opTimer && o.kind != opCancel {
			continue
		}
		t := a.variables.texts.timer(c, ops[i:])
		if err := a.timers.of[p].Start(t, string(id), at, a.opts.Unit(), h); err != nil {
			return a.here(c, l, o.at, err)
		}
	}
	return nil
}
