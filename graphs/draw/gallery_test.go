package draw_test

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/draw"
	"github.com/pota-project/pota/graphs/graphtest"
)

// pictures returns the examples by name. Packages draw and dot draw the same ones.
func pictures() map[string]draw.Picture {
	c := figure1()
	return map[string]draw.Picture{
		"figure1": {Of: c, Title: "Figure 1(a): a computation"},
		"figure1-slice": {Of: c, Title: "Figure 1(c): its slice for 2 <= x <= 4 && y != 2",
			Added: edges(1, 0, 6, 5, 7, 3)},
		"figure1-ef": {Of: c, Title: "Figure 1(d): its slice for EF(2 <= x <= 4 && y != 2)",
			Added: edges(7, 3)},
		"figure1-run": {Of: c, Title: "A run to a cut", Cut: graphs.Cut{2, 1},
			Run: []graphs.Event{4, 1, 2}},
		"figure1-part": {Of: c, Cut: graphs.Cut{2, 1}, MaxEvents: 2},
		"no-cut":       {Of: c, Title: "EG(y = 7)", Added: edges(7, 0)},
		"missing":      missing(c),
		"syncs":        syncs(),
		"general":      general(),
		"names":        names(),
		"empty":        {Of: build(new(graphs.Builder))},
	}
}

// edges makes edges of the events that are their ends, two for each. Events are numbered process
// by process from 1 on, 0 is ⊥ and the last number ⊤. Slices are written as what they add, so
// that the pictures depend on graphs alone.
func edges(ends ...graphs.Event) []graphs.Edge {
	var list []graphs.Edge
	for pair := range slices.Chunk(ends, 2) {
		list = append(list, graphs.Edge{From: pair[0], To: pair[1]})
	}
	return list
}

// build returns the computation of an example. Examples are legal.
func build(b *graphs.Builder) *graphs.Computation {
	c, err := b.Build()
	if err != nil {
		panic("this cannot happen, because the examples are legal: " + err.Error())
	}
	return c
}

// missing has two orders more than a computation, one with a reason.
func missing(c *graphs.Computation) draw.Picture {
	p := draw.Picture{Title: "Orders that were missing"}
	for i, e := range edges(5, 2, 3, 6) {
		p.Missing = append(p.Missing, draw.Missing{Edge: e, Why: []string{"it prevents the cut P1:2 P2:1", ""}[i]})
	}
	var err error
	if p.Of, err = c.Ordered(slices.Values([]graphs.Edge{p.Missing[0].Edge, p.Missing[1].Edge})); err != nil {
		panic("this cannot happen, because the example is legal: " + err.Error())
	}
	return p
}

// figure1 returns the computation of Sen and Garg, Figure 1(a).
func figure1() *graphs.Computation { return graphtest.Figure1("P1", "P2", "f1", "") }

// syncs has a barrier of three processes, a rendezvous of two that are not
// neighbours, a multicast, causality known otherwise, and messages in transit.
func syncs() draw.Picture {
	var b graphs.Builder
	var h [4][]graphs.Handle
	for p, name := range []string{"client", "broker", "store", "audit"} {
		b.Process(name)
		for range 5 {
			h[p] = append(h[p], b.Event(p))
		}
	}
	turn := b.Variable(graphs.Shared, "turn")
	b.Init(turn, graphs.Int(1))
	b.Set(turn, h[0][1], graphs.Int(2))
	b.SetLabel(h[0][1], "barrier")
	b.Sync(h[0][1], h[1][1], h[2][1])
	b.Sync(h[1][3], h[3][3])
	// One message with three deliveries.
	all := b.NewMessage("publish")
	b.Deliver(all, h[0][2], h[1][2], -1)
	b.Deliver(all, h[0][2], h[2][3], -1)
	b.Deliver(all, h[0][2], h[3][2], -1)
	b.Deliver(b.NewMessage("ack"), h[2][4], h[0][4], -1)
	b.Deliver(b.NewMessage("lost"), h[3][0], graphs.NoHandle, 1)
	b.Deliver(b.NewMessage("stray"), h[0][3], graphs.NoHandle, -1)
	b.Order(h[1][0], h[3][1])
	b.Order(h[3][1], h[2][2])
	return draw.Picture{Of: build(&b), Title: "A barrier, a rendezvous, a multicast"}
}

// general has edges between events both ways, edges to ⊥ and from ⊤, and a
// meta-event of two processes.
func general() draw.Picture {
	var b graphs.Builder
	var h [3][]graphs.Handle
	for p, name := range []string{"P1", "P2", "P3"} {
		b.Process(name)
		for range 6 {
			h[p] = append(h[p], b.Event(p))
		}
	}
	b.Deliver(b.NewMessage("a"), h[0][0], h[1][1], -1)
	b.Deliver(b.NewMessage("b"), h[1][2], h[2][2], -1)
	b.Deliver(b.NewMessage("c"), h[2][3], h[0][4], -1)
	// With the next edge, this closes a cycle: a meta-event of two processes.
	b.Edge(h[1][3], h[0][1])
	b.Edge(h[0][2], h[1][2])
	b.Edge(h[0][0], graphs.BottomHandle)
	b.Edge(graphs.TopHandle, h[2][5])
	b.Edge(graphs.TopHandle, h[0][5])
	b.Edge(h[1][4], h[2][4])
	return draw.Picture{Of: build(&b), Title: "General edges"}
}

// names has names that have to be escaped.
func names() draw.Picture {
	var b graphs.Builder
	p := b.Process(`<b>&amp;"quoted"</b>`)
	q := b.Process("back\\slash \\n\nnew\tline")
	r := b.Process("进程 三 🚀 a name that is much too long to be shown in full")
	v := b.Variable(p, `']]>--><script>alert(1)</script>`)
	b.Init(v, graphs.Str("\x00\x1b\u202eabc"))
	ids := []string{`a"b`, `c\`, `<&>`, "\xff\xfe", "d\x00e", "{f|g}", "\\N", "&lt;", "% ; // /* #",
		"-->"}
	var h []graphs.Handle
	for i, id := range ids {
		e := b.Event([]int{p, q, r}[i%3])
		b.SetID(e, []byte(id))
		h = append(h, e)
	}
	b.Set(v, h[0], graphs.Str(`]]>&"'<`+"\n"))
	b.SetLabel(h[3], "a label\nof two lines \\l with <tags> & \"quotes\"")
	b.Deliver(b.NewMessage(`m"<1>\`), h[0], h[4], -1)
	b.Deliver(b.NewMessage("&amp;\n"), h[2], h[6], -1)
	b.Edge(h[9], h[8])
	return draw.Picture{Of: build(&b), Title: `names: <&>"'\` + "\n]]> 🚀"}
}
