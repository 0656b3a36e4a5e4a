package tail

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pota-project/pota/graphs/trace"
)

// A log is a list of files that are read one after the other. A file with a successor is read until it has been quiet
// for a while.
type log struct {
	path  string  // the path that programs write to
	dir   bool    // whether it is in a directory that is followed
	parts []*part // the oldest first
}

// A part is a file of a log.
//
//	(1) tail has the last bytes before at.Offset, as many as are fingerprinted
//	(2) rest has the bytes read after them, which do not form a line yet
//	(3) head has the first bytes of the file, as many as are fingerprinted, up to the end of rest
type part struct {
	file     *os.File
	at       Position
	head     []byte
	tail     []byte
	rest     []byte
	first    bool      // whether no line of it has been sent
	grew     time.Time // when it last grew, or was the newest
	modified time.Time // the modification time at the last check
	gone     bool      // whether it is no longer in its directory
}

// fingerprinted is how many bytes before an offset a checksum covers.
const fingerprinted = 512

// sum returns the fingerprint of a text. It need not resist attackers: they could write anything into the
// log anyway.
func sum(tail []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(tail) // it never fails
	return h.Sum64()
}

// lastBytes returns the last bytes of the concatenation of two texts, as many as are fingerprinted.
func lastBytes(text, more []byte) []byte {
	// The text is cloned, because the part still uses it.
	all := append(slices.Clone(text[max(0, len(text)-fingerprinted):]), more[max(0, len(more)-fingerprinted):]...)
	return all[max(0, len(all)-fingerprinted):]
}

// before returns the last bytes of a file before an offset.
func before(file io.ReaderAt, offset int64) ([]byte, error) {
	text := make([]byte, min(offset, fingerprinted))
	_, err := file.ReadAt(text, offset-int64(len(text)))
	return text, err
}

// has reports whether the bytes of a file before an offset have a fingerprint.
func has(file io.ReaderAt, offset int64, fingerprint uint64) bool {
	text, err := before(file, offset)
	return err == nil && sum(text) == fingerprint
}

// isLive reports whether a path is the one that programs write to.
func (l *log) isLive(path string) bool { return filepath.Clean(path) == l.path }

// end returns how many bytes of the file were read, including the unfinished line.
func (p *part) end() int64 { return p.at.Offset + int64(len(p.rest)) }

// stat follows the file at a path that Options.Paths names.
func (f *follower) stat(path string) error {
	info, err := os.Stat(path)
	switch {
	// After a rename there may be no file for a moment, until another replaces it.
	case errors.Is(err, os.ErrNotExist) && !f.first():
		return nil
	case err != nil:
	case !info.Mode().IsRegular():
		err = errKind
	default:
		err = f.find(f.log(path, false), path, info)
	}
	return f.readable(path, err)
}

// errKind says why something in a directory is not followed.
var errKind = errors.New("not a regular file: of a directory only files are read, and what else is to be read has to be named itself")

// readable handles the error of reading a path, which may be nil. During the first check it returns an error. Later
// the path is skipped with one note, and noted again only after it could be read in between.
func (f *follower) readable(path string, err error) error {
	switch {
	case err == nil:
		delete(f.skipped, path)
	// Subdirectories and the like are not mistakes of the user.
	case f.first() && err != errKind:
		return trace.OpenError(path, err)
	case !f.skipped[path]:
		f.skipped[path] = true
		f.queue = append(f.queue, Chunk{Note: trace.OpenError(path, err).Error()})
	}
	return nil
}

// log returns the log of a path, and begins to follow it.
func (f *follower) log(path string, dir bool) *log {
	path = filepath.Clean(path)
	l := f.logs[path]
	if l == nil {
		l = &log{path: path, dir: dir}
		f.logs[path] = l
		f.order = append(f.order, l)
	}
	return l
}

// scan follows the new files of a directory. It passes the errors of those that cannot be read to readable.
func (f *follower) scan(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return trace.OpenError(dir, err)
	}
	// Each file is checked once, so that its name and its identity belong together.
	infos := make(map[string]os.FileInfo)
	seen := make(map[string]bool)
	var files []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if strings.HasPrefix(e.Name(), ".") || f.Takes != nil && !f.Takes(path) {
			continue
		}
		info, err := os.Stat(path)
		if errors.Is(err, os.ErrNotExist) {
			continue // it was removed after the listing, or is a dangling link
		}
		if err == nil && !info.Mode().IsRegular() {
			err = errKind
		}
		if err != nil {
			if err := f.readable(path, err); err != nil {
				return err
			}
			continue
		}
		infos[path] = info
		seen[identity(path, info)] = true
		files = append(files, path)
	}
	dir = filepath.Clean(dir)
	listed := make(map[string]bool) // by path of a log
	for _, names := range trace.Logs(files) {
		if err := f.parts(&names, infos); err != nil {
			return err
		}
		listed[filepath.Clean(names.Path)] = true
	}
	f.prune(dir, seen)
	// A log is forgotten with its last file.
	f.order = slices.DeleteFunc(f.order, func(l *log) bool {
		gone := l.dir && filepath.Dir(l.path) == dir && len(l.parts) == 0 && !listed[l.path]
		if gone {
			delete(f.logs, l.path)
			delete(f.known, l.path)
		}
		return gone
	})
	return nil
}

// parts follows the new files of a log. The live one comes first, because its truncation identifies
// its copies.
func (f *follower) parts(names *trace.Log, infos map[string]os.FileInfo) error {
	l := f.log(names.Path, true)
	for _, p := range l.parts {
		f.check(p)
	}
	// Within each of the two groups the names keep the order of age.
	live := slices.DeleteFunc(slices.Clone(names.Files), func(path string) bool { return !l.isLive(path) })
	older := slices.DeleteFunc(slices.Clone(names.Files), l.isLive)
	for _, path := range append(live, older...) {
		if err := f.readable(path, f.find(l, path, infos[path])); err != nil {
			return err
		}
	}
	age := func(p *part) int {
		return slices.IndexFunc(names.Files, func(path string) bool { return identity(path, infos[path]) == p.at.File })
	}
	// Files that have lost their name have age -1 and come first: they are the oldest.
	slices.SortStableFunc(l.parts, func(p, q *part) int { return age(p) - age(q) })
	if why := names.Unclear(); why != nil && len(l.parts) > 1 {
		return why
	}
	return nil
}

// find opens a file of a log, if it has something to read. The file becomes the newest part of the log.
func (f *follower) find(l *log, path string, info os.FileInfo) error {
	if f.open[identity(path, info)] != nil {
		return nil
	}
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil // it has just been removed
	}
	if err != nil {
		return err
	}
	at, err := f.from(l, path, file)
	if at == nil || err != nil {
		return errors.Join(err, file.Close())
	}
	p, err := newPart(at, file)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	if at.Offset > 0 { // the next process needs the current name of the file
		f.queue = append(f.queue, Chunk{Source: at.Path, At: at})
	}
	f.open[at.File] = p
	f.known[l.path] = true
	l.parts = append(l.parts, p)
	return nil
}

// from returns where to begin to read a file; nil if there is nothing to read for now.
func (f *follower) from(l *log, path string, file *os.File) (*Position, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	// the id of the open file: another file may have been moved to the path
	id := identity(path, info)
	if f.open[id] != nil {
		return nil, nil
	}
	// Compressed parts have been rotated: they were read before, if any part was.
	magic := make([]byte, 6)
	n, err := file.ReadAt(magic, 0)
	packed := trace.Compressed(magic[:n])
	switch {
	case err != nil && err != io.EOF:
		return nil, err
	case packed && !l.dir:
		return nil, errors.New("compressed, and logs are watched as they are written: decompress it (zcat FILE | pota watch …), or use pota detect")
	case packed && !f.known[l.path]:
		return nil, errors.New("compressed, and the rest of its log was not read: decompress it, or move it elsewhere")
	case packed || info.Size() == 0 && !l.isLive(path):
		return nil, nil
	}
	fresh := &Position{File: id, Path: path}
	// Its inode is known: the file has grown, was truncated, or is another file with a reused inode.
	if was, ok := f.past[id]; ok {
		same := info.Size() >= was.Offset && has(file, was.Offset, was.Sum)
		if same && info.Size() == was.Offset && !l.isLive(path) {
			return nil, nil
		}
		delete(f.past, id)
		if same {
			return &was, nil
		}
		if was.Path == path { // otherwise the inode is reused
			fresh.Was = was.extent()
		}
	}
	// Its inode is new, but its content may be known.
	copied, pending := f.copyOf(l, path, file, info.Size())
	if pending {
		return nil, nil
	}
	if copied != nil {
		return f.fromCopy(copied, fresh, file, info.Size())
	}
	for old, p := range f.past {
		if p.Path == path && old != id && f.first() {
			f.queue = append(f.queue, Chunk{Note: fmt.Sprintf("%s is not the file that was read before: it is read from its beginning", path)})
			break
		}
	}
	return fresh, nil
}

// fromCopy returns where to begin to read a copy of a log; nil if all of it has been read.
func (f *follower) fromCopy(of *Extent, at *Position, file *os.File, size int64) (*Position, error) {
	// A copy may be shorter than the part of the log that was read: lines may have come after it was made.
	at.Offset = min(of.Offset, size)
	tail, err := before(file, at.Offset)
	if err != nil {
		return nil, err
	}
	at.Sum = sum(tail)
	at.Head = of.Head
	// The rest of the copy was written between the last check of the log and its truncation.
	if size > at.Offset {
		return at, nil
	}
	f.past[at.File] = *at
	f.queue = append(f.queue, Chunk{Source: at.Path, At: at})
	return nil, nil
}

// extent returns the part of a file that was read or, if nothing has come since the file was truncated, its extent
// before that.
func (p *Position) extent() *Extent {
	if p.Offset == 0 {
		return p.Was
	}
	return &Extent{p.Offset, p.Sum, p.Head}
}

// copyOf returns the extent of the log that a file is a copy of; nil if it is not a copy. By its name the file is an
// older part of the log. A copy is pending until the log is truncated, because until then the log itself is read.
func (f *follower) copyOf(l *log, path string, file *os.File, size int64) (had *Extent, pending bool) {
	if l.isLive(path) {
		return nil, false
	}
	for _, p := range l.parts {
		switch {
		case !l.isLive(p.at.Path):
		// The log has been truncated: the copy has its unread part.
		case p.at.Was.isIn(file, size, true):
			return p.at.Was, false
		case p.isIn(file, size):
			return nil, true
		}
	}
	for _, p := range f.past {
		if !l.isLive(p.Path) {
			continue
		}
		if e := p.extent(); e.isIn(file, size, false) {
			return e, false
		}
		if p.Was.isIn(file, size, true) {
			return p.Was, false
		}
	}
	return nil, false
}

// isIn reports whether, judging by fingerprints, another file of the given size begins with the bytes that were read of
// this file, or this file begins with all bytes of the other.
func (p *part) isIn(other *os.File, size int64) bool {
	read := &Extent{p.end(), sum(lastBytes(p.tail, p.rest)), sum(p.head)}
	text, err := before(p.file, size)
	return read.isIn(other, size, true) || err == nil && has(other, size, sum(text))
}

// isIn reports whether a file of the given size begins with the extent. If begun is true, a beginning of the extent is
// enough, as in a copy that is still being made, or that was made before the last lines came.
func (e *Extent) isIn(file *os.File, size int64, begun bool) bool {
	if e == nil || e.Offset == 0 {
		return false
	}
	if size >= e.Offset {
		return has(file, e.Offset, e.Sum)
	}
	return begun && has(file, min(e.Offset, fingerprinted), e.Head)
}

// newPart returns the part for a file that is read from a position on.
func newPart(at *Position, file *os.File) (*part, error) {
	// Bytes that are not read again still need fingerprints.
	tail, err := before(file, at.Offset)
	head, wrong := before(file, min(at.Offset, fingerprinted))
	info, bad := file.Stat()
	if err = errors.Join(err, wrong, bad); err != nil {
		return nil, err
	}
	p := &part{
		file:     file,
		at:       *at,
		head:     head,
		tail:     tail,
		first:    at.Offset == 0,
		grew:     time.Now(),
		modified: info.ModTime(),
	}
	// An old file has already been quiet for long enough.
	if quiet := p.grew.Sub(info.ModTime()); quiet > 0 {
		p.grew = p.grew.Add(-min(quiet, quietTime))
	}
	return p, nil
}

// prune forgets the files that are gone from a directory; seen has those that are in it.
func (f *follower) prune(dir string, seen map[string]bool) {
	for id, p := range f.open {
		if filepath.Dir(p.at.Path) == dir {
			p.gone = !seen[id]
		}
	}
	for id, p := range f.past {
		switch {
		case filepath.Dir(p.Path) != dir:
		case seen[id]:
			delete(f.missed, id)
		// A rename during a listing can hide a file once, but hardly twice.
		case !f.missed[id] && !f.first():
			f.missed[id] = true
		default:
			delete(f.missed, id)
			f.forget(id, p)
		}
	}
}

// forget drops a position, and sends a chunk saying that it is no longer needed.
func (f *follower) forget(id string, p Position) {
	delete(f.past, id)
	p.Gone = true
	f.queue = append(f.queue, Chunk{Source: p.Path, At: &p})
}

// check compares a file with the bytes read before. If the file was truncated, it will be read from its beginning.
func (f *follower) check(p *part) (truncated bool) {
	info, err := p.file.Stat()
	if err != nil {
		return false // reading the file will return the error as well
	}
	end := p.end()
	if info.Size() > end {
		p.grew = time.Now()
	}
	// The common case costs no read.
	if info.Size() >= end && info.ModTime().Equal(p.modified) {
		return false
	}
	p.modified = info.ModTime()
	// It may have been truncated and then grown beyond its old size: only its bytes show this.
	if info.Size() >= end && has(p.file, end, sum(lastBytes(p.tail, p.rest))) {
		return false
	}
	p.at = Position{File: p.at.File, Path: p.at.Path, Was: p.at.extent()}
	p.head = nil
	p.tail = nil
	p.rest = nil
	p.first = true
	return true
}

// read sends a chunk of the oldest file of a log that has one, and closes files that have ended.
func (f *follower) read(l *log) (more bool, err error) {
	for len(l.parts) > 0 {
		p := l.parts[0]
		more, err := p.more()
		if err != nil {
			return false, err
		}
		// The file is checked after the read, so that bytes from before and after a truncation are never joined.
		if !f.ToEnd && f.check(p) {
			if l.dir { // its copy is read first
				return true, f.scan(filepath.Dir(l.path))
			}
			continue
		}
		p.accept(more)
		got := len(more) > 0
		if end := bytes.LastIndexByte(p.rest, '\n') + 1; end > 0 {
			f.send(p.chunk(end))
			return true, nil
		}
		// An unfinished line waits for its rest.
		if got || !f.over(l, p) {
			return got, nil
		}
		c := p.chunk(len(p.rest))
		c.Last = !slices.ContainsFunc(l.parts[1:], func(q *part) bool { return q.at.Path == p.at.Path })
		if len(c.Text) > 0 || c.Last {
			f.send(c)
		}
		f.leave(l, p)
	}
	return false, nil
}

// more reads more of a file. The bytes are valid until they are accepted.
func (p *part) more() ([]byte, error) {
	if len(p.rest) > trace.DefaultMaxLine {
		return nil, tooLong(p.at.Path)
	}
	p.rest = slices.Grow(p.rest, readSize)
	free := p.rest[len(p.rest) : len(p.rest)+readSize]
	n, err := p.file.ReadAt(free, p.end())
	if err != nil && err != io.EOF {
		return nil, trace.OpenError(p.at.Path, err)
	}
	return free[:n], nil
}

// accept appends what more returned to rest.
func (p *part) accept(more []byte) {
	lacks := max(fingerprinted-p.end(), 0) // bytes of the head
	p.head = append(p.head, more[:min(len(more), int(lacks))]...)
	p.rest = p.rest[:len(p.rest)+len(more)]
}

// chunk returns the lines in the first bytes of rest, up to end; the last one may lack its newline. Zeros at the
// beginning of a file are a hole: a writer continued at its old offset after a truncation.
func (p *part) chunk(end int) Chunk {
	text := p.rest[:end]
	if p.first {
		text = bytes.TrimLeft(text, "\x00")
		text = bytes.TrimPrefix(text, []byte(trace.ByteOrderMark))
		p.first = len(text) == 0
	}
	// The source keeps the path at which the file was first found, even after a rename.
	c := Chunk{
		Source: p.at.Path,
		Line:   p.at.Line,
		Text:   bytes.Clone(text),
		tail:   lastBytes(p.tail, p.rest[:end-len(text)]),
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		c.Text = append(c.Text, '\n')
		c.padded = true
	}
	p.tail = lastBytes(p.tail, p.rest[:end])
	p.at.Offset += int64(end)
	p.at.Line += bytes.Count(c.Text, newline)
	p.at.Sum = sum(p.tail)
	p.at.Head = sum(p.head[:min(p.at.Offset, fingerprinted)])
	// The remaining bytes are less than a line.
	p.rest = append(p.rest[:0], p.rest[end:]...)
	at := p.at
	c.At = &at
	return c
}

// over reports whether a file that was read to its end is not expected to grow.
func (f *follower) over(l *log, p *part) bool {
	if f.ToEnd {
		return true
	}
	// A newer file with content shows that writers have switched to it, or soon will.
	next := false
	for _, q := range l.parts[1:] {
		info, err := q.file.Stat()
		next = next || err == nil && info.Size() > 0
	}
	now := time.Now()
	if !next && !p.gone {
		p.grew = now
	}
	return now.Sub(p.grew) >= quietTime
}

// leave closes a file that has ended.
func (f *follower) leave(l *log, p *part) {
	p.file.Close()
	delete(f.open, p.at.File)
	l.parts = slices.DeleteFunc(l.parts, func(q *part) bool { return q == p })
	if !l.dir {
		f.forget(p.at.File, p.at) // it would never be found again
		return
	}
	f.past[p.at.File] = p.at
}
