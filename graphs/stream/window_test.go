package stream

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs"
)

// The edges of a window say what its events know of each other, by way of events that are not in
// it, too.
func TestWindowHasTheOrder(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := New(Options{})
		s.SetView(View{Names: map[string]bool{"x": true}, Learning: map[int]bool{graphs.Shared: r.IntN(4) == 0}})
		var transit [][]byte
		for k := range 80 {
			l := Line{Process: fmt.Append(nil, "P", r.IntN(4))}
			name := "x"
			if r.IntN(3) == 0 {
				name = "y"
			}
			l.Values = []Assignment{{[]byte(name), graphs.Int(int64(k))}}
			for range r.IntN(5) / 2 {
				if i := r.IntN(len(transit) + 1); i < len(transit) {
					l.Recv = append(l.Recv, transit[i])
					transit = append(transit[:i], transit[i+1:]...)
				}
			}
			if r.IntN(2) == 0 {
				id := fmt.Append(nil, k)
				if l.Send = append(l.Send, id); r.IntN(4) == 0 { // it will be received twice
					transit = append(transit, id)
				}
				transit = append(transit, id)
			}
			if r.IntN(8) == 0 && s.Admitted() > 0 {
				at := place{process: int32(r.IntN(len(s.names)))}
				if at.pos = s.processes[at.process].admitted; at.pos > 0 {
					l.After = append(l.After, append([]byte(nil), s.defaultID(at)...))
				}
			}
			if s.Add(&l) != nil {
				continue // a process receives twice what was sent
			}
			if r.IntN(16) == 0 {
				s.Drop()
			}
		}
		now := s.Mark()
		w, err := s.Window(s.Marks()[now], false)
		if err != nil {
			t.Fatal(seed, err)
		}
		c := w.Computation
		for e := graphs.Event(1); e < c.Top(); e++ {
			least, _ := c.Above(c.NoEvents(), e)
			for f := graphs.Event(1); f < c.Top(); f++ {
				if knows := w.Past(e).Knows(w.Past(f)); knows != c.Has(least, f) {
					t.Fatalf("seed %d: that %s knows %s is %v", seed, w.ID(e), w.ID(f), knows)
				}
			}
		}
	}
}
