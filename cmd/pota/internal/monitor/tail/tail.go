// Package tail follows log files, and directories of them, while they grow.
//
// A Chunk has whole lines of a source. If the source is a file, it also has the Position from which to continue
// after these lines, in this process or the next one. The package keeps nothing on the disk.
//
// # Files
//
// A file is identified by the system's name for it (device and inode) and by a fingerprint: a checksum
// of the last bytes before the offset. So a file that was moved is not read again, and a file that
// reuses the inode of another is not confused with it. Files of a log are read one after the other, the
// oldest first; package trace finds them by their names. Three ways of rotation are supported:
//
//	rename         the file is read under its new name until it has been quiet for a while, and then the
//	               file that has replaced it
//	copytruncate   a file that begins with the part of the log that was read is a copy of it: the copy is
//	               read from the end of that part, and the log from its beginning. The position of the log
//	               has its extent before it was truncated, so that the next process recognizes the copy
//	dated files    the older ones are read to their ends first
//
// One goroutine reads a piece of each file in turn, so that no log gets far ahead of the others.
//
// There are libraries that follow files. The most popular, github.com/nxadm/tail, sends each line
// through a channel, can lose or repeat lines around a rename or a truncation (its issues 28, 72
// and 78), and recognizes neither copies nor the identity of a file after a restart. Hence this package.
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

// A Chunk has some whole lines of a source, or says why there are no more.
type Chunk struct {
	Source string // the name of the file, connection or request
	Text   []byte
	Line   int       // how many lines of the source precede Text
	New    bool      // whether it is the first chunk of a source that is not a file
	Last   bool      // whether nothing follows from the source
	At     *Position // where to continue in a file after Text; nil if the source is not a file
	Note   string    // a note for the user; if set, there is no text
	Err    error     // why the source cannot be read further; if set, there is no text

	tail   []byte // the bytes before Text, as many as are fingerprinted
	padded bool   // whether the last line has no newline in the file
}

// A Position says how far a file has been read.
type Position struct {
	File   string  `json:"file"` // its identity in the system
	Path   string  `json:"path"` // where it was found
	Offset int64   `json:"offset"`
	Line   int     `json:"line,omitempty"`      // how many lines precede the offset
	Sum    uint64  `json:"sum,omitempty"`       // the fingerprint of the bytes before the offset
	Head   uint64  `json:"head,omitempty"`      // the fingerprint of the first bytes of the file
	Was    *Extent `json:"truncated,omitempty"` // its extent before it was truncated
	Gone   bool    `json:"gone,omitempty"`      // whether it no longer exists
}

// An Extent is the part of a file up to an offset.
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
	// The offset is computed from the end, because bytes before the text may have been dropped.
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

// Checking a file costs one system call, and scanning a directory costs some for each of its files. Hence there are
// two intervals.
const (
	pollInterval = 100 * time.Millisecond // between checks of files that were read to their ends
	scanInterval = time.Second            // between scans of directories
	// A file with a successor has ended once it has not grown for this long.
	quietTime = 500 * time.Millisecond
	readSize  = 64 << 10
)

// Options name the files to follow.
type Options struct {
	Paths []string // the paths of files, directories and pipes; "-" is Stdin
	Stdin io.Reader
	ToEnd bool                   // whether files are only read to their ends, and not followed
	Takes func(file string) bool // reports whether a file in a directory is read; nil means all
	From  []Position             // the positions that the process before this one had reached
}

// A follower follows logs.
type follower struct {
	Options
	ctx    context.Context
	out    chan Chunk
	single []string // the paths of files that Paths names
	dirs   []string

	// The rest belongs to one goroutine. Files are identified by their identities.
	logs  map[string]*log // by path
	order []*log          // the logs in the order in which they were found
	open  map[string]*part
	past  map[string]Position // by file that was read and is not open
	// the files in past that the last scan of their directory did not find
	missed  map[string]bool
	known   map[string]bool // the paths of logs that have been read, at least in part
	skipped map[string]bool // the paths that cannot be read and have been noted
	queue   []Chunk         // notes and positions to be sent before anything else
	scanned time.Time       // when all paths were last checked
}

// Follow returns a channel with the chunks from the paths. It is closed when all of them have ended, or ctx is done.
// The error is about a path that cannot be read at the beginning.
func Follow(ctx context.Context, o Options) (<-chan Chunk, error) {
	f := &follower{
		Options: o,
		ctx:     ctx,
		out:     make(chan Chunk, 4),
		logs:    make(map[string]*log),
		open:    make(map[string]*part),
		past:    make(map[string]Position),
		missed:  make(map[string]bool),
		known:   make(map[string]bool),
		skipped: make(map[string]bool),
	}
	// A position is used when its file is found.
	for _, p := range o.From {
		f.past[p.File] = p
		log, _ := trace.LogOf(p.Path)
		f.known[log] = true
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
			group.Go(func() {
				in, err := os.Open(path)
				if err != nil {
					f.send(Chunk{Source: path, Err: trace.OpenError(path, err)})
					return
				}
				defer in.Close()
				Lines(ctx, path, in, f.send)
			})
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

// look looks for new files; in directories, only once scanInterval has passed.
func (f *follower) look(busy bool) error {
	// While a log grows, it is read first.
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
		// A file outside directories is now either open or gone; scan prunes the files of directories.
		if !slices.ContainsFunc(f.dirs, func(dir string) bool { return filepath.Clean(dir) == filepath.Dir(p.Path) }) {
			f.forget(id, p)
		}
	}
	f.scanned = time.Now()
	return nil
}

// first reports whether the paths have not been checked before.
func (f *follower) first() bool { return f.scanned.IsZero() }

// send sends a chunk, and reports whether it was received.
func (f *follower) send(c Chunk) bool {
	select {
	case f.out <- c:
		return true
	case <-f.ctx.Done():
		return false
	}
}

// run reads the files until there is nothing more to read.
func (f *follower) run() {
	defer f.close()
	for {
		// Send a chunk of each log that has one. The list is cloned, because reading can end a log, and a scan can
		// find one.
		more := false
		f.flush()
		for _, l := range slices.Clone(f.order) {
			got, err := f.read(l)
			f.flush()
			if err != nil {
				f.send(Chunk{Err: err})
				return
			}
			more = more || got
		}
		// With ToEnd, a pass over all files that finds nothing new is the last one.
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

// close closes all files.
func (f *follower) close() {
	for _, p := range f.open {
		p.file.Close()
	}
}

// flush sends notes and positions.
func (f *follower) flush() {
	for _, c := range f.queue {
		f.send(c)
	}
	f.queue = nil
}

// Lines sends the lines of a reader. The last line may lack its newline.
func Lines(ctx context.Context, name string, in io.Reader, send func(Chunk) bool) {
	var text []byte
	begun := false
	c := Chunk{Source: name, New: true}
	for {
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

// readLine appends bytes to text until a line has ended, or is too long.
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

// tooLong returns the error for a line that would fill the memory before it ends.
func tooLong(name string) *trace.Error {
	return &trace.Error{File: name, Msg: fmt.Sprintf("a line must not have more than %d MiB", trace.DefaultMaxLine>>20)}
}
