package syntax

import (
	"cmp"
	"context"
	"math/big"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/clocks"
	"github.com/pota-project/pota/rctl/internal/abort"
)

// This file resolves expressions about events. Operators about the past become columns: variables
// whose values along a process summarize its events so far.
//
// Example: let P execute recv of r1, then recv of r2, and Q done of r1. Then
//
//	forall r in values(req): AG(once(op == "done" && req == r) -> once(op == "recv" && req == r))
//
// has two instances, for r1 and r2. For r1 the conditions are closed with the value:
//
//	once(op == "done" && req == "r1")    a column of Q, false and then true
//	once(op == "recv" && req == "r1")    a column of P, false and then true from its first event
//
// and the instance becomes AG(column@Q -> column@P), a formula like any other. For r2 no process has
// an event that satisfies the first condition, so once(…) is false and needs no column.

// Events is a Scope that also gives access to events and their times. All conditions are closed: they
// mention no bound name.
type Events interface {
	Scope
	// FieldTypes lists the types of the values that events assign to a field; it is empty
	// if no event assigns it.
	FieldTypes(field string) []Type
	// FieldNames lists the fields that events assign, in a fixed order.
	FieldNames() []string
	// Where lists the events that satisfy a condition, in order: by process and position.
	Where(cond *Formula) []graphs.Event
	// Assigned lists the tuples of values that an event assigns to all of some fields, for the
	// events that satisfy a condition, or all events if it is nil. Each tuple is listed once, with
	// its first event, in the order of these events.
	Assigned(fields []string, where *Formula) (tuples [][]*Expr, first []graphs.Event)
	// Assigning lists the events that assign a constant to a field, in order. The list must
	// not be changed.
	Assigning(field string, value *Expr) []graphs.Event
	// Field returns the value that an event assigns to a field, as an expression that the caller
	// may change.
	Field(event graphs.Event, field string) (*Expr, bool)
	// Time returns the time of an event in seconds, and ok = false for an event without a time.
	// The error says that the time is malformed.
	Time(event graphs.Event) (seconds *big.Rat, ok bool, err error)
	// Believed reports whether clocks are exact, so that the times of the trace are true.
	Believed() bool
	// Window returns the earliest and the latest time at which an event can have happened, in
	// seconds, if clocks are not exact; nil means no bound.
	Window(event graphs.Event) (earliest, latest *big.Rat)
	// Open notes a comparison that depends on clocks, and returns the truth value it gets. For a
	// positive comparison, true can only make the formula true; otherwise, only false.
	Open(positive bool) bool
	// Between returns the span from event e to event f. A nil number of seconds means no bound.
	Between(e, f graphs.Event) Span
	// History returns where a resolved predicate is true. It returns ok = false if causality does
	// not order the events that change the predicate.
	History(f *Formula) (h clocks.History, ok bool, err error)
	// Measure returns the longest time from when one predicate becomes true until another is
	// (Slowest), the longest time for which all predicates are true (Longest), or the shortest time
	// for which one is true, among those that begin and end in the trace (Shortest).
	Measure(what string, of []clocks.History) (Span, error)
	// ProcessOf returns the number of an event's process, and EventID returns its id.
	ProcessOf(event graphs.Event) int
	EventID(event graphs.Event) string
	// Before reports whether e happened before f.
	Before(e, f graphs.Event) bool
	// Column returns the name of the variable of a process whose value is that of once, events
	// or between of the conditions. It returns ok = false if the value never changes.
	Column(op ExprOp, conds []*Formula, process int) (name string, ok bool)
	// Known returns the name of the variable of a process that says where the process knows that a
	// resolved formula about single cuts holds. The error is that of the decisions, or says that
	// there would be too many.
	Known(ctx context.Context, process int, f *Formula) (name string, err error)
	// Happened returns the name of the variable that says whether an event has happened. It is a
	// variable of the event's process.
	Happened(event graphs.Event) string
}

// An Observer is a scope that notes the events that a formula depends on. Resolve hands it each whole
// condition, and does not use an index instead.
type Observer interface {
	Events
	Observes()
}

// valuesOf returns the numbers of the values that a quantifier ranges over, tuple after tuple.
func (r *resolver) valuesOf(q *Quantifier) []int {
	var where *Formula
	if q.Data.Where != nil {
		where = r.closed(q.Data.Where)
	}
	for _, name := range q.Data.Fields {
		r.assigned(name)
	}
	fields := Mapped(q.Data.Fields, func(n Name) string { return n.Text })
	var numbers []int
	tuples, _ := r.events.Assigned(fields, where)
	for _, tuple := range tuples {
		numbers = append(numbers, Mapped(tuple, r.data.Number)...)
	}
	return numbers
}

// maxCombinations bounds the combinations of values and events that quantifiers range over.
const maxCombinations = 20_000_000

// combine multiplies the number of combinations of the enclosing quantifiers over data by that of q,
// which chooses one of several tuples a number of times. It refuses too many in advance.
func (r *resolver) combine(q *Quantifier, tuples, times int) {
	if q.Data == nil {
		return
	}
	r.combinations = max(r.combinations, 1)
	for range times {
		r.combinations *= float64(tuples)
	}
	if r.combinations > maxCombinations {
		panic(r.errorf(q.Data.Pos, "join the domains by a condition, as in forall d in events(… && key == e.key)",
			"there are %.0f combinations of what the names are bound to, and at most %d are looked at", r.combinations, int(maxCombinations)))
	}
}

// sort returns the sort of the name.
func (m meaning) sort() Sort {
	if m.quant == nil {
		return OfProcess
	}
	return m.quant.Sort()
}

// event returns the event that a name is bound to, or Bottom if it is not bound: a search for vacuous
// quantifiers resolves an inner quantifier alone.
func (r *resolver) event(name Name) graphs.Event {
	m := r.meaning(name.Text)
	if m.number == unbound {
		return graphs.Bottom
	}
	return graphs.Event(m.number)
}

// dataText returns the text of the value, or the id of the event, that a quantifier binds a name to.
func (r *resolver) dataText(q *Quantifier, number int) string {
	if q.Sort() == OfEvent {
		return r.events.EventID(graphs.Event(number))
	}
	return r.data.list[number].String()
}

// bound returns the value that a name is bound to, or the name of its process.
func (r *resolver) bound(e *Expr) *Expr {
	m := r.meaning(e.Text)
	if m.sort() == OfProcess {
		return &Expr{Op: ExprString, Type: StringType, Text: r.processes[m.number], Owner: Unresolved, Pos: e.Pos}
	}
	g := new(*r.data.list[m.number])
	g.Pos = e.Pos
	return g
}

// of returns the time of a bound event, or the value that it assigns to a field; nil if it assigns none.
func (r *resolver) of(e *Expr) *Expr {
	event := r.event(e.Event)
	if e.Text == "time" {
		seconds, ok, err := r.events.Time(event)
		switch {
		case err != nil:
			panic(r.errorf(e.Pos, "", "%s", err))
		case !ok:
			panic(r.errorf(e.Pos, "leave such events out: "+e.Event.Text+" in events(… && has(@time))", "the event %s has no time", shown(r.events.EventID(event))))
		}
		// Nanoseconds since 1970 do not fit into a float64, so the exact value is in the text.
		x := &Expr{Op: ExprNumber, Type: NumberType, Owner: Unresolved, IsFloat: true, Text: seconds.FloatString(9) + "s", Pos: e.Pos}
		x.Float, _ = seconds.Float64()
		return x
	}
	r.assigned(Name{e.Text, e.Pos})
	x, ok := r.events.Field(event, e.Text)
	if !ok {
		return nil
	}
	x.Pos = e.Pos
	return x
}

// assigned refuses a field that no event assigns if the name of an assigned field is near. Other fields
// without assignments are noted in absent.
func (r *resolver) assigned(field Name) {
	if len(r.events.FieldTypes(field.Text)) > 0 {
		return
	}
	// A trace without a field is no mistake, but a misspelled field is.
	if meant := DidYouMean(field.Text, r.events.FieldNames()); meant != "" {
		panic(r.errorf(field.Pos, meant, "no event assigns %s", field))
	}
	r.absent = append(r.absent, field)
}

// closed returns a condition with constants in place of bound names.
func (r *resolver) closed(f *Formula) *Formula {
	if f.Op != OpAtom {
		return New(f.Op, f.Pos, Mapped(f.Sub, r.closed)...)
	}
	e := r.expr(f.Expr)
	switch {
	case e == nil: // a bound event does not assign the field
		return decided(false, f.Pos)
	case e.Type == NumberType || e.Type == StringType:
		text := clip(f.Expr.String())
		panic(r.errorf(f.Pos, "compare it, or write has("+text+") where it is enough that it is assigned", "%s is %s, where a condition is expected", text, e.Type))
	}
	r.noTimes(e)
	return AsAtom(e)
}

// ofEvent resolves a field, a property or has(…) in a condition.
func (r *resolver) ofEvent(e *Expr) *Expr {
	g := new(*e)
	switch {
	case isOwnTime(e):
		g.Type = NumberType
	case e.Op == ExprOwn:
		g.Type = StringType
	case e.Op == ExprHas:
		g.Type = BoolType
	}
	if e.Op == ExprOwn || e.Op == ExprHas && e.Text == "@time" {
		return g
	}
	r.assigned(Name{e.Text, e.Pos})
	if types := r.events.FieldTypes(e.Text); e.Op == ExprField && len(types) == 1 {
		g.Type = types[0]
	}
	return g
}

// past resolves an operator about the events of a cut: to a formula for once and between, and to a
// number for events.
func (r *resolver) past(e *Expr) (*Formula, *Expr) {
	conds := Mapped(e.Conds, r.closed)
	var processes []int
	if e.Process.Text == "" {
		for _, event := range r.events.Where(conds[0]) {
			processes = append(processes, r.events.ProcessOf(event))
		}
		slices.Sort(processes)
		processes = slices.Compact(processes)
	} else {
		processes = []int{r.process(e.Process)}
	}

	// once is true if it is true for some process, and events is the sum over all processes.
	var some []*Formula
	var sum *Expr
	for _, p := range processes {
		name, ok := r.events.Column(e.Op, conds, p)
		if !ok {
			continue
		}
		if e.Op != ExprEvents {
			some = append(some, r.known(r.column(name, BoolType, p, e.Pos), e.Pos))
			continue
		}
		v := r.column(name, NumberType, p, e.Pos)
		if sum != nil {
			v = newExpr(ExprAdd, e.Pos, sum, v)
			v.Type = NumberType
		}
		sum = v
	}
	if e.Op == ExprEvents {
		if sum == nil {
			sum = wholeNumber(0, e.Pos)
		}
		return nil, sum
	}
	return Or(some...), nil
}

// column returns a column of a process, a variable that only resolved formulas mention.
func (r *resolver) column(name string, is Type, process, pos int) *Expr {
	return &Expr{Op: ExprVar, Type: is, Text: name, Owner: process, Process: Name{Text: r.processes[process]}, Pos: pos}
}

// happened resolves e and e before f, for bound events e and f.
func (r *resolver) happened(e *Expr) *Formula {
	event := r.event(e.Event)
	if e.Op == ExprBefore {
		return decided(r.events.Before(event, r.event(e.Other)), e.Pos)
	}
	p := r.events.ProcessOf(event)
	return r.known(r.column(r.events.Happened(event), BoolType, p, e.Pos), e.Pos)
}

// knows resolves knows P: f.
func (r *resolver) knows(e *Expr) *Formula {
	p := r.process(e.Process)
	name, err := r.events.Known(r.ctx, p, r.formulaOf(either, e.Conds[0]))
	switch {
	case err != nil && r.ctx.Err() != nil:
		panic(abort.Error{Err: r.ctx.Err()})
	case err != nil:
		panic(r.errorf(e.Pos, "", "%s", err))
	}
	return r.known(r.column(name, BoolType, p, e.Pos), e.Pos)
}

// KnownName returns the name of the column that says whether a process knows f.
func KnownName(f *Formula) string { return "knows(" + f.String() + ")" }

// decided returns the formula of a truth value.
func decided(v bool, pos int) *Formula {
	if v {
		return &Formula{Op: OpTrue, Pos: pos}
	}
	return &Formula{Op: OpFalse, Pos: pos}
}

// fold decides a comparison of constants exactly if, as written, it mentions data of events. It
// returns nil for any other comparison.
func fold(written, e *Expr, pos int) *Formula {
	if !written.Mentions(isBound) {
		return nil
	}
	return ofConstants(e, pos)
}

// ofConstants decides a comparison of constants exactly; nil for another expression.
func ofConstants(e *Expr, pos int) *Formula {
	if e.Op != ExprCompare {
		return nil
	}
	for i, rel := range e.Rel {
		holds, ok := related(e.Args[i], rel, e.Args[i+1])
		if !ok {
			return nil
		}
		if !holds {
			return decided(false, pos)
		}
	}
	return decided(true, pos)
}

// isBound reports whether e is a bound name, or a field or the time of a bound event.
func isBound(e *Expr) bool { return e.Op == ExprValue || e.Op == ExprOf }

// related reports whether x rel y. It returns ok = false unless both are constants.
func related(x *Expr, rel Relop, y *Expr) (holds, ok bool) {
	switch {
	case x.Op == ExprString && y.Op == ExprString:
		return (rel == Equal) == (x.Text == y.Text), true
	case x.Op == ExprBool && y.Op == ExprBool:
		return (rel == Equal) == (x.Bool == y.Bool), true
	case x.isInt() && y.isInt(): // most are, and big numbers are slow
		return rel.Relates(cmp.Compare(x.Int, y.Int)), true
	}
	left, right := exact(x), exact(y)
	if left == nil || right == nil {
		return false, false
	}
	return rel.Relates(left.Cmp(right)), true
}

// isInt reports whether e is an integer without a unit of time.
func (e *Expr) isInt() bool { return e.Op == ExprNumber && !e.IsFloat && e.Text == "" }

// exact returns the value of a constant expression; nil for others.
func exact(e *Expr) *big.Rat {
	if e.Op == ExprNumber {
		return e.Seconds()
	}
	args := Mapped(e.Args, exact)
	if len(args) == 0 || slices.Contains(args, nil) {
		return nil
	}
	return Exact(e.Op, args)
}

// Exact applies an arithmetic operator to its operands; it returns nil for any other operator.
func Exact(op ExprOp, args []*big.Rat) *big.Rat {
	x := new(big.Rat)
	switch op {
	case ExprNeg:
		return x.Neg(args[0])
	case ExprAdd:
		return x.Add(args[0], args[1])
	case ExprSub:
		return x.Sub(args[0], args[1])
	case ExprMul:
		return x.Mul(args[0], args[1])
	}
	return nil
}

// Absent returns the fields that a formula names and no event of the trace assigns, sorted by name.
func (r *resolver) Absent() []Name {
	slices.SortFunc(r.absent, func(a, b Name) int { return cmp.Compare(a.Text, b.Text) })
	return slices.CompactFunc(r.absent, func(a, b Name) bool { return a.Text == b.Text })
}

// isColumn reports whether a variable is a column, whose name is an expression.
func isColumn(name string) bool {
	word, _, ok := strings.Cut(name, "(")
	return ok && (pastOperators[word].conds > 0 || word == "happened" || word == "knows")
}

// ColumnName returns the name of the column of once, events or between of closed conditions.
func ColumnName(op ExprOp, conds []*Formula) string {
	return (&Expr{Op: op, Past: &Past{Conds: conds}}).String()
}

// DataFree reports whether a formula, as written, mentions neither events nor their data.
func DataFree(f *Formula) bool {
	return !f.speaks(func(e *Expr) bool { return e.Past != nil || e.Op == ExprValue }, (*Quantifier).ofData)
}
