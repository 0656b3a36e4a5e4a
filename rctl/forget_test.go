package rctl

import (
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// A session of many formulas takes no more memory for ever.
func TestSessionForgets(t *testing.T) {
	c, err := new(graphs.Builder).Build()
	if err != nil {
		t.Fatal(err)
	}
	s := NewSession(c)
	before := s.memo
	for range 1<<16 + 1 {
		if s.memo != before {
			t.Fatal("forgotten too early")
		}
		s.memo.Negation(&syntax.Formula{Op: syntax.OpTrue})
	}
	res, err := s.Decide(t.Context(), &syntax.Formula{Op: syntax.OpTrue}, Options{})
	if err != nil || res.Verdict != Holds || s.memo == before {
		t.Error(res, err)
	}
}
