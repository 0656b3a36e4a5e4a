package explain

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pota-project/pota/graphs"
)

// hops returns how many of the messages that led to one step of a run are shown: fewer
// where there will be many steps.
func hops(run int) int {
	const short = 40
	if run <= short {
		return 4
	}
	return 2
}

// maxLinked bounds the listed steps, the last ones, whose messages are shown.
const maxLinked = 100

// links are the messages on the way to listed events of a run, shown at the events that
// send and receive them: the last message before each that its process received since
// it did something listed, the last one before that was sent, and so on.
type links struct {
	c        *graphs.Computation
	at       []int32          // place of an event in the run, from 1; 0 for others
	listed   []bool           // by place, from 0
	received []graphs.Message // in the run, by their receives
	shown    map[graphs.Event]*traffic
}

// traffic is the messages of one event that are shown.
type traffic struct{ received, sent []graphs.Message }

// newLinks returns the messages to show at each event; where full is set, all messages.
func newLinks(c *graphs.Computation, run []graphs.Event, listed []bool, full bool) map[graphs.Event][]string {
	if len(run) == 0 || c.NumProcesses() == 1 {
		return nil
	}
	l := &links{c: c, at: make([]int32, c.Top()+1), listed: listed, shown: make(map[graphs.Event]*traffic)}
	for i, e := range run {
		l.at[e] = int32(i + 1)
	}
	for _, m := range c.Messages() {
		switch {
		case m.Recv != graphs.Bottom && l.at[m.Recv] > 0:
			l.received = append(l.received, m)
		case full && l.at[m.Send] > 0:
			l.note(m.Send, m, true)
		}
	}

	slices.SortFunc(l.received, func(m, n graphs.Message) int {
		return cmp.Or(int(m.Recv-n.Recv), int(m.Index-n.Index))
	})
	if full {
		for _, m := range l.received {
			l.link(m)
		}
		return l.texts()
	}

	done := make([]bool, len(run))
	left := maxLinked
	for i := len(run) - 1; i >= 0 && left > 0; i-- {
		if listed[i] {
			l.lead(run[i], done)
			left--
		}
	}

	return l.texts()
}

// lead goes back from an event by the messages that led to it.
func (l *links) lead(e graphs.Event, done []bool) {
	for range hops(len(l.listed)) {
		m, ok := l.before(e, done)
		if !ok {
			return
		}
		l.link(m)
		e = m.Send
		if i := l.at[e]; i == 0 || l.listed[i-1] {
			return
		}
	}
}

// before returns the last message that the process of e received up to e, and since it
// did something else that is listed. Events that were looked at are done.
func (l *links) before(e graphs.Event, done []bool) (graphs.Message, bool) {
	p := l.c.Process(e)
	for k := l.c.Position(e); k > 0; k-- {
		f := l.c.Event(p, k)
		i := l.at[f]
		if i == 0 || done[i-1] || f != e && l.listed[i-1] {
			break
		}
		done[i-1] = true
		next, _ := slices.BinarySearchFunc(l.received, f+1, func(m graphs.Message, f graphs.Event) int { return int(m.Recv - f) })
		if next > 0 && l.received[next-1].Recv == f {
			return l.received[next-1], true
		}
	}

	return graphs.Message{}, false
}

// link shows a message at its send and at its receive.
func (l *links) link(m graphs.Message) {
	if l.at[m.Send] > 0 {
		l.note(m.Send, m, true)
	}
	l.note(m.Recv, m, false)
}

// note adds a message to the traffic of an event, once.
func (l *links) note(e graphs.Event, m graphs.Message, sent bool) {
	t := l.shown[e]
	if t == nil {
		t = new(traffic)
		l.shown[e] = t
	}

	list := &t.received
	if sent {
		list = &t.sent
	}
	if !slices.Contains(*list, m) {
		*list = append(*list, m)
	}
}

// texts returns the descriptions at each event.
func (l *links) texts() map[graphs.Event][]string {
	names := l.c.Processes()
	all := make(map[graphs.Event][]string, len(l.shown))
	for e, t := range l.shown {
		var texts []string
		for _, m := range t.received {
			texts = append(texts, fmt.Sprintf("receives %q from %s", l.c.MessageName(m.Index), names[l.c.Process(m.Send)]))
		}
		slices.SortFunc(t.sent, func(a, b graphs.Message) int { return int(a.Index - b.Index) })
		for i, m := range t.sent {
			to := int(m.To)
			if to < 0 && m.Recv != graphs.Bottom {
				to = l.c.Process(m.Recv)
			}
			switch {
			case i > 0 && t.sent[i-1].Index == m.Index && to >= 0:
				texts[len(texts)-1] += " and " + names[to]
			case to >= 0:
				texts = append(texts, fmt.Sprintf("sends %q to %s", l.c.MessageName(m.Index), names[to]))
			default:
				texts = append(texts, fmt.Sprintf("sends %q", l.c.MessageName(m.Index)))
			}
		}
		all[e] = texts
	}

	return all
}
