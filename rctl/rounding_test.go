package rctl_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// awkward are numbers that are rounded when they are added to others, cancel, or overflow.
var awkward = []string{
	"0.1", "0.2", "0.3", "-0.1", "0.5", "1.5", "0", "1", "2", "-1", "3", "1e16", "-1e16", "10000000000000000", "10000000000000001", "9007199254740992", "9007199254740993",
	"4611686018427387904", "9223372036854775807", "-9223372036854775807", "1e308", "1e-320", "0.30000000000000004",
	"0.00000095367431640625", "4294967296.00000095367431640625", "8589934593", "1000000000000000000",
}

// awkwardComputation has a few processes with variables x and y that have awkward values,
// and messages.
func awkwardComputation(t *testing.T, r *rand.Rand) *graphs.Computation {
	var b graphs.Builder
	for p := range 2 + r.IntN(2) {
		b.Process(fmt.Sprint("P", p))
	}
	values := []string{"0", "1", "2", "0.1", "0.2"} // of most
	switch r.IntN(5) {
	case 0, 1:
		values = awkward
	case 3: // that are the same, or nearly so
		values = []string{"1e16", "10000000000000000", "10000000000000001", "1"}
	case 2: // that float64 can hold, but not their sums
		values = awkward[len(awkward)-4 : len(awkward)-1]
	}
	rising := r.IntN(3) == 0
	value := func(least graphs.Value) graphs.Value {
		for range 10 {
			if x := constant(t, values[r.IntN(len(values))]); !rising || least.Kind == graphs.NoKind || x.Compare(least) >= 0 {
				return x
			}
		}
		return least
	}
	last := map[*graphs.Variable]graphs.Value{}
	processes := b.NumEvents()
	for p := range 3 {
		if p < 2 || r.IntN(2) == 0 {
			processes = p + 1
			for _, name := range []string{"x", "y"} {
				v := b.Variable(b.Process(fmt.Sprint("P", p)), name)
				last[v] = value(graphs.Value{})
				b.Init(v, last[v])
			}
		}
	}
	var under []graphs.Handle
	for range 3 + r.IntN(6) {
		p := r.IntN(processes)
		h := b.Event(p)
		switch r.IntN(4) {
		case 0:
			under = append(under, h)
		case 1:
			i := slices.IndexFunc(under, func(s graphs.Handle) bool { return b.ProcessOf(s) != p })
			if i >= 0 {
				b.Deliver(b.NewMessage(""), under[i], h, 0)
				under = slices.Delete(under, i, i+1)
			}
		default:
			v := b.Variable(p, []string{"x", "y"}[r.IntN(2)])
			last[v] = value(last[v])
			b.Set(v, h, last[v])
		}
	}
	for _, s := range under {
		b.Deliver(b.NewMessage(""), s, graphs.NoHandle, (b.ProcessOf(s)+1)%processes)
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// constant returns the value of a number as formulas have it.
func constant(t *testing.T, text string) graphs.Value {
	f, err := syntax.Parse(text + " == 0")
	if err != nil {
		t.Fatal(err)
	}
	e, sign := f.Expr.Args[0], graphs.Int(1)
	if e.Op == syntax.ExprNeg {
		e, sign = e.Args[0], graphs.Int(-1)
	}
	if e.IsFloat {
		return graphs.Float(e.Float).Mul(sign)
	}
	return graphs.Int(e.Int).Mul(sign)
}

// awkwardFormula compares sums in which terms cancel, or are rounded.
func awkwardFormula(r *rand.Rand, c *graphs.Computation) string {
	process := func() string { return c.Processes()[r.IntN(c.NumProcesses())] }
	leaf := func() string {
		switch r.IntN(10) {
		case 0, 1, 2, 3:
			return []string{"x", "y"}[r.IntN(2)] + "@" + process()
		case 4, 5:
			return "transit(" + process() + ", " + process() + ")"
		case 6:
			return "(" + []string{"sum", "min", "max"}[r.IntN(3)] + " i: x@i)"
		case 7:
			return "(count i: x@i > 0.1)"
		}
		return awkward[r.IntN(len(awkward))]
	}
	side := func() string {
		terms := []string{leaf()}
		for range r.IntN(4) {
			term := leaf()
			switch r.IntN(5) {
			case 0:
				term = awkward[r.IntN(len(awkward))] + " * " + term
			case 1: // what is there already
				term = terms[r.IntN(len(terms))]
			}
			terms = append(terms, term)
		}
		if r.IntN(3) == 0 { // cancels
			terms = append(terms, terms[0])
		}
		text := terms[0]
		for _, term := range terms[1:] {
			text += []string{" + ", " - ", " - "}[r.IntN(3)] + term
		}
		return strings.ReplaceAll(strings.ReplaceAll(text, "- -", "+ "), "+ -", "- ")
	}
	rel := func() string { return []string{" <= ", " < ", " >= ", " > ", " == ", " != "}[r.IntN(6)] }
	atom := side() + rel() + side()
	if r.IntN(5) == 0 {
		atom += rel() + side()
	}
	switch r.IntN(8) {
	case 2, 3: // of one channel
		number := func() string { return []string{"0.1", "0.6", "1.7"}[r.IntN(3)] }
		channel := fmt.Sprintf("transit(%s, %s)", process(), process())
		if all := c.Messages(); len(all) > 0 {
			m := all[r.IntN(len(all))]
			channel = fmt.Sprintf("transit(%s, %s)", c.Processes()[c.Process(m.Send)], c.Processes()[m.To])
		}
		if factor := []string{"1", "3", "1000000000000000000"}[r.IntN(3)]; r.IntN(2) == 0 {
			atom = factor + " * " + channel + " + 0.5 - " + factor + " * " + channel + rel() + "0.5"
		} else {
			atom = channel + " + " + number() + " + " + number() + rel() + number()
		}
	case 0:
		atom = []string{"forall", "exists"}[r.IntN(2)] + " i != j: x@i" + []string{"", " + 0.1", " - y@j"}[r.IntN(3)] + rel() + "x@j" + []string{"", " + 0.2"}[r.IntN(2)]
	case 1:
		atom = "(max i: x@i) - (min j: x@j)" + rel() + awkward[r.IntN(len(awkward))]
	}
	return []string{"EF", "AG", "EG", "AF"}[r.IntN(4)] + "(" + atom + ")"
}

// Every engine that decides a comparison of numbers that are rounded, cancel or overflow
// decides it as it is evaluated at every cut, one after the other.
func TestRounding(t *testing.T) {
	tally := make(map[string]int)
	n := graphtest.RoundsUpTo(t, 400, 8000)
	for i := range n {
		r := rand.New(rand.NewPCG(13, uint64(i)))
		c := awkwardComputation(t, r)
		l := graphtest.NewLattice(c)
		for range 4 {
			text := awkwardFormula(r, c)
			f, err := rctltest.Resolve(c, text)
			if err != nil {
				if _, ok := errors.AsType[*syntax.Error](err); !ok {
					t.Fatal(err)
				}
				tally["refused"]++
				continue
			}
			asWritten, err := syntax.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			want := rctl.Unknown
			for e, name := range rctl.Engines() {
				v, err := rctl.Check(context.Background(), c, f, rctl.Options{Engine: rctl.Engine(e), Evidence: r.IntN(2) == 0})
				if err != nil {
					t.Fatalf("case %d: %s: %s: %v", i, text, name, err)
				}
				if rctl.Engine(e) == rctl.Auto {
					want = truth(l, asWritten)
					if want == rctl.Unknown {
						want = verdictOf(t, c, f, rctl.Explicit)
					}
				}
				if v.Verdict == rctl.Unknown {
					continue
				}
				tally[name+" "+v.Verdict.String()]++
				if v.Verdict != want {
					t.Fatalf("case %d: %s is %s by %s, not %s", i, text, v.Verdict, name, want)
				}
			}
		}
	}
	t.Log(tally)
	for _, engine := range []string{"auto", "slice", "flow", "sat", "explicit"} {
		if tally[engine+" holds"] < n/20 || tally[engine+" fails"] < n/20 {
			t.Errorf("too few: %s", engine)
		}
	}
}

// Every engine tells floats from whole numbers.
func TestMixedNumbers(t *testing.T) {
	for _, test := range rctltest.MixedNumbers() {
		for e, name := range rctl.Engines() {
			c := test.Computation
			res, err := rctl.Check(context.Background(), c, resolved(t, c, test.Formula), rctl.Options{Engine: rctl.Engine(e)})
			if err != nil || res.Verdict == rctl.Fails || res.Verdict == rctl.Unknown && rctl.Engine(e) == rctl.Auto {
				t.Errorf("%s by %s: %v (%v)", test.Formula, name, res.Verdict, err)
			}
		}
	}
}

// truth evaluates EF or AG of a predicate, as it is written, cut by cut; it is unknown for
// others.
func truth(l *graphtest.Lattice, f *syntax.Formula) rctl.Verdict {
	if f.Op != syntax.OpEF && f.Op != syntax.OpAG {
		return rctl.Unknown
	}
	for _, cut := range l.Cuts {
		w := &written{l.Computation, cut, make(map[string]int)}
		switch holds := w.formula(f.Sub[0]); {
		case holds && f.Op == syntax.OpEF:
			return rctl.Holds
		case !holds && f.Op == syntax.OpAG:
			return rctl.Fails
		}
	}
	if f.Op == syntax.OpEF {
		return rctl.Fails
	}
	return rctl.Holds
}

// A written evaluates formulas as they are written at a cut.
type written struct {
	*graphs.Computation
	cut   graphs.Cut
	bound map[string]int
}

func (w *written) process(name syntax.Name) int {
	if p, ok := w.bound[name.Text]; ok {
		return p
	}
	p, _ := w.ProcessNumber(name.Text)
	return p
}

// each calls visit with the names of q bound to processes in all ways.
func (w *written) each(q *syntax.Quantifier, visit func()) {
	var bind func(names []syntax.Name, chosen []int)
	bind = func(names []syntax.Name, chosen []int) {
		if len(names) == 0 {
			visit()
			return
		}
		for p := range w.NumProcesses() {
			if q.Distinct && slices.Contains(chosen, p) {
				continue
			}
			w.bound[names[0].Text] = p
			bind(names[1:], append(slices.Clip(chosen), p))
		}
		delete(w.bound, names[0].Text)
	}
	bind(q.Names, nil)
}

func (w *written) formula(f *syntax.Formula) bool {
	switch f.Op {
	case syntax.OpForall, syntax.OpExists:
		all, some := true, false
		w.each(f.Quant, func() {
			holds := w.formula(f.Sub[0])
			all, some = all && holds, some || holds
		})
		return f.Op == syntax.OpForall && all || f.Op == syntax.OpExists && some
	case syntax.OpAtom:
		for i, rel := range f.Expr.Rel {
			if !rel.Relates(w.value(f.Expr.Args[i]).Compare(w.value(f.Expr.Args[i+1]))) {
				return false
			}
		}
		return true
	}
	panic("not written by awkwardFormula: " + f.String())
}

func (w *written) value(e *syntax.Expr) graphs.Value {
	arg := func(i int) graphs.Value { return w.value(e.Args[i]) }
	sum := graphs.Int(0)
	switch e.Op {
	case syntax.ExprNumber:
		if e.IsFloat {
			return graphs.Float(e.Float)
		}
		return graphs.Int(e.Int)
	case syntax.ExprVar:
		return w.Variable(w.process(e.Process), e.Text).At(w.Computation, w.cut)
	case syntax.ExprNeg:
		return sum.Sub(arg(0))
	case syntax.ExprAdd:
		return arg(0).Add(arg(1))
	case syntax.ExprSub:
		return arg(0).Sub(arg(1))
	case syntax.ExprMul:
		return arg(0).Mul(arg(1))
	case syntax.ExprTransit:
		for _, m := range w.Messages() {
			if w.Process(m.Send) == w.process(e.From) && int(m.To) == w.process(e.To) && w.Has(w.cut, m.Send) && (m.Recv == graphs.Bottom || !w.Has(w.cut, m.Recv)) {
				sum = sum.Add(graphs.Int(1))
			}
		}
		return sum
	case syntax.ExprCount:
		w.each(e.Quant, func() {
			if w.formula(e.Form) {
				sum = sum.Add(graphs.Int(1))
			}
		})
		return sum
	}
	var best graphs.Value
	w.each(e.Quant, func() {
		x := w.value(e.Term)
		sum = sum.Add(x)
		if order := x.Compare(best); best.Kind == graphs.NoKind || order < 0 && e.Op == syntax.ExprMin || order > 0 && e.Op == syntax.ExprMax {
			best = x
		}
	})
	if e.Op == syntax.ExprSum {
		return sum
	}
	return best
}

func verdictOf(t *testing.T, c *graphs.Computation, f *syntax.Formula, e rctl.Engine) rctl.Verdict {
	v, err := rctl.Check(context.Background(), c, f, rctl.Options{Engine: e})
	if err != nil {
		t.Fatal(err)
	}
	return v.Verdict
}
