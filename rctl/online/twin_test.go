package online

import (
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
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// A lineOf is a line and the event it is of, ⊥ for none.
type lineOf struct {
	stream.Line
	event graphs.Event
}

// linesOf returns the lines of a computation, declarations first, the lines of a process
// in order, and else in a random order; and whether they say where all messages go that
// are not received.
func linesOf(r *rand.Rand, c *graphs.Computation) (lines []lineOf, addressed bool) {
	addressed = true
	value := func(v *graphs.Variable, i int) stream.Assignment {
		return stream.Assignment{Name: []byte(v.Name), Value: v.Value(i)}
	}
	for p := graphs.Shared; p < c.NumProcesses(); p++ {
		l := lineOf{Line: stream.Line{Kind: stream.Sharing}}
		if p >= 0 {
			l.Line = stream.Line{Kind: stream.Declaration, Process: []byte(c.Processes()[p])}
		}
		for _, v := range c.VariablesOf(p) {
			l.Values = append(l.Values, value(v, -1))
		}
		lines = append(lines, l)
	}
	of := make(map[graphs.Event]*stream.Line)
	queues := make([][]lineOf, c.NumProcesses())
	for p := range queues {
		for k := 1; k <= c.Len(p); k++ {
			queues[p] = append(queues[p], lineOf{stream.Line{Process: []byte(c.Processes()[p])}, c.Event(p, k)})
		}
		for i := range queues[p] {
			of[queues[p][i].event] = &queues[p][i].Line
		}
	}
	for _, v := range c.Variables() {
		for i, e := range v.Events() {
			of[e].Values = append(of[e].Values, value(v, i))
		}
	}
	implied := make(map[graphs.Edge]bool)
	receivers := make(map[int32][]graphs.Message)
	for _, m := range c.Messages() {
		receivers[m.Index] = append(receivers[m.Index], m)
	}
	for i := range int32(c.NumMessages()) {
		id := []byte(fmt.Sprint("m", i))
		for k, m := range receivers[i] {
			if k == 0 {
				of[m.Send].Send = append(of[m.Send].Send, id)
			}
			if m.Recv != graphs.Bottom {
				of[m.Recv].Recv = append(of[m.Recv].Recv, id)
				implied[graphs.Edge{From: m.Send, To: m.Recv}] = true
			}
		}
	}
	for e, l := range of { // an event names one receiver for all that it sends
		to := int32(-1)
		for _, m := range c.Messages() {
			if m.Send == e && (to == -1 || to == m.To) && len(receivers[m.Index]) == 1 {
				to = m.To
			} else if m.Send == e {
				to = -2
			}
		}
		for _, m := range c.Messages() {
			addressed = addressed && (m.Send != e || m.Recv != graphs.Bottom || m.To == max(to, -1))
		}
		if to >= 0 {
			l.To = []byte(c.Processes()[to])
		}
	}
	for i, sync := range c.Syncs() {
		for _, e := range sync {
			of[e].Sync = append(of[e].Sync, []byte(fmt.Sprint("s", i)))
			for _, f := range sync {
				implied[graphs.Edge{From: e, To: f}] = true
			}
		}
	}
	for e, l := range of {
		for _, f := range c.Preds(e) {
			if !implied[graphs.Edge{From: f, To: e}] || r.IntN(8) == 0 && !c.SameStep(e, f) {
				l.After = append(l.After, []byte(c.ID(f)))
			}
		}
		if c.HasID(e) {
			l.ID = []byte(c.ID(e))
		}
	}
	for p := range queues {
		if r.IntN(2) == 0 {
			queues[p] = append(queues[p], lineOf{Line: stream.Line{Kind: stream.Closing, Process: []byte(c.Processes()[p])}})
		}
	}
	for {
		var some []int
		for p := range queues {
			if len(queues[p]) > 0 {
				some = append(some, p)
			}
		}
		if len(some) == 0 {
			return lines, addressed
		}
		p := some[r.IntN(len(some))]
		lines = append(lines, queues[p][0])
		queues[p] = queues[p][1:]
	}
}

// A prefix is what is admitted of a computation.
type prefix struct {
	c       *graphs.Computation // whole
	have    graphs.Cut          // the events that have arrived
	closed  []bool
	cut     graphs.Cut // the events that are admitted
	comp    *graphs.Computation
	lattice *graphtest.Lattice
}

// add adds a line, and finds by the definition what is admitted.
func (x *prefix) add(l lineOf) {
	p, _ := x.c.ProcessNumber(string(l.Process))
	switch {
	case l.Kind == stream.Closing:
		x.closed[p] = true
	case l.event != graphs.Bottom:
		x.have[p]++
	}
	in := make(map[graphs.Event]bool)
	for p, k := range x.have {
		for i := 1; i <= int(k); i++ {
			in[x.c.Event(p, i)] = true
		}
	}
	complete := func(sync []graphs.Event) bool {
		for p, closed := range x.closed {
			joined := slices.ContainsFunc(sync, func(e graphs.Event) bool { return x.c.Process(e) == p && in[e] })
			if !closed && !joined {
				return false
			}
		}
		return !slices.ContainsFunc(sync, func(e graphs.Event) bool { return !in[e] })
	}
	for changed := true; changed; {
		changed = false
		out := func(e graphs.Event) {
			if in[e] {
				delete(in, e)
				changed = true
			}
		}
		for e := range in {
			if x.c.Position(e) > 1 && !in[e-1] || slices.ContainsFunc(x.c.Preds(e), func(f graphs.Event) bool { return !in[f] }) {
				out(e)
			}
		}
		for _, sync := range x.c.Syncs() {
			if !complete(sync) {
				for _, e := range sync {
					out(e)
				}
			}
		}
	}
	x.cut = x.c.NoEvents()
	for e := range in {
		x.cut[x.c.Process(e)]++
	}
	x.comp = x.restrict()
	x.lattice = graphtest.NewLattice(x.comp)
}

// restrict makes the computation of what is admitted.
func (x *prefix) restrict() *graphs.Computation {
	var b graphs.Builder
	for _, name := range x.c.Processes() {
		b.Process(name)
	}
	handle := make(map[graphs.Event]graphs.Handle)
	columns := make(map[*graphs.Variable]*graphs.Variable)
	for _, v := range x.c.Variables() {
		columns[v] = b.Variable(v.Process, v.Name)
		b.Init(columns[v], v.Init)
	}
	for _, e := range x.c.Order() {
		if x.c.Has(x.cut, e) {
			handle[e] = b.Event(x.c.Process(e))
			for _, v := range x.c.Variables() {
				if i := slices.Index(v.Events(), e); i >= 0 {
					b.Set(columns[v], handle[e], v.Value(i))
				}
			}
		}
	}
	for e := range handle {
		for _, f := range x.c.Preds(e) {
			b.Edge(handle[f], handle[e])
		}
	}
	for i := range int32(x.c.NumMessages()) {
		index := b.NewMessage("")
		for _, m := range x.c.Messages() {
			if h, sent := handle[m.Send]; m.Index == i && sent {
				if recv, ok := handle[m.Recv]; ok {
					b.Deliver(index, h, recv, 0)
				} else {
					b.Deliver(index, h, graphs.NoHandle, int(m.To))
				}
			}
		}
	}
	c, err := b.Build()
	if err != nil {
		panic(err)
	}
	return c
}

// final decides f, in negation normal form, by the definition: at each cut of the prefix
// and for each set of processes that have executed more than it, as far as those can
// have. Atoms that these processes can have changed are false.
func (x *prefix) final(f *syntax.Formula) bool {
	type state struct {
		cut  int
		gone uint
	}
	done := make(map[*syntax.Formula]map[state]bool)
	var holds func(f *syntax.Formula, s state) bool
	next := func(s state) []state {
		var all []state
		for _, i := range x.lattice.Steps[s.cut] {
			ok := true
			for p := range x.cut {
				ok = ok && (s.gone>>p&1 == 0 || x.lattice.Cuts[i][p] == x.lattice.Cuts[s.cut][p])
			}
			if ok {
				all = append(all, state{i, s.gone})
			}
		}
		for p := range x.cut {
			if !(x.closed[p] && x.have[p] == x.cut[p]) && s.gone>>p&1 == 0 && x.lattice.Cuts[s.cut][p] == x.cut[p] {
				all = append(all, state{s.cut, s.gone | 1<<p})
			}
		}
		return all
	}
	open := func(f *syntax.Formula, s state) bool {
		is := false
		gone := func(p int) bool { return s.gone>>p&1 != 0 }
		syntax.WalkExprs(f, func(e *syntax.Expr) {
			switch {
			case e.Op == syntax.ExprTransit:
				is = is || gone(e.FromID) || gone(e.ToID)
			case e.Op == syntax.ExprVar && e.Owner == syntax.Shared:
				v := x.comp.Variable(graphs.Shared, e.Text)
				is = is || s.gone != 0 && (v.Len() == 0 || x.comp.Has(x.lattice.Cuts[s.cut], v.Event(v.Len()-1)))
			case e.Op == syntax.ExprVar:
				is = is || gone(e.Owner)
			}
		})
		return is
	}
	decide := func(f *syntax.Formula, s state) bool {
		some := func(ok func(state) bool) bool { return slices.ContainsFunc(next(s), ok) }
		all := func(ok func(state) bool) bool {
			return !some(func(t state) bool { return !ok(t) })
		}
		is := func(k int) bool { return holds(f.Sub[k], s) }
		self := func(t state) bool { return holds(f, t) }
		end := len(next(s)) == 0
		switch f.Op {
		case syntax.OpTrue:
			return true
		case syntax.OpFalse:
			return false
		case syntax.OpAtom, syntax.OpNot:
			return !open(f, s) && rctltest.Holds(x.lattice, f)[s.cut]
		case syntax.OpAnd:
			return !slices.ContainsFunc(f.Sub, func(g *syntax.Formula) bool { return !holds(g, s) })
		case syntax.OpOr:
			return slices.ContainsFunc(f.Sub, func(g *syntax.Formula) bool { return holds(g, s) })
		case syntax.OpEF:
			return is(0) || some(self)
		case syntax.OpAF:
			return is(0) || !end && all(self)
		case syntax.OpEG:
			return is(0) && (end || some(self))
		case syntax.OpAG:
			return is(0) && all(self)
		case syntax.OpEU:
			return is(1) || is(0) && some(self)
		case syntax.OpAU:
			return is(1) || is(0) && !end && all(self)
		case syntax.OpEW:
			return is(1) || is(0) && (end || some(self))
		case syntax.OpAW:
			return is(1) || is(0) && all(self)
		case syntax.OpER:
			return is(1) && (is(0) || end || some(self))
		case syntax.OpAR:
			return is(1) && (is(0) || all(self))
		}
		panic(f.String())
	}
	holds = func(f *syntax.Formula, s state) bool {
		if done[f] == nil {
			done[f] = make(map[state]bool)
		}
		v, ok := done[f][s]
		if !ok {
			v = decide(f, s)
			done[f][s] = v
		}
		return v
	}
	return holds(f, state{x.lattice.Initial, 0})
}

// verdict returns the verdict on f that is final.
func (x *prefix) verdict(f *syntax.Formula) rctl.Verdict {
	pos, neg := syntax.NNF(f), syntax.NNF(syntax.Not(f))
	if !syntax.HasNext(f) {
		switch {
		case x.final(pos):
			return rctl.Holds
		case x.final(neg):
			return rctl.Fails
		}
		return rctl.Unknown
	}
	return x.withNext(pos)
}

// withNext is verdict for formulas with EX and AX, of which parts are final that ask for
// a run, and parts that speak of all runs.
func (x *prefix) withNext(f *syntax.Formula) rctl.Verdict {
	holds := rctltest.Holds(x.lattice, f)[x.lattice.Initial]
	switch {
	case !syntax.HasNext(f):
		return x.verdict(f)
	case f.Op == syntax.OpAnd || f.Op == syntax.OpOr:
		p := &part{f: f, sub: make([]*part, len(f.Sub))}
		for i := range f.Sub {
			p.sub[i] = &part{known: x.withNext(f.Sub[i])}
		}
		return p.joined(func(sub *part) rctl.Verdict { return sub.known })
	case holds && only(f, syntax.OpEX, syntax.OpEF, syntax.OpEU):
		return rctl.Holds
	case !holds && only(f, syntax.OpAX, syntax.OpAG, syntax.OpAR, syntax.OpAW):
		return rctl.Fails
	}
	return rctl.Unknown
}

// local returns a predicate of one chain, "" where there is none.
func local(r *rand.Rand, c *graphs.Computation) string {
	var all []string
	for _, v := range c.Variables() {
		name := v.Name
		if v.Process != graphs.Shared {
			name = fmt.Sprintf("%s@%q", v.Name, c.Processes()[v.Process])
		}
		switch {
		case v.Kind == graphs.Bool:
			all = append(all, name, "!"+name)
		case v.Kind == graphs.Number:
			all = append(all, fmt.Sprintf("%s >= %d", name, r.IntN(4)), fmt.Sprintf("%s == %d", name, r.IntN(4)))
		}
	}
	if all == nil {
		return ""
	}
	return all[r.IntN(len(all))]
}

// channel returns a bound of a channel.
func channel(r *rand.Rand, c *graphs.Computation) string {
	process := func() string { return c.Processes()[r.IntN(c.NumProcesses())] }
	return fmt.Sprintf("transit(%q, %q) %s %d", process(), process(), []string{"<=", "<", ">=", "=="}[r.IntN(4)], r.IntN(3))
}

// passing are forms of which cuts are kept that runs have reached.
var passing = []string{
	"AG(p -> AF(q && s))", "AG(p -> AF(q && s && u))", "AG(p && q -> AF(s && u))", "AG(p || q -> AF(q && s))",
	"EF(p && EG q)", "EF(p && EG(q || s))", "EF(p && q && EG(s || u))",
	"AG(p -> A[q W s])", "AG(p -> A[q U s])", "AG(p -> A[q W s && u])", "AG(p -> A[q || u W s])", "AG(p -> A[q R s])", "AG(p -> A[q R s && u])",
	"EF(p && E[q U s])", "EF(p && E[q || s U u && p])", "EF(p && E[q W s])", "EF(p && E[q R s || u])", "EF(p && E[q U c])",
	"EG c", "EG(c && p)", "AF(!(c) || p)", "E[c U p]", "E[c && p U q || s]", "A[p R !(c)]", "A[p W !(c)]", "A[!(c) U p && q]", "E[c W p && q]", "E[p R c]",
	"E[p U q]", "E[p && q U s]", "E[p && q W s && u]", "A[p || q R s]",
}

// shapes are forms of formulas of which no more is kept than a window, and something beside
// it.
var shapes = append([]string{
	"AF(p && q)", "AF(p && q && s)", "EG(p || q)", "EG(p || q || s)", "AF(p && q) || EG(q || s)",
	"E[p U q && s]", "A[p R q]", "A[p || q R s]", "A[p W q]", "A[p W q || s]", "A[p R q || s] && AF(p && s)",
	"EF(p && EF q)", "EF(p && q && EF(q && s))", "EF(p && EF(q && EF(p && s)))", "AG(p -> AG q)", "AG(p && q -> AG s)", "AG(p -> AG(q -> AG s))", "EF(p && EF(q || s))", "AG(p -> AG(q || s)) || EF(s && EF(p && q))",
	"AG(p && q -> EF s)", "AG(p && q -> AF s)", "AG(p && q -> EF(s && p))", "AG(p -> EF(q && s))", "AG(p && s -> EF(q && s || p))", "AG(p || q -> AF s)", "AG(p -> EF q || EF(p && s))",
	"A[p U q]", "A[p || q U s]", "E[p W q]", "E[p R q]", "E[p && q W s]", "AG((p -> AF q) && (q -> EF(p && s)))", "EF((p || q) && EF(q && s))", "AG(EF(p && q) || EF s)",
}, passing...)

// randomShape returns one of these, or one joined with a part of another kind.
func randomShape(r *rand.Rand, c *graphs.Computation) string {
	shape := shapes[r.IntN(len(shapes))]
	if r.IntN(3) == 0 {
		shape = fmt.Sprintf("(%s) %s %s", []string{"c", "EF(c && p)", "AG c"}[r.IntN(3)], []string{"&&", "||"}[r.IntN(2)], shape)
	}
	return strings.NewReplacer("p", local(r, c), "q", local(r, c), "s", local(r, c), "u", local(r, c), "c", channel(r, c)).Replace(shape)
}

func TestFirstPrefix(t *testing.T) {
	config := graphtest.Config{Processes: 3, Events: 8, Kinds: graphtest.TraceKinds}
	final := make(map[rctl.Verdict]int)
	kinds := make(map[kind]int)
	for seed := range uint64(graphtest.RoundsUpTo(t, 1000, 20_000)) {
		switch seed {
		case 0:
			seed = 4561 // a message is received in the step that sends it
		case 1:
			seed = 10822 // two events of a process are in one step
		case 2:
			seed = 11370 // the answer ends without knowing that the request has
		case 3:
			seed = 11712 // channels are counted before the formula is resolved
		case 4:
			seed = 11613 // who can still change q has heard that p is over, but by no event that is kept
		}
		r := rand.New(rand.NewPCG(seed, 17))
		shape := ""
		if r.IntN(3) == 0 { // of those of which only a window is kept
			shape = shapes[r.IntN(len(shapes))]
			config.Events = 12
		}
		c := graphtest.Random(r, config)
		config.Events = 8
		text := rctltest.RandomFormulaText(r, c, rctltest.FormulaConfig{Fragment: []rctltest.Fragment{rctltest.Full, rctltest.WithoutNext, rctltest.Regular}[r.IntN(3)], Depth: 2})
		if p, q := local(r, c), local(r, c); p != "" && r.IntN(4) == 0 {
			if s := local(r, c); r.IntN(3) == 0 {
				q += " || " + s
			}
			text = fmt.Sprintf("AG(%s -> %s(%s))", p, []string{"AF", "EF"}[r.IntN(2)], q)
		}
		if p, q, s, u := local(r, c), local(r, c), local(r, c), local(r, c); p != "" && shape != "" {
			text = strings.NewReplacer("p", p, "q", q, "s", s, "u", u, "c", channel(r, c)).Replace(shape)
		}
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if syntax.IsPropositional(f) {
			if f, err = syntax.Parse([]string{"EF", "AG", "AF", "EG", "AG EF"}[r.IntN(5)] + " (" + text + ")"); err != nil {
				t.Fatal(err)
			}
		}
		resolved, err := syntax.Resolve(context.Background(), f, struct{ syntax.Scope }{rctl.Scope(c)}) // values are not known beforehand
		if err != nil {
			t.Fatal(err)
		}
		lines, addressed := linesOf(r, c)
		if !addressed && syntax.UsesTransit(f) {
			continue
		}
		m := New([]*syntax.Formula{f}, Options{Options: stream.Options{Declared: true}})
		x := &prefix{c: c, have: c.NoEvents(), closed: make([]bool, c.NumProcesses())}
		exact := !syntax.UsesTransit(f) || !slices.ContainsFunc(lines, func(l lineOf) bool { return len(l.Send) > 0 && len(l.To) == 0 }) // else it is long not known where messages go
		shared := false                                                                                                                  // a process that has executed more may have assigned a variable at once, or later
		syntax.WalkExprs(resolved, func(e *syntax.Expr) { shared = shared || e.Op == syntax.ExprVar && e.Owner == syntax.Shared })
		name := fmt.Sprintf("seed %d: %s", seed, f)
		want := Answer{}
		one := r.IntN(2) == 0
		var got []Answer
		for i, l := range lines {
			if err := m.Add(&l.Line); err != nil {
				t.Fatalf("%s: line %d: %v", name, i, err)
			}
			if l.Kind == stream.Declaration || l.Kind == stream.Sharing {
				continue
			}
			if x.lattice == nil { // nothing has happened yet
				x.add(lineOf{Line: stream.Line{Process: l.Process}})
				if v := x.verdict(resolved); v != rctl.Unknown && m.says.list[0].ranges {
					shared = true // the first event says that all processes are known; it may be final before
				} else if v != rctl.Unknown {
					want = Answer{Verdict: v, Final: true}
				}
			}
			x.add(l)
			if n := int64(x.cut.Size()); n != m.Stream().Admitted() {
				t.Fatalf("%s: line %d: %d events are admitted, want %d", name, i, m.Stream().Admitted(), n)
			}
			if v := x.verdict(resolved); v != rctl.Unknown && !want.Final {
				want = Answer{Verdict: v, Final: true, Events: m.Stream().Admitted()}
			}
			if one || r.IntN(4) == 0 {
				answers, err := m.Decide(context.Background())
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				got = append(got, answers...)
			}
			if one && exact && want.Final && !m.Final() {
				t.Fatalf("%s: line %d: final and not said: %v", name, i, want)
			}
		}
		if m.props[0].root != nil && len(m.props[0].root.sub) == 0 {
			kinds[m.props[0].root.kind]++
		}
		answers, err := m.End(context.Background())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got = append(got, answers...)
		end := rctl.Fails
		if l := graphtest.NewLattice(c); rctltest.Holds(l, resolved)[l.Initial] {
			end = rctl.Holds
		}
		if t.Failed() || len(got) != 1 || got[0].Verdict != end || exact && want.Final && (got[0].Events > want.Events || got[0].Events < want.Events && !shared) {
			for _, l := range lines {
				t.Logf("%s", debug(l.Line))
			}
			t.Log(want, one)
		}
		switch {
		case len(got) != 1 || got[0].Verdict != end:
			t.Fatalf("%s: %v, want %v in the end", name, got, end)
		case want.Final && want.Verdict != end:
			t.Fatalf("%s: the oracle says %v, and %v in the end", name, want, end)
		case exact && want.Final && (got[0].Events > want.Events || got[0].Events < want.Events && !shared):
			t.Fatalf("%s: final after %d events, want %d", name, got[0].Events, want.Events)
		}
		if want.Final && want.Events < int64(c.NumEvents()) {
			final[end]++
		}
	}
	t.Log(final, kinds)
}

// Properties that are decided together are decided as each is alone, and as brute force says in
// the end; although some wait until it is known to whom messages go.
func TestBeside(t *testing.T) {
	verdicts := make(map[rctl.Verdict]int)
	for seed := range uint64(graphtest.RoundsUpTo(t, 400, 20_000)) {
		switch seed {
		case 0:
			seed = 704 // it is long not known where messages go
		case 1:
			seed = 12254 // more is forgotten once another is final
		}
		r := rand.New(rand.NewPCG(seed, 19))
		c := graphtest.Random(r, graphtest.Config{Processes: 3, Events: 12, Kinds: graphtest.TraceKinds})
		if local(r, c) == "" {
			continue
		}
		lines, addressed := linesOf(r, c)
		if !addressed {
			continue
		}
		received := make(map[string]bool)
		for _, l := range lines {
			for _, id := range l.Recv {
				received[string(id)] = true
			}
		}
		for i := range lines {
			if l := &lines[i]; r.IntN(3) == 0 && !slices.ContainsFunc(l.Send, func(id []byte) bool { return !received[string(id)] }) {
				l.To = nil
			}
		}
		var formulas []*syntax.Formula
		for range 1 + r.IntN(4) {
			f, err := syntax.Parse(randomShape(r, c))
			if err != nil {
				t.Fatal(err)
			}
			formulas = append(formulas, f)
		}
		opts := Options{Options: stream.Options{Declared: r.IntN(3) > 0}}
		all := New(formulas, opts)
		seldom := r.IntN(2) == 0 // together they are decided, not after every line
		var alone []*Monitor
		for _, f := range formulas {
			alone = append(alone, New([]*syntax.Formula{f}, opts))
		}
		for i, l := range lines {
			for _, m := range append(alone, all) {
				if err := m.Add(&l.Line); err != nil {
					t.Fatalf("seed %d: line %d: %v", seed, i, err)
				}
				if m == all && seldom && r.IntN(4) > 0 {
					continue
				}
				if _, err := m.Decide(t.Context()); err != nil {
					t.Fatalf("seed %d: line %d: %v", seed, i, err)
				}
			}
		}
		for _, m := range append(alone, all) {
			if _, err := m.End(t.Context()); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		whole := graphtest.NewLattice(c)
		for i, f := range formulas {
			resolved, err := rctltest.Resolve(c, f.String())
			if err != nil {
				t.Fatal(err)
			}
			want := rctl.Fails
			if rctltest.Holds(whole, resolved)[whole.Initial] {
				want = rctl.Holds
			}
			got, by := all.Answer(i), alone[i].Answer(0)
			exact := !syntax.UsesTransit(f)
			syntax.WalkExprs(resolved, func(e *syntax.Expr) { exact = exact && (e.Op != syntax.ExprVar || e.Owner != syntax.Shared) })
			if got.Verdict != want || by.Verdict != want || exact && got.Events != by.Events {
				for _, l := range lines {
					t.Log(debug(l.Line))
				}
				t.Fatalf("seed %d: %s: %v together, %v alone, want %v", seed, f, got, by, want)
			}
			verdicts[want]++
		}
	}
	t.Log(verdicts)
}

// EF of conjunctions over several processes, and of such after each other, is final at the
// first prefix that has such cuts, although only the window is kept.
func TestWindow(t *testing.T) {
	late, kept, all := 0, 0, 0
	for seed := range uint64(graphtest.Rounds(t, 600)) {
		r := rand.New(rand.NewPCG(seed, 18))
		c := graphtest.Random(r, graphtest.Config{Processes: 3, Events: 18, Kinds: graphtest.Messages | graphtest.Multicast | graphtest.Orders | graphtest.Variables})
		p, q := local(r, c), local(r, c)
		if p == "" {
			continue
		}
		text := fmt.Sprintf("EF(%s && %s && %s)", p, q, local(r, c))
		for range r.IntN(3) {
			text = fmt.Sprintf("EF((%s %s %s) && %s)", local(r, c), []string{"&&", "&&", "||"}[r.IntN(3)], local(r, c), text)
		}
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		resolved, err := rctltest.Resolve(c, text)
		if err != nil {
			t.Fatal(err)
		}
		lines, _ := linesOf(r, c)
		m := New([]*syntax.Formula{f}, Options{Options: stream.Options{Declared: true}})
		x := &prefix{c: c, have: c.NoEvents(), closed: make([]bool, c.NumProcesses())}
		var got []Answer
		want := int64(-1)
		for _, l := range lines {
			if l.Kind == stream.Closing {
				continue
			}
			if err := m.Add(&l.Line); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if l.Kind == stream.Event {
				x.add(l)
				if want < 0 && rctltest.Holds(x.lattice, resolved)[x.lattice.Initial] {
					want = int64(x.cut.Size())
				}
			}
			answers, err := m.Decide(context.Background())
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			got = append(got, answers...)
			if want >= 0 {
				break
			}
			if root := m.props[0].root; root != nil && root.kind == reach {
				kept += m.stream.Len()
				all += int(m.stream.Admitted())
			}
		}
		switch {
		case want < 0 && len(got) > 0 && got[0].Events > 0, want > 1 && (len(got) != 1 || got[0].Events != want):
			t.Fatalf("seed %d: %s: %v, want it to be final after %d events", seed, text, got, want)
		case want > 6:
			late++
		}
	}
	if late == 0 || kept >= all/2 {
		t.Errorf("%d verdicts are late, %d of %d events were kept", late, kept, all)
	}
	t.Log(late, kept, all)
}

func debug(l stream.Line) string {
	s := fmt.Sprintf("%d %s id=%s to=%s send=%s recv=%s after=%s sync=%s", l.Kind, l.Process, l.ID, l.To, l.Send, l.Recv, l.After, l.Sync)
	for _, a := range l.Values {
		s += fmt.Sprintf(" %s=%v", a.Name, a.Value)
	}
	return s
}
