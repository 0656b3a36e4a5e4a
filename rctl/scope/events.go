package scope

import (
	"context"
	"errors"
	"iter"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// assignment returns the value that an event assigns to a field, which is a variable of its process
// or a shared one.
func (s *Scope) assignment(e graphs.Event, field string) (graphs.Value, bool) {
	// A variable of the process hides a shared one, as in formulas.
	if v := s.c.Variable(s.c.Process(e), field); v != nil {
		i, ok := slices.BinarySearch(v.Events(), e)
		if !ok {
			return graphs.Value{}, false
		}
		return v.Value(i), true
	}
	v := s.c.Variable(graphs.Shared, field)
	if v == nil {
		return graphs.Value{}, false
	}
	order := s.order(v)
	k, ok := slices.BinarySearchFunc(order, e, func(i int32, e graphs.Event) int { return int(v.Event(int(i)) - e) })
	if !ok {
		return graphs.Value{}, false
	}
	return v.Value(int(order[k])), true
}

// order returns the indices of the assignments of a shared variable, ordered by event number.
func (s *Scope) order(v *graphs.Variable) []int32 {
	order, ok := s.shared[v]
	if !ok {
		// The variable lists them in causal order, but a binary search needs ascending event numbers.
		order = make([]int32, v.Len())
		for i := range order {
			order[i] = int32(i)
		}
		slices.SortFunc(order, func(i, k int32) int { return int(v.Event(int(i)) - v.Event(int(k))) })
		s.shared[v] = order
	}
	return order
}

// eventsOf lists the events that assign a field, in ascending order for each of its variables.
func (s *Scope) eventsOf(field string) []graphs.Event {
	var events []graphs.Event
	for e := range s.assignments(field) {
		events = append(events, e)
	}
	return events
}

// assignments iterates over the assignments of a field, variable by variable, each in the order of
// event numbers.
func (s *Scope) assignments(field string) iter.Seq2[graphs.Event, graphs.Value] {
	return func(yield func(graphs.Event, graphs.Value) bool) {
		for _, v := range s.c.VariablesNamed(field) {
			order := func(i int) int { return i }
			if v.Process == graphs.Shared {
				list := s.order(v)
				order = func(i int) int { return int(list[i]) }
			}
			for i := range v.Len() {
				if k := order(i); !yield(v.Event(k), v.Value(k)) {
					return
				}
			}
		}
	}
}

// FieldTypes implements syntax.Events.
func (s *Scope) FieldTypes(field string) []syntax.Type {
	if s.holed {
		return []syntax.Type{syntax.BoolType}
	}
	types, ok := s.types[field]
	if ok {
		return types
	}
	for _, v := range s.c.VariablesNamed(field) {
		if t := TypeOf(v.Kind); (v.Len() > 0 || v.Skipped()) && !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	s.types[field] = types
	return types
}

// FieldNames implements syntax.Events.
func (s *Scope) FieldNames() []string {
	return slices.DeleteFunc(s.VariableNames(), func(name string) bool { return len(s.FieldTypes(name)) == 0 })
}

// Where implements syntax.Events.
func (s *Scope) Where(cond *syntax.Formula) []graphs.Event {
	// Quantifiers ask for the same condition again and again.
	key := cond.String()
	events, ok := s.satisfying[key]
	if ok {
		return events
	}
	test := s.source().Test(cond)
	for _, e := range s.candidates(cond) {
		if test(e) {
			events = append(events, e)
		}
	}
	s.satisfying[key] = events
	return events
}

// source gives conditions access to the events of the computation.
func (s *Scope) source() Source {
	return Source{
		Field: s.assignment,
		Own: func(e graphs.Event, what string) string {
			switch what {
			case "process":
				return s.c.Processes()[s.c.Process(e)]
			case "label":
				return s.c.Label(e)
			case "time":
				return s.c.Time(e)
			}
			return s.c.ID(e)
		},
		Time: func(e graphs.Event) *big.Rat {
			seconds, _, _ := s.Time(e)
			return seconds
		},
	}
}

// candidates lists the events that may satisfy a condition.
func (s *Scope) candidates(cond *syntax.Formula) []graphs.Event {
	if events, ok := s.listed(cond); ok {
		return events
	}
	// Only negations, and conditions on labels, ids, times and processes, are tested on all events.
	all := make([]graphs.Event, s.c.NumEvents())
	for i := range all {
		all[i] = graphs.Event(i + 1)
	}
	return all
}

// listed lists events, including all that satisfy a condition: few if it compares a field with a
// constant, more if it only mentions a field. It returns false if any event may satisfy it.
func (s *Scope) listed(cond *syntax.Formula) (events []graphs.Event, ok bool) {
	switch cond.Op {
	case syntax.OpFalse:
		return nil, true
	case syntax.OpAnd:
		for _, part := range cond.Sub {
			some, is := s.listed(part)
			if is && (!ok || len(some) < len(events)) {
				events, ok = some, true
			}
		}
		return events, ok
	case syntax.OpOr:
		for _, part := range cond.Sub {
			some, is := s.listed(part)
			if !is {
				return nil, false
			}
			events = append(events, some...)
		}
		slices.Sort(events)
		return slices.Compact(events), true
	case syntax.OpAtom:
		return s.listedAtom(cond.Expr)
	}
	// An event that assigns nothing satisfies a negation.
	return nil, false
}

// listedAtom is listed for a comparison, a field or has(…).
func (s *Scope) listedAtom(e *syntax.Expr) ([]graphs.Event, bool) {
	if e.ComparesTwo() && e.Rel[0] == syntax.Equal {
		for k, arg := range e.Args {
			x, ok := Literal(e.Args[1-k])
			switch {
			case ok && arg.Op == syntax.ExprField:
				return s.postings(arg.Text)[Canonical(x)], true
			case ok && arg.Op == syntax.ExprOwn && arg.Text == "id":
				event, known := s.c.Lookup(x.Text())
				if !known || event == graphs.Bottom || event == s.c.Top() {
					return nil, true
				}
				return []graphs.Event{event}, true
			}
		}
	}
	field := ""
	syntax.WalkExpr(e, func(e *syntax.Expr) {
		if e.Op == syntax.ExprField || e.Op == syntax.ExprHas && e.Text[0] != '@' {
			field = e.Text
		}
	})
	if field == "" {
		return nil, false
	}
	return s.eventsOf(field), true
}

// Assigning implements syntax.Events.
func (s *Scope) Assigning(field string, value *syntax.Expr) []graphs.Event {
	x, ok := Literal(value)
	if !ok {
		return nil
	}
	return s.postings(field)[Canonical(x)]
}

// Canonical returns a value that is == for equal numbers: a whole float of 64 bits becomes an integer.
func Canonical(x graphs.Value) graphs.Value {
	if f := x.Float64(); x.Float && f == math.Trunc(f) && f >= -1<<63 && f < 1<<63 {
		return graphs.Int(int64(f))
	}
	return x
}

// postings returns, for each canonical value, the events that assign it to a field.
func (s *Scope) postings(field string) map[graphs.Value][]graphs.Event {
	all, ok := s.byValue[field]
	if !ok {
		all = make(map[graphs.Value][]graphs.Event)
		for e, x := range s.assignments(field) {
			x = Canonical(x)
			all[x] = append(all[x], e)
		}
		s.byValue[field] = all
	}
	return all
}

// Assigned implements syntax.Events.
func (s *Scope) Assigned(names []string, where *syntax.Formula) (tuples [][]*syntax.Expr, first []graphs.Event) {
	events := s.eventsOf(names[0])
	if where != nil {
		events = s.Where(where)
	}
	// Tuples are listed in the order of their first events.
	//
	// A tuple is found field by field in a trie: numbers holds the node of each prefix, reached from
	// the node of the shorter prefix by one more value. One map serves any number of fields.
	type prefix struct {
		others int
		value  graphs.Value
	}
	numbers := make(map[prefix]int)
	values := make([]graphs.Value, len(names))
next:
	for _, e := range events {
		for i, name := range names {
			x, ok := s.assignment(e, name)
			if !ok {
				continue next
			}
			values[i] = Canonical(x)
		}
		n, known := 0, true
		for _, x := range values {
			at := prefix{n, x}
			if n, known = numbers[at]; !known {
				n = len(numbers) + 1
				numbers[at] = n
			}
		}
		if known {
			continue
		}
		tuple := make([]*syntax.Expr, len(names))
		for i, x := range values {
			tuple[i] = constantOf(x)
		}
		tuples = append(tuples, tuple)
		first = append(first, e)
	}
	return tuples, first
}

// Field implements syntax.Events.
func (s *Scope) Field(e graphs.Event, field string) (*syntax.Expr, bool) {
	x, ok := s.assignment(e, field)
	if !ok {
		return nil, false
	}
	return constantOf(x), true
}

// ProcessOf implements syntax.Events.
func (s *Scope) ProcessOf(e graphs.Event) int { return s.c.Process(e) }

// EventID implements syntax.Events.
func (s *Scope) EventID(e graphs.Event) string { return s.c.ID(e) }

// Before implements syntax.Events.
func (s *Scope) Before(e, f graphs.Event) bool {
	// Of two events that happen together, neither is before the other.
	return !s.c.SameStep(e, f) && s.happened(e, f)
}

// Column implements syntax.Events.
func (s *Scope) Column(op syntax.ExprOp, conds []*syntax.Formula, process int) (string, bool) {
	// The name determines the column, so equal conditions of several formulas share it.
	name := syntax.ColumnName(op, conds)
	if s.has(process, name) {
		return name, true
	}
	counted := s.on(conds[0], process)
	// A constant needs no column, which saves the engines a variable.
	if len(counted) == 0 {
		return "", false
	}

	var events []graphs.Event
	var values []graphs.Value
	init := graphs.Boolean(false)
	switch op {
	case syntax.ExprOnce:
		// The column stays true after the first event.
		events, values = counted[:1], []graphs.Value{graphs.Boolean(true)}
	case syntax.ExprEvents:
		init, events = graphs.Int(0), counted
		for i := range counted {
			values = append(values, graphs.Int(int64(i)+1))
		}
	default:
		events, values = between(counted, s.on(conds[1], process))
	}
	s.add(graphs.NewVariable(process, name, init, events, values))
	return name, true
}

// between returns the changes of a column that some events of a process make true and others make
// false. An event of both kinds makes it true.
func between(begin, end []graphs.Event) (events []graphs.Event, values []graphs.Value) {
	within := false
	all := slices.Concat(begin, end)
	slices.Sort(all)
	for _, e := range all {
		// Engines visit each assignment, so only changes are kept.
		if _, opens := slices.BinarySearch(begin, e); opens != within {
			within = opens
			events = append(events, e)
			values = append(values, graphs.Boolean(within))
		}
	}
	return events, values
}

// Happened implements syntax.Events.
func (s *Scope) Happened(e graphs.Event) string {
	name := "happened(" + strconv.Quote(s.c.ID(e)) + ")"
	if p := s.c.Process(e); !s.has(p, name) {
		s.add(graphs.NewVariable(p, name, graphs.Boolean(false), []graphs.Event{e}, []graphs.Value{graphs.Boolean(true)}))
	}
	return name
}

// on lists the events of a process that satisfy a condition, in order.
func (s *Scope) on(cond *syntax.Formula, process int) []graphs.Event {
	// The events of a process have consecutive numbers.
	events := s.Where(cond)
	first, _ := slices.BinarySearch(events, s.c.Event(process, 1))
	end, _ := slices.BinarySearch(events, s.c.Event(process, s.c.Len(process)+1))
	return slices.Clip(events[first:end])
}

// A column identifies a column by its process and name.
type column struct {
	process int
	name    string
}

// has reports whether the column exists already, perhaps because of an earlier formula.
func (s *Scope) has(process int, name string) bool {
	return s.columns[column{process, name}] != nil || s.c.Variable(process, name) != nil
}

// add adds a column.
func (s *Scope) add(v *graphs.Variable) {
	s.columns[column{v.Process, v.Name}] = v
	s.added = append(s.added, v)
}

// Columns returns the columns added so far, in order.
func (s *Scope) Columns() []*graphs.Variable { return s.added }

// ColumnsOf returns the columns that a resolved formula reads, in the order of their first mention.
func (s *Scope) ColumnsOf(f *syntax.Formula) []*graphs.Variable {
	var own []*graphs.Variable
	seen := make(map[*graphs.Variable]bool)
	syntax.WalkExprs(f, func(e *syntax.Expr) {
		if v := s.columns[column{e.Owner, e.Text}]; e.Op == syntax.ExprVar && v != nil && !seen[v] {
			seen[v] = true
			own = append(own, v)
		}
	})
	return own
}

// Computation returns the computation with all columns added so far.
func (s *Scope) Computation() *graphs.Computation { return s.c.WithVariables(s.added) }

// Known implements syntax.Events: a process knows f in a state if !f is not possible there.
func (s *Scope) Known(ctx context.Context, process int, f *syntax.Formula) (string, error) {
	name := syntax.KnownName(f)
	if s.has(process, name) {
		return name, nil
	}
	if s.Possible == nil {
		return "", errors.New("what a process knows cannot be decided here")
	}
	otherwise, err := s.Possible(ctx, s.Computation(), process, syntax.Not(f))
	if err != nil {
		return "", err
	}
	init := graphs.Boolean(!otherwise[0])
	var events []graphs.Event
	var values []graphs.Value
	for k := 1; k < len(otherwise); k++ {
		if otherwise[k] != otherwise[k-1] {
			events = append(events, s.c.Event(process, k))
			values = append(values, graphs.Boolean(!otherwise[k]))
		}
	}
	s.add(graphs.NewVariable(process, name, init, events, values))
	return name, nil
}
