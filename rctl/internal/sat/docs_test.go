package sat

import (
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
)

// The example at numbering: the formula turns at p1 and q3, and q2 receives what p1 sends.
func TestDocOfNumbering(t *testing.T) {
	var b graphs.Builder
	b.Process("P")
	b.Process("Q")
	var e []graphs.Handle
	for _, p := range []int{0, 0, 1, 1, 1} {
		e = append(e, b.Event(p))
	}
	b.Deliver(b.NewMessage(""), e[0], e[3], -1)
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	n, err := newNumbering(t.Context(), c, []graphs.Event{c.Event(1, 3), c.Event(0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	if n.number[c.Event(0, 1)] != 1 || n.number[c.Event(1, 3)] != 2 || n.len() != 2 {
		t.Errorf("the numbers are %v", n.number)
	}
	if !slices.Equal(n.implied, [][2]int32{{2, 1}}) {
		t.Errorf("implied are %v", n.implied)
	}
}
