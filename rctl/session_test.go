package rctl_test

import (
	"context"
	"errors"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/syntax"
)

// A session remembers the slices of formulas. What cannot be decided for want of a
// variable's values is an error to each formula that needs them, not to the first.
func TestSessionKeepsErrors(t *testing.T) {
	b := new(graphs.Builder)
	p := b.Process("P")
	x := b.Variable(p, "x")
	b.Init(x, graphs.Int(0))
	b.Event(p)
	b.Skip(x, graphs.Number)
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	session := rctl.NewSession(c)
	for _, text := range []string{"EF(x@P == 1)", "AG(EF(x@P == 1))", "EF(x@P == 1)"} {
		f, err := syntax.Parse(text)
		if err == nil {
			f, err = syntax.Resolve(context.Background(), f, rctl.Scope(c))
		}
		if err != nil {
			t.Fatal(err)
		}
		var values *atoms.ValuesError
		if _, err := session.Check(context.Background(), f, rctl.Options{Engine: rctl.Slice}); !errors.As(err, &values) {
			t.Errorf("%s: %v, not a *atoms.ValuesError", text, err)
		}
	}
}
