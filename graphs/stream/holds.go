package stream

import (
	"fmt"
	"slices"
	"strings"
)

// Held returns how many events are in the window or have arrived and are not admitted, and how many messages
// that the view counts are in transit at G.
func (s *Stream) Held() int { return len(s.window.kept) + len(s.window.flying) + s.unready }

// A Hold says what prevents most from being dropped or admitted.
type Hold struct {
	Why     string
	Process string // that is to blame, "" for none
	Silent  bool   // nothing has come of it for long, and it has not closed
}

// Holds returns what prevents most from being dropped or admitted; it is not ok if nothing does.
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
	// If most events wait, it is the process with the longest queue that matters.
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
	return Hold{fmt.Sprintf("event %d of process %q waits for %s", at.pos, s.names[at.process], s.tell(open)), s.names[at.process], false}, true
}

// lacks returns why the next event of process p is not admitted. The process has a queue.
func (s *Stream) lacks(p int32) *need {
	all, open := s.closure(p)
	if open == nil {
		open = &need{event: all[max(0, slices.Index(s.cyclic(all), true))]}
	}
	return open
}

// tell describes a need.
func (s *Stream) tell(n *need) string {
	gone := func(forgotten bool) string {
		if forgotten {
			return ", or it is forgotten"
		}
		return ""
	}
	switch {
	case n.message != nil:
		return fmt.Sprintf("message %q, of which no send has come%s", s.nameOf(n.message), gone(s.forgot || s.received.forgot))
	case strings.HasPrefix(n.id, byCount):
		return fmt.Sprintf("event %q, which has not come", n.id[len(byCount):])
	case n.id != "":
		return fmt.Sprintf("event %q, which has not come%s", n.id, gone(s.events.forgot))
	case n.group != nil:
		return fmt.Sprintf("sync %q, which other processes can still join", n.group.id)
	}
	return "what happened after it, a cycle that no sync is part of"
}

// nameOf returns the id of a message as lines name it: by its key where they do.
func (s *Stream) nameOf(m *message) string {
	if at := strings.LastIndexByte(m.id, '#'); at >= 0 && s.keys.ids > 0 {
		return m.id[:at]
	}
	return m.id
}
