package graphs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
)

// written returns c in the native format; ok is false if the format cannot express it.
func written(t *testing.T, c *graphs.Computation) (text string, ok bool) {
	t.Helper()
	var b bytes.Buffer
	if err := native.Write(&b, c, nil); err != nil {
		return "", false
	}
	return b.String(), true
}

// read reads a trace in the native format with everything in it.
func read(t *testing.T, text string) (*graphs.Computation, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return native.ReadFile(context.Background(), path, trace.Options{Names: true})
}

// told adds edges to the text of a trace, as "after".
func told(t *testing.T, c *graphs.Computation, text string, added []graphs.Edge) string {
	t.Helper()
	seen := make(map[string]int)
	var out strings.Builder
	for line := range strings.Lines(text) {
		var keys map[string]any
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&keys); err != nil {
			t.Fatal(err)
		}
		name, isEvent := keys["process"].(string)
		if _, declares := keys["init"]; isEvent && !declares {
			seen[name]++
			p, _ := c.ProcessNumber(name)
			var after []any
			switch a := keys["after"].(type) {
			case string:
				after = []any{a}
			case []any:
				after = a
			}
			for _, e := range added {
				if e.To == c.Event(p, seen[name]) {
					after = append(after, c.ID(e.From))
				}
			}
			if after != nil {
				keys["after"] = after
				changed, err := json.Marshal(keys)
				if err != nil {
					t.Fatal(err)
				}
				line = string(changed) + "\n"
			}
		}
		out.WriteString(line)
	}
	return out.String()
}

// randomEdges draws edges, most of them in the direction of some run of c.
func randomEdges(r *rand.Rand, c *graphs.Computation) []graphs.Edge {
	order := c.Order()
	var added []graphs.Edge
	for range r.IntN(5) {
		i, j := r.IntN(len(order)), r.IntN(len(order))
		if i > j && r.IntN(12) > 0 {
			i, j = j, i
		}
		if i != j || r.IntN(12) == 0 {
			added = append(added, graphs.Edge{From: order[i], To: order[j]})
		}
	}
	return added
}

// Ordered is what reading the trace gives when it says the same itself.
func TestOrderedTwin(t *testing.T) {
	cfg := graphtest.DefaultConfig
	var cycles, unordered, fine, cyclic int
	for seed := range uint64(graphtest.Rounds(t, 600)) {
		r := rand.New(rand.NewPCG(seed, 77))
		c := graphtest.Random(r, cfg)
		text, ok := written(t, c)
		if !ok || c.NumEvents() == 0 {
			continue
		}
		c, err := read(t, text)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		added := randomEdges(r, c)
		want, wantErr := read(t, told(t, c, text, added))
		got, err := c.Ordered(slices.Values(added))
		var cycle *graphs.CycleError
		var pair *graphs.UnorderedError
		switch {
		case wantErr != nil:
			if errors.As(wantErr, &cycle) && errors.As(err, &cycle) {
				cycles++
				checkCycle(t, c, added, cycle)
			} else if errors.As(wantErr, &pair) && errors.As(err, &pair) {
				unordered++
			} else {
				t.Fatalf("seed %d: %v, want %v", seed, err, wantErr)
			}
		case err != nil:
			t.Fatalf("seed %d: %v", seed, err)
		default:
			fine++
			if got.Cyclic() {
				cyclic++
			}
			gotText, _ := written(t, got)
			wantText, _ := written(t, want)
			if gotText != wantText {
				t.Fatalf("seed %d: added %v to\n%s\ngot\n%s\nwant\n%s", seed, added, text, gotText, wantText)
			}
			checkCuts(t, c, got, added)
		}
		if again, _ := written(t, c); again != text {
			t.Fatalf("seed %d: the computation has changed", seed)
		}
		if t.Failed() {
			t.Fatalf("seed %d: added %v to\n%s", seed, added, text)
		}
	}
	if n := graphtest.Rounds(t, 20); cycles < n || unordered == 0 && n >= 100 || fine < 10*n || cyclic < n {
		t.Errorf("%d cycles, %d unordered, %d fine of which %d cyclic", cycles, unordered, fine, cyclic)
	}
}

// checkCuts compares the cuts of d with those of c that respect the edges.
func checkCuts(t *testing.T, c, d *graphs.Computation, added []graphs.Edge) {
	t.Helper()
	want := slices.DeleteFunc(graphtest.Cuts(c), func(cut graphs.Cut) bool {
		return slices.ContainsFunc(added, func(e graphs.Edge) bool { return c.Has(cut, e.To) && !c.Has(cut, e.From) })
	})
	if got := graphtest.Cuts(d); !slices.EqualFunc(got, want, graphs.Cut.Equal) {
		t.Errorf("cuts %v, want %v", got, want)
	}
	if d.Empty() != (len(want) == 0) {
		t.Errorf("empty: %v with %d cuts", d.Empty(), len(want))
	}
	if len(want) == 0 {
		return
	}
	if !d.Initial().Equal(want[0]) || !d.Final().Equal(want[len(want)-1]) {
		t.Errorf("from %v to %v, want %v to %v", d.Initial(), d.Final(), want[0], want[len(want)-1])
	}
}

// checkCycle checks that each step of a cycle is one of happened-before.
func checkCycle(t *testing.T, c *graphs.Computation, added []graphs.Edge, cycle *graphs.CycleError) {
	t.Helper()
	n := len(cycle.Events)
	for i := range n {
		e, f := graphs.Event(cycle.Events[i]+1), graphs.Event(cycle.Events[(i+1)%n]+1)
		if c.ID(e) != cycle.IDs[i] {
			t.Errorf("event %d is called %s", e, cycle.IDs[i])
		}
		if !slices.Contains(added, graphs.Edge{From: e, To: f}) && f != e+1 && !slices.Contains(c.Preds(f), e) {
			t.Errorf("%s did not happen before %s in %v", c.ID(e), c.ID(f), cycle.IDs)
		}
	}
}

// Ordered has the same effect on a slice as on its computation, and WithoutEdges keeps the added
// edges.
func TestOrderedSlice(t *testing.T) {
	everyLattice(t, 500, func(t *testing.T, r *rand.Rand, c *graphs.Computation, l *graphtest.Lattice) {
		same, err := c.Ordered(slices.Values([]graphs.Edge(nil)))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(graphtest.Cuts(same), l.Cuts, graphs.Cut.Equal) {
			t.Error("cuts differ")
		}
		if c.NumEvents() == 0 {
			return
		}
		added := randomEdges(r, c)
		first, err := c.Ordered(slices.Values(added))
		if err != nil {
			return
		}
		general := []graphs.Edge{{From: c.Order()[r.IntN(c.NumEvents())], To: c.Order()[r.IntN(c.NumEvents())]}}
		a := first.With(general)
		b, err := c.With(general).Ordered(slices.Values(added))
		var pair *graphs.UnorderedError
		if errors.As(err, &pair) {
			return // With ignores shared variables
		}
		if err != nil {
			t.Errorf("what can be ordered, and then sliced, cannot be sliced and then ordered: %v", err)
			return
		}
		if !slices.EqualFunc(graphtest.Cuts(a), graphtest.Cuts(b), graphs.Cut.Equal) {
			t.Error("the order of ordering and slicing makes a difference")
		}
		if !slices.EqualFunc(graphtest.Cuts(b.WithoutEdges()), graphtest.Cuts(first.WithoutEdges()), graphs.Cut.Equal) {
			t.Error("edges cannot be taken away")
		}
		if got := b.WithoutEdges(); len(got.Edges()) > 0 || got.Empty() || got.Initial().Size() > 0 {
			t.Errorf("without edges: %v, empty %v, from %v", got.Edges(), got.Empty(), got.Initial())
		}
	})
}

// Every variant of a computation is valid, however it was derived.
func TestVariantsAreValid(t *testing.T) {
	everyLattice(t, 1_000, func(t *testing.T, r *rand.Rand, c *graphs.Computation, l *graphtest.Lattice) {
		how := ""
		for range 4 {
			d, err := c, error(nil)
			switch r.IntN(4) {
			case 0:
				if c.Empty() {
					continue
				}
				order := c.Topological(c.Initial(), c.Final())
				cut, _ := c.Above(c.Initial(), order[:r.IntN(len(order)+1)]...)
				how, d = how+" From", c.From(cut)
			case 1:
				var added []graphs.Edge
				for range r.IntN(4) {
					added = append(added, graphs.Edge{From: graphs.Event(r.IntN(c.NumEvents() + 2)), To: graphs.Event(r.IntN(c.NumEvents() + 2))})
				}
				how, d = how+" With", c.With(added)
			case 2:
				if c.NumEvents() > 0 {
					how += " Ordered"
					d, err = c.Ordered(slices.Values(randomEdges(r, c)))
				}
			case 3:
				how, d = how+" WithoutEdges", c.WithoutEdges()
			}
			if err != nil {
				continue
			}
			if err := d.Valid(); err != nil {
				t.Fatalf("%s: %v", how, err)
			}
			if len(d.Edges()) >= len(c.Edges()) {
				c = d
			}
		}
		if err := c.Valid(); err != nil {
			t.Errorf("the last variant changed the one before: %v", err)
		}
	})
}
