package stream

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs"
)

// An assignment of a shared variable is refused where it does not know the last one, and changes nothing.
func TestSharedIsOrdered(t *testing.T) {
	refused, taken := 0, 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		s := New(Options{})
		s.SetView(View{Names: map[string]bool{"t": true}})
		set := []Assignment{{[]byte("t"), graphs.Int(1)}}
		if err := s.Add(&Line{Kind: Sharing, Values: set}); err != nil {
			t.Fatal(err)
		}
		var known [3][3]int64 // how many events of each other process a process knows
		var past [][3]int64   // by event, how many events of each process happened before it
		var last [2]int64     // the last assignment: its process and position
		read := make(map[[2]int]bool)
		for k := range 60 {
			p := r.IntN(3)
			l, knows := Line{Process: fmt.Append(nil, p)}, known[p]
			for range r.IntN(3) {
				e := r.IntN(len(past) + 1)
				switch {
				case e == len(past):
					continue
				case r.IntN(2) == 0 || read[[2]int{p, e}]:
					l.After = append(l.After, fmt.Append(nil, "e", e))
				default:
					l.Recv = append(l.Recv, fmt.Append(nil, "m", e))
					read[[2]int{p, e}] = true
				}
				for q := range knows {
					knows[q] = max(knows[q], past[e][q])
				}
			}
			knows[p]++
			l.ID, l.Send = fmt.Append(nil, "e", len(past)), [][]byte{fmt.Append(nil, "m", len(past))}
			if r.IntN(3) == 0 {
				l.Values = set
			}
			if l.Values != nil && knows[last[0]] < last[1] {
				_, unordered := errors.AsType[*graphs.UnorderedError](s.Add(&l))
				if refused++; !unordered || s.Admitted() != int64(len(past)) {
					t.Fatalf("seed %d: event %d is not refused", seed, k)
				}
				l.Values = nil
			}
			if err := s.Add(&l); err != nil || s.Admitted() != int64(len(past))+1 {
				t.Fatalf("seed %d: event %d: %v", seed, k, err)
			}
			known[p], past = knows, append(past, knows)
			if l.Values != nil {
				last = [2]int64{int64(p), knows[p]}
				taken++
			}
		}
	}
	if refused < 100 || taken < 100 {
		t.Errorf("%d are refused, %d taken", refused, taken)
	}
}
