package graphtest

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
)

func TestLatticesAreValid(t *testing.T) {
	for seed := range uint64(Rounds(t, 300)) {
		c := Random(rand.New(rand.NewPCG(seed, 1)), Config{})
		l := NewLattice(c)
		if !l.Valid() || len(l.Cuts) == 0 {
			t.Fatalf("seed %d: %d cuts", seed, len(l.Cuts))
		}
		for i, steps := range l.Steps {
			if (len(steps) == 0) != (i == l.Final) {
				t.Fatalf("seed %d: %v has %d next cuts", seed, l.Cuts[i], len(steps))
			}
		}
		if l.Index(l.Cuts[l.Final]) != l.Final || l.Index(make(graphs.Cut, c.NumProcesses()+1)) >= 0 {
			t.Fatalf("seed %d: wrong index", seed)
		}
	}
}

func TestSomeComputationsHaveNoCut(t *testing.T) {
	empty := 0
	for seed := range uint64(Rounds(t, 300)) {
		c := Random(rand.New(rand.NewPCG(seed, 2)), Config{Processes: 3, Events: 5, Kinds: AllKinds | EmptyOnes})
		if l := NewLattice(c); len(l.Cuts) == 0 {
			empty++
			if !l.Valid() || l.Initial >= 0 || l.Final >= 0 {
				t.Fatalf("seed %d: from %d to %d", seed, l.Initial, l.Final)
			}
		}
	}
	if empty < Rounds(t, 10) {
		t.Errorf("only %d", empty)
	}
}

// Every kind of thing is drawn often, and not drawn when it is not asked for.
func TestRandomHasAllKinds(t *testing.T) {
	for _, kinds := range []Kinds{AllKinds, AllKinds | SharedSteps, PlainKinds, TraceKinds, Messages, 0} {
		seen := make(map[string]int)
		for seed := range uint64(2000) {
			c := Random(rand.New(rand.NewPCG(seed, 3)), Config{Processes: 4, Events: 14, Kinds: kinds})
			if c.NumProcesses() > 4 || c.NumEvents() > 14 {
				t.Fatalf("%d processes and %d events", c.NumProcesses(), c.NumEvents())
			}
			for what := range features(c) {
				seen[what]++
			}
		}
		for what, needs := range featureKinds {
			asked := kinds&needs == needs
			if asked != (seen[what] > 0) || asked && seen[what] < 20 {
				t.Errorf("kinds %b: %d of 2000 computations have %s", kinds, seen[what], what)
			}
		}
	}
}

// featureKinds says which kinds are needed for a feature to be seen.
var featureKinds = map[string]Kinds{
	"no event at all":               0,
	"a process without events":      0,
	"a message received":            Messages,
	"a multicast":                   Multicast,
	"a message to someone, lost":    Unreceived,
	"a message to nobody known":     Unreceived,
	"several messages of one event": Messages,
	"overtaking":                    Messages | Overtaking,
	"a sync of three":               Syncs,
	"a meta-event of four":          Syncs,
	"an edge to ⊥":                  Bounds,
	"an edge from ⊤":                Bounds,
	"a shared variable set twice":   SharedVars,
	"set twice in a step":           SharedVars | SharedSteps | Syncs,
	"a counter":                     Variables,
	"a float":                       Variables,
	"a variable without init":       Variables,
	"an event that sets nothing":    0,
	"an odd name":                   OddNames,
	"an id":                         0,
}

func features(c *graphs.Computation) map[string]bool {
	f := make(map[string]bool)
	f["no event at all"] = c.NumEvents() == 0
	for p, name := range c.Processes() {
		f["a process without events"] = f["a process without events"] || c.Len(p) == 0
		f["an odd name"] = f["an odd name"] || name == "node-0"
	}
	messageFeatures(c, f)
	set := make(map[graphs.Event]bool)
	for _, v := range c.Variables() {
		for i := range v.Len() {
			set[v.Event(i)] = true
			f["a float"] = f["a float"] || v.Value(i).Float
		}
		f["a shared variable set twice"] = f["a shared variable set twice"] || v.Process == graphs.Shared && v.Len() > 1
		f["set twice in a step"] = f["set twice in a step"] || v.Process == graphs.Shared && slices.ContainsFunc(v.Events(), func(e graphs.Event) bool {
			return e != v.Event(0) && c.SameStep(e, v.Event(0))
		})
		f["a counter"] = f["a counter"] || v.Name == "n" && v.Len() > 1 && slices.IsSortedFunc(values(v), graphs.Value.Compare)
		f["a variable without init"] = f["a variable without init"] || v.Name == "role" && v.Init == graphs.Str("") && v.Len() > 0
	}
	for e := graphs.Bottom + 1; e < c.Top(); e++ {
		f["an event that sets nothing"] = f["an event that sets nothing"] || !set[e]
		f["an id"] = f["an id"] || c.HasID(e)
		f["a meta-event of four"] = f["a meta-event of four"] || len(c.Step(e)) > 3
	}
	for _, sync := range c.Syncs() {
		f["a sync of three"] = f["a sync of three"] || len(sync) == 3
	}
	for _, e := range c.Edges() {
		f["an edge to ⊥"] = f["an edge to ⊥"] || e.To == graphs.Bottom
		f["an edge from ⊤"] = f["an edge from ⊤"] || e.From == c.Top()
	}
	for what, is := range f {
		if !is {
			delete(f, what)
		}
	}
	return f
}

func messageFeatures(c *graphs.Computation, f map[string]bool) {
	all := c.Messages()
	for i, m := range all {
		switch {
		case m.Recv != graphs.Bottom:
			f["a message received"] = true
		case m.To < 0:
			f["a message to nobody known"] = true
		default:
			f["a message to someone, lost"] = true
		}
		for _, n := range all[:i] {
			f["a multicast"] = f["a multicast"] || n.Index == m.Index
			f["several messages of one event"] = f["several messages of one event"] || n.Index != m.Index && n.Send == m.Send
			overtaken := n.Recv != graphs.Bottom && m.Recv != graphs.Bottom && n.To == m.To && c.Process(n.Send) == c.Process(m.Send) && n.Send < m.Send && n.Recv > m.Recv
			f["overtaking"] = f["overtaking"] || overtaken
		}
	}
}

// values returns what the assignments of a variable leave, in their order.
func values(v *graphs.Variable) []graphs.Value {
	var all []graphs.Value
	for i := range v.Len() {
		all = append(all, v.Value(i))
	}
	return all
}

// The same seed draws the same computation.
func TestRandomIsReproducible(t *testing.T) {
	for seed := range uint64(Rounds(t, 100)) {
		draw := func() *graphs.Computation { return Random(rand.New(rand.NewPCG(seed, 4)), Config{}) }
		c, d := draw(), draw()
		if !reflect.DeepEqual(c.Edges(), d.Edges()) || !reflect.DeepEqual(c.Messages(), d.Messages()) || !reflect.DeepEqual(Cuts(c), Cuts(d)) {
			t.Fatalf("seed %d draws two", seed)
		}
	}
}
