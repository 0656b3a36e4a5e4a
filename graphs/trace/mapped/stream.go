package mapped

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/graphs/trace"
)

// A Scanner reads the lines of a log with a mapping as they arrive. It gives them the same meaning
// as Read does. Read derives some things from all lines, such as the type of a variable; for a
// Scanner, the first line that needs them must show them.
type Scanner struct {
	stream.Progress

	known *Known
	name  string // the name of the file
	head  []byte // the first line of the file, if it names columns
	chunk *chunk
	log   log
	line  stream.Line

	// The results for the current event, by variable.
	next  map[string]graphs.Value // the values that it assigns
	kinds map[string]graphs.Kind  // the types of variables that were not known before
	// the initial values, if it is the first event of its process; else nil
	initial map[string]graphs.Value
}

// Known is the state that the Scanners of one execution share. It is not safe for concurrent use.
type Known struct {
	m     *Mapping
	opts  trace.Options
	kinds map[string]graphs.Kind             // the type of each variable
	now   map[string]map[string]graphs.Value // the current values, by process and variable
}

// NewKnown returns the state before the first line of an execution. It uses only the names of
// variables in opts. The error says why the mapping cannot read a growing log.
func NewKnown(m *Mapping, opts trace.Options) (*Known, error) {
	for _, s := range m.sources {
		if slices.ContainsFunc(s.messages, func(x messages) bool {
			// a pattern for the receiver may match a process that has no events yet
			to := x.sides[0]
			return x.sides[2] != nil || !m.clocks && to != nil && to.to != nil && to.to.isPattern()
		}) {
			return nil, fmt.Errorf("the mapping %s says which messages are lost, or gives a pattern for who gets them: that is known when all lines are there; pota detect --map %[1]s reads the whole log", m.Name)
		}
	}
	k := &Known{m: m, opts: opts, kinds: make(map[string]graphs.Kind)}
	k.now = make(map[string]map[string]graphs.Value)
	for _, x := range m.initial {
		k.kinds[x.name] = x.value.Kind
	}
	return k, nil
}

// Messages reports whether formulas can count messages while lines arrive. In logs with clocks,
// messages can be matched only when all lines are known.
func (m *Mapping) Messages() bool { return !m.clocks }

// NewScanner returns a Scanner for the lines of a file or connection of a name.
func (k *Known) NewScanner(name string) *Scanner {
	s := &Scanner{known: k, name: name}
	s.next, s.kinds = make(map[string]graphs.Value), make(map[string]graphs.Kind)
	s.LowerBound = k.m.lowerBound
	s.chunk = k.m.newChunk()
	s.chunk.growing = &s.Progress
	s.log = log{m: k.m, opts: k.opts, files: []string{name}, starts: []int32{0}}
	return s
}

// Takes reports whether a file of a directory is part of the log.
func (k *Known) Takes(file string) bool { return k.m.sourceOf(file) >= 0 }

// Scan calls take for each event in a text of whole lines, with the number of its line, and
// before the first event of a process for the initial values of its variables. Events are
// passed on before the error of a later line. Errors are *trace.Error.
//
// The time complexity of Scan is that of Read.
func (s *Scanner) Scan(text []byte, take func(number int, l *stream.Line) error) error {
	if len(s.known.m.sources) > 1 && !s.known.Takes(s.name) {
		const msg = "no source of the mapping %s is for files of this name"
		return trace.Errorf(s.name, s.Lines+1, msg, s.known.m.Name)
	}
	// At the start, or after a rotation: a new file names columns of its own.
	if s.Lines == 0 {
		s.head = nil
	}
	piece := trace.Piece{Name: s.name, Head: s.head, Text: text}
	s.chunk.walk(&piece)
	if s.known.m.Columns() && s.head == nil {
		s.head = trace.Head(text)
	}
	l := &s.log
	l.reset(int32(s.Lines))
	err := l.add(&trace.Batch[*chunk]{Piece: piece, Work: s.chunk})
	events := len(l.events)
	if e, ok := err.(*trace.Error); ok && events > 0 && e.Line == int(l.events[events-1].line) {
		events-- // the last event is incomplete
	}
	sends, recvs := l.sends, l.recvs
	for e := range int32(events) {
		n := sort.Search(len(sends), func(i int) bool { return sends[i].event > e })
		k := sort.Search(len(recvs), func(i int) bool { return recvs[i].event > e })
		if err := s.event(e, sends[:n], recvs[:k], take); err != nil {
			at := trace.Wrap(s.name, int(l.events[e].line), err)
			at.Column = int(l.events[e].column)
			return at
		}
		sends, recvs = sends[n:], recvs[k:]
	}
	if err != nil {
		return err
	}
	s.Lines, s.Skipped = int(l.lines), s.Skipped+l.skipped
	return nil
}

// reset forgets the events of a log, and sets the number of lines so far. It keeps the memory for
// reuse, because a text that arrives may be a single line.
func (l *log) reset(lines int32) {
	l.lines, l.counted = lines, 0
	l.events = l.events[:0]
	l.sends, l.recvs = l.sends[:0], l.recvs[:0]
	l.procs, l.procNames = l.procs[:0], l.procNames[:0]
	l.facts, l.owners = l.facts[:0], l.owners[:0]
	l.timers, l.clockIDs = l.timers[:0], l.clockIDs[:0]
	for _, t := range [...]interface{ Clear() }{
		&l.names, &l.texts, &l.keys, &l.variables, &l.columns, &l.entries, &l.assigned,
	} {
		t.Clear()
	}
	clear(l.strings)
	l.resetSkipped()
}

// event passes an event on, and applies it to the shared state once take has accepted it.
func (s *Scanner) event(e int32, sends, recvs []end, take func(int, *stream.Line) error) error {
	l, k := &s.log, s.known
	ev := &l.events[e]
	process := string(l.process(ev.process))
	now, begun := k.now[process]
	if err := s.assigns(e, now); err != nil {
		return err
	}
	x := &s.line
	if !begun {
		x.Reset(stream.Declaration)
		x.Process = []byte(process)
		for _, name := range slices.Sorted(maps.Keys(s.initial)) {
			x.Values = append(x.Values, stream.Assignment{Name: []byte(name), Value: s.initial[name]})
		}
		if err := take(int(ev.line), x); err != nil {
			return err
		}
	}
	x.Reset(stream.Event)
	x.Process = []byte(process)
	if ev.label >= 0 {
		x.Label = l.texts.At(ev.label)
	}
	if ev.time >= 0 {
		x.Time = l.texts.At(ev.time)
	}
	for _, name := range slices.Sorted(maps.Keys(s.next)) {
		x.Values = append(x.Values, stream.Assignment{Name: []byte(name), Value: s.next[name]})
	}
	x.Timers = append(x.Timers, s.timers(e)...)
	if !begun {
		x.ClockID = []byte(l.clockIDOf(ev.process))
	}
	if l.m.clocks {
		x.Clock = append(x.Clock, stream.Count{Process: x.Process, Events: int64(ev.own)})
		for _, c := range l.entries.Row(int(e)) {
			x.Clock = append(x.Clock, stream.Count{Process: l.names.At(c.name), Events: int64(c.count)})
		}
	} else if err := s.messages(sends, recvs); err != nil {
		return err
	}
	if !begun {
		now = s.initial
	}
	if err := take(int(ev.line), x); err != nil {
		if !begun {
			k.now[process] = now // take has accepted the declaration
		}
		return err
	}
	maps.Copy(k.kinds, s.kinds)
	maps.Copy(now, s.next)
	k.now[process] = now
	return nil
}

var errUnsent = errors.New("an event receives one message that may be unsent and one that may not: " +
	"a log that grows cannot have both")

// messages puts the ends of messages of an event into its line.
func (s *Scanner) messages(sends, recvs []end) error {
	l, x := &s.log, &s.line
	x.Keyed = true
	for _, m := range sends {
		x.Send = append(x.Send, l.keyOf(m))
		if m.to < 0 {
			continue
		}
		if to := l.names.At(m.to); string(to) == string(x.Process) || s.known.now[string(to)] != nil {
			x.To = to // another name may not be that of a process: it has no events yet
		}
	}
	for i, m := range recvs {
		unsent := m.kind == mayBeUnsent
		if i > 0 && x.Unsent != unsent {
			return errUnsent
		}
		x.Unsent = unsent
		x.Recv = append(x.Recv, l.keyOf(m))
	}
	return nil
}

// keyOf returns the key of an end of a message in readable form: the number of the kind of
// messages, and the values in JSON.
func (l *log) keyOf(m end) []byte {
	key := l.keys.At(m.key)
	values := bytes.ReplaceAll(bytes.TrimSuffix(key[2:], []byte{0}), []byte{0}, []byte(","))
	return append(fmt.Appendf(nil, "%d:", int(key[0])|int(key[1])<<8), values...)
}

// assigns sets the results for the assignments of an event. now has the values of its process; nil
// before its first event.
func (s *Scanner) assigns(e int32, now map[string]graphs.Value) error {
	l, k := &s.log, s.known
	clear(s.next)
	clear(s.kinds)
	begun := now != nil
	s.initial = nil
	if !begun {
		s.initial = make(map[string]graphs.Value)
		for _, x := range l.m.initial {
			s.initial[x.name] = x.value
		}
		now = s.initial
	}
	for _, a := range l.assigned.Row(int(e)) {
		name := string(l.variables.At(l.owners[a.column].name))
		kind, known := k.kinds[name]
		if !known {
			kind, known = s.kinds[name]
		}
		if known && kind != a.kind {
			return fmt.Errorf(`%w (see "decode" in pota help mappings)`, trace.TwoTypes(name, a.kind, kind))
		}
		if !known {
			s.kinds[name] = a.kind
		}
		v := l.valueOf(a)
		before, touched := s.next[name]
		if !touched {
			before = now[name]
		}
		switch how := a.how &^ isFloat; {
		case how == begins && (touched || before.Kind != graphs.NoKind):
		case how == begins && !begun:
			s.initial[name] = v
		case how == begins && v != graphs.Zero(v.Kind):
			return lateInitial(name)
		case how == begins:
		case how == adds && v.Kind != graphs.Number:
			return fmt.Errorf("a number is added to %q, which is not a number elsewhere", name)
		case how == adds && before.Kind != graphs.NoKind:
			s.next[name] = before.Add(v)
		default:
			s.next[name] = v
		}
	}
	for name, v := range s.next {
		switch _, known := now[name]; {
		case known || !l.m.first:
		case begun && v != graphs.Zero(v.Kind):
			return lateInitial(name)
		case !begun:
			s.initial[name] = v
		}
	}
	return nil
}

// lateInitial returns the error for an initial value that shows only after the first event of its
// process. Read can go back to set it; a stream cannot.
func lateInitial(name string) error {
	return fmt.Errorf("the initial value of %q shows only here, after other events of its process: in a log that is read as it grows, the first event must show it; pota detect reads the whole log", name)
}
