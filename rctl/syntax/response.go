package syntax

import "slices"

// A Response is a formula AG(p -> AF[<= d] q), alone or for each value or process that a quantifier
// binds. The truth of p and q must follow from single events. For a predicate p of one process,
// p lasts <= d is a response, too: q is then the end of p. So is EF[>= d] p, the negation of
// p lasts < d.
type Response struct {
	Names  []string // the names that a forall binds; nil without one
	Of     string   // the bindings in words, as in Template.Of
	Domain Keys     // describes the events that bind the names, including those of p and q
	Sides  [2]State // p and q
	Rel    Relop    // LessEqual or Less
	Bound  *Expr    // a number of seconds

	// Each is the enclosing quantifier over processes, or nil. Both sides are about its process.
	Each *Quantifier

	Lasts   bool // whether q is the negation of p, and also comes with the end of the execution
	Negated bool // whether the formula is the negation of the response
}

// A State either becomes true for good with the first event that satisfies a condition, or is a
// predicate on the variables of a process.
type State struct {
	Keys           // describe the events, if Vars is nil
	Process string // the process of the events or variables; "" for events of any process
	// Vars has the types of the variables of the predicate Rest, in which they are fields; nil for
	// a condition on events.
	Vars map[string]Type
}

// ResponseOf returns the parts of a response f, as parsed. It returns nil for any other formula.
func ResponseOf(f *Formula) *Response {
	if q := f.Quant; q != nil && q.Sort() == OfProcess {
		r := ResponseOf(f.Sub[0])
		if r == nil || r.Names != nil || len(q.Names) > 1 {
			return nil
		}
		r.Each = q
		for i := range r.Sides {
			if r.Sides[i].Process != q.Names[0].Text {
				return nil
			}
		}
		return r
	}
	r := new(Response)
	body := f
	if q := f.Quant; f.Op == OpForall && q.Sort() == OfValue && len(q.Names) == len(q.Data.Fields) {
		r.Names = Mapped(q.Names, func(n Name) string { return n.Text })
		r.Of = (&Template{Quants: []*Quantifier{q}}).Of()
		r.Domain.Fields = Mapped(q.Data.Fields, func(n Name) string { return n.Text })
		r.Domain.Rest = New(OpTrue, f.Pos)
		if q.Data.Where != nil && q.Data.Where.Op != OpTrue {
			return nil // events of p and q may have values outside of the domain
		}
		body = f.Sub[0]
	}
	if r.Negated = body.Op == OpNot && r.Names == nil; r.Negated {
		body = body.Sub[0]
	}
	if body.Op != OpAtom || !body.Expr.Op.isBounded() {
		return nil
	}
	r.Rel, r.Bound = body.Expr.Rel[0], body.Expr.Args[0]
	conds := body.Expr.Conds
	if r.Lasts = body.Expr.Op != ExprResponse; r.Lasts {
		conds = []*Formula{conds[0], New(OpNot, f.Pos, conds[0])}
		if body.Expr.Op == ExprTogether {
			r.Negated, r.Rel = !r.Negated, inverse[r.Rel]
		}
		if r.Rel > LessEqual {
			return nil // a lower bound on a duration is not a response
		}
	}
	for i, cond := range conds {
		if s := &r.Sides[i]; !s.read(cond, r.Names) || !slices.Equal(s.Fields, r.Domain.Fields) {
			return nil
		}
	}
	if r.Lasts && r.Sides[0].Vars == nil {
		return nil // true for good, so it has no end
	}
	// Causality does not determine the first of events on several processes, and q may be over by then.
	if r.Sides[0].Vars == nil && r.Sides[0].Process == "" && r.Sides[1].Vars != nil {
		return nil
	}
	return r
}

// read decomposes a formula into a state, and returns false if it has another form.
func (s *State) read(f *Formula, names []string) (ok bool) {
	if f.Op != OpAtom || f.Expr.Op != ExprOnce {
		// The variables of one process become fields.
		s.Vars = make(map[string]Type)
		ok = Find(f, func(f *Formula) bool { return f.Op.IsTemporal() || f.Quant != nil }) == nil
		s.Rest = f.withAtoms(func(atom *Formula) *Formula {
			e, is := s.field(atom.Expr, BoolType)
			ok = ok && is
			return &Formula{Op: OpAtom, Expr: e, Pos: atom.Pos}
		})
		return ok && len(names) == 0
	}
	s.Process = f.Expr.Process.Text
	s.Keys, ok = keysOf(f.Expr.Conds[0], names)
	return ok
}

// field returns an expression of a given type with fields in place of the variables of one process.
// It returns false if the expression reads anything else, or does not determine the variables' types.
func (s *State) field(e *Expr, of Type) (g *Expr, ok bool) {
	g = new(*e)
	switch e.Op {
	case ExprNumber, ExprString, ExprBool:
		return g, true
	case ExprVar:
		known, twice := s.Vars[e.Text]
		ok = of != UnknownType && (!twice || known == of) && e.Process.Text != "" && (s.Process == "" || s.Process == e.Process.Text)
		s.Process = e.Process.Text
		s.Vars[e.Text] = of
		g.Op = ExprField
		return g, ok
	case ExprNeg, ExprAdd, ExprSub, ExprMul:
		of = NumberType
	case ExprCompare:
		of = UnknownType
		for _, arg := range e.Args {
			switch arg.Op {
			case ExprString:
				of = StringType
			case ExprBool:
				of = BoolType
			case ExprVar:
			default:
				of = NumberType
			}
		}
	default:
		return nil, false
	}
	ok = true
	g.Args = Mapped(e.Args, func(arg *Expr) *Expr {
		arg, is := s.field(arg, of)
		ok = ok && is
		return arg
	})
	return g, ok
}

// keysOf returns the fields in which the events that satisfy a condition have the values of names. It
// returns false if an event may lack one of them, or if the rest of the condition is not closed.
func keysOf(cond *Formula, names []string) (keys Keys, ok bool) {
	keys.Fields = make([]string, len(names))
	keys.Rest = withoutKeys(cond, func(field string, key *Expr) bool {
		n := slices.Index(names, key.Text)
		if n < 0 || keys.Fields[n] != "" {
			return false
		}
		keys.Fields[n] = field
		return true
	})
	return keys, !slices.Contains(keys.Fields, "") && Closed(keys.Rest)
}
