package mapped

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/symbols"
)

// A log holds the results of a mapping for all lines, in order.
type log struct {
	m    *Mapping
	opts trace.Options

	use *use // the use that lines make of the mapping; nil if it is not needed

	files  []string
	starts []int32 // how many events precede each file
	lines  int32   // how many lines of the last file are in the chunks added so far

	events []event
	names  symbols.Table // names of processes and of receivers
	// the process of each name, in order of appearance; -1 if it has no events
	procs     []int32
	procNames []int32          // the name of each process
	texts     symbols.Table    // labels, times, and string values of variables
	strings   map[int32]string // a cache of texts as strings

	entries dense.Rows[entry] // the entries of each event's clock for other processes
	traffic
	assignments
	timers []started // timers in the order of the events that start them
	// the clock of each process, a number in texts; -1 for a clock of its own
	clockIDs []int32
	ends     map[int32]ended // the events that end timers; their numbers follow those of lines

	fitting      int          // how many lines of the last file fit
	skipped      int          // how many lines of the last file do not fit
	firstSkipped *trace.Error // the mistake of the first of these

	ofFile         int32   // the process that the name of the last counted file names
	counted        int     // how many names of files were parsed
	scratch, other []byte  // buffers for reuse
	list           []value // a buffer for reuse
}

// event is an event of a line.
type event struct {
	process      int32
	line, column int32
	own          int32 // the entry of its clock for its own process
	label, time  int32 // numbers in texts; -1 if there is none
}

// elements appends the elements of an array.
func (a *adding) elements(list []value, v value) []value {
	s := v.inside(a.text)
	s.Array(func(int) { list = append(list, s.value()) })
	return list
}

// rows returns the rows of the elements of a loop, one after the other.
func (a *adding) rows(l *loop) []value {
	switch v := a.row[l.slot]; v.kind {
	case arrayKind:
		return a.inner[v.from:][:v.to*l.frame.size]
	case absentKind, nullKind:
	default:
		const msg = `%s is %s where "each" expects an array`
		a.wrong(v, msg, a.s.line.pointers[l.slot], v.kind)
	}
	return nil
}

// chunkLine is a line that was walked.
type chunkLine struct {
	number   int32 // from 1, in the chunk
	from, to int32 // offsets in the text of the chunk
	row      int32 // the index of its first slot
}

// textOf returns a text by its number. Equal texts share one string.
func (l *log) textOf(i int32) string {
	s, ok := l.strings[i]
	if !ok {
		if l.strings == nil {
			l.strings = make(map[int32]string)
		}
		s = string(l.texts.At(i))
		l.strings[i] = s
	}
	return s
}

// fail makes an error at a place of a file.
func (l *log) fail(file string, line, column int32, format string, args ...any) *trace.Error {
	return &trace.Error{File: file, Line: int(line), Column: int(column), Msg: fmt.Sprintf(format, args...)}
}

// fileOf returns the file of an event.
func (l *log) fileOf(e int32) string {
	if end, ok := l.ends[e]; ok {
		e = end.start
	}
	// The last file that begins at or before the event.
	i := sort.Search(len(l.starts), func(i int) bool { return l.starts[i] > e })
	return l.files[i-1]
}

// failAt returns an error at an event.
func (l *log) failAt(e int32, format string, args ...any) *trace.Error {
	return l.fail(l.fileOf(e), l.events[e].line, l.events[e].column, format, args...)
}

// add adds the lines of a batch to the log.
func (l *log) add(b *trace.Batch[*chunk]) error {
	// Batches come in the order of the files.
	if b.File == len(l.files) {
		if err := l.endFile(); err != nil {
			return err
		}
		l.files = append(l.files, b.Name)
		l.starts = append(l.starts, int32(len(l.events)))
		l.lines = 0
	}
	c := b.Work
	a := adding{log: l, s: c.source, text: b.Text, inner: c.walker.inner}
	size := a.s.line.size
	for _, line := range c.lines {
		a.line = line
		a.line.number += l.lines
		a.row = c.walker.rows[line.row:][:size]
		if err := a.add(); err != nil {
			return err
		}
	}
	l.fitting += len(c.lines)
	l.skipped += c.skipped
	for _, e := range []*trace.Error{c.first, c.wrong} {
		if e != nil {
			e.File = b.Name
			e.Line += int(l.lines)
		}
	}
	l.firstSkipped = cmp.Or(l.firstSkipped, c.first)
	if c.wrong != nil {
		// The hint is only for lines of text: wrong JSON may mean that the file is of another kind.
		if a.s.line.root.form != nil {
			c.wrong.Msg += `; "skip" in the mapping, or --skip-lines, skips lines that do not fit`
		}
		return c.wrong
	}
	l.lines += c.count
	b.CutOff(&l.opts, int(l.lines)+1)
	return b.Failed(int(l.lines) + 1)
}

// resetSkipped forgets the lines that were skipped.
func (l *log) resetSkipped() {
	l.firstSkipped = nil
	l.skipped, l.fitting = 0, 0
}

// endFile notes how many lines of a file were skipped, and refuses the file if they are too many.
func (l *log) endFile() error {
	e, skipped := l.firstSkipped, l.skipped
	all := l.skipped + l.fitting
	l.resetSkipped()
	if skipped == 0 {
		return nil
	}
	share := fmt.Sprintf("%d of %s", skipped, graphs.Plural(all, "line"))
	if percent := l.m.of(e.File).skip; 100*skipped > percent*all {
		needed := (100*skipped + all - 1) / all
		e.Msg = fmt.Sprintf(`%s of this file do not fit, more than %d %%, this one first: %s; "skip": "%d%%" in the mapping, or --skip-lines, skips so many`, share, percent, e.Msg, needed)
		return e
	}
	e.Msg = fmt.Sprintf("skipped %s of this file, which do not fit, this one first: %s", share, e.Msg)
	l.opts.Noted(e)
	return nil
}

// adding adds one line to the log. It remembers the first mistake of the line and continues: after
// a mistake, a Scanner uses only the events of earlier lines.
type adding struct {
	*log
	err   error
	s     *source
	text  []byte // the text of the chunk
	row   []value
	inner []value // the rows of elements
	line  chunkLine
}

// column returns the column of a byte of the current line.
func (a *adding) column(at int32) int32 {
	if at > a.line.to {
		at = a.line.from // decoded text has no place in the line
	}
	return int32(utf8.RuneCount(a.text[a.line.from:at])) + 1
}

// wrong notes an error at a value of the current line. A missing value and decoded text have no
// place, so an error there is at the beginning of the line.
func (a *adding) wrong(v value, format string, args ...any) {
	at := a.line.from
	if v.kind != absentKind {
		at = v.start()
	}
	if a.err == nil {
		a.err = a.fail(a.files[len(a.files)-1], a.line.number, a.column(at), format, args...)
	}
}

// add adds a line, if it is an event.
func (a *adding) add() error {
	m := a.s
	if a.use != nil {
		for slot, v := range a.row {
			if v.kind != absentKind {
				a.use.pointers[a.s.line.pointers[slot]] = true
			}
		}
	}
	// Logs also have lines that are not events.
	if !m.events.holds(a.row, a.text) {
		return nil
	}
	// ⊥, ⊤ and other special handles need numbers, too.
	if len(a.events) == math.MaxInt32-8 {
		a.wrong(value{}, "more than %d events", math.MaxInt32-8)
		return a.err
	}
	a.finds(m.part)
	e := int32(len(a.events))
	ev := event{line: a.line.number, column: a.column(a.line.from), label: -1, time: -1}
	// Everything else needs the process.
	if ev.process = a.processOf(); a.err != nil {
		return a.err
	}
	a.label(&ev)
	a.time(&ev)
	if m.clock >= 0 {
		a.clock(&ev)
	}
	a.events = append(a.events, ev)
	if m.clockID != nil {
		a.clockID(&ev)
	}
	// Messages refer to the event by number, so it is added first.
	for i := range m.messages {
		a.messages(e, &m.messages[i])
	}
	for i := range m.variables {
		a.assign(ev.process, &m.variables[i])
	}
	for i := range m.writes {
		a.writes(ev.process, &m.writes[i])
	}
	a.entries.End()
	a.assigned.End()
	// Offsets are 32 bits. The margin covers what one line may add.
	const most = math.MaxInt32
	if max(a.assigned.Size(), a.entries.Size()) > most/2 || !a.texts.Room(most) || !a.keys.Room(most) {
		a.wrong(value{}, "too many values")
	}
	return a.err
}

// finds notes that a part of the mapping finds something in the line.
func (a *adding) finds(part int32) {
	if a.use != nil {
		a.use.parts[part] = true
	}
}

// absentAt notes the error of a slot that a name needs: it is empty, or has a value of a wrong type.
func (a *adding) absentAt(what string, f *frame, row []value, slot int32) {
	v := row[slot]
	if v.kind == absentKind || v.kind == nullKind {
		a.wrong(value{}, "%s is missing: the line has no %s", what, f.pointers[slot])
	}
	a.wrong(v, "%s is %s where a string or a number is expected", what, v.kind)
}

// optional renders a name from a row, and reports whether all its fields exist. A field of a wrong
// type is a mistake in the mapping.
func (a *adding) optional(what string, n *name, f *frame, row []value) bool {
	var bad int32
	a.scratch, bad = n.render(a.scratch[:0], row, a.text)
	if bad >= 0 && row[bad].kind > nullKind {
		a.absentAt(what, f, row, bad)
	}
	return bad < 0
}

// processOf returns the process of the current line: by its fields, or by the name of the file.
func (a *adding) processOf() int32 {
	// In a directory with a process for each file, lines need not name it.
	if a.s.fileNames != "" {
		return a.processOfFile()
	}
	var bad int32
	a.scratch, bad = a.s.process.render(a.scratch[:0], a.row, a.text)
	if bad >= 0 {
		a.absentAt("the process", a.s.line, a.row, bad)
		return -1
	}
	return a.processNamed(a.scratch)
}

// processNamed returns the process of a name, and adds it if it is new.
func (l *log) processNamed(text []byte) int32 {
	n := l.name(text)
	if l.procs[n] < 0 {
		l.procs[n] = int32(len(l.procNames))
		l.procNames = append(l.procNames, n)
	}
	return l.procs[n]
}

// processOfFile returns the process named by the * in the name of the file.
func (a *adding) processOfFile() int32 {
	// The name is parsed once for each file, not for each line.
	if a.counted < len(a.files) {
		a.counted = len(a.files)
		file := a.files[a.counted-1]
		name := ""
		for _, base := range namesOf(file) {
			if ext := filepath.Ext(base); ext == ".gz" || ext == ".zst" {
				base = strings.TrimSuffix(base, ext)
			}
			before, after, _ := strings.Cut(a.s.fileNames, "*")
			rest, begins := strings.CutPrefix(base, before)
			process, ends := strings.CutSuffix(rest, after)
			if name == "" && begins && ends {
				name = process
			}
		}
		if name == "" {
			const what = "the name of the file is not of the form %q, " +
				"in which the mapping %s has the name of the process"
			a.err = trace.Errorf(file, 0, what, a.s.fileNames, a.m.Name)
			return -1
		}
		a.ofFile = a.processNamed([]byte(name))
	}
	return a.ofFile
}

// name returns the number of a name, and adds it if it is new.
func (l *log) name(text []byte) int32 {
	n := l.names.Intern(text)
	if int(n) == len(l.procs) {
		l.procs = append(l.procs, -1)
	}
	return n
}

// label sets the label of an event: the first that has a field in the line.
func (a *adding) label(ev *event) {
	for _, l := range a.s.labels {
		found := func(slot int32) bool { return a.row[slot].kind > nullKind }
		if !a.optional("the label", l.name, a.s.line, a.row) && !slices.ContainsFunc(l.name.slots, found) {
			continue
		}
		if len(a.scratch) > 0 {
			a.finds(l.part)
		}
		if a.opts.Names && len(a.scratch) > 0 {
			ev.label = a.texts.Intern(a.scratch)
		}
		return
	}
}

// time sets the time of an event: the first that exists and has its layout. It is checked even if it
// is not kept, so that verdicts do not depend on options of output.
func (a *adding) time(ev *event) {
	for i := range a.s.times {
		m := &a.s.times[i]
		t, v := a.moment(m)
		switch {
		case v.kind <= nullKind, t == nil && i < len(a.s.times)-1:
			continue
		case t == nil:
			a.noTime(m, v)
		case a.opts.KeepTimes() || a.m.timers || a.m.shared:
			ev.time = a.texts.Intern(t)
		}
		a.finds(m.part)
		return
	}
}

// moment returns a time as JSON, and its first field. The text is nil if the line has no time, or
// one that is not in the layout.
func (a *adding) moment(m *moment) (text []byte, first value) {
	var bad int32
	a.scratch, bad = m.name.render(a.scratch[:0], a.row, a.text)
	first = a.row[m.name.slots[0]]
	v := first
	if bad >= 0 {
		v = a.row[bad]
	}
	switch {
	case v.kind <= nullKind:
		return nil, v
	case bad >= 0, v.kind == boolKind: // a name may be a boolean, a time may not
		a.wrong(v, "the time is %s where a number or an RFC 3339 time is expected", v.kind)
		return nil, v
	case m.layout != "":
		return timeIn(a.scratch, m.layout), first
	}
	return timeText(a.scratch), first
}

// noTime notes the error of a field that is not a time.
func (a *adding) noTime(m *moment, first value) {
	if m.layout == "" {
		const msg = `a time is a number or an RFC 3339 time; another needs a "layout" in the mapping`
		a.wrong(first, msg)
	}
	a.wrong(first, "%s is not a time in the layout of the mapping", trace.Quote(a.scratch))
}

// layouts lists the forms of a time that loggers use in addition to RFC 3339. Seconds may have a
// fraction after a point or a comma.
var layouts = []string{"2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z0700", "02/Jan/2006:15:04:05 -0700"}

// timeText returns the time of a text as JSON: a number, or a string in the form of RFC 3339; nil if
// the text is not a time.
func timeText(t []byte) []byte {
	if len(t) > 0 && (t[0] == '-' || t[0]-'0' <= 9) {
		s := scan(t, 0, len(t))
		if _, ok := s.Number(); ok && s.Pos == len(t) {
			return t
		}
	}
	if _, err := time.Parse(time.RFC3339, string(t)); err == nil {
		quoted, _ := jsontext.AppendQuote(nil, t)
		return quoted
	}
	for _, layout := range layouts {
		if at := timeIn(t, layout); at != nil {
			return at
		}
	}
	return nil
}

// timeIn returns the time of a text in a layout as JSON; nil if the text does not have the layout.
// Package time accepts a fraction of seconds after a point or a comma even if the layout has
// none.
func timeIn(t []byte, layout string) []byte {
	at, err := time.Parse(layout, string(t))
	if err != nil {
		return nil
	}
	return at.AppendFormat(nil, `"`+time.RFC3339Nano+`"`)
}

// Time returns the time that a mapping without a layout finds in a text, as JSON: a number, or a
// string in the form of RFC 3339; "" if the text is not a time.
func Time(text string) string { return string(timeText([]byte(text))) }

// use says which parts and pointers of a mapping found something in some line.
type use struct {
	parts    []bool          // whether each part found something, by its number
	pointers map[string]bool // the pointers that found something
}

// idle returns notes on the pointers of the mapping that find nothing in the whole log, and then on
// such parts, with their places in the mapping. Shipped mappings are not checked: they are for many
// programs, not all of which log all fields.
func (l *log) idle(path string) (all []*trace.Error) {
	if l.use == nil || slices.Contains(names(), l.m.Name) {
		return nil
	}
	for _, s := range l.m.sources {
		for _, pointer := range s.line.pointers {
			if !l.use.pointers[pointer] {
				l.use.pointers[pointer] = true // so that it is noted once for all sources
				const msg = "the pointer %q of the mapping leads to nothing in any line"
				all = append(all, trace.Errorf(path, 0, msg, pointer))
			}
		}
	}
	for i, is := range l.use.parts {
		if p := l.m.parts[i]; !is && p.idle != "" {
			all = append(all, p.Errorf("%s", p.idle))
		}
	}
	return all
}
