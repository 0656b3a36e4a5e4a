package syntax

// A block allocates formulas and expressions many at a time.
type block struct {
	formulas pool[Formula]
	subs     pool[*Formula]
	exprs    pool[Expr]
	args     pool[*Expr]
}

// node returns a new formula with room for a number of operands.
func (b *block) node(op Op, operands, pos int) *Formula {
	f := &b.formulas.take(1)[0]
	f.Op = op
	f.Pos = pos
	f.Sub = b.subs.take(operands)
	return f
}

// expr returns a new expression with room for a number of operands.
func (b *block) expr(operands int) *Expr {
	e := &b.exprs.take(1)[0]
	e.Args = b.args.take(operands)
	return e
}

// A pool hands out values that are allocated in blocks, each twice as large as the one before.
type pool[T any] struct {
	free []T
	size int // of the last block
}

const maxBlock = 1024

// take returns n new values, nil for 0.
func (p *pool[T]) take(n int) []T {
	if n == 0 {
		return nil
	}
	if len(p.free) < n {
		p.size = min(max(4, 2*p.size), maxBlock)
		p.free = make([]T, max(n, p.size))
	}
	list := p.free[:n:n]
	p.free = p.free[n:]
	return list
}
