package mapped

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"unicode/utf8"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
)

// Read reads a log with a mapping and closes the source; a directory is one
// execution. Errors are *trace.Error, or that of ctx.
//
// The time complexity of Read is O(length of the log · pointers of one object + sort
// of events + |V| + |edges|).
func Read(ctx context.Context, source *trace.Source, m *Mapping, opts trace.Options) (*graphs.Computation, error) {
	l, err := m.load(ctx, source, opts)
	if err != nil {
		return nil, err
	}
	return l.build(ctx)
}

// load reads all lines of a source.
func (m *Mapping) load(ctx context.Context, source *trace.Source, opts trace.Options) (*log, error) {
	l := &log{m: m, opts: opts}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := start(ctx, source, m, opts.AllowTruncated)
	for {
		c := p.next()
		if c == nil {
			break
		}
		if err := l.chunk(c); err != nil {
			return nil, err
		}
		if c.cut {
			opts.CutOff(&trace.Error{File: c.name, Line: int(l.lines), Msg: "the file is cut off: its end is unfinished"})
		}
		p.free <- c
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if p.err != nil {
		return nil, p.err
	}
	if len(l.events) == 0 {
		return nil, &trace.Error{File: source.Path, Msg: "no event: no line is one that the mapping " + m.Name + " knows"}
	}
	return l, nil
}

// chunkSize is how much text is walked at a time; a longer line makes a longer
// chunk.
const chunkSize = 512 << 10

// longestLine is what a line may have, so that places in a chunk fit 32 bits.
const longestLine = 1 << 30

// A chunk is some whole lines of one file and what was found in them.
type chunk struct {
	name    string // of the file
	first   bool   // of the file
	text    []byte
	noEnd   bool  // the last line has no end of its own
	failure error // of reading what follows
	cut     bool  // the file is cut off after the lines

	walker walker
	lines  []chunkLine
	count  int32 // line ends
	wrong  int   // where the walk stopped, -1 when it did not
	walked chan struct{}
}

// walk finds the lines of a chunk. With truncated, a last line that is not finished
// is none.
func (c *chunk) walk(truncated bool) {
	c.lines, c.count, c.wrong = c.lines[:0], 0, -1
	w := &c.walker
	w.rows, w.inner = w.rows[:0], w.inner[:0]
	for from := 0; from < len(c.text); {
		to := len(c.text)
		if i := bytes.IndexByte(c.text[from:], '\n'); i >= 0 {
			to = from + i
		}
		c.count++
		if len(bytes.TrimLeft(c.text[from:to], " \t\r")) > 0 {
			row := len(w.rows)
			if !w.lineOf(c.text, from, to) {
				if truncated && c.noEnd && to == len(c.text) && w.at >= to && bytes.TrimLeft(c.text[from:to], " \t\r")[0] == '{' {
					c.cut = true
					return
				}
				c.wrong = from
				return
			}
			c.lines = append(c.lines, chunkLine{c.count, int32(from), int32(to), int32(row)})
		}
		from = to + 1
	}
}

// chunk adds the lines of a chunk to the log.
func (l *log) chunk(c *chunk) error {
	if c.first {
		l.files = append(l.files, c.name)
		l.starts = append(l.starts, int32(len(l.events)))
		l.lines = 0
	}
	a := adding{log: l, text: c.text, inner: c.walker.inner}
	size := l.m.line.size
	for _, line := range c.lines {
		a.line = line
		a.line.number += l.lines
		a.row = c.walker.rows[line.row:][:size]
		if err := a.add(); err != nil {
			return err
		}
	}
	if c.wrong >= 0 {
		at := min(c.walker.at, len(c.text))
		return &trace.Error{
			File: c.name, Line: int(l.lines + c.count),
			Column: utf8.RuneCount(c.text[c.wrong:at]) + 1, Msg: c.walker.msg,
		}
	}
	l.lines += c.count
	return c.failure
}

// A pipeline cuts the inputs of a source into chunks and has them walked. One
// goroutine reads, some walk, and whoever calls next gets the chunks in order.
type pipeline struct {
	ctx         context.Context
	source      *trace.Source
	files       string // pattern for the names of files in a directory, "" for all
	truncated   bool
	free        chan *chunk
	work, order chan *chunk
	err         error // of opening a file; set before order is closed
}

// start starts the goroutines; they end soon after the end of the source or of ctx.
func start(ctx context.Context, source *trace.Source, m *Mapping, truncated bool) *pipeline {
	workers := runtime.GOMAXPROCS(0)
	chunks := 2*workers + 2
	p := &pipeline{
		ctx: ctx, source: source, files: m.files, truncated: truncated,
		free: make(chan *chunk, chunks), work: make(chan *chunk, chunks), order: make(chan *chunk, chunks),
	}
	for range chunks {
		p.free <- &chunk{walked: make(chan struct{}, 1), walker: m.walker()}
	}
	go p.read()
	for range workers {
		go func() {
			for c := range p.work {
				c.walk(truncated)
				c.walked <- struct{}{}
			}
		}()
	}
	return p
}

func (m *Mapping) walker() walker {
	return walker{line: m.line, loops: m.loops, seen: make([]int, m.nodes)}
}

// next returns the next chunk; nil at the end or when ctx is done.
func (p *pipeline) next() *chunk {
	select {
	case c := <-p.order:
		if c == nil {
			return nil
		}
		select {
		case <-c.walked:
			return c
		case <-p.ctx.Done():
		}
	case <-p.ctx.Done():
	}
	return nil
}

func (p *pipeline) read() {
	defer close(p.order)
	defer close(p.work)
	defer p.source.Close()
	for {
		in, err := p.source.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			p.err = err
			return
		}
		ok := !p.takes(in.Name) || p.readInput(in)
		in.Close()
		if !ok {
			return
		}
	}
}

// takes reports whether a file is part of the log.
func (p *pipeline) takes(file string) bool {
	return p.files == "" || !p.source.Directory() || matches([]byte(p.files), []byte(filepath.Base(file)))
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// readInput hands on the chunks of one input and reports whether to go on. What
// follows the last line end of a chunk begins the next one.
func (p *pipeline) readInput(in *trace.Input) bool {
	var rest []byte
	for first := true; ; first = false {
		var c *chunk
		select {
		case c = <-p.free:
		case <-p.ctx.Done():
			return false
		}
		c.name, c.first, c.noEnd, c.failure, c.cut = in.Name, first, false, nil, false
		c.text = append(c.text[:0], rest...)
		end, err := fill(in, c)
		if p.truncated && errors.Is(err, io.ErrUnexpectedEOF) {
			err, c.cut = io.EOF, true
		}
		if err != nil && err != io.EOF {
			c.failure = err
		}
		if first && bytes.HasPrefix(c.text, byteOrderMark) {
			n := copy(c.text, c.text[len(byteOrderMark):])
			c.text = c.text[:n]
			end = max(0, end-len(byteOrderMark))
		}
		rest = append(rest[:0], c.text[end:]...)
		if err == io.EOF {
			c.noEnd = len(rest) > 0
		} else {
			c.text = c.text[:end]
		}
		if err == nil && len(c.text) == 0 {
			c.failure = &trace.Error{File: in.Name, Msg: "a line of more than a gigabyte"}
		}
		failed := c.failure != nil
		p.work <- c // from here on, c is not the reader's
		p.order <- c
		if err == io.EOF {
			return true
		}
		if failed {
			return false
		}
	}
}

// fill reads until the chunk is full and has a line end, and returns where the last
// line ends; 0 without an error when the line is too long.
func fill(in *trace.Input, c *chunk) (end int, err error) {
	seen := 0
	for {
		if len(c.text) == cap(c.text) {
			c.text = slices.Grow(c.text, min(chunkSize, max(len(c.text), 32<<10)))
		}
		n, err := in.Read(c.text[len(c.text):cap(c.text)])
		c.text = c.text[:len(c.text)+n]
		if err != nil {
			return bytes.LastIndexByte(c.text, '\n') + 1, err
		}
		if len(c.text) < chunkSize {
			continue
		}
		if i := bytes.LastIndexByte(c.text[seen:], '\n'); i >= 0 {
			return seen + i + 1, nil
		}
		seen = len(c.text)
		if seen > longestLine {
			return 0, nil
		}
	}
}
