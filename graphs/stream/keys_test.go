package stream

import (
	"fmt"
	"testing"
)

// The k-th receive with a key gets the k-th message sent with it, whichever comes first.
func TestKeyed(t *testing.T) {
	for _, order := range []string{"sssrrr", "rrrsss", "srsrsr", "rssrsr", "ssrsrr"} {
		s := New(Options{})
		s.SetView(View{Everything: true, AnyChannel: true})
		for _, side := range order {
			l := Line{Process: []byte{byte(side)}, Keyed: true, To: []byte("r")}
			if side == 's' {
				l.Send = [][]byte{[]byte("k")}
			} else {
				l.Recv, l.To = [][]byte{[]byte("k")}, nil
			}
			if err := s.Add(&l); err != nil {
				t.Fatal(order, err)
			}
		}
		if err := s.End(); err != nil {
			t.Fatal(order, err)
		}
		w, err := s.Window(s.Marks()[s.Mark()], false)
		if err != nil {
			t.Fatal(order, err)
		}
		c, got := w.Computation, ""
		for _, m := range c.Messages() {
			got += fmt.Sprint(c.Position(m.Send), c.Position(m.Recv), " ")
		}
		if got != "1 1 2 2 3 3 " || len(s.keys.single) > 0 {
			t.Errorf("%s: %s, %v are left", order, got, s.keys.single)
		}
	}
}
