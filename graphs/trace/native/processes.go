package native

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace/internal/symbols"
)

// processes numbers the names of processes twice: a symbol for each name that is
// mentioned, and a number for each process that exists, that is, has a line of its
// own.
type processes struct {
	symbols  symbols.Table
	numbers  []int32 // by symbol; -1 for a name only mentioned
	existing []string
	symbolOf []int32 // of the names of the current chunk; -1 before it is looked up
}

// in returns the symbol of a name of the current chunk.
func (p *processes) in(c *chunk, name int32) int32 {
	if p.symbolOf[name] < 0 {
		p.symbolOf[name] = p.symbol(c.names.At(name))
	}
	return p.symbolOf[name]
}

// symbol returns the symbol of a name.
func (p *processes) symbol(name []byte) int32 {
	s := p.symbols.Intern(name)
	if int(s) == len(p.numbers) {
		p.numbers = append(p.numbers, -1)
	}
	return s
}

// number returns the number of the process with a name of the current chunk,
// which exists from now on.
func (p *processes) number(b *graphs.Builder, c *chunk, name int32) int {
	s := p.in(c, name)
	if p.numbers[s] < 0 {
		text := string(c.names.At(name))
		p.numbers[s] = int32(b.Process(text))
		p.existing = append(p.existing, text)
	}
	return int(p.numbers[s])
}

// names returns the names of the processes that exist.
func (p *processes) names() []string { return p.existing }
