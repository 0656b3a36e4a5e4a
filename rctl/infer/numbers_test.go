package infer

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// formulas returns the formulas of the candidates of a template that a run teaches.
func formulas(t *testing.T, text, template string) (all []string) {
	r := readRun(t, "run", text)
	v := vocabularyOf([]Run{r})
	for _, c := range allCandidates(v, surveyed(t, v, r.Computation)) {
		if c.template.name == template {
			all = append(all, c.formula)
		}
	}
	return all
}

// A variable that names processes is about those that it names: two of them at least.
func TestNaming(t *testing.T) {
	for n := range 4 {
		text := `{"process":"c","init":{"holder":""}}` + "\n"
		for p := range 3 {
			text += fmt.Sprintf(`{"process":"p%d","init":{"cs":false}}`+"\n"+`{"process":"p%[1]d"}`+"\n", p)
			text += fmt.Sprintf(`{"process":"p%d","set":{"cs":true}}`+"\n"+`{"process":"p%[1]d","set":{"cs":false}}`+"\n", p)
		}
		text += `{"process":"c"}` + "\n"
		for p := range n {
			text += fmt.Sprintf(`{"process":"c","set":{"holder":"p%d"}}`+"\n", p)
		}
		found := formulas(t, text, "named")
		if (len(found) > 0) != (n > 1) {
			t.Errorf("%d names: %v", n, found)
		}
	}
}

// That processes agree is luck if nothing but the order of the log keeps different choices apart.
func TestAgreementByLuck(t *testing.T) {
	text := ""
	for p := range 3 {
		text += fmt.Sprintf(`{"process":"p%d","init":{"x":""}}`+"\n", p)
	}
	for n := range 9 {
		for _, x := range []string{"", fmt.Sprint("v", n%3), ""} {
			text += fmt.Sprintf(`{"process":"p%d","set":{"x":%q}}`+"\n", n%3, x)
		}
	}
	res := infers(t, []Run{readRun(t, "lucky", text)}, nil)
	if !slices.ContainsFunc(res.Luck, func(f *Finding) bool { return f.Template == "agree" }) {
		t.Errorf("not in\n%s", res)
	}
}

// That a variable names a process in a state is luck if no message says so.
func TestNamingByLuck(t *testing.T) {
	text := `{"process":"c","init":{"holder":""}}` + "\n"
	for p := range 2 {
		text += fmt.Sprintf(`{"process":"p%d","init":{"cs":false}}`+"\n", p)
	}
	for n := range 6 {
		text += fmt.Sprintf(`{"process":"p%d","set":{"cs":true}}`+"\n"+`{"process":"c","set":{"holder":"p%[1]d"}}`+"\n", n%2)
		text += fmt.Sprintf(`{"process":"c","set":{"holder":""}}`+"\n"+`{"process":"p%d","set":{"cs":false}}`+"\n", n%2)
	}
	res := infers(t, []Run{readRun(t, "lucky", text)}, nil)
	if !slices.ContainsFunc(res.Luck, func(f *Finding) bool { return f.Template == "named" }) {
		t.Errorf("not in\n%s", res)
	}
}

// Of three values, each is left for another some time, so that no other comes is no response.
func TestResponses(t *testing.T) {
	text := `{"process":"p","init":{"x":"a","busy":false}}` + "\n"
	for n := range 12 {
		text += fmt.Sprintf(`{"process":"p","set":{"x":"%c","busy":%t}}`+"\n", "abc"[n%3], n%2 == 0)
	}
	found := formulas(t, text, "responds")
	if len(found) == 0 {
		t.Error("nothing is found")
	}
	for _, text := range found {
		asked, answer, _ := strings.Cut(text, "->")
		if strings.Contains(text, "!=") || strings.Contains(asked, "!busy") || strings.TrimSpace(answer) == "" {
			t.Error(text)
		}
	}
}

// A bound takes half of the good runs, and two of several.
func TestEnough(t *testing.T) {
	for good, least := range map[int]int{1: 1, 2: 2, 3: 2, 4: 2, 5: 3, 10: 5} {
		f := &filler{good: make([]*facts, good)}
		for runs := range good + 1 {
			if got := f.enough(runs); got != (runs >= least) {
				t.Errorf("%d of %d: %t", runs, good, got)
			}
		}
	}
}

// The least bound is that of the run which comes to the most, if half of the runs come to it. The
// lowest that is asked about says nothing, and one that all runs pass is none.
func TestLeast(t *testing.T) {
	for _, test := range []struct {
		most      []int64 // by run
		low, high int64
		want      int64 // 0 for none
	}{
		{[]int64{3, 2, 3}, 1, 5, 3},
		{[]int64{3, 2, 2}, 1, 5, 0},
		{[]int64{5, 5}, 1, 5, 5},
		{[]int64{6, 5}, 1, 5, 0},
		{[]int64{1, 1}, 1, 5, 0},
		{[]int64{1}, 1, 1, 0},
		{[]int64{-2, -2}, -9, 5, -2},
	} {
		f := new(filler)
		of := make(map[*facts]int64)
		for _, most := range test.most {
			g := new(facts)
			f.good, of[g] = append(f.good, g), most
		}
		got := int64(0)
		f.add = func(c *candidate) { got = c.bound }
		f.least(test.low, test.high, func(bound int64) *candidate {
			return &candidate{bound: bound, holds: func(g *facts) bool { return of[g] <= bound }}
		})
		if got != test.want {
			t.Errorf("%+v: %d", test, got)
		}
	}
}

// Messages in transit are counted on each channel, at the cut with the most: two were sent before
// the first was received, and the third after that. Of many processes there are too many channels.
func TestInTransit(t *testing.T) {
	for processes, want := range map[int]bool{2: true, maxEnds: true, maxEnds + 1: false} {
		text := `{"process":"a","send":"m0"}
{"process":"a","send":"m1"}
{"process":"b","recv":"m0","send":"back"}
{"process":"a","recv":"back"}
{"process":"a","send":"m2"}
{"process":"b","recv":"m1"}
{"process":"b","recv":"m2"}
`
		for p := range processes - 2 {
			text += fmt.Sprintf(`{"process":"p%d"}`+"\n", p)
		}
		found := formulas(t, text, "in-transit")
		if want && !slices.Equal(found, []string{"AG(forall i != j: transit(i, j) <= 2)"}) || !want && found != nil {
			t.Errorf("%d processes: %q", processes, found)
		}
	}
	if found := formulas(t, `{"process":"a"}`+"\n"+`{"process":"b"}`+"\n", "in-transit"); found != nil {
		t.Errorf("there is no message: %q", found)
	}
}

// A bad run with as many events as a good one is not short.
func TestShort(t *testing.T) {
	const text = "shorter than each good one"
	good := []Run{requestsBy(t, 4, `"r%d"`), requestsBy(t, 6, `"r%d"`)}
	for n, want := range map[int]bool{3: true, 4: false, 5: false} {
		res := infers(t, good, []Run{requestsBy(t, n, `"r%d"`), requestsBy(t, 6, `"r%d"`)})
		if got := strings.Contains(res.String(), text); got != want {
			t.Errorf("%d requests: short %t", n, got)
		}
	}
}
