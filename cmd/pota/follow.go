package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/receive"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/graphs/trace"
)

// An arrival is whole lines of a source, or why there are no more.
type arrival struct {
	source *source
	text   []byte
	begins bool // they are the first of another file, or of a file that was truncated
	last   bool // nothing follows
	err    error
	note   string     // is told
	reply  chan error // takes what is wrong with the lines, nil where that ends the run
	place  *place     // where a file is read on after the lines, nil for none
}

// A source is what lines come from.
type source struct {
	name    string
	scanner scanner
	spare   sync.Pool // of texts
}

// A scanner makes events of the lines of a source, as native.Scanner does.
type scanner interface {
	Scan(text []byte, take func(number int, l *stream.Line) error) error
	At() *stream.Progress
}

// An ender is a scanner of which some events are complete only when nothing follows.
type ender interface {
	End(take func(number int, l *stream.Line) error) error
}

// reading says how sources are read.
type reading struct {
	scanner func(source string) scanner
	takes   func(file string) bool // of a directory
	toEnd   bool                   // files are not waited for
}

func (f *follower) source(name string) *source {
	return &source{name: name, scanner: f.scanner(name)}
}

func (s *source) free(text []byte) { s.spare.Put(&text) }

// A follower reads sources side by side.
type follower struct {
	reading
	ctx   context.Context
	out   chan arrival
	past  *lasting
	group sync.WaitGroup

	mu     sync.Mutex
	known  map[string]*growing // files that are followed, by path
	done   map[string]place    // files that were read, and are followed no more, by identity
	copies []place             // of those that are copies, what the journal does not have
	logs   map[string]bool     // paths of logs of which files were read
	missed map[string]bool     // files that were read, and not in their directories when those were last looked at
	passed map[string]bool     // paths of what cannot be read, which was told

	now func() time.Time
}

const (
	lookForMore  = 100 * time.Millisecond // how often a file that has ended is looked at
	lookForFiles = time.Second            // and a directory
	quietFor     = lookForFiles / 2       // for how long nothing comes in a file that was moved, until its end is its end
	readSize     = 64 << 10
)

// follow returns what arrives from paths: files, directories, or standard input for "-". It
// is closed when all have ended; listeners end only with ctx, soon.
func (s *session) follow(ctx context.Context, paths []string, how reading, listen []receive.Address, received receive.Options, past *lasting) (in <-chan arrival, listeners *sync.WaitGroup, err error) {
	listeners = new(sync.WaitGroup)
	f := &follower{reading: how, ctx: ctx, out: make(chan arrival, 4), past: past, known: make(map[string]*growing), done: make(map[string]place), logs: past.logs(), missed: make(map[string]bool), passed: make(map[string]bool), now: time.Now}
	for _, path := range paths {
		if path == "-" {
			f.start(func() { f.read(f.source("standard input"), s.stdin, f.send) })
			continue
		}
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, nil, trace.OpenError(path, err)
		case info.IsDir():
			if err := f.look(path, true); err != nil {
				return nil, nil, err
			}
			if !how.toEnd {
				f.start(func() { f.directory(path) })
			}
		case !info.Mode().IsRegular():
			f.start(func() { f.pipe(path) })
		default:
			if err := f.file(path); err != nil {
				return nil, nil, err
			}
		}
	}
	f.mu.Lock()
	gone := past.rest()
	f.mu.Unlock()
	f.start(func() { f.forget(gone) })
	received.Lines = f.lines
	for _, a := range listen {
		at, err := f.listen(a, received, listeners)
		if err != nil {
			return nil, nil, err
		}
		s.note("listening on %s", at)
	}
	go func() {
		f.group.Wait()
		close(f.out)
	}()
	return f.out, listeners, nil
}

// note tells something that is neither a result nor an error.
func (s *session) note(format string, args ...any) {
	s.say(slog.LevelInfo, fmt.Sprintf(format, args...))
}

func (f *follower) start(work func()) { f.group.Go(work) }

func (f *follower) send(a arrival) bool {
	select {
	case f.out <- a:
		return true
	case <-f.ctx.Done():
		return false
	}
}

// directory follows the files that appear in a directory.
func (f *follower) directory(path string) {
	for f.sleep(lookForFiles) {
		if err := f.look(path, false); err != nil {
			f.send(arrival{err: err})
			return
		}
	}
}

func (f *follower) sleep(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-f.ctx.Done():
		return false
	}
}

// look follows the files of a directory that are new, of each log the older ones first. What cannot be read
// is an error at first, and later passed over as long as that is so.
func (f *follower) look(path string, first bool) error {
	s, err := os.ReadDir(path)
	if err != nil {
		return trace.OpenError(path, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var files []string
	seen := make(map[string]bool)
	for _, e := range s {
		file := filepath.Join(path, e.Name())
		if strings.HasPrefix(e.Name(), ".") || !f.takes(file) {
			continue
		}
		info, err := os.Stat(file)
		if errors.Is(err, os.ErrNotExist) {
			continue // it was there only for a moment, or a link leads nowhere
		}
		switch {
		case err != nil && first:
			return trace.OpenError(file, err)
		case err != nil:
			f.pass(file, err)
		case !info.Mode().IsRegular():
			f.pass(file, errNoFile)
		default:
			seen[identity(file, info)] = true
			files = append(files, file)
		}
	}
	for _, log := range trace.Logs(files) {
		if err := f.parts(&log, first); err != nil {
			return err
		}
	}
	f.prune(filepath.Clean(path), seen)
	return nil
}

// errNoFile says of what is in a directory that it is not followed.
var errNoFile = errors.New("not a regular file: only files of a directory are read, and what else is to be has to be named itself")

// pass tells that something cannot be read, once until it can.
func (f *follower) pass(path string, err error) {
	if !f.passed[path] {
		f.passed[path] = true
		note := errorText(trace.OpenError(path, err))
		f.start(func() { f.send(arrival{note: note}) })
	}
}

// parts follows the files of a log that are new, the older ones first.
func (f *follower) parts(log *trace.Log, first bool) error {
	unclear := log.Unclear()
	var older *growing
	for _, file := range log.Files {
		if f.known[file] == nil {
			err := f.found(file, log.Path, older)
			switch {
			case is[*fs.PathError](err) && !first:
				f.pass(file, err)
				continue
			case err != nil:
				return trace.OpenError(file, err)
			case older != nil && f.known[file] != nil && unclear != nil:
				return unclear
			}
			delete(f.passed, file)
		}
		if g := f.known[file]; g != nil {
			if older != nil {
				older.newer = true
			}
			older = g
		}
	}
	if older != nil {
		f.logs[log.Path] = true
	}
	return nil
}

// found follows a file of a directory that is a part of a log, unless it has been read, or is empty as yet.
func (f *follower) found(path, log string, older *growing) error {
	file, info, err := openFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	compressed, err := isCompressed(file)
	switch {
	case err != nil:
	case compressed && !f.logs[log]:
		err = errors.New("compressed, and no log of which it is a part was read: decompress it, or move it elsewhere")
	case !compressed && info.Size() > 0:
		if from, free := f.claim(path, file, info); free {
			f.follow(&growing{follower: f, path: path, listed: true, older: older, file: file, at: from})
			return nil
		}
	}
	file.Close() //nolint:errcheck // it was only read
	return err
}

// prune forgets files that were read in a directory and are gone from it, of which it has seen these.
func (f *follower) prune(dir string, seen map[string]bool) {
	var gone []place
	for id, p := range f.done {
		switch {
		case filepath.Dir(p.path) != dir:
		case seen[id]:
			delete(f.missed, id)
		case !f.missed[id]:
			f.missed[id] = true // it may just be moved
		default:
			delete(f.missed, id)
			delete(f.done, id)
			p.gone = true
			gone = append(gone, p)
		}
	}
	if gone = append(gone, f.copies...); len(gone) > 0 {
		f.start(func() { f.forget(gone) })
	}
	f.copies = nil
}

// forget tells the journal of places of files that no lines lead to.
func (f *follower) forget(places []place) {
	for _, p := range places {
		if f.past != nil {
			f.send(arrival{source: f.source(p.path), place: &p})
		}
	}
}

// file follows a file that is no directory's.
func (f *follower) file(path string) error {
	file, info, err := openFile(path)
	if err != nil {
		return trace.OpenError(path, err)
	}
	compressed, err := isCompressed(file)
	if compressed {
		err = errors.New("compressed, and logs are watched as they are written: decompress it (zcat FILE | pota watch …), or use pota detect")
	}
	if err == nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		if from, free := f.claim(path, file, info); free {
			f.follow(&growing{follower: f, path: path, file: file, at: from})
			return nil
		}
	}
	file.Close() //nolint:errcheck // it was only read
	if err != nil {
		return trace.OpenError(path, err)
	}
	return nil
}

// pipe reads what is at a path and no file.
func (f *follower) pipe(path string) {
	in, err := os.Open(path)
	if err != nil {
		f.send(arrival{err: trace.OpenError(path, err)})
		return
	}
	defer in.Close()
	f.read(f.source(path), in, f.send)
}

// read sends the lines of a source. The last line may lack its end where nothing follows. Zeros at the
// beginning of a file are the hole that a writer leaves which goes on where it was when the file was truncated.
func (f *follower) read(s *source, in io.Reader, send func(arrival) bool) {
	var rest []byte
	g, grows := in.(*growing)
	for first, begins := true, false; ; {
		text := append(s.take(), rest...)
		rest = rest[:0]
		n, err := 0, error(nil)
		for end := -1; end < 0 && err == nil; {
			if cap(text)-len(text) < readSize/2 {
				text = append(make([]byte, 0, 2*cap(text)+readSize), text...)
			}
			n, err = in.Read(text[len(text):cap(text)])
			text = text[:len(text)+n]
			if first && grows && len(text) > 0 && text[0] == 0 {
				text = append(text[:0], bytes.TrimLeft(text, "\x00")...)
				n = len(text)
			}
			if end = bytes.LastIndexByte(text[len(text)-n:], '\n'); end < 0 && len(text) > trace.DefaultMaxLine {
				send(arrival{err: &trace.Error{File: s.name, Msg: fmt.Sprintf("a line must not have more than %d MiB", trace.DefaultMaxLine>>20)}})
				return
			}
		}
		if first && len(text) > 0 {
			text = bytes.TrimPrefix(text, []byte(trace.ByteOrderMark))
			first = false
		}
		end := bytes.LastIndexByte(text, '\n') + 1
		if rest = append(rest, text[end:]...); len(rest) > 0 && (err == io.EOF || err == errMoved) {
			text, rest = append(text, '\n'), nil
			end = len(text)
		}
		a := arrival{source: s, text: text[:end], begins: begins, last: err == io.EOF && f.ctx.Err() == nil}
		if grows {
			a.place = g.reached(len(rest))
		}
		if _, ends := s.scanner.(ender); end > 0 || ends && a.last {
			if !send(a) {
				return
			}
			begins = false
		}
		if err == errMoved || err == errTruncated {
			err = g.anew(err)
			first, begins, rest = true, true, rest[:0]
		}
		if err != nil {
			if err != io.EOF && f.ctx.Err() == nil {
				send(arrival{err: trace.OpenError(s.name, err)})
			}
			return
		}
	}
}

// take returns room for text.
func (s *source) take() []byte {
	if text, ok := s.spare.Get().(*[]byte); ok {
		return (*text)[:0]
	}
	return make([]byte, 0, readSize)
}
