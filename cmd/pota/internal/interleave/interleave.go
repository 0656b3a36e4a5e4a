// Package interleave reorders the lines of a trace on disk, so that a monitor decides on them
// with a small window: causes come before effects, and processes advance together. Its memory
// does not depend on the number of lines.
//
// # Definitions
//
// The lines of a process stand in the order of its events; lines of several processes may be
// mixed in any way. An order is causal if causes stand before their effects. A process waits if
// the event in its last line cannot be admitted yet (package stream).
//
// # How
//
// A piece of the trace at a time is held in memory and then written process by process: each
// process has a segment in each piece. Afterwards a cursor reads the segments of each process.
// The next line comes from the process that has read the smallest part of its lines and does
// not wait. So at most one event of each process waits where the trace has no syncs, events are
// admitted in a causal order (Kahn, Topological Sorting of Large Networks, CACM 5(11), 1962),
// and processes that executed at the same time are read at the same time. No order is wrong:
// the order only changes how much a stream has to hold.
//
// Adding a line takes O(1), reading it again O(log n) for n processes. Memory holds a piece, or n
// cursors, and some 100 bytes for each segment. The disk takes about as much as the lines have in
// JSON, without compression.
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
	pieceSize    = 32 << 20 // bytes of a piece
	cursorsSize  = 32 << 20 // bytes that all cursors read ahead
	minCursor    = 4 << 10
	maxCursor    = 256 << 10
	minLength    = 1 << 16 // lines: a shorter process is read at the pace of one with this many
	linesAtATime = 16      // of a process
)

// Lines are the lines of a trace, separated by process. Close must be called after the last use.
type Lines struct {
	file   *os.File
	end    int64 // of the file
	number map[string]int
	all    []*process
	piece  int // bytes that are not written
	size   int // of a piece
	record stream.Codec
	next   queue
	buffer []byte // reused by read
}

// process is the lines of a process.
type process struct {
	name     []byte
	count    int64
	segments []segment
	unread   []byte // lines of the piece that is not written
	lines    *bufio.Reader
	taken    int64
	waits    bool
	at       int // in the queue
}

type segment struct{ from, length int64 }

// New returns an empty Lines for a trace of these processes. It has a file in the folder for
// temporary files. The system removes the file with the program, however that ends.
func New(processes []string) (*Lines, error) {
	f, err := os.CreateTemp("", "pota-lines-")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // where an open file cannot be removed, Close does it
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
	_ = os.Remove(l.file.Name()) // it is left where an open file cannot be removed
	return err
}

// Add adds a line of one of the processes.
func (l *Lines) Add(line *stream.Line) error {
	p := l.all[l.number[string(line.Process)]]
	p.count++
	l.record.Truncate(0)
	name := line.Process
	line.Process = nil // the segment has it
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

// Each calls take for every line, and after the last one of a process with a line that closes the
// process. The line is valid until take returns. Each asks waits after a line
// whether its process waits; the caller calls Released when such a process waits no longer.
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

// Released notes that a process does not wait any more.
func (l *Lines) Released(number int) {
	p := l.all[number]
	if p.waits = false; p.at < len(l.next) && l.next[p.at] == p {
		heap.Fix(&l.next, p.at)
	}
}

// read reads the next line of a process. The line is valid until the next one is read.
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

// A queue is a heap.Interface of the processes with lines left; the first one is read next.
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
