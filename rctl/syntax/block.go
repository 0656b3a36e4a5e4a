package syntax

// A block allocates formulas and lists of operands many at a time.
type block struct {
	formulas []Formula
	operands []*Formula
	size     int
}

const maxBlock = 1024

// node returns a new formula with room for a number of operands.
func (b *block) node(op Op, operands, pos int) *Formula {
	if len(b.formulas) == 0 {
		b.size = min(max(4, 2*b.size), maxBlock)
		b.formulas = make([]Formula, b.size)
	}
	f := &b.formulas[0]
	b.formulas = b.formulas[1:]
	f.Op, f.Pos = op, pos
	switch {
	case operands > 4:
		f.Sub = make([]*Formula, operands)
	case operands > 0:
		if len(b.operands) < operands {
			b.operands = make([]*Formula, max(4, 2*b.size))
		}
		f.Sub = b.operands[:operands:operands]
		b.operands = b.operands[operands:]
	}
	return f
}
