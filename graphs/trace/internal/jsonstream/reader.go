package jsonstream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/nearmiss"
	"github.com/pota-project/pota/graphs/trace"
)

// A Place is the position at which a value begins. The zero Place is unknown.
type Place struct {
	File         string
	Line, Column int
}

// Errorf returns an error at p. Characters that cannot stand in one line are escaped,
// as in a Go string.
func (p Place) Errorf(format string, args ...any) *trace.Error {
	msg := graphs.Printable(fmt.Sprintf(format, args...))
	return &trace.Error{File: p.File, Line: p.Line, Column: p.Column, Msg: msg}
}

// A Reader interns up to internMost strings of at most internLongest bytes, so that equal ones
// share their memory.
const (
	internMost    = 1 << 12
	internLongest = 96
)

// A Reader reads one input at a time. It keeps the first error; after that it reads nothing more,
// and its methods return zero values.
type Reader struct {
	err      error
	ctx      context.Context
	opts     *trace.Options
	name     string
	text     lookback
	dec      *jsontext.Decoder
	at       int64  // the offset of the value read last
	objects  int    // how many objects were read
	key      []byte // the key of the last member
	scratch  []byte
	interned map[string]string // short strings by themselves, because keys and names repeat
}

// Each calls f to read each input of a source, one after the other, and closes the source. A value
// that is read at once may not be longer than a line. Errors are *trace.Error, the error of ctx, or
// the error of f, usually that of the Reader.
func Each(ctx context.Context, in *trace.Source, opts *trace.Options, f func(*Reader) error) error {
	r := newReader(ctx, opts)
	return in.Each(ctx, func(in *trace.Input) error {
		r.reset(in.Name, in)
		return f(r)
	})
}

// One is Each for a single input that is not compressed.
func One(ctx context.Context, name string, in io.Reader, opts *trace.Options, f func(r *Reader) error) error {
	r := newReader(ctx, opts)
	r.reset(name, in)
	return f(r)
}

// newReader returns a Reader without an input.
func newReader(ctx context.Context, opts *trace.Options) *Reader {
	r := &Reader{ctx: ctx, opts: opts, interned: make(map[string]string)}
	r.text.ctx = ctx
	r.text.most = int64(opts.LongestLine())
	r.text.read = func() int64 { return r.dec.InputOffset() }
	return r
}

// reset begins to read another input, after its byte order mark.
func (r *Reader) reset(name string, in io.Reader) {
	buffered := bufio.NewReaderSize(in, 64<<10)
	if start, _ := buffered.Peek(3); bytes.Equal(start, []byte("\ufeff")) {
		buffered.Discard(3)
	}
	r.name, r.at = name, 0
	r.err = nil
	r.text.r, r.text.kept = buffered, r.text.kept[:0]
	r.text.base = 0
	r.text.line, r.text.column = 1, 1
	r.dec = jsontext.NewDecoder(&r.text)
}

// Err returns the first error, or nil. It is a *trace.Error, the error of the context, or one
// passed to Stop.
func (r *Reader) Err() error { return r.err }

// Stop records an error, unless there is one already.
func (r *Reader) Stop(err error) {
	if r.err == nil {
		r.err = err
	}
}

// Fail records an error at the value read last, unless there is one already.
func (r *Reader) Fail(format string, args ...any) {
	if r.err == nil {
		r.err = r.Errorf(format, args...)
	}
}

// More reports whether another document follows, or other text, which is then an error of the next
// read.
func (r *Reader) More() bool {
	if r.err != nil || r.dec.PeekKind() != jsontext.KindInvalid {
		return r.err == nil
	}
	_, err := r.dec.ReadToken()
	return err != io.EOF
}

// Next returns the place of the next value.
func (r *Reader) Next() Place {
	r.dec.PeekKind()
	r.at = r.text.next(r.dec.InputOffset())
	return r.place(r.at)
}

// place returns the place of an offset, which the lookback must still have.
func (r *Reader) place(offset int64) Place {
	r.text.advance(offset)
	return Place{r.name, r.text.line, r.text.column}
}

// Errorf returns an error at the value read last.
func (r *Reader) Errorf(format string, args ...any) *trace.Error {
	e := r.place(r.at).Errorf(format, args...)
	if p := r.dec.StackPointer(); p != "" {
		e.Msg += fmt.Sprintf(" (at %s)", shown(p))
	}
	return e
}

// Unknown returns the error of a key that is not one of the known ones.
func (r *Reader) Unknown(key []byte, known ...string) *trace.Error {
	return r.Errorf("unknown key %s%s", trace.Quote(key), nearmiss.Hint(string(key), known))
}

// shown returns a pointer as text for a message, shortened and in one line.
func shown(pointer jsontext.Pointer) string {
	return graphs.Printable(graphs.Shorten(string(pointer), 200))
}

// CutOff reports whether an error says that the input ends inside a document.
func CutOff(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }

// syntax turns an error of the decoder into a *trace.Error, or the error of the context.
func (r *Reader) syntax(err error) error {
	var known *trace.Error
	if errors.As(err, &known) {
		return known
	}
	var s *jsontext.SyntacticError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return r.ctx.Err()
	case errors.Is(err, errTooLong):
		return r.tooLong(r.text.next(r.dec.InputOffset()))
	case err == io.EOF:
		s = &jsontext.SyntacticError{ByteOffset: r.dec.InputOffset(), Err: io.ErrUnexpectedEOF}
		err = s
	case !errors.As(err, &s):
		return trace.Wrap(r.name, 0, err)
	}
	r.at = s.ByteOffset
	e := r.place(r.at).Errorf("%s", s.Err)
	e.Err = err
	where := s.JSONPointer
	switch {
	case errors.Is(s.Err, io.ErrUnexpectedEOF):
		e.Msg = "the JSON text ends too soon"
	case s.Err == jsontext.ErrDuplicateName:
		e.Msg = fmt.Sprintf("the key %q is given twice", s.JSONPointer.LastToken())
		where = s.JSONPointer.Parent()
	}
	if where != "" {
		e.Msg += fmt.Sprintf(" (at %s)", shown(where))
	}
	return e
}

// kinds names the kinds of values, for messages.
var kinds = map[jsontext.Kind]string{
	'n': "null", 'f': "false", 't': "true", '"': "a string", '0': "a number",
	'{': "an object", '[': "an array",
}

// Kind returns the kind of the next value.
func (r *Reader) Kind() jsontext.Kind { return r.dec.PeekKind() }

// token reads a token. It sets r.at correctly only for tokens of one byte, such as brackets.
func (r *Reader) token() {
	if r.err != nil {
		return
	}
	if _, err := r.dec.ReadToken(); err != nil {
		r.err = r.syntax(err)
		return
	}
	r.at = r.dec.InputOffset() - 1
	r.text.trim(r.at)
}

// Object reads an object. It calls member with the key of each member that is not null; member must
// read the value, and key is valid until then.
func (r *Reader) Object(member func(key []byte)) {
	r.begin("an object", '{')
	r.objects++
	// Checking for each object would cost too much; a time limit may be late by microseconds.
	if r.objects%1024 == 0 {
		r.Stop(r.ctx.Err())
	}
	for r.err == nil && r.dec.PeekKind() == '"' {
		// The decoder and the scratch buffer may overwrite the key when the next token is peeked
		// at.
		r.key = append(r.key[:0], r.unquote(r.Value())...)
		switch {
		case r.err != nil:
		case r.dec.PeekKind() == 'n':
			r.token()
		default:
			member(r.key)
		}
	}
	r.token()
}

// Array reads an array. It calls element for each element; element must read it.
func (r *Reader) Array(element func()) {
	r.begin("an array", '[')
	for r.err == nil {
		switch r.dec.PeekKind() {
		case ']', jsontext.KindInvalid:
			r.token()
			return
		}
		element()
	}
}

// begin reads a scalar, or the opening bracket of an object or an array, whose kind must be an
// allowed one.
func (r *Reader) begin(want string, allowed ...jsontext.Kind) (v jsontext.Value) {
	k := r.dec.PeekKind()
	if k == '{' || k == '[' {
		r.token()
	} else if v = r.Value(); len(v) > r.opts.LongestLine() {
		r.Stop(r.tooLong(r.at))
	}
	if r.err == nil && !slices.Contains(allowed, k) {
		r.Fail("%s is expected here, not %s", want, kinds[k])
	}
	return v
}

// tooLong returns the error of a token at offset that is too long.
func (r *Reader) tooLong(offset int64) *trace.Error {
	r.at = offset
	return r.place(offset).Errorf("a value %s", r.opts.TooLong())
}

// unquote returns the decoded string, without a copy if it has no escapes.
func (r *Reader) unquote(v jsontext.Value) []byte {
	switch {
	case r.err != nil:
		return nil
	case bytes.IndexByte(v, '\\') < 0:
		return v[1 : len(v)-1]
	}
	var err error
	if r.scratch, err = jsontext.AppendUnquote(r.scratch[:0], v); err != nil {
		r.Stop(r.syntax(err))
	}
	return r.scratch
}

// Bytes reads a string. The result is valid until the next value is read.
func (r *Reader) Bytes() []byte { return r.unquote(r.begin("a string", '"')) }

// String reads a string.
func (r *Reader) String() string {
	b := r.Bytes()
	s, known := r.interned[string(b)]
	if !known {
		s = string(b)
		if len(r.interned) == internMost {
			clear(r.interned)
		}
		if len(b) <= internLongest {
			r.interned[s] = s
		}
	}
	return s
}

// Bool reads true or false.
func (r *Reader) Bool() bool {
	v := r.begin("true or false", 't', 'f')
	return r.err == nil && v[0] == 't'
}

// Number reads a number or a string and returns its text; quoted says whether it is a string. The
// text is valid until the next value is read.
func (r *Reader) Number() (text []byte, quoted bool) {
	v := r.begin("a number", '0', '"')
	if r.err != nil || v.Kind() == '0' {
		return v, false
	}
	return r.unquote(v), true
}

// Int reads an integer of 64 bits, quoted or not.
func (r *Reader) Int() int64 {
	text, _ := r.Number()
	i, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		r.Fail("%s is not an integer of 64 bits", trace.Quote(text))
	}
	return i
}

// Uint reads an integer of the given number of bits, at least 0, quoted or not.
func (r *Reader) Uint(bits int) uint64 {
	text, _ := r.Number()
	u, err := strconv.ParseUint(string(text), 10, bits)
	if err != nil {
		r.Fail("%s is not an integer from 0 up of %d bits", trace.Quote(text), bits)
	}
	return u
}

// Value reads a value of any kind and returns its text as spelled in the input. It is valid until
// the next value is read.
func (r *Reader) Value() jsontext.Value {
	if r.err != nil {
		return nil
	}
	v, err := r.dec.ReadValue()
	if err != nil {
		r.err = r.syntax(err)
		return nil
	}
	r.at = r.dec.InputOffset() - int64(len(v))
	r.text.trim(r.at)
	return v
}

// JSON reads a value of any kind and returns its text, without white space and unnecessary escapes.
func (r *Reader) JSON() string {
	v := r.Value().Clone()
	if r.err == nil {
		if err := v.Format(); err != nil {
			r.Stop(r.syntax(err))
		}
	}
	return string(v)
}

// Skip skips a value of any kind, in constant memory.
func (r *Reader) Skip() {
	depth := r.dec.StackDepth()
	// By tokens, because reading a large value at once would keep all of it in memory.
	for r.token(); r.err == nil && r.dec.StackDepth() != depth; {
		r.token()
	}
}
