package trace

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sort"
)

// pieceSize is the usual length of a piece in bytes; a longer line makes a longer piece. Pieces are
// small so that their memory is reused, because memory is slow when it is first touched.
const pieceSize = 128 << 10

// A Piece is a number of whole lines of one file of a source.
//
//	(1) Text is empty or ends with a line end, which was added if NoEnd is set
//	(2) the pieces of a file are consecutive, and in order; so are files
type Piece struct {
	File    int    // the number of the file, from 0
	Name    string // the name of the file
	First   bool   // whether the piece begins its file
	Head    []byte // the first non-empty line of the file, if an earlier piece has it
	Text    []byte
	NoEnd   bool   // whether the last line of the file is in it, and lacks a line end
	Failure error  // the error of reading the text after the piece; nil if there is none
	Cut     string // the evidence that the file is cut off after the piece; "" if it is not
}

// A Batch is a piece and the result of processing it.
type Batch[W any] struct {
	Piece
	Work W
	done chan struct{}
}

// Failed returns Failure; if it is an *Error, with the given line.
func (p *Piece) Failed(line int) error {
	var e *Error
	if errors.As(p.Failure, &e) {
		return &Error{File: e.File, Line: line, Msg: e.Msg, Err: e.Err}
	}
	return p.Failure
}

// CutOff reports the line of the cut to opts if the file is cut off after the piece.
func (p *Piece) CutOff(opts *Options, line int) {
	if p.Cut != "" {
		opts.CutOff(Errorf(p.Name, line, "the file is cut off: %s", p.Cut))
	}
}

// LinesOptions are the parameters of ReadLines.
type LinesOptions[W any] struct {
	New     func() W               // returns the Work of a new batch; batches are reused
	Do      func(*Piece, W)        // processes a piece, concurrently with others
	Take    func(*Batch[W]) error  // gets the batches in order; their memory is then reused
	Skip    func(name string) bool // reports whether to leave a file out; nil leaves out none
	Heads   bool                   // whether pieces have the heads of their files
	Options *Options               // for MaxLine and AllowTruncated
}

// ReadLines reads the lines of a source for formats with a record on each line, and closes the
// source. One goroutine reads and decompresses, GOMAXPROCS goroutines process pieces, and Take
// receives these in order. All end soon after an error.
//
// Errors are the error of Take, of opening a file, or of ctx; an error of reading is the
// Failure of a piece.
func ReadLines[W any](ctx context.Context, source *Source, opts LinesOptions[W]) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Enough for each worker to have a batch in process and one waiting, and likewise for the
	// reader and Take together.
	workers := runtime.GOMAXPROCS(0)
	batches := 2*workers + 2
	l := &lines[W]{
		ctx: ctx, opts: opts,
		free:  make(chan *Batch[W], batches),
		work:  make(chan *Batch[W], batches),
		order: make(chan *Batch[W], batches),
	}
	for range batches {
		l.free <- &Batch[W]{Work: opts.New(), done: make(chan struct{}, 1)}
	}
	go func() {
		defer close(l.order)
		defer close(l.work)
		file := 0
		l.err = source.Each(ctx, func(in *Input) error {
			if opts.Skip != nil && opts.Skip(in.Name) {
				return nil
			}
			file++
			return l.readInput(in, file-1)
		})
	}()
	for range workers {
		go func() {
			for b := range l.work {
				opts.Do(&b.Piece, b.Work)
				b.done <- struct{}{}
			}
		}()
	}
	for b := l.next(); b != nil; b = l.next() {
		if err := opts.Take(b); err != nil {
			return err
		}
		l.free <- b
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return l.err
}

// lines is the state of one call of ReadLines.
type lines[W any] struct {
	ctx   context.Context
	opts  LinesOptions[W]
	free  chan *Batch[W]
	work  chan *Batch[W] // the batches for the workers
	order chan *Batch[W] // the same batches for Take, in order
	err   error          // the error of reading; set before order is closed
}

// next waits for the next batch and returns it, or nil at the end, after an error, or when the
// context is done.
func (l *lines[W]) next() *Batch[W] {
	select {
	case b := <-l.order:
		if b == nil {
			return nil
		}
		select {
		case <-b.done:
			return b
		case <-l.ctx.Done():
		}
	case <-l.ctx.Done():
	}
	return nil
}

// ByteOrderMark may begin a text, and is skipped.
const ByteOrderMark = "\ufeff"

// readInput passes on the pieces of one input. The text after the last line end of a piece begins
// the next one. Errors are of reading or of ctx.
func (l *lines[W]) readInput(in *Input, file int) error {
	var rest, head []byte
	for first := true; ; first = false {
		var b *Batch[W]
		select {
		case b = <-l.free:
		case <-l.ctx.Done():
			return l.ctx.Err()
		}
		p := &b.Piece
		*p = Piece{File: file, Name: in.Name, First: first, Head: head, Text: append(p.Text[:0], rest...)}
		end, err := p.fill(l.ctx, in, l.opts.Options)
		if l.opts.Options.AllowTruncated && errors.Is(err, io.ErrUnexpectedEOF) {
			err = io.EOF
			p.Cut = "its compressed data ends too soon"
		}
		if err != nil && err != io.EOF {
			p.Failure = err
		}
		if first && bytes.HasPrefix(p.Text, []byte(ByteOrderMark)) {
			n := copy(p.Text, p.Text[len(ByteOrderMark):])
			p.Text = p.Text[:n]
			end = max(0, end-len(ByteOrderMark))
		}
		if l.cutLong(p, end) {
			end = len(p.Text)
		}
		if last := p.Text[end:]; err == io.EOF && len(last) > 0 {
			if l.opts.Options.AllowTruncated && Unfinished(last) {
				p.Cut = fmt.Sprintf("a last line of %d bytes is unfinished", len(last))
			} else {
				p.Text, p.NoEnd = append(p.Text, '\n'), true
				end = len(p.Text)
			}
		}
		rest = append(rest[:0], p.Text[end:]...)
		p.Text = p.Text[:end]
		if l.opts.Heads && head == nil {
			head = Head(p.Text)
		}
		failure := p.Failure
		l.work <- b // from here on, the batch belongs to a worker
		l.order <- b
		if failure != nil || err == io.EOF {
			return failure
		}
	}
}

// Head returns a copy of the first non-empty line of a text, or nil if there is none.
func Head(text []byte) []byte {
	for line := range bytes.Lines(text) {
		if len(bytes.TrimRight(line, "\r\n")) > 0 {
			return bytes.Clone(line)
		}
	}
	return nil
}

// cutLong ends a piece before its first line that is too long, and reports whether there is one.
// end is the end of the last whole line of the piece.
func (l *lines[W]) cutLong(p *Piece, end int) bool {
	most := l.opts.Options.LongestLine()
	start := 0
	for len(p.Text)-start > most {
		n := bytes.IndexByte(p.Text[start:end], '\n')
		if n < 0 || n > most {
			p.Text, p.Failure = p.Text[:start], l.opts.Options.tooLong(p.Name, 0)
			return true
		}
		start += n + 1
	}
	return false
}

// fill reads until the piece is full and has a line end, and returns the end of the last whole
// line, or 0 if a line is longer than opts allow. Errors are of reading or of ctx, which it checks
// because a long line may take much memory.
func (p *Piece) fill(ctx context.Context, in *Input, opts *Options) (end int, err error) {
	for seen := 0; ; {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if len(p.Text) == cap(p.Text) {
			// The memory of a long line is doubled, so that it is copied few times.
			p.Text = slices.Grow(p.Text, max(pieceSize, len(p.Text)))
		}
		n, err := in.Read(p.Text[len(p.Text):cap(p.Text)])
		p.Text = p.Text[:len(p.Text)+n]
		if err != nil {
			return bytes.LastIndexByte(p.Text, '\n') + 1, err
		}
		if len(p.Text) < pieceSize {
			continue
		}
		if i := bytes.LastIndexByte(p.Text[seen:], '\n'); i >= 0 {
			return seen + i + 1, nil
		}
		if seen = len(p.Text); seen > opts.LongestLine() {
			return 0, nil // cutLong reports the error
		}
	}
}

// Unfinished reports whether a line ends inside a JSON object.
func Unfinished(line []byte) bool {
	var value json.RawMessage
	err := json.NewDecoder(bytes.NewReader(line)).Decode(&value)
	return err == io.ErrUnexpectedEOF && bytes.HasPrefix(bytes.TrimLeft(line, " \t\r"), []byte("{"))
}

// LineOf returns a function that returns the line of a byte of a text, counted from 1, in time
// O(log lines).
func LineOf(text string) func(at int) int {
	var ends []int
	for at := range text {
		if text[at] == '\n' {
			ends = append(ends, at)
		}
	}
	return func(at int) int { return sort.SearchInts(ends, at) + 1 }
}

// LinesAt returns the lines of a file with these numbers, from 1, without their ends and cut to
// maxLen bytes each. Numbers beyond the end of the file are missing. Errors are *Error, or
// errors of decompressing.
//
// The time complexity of LinesAt is O(length of the file up to the last line + n log n) for n
// numbers.
func LinesAt(path string, numbers []int, maxLen int) (map[int][]byte, error) {
	lines := make(map[int][]byte)
	source, err := Open(path)
	if err != nil {
		return lines, err
	}
	in, err := source.Next()
	if err != nil {
		return lines, err
	}
	defer func() { _ = in.Close() }() // the lines read are valid in any case
	r := bufio.NewReaderSize(in, 64<<10)
	numbers = slices.Compact(slices.Sorted(slices.Values(numbers)))
	for next := 1; len(numbers) > 0; next++ {
		wanted := next == numbers[0]
		most := 0 // most lines are skipped
		if wanted {
			most = maxLen + len(ByteOrderMark) + 1
		}
		line, long, err := ReadLine(r, nil, most)
		switch {
		case err == io.EOF && len(line) == 0 && !long:
			return lines, nil
		case err != nil && err != io.EOF:
			return lines, err
		case !wanted:
			continue
		}
		if next == 1 {
			line = bytes.TrimPrefix(line, []byte(ByteOrderMark))
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		lines[next] = line[:min(len(line), maxLen)]
		numbers = numbers[1:]
	}
	return lines, nil
}

// ReadLine appends a line with its end to dst. If the line has more than most bytes, it appends
// only the first most, skips the rest, and returns long = true. The last line may have no end: then
// err is io.EOF.
func ReadLine(r *bufio.Reader, dst []byte, most int) (line []byte, long bool, err error) {
	most += len(dst)
	for {
		part, err := r.ReadSlice('\n')
		room := most - len(dst)
		long = long || len(part) > room
		dst = append(dst, part[:min(len(part), room)]...)
		// A full buffer means that the line continues; otherwise it is complete, or reading failed.
		if err != bufio.ErrBufferFull {
			return dst, long, err
		}
	}
}
