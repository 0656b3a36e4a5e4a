package order

import (
	"bytes"
	"context"
	"slices"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
)

// A File is the content of an order file.
type File struct {
	name       string
	statements []statement
}

// A statement is a line: a chain of events, or an order by a variable.
type statement struct {
	line      int
	chain     []word
	by        word
	processes []word // patterns; nil for all processes
}

// A word is a string with its column.
type word struct {
	text   string
	column int
}

// maxSize bounds an order file in bytes, because it is held in memory.
const maxSize = 32 << 20

// Open reads the order file at a path. Errors are *trace.Error or the error of ctx.
func Open(ctx context.Context, path string) (*File, error) {
	text, err := trace.ReadFile(ctx, path, maxSize)
	if err != nil {
		return nil, err
	}
	return Read(text, path)
}

// Read reads the text of an order file; name is its name in errors. Errors are *trace.Error.
func Read(text []byte, name string) (*File, error) {
	f := &File{name: name}
	var trees jsonstream.TreeReader
	p := &parser{}
	p.keys = map[string]func(*jsonstream.Tree){
		"edge":      p.readChain,
		"by":        func(t *jsonstream.Tree) { p.by = word{p.String(t, "the name of a variable"), t.Column} },
		"processes": p.readProcesses,
	}
	number := 0
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte(trace.ByteOrderMark))) {
		number++
		line = bytes.TrimRight(line, "\r\n")
		if start := bytes.TrimLeft(line, " \t"); len(start) == 0 || start[0] == '#' {
			continue
		}
		t, err := trees.Read(name, number, line)
		if err != nil {
			return nil, err
		}
		p.statement = statement{line: number}
		if p.read(t); p.Err() != nil {
			return nil, p.Err()
		}
		f.statements = append(f.statements, p.statement)
	}
	return f, nil
}

// A parser parses lines to statements.
type parser struct {
	jsonstream.Checker
	statement
	keys map[string]func(*jsonstream.Tree)
}

// read reads the object of a line as a statement.
func (p *parser) read(t *jsonstream.Tree) {
	p.Fields(t, "a line", p.keys)
	edge, by, processes := t.Member("edge"), t.Member("by"), t.Member("processes")
	switch {
	case edge != nil && by != nil:
		p.Fail(by, `a line has "edge" or "by", not both`)
	case edge != nil && processes != nil:
		p.Fail(processes, `"processes" goes with "by", not with "edge"`)
	case edge == nil && by == nil:
		p.Fail(t, `neither "edge" nor "by": a line orders events, or assignments of a variable`)
	}
}

// readChain reads the ids of events, each of which happened before the next.
func (p *parser) readChain(t *jsonstream.Tree) {
	p.chain = p.words(t, "edge", "the id of an event")
	if n := len(p.chain); n < 2 {
		p.Fail(t, "edge orders two or more events, not %d", n)
	}
	seen := make(map[string]bool, len(p.chain))
	for i, w := range p.chain {
		switch {
		case w.text == "⊥" || w.text == "⊤":
			p.Fail(t.Items[i], "%s cannot be ordered (only edges of a trace name it)", w.text)
		case seen[w.text]:
			p.Fail(t.Items[i], "%q occurs twice: an event cannot happen before itself", w.text)
		}
		seen[w.text] = true
	}
}

// readProcesses reads the patterns that select the processes of a statement.
func (p *parser) readProcesses(t *jsonstream.Tree) {
	switch {
	case t.Kind == '"':
		p.processes = []word{{t.Text, t.Column}}
	case t.Kind == '[' && len(t.Items) == 0:
		p.Fail(t, "processes must not be empty: leave the key out for all processes")
	case t.Kind == '[':
		p.processes = p.words(t, "processes", "a pattern of names of processes")
	default:
		p.Fail(t, "processes is a pattern of names of processes, a string, or an array of them, not %v", t)
	}
}

// words reads an array of strings.
func (p *parser) words(t *jsonstream.Tree, what, each string) (all []word) {
	p.Each(t, what, func(t *jsonstream.Tree) { all = append(all, word{p.String(t, each), t.Column}) })
	return all
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
