package native

import (
	"bytes"
	"cmp"
	"sort"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
)

// place is a line of a file; files count from 0, lines from 1.
type place struct {
	file int
	line int
}

// places remembers the lines of events: a run for each stretch of events on
// successive lines.
type places struct {
	runs []run
}

// A run is a stretch of events on successive lines, by its first event: event h is on line
// place.line + (h - event).
type run struct {
	event graphs.Handle
	place place
}

// add notes the place of the next event.
func (p *places) add(h graphs.Handle, at place) {
	if n := len(p.runs); n > 0 {
		// A log with a line for each event needs one run, so places cost next to nothing.
		last := p.runs[n-1]
		if last.place.file == at.file && at.line-last.place.line == int(h-last.event) {
			return
		}
	}
	p.runs = append(p.runs, run{h, at})
}

// of returns the place of an event.
func (p *places) of(h graphs.Handle) place {
	// The last run that begins at or before h.
	i := sort.Search(len(p.runs), func(i int) bool { return p.runs[i].event > h }) - 1
	r := p.runs[i]
	return place{r.place.file, r.place.line + int(h-r.event)}
}

// before reports whether p comes before q in the trace.
func (p place) before(q place) bool {
	return cmp.Or(cmp.Compare(p.file, q.file), cmp.Compare(p.line, q.line)) < 0
}

// locate returns the column of a fault of a file, 0 when the file cannot be read a second time.
func locate(file string, f *fault) int {
	// Standard input cannot be read a second time.
	if file == "-" {
		return 0
	}
	lines, err := trace.LinesAt(file, []int{f.where.line}, trace.LineLimit)
	if err != nil || lines[f.where.line] == nil {
		return 0
	}
	// The line is scanned again rather than kept: an error occurs once.
	c := new(chunk)
	c.scan(&trace.Piece{Text: append(lines[f.where.line], '\n')})
	for _, o := range c.ops {
		if o.kind == f.kind && bytes.Equal(c.word(o), f.word) {
			return c.column(o.at)
		}
	}
	return 1
}
