package mapped

import (
	"fmt"
	"math"
	"sort"
	"unicode/utf8"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/symbols"
)

// A log is what a mapping finds in the lines, in their order.
type log struct {
	m    *Mapping
	opts trace.Options

	files  []string
	starts []int32 // events before each file
	lines  int32   // of the last file, in the chunks added

	events    []event
	names     symbols.Table // of processes, and of receivers
	procs     []int32       // by name: number of the process in order of appearance, -1 for none
	procNames []int32       // by process: its name

	entries []entry       // of clocks, those of an event side by side
	texts   symbols.Table // labels, times, and strings that variables have

	variables symbols.Table // their names
	facts     []fact        // by name
	columns   symbols.Table // process and variable
	owners    []owner       // by column
	latest    []int32       // by column: its latest in assigned, -1 for none
	assigned  []assigned

	keys  symbols.Table // of messages
	sends []end
	recvs []end

	scratch, other []byte
}

// event is one line that is an event. The entries and assignments of an event go on
// to where those of the next begin.
type event struct {
	process       int32
	line, column  int32
	own           int32 // of its clock
	entries, sets int32 // where its entries and assignments begin
	label, time   int32 // in texts, -1 for none
}

// entry says that count events of a process happened before.
type entry struct{ name, count int32 }

// fact is what is known of a variable's name.
type fact struct {
	kind    graphs.Kind // of all its values; String where they are of several
	keep    bool
	element bool // of an array, and not the element of the process that writes it
}

// owner is the process and the name of a column of values.
type owner struct{ process, name int32 }

// assigned is a value of a column.
type assigned struct {
	column int32
	kind   graphs.Kind
	how    how
	bits   uint64 // of an integer, float or boolean, or number in texts
}

// how tells what an assignment means.
type how uint8

const (
	sets   how = iota // the value
	adds              // the value is added
	begins            // the value before the first assignment

	isFloat how = 1 << 7 // bits are those of a float64
)

// end is where a message is sent, received or lost.
type end struct {
	key, event   int32
	line, column int32
	to           int32 // of a send: a name, -1 for none
	pattern      bool  // of a send: to is a pattern
	kind         endKind
}

type endKind uint8

const (
	received endKind = iota
	mayBeUnsent
	lost
)

// chunkLine is a line that was walked.
type chunkLine struct {
	number   int32
	from, to int32
	row      int32 // where its slots start
}

func (l *log) fail(file string, line, column int32, format string, args ...any) *trace.Error {
	return &trace.Error{File: file, Line: int(line), Column: int(column), Msg: fmt.Sprintf(format, args...)}
}

// fileOf returns the file of an event.
func (l *log) fileOf(e int32) string {
	i := sort.Search(len(l.starts), func(i int) bool { return l.starts[i] > e })
	return l.files[i-1]
}

// failAt returns an error at an event.
func (l *log) failAt(e int32, format string, args ...any) *trace.Error {
	return l.fail(l.fileOf(e), l.events[e].line, l.events[e].column, format, args...)
}

// adding puts one line into the log.
type adding struct {
	*log
	text  []byte // of the chunk
	row   []value
	inner []value
	line  chunkLine
}

func (a *adding) column(at int32) int32 {
	return int32(utf8.RuneCount(a.text[a.line.from:at])) + 1
}

func (a *adding) wrong(at int32, format string, args ...any) *trace.Error {
	return a.fail(a.files[len(a.files)-1], a.line.number, a.column(at), format, args...)
}

// add adds a line, which may be no event.
func (a *adding) add() error {
	m := a.m
	if m.events != nil && !m.events.holds(a.row, a.text) {
		return nil
	}
	if len(a.events) == math.MaxInt32-8 {
		return a.wrong(a.line.from, "more than %d events", math.MaxInt32-8)
	}
	e := int32(len(a.events))
	ev := event{line: a.line.number, column: a.column(a.line.from), entries: int32(len(a.entries)), sets: int32(len(a.assigned)), label: -1, time: -1}
	var err error
	if ev.process, err = a.processOf(); err != nil {
		return err
	}
	if err := a.labelAndTime(&ev); err != nil {
		return err
	}
	if m.clock >= 0 {
		if err := a.clock(&ev); err != nil {
			return err
		}
	}
	a.events = append(a.events, ev)
	for i := range m.messages {
		if err := a.messages(e, int32(i), &m.messages[i]); err != nil {
			return err
		}
	}
	for i := range m.variables {
		if err := a.assign(ev.process, &m.variables[i]); err != nil {
			return err
		}
	}
	for i := range m.writes {
		if err := a.writes(ev.process, &m.writes[i]); err != nil {
			return err
		}
	}
	if len(a.assigned) > math.MaxInt32/2 || len(a.entries) > math.MaxInt32/2 || !a.texts.Room(math.MaxInt32) || !a.keys.Room(math.MaxInt32) {
		return a.wrong(a.line.from, "too many values")
	}
	return nil
}

// absentAt says what is wrong with a slot that a name needs.
func (a *adding) absentAt(what string, f *frame, row []value, slot int32) error {
	v := row[slot]
	if v.kind == absent || v.kind == null {
		return a.wrong(a.line.from, "%s is missing: the line has no %s", what, f.pointers[slot])
	}
	return a.wrong(v.start(), "%s is %s where a string or a number is expected", what, v.kind)
}

func (a *adding) processOf() (int32, error) {
	var bad int32
	a.scratch, bad = a.m.process.render(a.scratch[:0], a.row, a.text)
	if bad >= 0 {
		return 0, a.absentAt("the process", a.m.line, a.row, bad)
	}
	n := a.name(a.scratch)
	if a.procs[n] < 0 {
		a.procs[n] = int32(len(a.procNames))
		a.procNames = append(a.procNames, n)
	}
	return a.procs[n], nil
}

// name returns the number of a name.
func (l *log) name(text []byte) int32 {
	n := l.names.Intern(text)
	if int(n) == len(l.procs) {
		l.procs = append(l.procs, -1)
	}
	return n
}

func (a *adding) labelAndTime(ev *event) error {
	m := a.m
	if m.label != nil {
		var bad int32
		a.scratch, bad = m.label.render(a.scratch[:0], a.row, a.text)
		switch {
		case bad >= 0 && a.row[bad].kind > null:
			return a.absentAt("the label", m.line, a.row, bad)
		case bad < 0 && a.opts.Names && len(a.scratch) > 0:
			ev.label = a.texts.Intern(a.scratch)
		}
	}
	if m.time < 0 || a.row[m.time].kind <= null {
		return nil
	}
	v := a.row[m.time]
	t := v.raw(a.text)
	switch v.kind {
	case number:
	case text:
		t = timeText(v.decode(nil, a.text))
		if t == nil {
			return a.wrong(v.start(), "a time is a number or an RFC 3339 time")
		}
	default:
		return a.wrong(v.start(), "the time is %s where a number or an RFC 3339 time is expected", v.kind)
	}
	if a.opts.KeepTimes() {
		ev.time = a.texts.Intern(t)
	}
	return nil
}

// clock reads a vector clock: an object of names and counts, or an array of pairs.
func (a *adding) clock(ev *event) error {
	v := a.row[a.m.clock]
	own := a.procNames[ev.process]
	if v.kind > null {
		ev.column = a.column(v.start())
	}
	s := scanner{text: a.text, at: int(v.from), end: int(v.to)}
	var err error
	switch v.kind {
	case object:
		s.object(func(name value) bool {
			count, ok := s.value()
			if ok && err == nil {
				a.scratch = a.clockName(a.scratch[:0], name)
				err = a.entry(ev, own, a.scratch, count)
			}
			return ok && err == nil
		})
	case array:
		s.array(func(int) bool {
			pair, ok := s.value()
			if ok && err == nil {
				err = a.pair(ev, own, pair)
			}
			return ok && err == nil
		})
	case absent, null:
		return a.wrong(a.line.from, "the clock is missing: the line has no %s", a.m.line.pointers[a.m.clock])
	default:
		return a.wrong(v.start(), "the clock is %s where an object or an array of pairs is expected", v.kind)
	}
	if err != nil {
		return err
	}
	if ev.own == 0 {
		return a.wrong(v.start(), "the clock of an event of %q has no entry of its own", a.names.At(own))
	}
	return nil
}

// clockName appends the process that a key of a clock means.
func (a *adding) clockName(dst []byte, keys ...value) []byte {
	parts := a.m.process.parts
	if len(parts) != len(keys)+1 {
		return keys[0].decode(dst, a.text)
	}
	for i, k := range keys {
		dst = append(dst, parts[i]...)
		if k.kind == text {
			dst = k.decode(dst, a.text)
		} else {
			dst = append(dst, k.raw(a.text)...)
		}
	}
	return append(dst, parts[len(keys)]...)
}

// pair reads [key, count] of a clock; a key is a scalar, or an array of those that
// the name of a process has.
func (a *adding) pair(ev *event, own int32, pair value) error {
	const form = "an entry of a clock is a pair [process, count]"
	if pair.kind != array {
		return a.wrong(pair.start(), form)
	}
	var parts [2]value
	n := 0
	s := scanner{text: a.text, at: int(pair.from), end: int(pair.to)}
	s.array(func(i int) bool {
		v, ok := s.value()
		if i < 2 {
			parts[i] = v
		}
		n++
		return ok
	})
	if n != 2 {
		return a.wrong(pair.start(), form)
	}
	var keys []value
	if parts[0].kind == array {
		s := scanner{text: a.text, at: int(parts[0].from), end: int(parts[0].to)}
		s.array(func(int) bool {
			v, ok := s.value()
			keys = append(keys, v)
			return ok
		})
	} else {
		keys = parts[:1]
	}
	for _, k := range keys {
		if k.kind != text && k.kind != number {
			return a.wrong(parts[0].start(), form)
		}
	}
	if len(keys) != len(a.m.process.slots) && len(keys) != 1 {
		return a.wrong(parts[0].start(), "the key of a clock has %d parts, the name of a process %d", len(keys), len(a.m.process.slots))
	}
	a.scratch = a.clockName(a.scratch[:0], keys...)
	return a.entry(ev, own, a.scratch, parts[1])
}

func (a *adding) entry(ev *event, own int32, name []byte, v value) error {
	count, ok := int64(0), false
	if v.kind == number {
		x, isNumber := parseNumber(v.raw(a.text))
		if ok = isNumber && !x.Float; ok {
			count = x.Int64()
		}
	}
	switch {
	case !ok:
		return a.wrong(v.start(), "the clock counts events of %q by something else than a whole number", name)
	case count < 0 || count > math.MaxInt32:
		return a.wrong(v.start(), "the clock has %d for %q", count, name)
	case count == 0:
		return nil
	}
	n := a.name(name)
	if n == own {
		if ev.own != 0 {
			return a.wrong(v.start(), "the clock has two entries for %q", name)
		}
		ev.own = int32(count)
		return nil
	}
	a.entries = append(a.entries, entry{n, int32(count)})
	return nil
}

// messages notes what an event sends, receives and loses.
func (a *adding) messages(e, number int32, r *messages) error {
	if r.when != nil && !r.when.holds(a.row, a.text) {
		return nil
	}
	sends := r.send.when == nil || r.send.when.holds(a.row, a.text)
	receives := r.receive.when == nil || r.receive.when.holds(a.row, a.text)
	loses := r.lost != nil && (r.lost.when == nil || r.lost.when.holds(a.row, a.text))
	if !sends && !receives && !loses {
		return nil
	}
	if r.loop < 0 {
		return a.ends(e, number, r, a.m.line, a.row, sends, receives, loses)
	}
	l := a.m.loops[r.loop]
	rows := a.row[l.slot]
	size := l.frame.size
	for i := range rows.to {
		row := a.inner[rows.from+i*size:][:size]
		if err := a.ends(e, number, r, l.frame, row, sends, receives, loses); err != nil {
			return err
		}
	}
	return nil
}

func (a *adding) ends(e, number int32, r *messages, f *frame, row []value, sends, receives, loses bool) error {
	if sends && (r.send.where == nil || r.send.where.holds(row, a.text)) {
		x, err := a.end(e, number, r.send, f, row)
		if err != nil {
			return err
		}
		a.sends = append(a.sends, x)
	}
	if receives && (r.receive.where == nil || r.receive.where.holds(row, a.text)) {
		x, err := a.end(e, number, r.receive, f, row)
		if err != nil {
			return err
		}
		if r.receive.unsent {
			x.kind = mayBeUnsent
		}
		a.recvs = append(a.recvs, x)
	}
	if loses && (r.lost.where == nil || r.lost.where.holds(row, a.text)) {
		x, err := a.end(e, number, r.lost, f, row)
		if err != nil {
			return err
		}
		x.kind = lost
		a.recvs = append(a.recvs, x)
	}
	return nil
}

// end returns one end of a message.
func (a *adding) end(e, number int32, s *side, f *frame, row []value) (end, error) {
	key := append(a.scratch[:0], byte(number), byte(number>>8))
	at := a.line.from
	for i, slot := range s.key {
		v := row[slot]
		if v.kind == absent {
			return end{}, a.wrong(a.line.from, "the key of a message is missing: there is no %s", f.pointers[slot])
		}
		if i == 0 {
			at = v.start()
		}
		key = append(v.canonical(key, a.text), 0)
	}
	a.scratch = key
	x := end{key: a.keys.Intern(key), event: e, line: a.line.number, column: a.column(at), to: -1}
	if s.to != nil {
		var bad int32
		a.other, bad = s.to.render(a.other[:0], row, a.text)
		switch {
		case bad < 0:
			x.to, x.pattern = a.name(a.other), s.to.isPattern()
		case row[bad].kind > null:
			return end{}, a.absentAt("the receiver", f, row, bad)
		}
	}
	return x, nil
}

// assign notes what the first rule that applies assigns.
func (a *adding) assign(process int32, v *variable) error {
	for i := range v.rules {
		r := &v.rules[i]
		if r.when != nil && !r.when.holds(a.row, a.text) {
			continue
		}
		how := sets
		if r.add {
			how = adds
		}
		if r.slot < 0 {
			a.set(process, a.variable([]byte(v.name)), r.value, how)
			return nil
		}
		return a.store(process, a.variable([]byte(v.name)), a.row[r.slot], r.tla, sets)
	}
	return nil
}

func (a *adding) writes(process int32, w *writes) error {
	if w.when != nil && !w.when.holds(a.row, a.text) {
		return nil
	}
	l := a.m.loops[w.loop]
	rows := a.row[l.slot]
	size := l.frame.size
	for i := range rows.to {
		row := a.inner[rows.from+i*size:][:size]
		if w.where != nil && !w.where.holds(row, a.text) {
			continue
		}
		if err := a.write(process, w, l.frame, row); err != nil {
			return err
		}
	}
	return nil
}

func (a *adding) write(process int32, w *writes, f *frame, row []value) error {
	switch v := row[w.name]; {
	case v.kind != text:
		return a.absentAt("the name of a variable", f, row, w.name)
	case v.from == v.to:
		return a.wrong(v.start(), "a variable without a name")
	}
	name := row[w.name].decode(a.scratch[:0], a.text)
	if other, ok := w.rename[string(name)]; ok {
		name = append(name[:0], other...)
	}
	plain := len(name)
	if w.index >= 0 {
		var err error
		if name, err = a.index(name, w, row); err != nil {
			return err
		}
	}
	a.scratch = name
	v := a.variable(name)
	a.facts[v].element = len(name) > plain && w.own >= 0
	if w.prev >= 0 {
		if err := a.store(process, v, row[w.prev], w.tla, begins); err != nil {
			return err
		}
	}
	return a.store(process, v, row[w.value], w.tla, sets)
}

// index appends [i,j,…] to a name, unless that is the index of the process itself.
func (a *adding) index(name []byte, w *writes, row []value) ([]byte, error) {
	v := row[w.index]
	var indices []value
	switch v.kind {
	case absent, null:
		return name, nil
	case array:
		s := scanner{text: a.text, at: int(v.from), end: int(v.to)}
		s.array(func(int) bool {
			e, ok := s.value()
			indices = append(indices, e)
			return ok
		})
	default:
		indices = []value{v}
	}
	plain := func(dst []byte, v value) []byte {
		if v.kind == text {
			return v.decode(dst, a.text)
		}
		return v.canonical(dst, a.text)
	}
	if len(indices) == 0 {
		return name, nil
	}
	if w.own >= 0 && len(indices) == 1 {
		a.other = plain(a.other[:0], row[w.own])
		n := len(a.other)
		a.other = plain(a.other, indices[0])
		if row[w.own].kind > null && string(a.other[:n]) == string(a.other[n:]) {
			return name, nil
		}
	}
	name = append(name, '[')
	for i, e := range indices {
		if i > 0 {
			name = append(name, ',')
		}
		name = plain(name, e)
	}
	return append(name, ']'), nil
}

// variable returns the number of a variable's name.
func (a *adding) variable(name []byte) int32 {
	n := a.variables.Intern(name)
	if int(n) == len(a.facts) {
		a.facts = append(a.facts, fact{keep: a.opts.Keeps(string(name))})
	}
	return n
}

// store notes the value of a line; null is no value.
func (a *adding) store(process, name int32, v value, tla bool, how how) error {
	var x graphs.Value
	switch v.kind {
	case absent, null:
		return nil
	case boolean:
		x = graphs.Boolean(a.text[v.from] == 't')
	case number:
		var ok bool
		if x, ok = parseNumber(v.raw(a.text)); !ok {
			return a.wrong(v.start(), "the number %s is too large", v.raw(a.text))
		}
	case text:
		a.other = v.decode(a.other[:0], a.text)
		if tla {
			var ok bool
			if x, ok = parseTLA(a.other); !ok {
				return nil
			}
			if x.Kind != graphs.String {
				break
			}
			a.other = append(a.other[:0], x.Text()...)
		}
		a.setText(process, name, a.other, how)
		return nil
	default:
		a.other = v.canonical(a.other[:0], a.text)
		a.setText(process, name, a.other, how)
		return nil
	}
	a.set(process, name, x, how)
	return nil
}

func (a *adding) set(process, name int32, x graphs.Value, how how) {
	var bits uint64
	switch {
	case x.Kind == graphs.String:
		a.setText(process, name, []byte(x.Text()), how)
		return
	case x.Kind == graphs.Bool && x.Bool():
		bits = 1
	case x.Kind == graphs.Number && x.Float:
		bits = math.Float64bits(x.Float64())
		how |= isFloat
	case x.Kind == graphs.Number:
		bits = uint64(x.Int64())
	}
	a.note(process, name, assigned{kind: x.Kind, how: how, bits: bits})
}

func (a *adding) setText(process, name int32, s []byte, how how) {
	x := assigned{kind: graphs.String, how: how}
	if a.facts[name].keep {
		x.bits = uint64(a.texts.Intern(s))
	}
	a.note(process, name, x)
}

// note keeps an assignment; of a variable that is not kept, only the type.
func (a *adding) note(process, name int32, x assigned) {
	f := &a.facts[name]
	f.kind = trace.Unify(f.kind, x.kind)
	var column [8]byte
	putColumn(&column, process, name)
	before := len(a.owners)
	x.column = a.columns.Intern(column[:])
	if int(x.column) == before {
		a.owners = append(a.owners, owner{process, name})
		a.latest = append(a.latest, -1)
	}
	latest := a.latest[x.column]
	if !f.keep || a.m.clock < 0 && x.how&^isFloat == sets && latest >= 0 && a.assigned[latest] == x {
		return // in the order of a process, it has that value
	}
	a.latest[x.column] = int32(len(a.assigned))
	a.assigned = append(a.assigned, x)
}

func putColumn(dst *[8]byte, process, name int32) {
	for i := range 4 {
		dst[i], dst[4+i] = byte(process>>(8*i)), byte(name>>(8*i))
	}
}
