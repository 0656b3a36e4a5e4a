package stream

import (
	"fmt"
	"slices"
	"strings"
)

// Held returns how many events are in the window or have arrived and are not admitted, and how many messages
// that the view counts are in transit at G.
func (s *Stream) Held() int { return len(s.window.kept) + len(s.window.flying) + s.unready }

// A Hold is the main reason why events cannot be dropped or admitted.
type Hold struct {
	Why     string
	Process string // the process that causes it; "" if none does
	Silent  bool   // whether the process has been silent for long without having closed
}

// Holds returns the main reason why events cannot be dropped or admitted. It returns ok = false if there is none.
func (s *Stream) Holds() (h Hold, ok bool) {
	if flying := len(s.window.flying); flying > 0 && 2*flying >= s.Held() {
		return Hold{Why: "so many messages are in transit that a formula counts"}, true
	}
	// The chain with the oldest last event holds G back, unless its process has closed.
	p := int32(-1)
	for _, q := range s.chains {
		if x := &s.processes[q]; x.over == 0 && (p < 0 || x.latest < s.processes[p].latest) {
			p = q
		}
	}
	// If most events wait, the process with the longest queue matters.
	if p < 0 || 2*s.unready >= s.Held() {
		p = -1
		longest := 0
		for q := range s.processes {
			if n := len(s.processes[q].queue); n > longest {
				p, longest = int32(q), n
			}
		}
	}
	switch {
	case p < 0:
		return h, false
	case len(s.processes[p].queue) == 0:
		return Hold{fmt.Sprintf("process %q has been silent since event %d", s.names[p], s.processes[p].latest), s.names[p], true}, true
	}
	open := s.lacks(p)
	at := open.event.place
	return Hold{fmt.Sprintf("event %d of process %q waits for %s", at.pos, s.names[at.process], s.describe(open)), s.names[at.process], false}, true
}

// lacks returns why the next event of process p is not admitted. The process has a queue.
func (s *Stream) lacks(p int32) *need {
	all, open := s.closure(p)
	if open == nil {
		open = &need{event: all[max(0, slices.Index(s.cyclic(all), true))]}
	}
	return open
}

// describe returns the text of a need.
func (s *Stream) describe(n *need) string {
	gone := func(forgotten bool) string {
		if forgotten {
			return ", or it is forgotten"
		}
		return ""
	}
	switch {
	case n.message != nil:
		return fmt.Sprintf("message %q, whose send has not come%s", s.nameOf(n.message), gone(s.forgot || s.received.forgot))
	case strings.HasPrefix(n.id, byCount):
		return fmt.Sprintf("event %q, which has not come", n.id[len(byCount):])
	case n.id != "":
		return fmt.Sprintf("event %q, which has not come%s", n.id, gone(s.events.forgot))
	case n.group != nil:
		return fmt.Sprintf("sync %q, which other processes can still join", n.group.id)
	}
	return "what happened after it, and no sync is part of this cycle"
}

// nameOf returns the name of a message in the lines: its key if they use keys, or else its id.
func (s *Stream) nameOf(m *message) string {
	if at := strings.LastIndexByte(m.id, '#'); at >= 0 && s.keys.ids > 0 {
		return m.id[:at]
	}
	return m.id
}
