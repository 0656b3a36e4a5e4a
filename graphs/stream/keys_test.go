package stream

import (
	"fmt"
	"strings"
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

// An event may send several messages with a key, and one may receive them.
func TestKeyedByOneEvent(t *testing.T) {
	s := New(Options{})
	keys := [][]byte{[]byte("k"), []byte("k"), []byte("k")}
	add(t, s, Line{Process: []byte("A"), Keyed: true, Send: keys[:2]}, Line{Process: []byte("B"), Keyed: true, Recv: keys})
	if s.Admitted() != 1 {
		t.Errorf("%d are admitted, and one message is missing", s.Admitted())
	}
	both := Line{Process: []byte("C"), Keyed: true, Send: [][]byte{[]byte("l")}, Recv: [][]byte{[]byte("l")}}
	if err := s.Add(&both); err == nil || err.Error() != `process "C" receives the message "l" that it sends by the same event` {
		t.Error(err)
	}
	if add(t, s, Line{Process: []byte("A"), Keyed: true, Send: keys[:1]}); s.Admitted() != 3 || s.Unsettled() > 0 {
		t.Errorf("%d are admitted", s.Admitted())
	}
}

// Keys of messages that are lost are forgotten with these, and no receive gets a later message of one of
// them: it waits for good, also where it may be unsent, and where the stream was saved in between.
func TestLostKeys(t *testing.T) {
	for _, unsent := range []bool{false, true} {
		s := New(Options{Lost: 10})
		add := func(l Line, key string) {
			t.Helper()
			if l.Keyed = true; string(l.Process) == "s" {
				l.Send = [][]byte{[]byte(key)}
			} else {
				l.Recv, l.Unsent = [][]byte{[]byte(key)}, unsent
			}
			if err := s.Add(&l); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 100 {
			if add(Line{Process: []byte("s")}, fmt.Sprint(i)); len(s.keys.single) > 10 {
				t.Fatalf("%d keys are kept", len(s.keys.single))
			}
		}
		add(Line{Process: []byte("s")}, "7")
		add(Line{Process: []byte("r")}, "99")
		add(Line{Process: []byte("r")}, "7")
		add(Line{Process: []byte("s")}, "7")
		if s.Admitted() != 103 || !s.Waiting(1) {
			t.Errorf("%d are admitted", s.Admitted())
		}
		if err := s.End(); err != nil || s.GivenUp() == nil || s.Admitted() != 103 {
			t.Errorf("%d are admitted, %v, %v", s.Admitted(), err, s.GivenUp())
		}
	}
}

// A message that is forgotten does not take its key along where it has none, or where a receive waits that has it.
func TestLostWithoutKey(t *testing.T) {
	s := New(Options{Lost: 2})
	for i := range 9 {
		add(t, s, Line{Process: []byte("s"), Send: [][]byte{fmt.Append(nil, i)}})
	}
	if n := s.Unsettled(); n > 3 {
		t.Errorf("%d are unsettled", n)
	}

	s = New(Options{Lost: 2})
	key := [][]byte{[]byte("k")}
	send := Line{Process: []byte("s"), Keyed: true, Send: key}
	receive := Line{Process: []byte("r"), Keyed: true, Recv: key}
	other := Line{Process: []byte("s"), Send: [][]byte{[]byte("other")}}
	add(t, s, send, after(receive, "missing"), send, other) // the first is forgotten
	add(t, s, Line{Process: []byte("p"), Recv: [][]byte{[]byte("none")}}, sets("p"))
	if h, ok := s.Holds(); !ok || !strings.Contains(h.Why, `message "none", whose send has not come, or it is forgotten`) {
		t.Errorf("%+v", h)
	}
	receive.Process = []byte("q")
	if add(t, s, receive); s.Admitted() != 4 || s.GivenUp() != nil {
		t.Errorf("%d are admitted, %v", s.Admitted(), s.GivenUp())
	}
}

// A message may be forgotten by the event that receives another one of its key.
func TestLostKeyOfItsOwn(t *testing.T) {
	s := New(Options{Lost: 2})
	ids := func(all string) (ids [][]byte) {
		for i := range all {
			ids = append(ids, []byte(all[i:i+1]))
		}
		return ids
	}
	for i, x := range []struct {
		process, send, recv string
		admitted            int64
	}{{"s", "a", "", 1}, {"s", "a", "", 2}, {"r", "bc", "a", 3}, {"q", "", "c", 4}, {"q", "", "a", 4}, {"s", "a", "", 5}} {
		if err := s.Add(&Line{Process: []byte(x.process), Keyed: true, Send: ids(x.send), Recv: ids(x.recv)}); err != nil || s.Admitted() != x.admitted {
			t.Fatalf("line %d: %v, %d are admitted", i+1, err, s.Admitted())
		}
	}
}
