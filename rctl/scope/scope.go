// Package scope tells what a formula may speak of in a computation: processes, variables
// and their values, and what single events do. It decides nothing.
//
// # Definitions
//
// A field of an event is a variable that the event assigns, of its process or a shared one. A
// condition is a Boolean combination of comparisons of fields and constants. An event that does not
// assign a field satisfies no comparison with it.
//
// A column is a variable that no trace has: its value at a cut says what the events of a process in
// that cut have done. once(c) is a column that becomes true with the first event that satisfies c,
// events(c) one that counts them. So engines, slices and proofs need to know nothing of events: they
// see variables, and Computation returns the computation that has them.
//
// Example: the events of P assign op, "recv", "done", "recv". The column events(op == "recv") of P is
// 0 at first, 1 after the first event, and 2 after the third.
//
// # How events are found
//
// A formula about a hundred thousand requests asks for the events of each. So the events that assign
// a field are listed by value once, and a condition is tested on the shortest list that one of its
// conjuncts leaves.
package scope

import (
	"context"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/clocks"
	"github.com/pota-project/pota/rctl/syntax"
)

// Of returns what a formula may speak of in c, for syntax.Resolve. Times are those of the trace.
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

// OfHoles is Of for a small computation, made of the events that fill the holes of a template: the
// fields of these exist even if no event assigns them.
func OfHoles(c *graphs.Computation) *Scope {
	s := Of(c)
	s.holed = true
	return s
}

// A Scope is what a formula may speak of: it implements syntax.Events and syntax.Valuer. Formulas about
// events add columns to its computation. It must not be used by several goroutines at once.
type Scope struct {
	// Possible decides knowledge: for each state of a process, by the number of its events so far, it says
	// whether a formula about single cuts can be true there. Where it is nil, knowledge is an error.
	Possible func(ctx context.Context, c *graphs.Computation, process int, f *syntax.Formula) ([]bool, error)
	// Follow decides bounds on time. Where it is nil, they are an error.
	Follow Follower

	c     *graphs.Computation
	times Times
	holed bool // the fields are the holes of a template
	open  bool // a comparison depends on clocks

	// Answers are kept, because formulas ask for the same fields and conditions again and again. The
	// assignments of a shared variable are ordered by the numbers of their events.
	shared     map[*graphs.Variable][]int32
	types      map[string][]syntax.Type                   // by field
	satisfying map[string][]graphs.Event                  // by condition
	byValue    map[string]map[graphs.Value][]graphs.Event // by field
	rules      *clocks.Ruler                              // made when first needed
	past       *graphs.Precedence                         // made when first needed

	columns map[column]*graphs.Variable
	added   []*graphs.Variable // the columns, in order
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

// Owners implements syntax.Scope: the processes that have a variable of the name.
func (s *Scope) Owners(name string) []int {
	return syntax.Mapped(s.c.VariablesNamed(name), func(v *graphs.Variable) int { return v.Process })
}

// Values returns what variables of that name have for values in these processes.
//
// The time complexity of Values is O(most·assignments).
func (s *Scope) Values(processes []int, name string, most int) ([]*syntax.Expr, bool) {
	var values []graphs.Value
	for _, p := range processes {
		v := s.c.Variable(p, name)
		// A list with some values missing would be taken for all of them.
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

	// The order of the trace would make the text of a formula depend on when things happened.
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

// constantOf returns the constant of a value.
func constantOf(x graphs.Value) *syntax.Expr {
	// The parser makes them like this: they are printed and compared as if somebody had written them.
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

// VariableNames implements syntax.Scope: each name once, in the order of the trace.
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

// TypeOf returns the type that formulas know for the values of a kind. That of untyped variables
// is unknown, and Resolve accepts them wherever a variable can stand.
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
