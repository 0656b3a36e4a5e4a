package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
)

// links are the messages that led to the listed events of a run, shown at the events that send and
// receive them: the last message that the process of a listed event received since its previous
// listed event, the last one that the sender had received before that, and so on.
//
// Example: P3:2 is listed. P3:1 received a message from P1:1, and P1 had received none before. So
// the message is shown as "sends to P3" at P1:1, and as "receives from P1" at P3:1. A chain of
// messages ends at a listed event, since that event has links of its own.
type links struct {
	*deliveries
	listed []bool                // whether the event at each place is listed, from 0
	linked []graphs.Message      // the messages to show
	shown  map[graphs.Event]bool // the events that send or receive them
	passed map[graphs.Event]bool // the events passed on the way back from listed ones

	// The choice of events when there are too many:
	chosen []bool // whether the event at each place is chosen, from 0
	n      int
	limit  int
}

// deliveries index the messages of a computation, for the runs of many levels.
type deliveries struct {
	c  *graphs.Computation
	of dense.Rows[int32] // by event: the numbers of the messages it sends or receives
	at []int32           // the place of each event in the run, from 1; 0 for events outside it
}

func newDeliveries(c *graphs.Computation) *deliveries {
	of := dense.Group(int(c.Top()), func(add func(int, int32)) {
		for i, m := range c.Messages() {
			add(int(m.Send), int32(i))
			if m.Recv != graphs.Bottom {
				add(int(m.Recv), int32(i))
			}
		}
	})
	return &deliveries{c, of, make([]int32, c.Top())}
}

// received returns the messages that an event receives.
func (d *deliveries) received(e graphs.Event) []graphs.Message {
	var all []graphs.Message
	for _, i := range d.of.Row(int(e)) {
		if m := d.c.Messages()[i]; m.Recv == e {
			all = append(all, m)
		}
	}
	return all
}

// newLinks finds the messages to show at each event of a run, or all messages if full is set. It
// sets the places of the run's events. They must all be 0 when it is called, so callers reset them
// before the next run.
func newLinks(d *deliveries, run []graphs.Event, listed []bool, full bool) *links {
	l := &links{
		deliveries: d,
		listed:     listed,
		shown:      make(map[graphs.Event]bool),
		passed:     make(map[graphs.Event]bool),
		chosen:     make([]bool, len(run)),
		limit:      maxSteps,
	}
	for i, e := range run {
		l.at[e] = int32(i + 1)
	}
	if full {
		for _, e := range run {
			for _, i := range d.of.Row(int(e)) {
				l.link(d.c.Messages()[i])
			}
		}
		return l
	}
	done := make([]bool, len(run))
	left := maxSteps + 1 // if more are listed, choose picks some of them
	for i, e := range slices.Backward(run) {
		if listed[i] && left > 0 {
			left--
			for _, m := range l.lead(e, done) {
				l.link(m)
			}
		}
	}
	return l
}

// lead follows the messages that led to an event back to another listed event, and returns them:
// the last message that its process received, the last one that the sender had received before, and
// so on. It marks the events that it visits in done, by place.
func (l *links) lead(e graphs.Event, done []bool) (messages []graphs.Message) {
	most := 4
	if len(l.listed) > 40 { // there will be many steps
		most = 2
	}
	for f := e; len(messages) < most; {
		i := l.at[f]
		if i == 0 || done[i-1] || f != e && l.listed[i-1] {
			break
		}
		done[i-1] = true
		l.passed[f] = true
		if all := l.received(f); len(all) > 0 {
			last := all[len(all)-1]
			messages = append(messages, last)
			f = last.Send
		} else if f--; l.c.Process(f) != l.c.Process(f+1) {
			break
		}
	}
	return messages
}

// link shows a message at its send and at its receive.
func (l *links) link(m graphs.Message) {
	l.linked = append(l.linked, m)
	l.shown[m.Send] = true
	l.shown[m.Recv] = true
}

// name returns the name of a message, to follow a verb, or "" if the trace has no names.
func (l *links) name(m graphs.Message) string {
	if !l.c.HasMessageNames() {
		return ""
	}
	return fmt.Sprintf(" %q", l.c.MessageName(m.Index))
}

// texts describes the messages of each event: received ones first, then sent ones.
func (l *links) texts() map[graphs.Event][]string {
	slices.SortFunc(l.linked, func(m, n graphs.Message) int {
		return cmp.Or(int(m.Index-n.Index), int(m.Recv-n.Recv), int(m.To-n.To))
	})
	l.linked = slices.Compact(l.linked)
	names := l.c.Processes()
	all := make(map[graphs.Event][]string, len(l.shown))
	for _, m := range l.linked {
		if m.Recv != graphs.Bottom {
			all[m.Recv] = append(all[m.Recv], "receives"+l.name(m)+" from "+names[l.c.Process(m.Send)])
		}
	}
	for i, m := range l.linked {
		texts := all[m.Send]
		to := int(m.To)
		if to < 0 && m.Recv != graphs.Bottom {
			to = l.c.Process(m.Recv)
		}
		switch {
		// A multicast has an entry for each of its receivers.
		case i > 0 && l.linked[i-1].Index == m.Index && to >= 0:
			texts[len(texts)-1] += " and " + names[to]
		case to >= 0:
			texts = append(texts, "sends"+l.name(m)+" to "+names[to])
		default:
			texts = append(texts, "sends"+l.name(m))
		}
		all[m.Send] = texts
	}

	return all
}

// keep adds events to the choice, either all of them or none.
func (l *links) keep(events ...graphs.Event) {
	if l.n+len(events) > l.limit {
		return
	}
	for _, e := range events {
		if i := l.at[e] - 1; i >= 0 && !l.chosen[i] {
			l.chosen[i] = true
			l.n++
		}
	}
}

// maxCauses is how many of the maxSteps steps are changes and messages, before labels fill the
// rest.
const maxCauses = 12

// choose returns the steps of a level to show: the ones that matter and, among the events passed on
// the way, the ones with labels that few events have. If these are too many, it chooses the last
// event, the After event of the missing order, and the last change of each variable, latest first,
// with the messages that led to it.
func (l *links) choose(of *Level, matter []bool) []bool {
	run := of.Evidence.Run
	l.keep(run[len(run)-1])
	if of.Unordered != nil {
		l.keep(of.Unordered.After)
	}
	var all []graphs.Event
	for i, e := range run {
		if matter[i] {
			all = append(all, e)
		}
	}
	if len(all) > maxSteps {
		// Messages that led to earlier changes make room for labels.
		l.causes(of)
		all = slices.DeleteFunc(all, func(e graphs.Event) bool { return !of.changing[l.at[e]-1] })
		slices.Reverse(all)
	} else {
		for _, e := range all {
			l.keep(e)
		}
	}

	for _, e := range l.labelled(run) {
		l.keep(e)
	}
	for _, e := range all {
		l.keep(e)
	}
	return l.chosen
}

// causes chooses the last change of each variable and the messages that led to it.
func (l *links) causes(of *Level) {
	lasts := make(map[*graphs.Variable]graphs.Event)
	for i, changes := range of.about.changing(of.Evidence.Run) {
		for _, change := range changes {
			lasts[change.Variable] = of.Evidence.Run[i]
		}
	}
	last := slices.SortedFunc(maps.Values(lasts), func(e, f graphs.Event) int { return int(l.at[f] - l.at[e]) })
	clear(l.listed)
	for _, e := range last {
		l.listed[l.at[e]-1] = true
	}

	l.linked = nil
	clear(l.shown)
	clear(l.passed)
	l.limit = maxCauses
	done := make([]bool, len(l.listed))
	for _, e := range last {
		l.keep(e)
		for _, m := range l.lead(e, done) {
			l.keep(m.Recv, m.Send)
		}
	}
	l.limit = maxSteps
	for i, e := range of.Evidence.Run {
		if !l.chosen[i] {
			continue
		}
		for _, m := range l.received(e) {
			if i := l.at[m.Send]; i == 0 || l.chosen[i-1] {
				l.link(m)
			}
		}
	}
}

// labelled returns events whose labels are no more common than the average, such as "restart" among
// many "request": the events that were passed on the way to chosen ones, or lie between two chosen
// events of one process. Rare labels come first, then later events.
func (l *links) labelled(run []graphs.Event) []graphs.Event {
	first, last := make(map[int]graphs.Event), make(map[int]graphs.Event)
	for i, e := range run {
		p := l.c.Process(e)
		if l.chosen[i] && first[p] == graphs.Bottom {
			first[p] = e
		}
		if l.chosen[i] {
			last[p] = e
		}
	}
	count, average := labels(l.c, run)
	var all []graphs.Event
	for _, e := range run {
		p := l.c.Process(e)
		if n := count[l.c.Label(e)]; n > 0 && n <= average && (l.passed[e] || first[p] < e && e < last[p]) {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(e, f graphs.Event) int {
		return cmp.Or(count[l.c.Label(e)]-count[l.c.Label(f)], int(l.at[f]-l.at[e]))
	})
	return all
}

// labels counts the events of a run with each label. The average is rounded down.
func labels(c *graphs.Computation, run []graphs.Event) (count map[string]int, average int) {
	count = make(map[string]int)
	total := 0
	for _, e := range run {
		if label := c.Label(e); label != "" {
			count[label]++
			total++
		}
	}
	return count, total / max(1, len(count))
}
