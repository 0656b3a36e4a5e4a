package certificate_test

import (
	"testing"

	"github.com/pota-project/pota/graphs"
)

// rising returns a computation in which P sets x and z to more than they were, and Q sets y to
// what it was.
func rising(t *testing.T) *graphs.Computation {
	t.Helper()
	var b graphs.Builder
	b.Process("P")
	b.Process("Q")
	x, k, z := b.Variable(0, "x"), b.Variable(0, "k"), b.Variable(0, "z")
	y := b.Variable(1, "y")
	b.Init(x, graphs.Int(0))
	b.Init(k, graphs.Int(1))
	b.Init(z, graphs.Int(0))
	b.Init(y, graphs.Int(1))
	p := b.Event(0)
	b.Set(x, p, graphs.Int(5))
	b.Set(z, p, graphs.Int(1))
	b.Set(y, b.Event(1), graphs.Int(1))

	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A sum is raised by the terms that rise, and by none that is only assigned again: the
// proof needs no split by the events of Q.
func TestTermsThatDoNotChange(t *testing.T) {
	c := rising(t)
	check(t, c, "AG(!(x + y >= 6 && z == 0))", `{"rule":"operands"}`, "")
	check(t, c, "AG(!(-x - y <= -6 && z == 0))", `{"rule":"operands"}`, "")
	check(t, c, "AG(!(x + y >= 1 && z == 0))", `{"rule":"operands"}`, "its negation may hold")
}

// Two variables of one process are on one chain: their product is a term that only rises, and
// the event of Q cannot help.
func TestTermOfTwoVariables(t *testing.T) {
	c := rising(t)
	check(t, c, "AG(!(x * k + y >= 6 && z == 0))", `{"rule":"operands"}`, "")
	check(t, c, "AG(!(x * k + y >= 1 && z == 0))", `{"rule":"operands"}`, "its negation may hold")
}
