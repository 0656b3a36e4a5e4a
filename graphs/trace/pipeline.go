package trace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
)

// A pipeline cuts the inputs of a source into chunks and has them scanned. Three
// stages: one goroutine reads, some scan, and whoever calls next gets the chunks
// in order.
type pipeline struct {
	ctx    context.Context
	source *Source
	names  []string // of files opened so far; (1) grows before a chunk of the file is handed on
	mutex  sync.Mutex

	truncated bool // files may be cut off

	free  chan *chunk
	work  chan *chunk // to be scanned
	order chan *chunk // the same in order
	err   error       // of opening a file; set before order is closed
}

// start starts the goroutines; they end soon after the end of the source or of
// ctx. With truncated, an unfinished last line of a file is dropped.
func start(ctx context.Context, source *Source, truncated bool) *pipeline {
	workers := runtime.GOMAXPROCS(0)
	chunks := 2*workers + 2
	p := &pipeline{
		ctx: ctx, source: source, truncated: truncated,
		free:  make(chan *chunk, chunks),
		work:  make(chan *chunk, chunks),
		order: make(chan *chunk, chunks),
	}
	for range chunks {
		p.free <- &chunk{scanned: make(chan struct{}, 1)}
	}
	go p.read()
	for range workers {
		go func() {
			for c := range p.work {
				c.scan()
				c.scanned <- struct{}{}
			}
		}()
	}
	return p
}

// next returns the next chunk, scanned; nil at the end or when ctx is done. It is
// given back with release.
func (p *pipeline) next() *chunk {
	select {
	case c := <-p.order:
		if c == nil {
			return nil
		}
		select {
		case <-c.scanned:
			return c
		case <-p.ctx.Done():
		}
	case <-p.ctx.Done():
	}
	return nil
}

func (p *pipeline) release(c *chunk) {
	c.reset()
	p.free <- c
}

// name returns the name of a file.
func (p *pipeline) name(file int) string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.names[file]
}

// read reads all inputs.
func (p *pipeline) read() {
	defer close(p.order)
	defer close(p.work)
	defer p.source.Close()
	for file := 0; ; file++ {
		in, err := p.source.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			p.err = err
			return
		}
		p.mutex.Lock()
		p.names = append(p.names, in.Name)
		p.mutex.Unlock()
		ok := p.readInput(in, file)
		in.Close()
		if !ok {
			return
		}
	}
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// readInput hands on the chunks of one input and reports whether to go on. What
// follows the last line end of a chunk begins the next one.
func (p *pipeline) readInput(in *Input, file int) bool {
	var rest []byte
	for first := true; ; first = false {
		c := p.take()
		if c == nil {
			return false
		}
		c.file = file
		if first {
			c.size = in.size
		}
		c.text = append(c.text, rest...)
		end, err := fill(in, c)
		if p.truncated && errors.Is(err, io.ErrUnexpectedEOF) {
			err = io.EOF
			c.cut = "its compressed data ends too soon"
		}
		if err != nil && err != io.EOF {
			c.failure = err
		}
		if first && bytes.HasPrefix(c.text, byteOrderMark) {
			c.text = c.text[len(byteOrderMark):]
			end = max(0, end-len(byteOrderMark))
		}
		rest = append(rest[:0], c.text[end:]...)
		c.text = c.text[:end]
		if err == io.EOF && len(rest) > 0 {
			if p.truncated && unfinished(rest) {
				c.cut = fmt.Sprintf("a last line of %d bytes is unfinished", len(rest))
			} else {
				c.text = append(append(c.text, rest...), '\n')
				c.noEnd = true
			}
		}
		if err == nil && len(c.text) == 0 {
			c.failure = &Error{File: in.Name, Msg: "a line of more than a gigabyte"}
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

func (p *pipeline) take() *chunk {
	if p.ctx.Err() != nil {
		return nil
	}
	select {
	case c := <-p.free:
		return c
	case <-p.ctx.Done():
		return nil
	}
}

// fill reads until the chunk is full and has a line end, and returns where the
// last line ends; 0 without an error when the line is too long.
func fill(in *Input, c *chunk) (end int, err error) {
	seen := 0
	for {
		if len(c.text) == cap(c.text) {
			c.text = slices.Grow(c.text, chunkSize)
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

// unfinished reports whether a line stops inside an object.
func unfinished(line []byte) bool {
	line = bytes.TrimLeft(line, " \t\r")
	if len(line) == 0 || line[0] != '{' {
		return false
	}
	depth, quoted, escaped := 0, false, false
	for _, b := range line {
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped = b == '\\'
			quoted = b != '"'
		case b == '"':
			quoted = true
		case b == '{' || b == '[':
			depth++
		case b == '}' || b == ']':
			depth--
		}
	}
	return quoted || depth > 0
}
