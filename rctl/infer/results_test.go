package infer

import (
	"fmt"
	"strings"
	"testing"
)

// What is found in a few runs is what people have read and found right: which lines, in which
// order, with which words and evidence. A change of weights or of words shows here.
func TestResults(t *testing.T) {
	var text strings.Builder
	add := func(name string, good, bad []Run) {
		res := infers(t, good, bad)
		fmt.Fprintf(&text, "# %s\n%s\n", name, res)
		if len(bad) > 1 {
			fmt.Fprintf(&text, "%s\n", res.Properties())
		}
	}
	for _, states := range []bool{false, true} {
		var good, bad []Run
		for seed := range uint64(5) {
			good = append(good, lockRun(t, seed, states, false))
			bad = append(bad, lockRun(t, seed, states, seed > 1))
		}
		add(fmt.Sprintf("locks, states %t", states), good, bad[3:])
		add(fmt.Sprintf("two runs of locks, states %t", states), good[:2], nil)
		add(fmt.Sprintf("a bad run of locks, states %t", states), good, bad[4:])
	}
	add("spans", []Run{spanOf(t, 1, 0.5), spanOf(t, 7, 0.25)}, []Run{spanOf(t, 9, 0.75)})
	add("requests", []Run{requests(t)}, nil)
	add("fewer requests", []Run{requestsBy(t, 9, `"r%d"`)}, []Run{requestsBy(t, 8, `"r%d"`)})
	add("named", []Run{named(t, "user1", "user2", "server"), named(t, "user1", "user2", "user3")}, nil)
	golden(t, "results.txt", text.String())
}
