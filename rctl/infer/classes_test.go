package infer

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// named returns a run of processes that have x, all but the last with y, with an event each.
func named(t *testing.T, processes ...string) Run {
	var text strings.Builder
	for n, name := range processes {
		y := `,"y":1`
		if n == len(processes)-1 {
			y = ""
		}
		fmt.Fprintf(&text, `{"process":%q,"init":{"x":1%s}}`+"\n"+`{"process":%[1]q,"set":{"x":2}}`+"\n", name, y)
	}
	return readRun(t, "named", text.String())
}

// The domain of a class is all processes, a pattern that its members match and no others, or the
// processes with the variables of the formula. A letter of two bytes is never cut.
func TestDomains(t *testing.T) {
	for _, test := range []struct {
		processes []string
		want      string // of y
	}{
		{[]string{"user1", "user22", "server"}, `forall i in "user*": `},
		{[]string{"a", "b", "server"}, `forall i having y: `},
		{[]string{"user1", "user2", "user3"}, `forall i having y: `},
		{[]string{"é", "è", "server"}, `forall i having y: `},
		{[]string{"u*1", "u*2", "server"}, `forall i having y: `},
		{[]string{"user", "server"}, ""},
	} {
		all := variablesOf([]Run{named(t, test.processes...)})
		y := all[slices.IndexFunc(all, func(v *variable) bool { return v.name == "y" })]
		if got := y.class.quantifier("forall", "i", y); got != test.want {
			t.Errorf("%v: %s", test.processes, got)
		}
		x := all[slices.IndexFunc(all, func(v *variable) bool { return v.name == "x" })]
		if got := x.class.quantifier("forall", "i", x, x); got != "forall i: " {
			t.Errorf("%v: %s", test.processes, got)
		}
	}
	// A process that lacks a variable in one run is a member, and formulas ask for the variable.
	all := variablesOf([]Run{named(t, "p1", "p2", "p3"), named(t, "p3", "p2", "p1")})
	y := all[slices.IndexFunc(all, func(v *variable) bool { return v.name == "y" })]
	if got := y.class.quantifier("forall", "i", y); got != "forall i having y: " {
		t.Error(got)
	}
}
