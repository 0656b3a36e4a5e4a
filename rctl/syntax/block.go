package syntax

// A block allocates formulas, expressions and lists of their operands many at a time.
type block struct {
	formulas []Formula
	operands []*Formula
	size     int

	exprs []Expr
	args  []*Expr
	more  int // how many expressions are allocated next
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

// expr returns a new expression with room for a number of operands.
func (b *block) expr(operands int) *Expr {
	if len(b.exprs) == 0 {
		b.more = min(max(4, 2*b.more), maxBlock)
		b.exprs = make([]Expr, b.more)
	}
	e := &b.exprs[0]
	b.exprs = b.exprs[1:]
	switch {
	case operands > 4:
		e.Args = make([]*Expr, operands)
	case operands > 0:
		if len(b.args) < operands {
			b.args = make([]*Expr, max(4, 2*b.more))
		}
		e.Args = b.args[:operands:operands]
		b.args = b.args[operands:]
	}
	return e
}
