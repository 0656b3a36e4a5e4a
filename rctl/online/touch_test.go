package online

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/syntax"
)

// An occurrence is an event of a random stream.
type occurrence struct {
	process, step int // events of one step are of one sync
	op, req       string
	n, at         int
	before        []int // events that it receives from
	line          stream.Line
}

// randomStream returns lines in an order in which sends may come after their receives.
func randomStream(r *rand.Rand) []occurrence {
	var all []occurrence
	for n := 3 + r.IntN(6); len(all) < n; {
		e := occurrence{process: r.IntN(3), step: len(all), op: string("abc"[r.IntN(3)]), req: string("xy"[r.IntN(2)])}
		if last := len(all) - 1; last >= 0 && r.IntN(10) == 0 && all[last].process != e.process && all[last].step == last {
			e.step = last
			id := [][]byte{[]byte(fmt.Sprint("s", last))}
			all[last].line.Sync, e.line.Sync = id, id
		}
		for from := range all {
			if e.step != from && r.IntN(4) == 0 && all[from].process != e.process {
				id := []byte(fmt.Sprint("m", from, "-", len(all)))
				all[from].line.Send = append(all[from].line.Send, id)
				e.line.Recv = append(e.line.Recv, id)
				e.before = append(e.before, from)
			}
		}
		all = append(all, e)
	}
	for i := range all {
		e := &all[i]
		e.line.Process = []byte(fmt.Sprint("P", e.process))
		if r.IntN(8) > 0 {
			e.line.Values = append(e.line.Values, stream.Assignment{Name: []byte("req"), Value: graphs.Str(e.req)})
		} else {
			e.req = ""
		}
		e.line.Values = append(e.line.Values, stream.Assignment{Name: []byte("op"), Value: graphs.Str(e.op)})
	}
	return all
}

// randomBody returns a body about the value r, of one process here and there if it is local.
func randomBody(r *rand.Rand, depth int, local bool) string {
	cond := func() string { return fmt.Sprintf("op == %q && req == r", string("abc"[r.IntN(3)])) }
	at := func() string {
		if local && r.IntN(2) == 0 {
			return fmt.Sprint("@P", r.IntN(3))
		}
		return ""
	}
	if depth == 0 {
		switch r.IntN(6) {
		case 5:
			form := fmt.Sprintf("once(%s)@i", cond())
			switch r.IntN(3) {
			case 0:
				form += fmt.Sprintf(" && !once(%s)@i", cond())
			case 1:
				form += fmt.Sprintf(" || once(%s)@i", cond())
			}
			return fmt.Sprintf("(count i: %s) %s %d", form, []string{"<=", ">=", "==", "!="}[r.IntN(4)], r.IntN(3))
		case 0:
			return fmt.Sprintf("events(%s)%s %s %d", cond(), at(), []string{"<=", ">=", "==", "!="}[r.IntN(4)], r.IntN(3))
		case 1:
			if local {
				return fmt.Sprintf("between(%s, %s)@P%d", cond(), cond(), r.IntN(3))
			}
		}
		return fmt.Sprintf("once(%s)%s", cond(), at())
	}
	f, g := randomBody(r, depth-1, local), randomBody(r, r.IntN(depth), local)
	form := []string{
		"!(f)", "(f) && (g)", "(f) || (g)", "(f) -> (g)", "EF (f)", "AF (f)", "EG (f)", "AG (f)",
		"AG ((f) -> (g))", "AG ((f) -> AF (g))", "E[(f) U (g)]", "A[(f) U (g)]", "A[(f) R (g)]", "A[(f) W (g)]",
	}[r.IntN(14)]
	return strings.NewReplacer("(f)", "("+f+")", "(g)", "("+g+")").Replace(form)
}

// A world decides bodies by the definition: at each cut of some events, and for each set of processes
// that have executed more since, one that joins among them.
type world struct {
	events []occurrence // in an order that causality allows
	before [][]bool     // by index: whether the second happened before the first
	req    string
	memo   map[world1]bool
}

type world1 struct {
	f         *syntax.Formula
	cut, gone uint
}

// newWorld makes the world of a request of the events that keep.
func newWorld(all []occurrence, in []bool, req string, keep func(*occurrence) bool) *world {
	n := len(all)
	order := make([][]bool, n)
	for i := range order {
		order[i] = make([]bool, n)
	}
	for i := range all {
		for j := range i {
			order[i][j] = all[i].process == all[j].process || slices.Contains(all[i].before, j)
			if all[i].step == all[j].step {
				order[i][j], order[j][i] = true, true
			}
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				order[i][j] = order[i][j] || order[i][k] && order[k][j]
			}
		}
	}
	w := &world{req: req, memo: make(map[world1]bool)}
	var kept []int
	for i := range all {
		if in[i] && keep(&all[i]) {
			kept = append(kept, i)
			w.events = append(w.events, all[i])
		}
	}
	for _, i := range kept {
		var row []bool
		for _, j := range kept {
			row = append(row, order[i][j])
		}
		w.before = append(w.before, row)
	}
	return w
}

const joiner = 3

// next lists what can follow.
func (w *world) next(cut, gone uint) (all [][2]uint) {
	for i := range w.events {
		if cut>>i&1 == 1 {
			continue
		}
		to, ready := cut|1<<i, true
		for j := range w.events {
			if w.before[i][j] && w.before[j][i] {
				to |= 1 << j
			}
		}
		for j := range w.events {
			ready = ready && (!w.before[i][j] || to>>j&1 == 1)
			if to>>j&1 == 1 { // all of a sync are ready
				for k := range w.events {
					ready = ready && (!w.before[j][k] || to>>k&1 == 1)
				}
			}
		}
		if ready {
			all = append(all, [2]uint{to, gone})
		}
	}
	for p := range joiner + 1 {
		done := gone>>p&1 == 0
		for i := range w.events {
			done = done && (w.events[i].process != p || cut>>i&1 == 1)
		}
		if done {
			all = append(all, [2]uint{cut, gone | 1<<p})
		}
	}
	return all
}

// count returns how many events of the cut satisfy a condition, on a process or on all.
func (w *world) count(cut uint, cond *syntax.Formula, process string) (n int64) {
	for i := range w.events {
		if cut>>i&1 == 1 && w.is(i, cond) && (process == "" || process == fmt.Sprint("P", w.events[i].process)) {
			n++
		}
	}
	return n
}

// is decides op == "a" && req == r for an event.
func (w *world) is(i int, cond *syntax.Formula) bool {
	op := ""
	syntax.WalkExprs(cond, func(e *syntax.Expr) {
		if e.Op == syntax.ExprString {
			op = e.Text
		}
	})
	return w.events[i].op == op && w.events[i].req == w.req
}

// literal decides what is sure of an atom, or of its negation.
func (w *world) literal(e *syntax.Expr, positive bool, cut, gone uint) bool {
	look := e
	if e.Op == syntax.ExprCompare {
		look = e.Args[0]
	}
	if look.Op == syntax.ExprCount {
		return w.counted(e, look.Form, positive, cut, gone)
	}
	process := look.Process.Text
	quiet := gone == 0
	if process != "" {
		quiet = gone>>(process[1]-'0')&1 == 0
	}
	n := w.count(cut, look.Conds[0], process)
	switch e.Op {
	case syntax.ExprOnce:
		return positive && n > 0 || !positive && n == 0 && quiet
	case syntax.ExprBetween:
		in := false
		for i := range w.events {
			if cut>>i&1 == 1 && process == fmt.Sprint("P", w.events[i].process) {
				in = w.is(i, e.Conds[0]) || in && !w.is(i, e.Conds[1])
			}
		}
		return in == positive && quiet
	}
	k := e.Args[1].Int
	now := map[syntax.Relop]bool{syntax.LessEqual: n <= k, syntax.GreaterEqual: n >= k, syntax.Equal: n == k, syntax.NotEqual: n != k}[e.Rel[0]]
	grows := map[syntax.Relop]bool{syntax.GreaterEqual: n >= k, syntax.NotEqual: n > k}[e.Rel[0]]
	if !positive {
		now = !now
		grows = map[syntax.Relop]bool{syntax.LessEqual: n > k, syntax.Equal: n > k}[e.Rel[0]]
	}
	return now && quiet || grows
}

// counted is literal for the number of processes with a formula: by now, and those with what is sure.
func (w *world) counted(e *syntax.Expr, form *syntax.Formula, positive bool, cut, gone uint) bool {
	var is func(f *syntax.Formula, p int, sure, positive bool) bool
	is = func(f *syntax.Formula, p int, sure, positive bool) bool {
		switch f.Op {
		case syntax.OpNot:
			return is(f.Sub[0], p, sure, !positive)
		case syntax.OpAnd:
			return is(f.Sub[0], p, sure, positive) && is(f.Sub[1], p, sure, positive)
		case syntax.OpOr:
			return is(f.Sub[0], p, sure, positive) || is(f.Sub[1], p, sure, positive)
		}
		happened := w.count(cut, f.Expr.Conds[0], fmt.Sprint("P", p)) > 0
		return happened == positive && (positive || !sure || gone>>p&1 == 0)
	}
	now, least := int64(0), int64(0)
	for p := range joiner {
		if is(form, p, false, true) {
			now++
		}
		if is(form, p, true, true) {
			least++
		}
	}
	k, rel := e.Args[1].Int, e.Rel[0]
	holds := func(n int64) bool { return rel.Relates(cmp.Compare(n, k)) == positive }
	switch more := least > k; {
	case holds(now) && gone == 0:
		return true
	case rel == syntax.GreaterEqual && positive:
		return least >= k
	case rel == syntax.NotEqual && positive, rel != syntax.GreaterEqual && rel != syntax.NotEqual && !positive:
		return more
	}
	return false
}

// holds decides f, in negation normal form.
func (w *world) holds(f *syntax.Formula, cut, gone uint) (result bool) {
	key := world1{f, cut, gone}
	if v, ok := w.memo[key]; ok {
		return v
	}
	defer func() { w.memo[key] = result }()
	sub := func(i int) bool { return w.holds(f.Sub[i], cut, gone) }
	next := w.next(cut, gone)
	some := slices.ContainsFunc(next, func(s [2]uint) bool { return w.holds(f, s[0], s[1]) })
	all := !slices.ContainsFunc(next, func(s [2]uint) bool { return !w.holds(f, s[0], s[1]) })
	end := len(next) == 0
	switch f.Op {
	case syntax.OpTrue, syntax.OpFalse:
		return f.Op == syntax.OpTrue
	case syntax.OpAtom:
		return w.literal(f.Expr, true, cut, gone)
	case syntax.OpNot:
		return w.literal(f.Sub[0].Expr, false, cut, gone)
	case syntax.OpAnd, syntax.OpOr:
		any := f.Op == syntax.OpOr
		for i := range f.Sub {
			if sub(i) == any {
				return any
			}
		}
		return !any
	case syntax.OpEF:
		return sub(0) || some
	case syntax.OpAF:
		return sub(0) || !end && all
	case syntax.OpEG:
		return sub(0) && (end || some)
	case syntax.OpAG:
		return sub(0) && all
	case syntax.OpEU:
		return sub(1) || sub(0) && some
	case syntax.OpAU:
		return sub(1) || sub(0) && !end && all
	case syntax.OpER:
		return sub(1) && (sub(0) || end || some)
	case syntax.OpAR:
		return sub(1) && (sub(0) || all)
	case syntax.OpEW:
		return sub(1) || sub(0) && (end || some)
	case syntax.OpAW:
		return sub(1) || sub(0) && all
	}
	panic(f.String())
}

// verdict returns the verdict that is final by the definition.
func (w *world) verdict(body *syntax.Formula) rctl.Verdict {
	switch {
	case w.holds(syntax.NNF(body), 0, 0):
		return rctl.Holds
	case w.holds(syntax.NNF(syntax.Not(body)), 0, 0):
		return rctl.Fails
	}
	return rctl.Unknown
}

// admitted says which events of the first lines are admitted.
func admitted(all []occurrence, order []int, lines int) []bool {
	in := make([]bool, len(all))
	for _, i := range order[:lines] {
		in[i] = true
	}
	for changed := true; changed; {
		changed = false
		for i := range all {
			if !in[i] {
				continue
			}
			missing := slices.ContainsFunc(all[i].before, func(j int) bool { return !in[j] })
			for j := range all {
				missing = missing || (j < i && all[j].process == all[i].process || all[j].step == all[i].step) && !in[j]
			}
			if missing {
				in[i], changed = false, true
			}
		}
	}
	return in
}

// shuffled returns an order of lines that keeps those of each process.
func shuffled(r *rand.Rand, all []occurrence) []int {
	var order []int
	used := make([]bool, len(all))
	for len(order) < len(all) {
		i := r.IntN(len(all))
		for j := range i {
			if !used[j] && all[j].process == all[i].process {
				i = j
				break
			}
		}
		if !used[i] {
			used[i] = true
			order = append(order, i)
		}
	}
	return order
}

// prefixOf builds the computation of the admitted events.
func prefixOf(t *testing.T, all []occurrence, in []bool) *graphs.Computation {
	t.Helper()
	var b graphs.Builder
	handles := make([]graphs.Handle, len(all))
	for i := range all {
		if !in[i] {
			continue
		}
		e := &all[i]
		p := b.Process(string(e.line.Process))
		handles[i] = b.Event(p)
		if e.line.Time != nil {
			b.SetTime(handles[i], string(e.line.Time))
		}
		for _, a := range e.line.Values {
			b.Set(b.Variable(p, string(a.Name)), handles[i], a.Value)
		}
		for j := range i {
			if slices.Contains(e.before, j) || e.step == all[j].step {
				b.Edge(handles[j], handles[i])
			}
			if e.step == all[j].step {
				b.Edge(handles[i], handles[j])
			}
		}
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestTouchByDefinition compares each binding's verdict with the definition at every prefix, with
// what a recorded trace says of every later prefix, and with that of all at the end.
func TestTouchByDefinition(t *testing.T) {
	n := graphtest.RoundsUpTo(t, 5000, 5000)
	finals := make(map[rctl.Verdict]int)
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 33))
		all := randomStream(r)
		order := shuffled(r, all)
		local := r.IntN(3) == 0
		word := []string{"forall", "exists"}[r.IntN(2)]
		body := randomBody(r, 1+r.IntN(2), local)
		text := fmt.Sprintf("%s r in values(req): (%s)", word, body)
		op := "" // of the domain, where bindings are events
		if r.IntN(3) == 0 {
			op = string("abc"[r.IntN(3)])
			text = fmt.Sprintf("%s e in events(op == %q): (%s)", word, op, strings.ReplaceAll(body, "req == r", "req == e.req"))
		}
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		m := New([]*syntax.Formula{f}, Options{Options: stream.Options{SyncSize: 2}})
		if len(m.following) != 1 {
			t.Fatalf("%s is not decided by binding", text)
		}
		x := m.following[0].of.(*touch)
		fail := func(format string, args ...any) {
			var lines []string
			for _, i := range order {
				lines = append(lines, fmt.Sprintf("%s %s(%s) after %v", all[i].line.Process, all[i].op, all[i].req, all[i].before))
			}
			t.Fatalf("seed %d: %s\n%s\n%s", seed, text, strings.Join(lines, "\n"), fmt.Sprintf(format, args...))
		}
		final := map[string]rctl.Verdict{}
		for k, i := range order {
			if err := m.Add(&all[i].line); err != nil {
				fail("line %d: %v", k, err)
			}
			if _, err := m.Decide(context.Background()); err != nil {
				fail("line %d: %v", k, err)
			}
			in := admitted(all, order, k+1)
			c := prefixOf(t, all, in)
			for _, req := range []string{"x", "y"} {
				there := false
				for j := range all {
					there = there || in[j] && all[j].req == req && (op == "" || all[j].op == op)
				}
				if !there {
					continue
				}
				// Of what names a process the events are those that some condition asks for.
				w := newWorld(all, in, req, func(e *occurrence) bool {
					return !local || e.req == req && strings.Contains(text, fmt.Sprintf("op == %q", e.op))
				})
				want := w.verdict(x.written(t))
				got := verdictOf(x, req)
				if got != want {
					fail("after %d lines %s: %v, by the definition %v", k+1, req, got, want)
				}
				if was := final[req]; was != rctl.Unknown && was != got {
					fail("after %d lines %s was %v, is %v", k+1, req, was, got)
				}
				if final[req] == rctl.Unknown && got != rctl.Unknown {
					finals[got]++
				}
				if final[req] = got; got == rctl.Unknown || local || x.ofEvents {
					continue
				}
				only := []bindings.Choice{{Name: "r", Value: req}}
				one, err := bindings.Check(context.Background(), c, f, bindings.Options{Only: only})
				if err != nil {
					fail("%v", err)
				}
				if one.Verdict != got {
					fail("after %d lines %s is %v, of the prefix %v", k+1, req, got, one.Verdict)
				}
			}
		}
		atEnd(t, m, f, prefixOf(t, all, admitted(all, order, len(order))), fail)
	}
	if finals[rctl.Holds] < n/20 || finals[rctl.Fails] < n/20 {
		t.Errorf("too few verdicts were final: %v", finals)
	}
}

// atEnd compares what a monitor says at the end with a recorded trace.
func atEnd(t *testing.T, m *Monitor, f *syntax.Formula, c *graphs.Computation, fail func(string, ...any)) {
	t.Helper()
	answers, err := m.End(context.Background())
	if err != nil {
		fail("at the end: %v", err)
	}
	want, wrong := bindings.Check(context.Background(), c, f, bindings.Options{First: DefaultBindings})
	got := m.Answer(0)
	if wrong != nil {
		if got.Misfit == nil || got.Reason != reasonOf(wrong) {
			if got.Verdict == rctl.Unknown {
				fail("at the end %q, recorded %v", got.Reason, wrong)
			}
		}
		return
	}
	if got.Verdict != want.Verdict {
		fail("at the end %v %s, recorded %v", got.Verdict, got.Reason, want.Verdict)
	}
	for _, a := range answers {
		if a.Bindings != nil && a.Bindings.Total > 0 && len(a.Bindings.First) > 1 && a.Bound != want.Text() && len(want.First) < 2 {
			fail("at the end %s, recorded %s", a.Bound, want.Text())
		}
	}
	x := m.following[0].of.(*touch)
	if x.sum.Total != want.Total || x.sum.Decisive != want.Decisive {
		fail("at the end %d of %d bindings decide, recorded %d of %d", x.sum.Decisive, x.sum.Total, want.Decisive, want.Total)
	}
}

// written returns the body as it is written.
func (x *touch) written(t *testing.T) *syntax.Formula {
	t.Helper()
	f := x.formula
	return f.Sub[0]
}

// verdictOf returns the final verdict on a value, Unknown for an open one.
func verdictOf(x *touch, req string) rctl.Verdict {
	v := graphs.Str(req)
	if !x.over.has(v) {
		return rctl.Unknown
	}
	decides := x.decides.has(v) || slices.ContainsFunc(x.decisive, func(b decisive) bool { return b.bound[0].Text == v.String() })
	if decides == (x.template.Op == syntax.OpExists) {
		return rctl.Holds
	}
	return rctl.Fails
}

// Of a hundred thousand requests that are answered none remains, and their histories are few. What comes
// late opens none again.
func TestTouchForgets(t *testing.T) {
	f, err := syntax.Parse(`forall r in values(req): AG(once(op == "recv" && req == r) -> AF once(op == "done" && req == r))`)
	if err != nil {
		t.Fatal(err)
	}
	const requests, open = 100_000, 50
	m := New([]*syntax.Formula{f}, Options{Most: 10 * open})
	x := m.following[0].of.(*touch)
	add := func(process int, op string, request int) {
		l := stream.Line{Process: fmt.Appendf(nil, "s%d", process%20), Values: []stream.Assignment{
			{Name: []byte("op"), Value: graphs.Str(op)},
			{Name: []byte("req"), Value: graphs.Int(int64(request))},
		}}
		if err := m.Add(&l); err != nil {
			t.Fatal(err)
		}
	}
	most := 0
	for i := range requests + open {
		if i < requests {
			add(i, "recv", i)
			add(i+1, "work", i)
		}
		if done := i - open; done >= 0 {
			add(7*done, "done", done)
			add(done, "recv", done) // it is final
		}
		if m.Due() {
			if _, err := m.Decide(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		most = max(most, len(x.open))
	}
	if most > open+1 || len(x.open) > 0 || x.held != 0 || len(x.decided) > 100 || len(x.over.set) != requests || x.sum.Total != requests {
		t.Errorf("%d bindings were open, %d are; %d events held, %d histories, %d forgotten of %d", most, len(x.open), x.held, len(x.decided), len(x.over.set), x.sum.Total)
	}
	if answers, err := m.End(context.Background()); err != nil || len(answers) != 1 || answers[0].Verdict != rctl.Holds {
		t.Errorf("%v %v", answers, err)
	}
}

// The verdict on a binding with many events names the first one that makes it final, though it is decided only
// when it has grown by a part.
func TestLongBinding(t *testing.T) {
	for _, limit := range []int{maxShort - 1, maxShort, maxShort + 1, 60, 73, 80} {
		for _, together := range []int{1, 2} { // events of a sync
			f, err := syntax.Parse(fmt.Sprintf("forall r in values(req): AG(events(has(req) && req == r) <= %d)", limit))
			if err != nil {
				t.Fatal(err)
			}
			m := New([]*syntax.Formula{f}, Options{Options: stream.Options{SyncSize: together}})
			var answers []Answer
			events := 0
			for len(answers) == 0 && events < 2*limit {
				for p := range together {
					l := stream.Line{
						Process: fmt.Appendf(nil, "P%d", p),
						Values:  []stream.Assignment{{Name: []byte("req"), Value: graphs.Int(7)}},
					}
					if together > 1 {
						l.Sync = [][]byte{fmt.Append(nil, events/together)}
					}
					if err := m.Add(&l); err != nil {
						t.Fatal(err)
					}
					events++
				}
				if answers, err = m.Decide(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			first := int64(limit+together) / int64(together) * int64(together)
			if len(answers) != 1 || answers[0].Verdict != rctl.Fails || answers[0].Events != first {
				t.Errorf("at most %d, %d at once: after %d events %+v, want fails after %d", limit, together, events, answers, first)
			}
			if late := events > int(first); late != (limit >= maxShort) {
				t.Errorf("at most %d, %d at once: it was decided after %d events", limit, together, events)
			}
		}
	}
}

// A step that decides nothing allocates nothing, however many bindings are open.
func TestTouchAllocates(t *testing.T) {
	m := New([]*syntax.Formula{parsed(t, `forall r in values(req): AG(!once(op == "bad" && req == r))`)}, Options{Most: 100})
	x := m.following[0].of.(*touch)
	for i := range 3 {
		l := stream.Line{Process: []byte("A"), Values: []stream.Assignment{{Name: []byte("req"), Value: graphs.Int(int64(i))}}}
		if err := m.Add(&l); err != nil {
			t.Fatal(err)
		}
	}
	if n := testing.AllocsPerRun(100, func() { x.step(nil) }); n > 0 || len(x.open) != 3 {
		t.Errorf("%v allocations, %d are open", n, len(x.open))
	}
}
