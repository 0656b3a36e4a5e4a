package native

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/graphs/trace/internal/symbols"
)

// processes numbers the names of processes twice: a symbol for each name that is
// mentioned, and a number for each process that exists, that is, has a line of its
// own or is the receiver of a message.
type processes struct {
	symbols  symbols.Table
	numbers  []int32 // by symbol; -1 for a name only mentioned
	symbolOf []int32 // of the names of the current chunk; -1 before it is looked up
	line     []int32 // number of the process of each line of the current chunk; -1 for none
}

// ofLines finds the processes of the lines of a chunk: of many processes that is faster
// for many lines at a time.
func (p *processes) ofLines(b *graphs.Builder, c *chunk) {
	p.line = slices.Grow(p.line[:0], len(c.lines))
	// -1 stands for lines without a process of their own.
	for i := range c.lines {
		n := int32(-1)
		if l := &c.lines[i]; l.kind == eventLine || l.kind == processLine {
			n = int32(p.number(b, c, l.name))
		}
		p.line = append(p.line, n)
	}
}

// in returns the symbol of a name of the current chunk.
func (p *processes) in(c *chunk, name int32) int32 {
	// The table of the process is asked once for each name of a chunk.
	if p.symbolOf[name] < 0 {
		p.symbolOf[name] = p.symbol(c.names.At(name))
	}
	return p.symbolOf[name]
}

// symbol returns the symbol of a name, a new one for a name not mentioned before.
func (p *processes) symbol(name []byte) int32 {
	s := p.symbols.Intern(name)
	// dense.Append doubles the list when it is full: few copies, however many names.
	if int(s) == len(p.numbers) {
		p.numbers = dense.Append(p.numbers, -1)
	}
	return s
}

// number returns the number of the process with a name of the current chunk. From now on the
// process exists.
func (p *processes) number(b *graphs.Builder, c *chunk, name int32) int {
	n := &p.numbers[p.in(c, name)]
	if *n < 0 {
		*n = int32(b.NewProcess(string(c.names.At(name))))
	}
	return int(*n)
}
