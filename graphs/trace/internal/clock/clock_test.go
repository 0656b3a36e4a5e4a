package clock

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"

	"github.com/pota-project/pota/graphs"
)

// execution is a random one, with the vector clock of each event.
type execution struct {
	processes []int32
	positions []int32
	clocks    [][]int32
}

func random(r *rand.Rand) execution {
	n := 1 + r.IntN(6)
	now := make([][]int32, n)
	for p := range now {
		now[p] = make([]int32, n)
	}
	var x execution
	for range r.IntN(40) {
		p := int32(r.IntN(n))
		now[p][p]++
		for k := r.IntN(3); k > 0 && len(x.clocks) > 0; k-- {
			for q, c := range x.clocks[r.IntN(len(x.clocks))] {
				now[p][q] = max(now[p][q], c)
			}
		}
		x.processes = append(x.processes, p)
		x.positions = append(x.positions, now[p][p])
		x.clocks = append(x.clocks, slices.Clone(now[p]))
	}
	return x
}

type edge struct {
	event graphs.Handle
	q, c  int32
}

// closed returns for each event whether each event happened before it or is it;
// a graph with a cycle gives more than is in the clocks.
func (x execution) closed(edges []edge) [][]bool {
	n := len(x.clocks)
	before := make([][]bool, n)
	for i := range before {
		before[i] = make([]bool, n)
		before[i][i] = true
		for j := range i {
			before[i][j] = x.processes[j] == x.processes[i] && x.positions[j] <= x.positions[i]
		}
	}
	for _, e := range edges {
		for j := range n {
			if x.processes[j] == e.q && x.positions[j] == e.c {
				before[e.event][j] = true
			}
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				before[i][j] = before[i][j] || before[i][k] && before[k][j]
			}
		}
	}
	return before
}

// TestEdges compares the closure of the kept entries with that of all, for clocks
// with all entries and with some, right and wrong. Wrong ones may close a cycle,
// and then a cycle has to be kept.
func TestEdges(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	naive, kept, cycles := 0, 0, 0
	n := graphtest.Rounds(t, 600)
	for range n {
		x := random(r)
		share, wrong := r.IntN(3), r.IntN(4) == 0
		var clocks Clocks
		var all, few []edge
		for i, clock := range x.clocks {
			for _, q := range r.Perm(len(clock)) {
				count := clock[q]
				if wrong && r.IntN(8) == 0 {
					count = min(count+int32(r.IntN(3)), x.length(int32(q)))
				}
				p := x.processes[i]
				if int32(q) == p || count == 0 || r.IntN(4) < share {
					continue
				}
				if clocks.Add(graphs.Handle(i), p, x.positions[i], int32(q), count) <= count {
					all = append(all, edge{graphs.Handle(i), int32(q), count})
				}
			}
		}
		clocks.Edges(func(event graphs.Handle, q, count int32) { few = append(few, edge{event, q, count}) })
		naive += len(all)
		kept += len(few)
		want, got := x.closed(all), x.closed(few)
		if cyclic(want) {
			cycles++
			if !cyclic(got) {
				t.Fatalf("all entries %v\nno cycle is kept %v\nof %+v", all, few, x)
			}
		} else if !slices.EqualFunc(want, got, slices.Equal) {
			t.Fatalf("all entries %v\nkept %v\nof %+v", all, few, x)
		}
	}
	t.Logf("%d of %d entries kept", kept, naive)
	if cycles < n/40 {
		t.Errorf("only %d cycles", cycles)
	}
	if kept*2 > naive {
		t.Errorf("%d of %d entries kept", kept, naive)
	}
}

func cyclic(before [][]bool) bool {
	for i := range before {
		for j := range i {
			if before[i][j] && before[j][i] {
				return true
			}
		}
	}
	return false
}

func (x execution) length(q int32) int32 {
	n := int32(0)
	for _, p := range x.processes {
		if p == q {
			n++
		}
	}
	return n
}

// TestFullClocks: with all entries, as many edges are kept as there were joins that added something
// new.
func TestFullClocks(t *testing.T) {
	var clocks Clocks
	add := func(event graphs.Handle, p int32, counts ...int32) {
		for q, c := range counts {
			if int32(q) != p && c > 0 {
				clocks.Add(event, p, counts[p], int32(q), c)
			}
		}
	}
	add(0, 0, 1, 0, 0)
	add(1, 1, 1, 1, 0) // receives from 0
	add(2, 2, 1, 1, 1) // receives from 1, and with it from 0
	add(3, 2, 1, 1, 2)
	add(4, 0, 2, 1, 2)
	var got []edge
	clocks.Edges(func(event graphs.Handle, q, c int32) { got = append(got, edge{event, q, c}) })
	want := []edge{{1, 0, 1}, {2, 1, 1}, {4, 2, 2}}
	if !slices.Equal(got, want) {
		t.Errorf("kept %v, want %v", got, want)
	}
}
