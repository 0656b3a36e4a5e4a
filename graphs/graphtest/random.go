package graphtest

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
)

// Kinds is a set of features that a random computation may have.
type Kinds uint

// The features.
const (
	Messages    Kinds = 1 << iota // messages with one receiver
	Multicast                     // messages with several receivers
	Unreceived                    // messages in transit at the end, whose receiver may be unknown
	Overtaking                    // messages of a channel received in another order than sent
	Orders                        // causality by Builder.Order
	Syncs                         // events of different processes that happen together
	Cycles                        // general edges between events, including backward ones
	Bounds                        // general edges with an end at ⊥ or ⊤
	EmptyOnes                     // bounds that may leave no cut at all
	SharedVars                    // shared variables
	Variables                     // variables of processes
	OddNames                      // names of processes that must be quoted in formulas
	SharedSteps                   // shared variables that several events of a step assign

	// AllKinds has all kinds except EmptyOnes and SharedSteps.
	AllKinds = Messages | Multicast | Unreceived | Overtaking | Orders | Syncs | Cycles | Bounds | SharedVars | Variables | OddNames
	// PlainKinds has the kinds of an ordinary trace: no syncs, no general edges.
	PlainKinds = AllKinds &^ (Syncs | Cycles | Bounds)
	// TraceKinds has the kinds of a trace that is not a slice: syncs, but no general edges.
	TraceKinds = AllKinds &^ (Cycles | Bounds)
)

// A Config says what Random may draw. The zero Config stands for DefaultConfig.
type Config struct {
	Processes int // the greatest number of processes
	Events    int // the greatest number of events of all processes together
	Kinds     Kinds
}

// DefaultConfig has all kinds, and up to 14 events on up to 4 processes: at most
// a few hundred cuts.
var DefaultConfig = Config{Processes: 4, Events: 14, Kinds: AllKinds}

// Random returns a random computation. Each kind of cfg is present in some computations and absent
// from others. Every computation has at least one process; some have processes without events, or
// no events at all.
func Random(r *rand.Rand, cfg Config) *graphs.Computation {
	if cfg == (Config{}) {
		cfg = DefaultConfig
	}
	// Leaving each kind out of a third of the computations makes all combinations occur.
	for k := Kinds(1); k <= OddNames; k <<= 1 {
		if r.IntN(3) == 0 {
			cfg.Kinds &^= k
		}
	}
	p := newPlan(r, cfg)
	p.drawMessages()
	p.drawEdges()
	p.drawVariables()
	c, err := p.build()
	if err != nil {
		panic("this cannot happen, because a plan is a legal computation: " + err.Error())
	}
	return c
}

// A plan is a computation before it is built. Events are numbered in an order in which they can
// happen, apart from syncs and general edges.
type plan struct {
	r     *rand.Rand
	kinds Kinds
	n     int   // the number of processes
	proc  []int // the process of each event

	messages []planMessage
	orders   [][2]int
	syncs    [][]int
	edges    [][2]int // the general edges; their ends may be bottom and top
	vars     []planVariable
}

// The numbers of ⊥ and ⊤, as their handles.
const (
	bottom = int(graphs.BottomHandle)
	top    = int(graphs.TopHandle)
)

// A planMessage is a message with the events that send and receive it.
type planMessage struct {
	send   int
	recvs  []int
	to     []int // the receivers of deliveries that never happen, -1 if unknown
	wanted []int // the processes that have not received the message
}

// A planVariable is a variable with its assignments in the order of events.
type planVariable struct {
	name    string
	process int
	init    *graphs.Value
	events  []int
	values  []graphs.Value
}

// newPlan draws the processes, and the process of each event. Sometimes only a few processes have
// events.
func newPlan(r *rand.Rand, cfg Config) *plan {
	p := &plan{r: r, kinds: cfg.Kinds, n: 1 + r.IntN(cfg.Processes)}
	// A single process has no concurrency, so it is drawn rarely.
	if p.n == 1 && r.IntN(4) > 0 {
		p.n = cfg.Processes
	}
	busy := p.n
	if r.IntN(6) == 0 {
		busy = 1 + r.IntN(p.n)
	}
	m := 1 + r.IntN(cfg.Events)
	// One computation in thirty has no events.
	if r.IntN(30) == 0 {
		m = 0
	}
	for range m {
		p.proc = append(p.proc, r.IntN(busy))
	}
	return p
}

// has reports whether some of these kinds are to be drawn.
func (p *plan) has(k Kinds) bool { return p.kinds&k != 0 }

// drawMessages visits the events in order; each may receive some of the messages in transit and
// send new ones.
func (p *plan) drawMessages() {
	if !p.has(Messages | Multicast | Unreceived) {
		return
	}
	// The rate is the same for the whole computation, so that some have few messages and some many.
	rate := 2 + p.r.IntN(4)
	for e, q := range p.proc {
		for tries := 1 + p.r.IntN(2); tries > 0 && p.r.IntN(3) > 0; tries-- {
			p.receive(e, q)
		}
		for p.r.IntN(rate) == 0 {
			p.send(e)
		}
	}
	for i := range p.messages {
		m := &p.messages[i]
		for _, q := range m.wanted {
			switch {
			case !p.has(Unreceived):
			case p.r.IntN(3) == 0 && len(m.wanted) == 1:
				m.to = append(m.to, -1)
			default:
				m.to = append(m.to, q)
			}
		}
	}
	// A message that is neither received nor in transit would not exist.
	p.messages = slices.DeleteFunc(p.messages,
		func(m planMessage) bool { return len(m.recvs)+len(m.to) == 0 })
}

// receive lets event e of process q receive a message in transit to q, if there is one: the first
// or, if messages may overtake each other, any.
func (p *plan) receive(e, q int) {
	var waiting []int
	for i, m := range p.messages {
		// An event does not receive its own message.
		if m.send != e && slices.Contains(m.wanted, q) {
			waiting = append(waiting, i)
		}
	}
	if len(waiting) == 0 {
		return
	}
	i := waiting[0]
	if p.has(Overtaking) {
		i = waiting[p.r.IntN(len(waiting))]
	}
	m := &p.messages[i]
	m.wanted = slices.DeleteFunc(m.wanted, func(w int) bool { return w == q })
	m.recvs = append(m.recvs, e)
}

// send lets event e send a message to one process or to several.
func (p *plan) send(e int) {
	m := planMessage{send: e, wanted: []int{p.r.IntN(p.n)}}
	for p.has(Multicast) && len(m.wanted) < p.n && p.r.IntN(3) == 0 {
		if q := p.r.IntN(p.n); !slices.Contains(m.wanted, q) {
			m.wanted = append(m.wanted, q)
		}
	}
	if len(m.wanted) == 1 && !p.has(Messages) && !p.has(Unreceived) {
		return
	}
	p.messages = append(p.messages, m)
}

// drawEdges draws all other causality. Only syncs and general edges may lead backwards.
func (p *plan) drawEdges() {
	m := len(p.proc)
	if m == 0 {
		if p.has(EmptyOnes) && p.r.IntN(2) == 0 {
			p.edges = append(p.edges, [2]int{top, bottom})
		}
		return
	}
	if p.has(Orders) {
		for range p.r.IntN(4) {
			if e, f := p.r.IntN(m), p.r.IntN(m); e != f {
				// The earlier event comes first, so orders close no cycle.
				p.orders = append(p.orders, [2]int{min(e, f), max(e, f)})
			}
		}
	}
	if p.has(Syncs) {
		for range p.r.IntN(3) {
			// Two or three events of different processes happen together. They may be far apart, and
			// so close cycles.
			sync := []int{p.r.IntN(m)}
			for e := sync[0] + 1; e < m && len(sync) < 3; e++ {
				fresh := !slices.ContainsFunc(sync, func(t int) bool { return p.proc[t] == p.proc[e] })
				if fresh && p.r.IntN(2) == 0 {
					sync = append(sync, e)
				}
			}
			if len(sync) > 1 {
				p.r.Shuffle(len(sync), func(i, j int) { sync[i], sync[j] = sync[j], sync[i] })
				p.syncs = append(p.syncs, sync)
			}
		}
	}
	if p.has(Cycles) {
		for range p.r.IntN(4) {
			e, f := p.r.IntN(m), p.r.IntN(m)
			if p.r.IntN(9) < 4 { // short edges backwards close small cycles
				f = max(0, e-p.r.IntN(4))
			}
			p.edges = append(p.edges, [2]int{e, f})
		}
	}
	if p.has(Bounds) {
		p.drawBounds()
	}
}

// drawBounds draws edges to ⊥ and from ⊤. Most of them force an early event into every cut, or keep
// a late one out.
func (p *plan) drawBounds() {
	m := len(p.proc)
	for range p.r.IntN(4) {
		e := p.r.IntN(m)
		var edge [2]int
		switch p.r.IntN(8) {
		case 0, 1, 2:
			edge = [2]int{p.r.IntN(e + 1), bottom}
		case 3, 4, 5:
			edge = [2]int{top, e + p.r.IntN(m-e)}
		case 6:
			edge = [2]int{e, top}
		default:
			edge = [2]int{bottom, e}
		}
		p.edges = append(p.edges, edge)
		// Remove an edge that would leave no cut.
		if !p.has(EmptyOnes) && p.empty() {
			p.edges = p.edges[:len(p.edges)-1]
		}
	}
	if p.has(EmptyOnes) && p.r.IntN(8) == 0 {
		p.edges = append(p.edges, [2]int{top, bottom})
	}
}

// reach returns the transitive closure of the edges between events. It includes general edges, and
// those between events that happen together, only on request.
func (p *plan) reach(edges, syncs bool) Relation {
	reach := newRelation(len(p.proc))
	for e := range reach {
		for f := e; f < len(reach); f++ {
			reach[e][f] = p.proc[e] == p.proc[f]
		}
	}
	for _, e := range p.orders {
		reach[e[0]][e[1]] = true
	}
	for _, m := range p.messages {
		for _, f := range m.recvs {
			reach[m.send][f] = true
		}
	}
	for _, e := range p.edges {
		if edges && e[0] >= 0 && e[1] >= 0 {
			reach[e[0]][e[1]] = true
		}
	}
	for _, sync := range p.syncs {
		for i := 0; syncs && i < len(sync); i++ {
			reach[sync[i]][sync[(i+1)%len(sync)]] = true
		}
	}
	reach.Close()
	return reach
}

// empty reports whether an event that is forced into every cut requires one that is kept out.
func (p *plan) empty() bool {
	reach := p.reach(true, true)
	for _, out := range p.edges {
		for _, in := range p.edges {
			if out[0] == top && out[1] >= 0 && in[1] == bottom && in[0] >= 0 &&
				reach[out[1]][in[0]] {
				return true
			}
		}
	}
	return false
}

// drawVariables draws the variables of processes, and then the shared ones.
func (p *plan) drawVariables() {
	integer := func(graphs.Value) graphs.Value {
		return graphs.Int(int64(p.r.IntN(4)) - int64(p.r.IntN(2)))
	}
	counter := func(v graphs.Value) graphs.Value { // never decreases
		return graphs.Int(v.Int64() + int64(p.r.IntN(3)))
	}
	float := func(graphs.Value) graphs.Value { return graphs.Float(float64(p.r.IntN(16)-5) / 4) }
	boolean := func(graphs.Value) graphs.Value { return graphs.Boolean(p.r.IntN(2) == 0) }
	text := func(graphs.Value) graphs.Value { return graphs.Str(Strings[p.r.IntN(len(Strings))]) }
	if p.has(Variables) {
		p.drawLocal("x", integer)
		p.drawLocal("y", integer)
		p.drawLocal("n", counter)
		p.drawLocal("rounds", counter)
		p.drawLocal("temp", float)
		p.drawLocal("cs", boolean)
		p.drawLocal("up", boolean)
		p.drawLocal("role", text)
	}
	if p.has(SharedVars) {
		p.drawShared("turn", func(graphs.Value) graphs.Value { return graphs.Int(int64(p.r.IntN(3))) })
		p.drawShared("held", boolean)
		p.drawShared("owner", text)
	}
}

// Strings are the values of string variables in random computations.
var Strings = []string{"", "leader", "idle one", "päx"}

// drawLocal gives a variable to all processes, to some, or to none. next draws a value, given the
// one before it.
func (p *plan) drawLocal(name string, next func(graphs.Value) graphs.Value) {
	if p.r.IntN(4) == 0 {
		return
	}
	all := p.r.IntN(3) > 0
	for q := range p.n {
		if !all && p.r.IntN(2) == 0 {
			continue
		}
		v := planVariable{name: name, process: q}
		now := graphs.Zero(next(graphs.Int(0)).Kind)
		if all || p.r.IntN(2) == 0 {
			now = next(now)
			v.init = &now
		}
		rate := 2 + p.r.IntN(3)
		for e, owner := range p.proc {
			if owner == q && p.r.IntN(rate) > 0 {
				now = next(now)
				v.events = append(v.events, e)
				v.values = append(v.values, now)
			}
		}
		if v.init != nil || v.events != nil {
			p.vars = append(p.vars, v)
		}
	}
}

// drawShared assigns a shared variable along a random chain of happened-before.
func (p *plan) drawShared(name string, next func(graphs.Value) graphs.Value) {
	if p.r.IntN(2) == 0 {
		return
	}
	v := planVariable{name: name, process: graphs.Shared}
	now := next(graphs.Value{})
	v.init = &now
	// Build requires that assignments are ordered: by happened-before or, within a meta-event, by
	// the order that remains without general edges, or without general edges and syncs. The first
	// of these in which two events do not precede each other has to order them.
	layers := []Relation{p.reach(true, true), p.reach(false, true), p.reach(false, false)}
	for e := range p.proc {
		if p.r.IntN(3) == 0 {
			continue
		}
		ordered := !slices.ContainsFunc(v.events, func(f int) bool {
			i := slices.IndexFunc(layers,
				func(reach Relation) bool { return !reach[f][e] || !reach[e][f] })
			return i > 0 && !p.has(SharedSteps) || !layers[i][f][e] && !layers[i][e][f]
		})
		if ordered {
			v.events = append(v.events, e)
			v.values = append(v.values, next(graphs.Value{}))
		}
	}
	p.vars = append(p.vars, v)
}

// build adds the events in a random order that respects only the order within each process, like
// the lines of a trace.
func (p *plan) build() (*graphs.Computation, error) {
	var b graphs.Builder
	for q := range p.n {
		name := fmt.Sprintf("P%d", q)
		if p.has(OddNames) { // names that formulas must quote
			name = oddNames[q%len(oddNames)] + strings.Repeat("'", q/len(oddNames))
		}
		b.Process(name)
	}
	vars := make([]*graphs.Variable, len(p.vars))
	for i, v := range p.vars {
		vars[i] = b.Variable(v.process, v.name)
		if v.init != nil {
			b.Init(vars[i], *v.init)
		}
	}
	handles := make([]graphs.Handle, len(p.proc))
	for _, e := range p.shuffled() {
		h := b.Event(p.proc[e])
		handles[e] = h
		if p.r.IntN(3) == 0 {
			b.SetID(h, fmt.Appendf(nil, "e%d", e))
		}
		if p.r.IntN(6) == 0 {
			b.SetLabel(h, fmt.Sprintf("step %d", e))
		}
		if p.r.IntN(6) == 0 {
			b.SetTime(h, fmt.Sprint(e))
		}
		for i, v := range p.vars {
			if k := slices.Index(v.events, e); k >= 0 && !b.Set(vars[i], h, v.values[k]) {
				panic("this cannot happen, because all values of a variable are drawn from one type")
			}
		}
	}
	p.connect(&b, handles)
	return b.Build()
}

var oddNames = []string{"node-0", "P 1", "2", "forall"}

// shuffled returns the events in a random order that respects process order.
func (p *plan) shuffled() []int {
	queues := make([][]int, p.n)
	for e, q := range p.proc {
		queues[q] = append(queues[q], e)
	}
	var order []int
	for _, i := range p.r.Perm(len(p.proc)) {
		q := p.proc[i]
		order = append(order, queues[q][0])
		queues[q] = queues[q][1:]
	}
	return order
}

// connect adds messages, orders, syncs and general edges to b.
func (p *plan) connect(b *graphs.Builder, handles []graphs.Handle) {
	end := func(e int) graphs.Handle {
		if e < 0 {
			return graphs.Handle(e)
		}
		return handles[e]
	}
	named := p.r.IntN(2) == 0
	for i, m := range p.messages {
		name := ""
		if named {
			name = fmt.Sprintf("msg%d", i)
		}
		index := b.NewMessage(name)
		for _, f := range m.recvs {
			b.Deliver(index, handles[m.send], handles[f], -1)
		}
		for _, q := range m.to {
			b.Deliver(index, handles[m.send], graphs.NoHandle, q)
		}
	}
	for _, e := range p.orders {
		b.Order(handles[e[0]], handles[e[1]])
	}
	for _, sync := range p.syncs {
		var group []graphs.Handle
		for _, e := range sync {
			group = append(group, handles[e])
		}
		b.Sync(group...)
	}
	for _, e := range p.edges {
		b.Edge(end(e[0]), end(e[1]))
	}
}

// A Sample is a random computation with at least one cut, and the lattice of its cuts.
type Sample struct {
	*graphs.Computation
	Lattice *Lattice
	Rand    *rand.Rand // the generator that drew it, for further draws
}

// Samples draws n computations and yields those with a cut. If later is true, a third of them begin
// at one of the cuts, so that the lattice has cuts that the computation lacks.
func Samples(n int, seed uint64, config Config, later bool) iter.Seq2[int, Sample] {
	return func(yield func(int, Sample) bool) {
		for i := range n {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			c := Random(r, config)
			if c.Empty() {
				continue
			}
			l := NewLattice(c)
			if later && r.IntN(3) == 0 {
				c = c.From(l.Cuts[r.IntN(len(l.Cuts))])
			}
			if !yield(i, Sample{c, l, r}) {
				return
			}
		}
	}
}

// A Tally counts how often named situations occurred in random cases.
type Tally map[string]int

// Check logs the counts, and fails the test if one of names occurred less than least times.
func (t Tally) Check(tb testing.TB, least int, names ...string) {
	tb.Helper()
	tb.Log(t)
	for _, name := range names {
		if t[name] < least {
			tb.Errorf("%s: only %d, not %d", name, t[name], least)
		}
	}
}
