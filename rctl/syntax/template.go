package syntax

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/abort"
)

// This file decomposes a formula about data so that only the events of a binding distinguish it from others.
//
// Example: in
//
//	AG forall r in values(req): once(op == "done" && req == r) -> once(op == "recv" && req == r)
//
// the quantifier is moved to the front, because forall and AG commute, and the body has two holes:
//
//	AG(once(hole0) -> once(hole1))
//
// For r1, one event of Q fills hole 0, and an earlier event of P fills hole 1. If other events fill
// the holes in the same way for r7, one decision covers both. Both holes need the events with
// req == r, which are indexed by the value of r; a list made once has the events with the right op.

// A Template is a decomposed formula that begins with quantifiers over values and events. The
// quantifiers are all forall or all exists. Every condition in the body becomes a hole.
//
// Under a binding, the events that satisfy the condition of a hole fill it. If events with the same
// order fill the holes of two bindings in the same way, one decision on the body covers both.
type Template struct {
	Op     Op // OpForall or OpExists
	Quants []*Quantifier
	// Why says why the body cannot be decided from the events that satisfy its conditions; ""
	// if it can.
	Why string
	// Names is the largest number of names that nested quantifiers in the body bind to processes.
	Names int
	// Named lists the processes that the body names.
	Named []string

	f       *Formula  // the formula as written
	written *Formula  // its body as written
	r       *resolver // the resolver of the last call of Each
	body    *Formula  // the body with holes
	holes   []hole
	atoms   []signed   // the atoms without events or processes
	decided []*Formula // the atoms resolved under the current binding

	// The sign and the guard of the part of the body that is being abstracted, and the quantifiers
	// of the body that enclose it.
	sign  int
	guard guard
	inner []*Quantifier
}

// A signed atom affects the truth of the body as its sign says.
type signed struct {
	*Formula
	sign  int
	guard guard
	safe  bool // whether it is an error under no binding
}

// passedOver replaces an atom whose guard is not met: its truth does not matter.
var passedOver = &Formula{Op: OpFalse}

// A guard says that an atom matters only if an earlier one, given by its number, is true, or only
// if it is false.
//
// Example: in e before d -> e.n <= d.n most pairs of events need no comparison.
type guard struct {
	atom int  // the number of the earlier atom; -1 if there is none
	is   bool // the truth value that it must have
}

// A hole is a condition in a body, or an event that a name is bound to.
type hole struct {
	cond  *Formula // nil for an event
	event Name

	// The parts of a condition field == key && rest, where key is bound and the rest mentions no bound
	// name: its events are found by the value of key. key is nil for other conditions.
	field  string
	key    *Expr
	rest   *Formula
	asked  bool           // whether others is known
	others []graphs.Event // the events that satisfy the rest, in order; nil if the rest is true
	list   []graphs.Event // the memory of the last result
}

// keyed returns the hole of a condition.
func keyed(cond *Formula) *hole {
	h := &hole{cond: cond}
	h.rest = withoutKeys(cond, func(field string, key *Expr) bool {
		if h.key != nil {
			return false
		}
		h.field, h.key = field, key
		return true
	})
	// A rest that depends on the binding has no single list of events.
	if Mentions(h.rest, isBound) {
		h.key = nil
	}
	return h
}

// withoutKeys returns a condition without the conjuncts field == key that take accepts. See KeyOf.
func withoutKeys(cond *Formula, take func(field string, key *Expr) bool) *Formula {
	return And(slices.DeleteFunc(Conjuncts(cond), func(part *Formula) bool {
		field, key := KeyOf(part)
		return key != nil && take(field, key)
	})...)
}

// KeyOf returns the parts of a condition field == key or key == field. The key is a bound name, or a
// field of a bound event. For any other condition it is nil.
func KeyOf(f *Formula) (field string, key *Expr) {
	if f.Op != OpAtom || !f.Expr.ComparesTwo() || f.Expr.Rel[0] != Equal {
		return "", nil
	}
	for i, arg := range f.Expr.Args {
		if other := f.Expr.Args[1-i]; arg.Op == ExprField && isBound(other) && !isTime(other) {
			return arg.Text, other
		}
	}
	return "", nil
}

// satisfying lists the events that satisfy a condition as written. The list is valid until the next
// call.
func (r *resolver) satisfying(cond *Formula) []graphs.Event {
	h := r.holes[cond]
	if h == nil {
		h = keyed(cond)
		if _, ok := r.events.(Observer); ok {
			h.key = nil
		}
		r.holes[cond] = h
	}
	return h.satisfying(r)
}

// satisfying lists the events that satisfy the condition of a hole. The list is valid until the next
// call, and must not be changed, because it may be shared.
func (h *hole) satisfying(r *resolver) []graphs.Event {
	if h.key == nil {
		return r.events.Where(r.closed(h.cond))
	}
	value := r.expr(h.key)
	types := r.events.FieldTypes(h.field)
	mixed := value != nil && len(types) == 1 && types[0] != value.Type
	// The whole condition is checked once, and its types again for a value of another type.
	if !h.asked || mixed {
		r.closed(h.cond)
	}
	if !h.asked && h.rest.Op != OpTrue {
		h.others = r.events.Where(r.closed(h.rest))
	}
	h.asked = true
	if value == nil {
		return nil
	}
	assigning := r.events.Assigning(h.field, value)
	if h.rest.Op == OpTrue {
		return assigning
	}
	h.list = h.list[:0]
	for _, e := range assigning {
		if _, ok := slices.BinarySearch(h.others, e); ok {
			h.list = append(h.list, e)
		}
	}
	return h.list
}

// An Instance is a template under one binding.
type Instance struct {
	// Numbers has one number for each name, the value or event it is bound to, for Bound and
	// Narrowed.
	Numbers []int
	// Holes has the events that satisfy each condition, in order.
	Holes [][]graphs.Event
	// Atoms has the truth values of the atoms without events and processes.
	Atoms []bool
	// Body is the resolved body; set only if Template.Why is.
	Body *Formula
	// Margin is how near bounds on time were; nil if they do not decide the body.
	Margin *Margin
}

// A Bound is a name with its meaning: the text of a constant, or the id of an event.
type Bound struct {
	Name, Text string
	IsEvent    bool
}

// NewTemplate decomposes a formula. It returns nil if no quantifier over values or events is
// outermost or can be moved there.
func NewTemplate(f *Formula) *Template {
	t := &Template{f: f}
	for _, op := range []Op{OpForall, OpExists} {
		if quants, body := front(op, f); quants != nil {
			t.Op, t.Quants = op, quants
			t.written = body
			break
		}
	}
	if t.Quants == nil {
		return nil
	}
	if HasNext(t.written) {
		t.Why = "EX and AX count the events of others"
	}
	t.sign, t.guard = positive, guard{atom: -1}
	t.body = t.abstract(t.written, 0)
	t.decided = make([]*Formula, len(t.atoms))
	return t
}

// front moves the quantifiers over data of an operator, forall or exists, to the front of f, if that
// preserves the truth of f even for empty domains. On each run, and hence under A:
//
//	AG forall x: p            forall x: AG p
//	p -> forall x: q          forall x: (p -> q)
//	p || forall x: q          forall x: (p || q)
//	A[p R forall x: q]        forall x: A[p R q]
//	A[(forall x: p) W q]      forall x: A[p W q]
//
// and, by duality, for EF, && and E[p U q] with exists. The other operand must not bind x.
// The quantifiers are nil if none can be moved.
func front(op Op, f *Formula) (quants []*Quantifier, body *Formula) {
	if f.Op == op && f.Quant.Data != nil {
		quants, body = front(op, f.Sub[0])
		if body == nil {
			body = f.Sub[0]
		}
		return append([]*Quantifier{f.Quant}, quants...), body
	}
	place, ok := map[Op]map[Op]int{
		OpForall: {OpAG: 0, OpImplies: 1, OpOr: -1, OpAR: 1, OpAW: 0},
		OpExists: {OpEF: 0, OpAnd: -1, OpEU: 1},
	}[op][f.Op]
	if !ok {
		return nil, nil
	}
	// For && and ||, the first operand with a quantifier is used.
	for i, sub := range f.Sub {
		if place >= 0 && i != place {
			continue
		}
		quants, body = front(op, sub)
		if quants == nil || bindsAny(quants, f.Sub, i) {
			continue
		}
		g := *f
		g.Sub = slices.Clone(f.Sub)
		g.Sub[i] = body
		return quants, &g
	}
	return nil, nil
}

// bindsAny reports whether an operand other than the i-th binds a name of the quantifiers, too.
func bindsAny(quants []*Quantifier, subs []*Formula, i int) bool {
	nothing := func(*Expr) bool { return false }
	alike := func(q *Quantifier) bool {
		return slices.ContainsFunc(q.Names, func(n Name) bool { return binds(quants, n.Text) })
	}
	for k, sub := range subs {
		if k != i && sub.speaks(nothing, alike) {
			return true
		}
	}
	return false
}

// binds reports whether one of the quantifiers binds a name.
func binds(quants []*Quantifier, name string) bool {
	return slices.ContainsFunc(quants, func(q *Quantifier) bool { return hasName(q.Names, name) })
}

// abstract returns f with holes for its conditions. names is how many names the enclosing quantifiers
// bind to processes.
func (t *Template) abstract(f *Formula, names int) *Formula {
	if f.Op == OpAtom {
		return t.abstractAtom(f)
	}
	inner := t.inner
	if q := f.Quant; q != nil {
		switch {
		case q.Data != nil:
			t.giveUp("a quantifier over data stands inside")
		case q.Domain != nil || q.Glob != "" || q.Having != nil:
			t.giveUp("processes are chosen by name or by their variables")
		}
		names += len(q.Names)
		t.Names = max(t.Names, names)
		t.inner = append(inner, q)
	}
	g := *f
	g.Sub = make([]*Formula, len(f.Sub))
	around, guarded := t.sign, t.guard
	for i, sub := range f.Sub {
		t.sign = around * f.Op.sign(i)
		g.Sub[i] = t.abstract(sub, names)
		joins := f.Op == OpImplies || f.Op == OpAnd || f.Op == OpOr
		if first := g.Sub[i]; i == 0 && joins && first.Op == OpAtom && first.Expr.Op == ExprValue {
			t.guard = guard{len(t.atoms) - 1, f.Op != OpOr}
		}
	}
	t.sign, t.guard = around, guarded
	t.inner = inner
	return &g
}

// giveUp notes the first reason why bindings are not decided from their events alone.
func (t *Template) giveUp(why string) {
	if t.Why == "" {
		t.Why = why
	}
}

// abstractAtom is abstract for an atom.
func (t *Template) abstractAtom(f *Formula) *Formula {
	if f.Expr.Op.isBounded() { // a constant under each binding
		return t.atomOf(f)
	}
	visible := false
	WalkExpr(f.Expr, func(e *Expr) {
		switch e.Op {
		case ExprVar, ExprTransit:
			t.giveUp("variables of processes or messages matter to all bindings")
		case ExprSum, ExprCount, ExprMin, ExprMax:
			// A count of processes with visible events does not depend on other processes.
			q := e.Quant
			all := q.Data == nil && q.Domain == nil && q.Glob == "" && q.Having == nil && len(q.Names) == 1
			if e.Op != ExprCount || !all || !isVisible(e.Form, q.Names[0].Text) {
				t.giveUp("a sum or a count stands inside")
			}
		case ExprKnows:
			t.giveUp("what a process knows depends on all events")
		case ExprOnce, ExprEvents, ExprBetween, ExprHappened:
			visible = true
		}
	})
	if !visible {
		return t.atomOf(f)
	}
	return &Formula{Op: OpAtom, Expr: t.abstractExpr(f.Expr), Pos: f.Pos}
}

// isVisible reports whether a formula is false for every process without visible events.
func isVisible(f *Formula, process string) bool {
	is := func(f *Formula) bool { return isVisible(f, process) }
	switch f.Op {
	case OpAtom:
		return (f.Expr.Op == ExprOnce || f.Expr.Op == ExprBetween) && f.Expr.Process.Text == process
	case OpAnd:
		return slices.ContainsFunc(f.Sub, is)
	case OpOr:
		return !slices.ContainsFunc(f.Sub, func(f *Formula) bool { return !is(f) })
	}
	return false
}

// atomOf adds an atom without events and processes, and returns its placeholder.
func (t *Template) atomOf(f *Formula) *Formula {
	t.checkNames(f)
	t.atoms = append(t.atoms, signed{Formula: f, sign: t.sign, guard: t.guard})
	return AsAtom(&Expr{Op: ExprValue, Int: int64(len(t.atoms) - 1), Pos: f.Pos})
}

// abstractExpr is abstract for an expression.
func (t *Template) abstractExpr(e *Expr) *Expr {
	g := *e
	switch e.Op {
	case ExprHappened:
		g.Op, g.Past = ExprOnce, &Past{Conds: []*Formula{t.hole(hole{event: e.Event})}}
		return &g
	case ExprOnce, ExprEvents, ExprBetween:
		g.Past = new(Past)
		for _, cond := range e.Conds {
			t.checkNames(cond)
			g.Conds = append(g.Conds, t.hole(*keyed(cond)))
		}
		if p := e.Process.Text; p != "" {
			t.Named = append(t.Named, p)
		}
		return &g
	case ExprOf, ExprValue:
		t.giveUp("data is compared with what has happened")
	case ExprCount:
		around, inner := t.sign, t.inner
		t.sign, t.inner = either, append(inner, e.Quant)
		g.Aggregate = new(*e.Aggregate)
		g.Form = t.abstract(e.Form, 0)
		t.sign, t.inner = around, inner
		return &g
	}
	g.Args = Mapped(e.Args, t.abstractExpr)
	return &g
}

// checkNames gives up if a condition or an atom mentions a process that the body binds.
func (t *Template) checkNames(f *Formula) {
	is := func(n Name) bool { return binds(t.inner, n.Text) }
	named := func(e *Expr) bool { return slices.ContainsFunc(e.boundNames(), is) }
	if f.speaks(named, func(q *Quantifier) bool { return slices.ContainsFunc(q.Domain, is) }) {
		t.giveUp("a condition depends on a process")
	}
}

// Of describes the bindings: "values of req", "events", or "bindings of r, e" for several
// names.
func (t *Template) Of() string {
	q := t.Quants[0]
	switch {
	case len(t.Quants) > 1 || len(q.Names) > 1 && !q.Data.Tuple:
		names := Mapped(t.Quants, func(q *Quantifier) string { return joinNames(q.Names, ", ") })
		return "bindings of " + strings.Join(names, ", ")
	case q.Sort() == OfEvent:
		return "events"
	}
	return "values of " + joinNames(q.Data.Fields, ", ")
}

// Absent returns the fields that the formula names and no event assigns, as found by the last Each.
func (t *Template) Absent() []Name { return t.r.Absent() }

// hole adds a hole, unless there is an equal one, and returns its placeholder.
func (t *Template) hole(h hole) *Formula {
	n := len(t.holes)
	for i, other := range t.holes {
		if h.cond != nil && other.cond != nil && h.cond.Equal(other.cond) || h.cond == nil && h.event.Text == other.event.Text {
			n = i
		}
	}
	if n == len(t.holes) {
		t.holes = append(t.holes, h)
	}
	return AsAtom(&Expr{Op: ExprField, Text: HoleName(n), Int: int64(n)})
}

// HoleName returns the name of the field to which the events that fill hole n assign true.
func HoleName(n int) string { return "hole" + strconv.Itoa(n) }

// Holes returns the number of holes.
func (t *Template) Holes() int { return len(t.holes) }

// Filled returns the body with the truth values of its atoms without events. Bit n of holes says
// whether events fill hole n: a filled hole is a condition on its field, and an empty one is false.
func (t *Template) Filled(atoms []bool, holes uint64) *Formula {
	var expr func(e *Expr) *Expr
	var atom func(f *Formula) *Formula
	expr = func(e *Expr) *Expr {
		return e.with(expr, func(f *Formula) *Formula { return f.withAtoms(atom) })
	}
	atom = func(f *Formula) *Formula {
		switch n := f.Expr.Int; {
		case f.Expr.Op == ExprValue:
			return decided(atoms[n], f.Pos)
		case f.Expr.Op == ExprField && n < 64 && holes&(1<<n) == 0:
			return decided(false, f.Pos)
		}
		return &Formula{Op: OpAtom, Expr: expr(f.Expr), Pos: f.Pos}
	}
	return t.body.withAtoms(atom)
}

// Each calls visit for each binding of the names, in the order of the operands that Resolve gives
// the formula. The instance must not be kept. The error, if any, is an *Error, or that of ctx or visit.
func (t *Template) Each(ctx context.Context, scope Events, visit func(*Instance) error) (err error) {
	defer abort.Catch(&err)
	t.r = newResolver(ctx, t.f, scope, nil)
	at := Instance{Holes: make([][]graphs.Event, len(t.holes)), Atoms: make([]bool, len(t.atoms))}
	for i := range t.atoms {
		t.atoms[i].safe = t.r.safe(t.atoms[i].Expr)
	}
	var bind func(n int)
	bind = func(n int) {
		if n < len(t.Quants) {
			for range t.r.each(t.Quants[n], nil) {
				bind(n + 1)
			}
			return
		}
		t.instance(t.r, &at)
		if err := visit(&at); err != nil {
			panic(abort.Error{Err: err})
		}
	}
	bind(0)
	return nil
}

// Bound returns the names and their meanings in an instance that Each has visited.
func (t *Template) Bound(numbers []int) []Bound {
	all := make([]Bound, 0, len(numbers))
	for _, q := range t.Quants {
		for _, name := range q.Names {
			all = append(all, Bound{name.Text, t.r.dataText(q, numbers[len(all)]), q.Sort() == OfEvent})
		}
	}
	return all
}

// Narrowed returns the formula, as it might be written, for a single binding that Each has visited:
// its quantifiers range only over the meanings of the names.
//
//	forall r in values(req where req == "r17"): AG(…)
//	forall e in events(@id == "gateway:3"): exists d in …
func (t *Template) Narrowed(numbers []int) *Formula {
	f := t.written
	last := len(numbers)
	for _, q := range slices.Backward(t.Quants) {
		width := 1 // how many names one quantifier binds
		if q.Data.Tuple {
			width = len(q.Names)
		}
		for end := len(q.Names); end > 0; end -= width {
			one := &Quantifier{Names: q.Names[end-width : end], Data: new(*q.Data)}
			one.Data.Where = t.only(q, numbers[last-width:last])
			f = &Formula{Op: t.Op, Quant: one, Sub: []*Formula{f}, Pos: q.Data.Pos}
			last -= width
		}
	}
	f.src = t.f.src
	return f
}

// only returns the condition of the events that bind the names of a quantifier to the given meanings.
func (t *Template) only(q *Quantifier, numbers []int) *Formula {
	equal := func(field, constant *Expr) *Formula {
		field.Pos, field.Owner = q.Data.Pos, Unresolved
		e := newExpr(ExprCompare, field.Pos, field, constant)
		e.Rel = []Relop{Equal}
		return AsAtom(e)
	}
	if q.Sort() == OfEvent {
		id := t.r.dataText(q, numbers[0])
		return equal(&Expr{Op: ExprOwn, Text: "id"}, &Expr{Op: ExprString, Text: id, Owner: Unresolved, Pos: q.Data.Pos})
	}
	var all []*Formula
	if q.Data.Where != nil {
		all = append(all, q.Data.Where)
	}
	for i, n := range numbers {
		constant := new(*t.r.data.list[n])
		constant.Pos = q.Data.Pos
		all = append(all, equal(&Expr{Op: ExprField, Text: q.Data.Fields[i].Text}, constant))
	}
	return And(all...)
}

// Events lists the events that names are bound to, if the body is decided on the whole computation;
// otherwise it returns nil.
func (t *Template) Events(numbers []int) []graphs.Event {
	if t.Why == "" {
		return nil
	}
	events := []graphs.Event{}
	n := 0
	for _, q := range t.Quants {
		for range q.Names {
			if q.Sort() == OfEvent {
				events = append(events, graphs.Event(numbers[n]))
			}
			n++
		}
	}
	return events
}

// Folded returns a resolved f without the constants that its atoms became under a binding.
func Folded(f *Formula) *Formula {
	g := f.with(Folded)
	constant := func(n int) bool { return g.Sub[n].Op == OpTrue || g.Sub[n].Op == OpFalse }
	switch {
	case f.Op == OpNot && constant(0):
		return Not(g.Sub[0])
	case f.Op == OpAnd:
		return And(g.Sub...)
	case f.Op == OpOr:
		return Or(g.Sub...)
	case f.Op == OpImplies && (constant(0) || constant(1)):
		return Or(Not(g.Sub[0]), g.Sub[1])
	case f.Op >= OpEF && f.Op <= OpAG && constant(0): // runs have a first cut
		return g.Sub[0]
	}
	return g
}

// instance fills in the instance of the current binding.
func (t *Template) instance(r *resolver, at *Instance) {
	at.Numbers = at.Numbers[:0]
	for _, q := range t.Quants {
		for _, name := range q.Names {
			at.Numbers = append(at.Numbers, r.meaning(name.Text).number)
		}
	}
	if t.Why != "" {
		r.sign = positive // atoms may have changed it
		at.Body = r.make(t.written)
		at.Margin = MarginOf(at.Body)
		return
	}

	for i := range t.holes {
		h := &t.holes[i]
		if h.cond == nil {
			at.Holes[i] = append(at.Holes[i][:0], r.event(h.event))
			continue
		}
		at.Holes[i] = h.satisfying(r)
	}
	timed := false
	for i, atom := range t.atoms {
		g := atom.guard
		if atom.safe && g.atom >= 0 && at.Atoms[g.atom] != g.is && t.decided[g.atom].margin == nil {
			at.Atoms[i], t.decided[i] = false, passedOver
			continue
		}
		r.sign = atom.sign
		f := r.atom(atom.Formula)
		if f.Op == OpAtom { // a comparison of constants, such as 1 < 2
			f = cmp.Or(ofConstants(f.Expr, f.Pos), f)
		}
		at.Atoms[i] = f.Op == OpTrue
		t.decided[i] = f
		timed = timed || f.margin != nil
	}
	at.Margin = nil
	if timed {
		at.Margin = marginOf(t.body, func(atom *Formula) *Formula {
			if atom.Expr.Op != ExprValue {
				return atom
			}
			return t.decided[atom.Expr.Int]
		})
	}
}

// safe reports whether a comparison is an error under no binding: it compares constants and fields of
// bound events, and each field has values of one type.
func (r *resolver) safe(e *Expr) bool {
	if e.Op != ExprCompare {
		return false
	}
	g := &Expr{Op: ExprCompare, Rel: e.Rel}
	for _, arg := range e.Args {
		var types []Type
		switch {
		case arg.Op <= ExprBool:
			types = []Type{constantTypes[arg.Op]}
		case arg.Op == ExprOf && arg.Text != "time":
			types = r.events.FieldTypes(arg.Text)
		}
		if len(types) != 1 || types[0] == UnknownType {
			return false
		}
		g.Args = append(g.Args, &Expr{Type: types[0]})
	}
	return r.try(func() { r.comparison(e, g) }) == nil
}
