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

// What follows takes a formula about data apart so that its bindings can be told apart by their events alone.
//
// Example: in
//
//	AG forall r in values(req): once(op == "done" && req == r) -> once(op == "recv" && req == r)
//
// the quantifier comes to the front, as forall and AG commute, and the body has two holes:
//
//	AG(once(hole0) -> once(hole1))
//
// For r1, hole 0 is filled by one event of Q, and hole 1 by one of P before it. For r7 other events fill them in
// the same way, so that the two are decided together. Both holes ask for the events with req == r, and find
// them by the value of r; that their op is the right one is looked up in a list made once.

// A Template is a formula that begins with quantifiers over values and events, taken apart. The
// quantifiers are all forall or all exists. Every condition in the body becomes a hole.
//
// Under a binding, events fill the holes: those that satisfy the condition. Two bindings with
// events that look alike fill them alike, so one decision on the body does for both.
type Template struct {
	Op     Op // OpForall or OpExists
	Quants []*Quantifier
	// Why says why the body cannot be decided from the events that satisfy its conditions; ""
	// where it can.
	Why string
	// Names are how many processes quantifiers in the body bind at once.
	Names int
	// Named are the processes that the body names.
	Named []string

	f       *Formula  // as written
	written *Formula  // its body
	r       *resolver // that of the last call of Each
	body    *Formula
	holes   []hole
	atoms   []signed   // without an event or a process
	decided []*Formula // the atoms under the current binding

	// The part of the body that is being abstracted: its sign, its guard, and the quantifiers of the
	// body around it.
	sign  int
	guard guard
	inner []*Quantifier
}

// A signed atom bears on the truth of the body as its sign says.
type signed struct {
	*Formula
	sign  int
	guard guard
	safe  bool // no binding makes it an error
}

// passedOver stands for an atom that is taken for false because true would do as well.
var passedOver = &Formula{Op: OpFalse}

// A guard says that an atom matters only if an earlier one, given by its number, is true, or only
// if it is false.
//
// Example: in e before d -> e.n <= d.n most pairs of events need no comparison.
type guard struct {
	atom int // -1 for none
	is   bool
}

// A hole is a condition in a body, or an event that a name is bound to.
type hole struct {
	cond  *Formula
	event Name

	// Of a condition field == name && rest, where name is bound and no name in the rest is: its events
	// are found by what the name is bound to.
	field  string
	key    *Expr
	rest   *Formula
	asked  bool           // others is known
	others []graphs.Event // the events that satisfy the rest, in order; nil if the rest is true
	list   []graphs.Event // the last result
}

// keyed returns a hole for a condition.
func keyed(cond *Formula) *hole {
	h := &hole{cond: cond}
	h.rest = withoutKeys(cond, func(field string, key *Expr) bool {
		if h.key != nil {
			return false
		}
		h.field, h.key = field, key
		return true
	})
	// A rest that depends on the binding would have to be asked about each time.
	if Mentions(h.rest, isBound) {
		h.key = nil
	}
	return h
}

// withoutKeys returns a condition without the conjuncts field == key that take accepts. A key is what
// a name is bound to, or what an event that it is bound to assigns.
func withoutKeys(cond *Formula, take func(field string, key *Expr) bool) *Formula {
	return And(slices.DeleteFunc(Conjuncts(cond), func(part *Formula) bool {
		field, key := KeyOf(part)
		return key != nil && take(field, key)
	})...)
}

// KeyOf takes field == key apart, or key == field: the key is what a name is bound to, or what an event that it is
// bound to assigns, and nil for another condition.
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

// satisfying lists the events that satisfy a condition as written. The list is valid until the next call. The
// events of a request are found by its id.
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

// satisfying lists the events that satisfy the condition of a hole. They are valid until the next call, and must not be
// changed: others may have them, too.
func (h *hole) satisfying(r *resolver) []graphs.Event {
	if h.key == nil {
		return r.events.Where(r.closed(h.cond))
	}
	value := r.expr(h.key)
	types := r.events.FieldTypes(h.field)
	mixed := value != nil && len(types) == 1 && types[0] != value.Type
	// All of the condition is checked once, and the types in it again for a value that is not compared.
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

// An Instance is what a binding puts into the holes of a template.
type Instance struct {
	// Numbers say what the names are bound to, for Bound and Narrowed.
	Numbers []int
	// Holes are the events that satisfy each condition, in order.
	Holes [][]graphs.Event
	// Atoms are the truth values of the atoms without events and processes.
	Atoms []bool
	// Body is the resolved body, where Why is set.
	Body *Formula
	// Margin is how near bounds on time were, nil where they do not decide the body.
	Margin *Margin
}

// A Bound is what a name stands for: the text of a constant, or the id of an event.
type Bound struct {
	Name, Text string
	IsEvent    bool
}

// NewTemplate takes a formula apart. It is nil where the outermost operator is no quantifier over
// values or events.
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

// front brings the quantifiers over data of an operator, forall or exists, before f, as far as that
// changes nothing even where they range over nothing. On each run, and so with A before them:
//
//	AG forall x: p            forall x: AG p
//	p -> forall x: q          forall x: (p -> q)
//	p || forall x: q          forall x: (p || q)
//	A[p R forall x: q]        forall x: A[p R q]
//	A[(forall x: p) W q]      forall x: A[p W q]
//
// and, by duality, for EF, && and E[p U q] with exists. The name x must not occur in the other operand.
// The quantifiers are nil where there is none to bring.
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
	// In && and || any operand will do, and the first that has a quantifier is taken.
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

// abstract returns f with holes for its conditions. Quantifiers around bind so many processes.
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

// giveUp notes why bindings are not decided from their events alone.
func (t *Template) giveUp(why string) {
	if t.Why == "" {
		t.Why = why
	}
}

// abstractAtom is abstract for an atom.
func (t *Template) abstractAtom(f *Formula) *Formula {
	if f.Expr.Op.isBounded() { // a constant of each binding
		return t.atomOf(f)
	}
	visible := false
	WalkExpr(f.Expr, func(e *Expr) {
		switch e.Op {
		case ExprVar, ExprTransit:
			t.giveUp("variables of processes or messages matter to all bindings")
		case ExprSum, ExprCount, ExprMin, ExprMax:
			// A count of processes with visible events is the same without the others.
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

// isVisible reports whether a formula is true of no process without visible events.
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

// atomOf adds an atom without events and processes, and returns what stands for it.
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

// checkNames notes a condition or an atom that speaks of a process that the body binds.
func (t *Template) checkNames(f *Formula) {
	is := func(n Name) bool { return binds(t.inner, n.Text) }
	named := func(e *Expr) bool { return slices.ContainsFunc(e.boundNames(), is) }
	if f.speaks(named, func(q *Quantifier) bool { return slices.ContainsFunc(q.Domain, is) }) {
		t.giveUp("a condition depends on a process")
	}
}

// Of says what the bindings are: "values of req", "events", or "bindings of r, e" of several
// quantifiers.
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

// Absent are the fields that the formula names and that no event assigns, as far as Each has asked.
func (t *Template) Absent() []Name { return t.r.Absent() }

// hole adds a hole, and returns the condition that stands for it.
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

// HoleName is the name of the field that events assign true that satisfy the condition of a hole.
func HoleName(n int) string { return "hole" + strconv.Itoa(n) }

// Holes returns the number of holes.
func (t *Template) Holes() int { return len(t.holes) }

// Filled returns the body about the fields of the holes that some events fill, a bit each, with truth
// values for the rest and for its atoms without events.
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
// the formula. The instance must not be kept. The error, if any, is an *Error, ctx's, or that of visit.
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

// Bound says what the names are bound to in an instance that Each has visited.
func (t *Template) Bound(numbers []int) []Bound {
	all := make([]Bound, 0, len(numbers))
	for _, q := range t.Quants {
		for _, name := range q.Names {
			all = append(all, Bound{name.Text, t.r.dataText(q, numbers[len(all)]), q.Sort() == OfEvent})
		}
	}
	return all
}

// Narrowed returns the formula, as it might be written, about one binding alone that Each has visited:
// its quantifiers range over what the names are bound to.
//
//	forall r in values(req where req == "r17"): AG(…)
//	forall e in events(@id == "gateway:3"): exists d in …
func (t *Template) Narrowed(numbers []int) *Formula {
	f := t.written
	last := len(numbers)
	for _, q := range slices.Backward(t.Quants) {
		width := 1 // names that one quantifier binds
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

// only returns the condition of an event that gives the names of a quantifier what they are bound to.
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

// Events lists the events among what the names are bound to where the body is decided on the whole
// computation; nil where it is not.
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

// Folded returns f, resolved, without the constants in it that what has been bound makes of atoms.
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

// instance fills in what the names are bound to now.
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
		if f.Op == OpAtom { // 1 < 2 has no data
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

// safe reports whether a comparison is an error under no binding: it compares what events assign to
// fields that have values of one type each.
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
