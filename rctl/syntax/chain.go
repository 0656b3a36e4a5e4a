package syntax

// A chain is a process or a shared variable: its events are totally ordered.
type chain struct {
	owner int
	// the name of a shared variable; before Resolve, the owner as written or the bare variable
	name string
}

// chainOfVar returns the chain of events that can change a variable.
func chainOfVar(e *Expr) chain {
	switch {
	case e.Owner == Unresolved && e.Process.Text != "":
		return chain{Unresolved, "@" + e.Process.Text}
	case e.Owner == Unresolved || e.Owner == Shared:
		return chain{e.Owner, e.Text}
	}
	return chain{e.Owner, ""}
}

// A support is the set of chains that a formula depends on.
type support struct {
	count int   // 0, 1, or several; always several for channels and temporal operators
	chain chain // the only chain, if count is 1
}

const several = 2 // the count of a support of two or more chains

// join returns the union of two supports.
func (s support) join(t support) support {
	switch {
	case s.count == 0:
		return t
	case t.count == 0 || s == t:
		return s
	}
	return support{count: several}
}

// supportOfExpr returns the support of an expression. Messages in transit depend on two
// processes.
func supportOfExpr(e *Expr) support {
	switch e.Op {
	case ExprVar:
		return support{1, chainOfVar(e)}
	case ExprTransit:
		return support{count: several}
	case ExprOnce, ExprEvents, ExprBetween:
		if e.Process.Text == "" {
			return support{count: several} // any process may execute such an event
		}
		return support{1, chain{Unresolved, "@" + e.Process.Text}}
	case ExprKnows:
		return support{1, chain{Unresolved, "@" + e.Process.Text}}
	case ExprHappened:
		return support{1, chain{Unresolved, e.Event.Text}} // the process of the event
	}

	var s support
	args, counted := e.Args, e.Counted()
	written := e.Aggregate != nil && args == nil && counted == nil // not resolved
	if written {
		args, counted = e.body()
	}
	for _, arg := range args {
		if s = s.join(supportOfExpr(arg)); s.count == several {
			return s
		}
	}

	for _, sub := range counted {
		if s = s.join(new(supports).of(sub)); s.count == several {
			return s
		}
	}

	if written {
		return s.of(e.Quant)
	}
	return s
}

// of returns the support of all instances, given the support s of the body.
func (s support) of(q *Quantifier) support {
	for _, name := range q.Names {
		if s.count == 1 && s.chain.name == "@"+name.Text {
			// the instances belong to different processes
			return support{count: several}
		}
	}
	return s
}

// supports computes supports, and those of shared formulas only once.
type supports struct{ known map[*Formula]support }

// of returns the support of f.
func (m *supports) of(f *Formula) (s support) {
	switch {
	case f.Op == OpAtom:
		return supportOfExpr(f.Expr)
	case f.Op == OpNot:
		return m.of(f.Sub[0])
	case f.Op.IsTemporal():
		return support{count: several}
	}
	if s, ok := m.known[f]; ok {
		return s
	}
	for _, sub := range f.Sub {
		if s = s.join(m.of(sub)); s.count == several {
			break
		}
	}
	if f.Quant != nil {
		s = s.of(f.Quant)
	}
	if m.known == nil {
		m.known = map[*Formula]support{}
	}
	m.known[f] = s
	return s
}

// NoChain is the owner that ChainOf returns for a formula without variables.
const NoChain = -3

// ChainOf returns the chain that decides a resolved formula. ok is true if f has neither
// temporal operators nor channels, and either all its variables belong to one process, the
// owner, or its only variable is shared and the owner is Shared. The owner of a formula
// without variables is NoChain.
func ChainOf(f *Formula) (owner int, shared string, ok bool) {
	s := new(supports).of(f)
	switch {
	case s.count == 0:
		return NoChain, "", true
	case s.count > 1 || s.chain.owner == Unresolved:
		return 0, "", false
	}
	return s.chain.owner, s.chain.name, true
}

// OfOneChain reports whether at most one chain decides a resolved formula, as in ChainOf.
func OfOneChain(f *Formula) bool {
	_, _, ok := ChainOf(f)
	return ok
}
