package infer

import (
	"fmt"
	"strings"
	"testing"
)

// What literals there are depends on how many values a variable has, and on the first. A state that
// all begin with, and a negation, rest: they are less worth saying.
func TestLiterals(t *testing.T) {
	literals := func(values ...string) string {
		var text strings.Builder
		for _, process := range []string{"p", "q"} {
			fmt.Fprintf(&text, `{"process":%q,"init":{"x":%s}}`+"\n", process, values[0])
			// What the first event assigns may be for good, so the last one takes it back.
			for _, value := range append(values[1:], values[0]) {
				fmt.Fprintf(&text, `{"process":%q,"set":{"x":%s}}`+"\n", process, value)
			}
		}
		var all []string
		for n, l := range vocabularyOf([]Run{readRun(t, "values", text.String())}).literals {
			if l.number != n {
				t.Errorf("literal %d has the number %d", n, l.number)
			}
			word := l.words()
			if l.rest {
				word = "(" + word + ")"
			}
			if l.initial() {
				word += "."
			}
			all = append(all, word)
		}
		return strings.Join(all, " ")
	}
	many := []string{`"w"`}
	for n := range 7 {
		many = append(many, fmt.Sprintf(`"w%d"`, n))
	}
	for _, test := range []struct {
		values []string
		want   string
	}{
		{[]string{"false", "true"}, `x (!x).`},
		{[]string{"true", "false"}, `(x). !x`},
		{[]string{`"b"`, `"a"`}, `x == "a" (x == "b").`},
		{[]string{`"a"`, `"b"`}, `x == "b" (x == "a").`},
		{[]string{`"a"`, `"b"`, `"c"`}, `x == "a". (x != "a") x == "b" (x != "b"). x == "c" (x != "c").`},
		{[]string{"0", "5", "10", "7", "1", "2", "3"}, `x > 0 (x <= 0).`},
		{[]string{"3", "5", "10", "7", "1", "2", "0"}, `(x > 0). x <= 0`},
		{[]string{"4", "5", "10", "7", "1", "2", "3"}, `x != 4 (x == 4).`},
		{many, `x != "w" (x == "w").`},
		{[]string{`"a"`, `"a"`}, ""},
	} {
		if got := literals(test.values...); got != test.want {
			t.Errorf("%v: %s\nnot %s", test.values, got, test.want)
		}
	}
}

// A Boolean that one process alone has stands without its process, so a name that is not plain would
// be a string in formulas.
func TestNameThatIsNotPlain(t *testing.T) {
	text := `{"process":"p","set":{"is open":true,"open":true}}
{"process":"p","set":{"is open":false,"open":false}}
{"process":"q","set":{"up":true}}
`
	res := infers(t, []Run{readRun(t, "run", text)}, nil)
	if !strings.Contains(res.String(), "open") || strings.Contains(res.String(), "is open") {
		t.Errorf("found\n%s", res)
	}
}

// A bad run may have a value that no good run has: the other of two values is the negation in good
// runs alone.
func TestThirdValue(t *testing.T) {
	run := func(mode string) Run {
		return readRun(t, mode, fmt.Sprintf(`{"process":"p","init":{"mode":"off"}}
{"process":"p","set":{"mode":"on"}}
{"process":"p","set":{"busy":true}}
{"process":"p","set":{"mode":%q}}
{"process":"p","set":{"busy":false}}
{"process":"p","set":{"mode":"off"}}
`, mode))
	}
	res := infers(t, []Run{run("on"), run("on")}, []Run{run("broken")})
	if place, _ := placeOf(t, res.Breaks, `AG(busy -> mode == "on")`); place == 0 {
		t.Errorf("found\n%s", res)
	}
}
