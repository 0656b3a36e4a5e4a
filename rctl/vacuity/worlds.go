package vacuity

import (
	"math"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// tautologies reports the largest parts of f without temporal operators and quantifiers that have
// the same truth value at every cut of every trace.
func (s *search) tautologies(f *syntax.Formula) {
	if syntax.Find(f, func(f *syntax.Formula) bool { return f.Op.IsTemporal() || f.Quant != nil }) != nil {
		for _, sub := range f.Sub {
			s.tautologies(sub)
		}
		return
	}

	if f.Op == syntax.OpAtom || f.Op == syntax.OpTrue || f.Op == syntax.OpFalse {
		return
	}
	if always, ok := valid(f); ok {
		s.report(Constant, f.Pos, "%s is %t at every cut of every trace", f, always)
	}
}

// maxWorlds is the maximum number of worlds that valid tries.
const maxWorlds = 1 << 14

// valid reports whether a propositional formula has the same truth value in all worlds, and that
// value. In a world, each variable that is compared only with constants has one of these constants,
// or a value between, below or above them; every other atom is true or false. ok is false if the
// value differs, or if there are too many worlds.
func valid(f *syntax.Formula) (value, ok bool) {
	w := &worlds{values: make(map[string][]graphs.Value), at: make(map[string]int)}
	syntax.Walk(f, func(f *syntax.Formula) bool {
		if f.Op != syntax.OpAtom {
			return true
		}
		variables, constants := operands(f.Expr)
		if variables == nil {
			w.add(f.Expr.String(), graphs.Boolean(false), graphs.Boolean(true))
		}
		for _, v := range variables {
			w.add(v.String(), constants...)
		}
		return true
	})
	if !w.complete() {
		return false, false
	}
	first := w.verdict(f)
	for w.next() {
		if w.verdict(f) != first {
			return false, false
		}
	}
	return first == rctl.Holds, true
}

// worlds visits all assignments, like an odometer.
type worlds struct {
	// variables, and the texts of atoms that are either true or false
	names  []string
	values map[string][]graphs.Value // the possible values of each name
	at     map[string]int            // the index of the current value of each
}

// add adds possible values of a variable.
func (w *worlds) add(name string, values ...graphs.Value) {
	if _, ok := w.values[name]; !ok {
		w.names = append(w.names, name)
	}
	w.values[name] = append(w.values[name], values...)
}

// operands returns the variables and constants of a comparison in which variables and constants
// alternate. It returns nil for every other expression.
func operands(e *syntax.Expr) (variables []*syntax.Expr, constants []graphs.Value) {
	if e.Op != syntax.ExprCompare {
		return nil, nil
	}
	for i, arg := range e.Args {
		c, isConstant := scope.Literal(arg)
		switch {
		case isConstant:
			constants = append(constants, c)
		case arg.Op == syntax.ExprVar:
			variables = append(variables, arg)
		default:
			return nil, nil
		}
		if i > 0 {
			if _, before := scope.Literal(e.Args[i-1]); before == isConstant {
				return nil, nil
			}
		}
	}

	return variables, constants
}

// complete adds values around the constants, and reports whether the number of worlds is small
// enough. It returns false if the constants of a variable are of several kinds: the variable cannot
// be compared with all of them.
func (w *worlds) complete() bool {
	product := 1
	for _, name := range w.names {
		all := w.values[name]
		kind := all[0].Kind
		for _, x := range all {
			if x.Kind != kind {
				return false
			}
		}
		switch kind {
		case graphs.Number:
			slices.SortFunc(all, graphs.Value.Compare)
			numbers := slices.CompactFunc(all, graphs.Value.Equal)
			all = []graphs.Value{beside(numbers[0], -1)}
			for i, x := range numbers {
				all = append(all, x)
				if i+1 == len(numbers) || beside(x, 1).Compare(numbers[i+1]) < 0 {
					all = append(all, beside(x, 1))
				}
			}
		case graphs.Bool:
			all = []graphs.Value{graphs.Boolean(false), graphs.Boolean(true)}
		case graphs.String:
			longest := ""
			for _, x := range all {
				if len(x.Text()) >= len(longest) {
					longest = x.Text()
				}
			}
			all = append(all, graphs.Str(longest+"'"))
		}
		w.values[name] = all
		if product *= len(all); product > maxWorlds {
			return false
		}
	}

	return true
}

// beside returns the number nearest to x above it, or below it if direction is -1, among the 64-bit
// integers and the floats.
func beside(x graphs.Value, direction int) graphs.Value {
	f := x.Float64()
	// f differs from x if it was rounded
	near := []graphs.Value{graphs.Float(f), graphs.Float(math.Nextafter(f, math.Inf(direction)))}
	if x.Float && math.Abs(f) >= 1<<53 && math.Abs(f) < 1<<63 {
		x = graphs.Int(int64(f))
	}
	if !x.Float {
		near = append(near, x.Add(graphs.Int(int64(direction))))
	}
	near = slices.DeleteFunc(near, func(y graphs.Value) bool { return y.Compare(x) != direction })
	return slices.MinFunc(near, func(y, z graphs.Value) int { return direction * y.Compare(z) })
}

// next advances to the next world, and reports whether there is one.
func (w *worlds) next() bool {
	for _, name := range w.names {
		w.at[name]++
		if w.at[name] < len(w.values[name]) {
			return true
		}
		w.at[name] = 0
	}
	return false
}

// verdict evaluates a propositional formula in the current world.
func (w *worlds) verdict(f *syntax.Formula) rctl.Verdict {
	if f.Op == syntax.OpAtom {
		return engine.VerdictOf(w.atom(f.Expr))
	}
	return connective(f, w.verdict)
}

// atom evaluates an atom in the current world.
func (w *worlds) atom(e *syntax.Expr) bool {
	value := func(name string) graphs.Value { return w.values[name][w.at[name]] }
	if variables, _ := operands(e); variables == nil {
		return value(e.String()).Bool()
	}
	of := func(e *syntax.Expr) graphs.Value {
		if x, ok := scope.Literal(e); ok {
			return x
		}
		return value(e.String())
	}
	for i, rel := range e.Rel {
		if !scope.Related(rel, of(e.Args[i]), of(e.Args[i+1])) {
			return false
		}
	}
	return true
}
