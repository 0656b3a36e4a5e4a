package crucial

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/program/promela"
)

// Two processes count on their own, a third waits for either.
const counters = `
byte x, y, z;
active proctype A() { do :: x < 3 -> x++ od }
active proctype B() { do :: y < 3 -> y++ od }
active proctype C() { x > 1; z = 1; wait: y > 1; z = 2 }
`

// A process that waits for a timeout conflicts with all others.
const timeouts = `
byte x, y;
active proctype A() { do :: x < 2 -> x++ :: x == 2 -> break od }
active proctype B() { do :: timeout -> y = 1; break od }
active proctype C() { byte n; do :: n < 3 -> n++ :: n == 3 -> break od }
`

// One process turns in a cycle after a few steps, another in a longer one at once.
const cycles = `
byte x, y, z;
active proctype A() { do :: x < 2 -> x++ :: x == 2 -> z = 1; z = 0 od }
active proctype B() { do :: y = (y + 1) % 5 od }
`

// A process may stop at any time, the sooner the shorter the trail.
const stops = `
byte x;
active proctype A() { do :: x < 5 -> x++ :: break od }
`

// Two trails have five steps: a cycle of five, and two steps into a cycle of three.
const ties = `
byte x, y;
active proctype B() { do :: y = (y + 1) % 5 od }
active proctype A() { x = 1; x = 2; do :: x = 2 + ((x - 1) % 3) od }
`

// Two trails have one step: a cycle, and the step to what is waited for.
const loop = `
byte x, y;
active proctype A() { do :: y = 0 :: x = 1 od }
`

// A sender waits for room only where the channel is full, and a third process has nothing to do with both.
const channel = `
chan c = [2] of { byte };
byte x, y;
active proctype A() { c!1; x = 1; c!2; x = 2; c!3; x = 3 }
active proctype B() { byte n; c?n; c?n; c?n }
active proctype C() { do :: y < 3 -> y++ od }
`

// Searches find these verdicts by exploring so many states, and show them by such trails.
// The numbers are those of the search as it is: they tell when it explores more states than
// it has to, or finds longer trails, which no comparison of verdicts does.
func TestSearches(t *testing.T) {
	for _, c := range []struct{ model, formula, want string }{
		{counters, `EF(z == 1)`, "holds, 10 states, reduced; 6 steps"},
		{counters, `EF(z == 2)`, "holds, 32 states, reduced; 12 steps"},
		{counters, `EF(x == 3 && y == 3)`, "holds, 25 states, reduced; 12 steps"},
		{counters, `AG(z < 3)`, "holds, 58 states, reduced"},
		{counters, `E[y == 0 U x == 3]`, "holds, 7 states, reduced; 6 steps"},
		{counters, `E[x < 3 && y < 3 U z == 2 && x < 3 && y < 3]`, "holds, 26 states, reduced; 12 steps"},
		{counters, `EG(y == 0)`, "fails, 14 states, reduced"},
		{counters, `EG(z < 2)`, "fails, 30 states, reduced"},
		{counters, `E[z == 1 R x < 3]`, "holds, 9 states, reduced; 6 steps"},
		{counters, `AG(AF z == 2)`, "holds, 62 states, reduced"},
		{counters, `EF(x == 2 && EG(z == 0))`, "fails, 54 states, reduced"},
		{counters, `!(EF(x == 2) && AG(y < 3))`, "holds, 27 states, reduced; 6 steps"},
		{counters, `EX(x == 1) || EX(z == 1)`, "fails, 3 states"},
		{timeouts, `EF(y == 1)`, "holds, 56 states; 15 steps"},
		{timeouts, `EF(y == 1 && x < 2)`, "fails, 58 states"},
		{timeouts, `AF(y == 1)`, "holds, 56 states"},
		{timeouts, `EG(x < 2)`, "fails, 45 states"},
		{cycles, `EG(y < 5)`, "holds, 7 states, reduced; 5 steps from 0"},
		{cycles, `EG(y == 0)`, "holds, 7 states, reduced; 7 steps from 4"},
		{cycles, `EG(z < 2 && x < 3)`, "holds, 7 states, reduced; 5 steps from 0"},
		{cycles, `EF(x == 2 && EG(z == 0))`, "holds, 10 states, reduced; 4 steps (5 steps from 0)"},
		{cycles, `E[EX(y == 4 && x == 9) R y < 5]`, "holds, 14 states; 5 steps from 0"},
		{cycles, `E[EF(x == 2) R y < 5]`, "holds, 5 states, reduced; 0 steps (4 steps)"},
		{cycles, `E[EX(y == 3) R y < 5]`, "holds, 14 states; 2 steps (1 steps)"},
		{stops, `EG(x < 9)`, "holds, 13 states; 2 steps to a deadlock"},
		{ties, `EG(x < 9 && y < 5)`, "holds, 5 states, reduced; 5 steps from 0"},
		{ties, `EF(x == 1)`, "holds, 2 states, reduced; 1 steps"},
		{loop, `E[x == 1 R y < 5]`, "holds, 1 states; 1 steps from 0"},
		{counters, `EF(EG(x == 3 && z == 0))`, "fails, 48 states, reduced"},
		{counters, `EF(EG(x == 3 || z == 1))`, "holds, 19 states, reduced; 6 steps (11 steps to a deadlock)"},
		{counters, `EF(E[z == 1 R x == 2 && y == 0])`, "holds, 9 states, reduced; 4 steps (2 steps)"},
		{channel, `EF(x == 2)`, "holds, 5 states, reduced; 4 steps"},
		{channel, `EF(x == 3)`, "holds, 8 states, reduced; 7 steps"},
		{"peterson", `AG(!(at@"user:0" == "cs" && at@"user:1" == "cs"))`, "holds, 45 states, reduced"},
		{"peterson", `EF(at@"user:0" == "cs") && EF(at@"user:1" == "cs")`, "holds, 21 states, reduced; 5 steps; 5 steps"},
		{"peterson", `EG(at@"user:0" != "cs")`, "holds, 9 states, reduced; 8 steps from 0"},
		{"philosophers", `!EF(at@"philosopher:2" == "hungry" && at@"philosopher:4" == "hungry")`, "fails, 29 states, reduced; 24 steps"},
		{"philosophers", `AG(!failed)`, "holds, 820 states"},
		{"philosophers", `EF(at@"philosopher:2" == "eat")`, "holds, 37 states, reduced; 24 steps"},
		{"philosophers", `AG(EF(eating == 2))`, "holds, 820 states"},
		{"leader", `AG(leaders <= 1)`, "holds, 445 states"},
		{"leader", `AF(leaders == 1)`, "holds, 306 states"},
		{"alternating-bit", `EF(at@receiver == "accept" && value@receiver == 3)`, "holds, 200 states, reduced; 41 steps"},
		{"alternating-bit", `EG(received == 0)`, "holds, 11 states, reduced; 5 steps from 3"},
	} {
		if got := searched(t, c.model, c.formula); got != c.want {
			t.Errorf("%s\n%s: got\n%s\nwant\n%s", c.model, c.formula, got, c.want)
		}
	}
}

// searched describes the search for a formula on a model: the name of one in testdata, or
// its text.
func searched(t *testing.T, model, formula string) string {
	t.Helper()
	if !strings.Contains(model, "\n") {
		text, err := os.ReadFile(filepath.Join("../../testdata/models", model+".pml"))
		if err != nil {
			t.Fatal(err)
		}
		model = string(text)
	}
	m, err := promela.Parse("model.pml", model, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := promela.Compile(m)
	if err != nil {
		t.Fatal(err)
	}
	f, err := resolve(t.Context(), p, formula)
	if err != nil {
		t.Fatal(err)
	}
	result, err := Check(t.Context(), p, f, Options{Trail: true})
	if err != nil {
		t.Fatal(err)
	}
	// Several workers find the same, and explore as much.
	sideBySide = 1
	again, err := Check(t.Context(), p, f, Options{Trail: true})
	sideBySide = 1 << 12
	if err != nil || !reflect.DeepEqual(result, again) {
		t.Errorf("%s: side by side %+v, %v, and not %+v", formula, again, err, result)
	}

	text := fmt.Sprintf("%v, %d states", result.Verdict, result.States)
	if result.Reduced {
		text += ", reduced"
	}
	var describe func(trails []*Trail) string
	describe = func(trails []*Trail) string {
		var all string
		for _, trail := range trails {
			all += fmt.Sprintf("; %d steps", len(trail.Steps))
			if trail.Cycle != -1 {
				all += fmt.Sprintf(" from %d", trail.Cycle)
			}
			if trail.Deadlock {
				all += " to a deadlock"
			}
			if below := describe(trail.Children); below != "" {
				all += " (" + below[2:] + ")"
			}
		}
		return all
	}
	return text + describe(result.Trails)
}

// decided returns a checker that has decided a formula on the counters.
func decided(t *testing.T, formula string, want bool) (k *checker, n *node) {
	t.Helper()
	p := compile(t, counters)
	f, err := resolve(t.Context(), p, formula)
	if err != nil {
		t.Fatal(err)
	}
	declared, err := declarations(p)
	if err != nil {
		t.Fatal(err)
	}

	layout := p.Layout()
	k = &checker{
		ctx:      t.Context(),
		program:  p,
		layout:   layout,
		declared: declared,
		states:   newStore(layout.Size),
		futures:  newFutures(layout),
		top:      make(map[*node]*breadth),
	}
	if n, err = k.compile(f); err != nil {
		t.Fatal(err)
	}
	root := k.states.add(p.Initial(nil))
	if holds := k.decide(n, root); holds != want || k.err != nil {
		t.Fatal(holds, k.err)
	}
	return k, n
}

// A worker leaves out what is known not to lead to the goal.
func TestWorkerLeavesOut(t *testing.T) {
	k, n := decided(t, `EF(z == 9)`, false)
	s := k.top[n]
	w := &worker{checker: k, node: n, end: s.queue.Len()}
	if w.explore(s); len(w.from) > 0 || w.checker.err != nil {
		t.Errorf("%d states, %v", len(w.from), w.checker.err)
	}
}

// The formula is known to hold in the states of the trail, and in no other state is anything
// learnt from one that was found.
func TestSearchLearns(t *testing.T) {
	k, n := decided(t, `EF(z == 1)`, true)
	s := k.top[n]
	onTrail := make(map[uint32]bool)
	for i := s.found; ; i = int(*s.from.At(i)) {
		onTrail[*s.queue.At(i)] = true
		if i == 0 {
			break
		}
	}
	for i := range s.queue.Len() {
		id := *s.queue.At(i)
		if is := n.known(id) == yes; is != onTrail[id] {
			t.Errorf("state %d is known to satisfy it: %t; on the trail: %t", id, is, onTrail[id])
		}
	}
}
