package stream

import (
	"errors"
	"testing"
)

// An execution that is given up stays so after it was saved and read.
func TestGivenUpIsKept(t *testing.T) {
	s, want := New(Options{}), "too long ago"
	s.GiveUp(errors.New(want))
	var c Codec
	s.Code(&c)
	s = New(Options{})
	s.Code(NewReader(c.Bytes()))
	s.SetView(View{Everything: true})
	if err := s.Add(&Line{Process: []byte("p")}); err != nil || s.Admitted() > 0 {
		t.Errorf("an event more: %v", err)
	}
	if err := s.End(); err != nil || s.GivenUp() == nil || s.GivenUp().Error() != want {
		t.Errorf("at the end: %v, %v", err, s.GivenUp())
	}
}

// A sync that is complete is so after it was saved and read, while it waits for something else.
func TestCompleteIsKept(t *testing.T) {
	s := New(Options{SyncSize: 2})
	for _, l := range []Line{{Process: []byte("p"), Sync: [][]byte{[]byte("s")}}, {Process: []byte("q"), Sync: [][]byte{[]byte("s")}, Recv: [][]byte{[]byte("m")}}} {
		if err := s.Add(&l); err != nil {
			t.Fatal(err)
		}
	}
	var c Codec
	s.Code(&c)
	s = New(Options{SyncSize: 2})
	s.Code(NewReader(c.Bytes()))
	if err := s.Add(&Line{Process: []byte("r"), Sync: [][]byte{[]byte("s")}}); err == nil {
		t.Error("a third joins")
	}
	if err := s.Add(&Line{Process: []byte("r"), Send: [][]byte{[]byte("m")}}); err != nil || s.Admitted() != 3 {
		t.Errorf("%d are admitted, %v", s.Admitted(), err)
	}
}
