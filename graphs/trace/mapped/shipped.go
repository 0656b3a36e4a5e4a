package mapped

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/pota-project/pota/graphs/internal/nearmiss"
	"github.com/pota-project/pota/graphs/trace"
)

//go:embed mappings/*.json
var files embed.FS

// shipped are the mappings in the binary. They are parsed on first use.
var shipped = sync.OnceValue(func() []*Mapping {
	entries, err := files.ReadDir("mappings")
	if err != nil {
		panic(err) // this cannot happen, because the files are part of the program
	}
	var all []*Mapping
	for _, e := range entries {
		text, err := files.ReadFile(path.Join("mappings", e.Name()))
		if err != nil {
			panic(err) // this cannot happen, because the files are part of the program
		}
		m, err := Parse(e.Name(), text)
		if err != nil {
			panic(err) // this cannot happen, because the tests read all of them
		}
		m.Name = strings.TrimSuffix(e.Name(), ".json")
		all = append(all, m)
	}
	return all
})

// Shipped returns the mappings that come with the program, ordered by name. The slice
// must not be changed.
func Shipped() []*Mapping { return shipped() }

// Text returns the text of the shipped mapping of that name. The error is a *trace.Error.
func Text(name string) (string, error) {
	text, err := files.ReadFile("mappings/" + name + ".json")
	if err != nil {
		hint := nearmiss.HintOrList(name, names())
		return "", &trace.Error{File: name, Msg: "no mapping of that name comes with pota" + hint + "; with --guess, it is a log for which one is guessed"}
	}
	return string(text), nil
}

// names returns the names of the shipped mappings.
func names() []string {
	var all []string
	for _, m := range Shipped() {
		all = append(all, m.Name)
	}
	return all
}

// longest is how many bytes a mapping file may have.
const longest = 16 << 20

// Lookup returns the shipped mapping of that name, or else reads the mapping file at
// that path. Errors are *trace.Error.
func Lookup(ctx context.Context, nameOrPath string) (*Mapping, error) {
	if i := slices.Index(names(), nameOrPath); i >= 0 {
		return Shipped()[i], nil
	}
	text, err := trace.ReadFile(ctx, nameOrPath, longest)
	if err == nil {
		return Parse(nameOrPath, text)
	}
	e, ok := err.(*trace.Error)
	if !ok {
		e = trace.OpenError(nameOrPath, err)
	}
	if errors.Is(err, fs.ErrNotExist) {
		e.Msg = "neither a mapping nor a mapping file" + nearmiss.HintOrList(nameOrPath, names())
	}
	return nil, e
}

// Columns reports whether the first line of each file of the log names columns.
func (m *Mapping) Columns() bool {
	return m.line.root.form != nil && m.line.root.form.kind == byColumns
}

// OfFiles reports whether processes are named by files, not by lines.
func (m *Mapping) OfFiles() bool { return m.fileNames != "" }

// Detect reports whether a line at the beginning of a log is an event of the mapping:
// it is what the mapping calls an event, and has a process and, where the mapping has
// clocks or labels, those.
func (m *Mapping) Detect(head []byte) bool {
	// Blank lines say nothing, and the first of CSV must be the one that names the columns.
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte(trace.ByteOrderMark)), "\r\n")
	head = append(head[:len(head):len(head)], '\n') // a copy
	c := chunk{walker: m.walker(), columns: &columns{}, skip: true}
	piece := trace.Piece{First: true}
	// Line by line, as the first one mostly tells.
	for piece.Text = range bytes.Lines(head) {
		c.walk(&piece)
		piece.First = false
		for _, line := range c.lines {
			if m.isEvent(c.walker.rows[line.row:], c.walker.text) {
				return true
			}
		}
	}
	return false
}

// isEvent reports whether a line is an event.
func (m *Mapping) isEvent(row []value, line []byte) bool {
	if !m.events.holds(row, line) {
		return false
	}
	if _, bad := m.process.render(nil, row, line); bad >= 0 {
		return false
	}
	if m.label != nil {
		if _, bad := m.label.render(nil, row, line); bad >= 0 {
			return false
		}
	}
	return m.clock < 0 || row[m.clock].kind == objectKind || row[m.clock].kind == arrayKind
}
