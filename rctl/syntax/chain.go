package syntax

// A chain is a process or a shared variable: its events are totally ordered.
type chain struct {
	owner int
	name  string // of the shared variable; before Resolve, of the owner as written or of the bare variable
}

// chainOfVar returns the chain whose events can change a variable.
func chainOfVar(e *Expr) chain {
	switch {
	case e.Owner == Unresolved && e.Process.Text != "":
		return chain{Unresolved, "@" + e.Process.Text}
	case e.Owner == Unresolved || e.Owner == Shared:
		return chain{e.Owner, e.Text}
	}
	return chain{e.Owner, ""}
}

// A support tells which chains a formula depends on.
type support struct {
	count int   // 0, 1, or several for 2 and more, channels and temporal operators
	chain chain // where count is 1
}

const several = 2

func (s support) join(t support) support {
	switch {
	case s.count == 0:
		return t
	case t.count == 0 || s == t:
		return s
	}
	return support{count: several}
}

func supportOfExpr(e *Expr) support {
	switch e.Op {
	case ExprVar:
		return support{1, chainOfVar(e)}
	case ExprTransit:
		return support{count: several}
	}
	var s support
	for _, arg := range e.Args {
		s = s.join(supportOfExpr(arg))
	}
	return s
}

// supports computes supports, each formula's once.
type supports map[*Formula]support

func (m supports) of(f *Formula) support {
	switch {
	case f.Op == OpTrue || f.Op == OpFalse:
		return support{}
	case f.Op == OpNot:
		return m.of(f.Sub[0])
	case f.Op.IsTemporal():
		return support{count: several}
	}
	s, ok := m[f]
	if ok {
		return s
	}
	if f.Op == OpAtom {
		s = supportOfExpr(f.Expr)
	}
	for _, sub := range f.Sub {
		if s = s.join(m.of(sub)); s.count == several {
			break
		}
	}
	if f.Quant != nil && s.count == 1 {
		// The instances of p@i belong to different processes.
		for _, name := range f.Quant.Names {
			if s.chain.name == "@"+name.Text {
				s = support{count: several}
				break
			}
		}
	}
	m[f] = s
	return s
}

// NoChain is the owner that ChainOf returns for a formula without variables.
const NoChain = -3

// ChainOf tells which chain decides a resolved formula. It is ok if f has
// neither temporal operators nor channels, and either all its variables belong
// to one process, the owner, or its only variable is a shared one: then the
// owner is Shared. Of a formula without variables the owner is NoChain.
func ChainOf(f *Formula) (owner int, shared string, ok bool) {
	s := supports{}.of(f)
	switch {
	case s.count == 0:
		return NoChain, "", true
	case s.count > 1 || s.chain.owner == Unresolved:
		return 0, "", false
	}
	return s.chain.owner, s.chain.name, true
}
