package stream

import (
	"errors"
	"testing"
)

// An execution that has failed fails with the same after it was saved and read.
func TestFailureIsKept(t *testing.T) {
	s, want := New(Options{}), "too long ago"
	s.failure = errors.New(want)
	var c Codec
	s.Code(&c)
	s = New(Options{})
	s.Code(NewReader(c.Bytes()))
	s.SetView(View{Everything: true})
	if err := s.Add(&Line{Process: []byte("p")}); err == nil || err.Error() != want {
		t.Errorf("an event more: %v", err)
	}
	if err := s.End(); err == nil || err.Error() != want {
		t.Errorf("at the end: %v", err)
	}
}
