package syntax

// A block allocates formulas and expressions many at a time.
type block struct {
	formulas pool[Formula]
	exprs    pool[Expr]
}

// node returns a new formula with room for a number of operands.
func (b *block) node(op Op, operands, pos int) *Formula {
	f, sub := b.formulas.take(operands)
	f.Op = op
	f.Pos = pos
	f.Sub = sub
	return f
}

// expr returns a new expression with room for a number of operands.
func (b *block) expr(operands int) *Expr {
	e, args := b.exprs.take(operands)
	e.Args = args
	return e
}

// A pool hands out values and room for lists of their operands, both allocated in blocks.
type pool[T any] struct {
	values   []T
	operands []*T
	size     int // of the values allocated last
}

const maxBlock = 1024

// take returns a new value and a list of a number of operands, nil for 0.
func (p *pool[T]) take(operands int) (x *T, list []*T) {
	if len(p.values) == 0 {
		p.size = min(max(4, 2*p.size), maxBlock)
		p.values = make([]T, p.size)
	}

	x, p.values = &p.values[0], p.values[1:]
	switch {
	case operands > 4:
		list = make([]*T, operands)
	case operands > 0:
		if len(p.operands) < operands {
			p.operands = make([]*T, max(4, 2*p.size))
		}
		list, p.operands = p.operands[:operands:operands], p.operands[operands:]
	}

	return x, list
}
