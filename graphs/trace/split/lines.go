package split

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/execution"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
	"github.com/pota-project/pota/graphs/trace/mapped"
)

// mapped splits a log that a mapping describes. Lines stay unchanged.
func (s *splitter) mapped(r *bufio.Reader) error {
	m, err := mapped.Lookup(s.ctx, s.opts.Map)
	if err != nil {
		return err
	}
	// Without a key or pattern, all lines would belong to one execution, and there would be nothing
	// to split.
	if s.opts.Key == "" && s.opts.Pattern == nil {
		return s.errorAt(0, "a log needs a key, or a pattern, that names the execution of each line")
	}
	// Pieces of several inputs are joined to one text, which loses the names of files.
	if m.OfFiles() {
		return s.errorAt(0, "the mapping takes processes from the names of files, and lines that are brought together no longer have one")
	}
	first := 1
	// The header is repeated before the pieces of each execution, because each execution is read as
	// a separate log.
	if m.Columns() {
		text, long, err := s.line(r)
		if err != nil && err != io.EOF || long {
			return s.errorAt(1, "the line with the names of columns cannot be read")
		}
		s.head, first = string(bytes.TrimRight(text, "\r\n")), 2
	}
	return s.lines(r, first, func(text []byte, line int) error {
		name, err := s.keyOf(text, line)
		if err != nil {
			return s.refuse(err, text)
		}
		return s.give(&Piece{Key: name, Name: name, Text: string(text), Line: line})
	})
}

// keyOf returns the execution of a line of a log.
func (s *splitter) keyOf(text []byte, line int) (string, *trace.Error) {
	// A pattern works on any text; a key requires that the line is a JSON object.
	if s.opts.Pattern != nil {
		if m := s.opts.Pattern.FindSubmatch(text); len(m) > 1 && len(m[1]) > 0 {
			return string(m[1]), nil
		}
		return "", s.errorAt(line, "the pattern %s finds no execution in the line", trace.Quote(s.opts.Pattern.String()))
	}
	members, err := s.members(text, line)
	if err != nil {
		return "", err
	}
	for _, m := range members {
		// The first member with the key counts: the mapping decides about repeated keys.
		if m.name == s.opts.Key {
			return s.keyIn(m)
		}
	}
	return "", s.errorAt(line, "%v", execution.Missing(s.opts.Key))
}

// keyIn returns the execution that a member names.
func (s *splitter) keyIn(m member) (string, *trace.Error) {
	name, err := execution.Name(m.raw)
	if err != nil {
		return "", s.errorAt(m.line, "%v", err)
	}
	return name, nil
}

// native makes a piece of a line in the native format. A header precedes the lines of each
// execution; a line that only says that an execution has ended belongs to no trace.
func (s *splitter) native(text []byte, line int) error {
	members, err := s.members(text, line)
	if err != nil {
		return s.refuse(err, text)
	}
	var name string
	// The line is rewritten without the key but with the values byte for byte, so that errors of
	// the format quote the user's text.
	var b strings.Builder
	closed := false
	for _, m := range members {
		if m.name != s.opts.Key {
			b.WriteString([]string{"{", ","}[min(b.Len(), 1)])
			b.Write(m.quoted())
			b.WriteByte(':')
			b.Write(m.raw)
			closed = closed || m.name == "closed" && len(members) == 2
			continue
		}
		// A repeated key is refused, even with equal values: neither execution would be more right.
		if name != "" {
			return s.refuse(s.errorAt(line, "%v", execution.Repeated(m.name)), text)
		}
		if name, err = s.keyIn(m); err != nil {
			return s.refuse(err, text)
		}
	}
	switch {
	case name != "" && closed:
		return nil
	case name != "":
		return s.give(&Piece{Key: name, Name: name, Format: "native", Text: b.String() + "}", Line: line})
	// A header has no key: it applies to the lines after it.
	case len(members) > 0 && members[0].name == "pota":
		s.head = string(text)
		return nil
	}
	return s.refuse(s.errorAt(line, "%v", execution.Missing(s.opts.Key)), text)
}

// A member is a member of an object, or an element of an array, without a name.
type member struct {
	name string
	raw  []byte // the value
	line int    // the line where the value begins
}

// quoted returns the name as a JSON string.
func (m *member) quoted() []byte {
	text, _ := jsontext.AppendQuote(nil, m.name) // the name was read as JSON
	return text
}

// text returns the content of a string, or the text of another value.
func (m *member) text() string {
	// Kind inspects the first byte only, so a number or a boolean is not parsed.
	if jsontext.Value(m.raw).Kind() != '"' {
		return string(m.raw)
	}
	text, _ := jsontext.AppendUnquote(nil, m.raw) // raw was read as JSON
	return string(text)
}

// members returns the members of the object that is the whole text. Line is where it begins.
func (s *splitter) members(text []byte, line int) ([]member, *trace.Error) {
	// The parser would also reject a line of words, but report a single letter.
	if jsontext.Value(text).Kind() != '{' {
		return nil, s.errorAt(line, "an object is expected here")
	}
	return s.parts(text, line, true)
}

// elements returns the elements of an array.
func (s *splitter) elements(text []byte, line int) ([]member, *trace.Error) {
	return s.parts(text, line, false)
}

// parts returns the members of an object or the elements of an array. It omits null, which in all
// these formats means absent.
func (s *splitter) parts(text []byte, line int, object bool) (all []member, wrong *trace.Error) {
	err := s.values.Text(s.name, line, text, func(r *jsonstream.Reader) {
		next := func(name string) {
			at := r.Next().Line
			if v := r.Value(); r.Err() == nil && v.Kind() != 'n' {
				all = append(all, member{name, v, at})
			}
		}
		if object {
			r.Object(func(key []byte) { next(string(key)) })
		} else {
			r.Array(func() { next("") })
		}
	})
	wrong, _ = errors.AsType[*trace.Error](err)
	return all, wrong
}
