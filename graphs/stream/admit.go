package stream

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/admission"
)

// pending is an event that has arrived and is not admitted yet.
type pending struct {
	place
	id     string
	source graphs.Place // the place of its line
	// The assignments that the view sees, that make a variable known, or that assign a shared variable.
	sets     []set
	sends    []*message
	receives []*message
	after    []reference
	groups   []*group
	missing  int   // how many of the sends and events that it refers to are not admitted
	number   int32 // its index among the events of closure
	shown    *shown
	line     *Line // nil if Options.Admitted is nil
}

// shown holds the parts of an event that users see.
type shown struct {
	label, time string
	place       graphs.Place
}

// set is an assignment.
type set struct {
	v     *variable
	value graphs.Value
}

// event adds the event of a line, after the ends of timers before it. The timers end even if the line is refused.
func (s *Stream) event(l *Line) error {
	if len(s.timers) > 0 {
		var err error
		if l, err = s.beforeTimers(l); err != nil || s.givenUp != nil {
			return err
		}
	}
	if err := s.arrive(l); err != nil {
		return err
	}
	s.clocked = s.clocked || len(l.Clock) > 0
	if len(l.Timers) > 0 {
		s.startTimers(s.number[string(l.Process)], l)
	}
	return nil
}

// arrive adds an event, and admits all events that are ready.
func (s *Stream) arrive(l *Line) error {
	p, known := s.number[string(l.Process)]
	if !known {
		if s.Fixed() {
			return undeclared(l.Process)
		}
		p = -1
	}

	pos := int64(1)
	if known {
		if s.processes[p].closed {
			return admission.HasClosed.Broken(l.Process)
		}
		pos = s.processes[p].arrived() + 1
	}
	if err := s.refused(l, p, pos); err != nil {
		return err
	}

	// The line is accepted: from here on, nothing fails.
	if !known {
		p = s.process(l.Process)
	}
	if before := &s.processes[p].clockID; *before == "" {
		*before = string(l.ClockID)
	}
	if _, k := admission.SplitDefault(l.ID); k > 0 && !admission.IsDefault(l.ID, l.Process, pos) {
		s.alike.Add(string(l.ID), struct{}{})
	}
	e := &s.scratch
	*e = pending{
		place: place{p, pos}, id: string(l.ID), source: l.Place,
		sets: e.sets[:0], sends: e.sends[:0], receives: e.receives[:0], after: e.after[:0], groups: e.groups[:0],
	}

	if s.opts.Admitted != nil {
		e.line = l
	}
	if s.view.Whole {
		e.shown = &shown{string(l.Label), string(l.Time), l.Place}
	}

	// Values that the view does not see are dropped here, except for the first value of a variable, which makes it
	// known, and those of shared variables, whose order is checked.
	for _, a := range l.Values {
		v := s.find(p, a.Name)
		if v == nil {
			v = s.variable(p, a)
		}
		if v.seen || v.process == graphs.Shared || !v.known {
			e.sets = append(e.sets, set{v, a.Value})
		}
	}

	for _, id := range l.Send {
		m := s.message(id)
		m.from, m.to = e.place, -1
		if len(l.To) > 0 {
			to, known := s.number[string(l.To)]
			if !known {
				to = s.process(l.To)
			}
			m.to = to
		}
		e.sends = append(e.sends, m)
	}
	for _, id := range l.Recv {
		m := s.known(id)
		if m == nil {
			m = s.message(id)
		}
		m.receivers = append(m.receivers, p)
		if !m.sent {
			m.unsent = l.Unsent
			e.missing++
		}
		e.receives = append(e.receives, m)
	}

	for _, id := range l.After {
		s.refer(e, s.reference(id))
	}
	// An entry of a clock is a reference to the last event that it counts.
	for _, c := range l.Clock {
		if string(c.Process) != string(l.Process) && c.Events > 0 {
			s.state(p, c)
			s.refer(e, s.counted(c))
		}
	}
	for _, id := range l.Sync {
		g := s.groups[string(id)]
		if g == nil {
			g = &group{id: string(id)}
			s.groups[g.id] = g
		}
		e.groups = append(e.groups, g)
	}

	// Most events are admitted at once, and no memory is allocated for them.
	if queue := s.processes[p].queue; e.missing == 0 && len(queue) == 0 && len(e.groups) == 0 {
		s.admit(e)
		s.settle()
	} else {
		s.wait(e)
	}
	s.endLine()
	return s.late()
}

// refused checks an event at a position of process p, -1 for a new process. It changes nothing. It returns the
// first error.
func (s *Stream) refused(l *Line, p int32, pos int64) error {
	for _, a := range l.Values {
		if err := s.refusedValue(a, p); err != nil {
			return err
		}
	}
	return cmp.Or(
		s.refusedID(l, pos),
		s.refusedSends(l, p),
		s.refusedReceives(l, p),
		s.refusedClock(l, p, pos),
		s.refusedSyncs(l, p),
		refusedAfter(l),
		s.refusedClockID(l, p, pos),
		s.refusedTimers(l, p),
		s.disorder(l, p, pos),
	)
}

// refusedValue checks an assignment.
func (s *Stream) refusedValue(a Assignment, p int32) error {
	v := s.find(p, a.Name)
	switch {
	case v == nil && s.Fixed():
		return undeclaredVariable(a.Name)
	case v != nil && v.kind != a.Value.Kind:
		return admission.TwoTypes.Broken(a.Name, v.kind, a.Value.Kind)
	}
	return nil
}

// refusedID checks the id of an event, whether given or default.
func (s *Stream) refusedID(l *Line, pos int64) error {
	if len(l.ID) > 0 {
		_, admitted := s.events.Find(l.ID)
		if err := admission.ID(l.ID, admitted || s.arrived[string(l.ID)] != nil); err != nil {
			return err
		}
	}
	return s.mistakable(l, pos)
}

// refusedSends checks the messages that an event sends.
func (s *Stream) refusedSends(l *Line, p int32) error {
	empty := func(id []byte) bool { return len(id) == 0 }
	if slices.ContainsFunc(l.Send, empty) || slices.ContainsFunc(l.Recv, empty) {
		return admission.NoMessageID.Broken()
	}
	if id, again := twice(l.Send); again {
		return admission.SentTwice.Broken(id)
	}
	for _, id := range l.Send {
		m := s.transit[string(id)]
		_, received := s.received.Find(id)
		if received || m != nil && (m.sent || m.sender != nil) {
			return admission.SentTwice.Broken(id)
		}
		counted := s.view.AnyChannel || p >= 0 && s.processes[p].source
		if m == nil || !counted || len(l.To) == 0 {
			continue
		}
		for _, q := range m.receivers {
			if s.names[q] != string(l.To) {
				return s.elsewhere(id, l.To, []byte(s.names[q]))
			}
		}
	}
	if _, ok := s.number[string(l.To)]; len(l.To) > 0 && !ok && s.Fixed() {
		return fmt.Errorf("no process has the name %q", l.To)
	}
	return nil
}

// refusedReceives checks the messages that an event receives.
func (s *Stream) refusedReceives(l *Line, p int32) error {
	if id, again := twice(l.Recv); again {
		return admission.ReceivedTwice.Broken(l.Process, id)
	}
	for _, id := range l.Recv {
		m := s.known(id)
		if m == nil {
			continue
		}
		if slices.Contains(m.receivers, p) {
			return admission.ReceivedTwice.Broken(l.Process, id)
		}
		if (m.sent || m.sender != nil) && m.to >= 0 && m.to != p && s.processes[m.from.process].source {
			return s.elsewhere(id, []byte(s.names[m.to]), l.Process)
		}
	}
	return nil
}

// refusedClock checks the vector clock of an event.
func (s *Stream) refusedClock(l *Line, p int32, pos int64) error {
	if len(l.Clock) == 0 {
		return nil
	}
	own := slices.IndexFunc(l.Clock, func(c Count) bool { return string(c.Process) == string(l.Process) })
	switch {
	case own < 0:
		return admission.NoOwnEntry.Broken(l.Process, pos)
	case l.Clock[own].Events != pos:
		return admission.WrongOwnEntry.Broken(pos, l.Process, l.Clock[own].Events)
	case p < 0:
		return nil
	}
	stated := s.processes[p].stated
	for _, c := range l.Clock {
		if q, ok := s.number[string(c.Process)]; ok && c.Events < stated.of(q) {
			return admission.Backwards.Broken(l.Process, c.Process, stated.of(q), c.Events)
		}
	}
	return nil
}

// SharesClock reports whether two processes read their times from one clock.
//
// The time complexity of SharesClock is O(processes).
func (s *Stream) SharesClock() bool {
	read := make(map[string]bool)
	for i := range s.processes {
		clock := s.processes[i].clockID
		if clock != "" && read[clock] {
			return true
		}
		read[clock] = true
	}
	return false
}

// refusedClockID checks the name of the clock of a process.
func (s *Stream) refusedClockID(l *Line, p int32, pos int64) error {
	if p < 0 || len(l.ClockID) == 0 {
		return nil
	}
	return admission.ClockID(l.Process, s.processes[p].clockID, l.ClockID, pos > 1)
}

// refusedSyncs checks the syncs that an event joins.
func (s *Stream) refusedSyncs(l *Line, p int32) error {
	if id, again := twice(l.Sync); again {
		return admission.JoinedTwice.Broken(id)
	}
	for _, id := range l.Sync {
		g := s.groups[string(id)]
		if _, over := s.joined.Find(id); over || g != nil && g.complete {
			return fmt.Errorf("sync %q is already complete", id)
		}
		if g != nil && p >= 0 && g.of.Has(int(p)) {
			return admission.JoinedByTwo.Broken(l.Process, id)
		}
	}
	return nil
}

// refusedAfter checks the ids of events that an event happened after.
func refusedAfter(l *Line) error {
	for _, id := range l.After {
		switch {
		case admission.Reserved(id):
			return admission.AfterReserved.Broken(id)
		case len(id) == 0:
			return admission.AfterUnknown.Broken(id, "")
		}
	}
	return nil
}

// known returns the message with an id that was sent, received or wanted; nil if there is none.
func (s *Stream) known(id []byte) *message {
	if m, ok := s.received.Find(id); ok {
		return m
	}
	return s.transit[string(id)]
}

// twice returns an id that occurs twice, if there is one.
func twice(ids [][]byte) (id []byte, again bool) {
	if len(ids) < 2 { // the usual case
		return nil, false
	}
	seen := make(map[string]bool, len(ids))
	for _, id := range ids {
		if seen[string(id)] {
			return id, true
		}
		seen[string(id)] = true
	}
	return nil, false
}

// elsewhere returns the error for a message that a formula counts and that is not received by the process its sender
// names.
func (s *Stream) elsewhere(id, to, by []byte) error {
	return fmt.Errorf("message %q was sent to %q and is received by %q: where a formula counts messages, \"to\" must be the one receiver", id, to, by)
}

// message returns the message in transit with an id, and creates it if there is none.
func (s *Stream) message(id []byte) *message {
	m := s.transit[string(id)]
	if m == nil {
		m = &message{id: string(id), to: -1}
		s.transit[m.id] = m
	}
	return m
}

// state remembers an entry of a clock of process p, if the entry is for a known process.
func (s *Stream) state(p int32, c Count) {
	q, ok := s.number[string(c.Process)]
	if !ok {
		return
	}
	stated := &s.processes[p].stated
	if n := int(q) + 1; n > len(*stated) {
		*stated = append(*stated, make(clock, n-len(*stated))...)
	}
	(*stated)[q] = c.Events
}

// wait queues an event that cannot be admitted yet.
func (s *Stream) wait(scratch *pending) {
	e := new(pending)
	*e = *scratch
	e.sets, e.sends, e.receives = slices.Clone(e.sets), slices.Clone(e.sends), slices.Clone(e.receives)
	e.after, e.groups = slices.Clone(e.after), slices.Clone(e.groups)
	if e.line != nil {
		e.line = e.line.event()
	}
	s.processes[e.process].queue = append(s.processes[e.process].queue, e)
	s.expect(e)
	for _, g := range e.groups {
		s.completed(g)
	}
	if s.awaited(e) {
		s.try(e.process)
	}
	s.settle()
}

// expect registers a queued event where its causes will find it: at its messages, the ids it names, and its syncs.
func (s *Stream) expect(e *pending) {
	s.unready++
	if e.id != "" {
		s.arrived[e.id] = e
	}
	for _, m := range e.sends {
		m.sender = e
	}
	for _, m := range e.receives {
		if !m.sent {
			m.waiting = append(m.waiting, e)
		}
	}
	for i, r := range e.after {
		if r.id != "" {
			s.waiting[r.id] = append(s.waiting[r.id], waiter{e, i})
		}
	}
	for _, g := range e.groups {
		g.members = append(g.members, e)
		g.of.Grow(int(e.process))
		if !s.processes[e.process].closed {
			g.joined++
		}
	}
}

// admit admits the events of a step, with those of each process in order. All their causes outside the step must have
// been admitted. If the clocks of these are forgotten, or the assignments of a shared variable are not ordered, s is
// given up.
func (s *Stream) admit(step ...*pending) {
	if err := s.learn(step); err != nil {
		s.GiveUp(err)
		return
	}

	// All events of the step are admitted before any is kept, because they know each other.
	s.window.step++
	for _, e := range step {
		s.leave(e)
		s.processes[e.process].admitted = e.pos
		s.admitted++
		s.processes[e.process].latest = s.admitted
		s.processes[e.process].own.add(e.pos, s.isOwn(e.id, e.place))
		if e.id != "" {
			s.events.Add(e.id, e.place)
		}
	}

	for _, e := range step {
		s.keep(e)
		for _, m := range e.sends {
			m.sent, m.sender = true, nil
			m.clock, m.at = s.processes[e.process].clock, s.admitted
			m.carries = true
			for _, f := range m.waiting {
				s.release(f)
			}
			m.waiting = nil
		}
		s.announce(e)
		for _, g := range e.groups {
			if s.groups[g.id] == g { // e is the first admitted event of the sync
				delete(s.groups, g.id)
				s.complete--
				s.joined.Add(g.id, struct{}{})
			}
		}
	}

	// Receives come last, because a step may receive its own messages.
	for _, e := range step {
		for _, m := range e.receives {
			if s.transit[m.id] == m {
				delete(s.transit, m.id)
				s.received.Add(m.id, m)
			}
			m.clock, m.carries = nil, false
		}
	}
	if s.opts.Lost > 0 && len(s.transit) > s.crowded {
		s.forgetLost()
	}
	if s.opts.Admitted == nil {
		return
	}
	s.seen = s.seen[:0]
	for _, e := range step {
		at := Past{e.place, s.window.step, s.processes[e.process].clock}
		s.seen = append(s.seen, Admitted{at, e.line})
	}
	s.opts.Admitted(s.seen)
}

// Admitted is an event with its line, valid during the call of Options.Admitted.
type Admitted struct {
	Past
	Line *Line // only the parts that are about the event itself are valid
}

// At returns the process and the position of the event.
func (a *Admitted) At() (process int, position int64) { return int(a.place.process), a.place.pos }

// Counts returns how many events of a process happened before the event or together with it.
func (a *Admitted) Counts(process int) int64 { return max(a.Of(process), a.clock.of(int32(process))) }

// forgetLost forgets the older half of the messages that were sent and not received.
//
// The time complexity of forgetLost is O(k·log k) for k messages in transit. This is amortized O(log k) for each
// message, because about k/2 messages are sent before the next call.
func (s *Stream) forgetLost() {
	var sent []*message
	for _, m := range s.transit {
		if m.sent {
			sent = append(sent, m)
		}
	}
	wanted := len(s.transit) - len(sent)

	// Ids break ties, so that equal inputs forget the same messages.
	slices.SortFunc(sent, func(x, y *message) int { return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.id, y.id)) })
	for _, m := range sent[:len(sent)/2] {
		delete(s.transit, m.id)
		s.keys.forget(m)
	}
	s.forgot = true
	s.crowded = s.opts.Lost + 2*wanted
}

// leave removes an event from its queue, if it was queued.
func (s *Stream) leave(e *pending) {
	p := &s.processes[e.process]
	if len(p.queue) == 0 {
		return
	}
	p.queue[0] = nil
	p.queue = p.queue[1:]
	s.unready--
	s.ready = append(s.ready, e.process)
	if e.id != "" {
		delete(s.arrived, e.id)
	}
	s.finish(e.process)
	if len(p.queue) == 0 && s.opts.Released != nil {
		s.opts.Released(int(e.process))
	}
}

// release notes that one cause of a waiting event is admitted.
func (s *Stream) release(e *pending) {
	if e.missing--; e.missing == 0 {
		s.ready = append(s.ready, e.process)
	} else {
		s.try(e.process)
	}
}

// learn gives the processes of a step the clocks of its events. It fails, and changes nothing, if a clock is forgotten
// or unordered fails. In the latter case it also sets s.failure.
func (s *Stream) learn(step []*pending) error {
	first := step[0]

	// An event without causes on other processes shares the clock of the event before it.
	if len(step) == 1 && len(first.receives) == 0 && len(first.after) == 0 {
		s.failure = s.unordered(step, s.processes[first.process].clock)
		return s.failure
	}

	joint := make(clock, len(s.names))
	copy(joint, s.processes[first.process].clock)
	for _, e := range step[1:] {
		joint.join(s.processes[e.process].clock)
	}
	for _, e := range step {
		joint[e.process] = e.pos
	}

	news := len(step) > 1
	for _, e := range step {
		for _, m := range e.receives {
			news = s.hear(joint, m.from, m) || news
		}
		for _, r := range e.after {
			news = s.hear(joint, r.place, nil) || news
		}
	}

	// A forgotten clock does no harm if another cause knows the event.
	for _, at := range s.doubtful {
		if joint[at.process] < at.pos {
			return fmt.Errorf("event %d of process %q happened after event %d of process %q, so long ago that it is forgotten what happened before that",
				first.pos, s.names[first.process], at.pos, s.names[at.process])
		}
	}
	s.doubtful = s.doubtful[:0]

	if s.failure = s.unordered(step, joint); s.failure != nil || !news {
		return s.failure
	}
	s.learned += len(joint)
	s.turns += len(step)
	for _, e := range step {
		p := &s.processes[e.process]
		if !p.clock.same(joint) {
			p.clock = joint
			p.history.turns = append(p.history.turns, turn{e.pos, joint})
		}
	}
	if s.turns > 2*s.enough()+minHistory*len(s.names) {
		s.forgetClocks()
	}
	return nil
}

// hear joins an event and its clock into a clock, and reports whether this changes the clock; m is the message that the
// event sent, or nil. If the clock of the event is forgotten, hear adds the event to s.doubtful: another cause must
// know it.
func (s *Stream) hear(joint clock, at place, m *message) bool {
	if joint[at.process] >= at.pos {
		return false
	}
	c, ok := s.past(at, m)
	if !ok {
		s.doubtful = append(s.doubtful, at)
		return false
	}
	joint.join(c)
	joint[at.process] = max(joint[at.process], at.pos)
	return true
}

// past returns the clock of an admitted event; m is the message it sent, or nil. It returns ok = false if the clock is
// forgotten and the event is above G.
func (s *Stream) past(at place, m *message) (c clock, ok bool) {
	if m != nil && m.carries {
		return m.clock, true
	}
	c, ok = s.processes[at.process].history.at(at.pos)
	return c, ok || at.pos <= s.window.base[at.process]
}
