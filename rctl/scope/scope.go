// Package scope gives formulas access to a computation: to its processes, its variables and their
// values, and the assignments of single events. It decides nothing.
//
// # Definitions
//
// A field of an event is a variable, of its process or shared, that the event assigns. A condition is
// a Boolean combination of comparisons of fields and constants. An event that does not assign a field
// satisfies no comparison with it.
//
// A column is a derived variable: its value at a cut summarizes the events of one process in that
// cut. once(c) is a column that becomes true with the first event that satisfies c, and events(c)
// counts the events that do. Thus engines, slices and proofs need not know about events: they see
// variables, and Computation returns the computation that has them.
//
// Example: the events of P assign op, "recv", "done", "recv". The column events(op == "recv") of P is
// 0 at first, 1 after the first event, and 2 after the third.
//
// # How events are found
//
// A formula about a hundred thousand requests needs the events of each. Hence the events that assign
// a field are indexed by value once, and a condition is tested only on the shortest list that the
// index gives for one of its conjuncts.
package scope

import (
	"context"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/clocks"
	"github.com/pota-project/pota/rctl/syntax"
)

// Of returns the scope of c for syntax.Resolve, with the times of the trace.
func Of(c *graphs.Computation) *Scope { return With(c, Times{}) }

// With is Of with other times.
func With(c *graphs.Computation, times Times) *Scope {
	return &Scope{
		c:          c,
		times:      times,
		shared:     make(map[*graphs.Variable][]int32),
		types:      make(map[string][]syntax.Type),
		satisfying: make(map[string][]graphs.Event),
		byValue:    make(map[string]map[graphs.Value][]graphs.Event),
		columns:    make(map[column]*graphs.Variable),
	}
}

// OfHoles is Of for a small computation of the events that fill the holes of a template. All fields
// exist and are Boolean, even if no event assigns them.
func OfHoles(c *graphs.Computation) *Scope {
	s := Of(c)
	s.holed = true
	return s
}

// A Scope resolves the names of formulas in a computation: it implements syntax.Events and
// syntax.Valuer. Formulas about events add columns to its computation. It is not safe for concurrent
// use.
type Scope struct {
	// Possible decides knowledge: for each state of a process, indexed by the number of its events so
	// far, it reports whether a formula about single cuts can be true there. If it is nil, knowledge is
	// an error.
	Possible func(ctx context.Context, c *graphs.Computation, process int, f *syntax.Formula) ([]bool, error)
	// Follow decides bounds on time. If it is nil, they are an error.
	Follow Follower

	c     *graphs.Computation
	times Times
	holed bool // whether the fields are the holes of a template
	open  bool // whether the model left a comparison of times open

	// Caches, because formulas need the same fields and conditions again and again. shared holds the
	// indices of the assignments of a shared variable, ordered by event number.
	shared map[*graphs.Variable][]int32
	types  map[string][]syntax.Type // the types of the values of a field
	// the events that satisfy a condition, by its text
	satisfying map[string][]graphs.Event
	byValue    map[string]map[graphs.Value][]graphs.Event // the postings of a field
	rules      *clocks.Ruler                              // nil until first needed
	past       *graphs.Precedence                         // nil until first needed

	columns map[column]*graphs.Variable
	added   []*graphs.Variable // the columns, in the order they were added
}

// Processes implements syntax.Scope.
func (s *Scope) Processes() []string { return s.c.Processes() }

// LookupProcess implements syntax.Scope.
func (s *Scope) LookupProcess(name string) (int, bool) { return s.c.ProcessNumber(name) }

// Variable implements syntax.Scope.
func (s *Scope) Variable(process int, name string) (syntax.Type, bool) {
	v := s.c.Variable(process, name)
	if v == nil {
		return syntax.UnknownType, false
	}
	return TypeOf(v.Kind), true
}

// Owners implements syntax.Scope.
func (s *Scope) Owners(name string) []int {
	return syntax.Mapped(s.c.VariablesNamed(name), func(v *graphs.Variable) int { return v.Process })
}

// Values returns the values, sorted, that the variables of a name have in some processes. It returns
// false if a process has no such variable, if values were not read or are of several kinds, or if
// there are more than most.
//
// The time complexity of Values is O(most·assignments).
func (s *Scope) Values(processes []int, name string, most int) ([]*syntax.Expr, bool) {
	var values []graphs.Value
	for _, p := range processes {
		v := s.c.Variable(p, name)
		// The caller relies on the list being complete.
		if v == nil || v.Skipped() {
			return nil, false
		}
		for i := -1; i < v.Len(); i++ {
			x := v.Value(i)
			if !slices.Contains(values, x) {
				values = append(values, x)
			}
			if len(values) > most || x.Kind != values[0].Kind {
				return nil, false
			}
		}
	}

	// In the order of the trace, the text of a formula would depend on when things happened.
	slices.SortFunc(values, func(x, y graphs.Value) int {
		if x.Kind == graphs.Number {
			return x.Compare(y)
		}
		return strings.Compare(x.String(), y.String())
	})

	// Formulas have no literal for values of other kinds.
	constants := make([]*syntax.Expr, len(values))
	for i, x := range values {
		if x.Kind == graphs.NoKind {
			return nil, false
		}
		constants[i] = constantOf(x)
	}
	return constants, true
}

// constantOf returns a value as an expression.
func constantOf(x graphs.Value) *syntax.Expr {
	// The expression has the form that the parser gives it, so that it prints and compares like one in
	// the source of a formula.
	e := &syntax.Expr{Owner: syntax.Unresolved, Type: TypeOf(x.Kind)}
	switch x.Kind {
	case graphs.Number:
		if e.Op, e.IsFloat = syntax.ExprNumber, x.Float; x.Float {
			e.Float = x.Float64()
		} else {
			e.Int = x.Int64()
		}
	case graphs.Bool:
		e.Op, e.Bool = syntax.ExprBool, x.Bool()
	default:
		e.Op, e.Text = syntax.ExprString, x.Text()
	}
	return e
}

// VariableNames implements syntax.Scope; the names are in the order of the trace.
func (s *Scope) VariableNames() []string {
	var names []string
	seen := make(map[string]bool)
	for _, v := range s.c.Variables() {
		if !seen[v.Name] {
			seen[v.Name] = true
			names = append(names, v.Name)
		}
	}
	return names
}

// TypeOf returns the type of formulas for the values of a kind. The type of untyped variables is
// unknown, and Resolve accepts them wherever a variable can stand.
func TypeOf(k graphs.Kind) syntax.Type {
	switch k {
	case graphs.Number:
		return syntax.NumberType
	case graphs.Bool:
		return syntax.BoolType
	case graphs.String:
		return syntax.StringType
	}
	return syntax.UnknownType
}
