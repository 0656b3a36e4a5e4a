package conform

import (
	"cmp"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/scenario"
)

// A message is an action, or a message of the trace that the diagram may cover.
type message struct {
	kind kind
	text string
	// send and recv differ only for a sent message; recv is Bottom if nobody receives it.
	send, recv graphs.Event
	caller     graphs.Event // the start of the calling span, for a call or a return
	arrows     []int32      // the arrows for which it can stand
}

// The kinds of messages.
type kind uint8

const (
	sent kind = iota
	action
	called   // the start of a span whose parent is on another lifeline
	returned // the end of a called span
)

// maxOthers is the maximum number of texts kept for hints.
const maxOthers = 1000

// look finds the messages and actions.
func (k *checker) look() {
	if k.c.HasCalls() {
		k.calls()
		return
	}
	// A message has three texts: its name, and the labels of its ends. Programs usually log one of
	// them.
	busy := make([]bool, k.c.Top()+1) // by event: whether it sends or receives
	for _, m := range k.c.Messages() {
		busy[m.Send], busy[m.Recv] = true, true
		to := ^uint64(0) // any lifeline, if the receiver is unknown
		if m.To >= 0 {
			to = k.lanes[m.To]
		}
		name := ""
		if k.c.HasMessageNames() {
			name = k.c.MessageName(m.Index)
		}
		label := k.c.Label(m.Send)
		found := message{text: cmp.Or(label, name), send: m.Send, recv: m.Recv}
		k.add(found, k.lanes[k.c.Process(m.Send)], to, label, name, k.c.Label(m.Recv))
	}
	for e := graphs.Event(1); e < k.c.Top(); e++ {
		if text := k.c.Label(e); text != "" && !busy[e] {
			k.act(e, text)
		}
	}
}

// calls finds the calls of spans, and their returns.
//
// Example: span 1 of service A has the child span 2 of service B, called Charge. That is a call
// A->>B: Charge at the start of span 2, and a return B-->>A: Charge at its end. A child of the same
// service is an action. A trace does not say when a caller sends and receives, so both ends of a
// call are at the start of the called span, and both ends of its return are at its end.
func (k *checker) calls() {
	for p, lanes := range k.lanes {
		if lanes == 0 {
			continue
		}
		first, last := k.c.Event(p, 1), k.c.Event(p, k.c.Len(p))
		text := textOf(k.c, p, "operation")
		q := k.c.Parent(p)
		if q < 0 || lanes&k.lanes[q] != 0 {
			k.act(first, text)
			continue
		}
		of, caller := textOf(k.c, q, "operation"), k.c.Event(q, 1)
		k.add(message{kind: called, text: text, send: first, recv: first, caller: caller}, k.lanes[q], lanes, text, of)
		k.add(message{kind: returned, text: text, send: last, recv: last, caller: caller}, lanes, k.lanes[q], text, of)
	}
}

// textOf returns the first value of a variable of a span, or "" if it is not a string.
func textOf(c *graphs.Computation, p int, name string) string {
	if v := c.Variable(p, name); v != nil && v.Kind == graphs.String && v.Len() > 0 {
		return v.Value(0).Text()
	}
	return ""
}

// act adds an action, if an arrow stands for it.
func (k *checker) act(e graphs.Event, text string) {
	of := k.lanes[k.c.Process(e)]
	k.add(message{kind: action, text: text, send: e, recv: e}, of, of, text)
}

// add adds a message between lifelines if an arrow stands for it. With Options.Strict, it adds
// every message.
func (k *checker) add(m message, from, to uint64, texts ...string) {
	for i, a := range k.Scenario.Arrows {
		// The message must be of the kind that the arrow shows.
		fits := a.From != a.To && (a.Received() || m.recv == graphs.Bottom)
		switch m.kind {
		case action:
			fits = a.From == a.To
		case called, returned:
			fits = a.Received() && (m.kind == returned) == (a.Answers != nil)
		}
		labelled := func(arrow int) bool { return slices.ContainsFunc(texts, k.labels[arrow].MatchString) }
		// A return matches the label of its arrow, or that of the call.
		named := func() bool { return labelled(i) || m.kind == returned && slices.ContainsFunc(a.Answers, labelled) }
		if from>>a.From&1 == 1 && to>>a.To&1 == 1 && fits && named() {
			m.arrows = append(m.arrows, int32(i))
			k.matched[i] = true
		}
	}
	if m.arrows != nil || k.opts.Strict && m.kind != action {
		k.messages = append(k.messages, m)
	}
	for _, text := range texts {
		if m.arrows == nil && from != 0 && to != 0 && text != "" && len(k.others) < maxOthers {
			k.others[text] = true
		}
	}
}

// An end is a send, a receive or an action in the trace.
type end struct {
	event   graphs.Event
	phase   scenario.Phase
	message int32
}

// ends lists the ends of all messages in an order that happened-before allows: by ranks, and within
// a step by phases. In this order, no lifeline falls far behind others, which keeps the remaining
// terms of the diagram small.
func (k *checker) ends() (all []end) {
	for i, m := range k.messages {
		add := func(e graphs.Event, phase scenario.Phase) {
			// If no arrow stands for a message, only its ends on lifelines count.
			if e != graphs.Bottom && (m.arrows != nil || k.lanes[k.c.Process(e)] != 0) {
				all = append(all, end{e, phase, int32(i)})
			}
		}
		switch {
		case m.kind == action:
			add(m.send, scenario.Act)
			continue
		case m.recv != graphs.Bottom && k.c.SameStep(m.send, m.recv):
			add(m.send, scenario.Call)
		default:
			add(m.send, scenario.Send)
		}
		add(m.recv, scenario.Receive)
	}
	ranks := k.c.Ranks()
	step := func(o end) graphs.Event { return k.c.Step(o.event)[0] }
	slices.SortStableFunc(all, func(a, b end) int {
		return cmp.Or(cmp.Compare(ranks[a.event], ranks[b.event]), cmp.Compare(step(a), step(b)),
			cmp.Compare(a.phase, b.phase), cmp.Compare(a.event, b.event))
	})
	return all
}
