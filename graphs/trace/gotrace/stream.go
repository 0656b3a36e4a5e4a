package gotrace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	gotrace "golang.org/x/exp/trace"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
)

// The header of every trace is go 1.N trace and three zero bytes, 16 bytes in all.
const (
	magicStart = "go 1."
	magicEnd   = " trace\x00\x00\x00"
	magicLen   = 16
	oldest     = 22 // the first version with generations
)

// Detect reports whether a file begins like an execution trace.
func Detect(head []byte) bool {
	_, ok := version(head)
	return ok
}

// version returns the minor version of Go in the header of a trace.
func version(head []byte) (int, bool) {
	if len(head) < magicLen || !bytes.HasPrefix(head, []byte(magicStart)) {
		return 0, false
	}
	v, n := 0, len(magicStart)
	for n < magicLen && head[n] >= '0' && head[n] <= '9' {
		v = 10*v + int(head[n]-'0')
		n++
	}
	return v, n > len(magicStart) && bytes.HasPrefix(head[n:], []byte(magicEnd))
}

// A stream reads records from a trace. It is also the Reader of its input, to remember how the
// input ended.
type stream struct {
	name    string
	in      io.Reader
	reader  *gotrace.Reader
	forgive bool // whether a truncated trace simply ends
	some    bool // whether there was an event that matters
	cut     bool // whether the trace was cut off

	ended bool
	err   error
}

// open checks the header and prepares to read the rest.
func open(in *trace.Input, allowTruncated bool) (*stream, error) {
	head := make([]byte, magicLen)
	n, err := io.ReadFull(in, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	v, ok := version(head[:n])
	switch {
	case !ok:
		const msg = `not an execution trace of Go, which starts with "go 1.N trace"`
		return nil, trace.Errorf(in.Name, 0, msg)
	case v < oldest:
		const msg = "a trace of Go 1.%d: only those of Go 1.%d and later are read"
		return nil, trace.Errorf(in.Name, 0, msg, v, oldest)
	}
	s := &stream{name: in.Name, in: in, forgive: allowTruncated}
	defer s.guard(&err)
	s.reader, err = gotrace.NewReader(io.MultiReader(bytes.NewReader(head), s))
	if err != nil {
		return nil, s.broken(err)
	}
	return s, nil
}

// guard turns a panic of the library into an error.
func (s *stream) guard(err *error) {
	if p := recover(); p != nil {
		*err = s.broken(fmt.Errorf("the reader of traces cannot go on: %v", p))
	}
}

// Read reads the input. If truncation is forgiven, compressed data that ends too soon simply ends.
func (s *stream) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.in.Read(p)
	if s.forgive && errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	if err == io.EOF {
		s.ended = true
	} else {
		s.err = err
	}
	return n, err
}

// broken describes an error of the library.
func (s *stream) broken(err error) error {
	if s.err != nil {
		return s.err
	}
	msg, _, _ := strings.Cut(err.Error(), "\n")
	msg = strings.TrimSuffix(strings.TrimPrefix(msg, "broken trace: "), ":")
	msg = graphs.Printable(graphs.Shorten(msg, 200))
	return &trace.Error{File: s.name, Msg: "broken trace: " + msg, Err: err}
}

// cutOff reports whether an error is caused by the end of the input.
func (s *stream) cutOff(err error) bool {
	switch {
	case !s.ended:
		return false
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return true
	}
	ends := []string{"trace likely truncated", "failed to read full batch", "no frequency event found", "no clock snapshot event found"}
	return slices.ContainsFunc(ends, func(end string) bool { return strings.Contains(err.Error(), end) })
}

// next reads an event and passes it to take, which reports whether it matters. It returns an error
// if the library panics, also in take, and io.EOF at the end.
func (s *stream) next(take func(e gotrace.Event) bool) (err error) {
	defer s.guard(&err)
	e, err := s.reader.ReadEvent()
	switch {
	case err == io.EOF:
		return io.EOF
	case err != nil && s.forgive && s.some && s.cutOff(err):
		s.cut = true
		return io.EOF
	case err != nil && s.cutOff(err):
		msg := "the trace is cut off (use --allow-truncated to read it up to its last whole generation; " +
			"a program writes about one a second)"
		if s.forgive || !s.some {
			msg = "the trace is cut off in its first generation, which cannot be read without its end, " +
				"where its texts and the names of functions are (a program writes about one a second: " +
				"let it run for longer, or call trace.Stop before it ends)"
		}
		return &trace.Error{File: s.name, Msg: msg, Err: err}
	case err != nil:
		return s.broken(err)
	}
	s.some = take(e) || s.some
	return nil
}
