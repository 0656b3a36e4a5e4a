package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/journal"
	"github.com/pota-project/pota/cmd/pota/internal/receive"
	"github.com/pota-project/pota/cmd/pota/internal/spans"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/rctl/online"
)

// lasting makes what a watch takes safe, so that it goes on after the program was killed: what
// was taken is acknowledged, and answers are told, only when a commit has made safe what they
// rest on. The nil *lasting does nothing.
type lasting struct {
	*watch
	journal *journal.Journal

	// What is not safe yet.
	records stream.Codec     // see taken
	places  map[string]place // by the files that they are of
	replies []reply
	held    []final
	since   time.Time     // when there was first something, zero for nothing
	took    time.Duration // the last commit

	shown []*told // answers since the last checkpoint of which the journal does not know that they were told
	until uint64  // number of the last answer that was shown

	touched map[string]bool        // executions that have changed since the last checkpoint, in this run or the one before
	past    uint64                 // how many executions of spans had ended at it
	count   map[string]int         // of final answers to what has the same name since then
	before  map[string]place       // where the run before this one was in files that were not found yet
	told    map[string]journal.Got // the answers that it told since then, and to whom it surely did
	again   bool                   // what it took is being taken again
	undone  bool                   // something was taken that is not in the records, so that nothing more is made safe
}

// reply says what is wrong with lines to who waits for it.
type reply struct {
	to  chan error
	err error
}

// taken is what is kept of something that was taken: a line, or the end of an execution that
// no line says.
type taken uint8

const (
	aLine           taken = iota
	anEnd                 // how
	aGivenUp              // why
	someSpans             // of any executions, as protobuf
	spansOver             // of an execution, which was decided
	someDocument          // of spans, in the format of the lines
	someSpansInJSON       // of any executions, as JSON
)

// mostUnsafe is how many bytes may wait for a commit while more are there to be taken.
const mostUnsafe = 1 << 20

// last begins what --journal asks for, with what the run before this one left.
func (w *watch) last() error {
	dir := w.cli.String("journal")
	if dir == "" {
		return nil
	}
	j, err := journal.Open(dir, w.conditions())
	if err != nil {
		return err
	}
	l := &lasting{watch: w, journal: j, places: make(map[string]place), touched: make(map[string]bool), count: make(map[string]int), before: make(map[string]place), again: true}
	w.lasting = l
	places, told, meta, err := j.Known()
	if err != nil {
		return err
	}
	l.told = told
	if err := j.Waiting(l.goOn); err != nil {
		return fmt.Errorf("the journal in %s cannot be read: %w", dir, err)
	}
	for name, data := range places {
		var p place
		p.code(stream.NewReader(data))
		l.before[name] = p
	}
	for _, n := range j.Told() {
		w.number = max(w.number, n)
	}
	w.lower = string(meta["lower"])
	if s := meta["status"]; len(s) == 1 {
		w.status = status(s[0])
	}
	if log := meta["log"]; log != nil && l.known != nil {
		l.known.Code(stream.NewReader(log))
	}
	if spans := meta["spans"]; spans != nil {
		w.takeSpans()
		w.spans.Code(stream.NewReader(spans), w.clock)
		if err := j.Past(w.spans.AddPast); err != nil {
			return fmt.Errorf("the journal in %s cannot be read: %w", dir, err)
		}
		_, l.past = w.spans.Past(math.MaxUint64)
	}
	if ended := meta["ended"]; ended != nil {
		w.executions.Ended(stream.NewReader(ended))
	}
	err = j.States(func(name string, data []byte) error {
		_, err := w.executions.Restore(name, w.clock, data)
		if err == nil {
			err = w.executions.Rest(w.decided)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("the journal in %s cannot be read: %w", dir, err)
	}
	records, err := j.Records()
	for _, data := range records {
		if err == nil {
			err = l.replay(stream.NewReader(data))
		}
	}
	l.again = false
	if w.spans != nil {
		w.spans.Bound(w.bytesOfSpans())
	}
	if err != nil && !is[*undecidedError](err) {
		return fmt.Errorf("the journal in %s cannot be read: %w", dir, err)
	}
	if err != nil {
		return err
	}
	return w.decide()
}

// form is that of what a journal holds, and changes with it.
var form = fmt.Sprintf("%d of %d", 3, online.Form)

// conditions are what has to be as before where a journal is gone on with.
func (w *watch) conditions() (all []journal.Condition) {
	all = append(all, journal.Condition{Name: "form, but of another version of pota", Value: form})
	for _, p := range w.properties {
		all = append(all, journal.Condition{Name: "properties", Value: p.Name + ": " + p.Source})
	}
	for _, flag := range []string{"declared", "sync-size", "execution-key", "input", "regexp", "assign", "map", "skip-lines"} {
		all = append(all, journal.Condition{Name: "--" + flag, Value: fmt.Sprint(w.cli.Value(flag))})
	}
	if w.mapping != nil {
		all = append(all, journal.Condition{Name: "text in the mapping " + w.mapping.Name, Value: w.mapping.Sum()})
	}
	return all
}

// replays reports whether what is taken was taken before.
func (l *lasting) replays() bool { return l != nil && l.again }

// replay takes again what was taken.
func (l *lasting) replay(c *stream.Codec) error {
	var line stream.Line
	for len(c.Bytes()) > 0 {
		var kind taken
		stream.Number(c, &kind)
		if kind == someSpans || kind == someSpansInJSON || kind == spansOver || kind == someDocument {
			if err := l.replaySpans(c, kind); err != nil {
				return err
			}
			continue
		}
		if kind == aLine {
			c.Line(&line)
			if _, err := l.line(&line, true); err != nil {
				return err
			}
			continue
		}
		var name, why string
		stream.Text(c, &name)
		stream.Text(c, &why)
		if err := c.Err(); err != nil {
			return err
		}
		e := l.executions.Find(name)
		if e == nil && kind == aGivenUp { // its first line was refused
			e, _ = l.executions.Of([]byte(name), l.clock) //nolint:errcheck // that it has ended does not matter
		}
		switch {
		case e == nil:
		case kind == aGivenUp:
			l.endRefused(e, why)
		default:
			l.ending(kind, e, why)
			if err := l.ends(e, why); err != nil {
				return err
			}
		}
	}
	return c.Err()
}

// takes notes a line that was taken.
func (l *lasting) takes(x *stream.Line) {
	if l == nil {
		return
	}
	l.touched[string(x.Execution)] = true
	if l.again {
		return
	}
	kind := aLine
	stream.Number(&l.records, &kind)
	l.records.Line(x)
}

// takesSpans notes spans that were taken, as protobuf or in a document, or the id of an execution
// of spans that is decided.
func (l *lasting) takesSpans(kind taken, data []byte) {
	if l == nil || l.again {
		return
	}
	stream.Number(&l.records, &kind)
	stream.Text(&l.records, &data)
}

// replaySpans takes again what takesSpans noted.
func (l *lasting) replaySpans(c *stream.Codec, kind taken) error {
	var data []byte
	if stream.Text(c, &data); c.Err() != nil {
		return c.Err()
	}
	l.watch.takeSpans()
	l.spans.Bound(math.MaxInt) // the run before this one may have had more memory
	if kind == someDocument {
		return l.document("the journal", data, 1)
	}
	if kind == someSpans || kind == someSpansInJSON {
		all, err := receive.ReadExport(data, kind == someSpansInJSON)
		if err == nil {
			_, err = l.spans.Add(l.clock, all.Spans)
		}
		return err
	}
	if x, ok := l.spans.End(string(data)); ok {
		l.decideSpans(&x)
	}
	return nil
}

// ending notes that an execution ends, or is given up.
func (l *lasting) ending(kind taken, e *online.Execution, why string) {
	if l == nil {
		return
	}
	name := e.Name
	l.touched[name] = true
	if l.again {
		return
	}
	stream.Number(&l.records, &kind)
	stream.Text(&l.records, &name)
	stream.Text(&l.records, &why)
}

// mark returns what takes back what is noted after it.
func (l *lasting) mark() (undo func()) {
	if l == nil {
		return func() {}
	}
	n := len(l.records.Bytes())
	return func() {
		l.records.Truncate(n)
		l.undone = true
	}
}

// reached notes that all lines of an arrival were dealt with.
func (l *lasting) reached(a *arrival) {
	if l != nil && a.place != nil {
		at := a.source.scanner.At()
		a.place.lines = at.Lines - at.Held
		a.place.offset = max(0, a.place.offset-int64(at.Bytes))
		l.places[a.place.file] = *a.place
	}
}

// stopped notes how far an arrival was dealt with before the line that an error is of, so that what
// came before it is safe, and reports whether it could. So many lines of its source came before it.
func (l *lasting) stopped(a *arrival, before int, err error) bool {
	if l == nil {
		return true
	}
	e, ok := err.(*trace.Error)
	if _, holds := a.source.scanner.(ender); !ok || holds || e.Line <= before {
		return false
	}
	lines := e.Line - 1
	if is[*undecidedError](err) {
		lines++ // it was taken
	}
	if a.place != nil {
		_, rest := lineOf(a.text, lines-before)
		if lines == before {
			rest = a.text
		}
		if a.place.offset -= int64(len(rest)); a.last && len(rest) > 0 {
			a.place.offset++ // the last line has no end in the file
		}
	}
	a.source.scanner.At().Lines = lines
	l.reached(a)
	return true
}

// answer tells who waits for it what is wrong with lines.
func (l *lasting) answer(to chan error, err error) {
	if l == nil {
		to <- err
		return
	}
	l.replies = append(l.replies, reply{to, err})
}

// unsafe reports whether something is not safe, or was told of which that is not noted.
func (l *lasting) unsafe() bool {
	return len(l.records.Bytes())+len(l.places)+len(l.replies)+len(l.held) > 0 || l.passed() != l.journal.Told()
}

// due returns when step should be called at the latest.
func (l *lasting) due() <-chan time.Time {
	switch {
	case l == nil || l.since.IsZero() && l.until <= l.journal.Told().Least():
		return nil
	case l.since.IsZero():
		return time.After(lookForMore)
	}
	return time.After(time.Until(l.since.Add(l.took)))
}

// step commits, where nothing waits to be taken and has not for as long as the last commit
// took, or so much has been taken that it should be safe before more is.
func (l *lasting) step(idle bool) error {
	if l == nil || l.undone || !l.unsafe() {
		return nil
	}
	begun := time.Now()
	if l.since.IsZero() {
		l.since = begun
	}
	if (!idle || begun.Sub(l.since) < l.took) && len(l.records.Bytes()) < mostUnsafe {
		return nil
	}
	err := l.commit()
	l.since, l.took = time.Time{}, time.Since(begun)
	if err != nil || l.broken || !l.journal.Due() {
		return err
	}
	if err = l.decide(); err == nil {
		err = l.commit()
	}
	if err == nil {
		err = l.checkpoint()
	}
	return err
}

// commit makes safe what was taken, and then acknowledges it and tells what is held.
func (l *lasting) commit() error {
	if l == nil || !l.unsafe() {
		return nil
	}
	c := journal.Commit{Records: l.records.Bytes(), Sources: make(map[string][]byte), Told: l.passed(), Meta: l.meta()}
	for name, p := range l.places {
		if c.Sources[name] = nil; !p.gone {
			var data stream.Codec
			p.code(&data)
			c.Sources[name] = data.Bytes()
		}
	}
	for _, f := range l.held {
		c.Telling = append(c.Telling, journal.Answer{Number: f.number, Key: f.key})
	}
	err := unwritten(l.journal.Commit(&c))
	if err != nil {
		l.undone = true
	}
	for _, r := range l.replies {
		if err != nil { // also the lines before one that is refused are not safe
			r.err = receive.ErrEnding
		}
		r.to <- r.err
	}
	l.replies = l.replies[:0]
	if err != nil {
		return err
	}
	l.records.Truncate(0)
	clear(l.places)
	l.settle()
	held := l.held
	l.held = nil
	for _, f := range held {
		if !l.broken {
			l.shown, l.until = append(l.shown, f.told), f.number
			l.display(f.told)
		}
	}
	return nil
}

// unwritten says what an error of writing the journal is of.
func unwritten(err error) error {
	if err != nil {
		err = fmt.Errorf("the journal cannot be written: %w", err)
	}
	return err
}

func (l *lasting) meta() map[string][]byte {
	m := map[string][]byte{"lower": []byte(l.lower), "status": {byte(l.status)}}
	if l.known != nil {
		var log stream.Codec
		l.known.Code(&log)
		m["log"] = log.Bytes()
	}
	return m
}

// checkpoint replaces the records by the states of executions that they have led to, and the answers
// that follow from them and wait to be told.
func (l *lasting) checkpoint() error {
	c := journal.Commit{Told: l.passed(), Meta: l.meta(), Left: l.left()}
	past := l.past
	var ended stream.Codec
	l.executions.Ended(&ended)
	c.Meta["ended"] = ended.Bytes()
	if l.spans != nil {
		var open stream.Codec
		l.spans.Code(&open, l.clock)
		c.Meta["spans"] = open.Bytes()
		c.Past, past = l.spans.Past(past)
		c.MostPast = int64(mostDecided * spans.LenOfID)
	}
	err := l.journal.Checkpoint(func(yield func(string, []byte) bool) {
		for name := range l.touched {
			var state []byte
			if e := l.executions.Find(name); e != nil {
				state = e.Save()
			}
			if !yield(name, state) {
				return
			}
		}
	}, func(yield func(uint64, []byte) bool) {
		for _, t := range l.shown {
			var answer stream.Codec
			if t.code(&answer); t.number > c.Told.Least() && !yield(t.number, answer.Bytes()) {
				return
			}
		}
	}, &c)
	if err != nil {
		return unwritten(err)
	}
	l.shown, l.past = nil, past
	clear(l.touched)
	clear(l.count)
	l.told = c.Left
	return nil
}

// finish commits what is left.
func (l *lasting) finish() error {
	if l == nil || l.undone {
		return nil
	}
	return l.commit()
}

// end closes the journal, which is removed where all has ended. Which answers were told is noted in it,
// unless others may still use it.
func (l *lasting) end(over, used bool) error {
	switch {
	case l == nil:
		return nil
	case over:
		return l.journal.Remove()
	case used:
		return l.journal.Close()
	}
	return errors.Join(l.settleLast(), l.journal.Close())
}

// from returns where to go on in a file at a path: where it, or what it is a copy of, was read to, there or
// elsewhere.
func (l *lasting) from(path string, file *os.File, info os.FileInfo) place {
	now := place{file: identity(path, info), path: path}
	if l == nil {
		return now
	}
	was, ok := l.before[now.file]
	delete(l.before, now.file)
	if ok && was.isOf(file, info) {
		was.path = path
		return was
	}
	log, _ := trace.LogOf(path)
	for _, p := range l.before {
		if log != filepath.Clean(path) && filepath.Clean(p.path) == log && p.isOf(file, info) {
			p.file, p.path = now.file, path
			return p
		}
		ok = ok || p.path == path
	}
	if ok {
		l.note("%s is not the file that was read before, or has become shorter: it is read from its beginning", path)
	}
	return now
}

// logs returns the paths of logs that were read before.
func (l *lasting) logs() map[string]bool {
	all := make(map[string]bool)
	if l != nil {
		var paths []string
		for _, p := range l.before {
			paths = append(paths, p.path)
		}
		for _, log := range trace.Logs(paths) {
			all[log.Path] = true
		}
	}
	return all
}

// rest returns the places in files that are not to be found any more, and forgets them.
func (l *lasting) rest() (all []place) {
	if l == nil {
		return nil
	}
	for _, p := range l.before {
		p.gone = true
		all = append(all, p)
	}
	l.before = nil
	return all
}
