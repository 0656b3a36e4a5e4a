// Package interleave reorders the lines of a trace on disk, so that a monitor can decide on them
// with a small window: causes come before effects, and processes advance together. Apart from some
// bytes per segment, its memory does not depend on the number of lines.
//
// # Definitions
//
// The lines of a process are in the order of its events; lines of several processes may be mixed in
// any way. An order is causal if causes come before their effects. A process waits if the event in
// its last line cannot be admitted yet (package stream).
//
// # Algorithm
//
// The trace is divided into pieces. Each piece is collected in memory and then written process by
// process, so a process has a segment in each piece. Afterwards, a cursor reads the segments of
// each process. The next line comes from the process that does not wait and has read the smallest
// fraction of its lines. So without syncs, at most one event of each process waits, events are
// admitted in a causal order (Kahn, Topological Sorting of Large Networks, CACM 5(11), 1962), and
// processes that executed at the same time are read at the same time. Every order is correct: the
// order only affects how much a stream has to hold.
//
// Adding a line takes O(1) time, and reading it back O(log n) for n processes. The memory holds a
// piece, or n cursors, and about 100 bytes for each segment. The file on disk is about as large as
// the lines in uncompressed JSON.
package interleave

import (
	"bufio"
	"container/heap"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/pota-project/pota/graphs/stream"
)

const (
	pieceSize    = 32 << 20 // the size of a piece in bytes
	cursorsSize  = 32 << 20 // how many bytes all cursors together read ahead
	minCursor    = 4 << 10
	maxCursor    = 256 << 10
	minLength    = 1 << 16 // in lines; a shorter process is read at the pace of one with this many
	linesAtATime = 16      // how many lines of a process are read at a time
)

// Lines are the lines of a trace, separated by process. Callers must call Close after the last use.
type Lines struct {
	file   *os.File
	end    int64 // the end of the file
	number map[string]int
	all    []*process
	piece  int // how many bytes of the piece are not written yet
	size   int // the size of a piece in bytes
	record stream.Codec
	next   queue
	buffer []byte // reused by read
}

// process holds the lines of a process.
type process struct {
	name     []byte
	count    int64
	segments []segment
	unread   []byte // its lines in the piece that is not written yet
	lines    *bufio.Reader
	taken    int64
	waits    bool
	at       int // the index in the queue
}

type segment struct{ from, length int64 }

// New returns an empty Lines for a trace of these processes. It uses a file in the directory for
// temporary files, which the system removes when the program ends in any way.
func New(processes []string) (*Lines, error) {
	f, err := os.CreateTemp("", "pota-lines-")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // if an open file cannot be removed, Close removes it
	l := &Lines{file: f, number: make(map[string]int), size: pieceSize}
	for i, name := range processes {
		l.number[name] = i
		l.all = append(l.all, &process{name: []byte(name)})
	}
	return l, nil
}

// Close removes the file.
func (l *Lines) Close() error {
	err := l.file.Close()
	_ = os.Remove(l.file.Name()) // it still exists if an open file cannot be removed
	return err
}

// Add adds a line of one of the processes.
func (l *Lines) Add(line *stream.Line) error {
	p := l.all[l.number[string(line.Process)]]
	p.count++
	l.record.Truncate(0)
	name := line.Process
	line.Process = nil // the segment implies the process
	l.record.Line(line)
	line.Process = name
	before := len(p.unread)
	p.unread = binary.AppendUvarint(p.unread, uint64(len(l.record.Bytes())))
	p.unread = append(p.unread, l.record.Bytes()...)
	if l.piece += len(p.unread) - before; l.piece < l.size {
		return nil
	}
	return l.write()
}

// write writes a piece.
func (l *Lines) write() error {
	out := bufio.NewWriterSize(l.file, 1<<20)
	for _, p := range l.all {
		if n := int64(len(p.unread)); n > 0 {
			_, _ = out.Write(p.unread) // Flush returns the error
			p.segments = append(p.segments, segment{l.end, n})
			p.unread = nil
			l.end += n
		}
	}
	l.piece = 0
	if err := out.Flush(); err != nil {
		return fmt.Errorf("the lines of the trace cannot be put in order in the folder for temporary files, which TMPDIR names: %w", err)
	}
	return nil
}

// Each calls take for every line, and after the last line of a process with a line that closes the
// process. The line is valid until take returns. After each line, Each calls waits to ask whether
// the process waits. The caller must call Released when such a process no longer waits.
func (l *Lines) Each(ctx context.Context, waits func(process int) bool, take func(line *stream.Line) error) error {
	if err := l.write(); err != nil {
		return err
	}
	size := min(max(cursorsSize/max(len(l.all), 1), minCursor), maxCursor)
	l.next = nil
	for _, p := range l.all {
		p.taken, p.waits = 0, false
		var all []io.Reader
		for _, s := range p.segments {
			all = append(all, io.NewSectionReader(l.file, s.from, s.length))
		}
		p.lines = bufio.NewReaderSize(io.MultiReader(all...), size)
		heap.Push(&l.next, p)
	}
	var line stream.Line
	for len(l.next) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := heap.Pop(&l.next).(*process)
		q := l.number[string(p.name)]
		for n := 0; n < linesAtATime && p.taken < p.count && (n == 0 || !p.waits); n++ {
			if err := l.read(p, &line); err != nil {
				return fmt.Errorf("the file of lines that were put in order cannot be read: %w", err)
			}
			if err := take(&line); err != nil {
				return err
			}
			p.waits = waits(q)
		}
		if p.taken < p.count {
			heap.Push(&l.next, p)
			continue
		}
		p.lines = nil
		if err := take(&stream.Line{Kind: stream.Closing, Process: p.name}); err != nil {
			return err
		}
	}
	return nil
}

// Released records that a process no longer waits.
func (l *Lines) Released(number int) {
	p := l.all[number]
	if p.waits = false; p.at < len(l.next) && l.next[p.at] == p {
		heap.Fix(&l.next, p.at)
	}
}

// read reads the next line of a process. The line is valid until the next call.
func (l *Lines) read(p *process, line *stream.Line) error {
	n, err := binary.ReadUvarint(p.lines)
	if err != nil {
		return err
	}
	l.buffer = slices.Grow(l.buffer[:0], int(n))[:n]
	if _, err := io.ReadFull(p.lines, l.buffer); err != nil {
		return err
	}
	p.taken++
	c := stream.NewReader(l.buffer)
	c.Line(line)
	line.Process = p.name
	return c.Err()
}

// A queue is a heap.Interface of the processes with unread lines. The first one is read next.
type queue []*process

func (q queue) Len() int { return len(q) }

func (q queue) Less(i, j int) bool {
	x, y := q[i], q[j]
	if x.waits != y.waits {
		return y.waits
	}
	return float64(x.taken)/float64(max(x.count, minLength)) < float64(y.taken)/float64(max(y.count, minLength))
}

func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].at, q[j].at = i, j
}

func (q *queue) Push(x any) {
	p := x.(*process)
	p.at = len(*q)
	*q = append(*q, p)
}

func (q *queue) Pop() any {
	last := len(*q) - 1
	p := (*q)[last]
	*q = (*q)[:last]
	return p
}
