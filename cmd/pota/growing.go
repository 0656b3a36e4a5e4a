package main

import (
	"bytes"
	"errors"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/graphs/trace"
)

// place is how far a file has been read. Files are told apart by what the system says, and by the last
// bytes that were read, as the system gives what it says of a file that is gone to the next one.
type place struct {
	file   string // that it is, as far as the system tells
	path   string // where it was read
	offset int64  // where the next line begins
	lines  int
	end    int64 // up to where it was read
	sum    int64 // of the last bytes before end
	copied bool  // it is a copy of what was read, and followed nowhere
	gone   bool  // it is not to be found any more
}

func (p *place) code(c *stream.Codec) {
	stream.Text(c, &p.file)
	stream.Text(c, &p.path)
	c.Int64(&p.offset)
	stream.Number(c, &p.lines)
	c.Int64(&p.end)
	c.Int64(&p.sum)
}

// tailSize is of how many bytes before the end of a place there is a sum.
const tailSize = 512

func sumOf(tail []byte) int64 {
	h := fnv.New64a()
	h.Write(tail) //nolint:errcheck // it has no errors
	return int64(h.Sum64())
}

// tail returns the last bytes of a file before an end, which are as many as tailSize says.
func tail(file io.ReaderAt, end int64) ([]byte, error) {
	text := make([]byte, min(end, tailSize))
	_, err := file.ReadAt(text, end-int64(len(text)))
	return text, err
}

// isOf reports whether a file has what was read up to the place.
func (p *place) isOf(file *os.File, info os.FileInfo) bool {
	if info.Size() < p.end {
		return false
	}
	text, err := tail(file, p.end)
	return err == nil && sumOf(text) == p.sum
}

// errMoved and errTruncated say that what follows is of another file, or of the same one anew.
var errMoved, errTruncated = errors.New("the file was moved"), errors.New("the file was truncated")

// A growing file is read on where it has ended. When it was truncated, it is begun again. When another
// is in its place that has lines, and nothing has come for a while, that is read.
type growing struct {
	*follower
	path   string
	listed bool          // it is in a directory that is followed
	newer  bool          // it is an older part of a log, of which others are read after it; changes where follower.mu is held
	older  *growing      // the file that is read to its end before, nil for none
	caught chan struct{} // closed when this one has been
	reach  sync.Once
	file   *os.File
	looked time.Time // when it last had more, or was where it should be
	wrote  time.Time // when it was last written to, as of the last look

	// These are read by others, and change where follower.mu is held.
	at   place
	tail []byte    // the last bytes before its end
	next []another // files that have taken its place, oldest first
	cut  place     // where it was before it was last truncated
}

type another struct {
	file *os.File
	from place
}

// follow reads a file.
func (f *follower) follow(g *growing) {
	f.known[filepath.Clean(g.path)] = g
	g.caught = make(chan struct{})
	f.start(func() {
		defer g.end()
		if g.older != nil {
			select {
			case <-g.older.caught:
				g.older = nil
			case <-f.ctx.Done():
				return
			}
		}
		s := f.source(g.path)
		s.scanner.At().Lines = g.at.lines
		from := g.at
		err := g.begin(g.file, from)
		if err == nil && from.offset > 0 && f.past != nil {
			f.send(arrival{source: s, place: &from})
		}
		if err != nil {
			f.send(arrival{err: trace.OpenError(g.path, err)})
			return
		}
		f.read(s, g, f.send)
	})
}

// end lets the file go.
func (g *growing) end() {
	g.caughtUp()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.leave()
	for _, x := range g.next {
		x.file.Close() //nolint:errcheck // it was only read
	}
	delete(g.known, filepath.Clean(g.path))
}

// leave closes the file, and notes that it has been read.
func (g *growing) leave() {
	g.file.Close() //nolint:errcheck // it was only read
	g.done[g.at.file] = g.at
}

func (g *growing) caughtUp() { g.reach.Do(func() { close(g.caught) }) }

// begin goes to where lines of a file were last made safe.
func (g *growing) begin(file *os.File, from place) error {
	text, err := tail(file, from.offset)
	if err == nil {
		_, err = file.Seek(from.offset, io.SeekStart)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	from.end, from.sum = from.offset, sumOf(text)
	g.file, g.at, g.tail = file, from, text
	g.looked = g.now()
	return err
}

// reached returns where the file is read on, of which so many bytes have been read that are not
// lines yet.
func (g *growing) reached(rest int) *place {
	p := g.at
	p.offset = max(0, p.end-int64(rest))
	return &p
}

func (g *growing) Read(p []byte) (int, error) {
	for {
		n, err := g.file.Read(p)
		if n > 0 {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.tail = append(g.tail, p[max(0, n-tailSize):n]...)
			g.tail = append(g.tail[:0], g.tail[max(0, len(g.tail)-tailSize):]...)
			g.at.end += int64(n)
			g.at.sum = sumOf(g.tail)
			return n, err
		}
		if err != io.EOF || g.toEnd {
			return n, err
		}
		if !g.unfinished() {
			g.caughtUp()
		}
		if !g.sleep(lookForMore) {
			return 0, io.EOF
		}
		if err := g.again(); err != nil {
			return 0, err
		}
	}
}

// again looks whether the file is still that at its path, and has what was read of it. The error is
// errTruncated or errMoved where it is not, and io.EOF where it is gone.
func (g *growing) again() error {
	info, err := g.file.Stat()
	if err != nil {
		return err
	}
	now := g.now()
	if wrote := info.ModTime(); info.Size() < g.at.end || wrote != g.wrote {
		g.wrote = wrote
		if !g.at.isOf(g.file, info) {
			return errTruncated
		}
	}
	if info.Size() > g.at.end {
		g.looked = now
		return nil
	}
	here, err := g.there()
	if err != nil {
		return err
	}
	writing := 0 // the files that have followed and have lines
	for _, x := range g.next {
		if info, err := x.file.Stat(); err == nil && info.Size() > 0 {
			writing++
		}
	}
	quiet := now.Sub(g.looked) >= quietFor
	switch {
	case here && writing == 0 && g.waited() && g.unfinished():
		if quiet {
			return io.EOF
		}
	case here && writing == 0:
		g.looked = now
	case len(g.next) > 0 && (quiet || writing > 1):
		return errMoved
	case g.listed && quiet:
		return io.EOF
	}
	return nil
}

// unfinished reports whether what was read last is not a whole line.
func (g *growing) unfinished() bool { return len(g.tail) > 0 && g.tail[len(g.tail)-1] != '\n' }

// waited reports whether others wait until this one has been read.
func (g *growing) waited() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.newer
}

// there looks which file is at the path, and reports whether it is the last one that was there. What cannot
// be opened is not there yet. A file that has what was read of one that is no more is that, copied to take
// its place.
func (g *growing) there() (bool, error) {
	now, err := os.Stat(g.path)
	if err == nil && identity(g.path, now) == g.latest() {
		return true, nil
	}
	var file *os.File
	switch {
	case err == nil && !now.Mode().IsRegular():
		err = errNoFile
	case err == nil:
		file, now, err = openFile(g.path)
	}
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if err != nil {
		g.pass(g.path, err)
		return false, nil
	}
	delete(g.passed, g.path)
	was, err := g.file.Stat()
	if err != nil {
		return false, errors.Join(err, file.Close())
	}
	from, free := g.claim(g.path, file, now)
	switch {
	case !free:
		return false, file.Close()
	case len(g.next) == 0 && unlinked(was) && g.at.isOf(file, now):
		return true, g.replace(file, from.file)
	}
	g.next = append(g.next, another{file, from})
	return true, nil
}

// replace goes on in a file that has what was read.
func (g *growing) replace(file *os.File, id string) error {
	was := g.at
	was.gone = true
	g.file.Close() //nolint:errcheck // it was only read
	g.file, g.at.file = file, id
	g.start(func() { g.forget([]place{was}) })
	_, err := file.Seek(g.at.end, io.SeekStart)
	return err
}

// latest returns the file that was last at the path.
func (g *growing) latest() string {
	if n := len(g.next); n > 0 {
		return g.next[n-1].from.file
	}
	return g.at.file
}

// anew begins the next file, or this one again.
func (g *growing) anew(why error) error {
	if why == errTruncated {
		g.mu.Lock()
		g.cut = g.at
		g.mu.Unlock()
		return g.begin(g.file, place{file: g.at.file, path: g.path})
	}
	was := g.at
	g.mu.Lock()
	g.leave()
	next := g.next[0]
	g.mu.Unlock()
	if was.gone = true; !g.listed {
		g.forget([]place{was})
	}
	err := g.begin(next.file, next.from)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.next = g.next[1:]
	return err
}

// claim returns where a file is to be read from, and whether it should be: it is not where it is followed
// already, maybe at another path from which it was moved, or was, or is a copy of one that was.
func (f *follower) claim(path string, file *os.File, info os.FileInfo) (from place, free bool) {
	id := identity(path, info)
	for _, g := range f.known {
		if g.at.file == id {
			return from, false
		}
		for _, x := range g.next {
			if x.from.file == id {
				return from, false
			}
		}
	}
	now := place{file: id, path: path, offset: info.Size(), end: info.Size(), copied: true}
	was, ok := f.done[id]
	if ok = ok && was.isOf(file, info); !ok {
		delete(f.done, id)
	}
	switch {
	case ok && was.end == info.Size():
		return from, false
	case ok && !was.copied: // it has grown
		delete(f.done, id)
		was.path, was.offset = path, was.end
		return was, true
	case !ok && !f.isCopy(path, file, info):
		return f.past.from(path, file, info), true
	}
	text, err := tail(file, now.end)
	if err == nil {
		now.sum = sumOf(text)
		f.done[id] = now
		f.copies = append(f.copies, now)
	}
	return from, false
}

// isCopy reports whether a file has what was read of the log of which, by its name, it is an older part.
func (f *follower) isCopy(path string, file *os.File, info os.FileInfo) bool {
	log, _ := trace.LogOf(path)
	g := f.known[log]
	if g == nil || log == filepath.Clean(path) || info.Size() == 0 {
		return false
	}
	for _, was := range []place{g.at, g.cut} {
		if was.end > 0 && was.isOf(file, info) {
			return true
		}
	}
	end := min(info.Size(), g.at.end) // it may be a copy that is being made
	mine, err := tail(g.file, end)
	if err != nil || end == 0 {
		return false
	}
	other, err := tail(file, end)
	return err == nil && bytes.Equal(mine, other)
}

func openFile(path string) (*os.File, os.FileInfo, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close() //nolint:errcheck // there is an error already
		return nil, nil, err
	}
	return file, info, nil
}

// isCompressed reports whether a file begins as compressed ones do.
func isCompressed(file io.ReaderAt) (bool, error) {
	head := make([]byte, 6)
	n, err := file.ReadAt(head, 0)
	if err == io.EOF {
		err = nil
	}
	return trace.Compressed(head[:n]), err
}
