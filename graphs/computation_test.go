package graphs_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
)

// Channel lists the sends and receives of a channel, each in process order.
func TestChannel(t *testing.T) {
	everyLattice(t, 500, func(t *testing.T, r *rand.Rand, c *graphs.Computation, l *graphtest.Lattice) {
		for p := range c.NumProcesses() {
			for q := range c.NumProcesses() {
				var sends, recvs []graphs.Event
				for _, e := range events(c) {
					for _, m := range c.Messages() {
						if m.Send == e && c.Process(e) == p && int(m.To) == q {
							sends = append(sends, e)
						}
						if m.Recv == e && c.Process(m.Send) == p && c.Process(e) == q {
							recvs = append(recvs, e)
						}
					}
				}
				gotSends, gotRecvs := c.Channel(p, q)
				if !slices.Equal(gotSends, sends) || !slices.Equal(gotRecvs, recvs) {
					t.Errorf("from %d to %d: %v and %v, not %v and %v", p, q, gotSends, gotRecvs, sends, recvs)
				}
			}
		}
	})
}

// Succs is the reverse of Preds; both are sorted and say nothing that process
// order says.
func TestRows(t *testing.T) {
	everyLattice(t, 500, func(t *testing.T, r *rand.Rand, c *graphs.Computation, l *graphtest.Lattice) {
		there, back := 0, 0
		for _, e := range events(c) {
			if c.Event(c.Process(e), c.Position(e)) != e {
				t.Errorf("event %d is the %d-th of %d", e, c.Position(e), c.Process(e))
			}
			back += len(c.Preds(e))
			there += len(c.Succs(e))
			for _, f := range c.Succs(e) {
				if !slices.Contains(c.Preds(f), e) || c.Process(e) == c.Process(f) && e <= f {
					t.Errorf("successor %d of %d", f, e)
				}
			}
			for _, row := range [][]graphs.Event{c.Preds(e), c.Succs(e)} {
				if !slices.IsSorted(row) || len(slices.Compact(slices.Clone(row))) != len(row) {
					t.Errorf("the row %v of %d is out of order", row, e)
				}
			}
		}
		crossing := 0
		for _, e := range events(c) {
			for _, f := range c.Preds(e) {
				if c.Process(f) != c.Process(e) {
					crossing++
				}
			}
		}
		if there != back || c.NumEdges() != crossing {
			t.Errorf("%d edges there, %d back, %d between processes, not %d", there, back, crossing, c.NumEdges())
		}
	})
}

func TestHas(t *testing.T) {
	everyLattice(t, 100, func(t *testing.T, r *rand.Rand, c *graphs.Computation, l *graphtest.Lattice) {
		for _, cut := range l.Cuts {
			if !c.Has(cut, graphs.Bottom) || c.Has(cut, c.Top()) {
				t.Errorf("%v and the fictitious events", cut)
			}
			n := 0
			for _, e := range events(c) {
				if c.Has(cut, e) {
					n++
				}
			}
			if n != cut.Size() {
				t.Errorf("%v has %d events", cut, n)
			}
		}
	})
}
