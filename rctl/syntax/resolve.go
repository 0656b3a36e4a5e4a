package syntax

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/abort"
)

// Resolve translates f to a computation. The result has no quantifiers; every variable has its
// owner, every channel its ends and every expression its type. The error, if any, is an
// *Error, or that of ctx if ctx is done before all instances are written out: there may be more
// instances than fit into memory, and only ctx bounds them.
//
// A forall becomes the conjunction of its instances and an exists their disjunction, in
// lexicographic order of the process numbers. Without instances they become true and false, and
// a single instance stands alone. Equal instances of a subformula that mentions at most one
// quantified name are the same *Formula: the result is an acyclic graph rather than a tree.
// Equal atoms share one *Expr, which has the positions of the first of them. Resolve does not
// change f.
//
// An aggregate gets the instances of its body, in the same order; over one process, sum, min
// and max become that instance. A comparison with min or max is expanded to a conjunction or
// disjunction of comparisons. A comparison with count that says that a formula holds for no,
// some, not all or all processes becomes a conjunction or disjunction of the instances.
//
// The time complexity of Resolve is O(|f| + instances), where instances
// counts the operators of all instances.
func Resolve(ctx context.Context, f *Formula, scope Scope) (*Formula, error) {
	return ResolveWithin(ctx, f, nil, scope)
}

// newResolver returns a resolver for f, within quantifiers that have already bound
// names.
func newResolver(ctx context.Context, f *Formula, scope Scope, outer []Binding) *resolver {
	r := &resolver{
		ctx:       ctx,
		src:       f.src,
		scope:     scope,
		processes: scope.Processes(),
		slots:     map[string]int{},
		domains:   map[*Quantifier][]int{},
		nodes:     map[*Formula]*resolved[Formula]{},
		exprs:     map[*Expr]*resolved[Expr]{},
		others:    map[*Formula]*Formula{},
		sign:      positive,
		holes:     map[*Formula]*hole{},
	}

	for _, b := range outer {
		r.slots[b.Name] = len(r.meanings)
		r.meanings = append(r.meanings, meaning{number: b.Process})
	}

	r.events, _ = scope.(Events)
	needsEvents := func(pos int) {
		if r.events == nil {
			panic(r.errorf(pos, "", "values, events and what has happened are for recorded traces, as pota detect reads them"))
		}
	}
	w := &walker{expr: func(e *Expr) {
		if e.Past != nil {
			needsEvents(e.Pos)
		}
	}, quantifier: func(q *Quantifier) {
		if q.Data != nil {
			needsEvents(q.Data.Pos)
		}
		for _, name := range q.Names {
			if _, ok := r.slots[name.Text]; !ok {
				r.slots[name.Text] = len(r.meanings)
				r.meanings = append(r.meanings, meaning{number: unbound})
			}
		}
	}}
	w.formula(f)
	return r
}

// try calls attempt and returns the error with which it aborts, if any.
func (r *resolver) try(attempt func()) (err error) {
	sign := r.sign
	defer func() { r.sign = sign }()
	defer abort.Catch(&err)
	attempt()
	return nil
}

// errorf returns the panic for an error about the formula.
func (r *resolver) errorf(pos int, hint, format string, args ...any) abort.Error {
	return abort.Error{Err: r.src.errorf(pos, hint, format, args...)}
}

// A meaning is the process, the value or the event that a name is bound to.
type meaning struct {
	// the process, the event, or the index of the value in resolver.data; or unbound
	number int
	quant  *Quantifier // the quantifier that binds the name; nil if it is not known
}

const unbound = -1 // the number of a name without a binding

// A resolver resolves one formula. It descends with the current meanings of
// names, and caches results by the bindings of the names that occur in a part: a
// part with one free name has one result for each process, however many quantifiers
// enclose it.
//
// Example: in forall i: forall j: x@i == 1 -> y@j == 1 with n processes there are
// n² instances of ->, but only n of either side.
type resolver struct {
	ctx       context.Context
	src       *source
	scope     Scope
	events    Events // the scope; nil if it has no events
	processes []string
	slots     map[string]int // the slot of each name that a quantifier binds
	meanings  []meaning      // the current meaning of each slot
	instances int            // how many instances of quantifiers and aggregates were made
	spreads   int            // how many comparisons replaced those with min and max
	domains   map[*Quantifier][]int
	nodes     map[*Formula]*resolved[Formula]
	exprs     map[*Expr]*resolved[Expr] // the caches of aggregates
	plain     bool                      // whether to write out all instances; set only by tests
	// equivalent formulas with fewer instances; nil if there are none
	others map[*Formula]*Formula
	holes  map[*Formula]*hole // the holes of conditions in quantifiers and bounds
	data   Exprs              // the values that names are bound to
	sign   int                // how the truth of the current part affects that of the formula
	absent []Name             // fields that no event assigns
	// how many combinations of values and events the enclosing quantifiers have
	combinations float64
	atoms        Exprs // the expressions of resolved atoms
}

// resolved caches the results for a formula or an aggregate of the source.
type resolved[T any] struct {
	free []int      // the slots of the names in it
	made map[int]*T // the results by binding, with the keys of cached
}

// cached returns the result for the current bindings. It computes a result only once if at most one
// bound name occurs in the part.
func cached[T any](r *resolver, n *resolved[T], instantiate func() *T) *T {
	// The key combines the bound slot with its meaning; it is 0 if no slot is bound.
	at, bound := 0, 0
	for place, slot := range n.free {
		if p := r.meanings[slot].number; p != unbound {
			at = 1 + p*len(n.free) + place
			bound++
		}
	}
	if bound > 1 {
		return instantiate()
	}
	result := n.made[at]
	if result == nil {
		result = instantiate()
		if n.made == nil {
			n.made = make(map[int]*T)
		}
		n.made[at] = result
	}
	return result
}

// node returns the cache for f. Its free slots include those of its operands.
func (r *resolver) node(f *Formula) *resolved[Formula] {
	if n := r.nodes[f]; n != nil {
		return n
	}
	n := new(resolved[Formula])
	if f.Op == OpAtom {
		n.mentionAll(r, f.Expr)
	}
	operands := f.Sub
	if f.Quant != nil {
		n.mention(r, f.Quant.Domain)
		if f.Quant.Data != nil && f.Quant.Data.Where != nil {
			operands = append(slices.Clip(operands), f.Quant.Data.Where)
		}
	}
	for _, sub := range operands {
		for _, slot := range r.node(sub).free {
			n.add(slot)
		}
	}
	r.nodes[f] = n
	return n
}

// add notes a free slot, once.
func (n *resolved[T]) add(slot int) {
	if !slices.Contains(n.free, slot) {
		n.free = append(n.free, slot)
	}
}

// mention adds the slots of those names that quantifiers bind.
func (n *resolved[T]) mention(r *resolver, names []Name) {
	for _, name := range names {
		if slot, ok := r.slots[name.Text]; ok {
			n.add(slot)
		}
	}
}

// mentionAll adds the slots of the names in an expression.
func (n *resolved[T]) mentionAll(r *resolver, e *Expr) {
	w := &walker{
		expr:       func(e *Expr) { n.mention(r, e.boundNames()) },
		quantifier: func(q *Quantifier) { n.mention(r, q.Domain) },
	}
	w.operand(e)
}

// formula resolves f under the current bindings.
func (r *resolver) formula(f *Formula) *Formula {
	return cached(r, r.node(f), func() *Formula { return r.make(f) })
}

// formulaOf is formula for a part whose truth affects that of the whole as sign says.
func (r *resolver) formulaOf(sign int, f *Formula) *Formula {
	around := r.sign
	r.sign = sign
	g := r.formula(f)
	r.sign = around
	return g
}

// make resolves f without the cache.
func (r *resolver) make(f *Formula) *Formula {
	switch f.Op {
	case OpAtom:
		return r.atom(f)
	case OpForall, OpExists:
		return r.expand(f)
	}
	g := New(f.Op, f.Pos, slices.Clone(f.Sub)...)
	for i, sub := range f.Sub {
		g.Sub[i] = r.formulaOf(r.sign*f.Op.sign(i), sub)
	}

	return g
}

// expand resolves a quantified formula.
func (r *resolver) expand(f *Formula) *Formula {
	if g := r.shorter(f); g != nil {
		return g
	}
	var all []*Formula
	for range r.each(f.Quant, nil) {
		all = append(all, r.formula(f.Sub[0]))
	}
	return joined(map[Op]Op{OpForall: OpAnd, OpExists: OpOr}[f.Op], f.Pos, all)
}

// joined returns the conjunction or disjunction of formulas. Unlike And and Or, it keeps
// constants.
func joined(op Op, pos int, all []*Formula) *Formula {
	switch {
	case len(all) == 1:
		return all[0]
	case len(all) > 0:
		return New(op, pos, all...)
	}
	return decided(op == OpAnd, pos)
}

// each iterates over the bindings of the names of q, and aborts if ctx is done. It skips bindings
// for which possible returns false: possible is called with the number of names bound so far. A
// nil possible skips none.
func (r *resolver) each(q *Quantifier, possible func(bound int) bool) func(yield func() bool) {
	return func(yield func() bool) {
		tuples, width := r.tuples(q)
		outer := r.combinations
		defer func() { r.combinations = outer }()
		r.combine(q, len(tuples)/width, len(q.Names)/width)

		slots := Mapped(q.Names, func(name Name) int { return r.slots[name.Text] })
		meanings := Mapped(slots, func(slot int) meaning { return r.meanings[slot] })
		chosen := make([]int, len(slots)) // the offset of each name's tuple
		var bind func(n int) bool
		bind = func(n int) bool {
			if n == len(slots) {
				if r.instances++; r.instances&0xfff == 0 && r.ctx.Err() != nil {
					panic(abort.Error{Err: r.ctx.Err()})
				}
				return yield()
			}
			defer func() {
				for i := n; i < n+width; i++ {
					r.meanings[slots[i]] = meanings[i]
				}
			}()
			for k := 0; k < len(tuples); k += width {
				if q.Distinct && slices.Contains(chosen[:n], k) {
					continue
				}
				chosen[n] = k
				for i, number := range tuples[k : k+width] {
					r.meanings[slots[n+i]] = meaning{number, q}
				}
				if possible != nil && n+width < len(slots) && !possible(n+width) {
					continue
				}
				if !bind(n + width) {
					return false
				}
			}
			return true
		}
		bind(0)
	}
}

// tuples returns the numbers that the names of a quantifier are bound to, tuple after tuple, with width
// numbers each. A number is a process, an event, or an index in resolver.data.
func (r *resolver) tuples(q *Quantifier) (tuples []int, width int) {
	switch q.Sort() {
	case OfProcess:
		return r.domain(q), 1
	case OfEvent:
		// Enclosing quantifiers bind names in the condition to one value after the other, so satisfying
		// finds the events by value.
		return Mapped(r.satisfying(q.Data.Where), func(e graphs.Event) int { return int(e) }), 1
	}
	return r.valuesOf(q), len(q.Data.Fields)
}

// domain returns the processes that a quantifier ranges over, in order.
func (r *resolver) domain(q *Quantifier) []int {
	domain, ok := r.domains[q]
	if ok {
		return domain
	}
	glob := globPattern(q.Glob)
	for p, name := range r.processes {
		if q.Domain == nil && (q.Glob == "" || glob.MatchString(name)) {
			domain = append(domain, p)
		}
	}

	domain = append(domain, Mapped(q.Domain, r.process)...)
	slices.Sort(domain)
	domain = slices.Compact(domain)
	for _, name := range q.Having {
		owners := r.scope.Owners(name.Text)
		switch {
		case len(owners) == 0:
			panic(r.unknown(&Expr{Op: ExprVar, Text: name.Text, Pos: name.Pos}, ""))
		case owners[0] == Shared:
			panic(r.errorf(name.Pos, "having asks for variables of processes", "%s is shared, and no process has it", name))
		}
		domain = slices.DeleteFunc(domain, func(p int) bool {
			_, has := r.scope.Variable(p, name.Text)
			return !has
		})
	}
	if q.Domain == nil { // otherwise the domain may depend on bound names
		r.domains[q] = domain
	}
	return domain
}

// Has reports whether a process belongs to the list or matches the glob of q; without either,
// every process does.
func (q *Quantifier) Has(process string) bool {
	if q.Domain != nil {
		return hasName(q.Domain, process)
	}
	return q.Glob == "" || globPattern(q.Glob).MatchString(process)
}

// globPattern returns the regular expression for a pattern in which * stands for any text
// and ? for any single character.
func globPattern(glob string) *regexp.Regexp {
	return regexp.MustCompile("(?s)^" + strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(glob)) + "$")
}

// meaning returns the current meaning of a name; its number is unbound if no quantifier binds it.
func (r *resolver) meaning(name string) meaning {
	if slot, ok := r.slots[name]; ok {
		return r.meanings[slot]
	}
	return meaning{number: unbound}
}

// process returns the process that a name stands for: the one that a quantifier
// binds it to or, if none does, the process of that name.
func (r *resolver) process(name Name) int {
	switch m := r.meaning(name.Text); m.sort() {
	case OfEvent:
		panic(r.errorf(name.Pos, "its process is @process in a condition", "%s is an event, not a process", name))
	case OfValue:
		value := r.data.list[m.number]
		if p, ok := r.scope.LookupProcess(value.Text); ok && value.Op == ExprString {
			return p
		}
		panic(r.errorf(name.Pos, "", "%s is %s, which is no process", name, value))
	}
	if p := r.meaning(name.Text).number; p != unbound {
		return p
	}
	if p, ok := r.scope.LookupProcess(name.Text); ok {
		return p
	}
	panic(r.noProcess(name))
}

// atom resolves a formula that is an expression.
func (r *resolver) atom(f *Formula) *Formula {
	if g := r.timed(f); g != nil {
		return g
	}
	if g := r.shorter(f); g != nil {
		return g
	}
	switch f.Expr.Op {
	case ExprOnce, ExprBetween:
		g, _ := r.past(f.Expr)
		return g
	case ExprHappened, ExprBefore:
		return r.happened(f.Expr)
	case ExprKnows:
		return r.knows(f.Expr)
	case ExprResponse, ExprTogether, ExprLasts:
		return r.boundedAtom(f)
	}
	e := r.expr(f.Expr)
	switch {
	case e == nil: // an event does not assign the field
		return decided(false, f.Pos)
	case e.Op == ExprBool:
		return decided(e.Bool, f.Pos)
	}
	if g := fold(f.Expr, e, f.Pos); g != nil {
		return g
	}
	if e.Type == NumberType || e.Type == StringType {
		text := clip(f.Expr.String())
		hint := "write " + text + " != 0 or another comparison"
		if e.Type == StringType {
			hint = "compare it, as in " + text + ` == "on"`
		}
		panic(r.errorf(f.Pos, hint, notFormula, text, e.Type))
	}
	if g := r.spread(e, f.Pos); g != nil {
		return g
	}
	return r.known(e, f.Pos)
}

// known returns the formula of a resolved atom, with the expression shared by equal atoms.
func (r *resolver) known(e *Expr, pos int) *Formula {
	return &Formula{Op: OpAtom, Expr: r.atoms.Same(e), Pos: pos}
}

// expr resolves an expression: owners, channels and types. It does not change e, because
// other instances need it again. It returns nil if e reads a field that an event does not
// assign.
func (r *resolver) expr(e *Expr) *Expr {
	if e.Op.IsAggregate() {
		n := r.exprs[e]
		if n == nil {
			n = new(resolved[Expr])
			n.mentionAll(r, e)
			r.exprs[e] = n
		}
		return cached(r, n, func() *Expr { return r.aggregate(e) })
	}
	switch e.Op {
	case ExprNumber, ExprString, ExprBool:
		g := new(*e)
		g.Type = constantTypes[e.Op]
		return g
	case ExprValue:
		return r.bound(e)
	case ExprOf:
		return r.of(e)
	case ExprField, ExprHas, ExprOwn:
		return r.ofEvent(e)
	case ExprEvents:
		_, sum := r.past(e)
		return sum
	}
	g := new(*e)
	g.Args = slices.Clone(e.Args)
	g.Type = NumberType
	switch e.Op {
	case ExprVar:
		r.variable(g)
		return g
	case ExprTransit:
		g.Channel = new(*e.Channel)
		g.FromID, g.ToID = r.process(e.From), r.process(e.To)
		g.From.Text, g.To.Text = r.processes[g.FromID], r.processes[g.ToID]
		return g
	}
	absent := false // noted, because a mistake in a later operand must be reported even so
	for i, arg := range e.Args {
		if e.Op == ExprCompare && r.strange(arg) {
			panic(r.unknown(arg, r.meant(e, i)))
		}
		g.Args[i] = r.expr(arg)
		absent = absent || g.Args[i] == nil
	}
	if absent {
		return nil
	}
	if e.Op == ExprCompare {
		g.Type = BoolType
		r.comparison(e, g)
		return g
	}
	for i, arg := range g.Args {
		r.number(e.Args[i], arg.Type, exprText[e.Op], "(count i: p@i) is the number of processes for which p holds")
	}
	return g
}

// number refuses an operand that is not a number, with a hint for a Boolean one.
func (r *resolver) number(e *Expr, is Type, operator, hint string) {
	switch is {
	case NumberType, UnknownType:
		return
	case StringType:
		hint = ""
	}
	text := clip(e.String())
	panic(r.errorf(firstPos(e), hint, "%s is %s, and %s is for numbers", text, is, operator))
}

// wholeNumber returns a constant with an integer value.
func wholeNumber(i int64, pos int) *Expr {
	return &Expr{Op: ExprNumber, Int: i, Type: NumberType, Owner: Unresolved, Pos: pos}
}

// constantTypes holds the types of constants.
var constantTypes = [...]Type{ExprNumber: NumberType, ExprString: StringType, ExprBool: BoolType}

// aggregate resolves the body of an aggregate for each process of its domain, under the current bindings.
func (r *resolver) aggregate(e *Expr) *Expr {
	g := new(*e)
	g.Type, g.Aggregate = NumberType, new(*e.Aggregate)
	word := exprText[e.Op]
	for range r.each(e.Quant, nil) {
		if e.Op == ExprCount {
			g.Sub = append(g.Sub, r.formulaOf(either, e.Form))
			continue
		}
		term := r.expr(e.Term)
		if term == nil {
			continue // an event that does not assign the field
		}
		g.Args = append(g.Args, term)
		if term.Type != NumberType { // checked here, because building the hint costs time
			counted := "count " + e.Quant.Names[0].Text + ": " + clip(e.Term.String())
			r.number(e.Term, term.Type, word, counted+" counts for how many processes it holds")
		}
	}
	switch {
	case len(g.Sub) > 0 || len(g.Args) > 1:
		w := r.written(e)
		g.Quant = w.Quant
		g.Term = w.Term
		g.Form = w.Form
		return g
	case len(g.Args) == 1:
		return g.Args[0]
	case e.Op == ExprMin || e.Op == ExprMax:
		panic(r.errorf(e.Pos, "", "there is no process to take the %s over", word))
	}
	return wholeNumber(0, e.Pos)
}

// firstPos returns the least position in e.
func firstPos(e *Expr) int {
	for len(e.Args) > 0 && e.Op != ExprNeg && !e.Op.IsAggregate() {
		e = e.Args[0]
	}
	return e.Pos
}

// comparison checks the types of a comparison, e as written and g resolved.
func (r *resolver) comparison(e, g *Expr) {
	for i, rel := range g.Rel {
		left, right := g.Args[i], g.Args[i+1]
		pos := e.Pos
		if i > 0 {
			pos = firstPos(right)
		}
		if left.Type == UnknownType || right.Type == UnknownType {
			continue
		}
		if left.Type == right.Type && (left.Type == NumberType || rel == Equal || rel == NotEqual) {
			continue
		}
		if left.Type != right.Type {
			panic(r.mixedTypes(e, g, i, pos))
		}
		panic(r.errorf(pos, "use == or !=", "%s orders numbers, but %s is %s", rel, e.Args[i],
			left.Type))
	}
}

// variable finds the owner and the type of a variable.
func (r *resolver) variable(e *Expr) {
	if e.Process.Text == "" {
		r.bare(e)
		return
	}
	if !r.isProcess(e.Process.Text) && r.isProcess(e.Text) && len(r.scope.Owners(e.Process.Text)) > 0 {
		hint := "the variable comes first: write " + clip(nameText(e.Process.Text)+"@"+nameText(e.Text))
		panic(r.errorf(e.Process.Pos, hint, "there is no process %s", e.Process))
	}
	p := r.process(e.Process)
	t, ok := r.scope.Variable(p, e.Text)
	if !ok {
		panic(r.notOwner(e, p))
	}
	e.Owner, e.Type = p, t
	e.Process.Text = r.processes[p]
}

// bare resolves a variable written without its owner.
func (r *resolver) bare(e *Expr) {
	owners := r.scope.Owners(e.Text)
	name := shown(e.Text)
	switch len(owners) {
	case 0:
		panic(r.unknown(e, ""))
	case 1:
		t, ok := r.scope.Variable(owners[0], e.Text)
		if !ok {
			panic(fmt.Sprintf("syntax: the scope is at fault: %s has the owner %d and no type", e.Text, owners[0]))
		}
		e.Owner, e.Type = owners[0], t
		return
	}

	var write []string
	for _, p := range owners {
		if p != Shared {
			write = append(write, name+"@"+shown(r.processes[p]))
		}
	}

	hint := "write " + listNames(write, "or")
	if len(write) > 2 {
		hint = "write " + write[0] + " for one of them, or forall i: … " + name + "@i …"
	}
	panic(r.errorf(e.Pos, hint, "%s is a variable of %s", name, r.list(owners)))
}

// A Binding maps a quantified name to a process.
type Binding struct {
	Name    string
	Process int
}

// ResolveWithin is Resolve for a part of a formula. The names in outer are bound by
// enclosing quantifiers; a later binding hides an earlier one of the same name.
func ResolveWithin(ctx context.Context, f *Formula, outer []Binding, s Scope) (g *Formula, err error) {
	defer abort.Catch(&err)
	g = new(*newResolver(ctx, f, s, outer).formula(f))
	g.src = f.src
	return g, nil
}

// Instances calls visit for each instance of f, a forall or exists, until visit returns false. Its
// arguments are the bindings of the names of f and the resolved body; bound must not be kept. The
// order is that of the operands that Resolve gives f. If possible is not nil, it is called for each
// resolved conjunct as soon as the names in it are bound, and bindings for which it returns false
// have no instances. The error, if any, is an *Error, or that of ctx as for Resolve.
func Instances(ctx context.Context, f *Formula, outer []Binding, scope Scope, possible func(conjunct *Formula) bool, visit func(bound []Binding, g *Formula) bool) (err error) {
	defer abort.Catch(&err)
	r := newResolver(ctx, f, scope, outer)
	bound := make([]Binding, len(f.Quant.Names))
	// the conjuncts, indexed by how many of the names they need bound
	known := make([][]*Formula, len(f.Quant.Names)+1)
	for _, g := range Conjuncts(f.Sub[0]) {
		last := 0
		for i, name := range f.Quant.Names {
			if slices.Contains(r.node(g).free, r.slots[name.Text]) {
				last = i + 1
			}
		}
		known[last] = append(known[last], g)
	}

	denied := func(g *Formula) bool { return possible != nil && !possible(r.formula(g)) }
	for range r.each(f.Quant, func(bound int) bool { return !slices.ContainsFunc(known[bound], denied) }) {
		g := r.formula(f.Sub[0])
		for i, name := range f.Quant.Names {
			bound[i] = Binding{name.Text, r.meaning(name.Text).number}
		}
		if !visit(bound, g) {
			break
		}
	}
	return nil
}
