package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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

	mu    sync.Mutex
	known map[string]os.FileInfo            // files of directories that are followed, by path
	moved map[string]map[string]os.FileInfo // likewise by directory files that were, before others took their places
}

const (
	lookForMore  = 100 * time.Millisecond // how often a file that has ended is looked at
	lookForFiles = time.Second            // and a directory
	readSize     = 64 << 10
)

// follow returns what arrives from paths: files, directories, or standard input for "-". It
// is closed when all have ended; listeners end only with ctx, soon.
func (s *session) follow(ctx context.Context, paths []string, how reading, listen []receive.Address, received receive.Options, past *lasting) (in <-chan arrival, listeners *sync.WaitGroup, err error) {
	listeners = new(sync.WaitGroup)
	f := &follower{reading: how, ctx: ctx, out: make(chan arrival, 4), past: past, known: make(map[string]os.FileInfo), moved: make(map[string]map[string]os.FileInfo)}
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
			if err := f.look(path); err != nil {
				return nil, nil, err
			}
			if !how.toEnd {
				f.start(func() { f.directory(path) })
			}
		default:
			f.file(path)
		}
	}
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

// note tells something that is no result.
func (s *session) note(format string, args ...any) {
	if s.log != nil {
		s.log.Info(fmt.Sprintf(format, args...))
		return
	}
	fmt.Fprintf(s.err, "pota: "+format+"\n", args...)
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
		if err := f.look(path); err != nil {
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

// look follows the files of a directory that are new.
func (f *follower) look(path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	path = filepath.Clean(path)
	moved := make(map[string]os.FileInfo)
	s, err := os.ReadDir(path)
	if err != nil {
		return trace.OpenError(path, err)
	}
	for _, e := range s {
		file := filepath.Join(path, e.Name())
		if strings.HasPrefix(e.Name(), ".") || !e.Type().IsRegular() || !f.takes(file) {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, os.ErrNotExist) {
			continue // it was there only for a moment
		}
		if err != nil {
			return trace.OpenError(file, err)
		}
		switch {
		case f.known[file] != nil: // it is followed there
		case f.isKnown(path, info):
			moved[file] = info
		default:
			f.known[file] = info
			f.file(file)
		}
	}
	f.moved[path] = moved
	return nil
}

// isKnown reports whether a file of a directory is, or was, followed at another path, from which
// it has been moved to rotate it.
func (f *follower) isKnown(dir string, info os.FileInfo) bool {
	for _, all := range []map[string]os.FileInfo{f.known, f.moved[dir]} {
		for _, old := range all {
			if os.SameFile(old, info) {
				return true
			}
		}
	}
	return false
}

// file follows a file.
func (f *follower) file(path string) {
	f.start(func() {
		file, err := os.Open(path)
		if err != nil {
			f.send(arrival{err: trace.OpenError(path, err)})
			return
		}
		g := &growing{follower: f, path: path, file: file}
		defer func() { g.file.Close() }()
		s := f.source(path)
		if err := g.begin(s); err != nil {
			f.send(arrival{err: trace.OpenError(path, err)})
			return
		}
		f.read(s, g, f.send)
	})
}

// A growing file is read on where it has ended. It is begun again when it was truncated,
// or another was put in its place.
type growing struct {
	*follower
	path string
	file *os.File
	name string // identity of the file
	at   int64
}

// begin goes to where lines of the file were last made safe.
func (g *growing) begin(s *source) error {
	info, err := g.file.Stat()
	if err != nil {
		return err
	}
	from := g.past.from(g.path, info)
	g.name, g.at, s.scanner.At().Lines = from.file, from.offset, from.lines
	_, err = g.file.Seek(g.at, io.SeekStart)
	return err
}

// place returns where the file is read on, of which so many bytes have been read that are not
// lines yet.
func (g *growing) place(rest int) *place {
	return &place{file: g.name, offset: max(0, g.at-int64(rest))}
}

func (g *growing) Read(p []byte) (int, error) {
	for {
		n, err := g.file.Read(p)
		g.at += int64(n)
		if n > 0 || err != io.EOF || g.toEnd {
			return n, err
		}
		if !g.sleep(lookForMore) {
			return 0, io.EOF
		}
		if err := g.again(); err != nil {
			return 0, err
		}
	}
}

// again looks whether the file is still that at its path, and has not become shorter.
func (g *growing) again() error {
	old, err := g.file.Stat()
	if err != nil {
		return err
	}
	now, err := os.Stat(g.path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil // a new one may come
	case err != nil:
		return err
	case os.SameFile(old, now) && now.Size() < g.at:
		g.at = 0
		_, err = g.file.Seek(0, io.SeekStart)
		return err
	case os.SameFile(old, now) || old.Size() > g.at:
		return nil
	}
	file, err := os.Open(g.path)
	if err != nil {
		return err
	}
	g.file.Close()
	g.file, g.at, g.name = file, 0, identity(now)
	return g.rotated(now)
}

// rotated notes that another file is at the path, and where in its directory those are that have
// been read, so that they are not read again.
func (g *growing) rotated(now os.FileInfo) error {
	dir := filepath.Dir(g.path)
	g.mu.Lock()
	_, follows := g.moved[dir]
	g.mu.Unlock()
	if !follows {
		return nil
	}
	if err := g.look(dir); err != nil {
		return err
	}
	g.mu.Lock()
	g.known[g.path] = now
	moved := g.moved[dir]
	g.mu.Unlock()
	for path, info := range moved {
		g.send(arrival{source: g.source(path), place: &place{file: identity(info), offset: info.Size()}})
	}
	return nil
}

// read sends the lines of a source. The last line may lack its end where nothing follows.
func (f *follower) read(s *source, in io.Reader, send func(arrival) bool) {
	var rest []byte
	for first := true; ; {
		text := append(s.take(), rest...)
		rest = rest[:0]
		n, err := 0, error(nil)
		for end := -1; end < 0 && err == nil; {
			if cap(text)-len(text) < readSize/2 {
				text = append(make([]byte, 0, 2*cap(text)+readSize), text...)
			}
			n, err = in.Read(text[len(text):cap(text)])
			text = text[:len(text)+n]
			end = bytes.LastIndexByte(text, '\n')
		}
		if first && len(text) > 0 {
			text = bytes.TrimPrefix(text, []byte(trace.ByteOrderMark))
			first = false
		}
		end := bytes.LastIndexByte(text, '\n') + 1
		if rest = append(rest, text[end:]...); err != nil && len(rest) > 0 && err == io.EOF {
			text, rest = append(text, '\n'), nil
			end = len(text)
		}
		a := arrival{source: s, text: text[:end], last: err == io.EOF && f.ctx.Err() == nil}
		if g, ok := in.(*growing); ok {
			a.place = g.place(len(rest))
		}
		if _, ends := s.scanner.(ender); (end > 0 || ends && a.last) && !send(a) {
			return
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
