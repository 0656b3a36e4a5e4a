package rctl_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// A thing is what a name is bound to: a process, a value or an event.
type thing struct {
	process int
	value   *graphs.Value
	event   graphs.Event
}

// An expander writes out the quantifiers of a formula about data by their definition, and decides what
// is left at each cut by looking at all events in it. It shares no code with package scope.
type expander struct {
	*graphtest.Lattice
	free *graphtest.Lattice                // without the events that all cuts have or none: they order no events
	envs map[*syntax.Expr]map[string]thing // what names stood for around an atom
	time func(graphs.Event) *big.Rat       // the times of events; nil where no formula speaks of them
}

// expand replaces quantifiers by their instances.
func (x *expander) expand(f *syntax.Formula, env map[string]thing) *syntax.Formula {
	switch f.Op {
	case syntax.OpAtom:
		e := *f.Expr
		x.envs[&e] = env
		return syntax.AsAtom(&e)
	case syntax.OpForall, syntax.OpExists:
		var all []*syntax.Formula
		x.each(f.Quant, env, func(env map[string]thing) { all = append(all, x.expand(f.Sub[0], env)) })
		// Unfolded from the left: an operator with one operand or none is that, or a constant.
		op, g := syntax.OpAnd, syntax.New(syntax.OpTrue, 0)
		if f.Op == syntax.OpExists {
			op, g = syntax.OpOr, syntax.New(syntax.OpFalse, 0)
		}
		for _, h := range all {
			g = syntax.New(op, 0, g, h)
		}
		return g
	}
	subs := make([]*syntax.Formula, len(f.Sub))
	for i, sub := range f.Sub {
		subs[i] = x.expand(sub, env)
	}
	return syntax.New(f.Op, 0, subs...)
}

// each calls visit for each binding of the names of a quantifier.
func (x *expander) each(q *syntax.Quantifier, env map[string]thing, visit func(map[string]thing)) {
	var rows [][]thing
	switch c := x.Computation; q.Sort() {
	case syntax.OfProcess:
		for p := range c.NumProcesses() {
			rows = append(rows, []thing{{process: p}})
		}
	case syntax.OfEvent:
		for e := graphs.Event(1); int(e) <= c.NumEvents(); e++ {
			if x.satisfies(q.Data.Where, e, env) {
				rows = append(rows, []thing{{event: e}})
			}
		}
	default:
		seen := map[string]bool{}
		for e := graphs.Event(1); int(e) <= c.NumEvents(); e++ {
			if q.Data.Where != nil && !x.satisfies(q.Data.Where, e, env) {
				continue
			}
			var row []thing
			key := ""
			for _, name := range q.Data.Fields {
				if v, ok := x.field(e, name.Text); ok {
					row = append(row, thing{value: &v})
					key += fmt.Sprintf("%d:%q,", v.Kind, fmt.Sprint(plain(v)))
				}
			}
			if len(row) == len(q.Data.Fields) && !seen[key] {
				seen[key] = true
				rows = append(rows, row)
			}
		}
	}

	width := len(rows[:min(1, len(rows))])
	if width == 1 {
		width = len(rows[0])
	}
	var bind func(n int, env map[string]thing, chosen []int)
	bind = func(n int, env map[string]thing, chosen []int) {
		if n == len(q.Names) {
			visit(env)
			return
		}
		for k, row := range rows {
			distinct := true
			for _, other := range chosen {
				distinct = distinct && (!q.Distinct || other != k)
			}
			if !distinct {
				continue
			}
			inner := map[string]thing{}
			for name, t := range env {
				inner[name] = t
			}
			for i, t := range row {
				inner[q.Names[n+i].Text] = t
			}
			bind(n+width, inner, append(chosen[:len(chosen):len(chosen)], k))
		}
	}
	bind(0, env, nil)
}

// field returns what an event assigns, by a look at all assignments.
func (x *expander) field(e graphs.Event, name string) (graphs.Value, bool) {
	for _, v := range x.Computation.VariablesNamed(name) {
		for i, at := range v.Events() {
			if at == e && (v.Process == graphs.Shared || v.Process == x.Computation.Process(e)) {
				return v.Value(i), true
			}
		}
	}
	return graphs.Value{}, false
}

// satisfies decides a condition for an event.
func (x *expander) satisfies(f *syntax.Formula, e graphs.Event, env map[string]thing) bool {
	is := func(k int) bool { return x.satisfies(f.Sub[k], e, env) }
	switch f.Op {
	case syntax.OpTrue:
		return true
	case syntax.OpFalse:
		return false
	case syntax.OpNot:
		return !is(0)
	case syntax.OpAnd:
		for k := range f.Sub {
			if !is(k) {
				return false
			}
		}
		return true
	case syntax.OpOr:
		for k := range f.Sub {
			if is(k) {
				return true
			}
		}
		return false
	case syntax.OpImplies:
		return !is(0) || is(1)
	case syntax.OpIff:
		return is(0) == is(1)
	}
	return x.truth(f.Expr, func(e2 *syntax.Expr) (any, bool) {
		switch e2.Op {
		case syntax.ExprField:
			v, ok := x.field(e, e2.Text)
			return plain(v), ok
		case syntax.ExprOwn:
			return map[string]string{"process": x.Computation.Processes()[x.Computation.Process(e)], "label": x.Computation.Label(e), "id": x.Computation.ID(e)}[e2.Text], true
		case syntax.ExprHas:
			_, ok := x.field(e, e2.Text)
			return ok, true
		}
		return x.constant(e2, env)
	})
}

// plain returns a value as a *big.Rat, a bool or a string.
func plain(v graphs.Value) any {
	switch {
	case v.Kind == graphs.Bool:
		return v.Bool()
	case v.Kind == graphs.String:
		return v.Text()
	case v.Float:
		return new(big.Rat).SetFloat64(v.Float64())
	case v.Kind == graphs.Number:
		return new(big.Rat).SetInt64(v.Int64())
	}
	return nil
}

// constant returns what is known of an expression without a cut.
func (x *expander) constant(e *syntax.Expr, env map[string]thing) (any, bool) {
	switch e.Op {
	case syntax.ExprNumber:
		return e.Seconds(), true
	case syntax.ExprString:
		return e.Text, true
	case syntax.ExprBool:
		return e.Bool, true
	case syntax.ExprValue:
		if t := env[e.Text]; t.value != nil {
			return plain(*t.value), true
		}
		return x.Computation.Processes()[env[e.Text].process], true
	case syntax.ExprOf:
		if e.Text == "time" {
			return x.time(env[e.Event.Text].event), true
		}
		v, ok := x.field(env[e.Event.Text].event, e.Text)
		return plain(v), ok
	}
	panic(fmt.Sprint("no constant: ", e))
}

// truth decides a comparison or a Boolean over leaves.
func (x *expander) truth(e *syntax.Expr, leaf func(*syntax.Expr) (any, bool)) bool {
	var value func(e *syntax.Expr) (any, bool)
	value = func(e *syntax.Expr) (any, bool) {
		if len(e.Args) == 0 {
			return leaf(e)
		}
		args := make([]*big.Rat, len(e.Args))
		for i, arg := range e.Args {
			v, ok := value(arg)
			if args[i], _ = v.(*big.Rat); !ok || args[i] == nil {
				return nil, false
			}
		}
		return syntax.Exact(e.Op, args), true
	}
	if e.Op != syntax.ExprCompare {
		v, ok := value(e)
		b, is := v.(bool)
		return ok && is && b
	}
	for i, rel := range e.Rel {
		a, ok := value(e.Args[i])
		b, found := value(e.Args[i+1])
		if !ok || !found || fmt.Sprintf("%T", a) != fmt.Sprintf("%T", b) {
			return false
		}
		order := 1
		switch a := a.(type) {
		case *big.Rat:
			order = a.Cmp(b.(*big.Rat))
		default:
			if a == b {
				order = 0
			}
		}
		if !rel.Relates(order) {
			return false
		}
	}
	return true
}

// at decides an atom at a cut.
func (x *expander) at(e *syntax.Expr, i int) bool { return x.atom(e, x.envs[e], i) }

// holds decides a formula without temporal operators at a cut.
func (x *expander) holds(f *syntax.Formula, env map[string]thing, i int) bool {
	is := func(k int) bool { return x.holds(f.Sub[k], env, i) }
	switch f.Op {
	case syntax.OpAtom:
		return x.atom(f.Expr, env, i)
	case syntax.OpNot:
		return !is(0)
	case syntax.OpAnd:
		return is(0) && is(1)
	case syntax.OpOr:
		return is(0) || is(1)
	case syntax.OpImplies:
		return !is(0) || is(1)
	case syntax.OpTrue, syntax.OpFalse:
		return f.Op == syntax.OpTrue
	case syntax.OpForall, syntax.OpExists:
		all := f.Op == syntax.OpForall
		x.each(f.Quant, env, func(env map[string]thing) {
			if x.holds(f.Sub[0], env, i) != (f.Op == syntax.OpForall) {
				all = f.Op != syntax.OpForall
			}
		})
		return all
	}
	panic(fmt.Sprint("no state formula: ", f))
}

// aggregate returns the value of an aggregate at a cut.
func (x *expander) aggregate(e *syntax.Expr, env map[string]thing, i int) (any, bool) {
	total, n := new(big.Rat), 0
	x.each(e.Quant, env, func(env map[string]thing) {
		if e.Op == syntax.ExprCount {
			if x.holds(e.Form, env, i) {
				total.Add(total, big.NewRat(1, 1))
			}
			return
		}
		v, ok := x.constant(e.Term, env)
		if !ok {
			return
		}
		number := v.(*big.Rat)
		if n++; e.Op == syntax.ExprSum || n == 1 || (e.Op == syntax.ExprMin) == (number.Cmp(total) < 0) {
			if e.Op != syntax.ExprSum {
				total.SetInt64(0)
			}
			total.Add(total, number)
		}
	})
	return total, true
}

// atom decides an atom at a cut.
func (x *expander) atom(e *syntax.Expr, env map[string]thing, i int) bool {
	c := x.Computation
	processOf := func(e *syntax.Expr) int {
		if t, ok := env[e.Process.Text]; ok {
			return t.process
		}
		if p, ok := c.ProcessNumber(e.Process.Text); ok {
			return p
		}
		return -1
	}
	count := func(e *syntax.Expr, p int, cond *syntax.Formula) (n int64, last graphs.Event) {
		for f := graphs.Event(1); int(f) <= c.NumEvents(); f++ {
			if (p < 0 || c.Process(f) == p) && x.Has(i, f) && x.satisfies(cond, f, env) {
				n++
				last = f
			}
		}
		return n, last
	}
	switch e.Op {
	case syntax.ExprHappened:
		return x.Has(i, env[e.Event.Text].event)
	case syntax.ExprBefore:
		from, to := env[e.Event.Text].event, env[e.Other.Text].event
		same, free := true, x.free
		if free == nil {
			free = x.Lattice
		}
		for k := range free.Cuts {
			if free.Has(k, to) && !free.Has(k, from) {
				return false
			}
			same = same && free.Has(k, from) == free.Has(k, to)
		}
		return !same
	case syntax.ExprKnows:
		p := processOf(e)
		for k, cut := range x.Cuts {
			possible := !slices.ContainsFunc(c.Processes(), func(name string) bool {
				q, _ := c.ProcessNumber(name)
				return cut[q] < c.Initial()[q] // the lattice has what precedes
			})
			if possible && cut[p] == x.Cuts[i][p] && !x.holds(e.Conds[0], env, k) {
				return false
			}
		}
		return true
	case syntax.ExprOnce:
		n, _ := count(e, processOf(e), e.Conds[0])
		return n > 0
	case syntax.ExprBetween:
		n, begin := count(e, processOf(e), e.Conds[0])
		_, end := count(e, processOf(e), e.Conds[1])
		return n > 0 && begin >= end
	}
	return x.truth(e, func(leaf *syntax.Expr) (any, bool) {
		switch leaf.Op {
		case syntax.ExprCount, syntax.ExprSum, syntax.ExprMin, syntax.ExprMax:
			return x.aggregate(leaf, env, i)
		case syntax.ExprEvents:
			n, _ := count(leaf, processOf(leaf), leaf.Conds[0])
			return new(big.Rat).SetInt64(n), true
		case syntax.ExprVar:
			v := c.Variable(processOf(leaf), leaf.Text)
			now := v.Init
			for k, e := range v.Events() {
				if x.Has(i, e) {
					now = v.Value(k)
				}
			}
			return plain(now), true
		}
		return x.constant(leaf, env)
	})
}

// A draft is a random computation whose events assign fields: op, req, n, k and b, not all of them.
type draft struct {
	processes int
	shared    bool // req is a shared variable
	mixed     bool // k is a number on some processes and a string on others
	events    []drafted
	syncs     [][]int
	always    []int // events that all cuts have
	never     []int // events that no cut has
}

// A drafted event assigns nothing where a text is "" or the number is negative.
type drafted struct {
	process, req, n int // the number of the value r1, r2, …; 0 for none
	op              string
	k, b            int
	after           []int
}

// quarters are values of k: 1 and "1" are two, and 2^60 is one however it is written.
var quarters = []graphs.Value{graphs.Int(1), graphs.Float(1.5), graphs.Int(1 << 60), graphs.Float(1 << 60), graphs.Int(1<<60 + 1)}

// newDraft draws one.
func newDraft(r *rand.Rand) *draft {
	d := &draft{processes: 1 + r.IntN(3), shared: r.IntN(5) == 0}
	events, reqs := 3+r.IntN(9), 3
	if d.processes == 3 && r.IntN(2) == 0 {
		events, reqs = 15, 6
	}
	for i := range events {
		e := drafted{process: r.IntN(d.processes), n: r.IntN(6) - 3, k: r.IntN(9) - 4, b: r.IntN(5)}
		if i > 0 && r.IntN(3) == 0 {
			e.after = append(e.after, r.IntN(i))
		}
		if i > 0 && d.shared { // shared variables need an order
			e.after = append(e.after, i-1)
		}
		if r.IntN(3) > 0 {
			e.op = []string{"recv", "done", "take"}[r.IntN(3)]
		}
		if r.IntN(3) > 0 {
			e.req = 1 + r.IntN(reqs)
		}
		d.events = append(d.events, e)
	}
	d.mixed = r.IntN(3) == 0
	if d.shared || r.IntN(3) > 0 {
		return d
	}
	for range r.IntN(3) {
		d.syncs = append(d.syncs, r.Perm(events)[:2])
	}
	for range r.IntN(2) {
		d.always = append(d.always, r.IntN(events/3+1))
	}
	for range r.IntN(2) {
		d.never = append(d.never, events-1-r.IntN(events/3+1))
	}
	return d
}

// build makes the computation, its processes in the order of a permutation, with the name that
// req gives to each value.
func (d *draft) build(order []int, req func(int) string) *graphs.Computation {
	var b graphs.Builder
	for p := range order {
		b.NewProcess(fmt.Sprintf("P%d", p))
	}
	handles := make([]graphs.Handle, len(d.events))
	for i, e := range d.events {
		p := order[e.process]
		h := b.Event(p)
		handles[i] = h
		for _, k := range e.after {
			b.Order(handles[k], h)
		}
		if e.op != "" {
			b.Set(b.Variable(p, "op"), h, graphs.Str(e.op))
		}
		owner := p
		if d.shared {
			owner = graphs.Shared
		}
		if e.req > 0 {
			b.Set(b.Variable(owner, "req"), h, graphs.Str(req(e.req)))
		}
		if e.n >= 0 {
			b.Set(b.Variable(p, "n"), h, graphs.Int(int64(e.n)))
		}
		if e.k >= 0 {
			k := quarters[e.k]
			if d.mixed && e.process > 0 {
				k = graphs.Str(k.String())
			}
			b.Set(b.Variable(p, "k"), h, k)
		}
		if e.b < 2 {
			b.Set(b.Variable(p, "b"), h, graphs.Boolean(e.b == 1))
		}
	}
	for _, group := range d.syncs {
		b.Sync(handles[group[0]], handles[group[1]])
	}
	for _, i := range d.always {
		b.Edge(handles[i], graphs.BottomHandle)
	}
	for _, i := range d.never {
		b.Edge(graphs.TopHandle, handles[i])
	}
	c, err := b.Build()
	if err != nil {
		panic(err)
	}
	return c
}

// plainly builds a draft as it is.
func (d *draft) plainly() *graphs.Computation {
	order := make([]int, d.processes)
	for p := range order {
		order[p] = p
	}
	return d.build(order, func(n int) string { return fmt.Sprintf("r%d", n) })
}

// TestDataRenamed renames the values and the processes: nothing changes for formulas that name neither.
func TestDataRenamed(t *testing.T) {
	same := 0
	for n := range graphtest.Rounds(t, 4000) {
		r := rand.New(rand.NewPCG(uint64(n), 34))
		draft := newDraft(r)
		d := &drawer{Rand: r, of: map[string]string{"r": "req"}}
		text := d.quantified(2)
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if strings.Contains(text, `"r1"`) || strings.Contains(text, "P0") || draft.plainly().Empty() {
			continue
		}
		var verdicts []rctl.Verdict
		for k, c := range []*graphs.Computation{
			draft.plainly(),
			draft.build(r.Perm(draft.processes), func(n int) string { return fmt.Sprintf("v%d", (n*5+3)%17) }),
		} {
			found, err := bindings.Check(context.Background(), c, f, bindings.Options{})
			switch {
			case err != nil && !absent(err):
				t.Fatalf("case %d, %s: %v", n, text, err)
			case err == nil && found != nil:
				verdicts = append(verdicts, found.Verdict)
			}
			if k == 1 && len(verdicts) == 2 {
				same++
				if verdicts[0] != verdicts[1] {
					t.Fatalf("case %d: %s is %s, and %s where names are others", n, text, verdicts[0], verdicts[1])
				}
			}
		}
	}
	t.Logf("%d formulas", same)
}

// absent reports whether an error says that the draw left out a field.
func absent(err error) bool {
	return strings.Contains(err.Error(), "no event assigns") || strings.Contains(err.Error(), "there is no process to take the") || strings.Contains(err.Error(), "cannot be compared")
}

// A drawer draws formulas about data.
type drawer struct {
	*rand.Rand
	values, events, processes []string
	of                        map[string]string // the field of a value
	names                     int
	plain                     bool // no quantifiers over data are drawn
	knowing                   bool // an atom is part of what a process knows
}

func (d *drawer) one(texts ...string) string { return texts[d.IntN(len(texts))] }

// condition draws a condition.
func (d *drawer) condition(depth int) string {
	if depth > 0 && d.IntN(2) == 0 {
		switch d.IntN(4) {
		case 0:
			return "!(" + d.condition(depth-1) + ")"
		case 1:
			return "(" + d.condition(depth-1) + " || " + d.condition(depth-1) + ")"
		case 2:
			return "(" + d.condition(depth-1) + " -> " + d.condition(depth-1) + ")"
		}
		return "(" + d.condition(depth-1) + " && " + d.condition(depth-1) + ")"
	}
	list := []string{`op == "recv"`, `op == "done"`, `op != "take"`, `req == "r1"`, `n >= 1`, `has(n)`, `has(req)`, `@process == "P0"`, `n + 1 == 2`, `true`, `b`, `!b`, `b == false`, `k == 1`, `k == "1"`, `k != 1`, `k >= 1.5`, `has(k)`, `has(n) && !has(k)`, `k == 1152921504606846976`}
	for _, v := range d.values {
		list = append(list, d.of[v]+" == "+v, d.of[v]+" == "+v, d.of[v]+" != "+v)
	}
	for _, e := range d.events {
		list = append(list, "req == "+e+".req", "req == "+e+".req", "n <= "+e+".n", "op == "+e+".op", "k == "+e+".k", "!(k == "+e+".k)", e+".b")
	}
	for _, p := range d.processes {
		list = append(list, "@process == "+p)
	}
	return d.one(list...)
}

// atom draws an atom.
func (d *drawer) atom() string {
	at := ""
	switch {
	case len(d.processes) > 0 && d.IntN(2) == 0:
		at = "@" + d.one(d.processes...)
	case d.IntN(4) == 0:
		at = "@P0"
	}
	if d.plain && d.IntN(4) > 0 {
		cond := d.one(`op == "recv"`, `op == "done"`, `n >= 1`) + " && req == r"
		d.names++
		count := fmt.Sprintf("(count c%d: once(%s)@c%[1]d%[3]s)", d.names, cond, d.one("", fmt.Sprintf(" && !once(req == r)@c%d", d.names), fmt.Sprintf(" || between(n >= 1, req == r)@c%d", d.names)))
		return d.one("once("+cond+")", "once("+cond+")", "!once("+cond+")", "events(req == r) >= 2", "once("+cond+")@P0", count+d.one(" <= 1", " >= 1", " == 2"))
	}
	list := []string{"once(" + d.condition(1) + ")" + at, "events(" + d.condition(1) + ")" + at + d.one(" <= 1", " >= 2", " == 0")}
	if at != "" {
		list = append(list, "between("+d.condition(1)+", "+d.condition(1)+")"+at)
	}
	if at != "" && !d.knowing {
		d.knowing = true
		known := d.one("", "!") + d.atom()
		if d.IntN(2) == 0 {
			known += d.one(" && ", " || ", " -> ") + d.atom()
		}
		list = append(list, "(knows "+at[1:]+": "+known+")", "(knows "+at[1:]+": "+known+")")
		d.knowing = false
	}
	for _, e := range d.events {
		list = append(list, e, e, e+".n >= 1", e+".b", "!("+e+".k == 1)", e+`.req == "r1"`, e+".n < events("+d.condition(0)+")")
		for _, f := range d.events {
			list = append(list, e+" before "+f, e+" before "+f, e+".n <= "+f+".n", e+".k == "+f+".k", e+".k != "+f+".k")
		}
	}
	for _, v := range d.values {
		list = append(list, v+map[string]string{"req": ` == "r1"`, "op": ` != "done"`, "k": " == 1", "n": " >= 2", "b": " == true"}[d.of[v]])
		for _, e := range d.events {
			list = append(list, e+"."+d.of[v]+" == "+v)
		}
	}
	if d.IntN(4) == 0 {
		return d.aggregate()
	}
	return d.one(list...)
}

// aggregate draws a comparison with an aggregate over data.
func (d *drawer) aggregate() string {
	values, events := d.values, d.events
	defer func() { d.values, d.events = values, events }()
	d.names++
	name := fmt.Sprintf("q%d", d.names)
	rel := d.one(" <= ", " >= ", " == ", " < ") + d.one("0", "1", "2")
	switch d.IntN(4) {
	case 0:
		head := name + " in events(" + d.condition(1) + "): "
		d.events = append(events[:len(events):len(events)], name)
		return "(count " + head + d.one("", "!", "once("+d.condition(1)+") && ") + name + ")" + rel
	case 1:
		return "(" + d.one("sum ", "min ", "max ") + name + " in values(n where n >= 0 && " + d.condition(0) + "): " + name + ")" + rel
	case 2:
		where := d.condition(0)
		d.of[name] = "req"
		d.values = append(values[:len(values):len(values)], name)
		cond := d.condition(1)
		return "(count " + name + " in values(req where " + where + "): " + d.one("", "!") + "once(" + cond + "))" + rel
	}
	return "(" + d.one("sum ", "min ", "max ") + name + " in events(n >= 0 && " + d.condition(0) + "): " + name + ".n)" + rel
}

// formula draws a formula.
func (d *drawer) formula(depth int) string {
	if depth == 0 {
		return d.atom()
	}
	if d.plain && d.IntN(3) > 0 {
		return d.one("EF", "AF", "EG", "AG") + "(" + d.formula(depth-1) + d.one(" && ", " || ", " -> ") + d.formula(depth-1) + ")"
	}
	switch d.IntN(9) {
	case 0:
		return d.one("EF", "AF", "EG", "AG") + "(" + d.formula(depth-1) + ")"
	case 1:
		return d.one("E", "A") + "[" + d.formula(depth-1) + d.one(" U ", " R ", " W ") + d.formula(depth-1) + "]"
	case 2:
		return "(" + d.formula(depth-1) + d.one(" && ", " || ", " -> ", " <-> ") + d.formula(depth-1) + ")"
	case 3:
		return "!(" + d.formula(depth-1) + ")"
	case 4:
		return d.atom()
	}
	return d.quantified(depth)
}

// quantified draws a quantifier.
func (d *drawer) quantified(depth int) string {
	values, events, processes := d.values, d.events, d.processes
	defer func() { d.values, d.events, d.processes = values, events, processes }()
	d.names++
	name := fmt.Sprintf("q%d", d.names)
	head, where := "", d.condition(1)
	kind := d.IntN(6)
	if d.plain {
		kind = 5
	}
	switch kind {
	case 0, 1:
		d.of[name] = d.one("req", "req", "req", "k", "n", "b")
		head = name + " in values(" + d.of[name] + ")"
		if d.IntN(2) == 0 {
			head = name + " in values(" + d.of[name] + " where " + where + ")"
		}
		d.values = append(values[:len(values):len(values)], name)
	case 2:
		d.names++
		other := fmt.Sprintf("q%d", d.names)
		d.of[name], d.of[other] = d.one("req", "k"), d.one("op", "b")
		head = "(" + name + ", " + other + ") in values(" + d.of[name] + ", " + d.of[other] + ")"
		d.values = append(values[:len(values):len(values)], name, other)
	case 3, 4:
		head = name + " in events(" + where + ")"
		d.events = append(events[:len(events):len(events)], name)
	default:
		head = name
		if d.IntN(3) == 0 {
			d.names++
			other := fmt.Sprintf("q%d", d.names)
			head += " != " + other
			d.processes = append(d.processes[:len(d.processes):len(d.processes)], other)
		}
		d.processes = append(processes[:len(processes):len(processes)], name)
	}
	return "(" + d.one("forall ", "exists ") + head + ": " + d.formula(depth-1) + ")"
}

// TestData compares formulas about data with their definition: expansion over values and events, and a
// look at all events at each cut.
func TestData(t *testing.T) {
	decided, touched, whole := 0, 0, 0
	for n := range graphtest.RoundsUpTo(t, 5000, 100_000) {
		r := rand.New(rand.NewPCG(uint64(n), 33))
		draft := newDraft(r)
		c := draft.plainly()
		if n%5 == 0 { // from a cut on
			later := c.Initial()
			for p := range later {
				for next, ok := c.Next(later, p); ok && r.IntN(3) == 0; next, ok = c.Next(later, p) {
					later = next
				}
			}
			c = c.From(later)
		}
		d := &drawer{Rand: r, of: map[string]string{"r": "req"}}
		text := d.quantified(3)
		if n%2 == 0 {
			d.plain, d.values = true, []string{"r"}
			text = "(" + d.one("forall ", "exists ") + "r in values(req): " + d.formula(1+d.IntN(3)) + ")"
		}
		if n%3 == 0 { // quantifiers are brought to the front only where that changes nothing
			d.plain, d.values = false, nil
			other := d.atom()
			text = d.one("AF "+text, "EG "+text, "AG "+text, "EF "+text, "("+text+" -> "+other+")", "("+other+" -> "+text+")",
				d.one("A[", "E[")+text+d.one(" U ", " R ", " W ")+other+"]", d.one("A[", "E[")+other+d.one(" U ", " R ", " W ")+text+"]")
		}
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if g, err := syntax.Parse(f.String()); err != nil || !g.Equal(f) {
			t.Fatalf("%s is printed as %s, which is another formula: %v", text, f, err)
		}
		if c.Empty() {
			continue
		}
		wide, g, err := rctl.Resolve(context.Background(), c, f)
		if err != nil {
			if absent(err) {
				continue
			}
			t.Fatalf("case %d, %s: %v", n, text, err)
		}
		got, err := rctl.Check(context.Background(), wide, g, rctl.Options{Evidence: n%4 == 0})
		if err != nil {
			t.Fatalf("case %d, %s: %v", n, text, err)
		}
		x := &expander{Lattice: graphtest.NewLattice(c), envs: map[*syntax.Expr]map[string]thing{}}
		draft.always, draft.never = nil, nil
		x.free = graphtest.NewLattice(draft.plainly())
		want := rctltest.HoldsBy(x.Lattice, x.expand(f, nil), x.at)[x.Index(c.Initial())]
		if (got.Verdict == rctl.Holds) != want || got.Verdict == rctl.Unknown {
			t.Fatalf("case %d: %s\nis %s, and by definition %v", n, text, got.Verdict, want)
		}
		decided++

		b, err := bindings.Check(context.Background(), c, f, bindings.Options{First: 2, Options: rctl.Options{Evidence: n%3 == 0}})
		if err != nil && !absent(err) { // in a range of nothing, only one of the two looks at types
			t.Fatalf("case %d, %s: %v", n, text, err)
		}
		if b != nil {
			touched++
			if b.Whole != "" {
				whole++
			}
			if (b.Verdict == rctl.Holds) != want || b.Verdict == rctl.Unknown {
				t.Fatalf("case %d: %s\nis %s by binding, and by definition %v", n, text, b.Verdict, want)
			}
		}
	}
	t.Logf("%d formulas decided, %d by binding, %d of them on the whole computation", decided, touched, whole)
}

// TestChosen takes one binding of a formula, and writes and reads the events that matter to it: what the
// definition says of the formula about this binding on the whole computation, detection says of both
// formulas on what was read.
func TestChosen(t *testing.T) {
	ctx := context.Background()
	chosen, events, matter := 0, 0, 0
	for n := range graphtest.Rounds(t, 4000) {
		r := rand.New(rand.NewPCG(uint64(n), 35))
		draft := newDraft(r)
		c := draft.plainly()
		d := &drawer{Rand: r, of: map[string]string{"r": "req"}}
		text := d.quantified(3)
		if n%3 == 0 {
			d.plain, d.values = true, []string{"r"}
			text = "(" + d.one("forall ", "exists ") + "r in values(req): " + d.formula(1+d.IntN(3)) + ")"
		}
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		template := syntax.NewTemplate(f)
		if template == nil || c.Empty() {
			continue
		}
		var only []bindings.Choice
		for _, q := range template.Quants[:r.IntN(len(template.Quants)+1)] {
			value := d.one("r1", "r2", "r3", "recv")
			if q.Sort() == syntax.OfEvent {
				value = c.ID(graphs.Event(1 + r.IntN(c.NumEvents())))
			}
			only = append(only, bindings.Choice{Name: q.Names[0].Text, Value: value})
		}
		b, err := bindings.Choose(ctx, c, f, bindings.Options{Only: only})
		var missing *bindings.NoBindingError
		switch {
		case errors.As(err, &missing) && len(only) > 0 || err != nil && absent(err) || b == nil && err == nil:
			continue
		case err != nil:
			t.Fatalf("case %d, %s: %v", n, text, err)
		}
		x := &expander{Lattice: graphtest.NewLattice(c), envs: map[*syntax.Expr]map[string]thing{}}
		draft.always, draft.never = nil, nil
		x.free = graphtest.NewLattice(draft.plainly())
		want := rctltest.HoldsBy(x.Lattice, x.expand(b.Formula, nil), x.at)[x.Initial]

		var file bytes.Buffer
		if err := native.Write(&file, b.Computation, nil); err != nil {
			t.Fatalf("case %d, %s: %v", n, text, err)
		}
		read, err := native.Read(ctx, trace.From("read", bytes.NewReader(file.Bytes())), trace.Options{Names: true})
		if err != nil {
			t.Fatalf("case %d, %s: %v\n%s", n, text, err, file.Bytes())
		}
		for _, name := range b.Bound {
			only = append(only, bindings.Choice{Name: name.Name, Value: name.Text})
		}
		got, err := bindings.Check(ctx, read, f, bindings.Options{Only: only})
		if err != nil && absent(err) {
			continue // what is left of the trace has no event for other bindings, or for one type of a field
		}
		if got != nil && got.Total == 2 {
			continue // 1 and "1" are both chosen by 1
		}
		if err != nil || got.Total != 1 || (got.Verdict == rctl.Holds) != want {
			t.Fatalf("case %d: %s with %v is %v (%v) on the events that matter, and by definition %v\n%s", n, text, b.Bound, got, err, want, file.Bytes())
		}
		again, err := syntax.Parse(b.Formula.String())
		if err != nil {
			t.Fatalf("case %d, %s: %v", n, b.Formula, err)
		}
		for _, on := range []*graphs.Computation{c, read} {
			wide, g, err := rctl.Resolve(ctx, on, again)
			if err != nil {
				t.Fatalf("case %d, %s: %v", n, again, err)
			}
			got, err := rctl.Check(ctx, wide, g, rctl.Options{})
			if err != nil || (got.Verdict == rctl.Holds) != want {
				t.Fatalf("case %d: %s is %s (%v), and by definition %v", n, again, got.Verdict, err, want)
			}
		}
		chosen++
		events += c.NumEvents()
		matter += read.NumEvents()
	}
	t.Logf("%d bindings, %d of %d events matter to them", chosen, matter, events)
}

// TestWrongData makes mistakes in formulas about data: each gets its place, the rule and a remedy.
func TestWrongData(t *testing.T) {
	var b graphs.Builder
	for _, name := range []string{"web", "db"} {
		p := b.NewProcess(name)
		h := b.Event(p)
		b.Set(b.Variable(p, "op"), h, graphs.Str("recv"))
		b.Set(b.Variable(p, "req"), h, graphs.Str("r1"))
		b.Set(b.Variable(p, "n"), h, graphs.Int(1))
	}
	for i := range 1100 {
		h := b.Event(0)
		b.Set(b.Variable(0, "id"), h, graphs.Int(int64(i)))
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []struct{ text, want string }{
		{`forall r in values(reqq): once(req == r)`, `1:20: no event assigns reqq (did you mean req?)`},
		{`once(opp == "recv")`, `1:6: no event assigns opp (did you mean op?)`},
		{`forall e in events(op == "recv"): e.reqq == "x"`, `1:35: no event assigns reqq (did you mean req?)`},
		{`forall e in events(has(id)): once(e.op == opp)`, `1:43: no event assigns opp (did you mean op?)`},
		{`forall i: i.req == "r1"`, `1:11: there is no variable i.req (i stands for a process; its variables are written req@i)`},
		{`once(op == 1)`, `1:9: op is a string and 1 is a number: they cannot be compared (strings are written in double quotes)`},
		{`once(n == "1")`, `1:8: n is a number and "1" is a string: they cannot be compared (numbers are written without quotes)`},
		{`once(n < "a")`, `1:8: n is a number and "a" is a string: they cannot be compared`},
		{`once(op)`, `1:6: op is a string, where a condition is expected (compare it, or write has(op) where it is enough that it is assigned)`},
		{`once(op < "b")`, `1:9: < orders numbers, but op is a string (use == or !=)`},
		{`forall e in events(op == "recv"): e.op < "x"`, `1:40: < orders numbers, but e.op is a string (use == or !=)`},
		{`forall e in events(op == "recv"): e.time <= 5s`, `1:35: the event "web:1" has no time (leave such events out: e in events(… && has(@time)))`},
		{`forall r in values(req): x@r`, `1:28: r is "r1", which is no process`},
		{`forall e in events(op == "recv"): x@e`, `1:37: e is an event, not a process (its process is @process in a condition)`},
		{`(count r in values(req): (exists s in values(op): once(op == s))) >= 1`, `1:27: a quantifier over data stands inside of count (put it before the count, or count the events of a condition: events(…))`},
		{`(count r in values(req): EF once(req == r)) >= 1`, `1:26: count looks at one cut, but EF is about runs`},
		{`forall a, b, c in values(id): once(id == a)`, `1:19: there are 1331000000 combinations of what the names are bound to, and at most 20000000 are looked at (join the domains by a condition, as in forall d in events(… && key == e.key))`},
		{`forall a in values(id): forall b in values(id): forall d in values(id): once(id == a)`, `1:61: there are 1331000000 combinations of what the names are bound to, and at most 20000000 are looked at (join the domains by a condition, as in forall d in events(… && key == e.key))`},
		{`forall d in events(op == "done" && d.req == "r1"): d`, `1:36: a condition on the events that d stands for speaks of their fields without it (write req)`},
		{`forall e in events(op == "recv"): exists d in events(d.time > e.time): d`, `1:54: a condition on the events that d stands for speaks of their fields without it (write @time)`},
		{`forall (a, b) in values(req): true`, `1:8: the names in parentheses are 2, and the fields 1 (as in forall (l, c) in values(lock, client): …)`},
		{`forall a in values(req, op): true`, `1:8: names for the values of several fields stand in parentheses (as in forall (l, c) in values(lock, client): …)`},
		{`forall (a, b): true`, `1:8: names in parentheses are for values of several fields (as in forall (l, c) in values(lock, client): …)`},
		{`forall r in values(req) having op: true`, `1:25: having is for processes (values and events are chosen by a condition, as in values(req where op == "recv"))`},
		{`forall r in values(): true`, `1:20: the name of a field is missing, found ) (as in values(req) or values("http.status"))`},
		{`forall r in values(req where EF x): true`, `1:30: a condition is about one event, but EF is about a whole computation (it stands around, as in EF once(op == "done"))`},
		{`forall r in values req: true`, `1:13: in needs processes in braces or a pattern, found values (as in values(req) or events(op == "recv"))`},
		{`forall e in events(op = "recv") e`, `1:33: forall needs a colon, found e (as in forall i: p@i)`},
		{`once(EF op == "recv")`, `1:6: a condition is about one event, but EF is about a whole computation (it stands around, as in EF once(op == "done"))`},
		{`once(forall i: op == "recv")`, `1:6: a condition is about one event, but forall is about a whole computation (it stands around, as in EF once(op == "done"))`},
		{`once(op@web == "recv")`, `1:8: a field belongs to the event, and is written without a process (for one process, write @process == "P1" && …)`},
		{`once(count i: x@i)`, `1:6: a condition is about one event, but count is about a whole computation (it stands around, as in EF once(op == "done"))`},
		{`once(once(op == "recv"))`, `1:6: a condition is about one event, but once is about all that have happened (join conditions by &&, || and !)`},
		{`once(op == "recv"`, `1:18: ) is missing to close the ( opened at 1:5, found the end`},
		{`between(op == "a", op == "b")`, `1:30: between is about the events of one process (write between(…)@i)`},
		{`between(op == "a")@web`, `1:18: between takes two conditions, found ) (as in between(op == "take", op == "drop")@i)`},
		{`once(op == "recv")@nobody`, `1:20: there is no process nobody (the processes are web and db)`},
		{`once(@user == "x")`, `1:6: user is no property of an event (an event has @process, @label, @id and @time)`},
		{`@label == "x"`, `1:1: there is no variable before @ (the variable comes first, as in x@P1)`},
		{`has(op)`, `1:1: has is not an operator (it stands in a condition, as in once(has(op)))`},
		{`forall e in events(op == "recv"): e before f`, `1:44: before needs a name that is bound to an event, found f (as in forall e in events(…): exists d in events(…): e before d)`},
		{`forall e in events(op == "recv"): e == "recv"`, `1:37: == compares values, but its left side is a formula (between formulas, write <->)`},
		{`forall r in values(req): forall r in values(req): true`, `1:33: r is already bound at 1:8 (choose another name)`},
		{`once(op == "recv") == true`, `1:20: == compares values, but its left side is a formula (between formulas, write <->)`},
		{`events(op == "recv")`, `1:1: events(op == "recv") is a number, where a formula is expected (compare it, as in events(op == "recv") > 0)`},
		{`once(@process == 1)`, `1:15: @process is a string and 1 is a number: they cannot be compared (strings are written in double quotes)`},
		{`forall r in values(n): once(req == r)`, `1:33: req is a string and r is a number: they cannot be compared`},
		{`5x <= 1`, `1:1: 5x is neither a number nor a name (durations have the units ns, us, ms, s, m and h; a name starts with a letter or _, and other names of processes are written as strings: "5x")`},
		{`once(op + 1 == 2)`, `1:6: op is a string, and + is for numbers`},
	} {
		f, err := syntax.Parse(wrong.text)
		if err == nil {
			_, _, err = rctl.Resolve(context.Background(), c, f)
		}
		if err == nil || err.Error() != wrong.want {
			t.Errorf("{`%s`, `%v`},", wrong.text, err)
		}
	}
}
