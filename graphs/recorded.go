package graphs

import (
	"cmp"
	"slices"
	"time"
)

// A moment says when, or else where, a trace recorded an event.
type moment struct {
	nanoseconds int64
	file, line  int32
}

// Recorded returns the events of the final cut that are not in the initial one, in the order in
// which the trace recorded them, or nil if that is unknown. The order is:
//
//   - by time if each event has one, and by line for equal times;
//   - by line otherwise, if all events are in one file and no effect has a line before that of
//     its cause.
//
// Clocks differ: an event with an earlier time than its cause comes right after its cause. The
// result is a run in which the events of a meta-event are adjacent. The first call takes O(|V| log
// |V| + |edges|) time, later ones O(|V|).
func (c *Computation) Recorded() []Event {
	c.idx.recordedOnce.Do(func() { c.idx.recorded = c.findRecorded() })
	var run []Event
	for _, e := range c.idx.recorded {
		if !c.Has(c.initial, e) && c.Has(c.final, e) {
			run = append(run, e)
		}
	}
	return run
}

// findRecorded is Recorded for all events, including those that no cut separates.
func (c *Computation) findRecorded() []Event {
	moments, timed := c.moments(time.Second)
	if moments == nil {
		// The times may count nanoseconds, which are out of range if read as seconds.
		moments, timed = c.moments(time.Nanosecond)
	}
	if moments == nil {
		return nil
	}
	byMoment := slices.Clone(c.Order())
	slices.SortFunc(byMoment, func(e, f Event) int {
		a, b := moments[e], moments[f]
		return cmp.Or(cmp.Compare(a.nanoseconds, b.nanoseconds), cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
	})

	rank := make([]int32, len(c.proc)) // by event, from 1; equal for equal moments
	for i, e := range byMoment {
		rank[e] = int32(i + 1)
		if i > 0 && moments[byMoment[i-1]] == moments[e] {
			rank[e] = rank[byMoment[i-1]]
		}
	}
	// No event comes before its causes.
	after := make([]int32, len(c.proc))
	for step := range c.Steps() {
		k := c.greatestBefore(step, after)
		for _, m := range step {
			if !timed && k > rank[m] {
				return nil
			}
			k = max(k, rank[m])
		}
		for _, m := range step {
			after[m] = k
		}
	}
	run := slices.Clone(c.Order())
	slices.SortStableFunc(run, func(e, f Event) int { return cmp.Compare(after[e], after[f]) })
	return run
}

// moments returns the moment of each event; timed reports whether it is by time. It returns nil if
// the moments are unknown.
func (c *Computation) moments(unit time.Duration) (moments []moment, timed bool) {
	moments = make([]moment, len(c.proc))
	timed = true
	for e := Bottom + 1; e < c.Top(); e++ {
		at, ok, err := c.Instant(e, unit)
		if err != nil {
			return nil, false
		}
		timed = timed && ok
		moments[e].nanoseconds = at
		if c.places.at != nil {
			moments[e].file, moments[e].line = c.places.at[e].file, c.places.at[e].line
		}
	}
	if timed {
		return moments, true
	}
	for e := Bottom + 1; e < c.Top(); e++ {
		m := &moments[e]
		m.nanoseconds = 0
		if m.line == 0 || m.file != moments[Bottom+1].file {
			return nil, false
		}
	}
	return moments, false
}

// A Place is the position of an event in a trace. The zero Place means that it is unknown.
type Place struct {
	File   string
	Line   int    // counts from 1; 0 if unknown
	Record string // the record of the event, such as a span; "" for the whole line
}

// places has the place of each event, indexed by handle while a computation is being built.
type places struct {
	texts  []string // files and records, "" first
	number map[string]int32
	at     []place // nil if no place is known
}

type place struct{ file, record, line int32 }

// text returns the number of a text in texts, and adds the text if it is new.
func (p *places) text(s string) int32 {
	if s == "" {
		return 0
	}
	n, ok := p.number[s]
	if !ok {
		if p.number == nil {
			p.number, p.texts = make(map[string]int32), []string{""}
		}
		n = int32(len(p.texts))
		p.number[s], p.texts = n, append(p.texts, s)
	}
	return n
}

// Place returns the position of e in the trace. It returns the zero Place if the position is
// unknown, or if the reader was not asked to record it.
func (c *Computation) Place(e Event) Place {
	if c.places.at == nil || c.places.at[e].file == 0 {
		return Place{}
	}
	at := c.places.at[e]
	return Place{c.places.texts[at.file], int(at.line), c.places.texts[at.record]}
}
