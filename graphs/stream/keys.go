package stream

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// keys pair the ends of messages that lines name by keys.
type keys struct {
	single map[string]*single
	ids    int64 // how many ids have been given so far
	lost   bloom // keys of forgotten messages: ends with such a key are no longer paired
}

// single holds the ends with a key that have no other end yet, in order of arrival: either all
// are sends, or all are receives.
type single struct {
	ids  []string
	sent bool
}

// end is one end of a message of the line that is being added.
type end struct {
	key   []byte
	id    string
	sent  bool
	fresh bool // whether it has no other end yet
}

// keyed adds an event that names messages by keys. Its time complexity is that of event.
func (s *Stream) keyed(l *Line) error {
	named := *l
	named.Send, named.Recv = nil, nil
	var ends []end
	given := s.keys.ids
	// Keys of messages that the event sends and that have no other end yet.
	fresh := make(map[string]bool)
	for _, side := range [...]struct {
		keys [][]byte
		sent bool
		ids  *[][]byte
	}{{l.Send, true, &named.Send}, {l.Recv, false, &named.Recv}} {
		count := make(map[string]int)
		for _, key := range side.keys {
			n := count[string(key)]
			count[string(key)]++
			e := end{key: key, sent: side.sent}
			if q := s.keys.single[string(key)]; q != nil && q.sent != side.sent && n < len(q.ids) {
				e.id = q.ids[n]
			} else {
				given++
				e.id, e.fresh = string(key)+"#"+strconv.FormatInt(given, 10), true
			}
			switch {
			case e.fresh && e.sent:
				fresh[string(key)] = true
			case e.fresh && fresh[string(key)]:
				return fmt.Errorf("process %q receives the message %q that it sends by the same event", l.Process, key)
			}
			ends = append(ends, e)
			*side.ids = append(*side.ids, []byte(e.id))
		}
	}
	if err := s.event(&named); err != nil || s.givenUp != nil {
		return err
	}
	s.keys.ids = given
	for i := range ends {
		s.pair(&ends[i])
	}
	return nil
}

// pair pairs an end with the first other end of its key, or keeps it if there is none. If a message with the
// key has been forgotten, possibly by admitting this event, pair does nothing: a receive then waits forever.
func (s *Stream) pair(e *end) {
	k := &s.keys
	q := k.single[string(e.key)]
	switch {
	case q == nil && !e.fresh:
	case q == nil && k.lost.has(string(e.key)):
		if m := s.transit[e.id]; m != nil {
			m.unsent = false // it may have been sent
		}
	case q == nil:
		if k.single == nil {
			k.single = make(map[string]*single)
		}
		k.single[string(e.key)] = &single{[]string{e.id}, e.sent}
	case e.fresh:
		q.ids = append(q.ids, e.id)
	case len(q.ids) == 1:
		delete(k.single, string(e.key))
	default:
		q.ids = q.ids[1:]
	}
}

// forget forgets the key of a lost message without a receive. Ends of one key are paired in
// their order, so later ends with this key cannot be paired either.
func (k *keys) forget(m *message) {
	at := strings.LastIndexByte(m.id, '#')
	if at < 0 || len(m.receivers) > 0 {
		return
	}
	if key := m.id[:at]; k.single[key] != nil {
		delete(k.single, key)
		k.lost.add(key)
	}
}

// dropUnsent lets events stop waiting for messages with Unsent that nobody has sent. It is
// called at the end, when nothing more will arrive.
func (s *Stream) dropUnsent() {
	for p := range s.processes {
		for _, e := range s.processes[p].queue {
			e.receives = slices.DeleteFunc(e.receives, func(m *message) bool {
				unsent := m.unsent && !m.sent && m.sender == nil
				if unsent {
					e.missing--
					delete(s.transit, m.id)
				}
				return unsent
			})
		}
	}
	for p := range s.processes {
		s.ready = append(s.ready, int32(p))
	}
	s.settle()
}
