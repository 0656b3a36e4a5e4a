// Package tail follows log files while they grow, and directories of them.
//
// A Chunk is whole lines of a source, and of a file also its Position: what has to be known to go on after
// these lines, in this process or the next one. The package keeps nothing on the disk.
//
// # Files
//
// A file is known by what the system calls it (device and inode), and by a fingerprint: a checksum
// of the last bytes before the offset. So a file that was moved is not read again, and one that has
// the inode of another is not taken for it. Files of a log are read one after the other, the oldest
// first; package trace finds them by their names. Three ways of rotation are known:
//
//	rename         the file is read on under its new name until nothing has come for a while, and then
//	               the one that has taken its place
//	copytruncate   a file that begins with what was read of the log is its copy: it is read from where
//	               that ends, and the log from its beginning. The position of the log says what it had
//	               before it was truncated, so that the copy is also known to the next process
//	dated files    the older ones are read to their ends first
//
// One goroutine reads a piece of each file in turn, so that no log gets far ahead of the others.
//
// There are libraries that follow files. The most popular, github.com/nxadm/tail, sends each line
// through a channel, can lose or repeat lines around a rename or a truncation (its issues 28, 72
// and 78), and knows neither copies nor the identity of a file after a restart. Hence this package.
package tail

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/pota-project/pota/graphs/trace"
)

// A Chunk is whole lines of a source, or why there are no more.
type Chunk struct {
	Source string // tells sources apart; the name of the file, or of what is not one
	Text   []byte
	Line   int       // how many lines of the source, or the file, are before it
	New    bool      // it is the first of a source that is no file
	Last   bool      // nothing follows from the source
	At     *Position // where a file is read on after Text; nil for what is no file
	Note   string    // something that is to be told; there is no text
	Err    error     // the source cannot be read on; there is no text

	tail   []byte // the bytes before Text, as many as are fingerprinted
	padded bool   // the last line has no end in the file
}

// A Position is how far a file has been read.
type Position struct {
	File   string  `json:"file"` // what the system calls it
	Path   string  `json:"path"` // where it was found
	Offset int64   `json:"offset"`
	Line   int     `json:"line,omitempty"`      // how many lines are before the offset
	Sum    uint64  `json:"sum,omitempty"`       // the fingerprint of the bytes before the offset
	Head   uint64  `json:"head,omitempty"`      // and of the first ones of these
	Was    *Extent `json:"truncated,omitempty"` // what it had before it was truncated
	Gone   bool    `json:"gone,omitempty"`      // it is not to be found any more
}

// An Extent is what a file had up to an offset.
type Extent struct {
	Offset int64  `json:"offset"`
	Sum    uint64 `json:"sum"`
	Head   uint64 `json:"head"`
}

// Prefix returns the position after the first n bytes of the text, which must end with a line.
func (c *Chunk) Prefix(n int) Position {
	at := *c.At
	if n == len(c.Text) {
		return at
	}
	// Counted from the end, as bytes before the text may have been dropped.
	left := c.Text[n:]
	at.Offset -= int64(len(left))
	if c.padded {
		at.Offset++
	}
	at.Line -= bytes.Count(left, newline)
	at.Sum = sum(lastBytes(c.tail, c.Text[:n]))
	return at
}

var newline = []byte("\n")

// A look at a file that has ended costs a system call, one at a directory some for each file in it:
// hence the two intervals.
const (
	pollInterval = 100 * time.Millisecond // of files that have ended
	scanInterval = time.Second            // of directories
	// A file that another follows has ended when it has not grown for so long.
	quietTime = 500 * time.Millisecond
	readSize  = 64 << 10
)

// Options name the files to follow.
type Options struct {
	Paths []string // of files, directories and pipes; "-" is Stdin
	Stdin io.Reader
	ToEnd bool                   // files are read up to their ends, and not followed
	Takes func(file string) bool // whether a file of a directory is read
	From  []Position             // where the process before this one had got to
}

// A Follower follows logs.
type follower struct {
	Options
	ctx    context.Context
	out    chan Chunk
	single []string // paths of files that were named themselves
	dirs   []string
	// These are known to one goroutine.
	logs  map[string]*log  // that are followed, by path
	order []*log           // the same in the order in which they were found
	open  map[string]*part // files that are open, by what the system calls them
	// Files that were read, and are not open, by what the system calls them.
	past map[string]Position
	// Those of past that were not there when their directory was last looked at.
	missed  map[string]bool
	skipped map[string]bool // paths of what cannot be read, which was told
	queue   []Chunk         // notes and positions that are to be sent first
	scanned time.Time
}

// Follow returns what comes from the paths. The channel is closed when all have ended, or ctx is done.
// The error is of what cannot be read at the beginning.
func Follow(ctx context.Context, o Options) (<-chan Chunk, error) {
	f := &follower{
		Options: o,
		ctx:     ctx,
		out:     make(chan Chunk, 4),
		logs:    make(map[string]*log),
		open:    make(map[string]*part),
		past:    make(map[string]Position),
		missed:  make(map[string]bool),
		skipped: make(map[string]bool),
	}
	// All of them are unread as yet: each is taken up when its file is found.
	for _, p := range o.From {
		f.past[p.File] = p
	}
	var group sync.WaitGroup
	for _, path := range o.Paths {
		if path == "-" {
			group.Go(func() { Lines(ctx, "standard input", o.Stdin, f.send) })
			continue
		}
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, trace.OpenError(path, err)
		case info.IsDir():
			f.dirs = append(f.dirs, path)
		case !info.Mode().IsRegular():
			group.Go(func() { f.pipe(path) })
		default:
			f.single = append(f.single, path)
		}
	}
	if len(f.single)+len(f.dirs) > 0 {
		if err := f.look(false); err != nil {
			f.close()
			return nil, err
		}
		group.Go(f.run)
	}
	go func() {
		group.Wait()
		close(f.out)
	}()
	return f.out, nil
}

// look looks at the paths, and again when it is time to.
func (f *follower) look(busy bool) error {
	// A log that grows all the while is read first.
	if !busy {
		for _, path := range f.single {
			if err := f.stat(path); err != nil {
				return err
			}
		}
	}
	if time.Since(f.scanned) < scanInterval {
		return nil
	}
	for _, dir := range f.dirs {
		if err := f.scan(dir); err != nil {
			return err
		}
	}
	for id, p := range f.past {
		// A file of a path named itself is either open by now, or gone. Those of directories are pruned by scan.
		if !slices.ContainsFunc(f.dirs, func(dir string) bool { return filepath.Clean(dir) == filepath.Dir(p.Path) }) {
			f.forget(id, p)
		}
	}
	f.scanned = time.Now()
	return nil
}

// first reports whether nobody has looked at all paths yet.
func (f *follower) first() bool { return f.scanned.IsZero() }

// send sends a chunk, and reports whether there is somebody to get it.
func (f *follower) send(c Chunk) bool {
	select {
	case f.out <- c:
		return true
	case <-f.ctx.Done():
		return false
	}
}

// pipe reads a path that is no regular file.
func (f *follower) pipe(path string) {
	in, err := os.Open(path)
	if err != nil {
		f.send(Chunk{Source: path, Err: trace.OpenError(path, err)})
		return
	}
	defer in.Close()
	Lines(f.ctx, path, in, f.send)
}

// run reads the files until there is nothing more to be read.
func (f *follower) run() {
	defer f.close()
	for {
		more, err := f.step()
		if err != nil {
			f.send(Chunk{Err: err})
			return
		}
		// One pass over all files without anything new is the end.
		if f.ctx.Err() != nil || !more && f.ToEnd {
			return
		}
		if !more {
			select {
			case <-time.After(pollInterval):
			case <-f.ctx.Done():
				return
			}
		}
		if f.ToEnd {
			continue
		}
		if err := f.look(more); err != nil {
			f.send(Chunk{Err: err})
			return
		}
	}
}

// close lets all files go.
func (f *follower) close() {
	for _, p := range f.open {
		p.file.Close()
	}
}

// step sends a chunk of each log that has one, and reports whether some had.
func (f *follower) step() (more bool, err error) {
	f.flush()
	// A clone, as reading can end a log, and a scan can find one.
	for _, l := range slices.Clone(f.order) {
		got, err := f.read(l)
		f.flush()
		if err != nil {
			return false, err
		}
		more = more || got
	}
	return more, nil
}

// flush sends notes and positions.
func (f *follower) flush() {
	for _, c := range f.queue {
		f.send(c)
	}
	f.queue = nil
}

// Lines sends the lines of a reader. The last one may lack its end.
func Lines(ctx context.Context, name string, in io.Reader, send func(Chunk) bool) {
	var text []byte
	begun := false
	c := Chunk{Source: name, New: true}
	for {
		// Never more than a line is held back.
		var err error
		text, err = readLine(in, text)
		// Editors of some systems begin a file with a byte order mark.
		if !begun && len(text) > 0 {
			text = bytes.TrimPrefix(text, []byte(trace.ByteOrderMark))
			begun = true
		}
		end := bytes.LastIndexByte(text, '\n') + 1
		if len(text)-end > trace.DefaultMaxLine {
			send(Chunk{Source: name, Err: tooLong(name)})
			return
		}
		last := err == io.EOF
		if last && end < len(text) {
			text = append(text, '\n')
			end = len(text)
		}
		if end > 0 || last {
			c.Text = bytes.Clone(text[:end])
			c.Last = last && ctx.Err() == nil
			if !send(c) {
				return
			}
			c.Line += bytes.Count(c.Text, newline)
			c.New = false
		}
		if err != nil {
			if !last && ctx.Err() == nil {
				send(Chunk{Source: name, Err: trace.OpenError(name, err)})
			}
			return
		}
		text = append(text[:0], text[end:]...)
	}
}

// readLine reads until a line has ended, or is too long, and appends it to text.
func readLine(in io.Reader, text []byte) ([]byte, error) {
	for {
		text = slices.Grow(text, readSize/2)
		n, err := in.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if err != nil || bytes.IndexByte(text[len(text)-n:], '\n') >= 0 || len(text) > trace.DefaultMaxLine {
			return text, err
		}
	}
}

// tooLong refuses a line that would have to be kept in memory until its end comes.
func tooLong(name string) *trace.Error {
	return &trace.Error{File: name, Msg: fmt.Sprintf("a line must not have more than %d MiB", trace.DefaultMaxLine>>20)}
}
