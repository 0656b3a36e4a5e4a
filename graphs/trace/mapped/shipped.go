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

	"github.com/pota-project/pota/graphs/nearmiss"
	"github.com/pota-project/pota/graphs/trace"
)

//go:embed mappings/*.json
var files embed.FS

// shipped returns the mappings in the binary. They are parsed at the first call.
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

// longest is the largest size of a mapping file, in bytes.
const longest = 16 << 20

// Lookup returns the shipped mapping of that name, or else reads the mapping file at
// that path. Text that begins with a brace is itself a mapping, for remote programs that do not have
// the file. Errors are *trace.Error or the error of ctx.
func Lookup(ctx context.Context, nameOrPath string) (*Mapping, error) {
	if strings.HasPrefix(nameOrPath, "{") {
		return Parse("the mapping", []byte(nameOrPath))
	}
	if i := slices.Index(names(), nameOrPath); i >= 0 {
		return Shipped()[i], nil
	}
	text, err := trace.ReadFile(ctx, nameOrPath, longest)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		const msg = "neither a mapping nor a mapping file%s"
		return nil, trace.Errorf(nameOrPath, 0, msg, nearmiss.HintOrList(nameOrPath, names()))
	case err != nil:
		return nil, err
	}
	return Parse(nameOrPath, text)
}

// columns reports whether the first line of each file names columns.
func (s *source) columns() bool {
	return s.line.root.form != nil && s.line.root.form.kind == byColumns
}

// Columns reports whether the first line of each file of the log names columns.
func (m *Mapping) Columns() bool {
	return slices.ContainsFunc(m.sources, func(s *source) bool { return s.columns() })
}

// OfFiles reports whether the meaning of a line depends on the name of its file, which gives its
// process or its form.
func (m *Mapping) OfFiles() bool {
	return len(m.sources) > 1 || slices.ContainsFunc(m.sources, func(s *source) bool { return s.fileNames != "" })
}

// Detect reports whether one of the first lines of a log is an event of the mapping: it
// satisfies the condition for events, and has a process and, if the mapping has clocks or
// labels, a clock and a label.
func (m *Mapping) Detect(head []byte) bool {
	// Leading blank lines are removed, because the first line of CSV must name the columns.
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte(trace.ByteOrderMark)), "\r\n")
	head = append(head[:len(head):len(head)], '\n') // a copy
	first := trace.Head(head)
	for _, s := range m.Skipping().sources {
		c := (&Mapping{sources: []*source{s}}).newChunk()
		var piece trace.Piece
		// Line by line, because the first one mostly decides.
		for piece.Text = range bytes.Lines(head) {
			c.walk(&piece)
			piece.Head = first
			for _, line := range c.lines {
				if s.isEvent(c.walker.rows[line.row:], c.walker.text) {
					return true
				}
			}
		}
	}
	return false
}

// isEvent reports whether a line is an event, in the sense of Detect.
func (s *source) isEvent(row []value, line []byte) bool {
	if !s.events.holds(row, line) {
		return false
	}
	if _, bad := s.process.render(nil, row, line); bad >= 0 {
		return false
	}
	labeled := slices.ContainsFunc(s.labels, func(l label) bool {
		_, bad := l.name.render(nil, row, line)
		return bad < 0
	})
	if s.labels != nil && !labeled {
		return false
	}
	return s.clock < 0 || row[s.clock].kind == objectKind || row[s.clock].kind == arrayKind
}
