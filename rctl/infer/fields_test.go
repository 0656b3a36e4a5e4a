package infer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
)

// readRun returns the run of a trace in the native format.
func readRun(t *testing.T, name, text string) Run {
	t.Helper()
	options := format.Options{From: strings.NewReader(text), Options: trace.Options{Names: true, Places: true}}
	all, err := format.Read(t.Context(), name, options)
	if err != nil {
		t.Fatal(err)
	}
	return Run{Name: name, Computation: all[0].Computation}
}

// spanOf returns a trace of one span, as readers of spans make it: the event also
// has times and ids.
func spanOf(t *testing.T, n int, took float64) Run {
	from := 1_700_000_000 + 60*float64(n)
	return readRun(t, fmt.Sprint("span ", n), fmt.Sprintf(`{"process":"shop/buy#1","init":{"active":false,"status":"unset"}}
{"process":"shop/buy#1","time":%[1]f,"set":{"active":true,"operation":"buy","event":"start","started":%[1]f,"user":"u%[3]d"}}
{"process":"shop/buy#1","time":%[2]f,"set":{"active":false,"event":"end","operation":"buy","ended":%[2]f,"duration":%[4]f}}
`, from, from+took, n, took))
}

// Times, ids and other fields of single events are not a state, even if there are few runs of spans:
// no line is about them. The duration of an operation gets a line if a bad run takes longer.
func TestTimesAreNoStates(t *testing.T) {
	for n := range 3 {
		var good []Run
		for i := range n + 1 {
			good = append(good, spanOf(t, i, 0.5))
		}
		res := infers(t, good, []Run{spanOf(t, 9, 0.75)})
		for _, list := range res.Lists() {
			for _, f := range list.Findings {
				for _, field := range []string{"started", "ended", "duration", "user"} {
					if strings.Contains(f.Text, field) {
						t.Errorf("%d runs: %s", n+1, f.Text)
					}
				}
			}
		}
		if len(res.Breaks) != 1 || res.Breaks[0].Says != `after start of "buy" comes end of "buy" within 0.5s` {
			t.Errorf("%d runs: %s", n+1, res)
		}
	}
}

// How long an operation takes is worth a line, and not how much later another one is.
func TestTimesOfTwoOperations(t *testing.T) {
	shop := func(pause float64) Run {
		text := `{"process":"shop","init":{"active":false}}` + "\n"
		for n, operation := range []string{"buy", "pay"} {
			for i, event := range []string{"start", "end"} {
				at := 1_700_000_000 + pause*float64(n) + 0.5*float64(i)
				text += fmt.Sprintf(`{"process":"shop","time":%f,"set":{"operation":%q,"event":%q}}`+"\n", at, operation, event)
			}
		}
		return readRun(t, "shop", text)
	}
	if res := infers(t, []Run{shop(1)}, []Run{shop(9)}); len(res.Breaks) > 0 {
		t.Errorf("found\n%s", res)
	}
}

// A deadline is a time as well, where it is no state: it is never taken back.
func TestTimesOfLogs(t *testing.T) {
	log := func(until string) Run {
		return readRun(t, "log", `{"process":"a","init":{"busy":false}}
{"process":"a","set":{"busy":true,"seen":1700000001}}
{"process":"a","set":{"busy":false,"seen":1700000002`+until+`}}
`)
	}
	for _, line := range infers(t, []Run{log("")}, nil).Held {
		if strings.Contains(line.Text, "seen") {
			t.Error(line.Text)
		}
	}
	if text := infers(t, []Run{log(`,"left":3`)}, nil).String(); !strings.Contains(text, "left") {
		t.Errorf("nothing about a number that is no time:\n%s", text)
	}
}

// Of two processes with two and three intervals of a state, six pairs are free to meet.
func TestPairs(t *testing.T) {
	var text strings.Builder
	for p, rounds := range []int{2, 3} {
		fmt.Fprintf(&text, `{"process":"p%d","init":{"cs":false}}`+"\n", p)
		for range rounds {
			for _, cs := range []bool{true, false} {
				fmt.Fprintf(&text, `{"process":"p%d","set":{"cs":%t}}`+"\n", p, cs)
			}
		}
	}
	r := readRun(t, "pairs", text.String())
	v := vocabularyOf([]Run{r})
	f := surveyed(t, v, r.Computation)
	if got := pairs(f, 0, 0); got != 6 {
		t.Errorf("%d pairs, not 6", got)
	}
	if got := intervals(f, 0, 0); got != 5 {
		t.Errorf("%d intervals, not 5", got)
	}
}
