package native

import (
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
