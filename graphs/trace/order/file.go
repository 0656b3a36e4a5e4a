package order

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/pota-project/pota/graphs/trace"
)

// A File is what an order file says.
type File struct {
	name       string
	statements []statement
}

// statement is a line: a chain of events, or an order by a variable.
type statement struct {
	line      int
	chain     []word
	by        word
	processes []word // patterns; nil for all processes
}

// word is a string and where it stands.
type word struct {
	text   string
	column int
}

// Open reads the order file at a path. Errors are *trace.Error.
func Open(path string) (*File, error) {
	source, err := trace.Open(path)
	if err != nil {
		return nil, err
	}
	if source.Directory() {
		return nil, &trace.Error{File: path, Msg: "a directory is no order file"}
	}
	in, err := source.Next()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return Read(in, path)
}

// Read reads an order file; name is what errors call it. Errors are *trace.Error.
func Read(r io.Reader, name string) (*File, error) {
	f := &File{name: name}
	lines := bufio.NewReaderSize(r, 64<<10)
	for number := 1; ; number++ {
		text, err := lines.ReadBytes('\n')
		if err != nil && err != io.EOF {
			var known *trace.Error
			if errors.As(err, &known) {
				return nil, known
			}
			return nil, &trace.Error{File: name, Line: number, Msg: err.Error(), Err: err}
		}
		if number == 1 {
			text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
		}
		text = bytes.TrimRight(text, "\r\n")
		if start := bytes.TrimLeft(text, " \t"); len(start) > 0 && start[0] != '#' {
			s := scanner{text: text}
			stated, ok := s.statement()
			if !ok {
				return nil, &trace.Error{File: name, Line: number, Column: s.column(s.at), Msg: s.msg}
			}
			stated.line = number
			f.statements = append(f.statements, stated)
		}
		if err == io.EOF {
			return f, nil
		}
	}
}

// Variables returns the names of the variables that f orders by, sorted.
func (f *File) Variables() []string {
	var names []string
	for _, s := range f.statements {
		if s.chain == nil {
			names = append(names, s.by.text)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
