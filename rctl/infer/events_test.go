package infer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
)

// requests returns a run of three requests by way of a proxy. In addition to the id, each event has
// a field that is not an id: its values stay on one process.
func requests(t *testing.T) Run { return requestsBy(t, 3, `"r%d"`) }

// requestsBy returns a run of requests with ids in a format.
func requestsBy(t *testing.T, requests int, id string) Run {
	var text strings.Builder
	for n := range requests {
		event := func(process, op, message string) {
			id := fmt.Sprintf(id, n+1)
			fmt.Fprintf(&text, `{"process":%q,"set":{"op":%q,"id":%s,"at":"%s%d"},%s}`+"\n", process, op, id, process, n, message)
		}
		event("client", "call", fmt.Sprintf(`"send":"a%d"`, n))
		event("proxy", "relay", fmt.Sprintf(`"recv":"a%d","send":"b%[1]d"`, n))
		event("server", "serve", fmt.Sprintf(`"recv":"b%d","send":"c%[1]d"`, n))
		event("client", "reply", fmt.Sprintf(`"recv":"c%d"`, n))
	}
	return readRun(t, "requests", text.String())
}

// An id passes from one process to another. Of an order of events, each is related to its
// neighbours: the rest follows.
func TestOrderOfRequests(t *testing.T) {
	r := requests(t)
	v := vocabularyOf([]Run{r})
	var ids []string
	for _, key := range v.keys {
		if key != nil && key.id {
			ids = append(ids, key.name)
		}
	}
	if !slices.Equal(ids, []string{"id"}) {
		t.Errorf("ids are %v", ids)
	}
	var got []string
	for _, c := range allCandidates(v, surveyed(t, v, r.Computation)) {
		about := c.template.name == "precedence" || c.template.name == "response"
		if about && !strings.Contains(c.formula, "at ==") && c.holds(surveyed(t, v, r.Computation)) {
			got = append(got, c.says)
		}
	}
	want := []string{
		`for each id, there is no "relay" before "call"`,
		`for each id, there is no "serve" before "relay"`,
		`for each id, there is no "reply" before "serve"`,
		`for each id, after "call" comes "relay"`,
		`for each id, after "relay" comes "serve"`,
		`for each id, after "serve" comes "reply"`,
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("found\n%s", strings.Join(got, "\n"))
	}
}

// Values look like ids if there are three, with 20 events each at most, on average, and half of
// them pass.
func TestPasses(t *testing.T) {
	for _, test := range []struct {
		kinds, assigned, passing int
		want                     bool
	}{
		{3, 60, 2, true},
		{4, 80, 2, true},
		{2, 40, 2, false},
		{3, 61, 2, false},
		{3, 60, 1, false},
	} {
		v := variable{kinds: test.kinds, assigned: test.assigned, passing: test.passing}
		if got := v.passes(); got != test.want {
			t.Errorf("%+v: %t", test, got)
		}
	}
}

// A token that moves by messages is at a process, or under way: that sum never changes.
func TestEquationOfMessages(t *testing.T) {
	var text strings.Builder
	fmt.Fprintln(&text, `{"process":"a","init":{"has":true}}`+"\n"+`{"process":"b","init":{"has":false}}`)
	for n := range 4 {
		from, to := "ab"[n%2:n%2+1], "ba"[n%2:n%2+1]
		fmt.Fprintf(&text, `{"process":%q,"set":{"has":false},"send":"m%d"}`+"\n", from, n)
		fmt.Fprintf(&text, `{"process":%q,"set":{"has":true},"recv":"m%d"}`+"\n", to, n)
	}
	res := infers(t, []Run{readRun(t, "token", text.String())}, nil)
	at := slices.IndexFunc(res.Held, func(f *Finding) bool { return f.Template == "equation" })
	if at < 0 || !strings.Contains(res.Held[at].Text, "transit") {
		t.Errorf("found\n%s", res)
	}
}

// An equation has two to four terms, and its constant is positive where that can be.
func TestEquations(t *testing.T) {
	initial := []int64{1, 2, 3, 4, 5}
	var all []quantity
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		all = append(all, quantity{text: name, says: name})
	}
	for _, test := range []struct {
		factors []int64
		want    string // "" for none
	}{
		{[]int64{1, 0, 0, 0, 0}, ""},
		{[]int64{1, 1, 0, 0, 0}, "AG(a + b == 3)"},
		{[]int64{1, -1, 0, 0, 0}, "AG(b == a + 1)"},
		{[]int64{-1, 1, 0, 0, 0}, "AG(b == a + 1)"},
		{[]int64{2, -1, 0, 0, 0}, "AG(2 * a == b)"},
		{[]int64{1, 1, 1, -3, 0}, "AG(3 * d == a + b + c + 6)"},
		{[]int64{1, 1, 1, 1, 1}, ""},
	} {
		got := ""
		if c := equation(all, test.factors, dot(test.factors, initial)); c != nil {
			got = c.formula
		}
		if got != test.want {
			t.Errorf("%v: %q, not %q", test.factors, got, test.want)
		}
	}
}

// A variable that nine of ten events assign, from the first, says of what kind they are.
func TestFields(t *testing.T) {
	for n, want := range map[int]bool{8: false, 9: true, 10: true} {
		var text strings.Builder
		for e := range 10 {
			set := ""
			if e < n {
				set = fmt.Sprintf(`,"set":{"op":"o%d"}`, e%3)
			}
			fmt.Fprintf(&text, `{"process":"p"%s}`+"\n", set)
		}
		if all := variablesOf([]Run{readRun(t, "fields", text.String())}); all[0].field != want {
			t.Errorf("%d of 10 events: %t", n, all[0].field)
		}
	}
}

// A variable that is assigned together with an id half of the time is about events, not a state.
func TestFieldsBesideIds(t *testing.T) {
	for others, want := range map[int]bool{5: true, 6: true, 7: false} {
		var text strings.Builder
		for _, process := range []string{"p", "q"} {
			for n := range 3 {
				fmt.Fprintf(&text, `{"process":%q,"set":{"id":"r%d","note":"%[1]s"}}`+"\n", process, n)
			}
		}
		for n := range 20 {
			set := ""
			if n < others {
				set = fmt.Sprintf(`,"set":{"note":"n%d"}`, n%3)
			}
			fmt.Fprintf(&text, `{"process":"p"%s}`+"\n", set)
		}
		all := variablesOf([]Run{readRun(t, "fields", text.String())})
		note := all[slices.IndexFunc(all, func(v *variable) bool { return v.name == "note" })]
		if note.field != want {
			t.Errorf("%d others: %t", others, note.field)
		}
	}
}

// A time from one event to the next of another sort says something of ids, where each event of the
// second sort comes after one of the first: not of whole runs, nor of what may come before.
func TestTimesOfAnswers(t *testing.T) {
	text := func(id string, early bool) string {
		var text strings.Builder
		for n := range 6 {
			ops := []string{"ask", "answer"}
			if early && n == 0 {
				ops = []string{"answer", "ask", "answer"}
			}
			for k, op := range ops {
				id := strings.ReplaceAll(id, "N", fmt.Sprint(n))
				fmt.Fprintf(&text, `{"process":"p%d","time":%d,"set":{"op":%q%s},"send":"%[2]d"}`+"\n", k, 10*n+k, op, id)
				fmt.Fprintf(&text, `{"process":"p%d","recv":"%d"}`+"\n", k+1, 10*n+k)
			}
		}
		return text.String()
	}
	for _, test := range []struct {
		id    string
		early bool
		want  int
	}{
		{`,"id":"rN"`, false, 1},
		{`,"id":"rN"`, true, 0},
		{"", false, 0},
	} {
		if found := formulas(t, text(test.id, test.early), "in-time"); len(found) != test.want {
			t.Errorf("%+v: %q", test, found)
		}
	}
}

// Templates of users are definitions, whatever their names; a mistake in one, or too many parameters,
// is an error. The first parameter is no state that all begin with, the second any other condition.
func TestTemplatesOfUsers(t *testing.T) {
	good := []Run{lockRun(t, 1, true, false)}
	for text, want := range map[string]string{
		"define ends(p) = AG(p -> AF(!p))": `forall i in "c*": AG(holding@i == "k0" -> AF !(holding@i == "k0"))`,
		// Nothing is known to follow from a template of the user, or it from others.
		"define mutex(p) = AG(p -> AF(!p))":      `forall i in "c*": AG(holding@i == "k1" -> AF !(holding@i == "k1"))`,
		"define Ep(p) = AG(p -> AF(!p))":         `forall i in "c*": AG(holding@i == "k1" -> AF !(holding@i == "k1"))`,
		"define keeps(p, q) = AG(p -> A[p W q])": `forall i in "c*": AG(holding@i == "k0" -> A[holding@i == "k0" W holding@i == ""])`,
	} {
		templates, err := ParseTemplates(text + "\n")
		if err != nil {
			t.Fatal(err)
		}
		res := Infer(t.Context(), good, nil, Options{Lines: 50, Templates: templates})
		if _, line := placeOf(t, res.Held, want); line != want {
			t.Errorf("%s: found\n%s", text, res)
		}
	}
	for text, want := range map[string]string{
		"define ends(p) = AG(p -> )":                  "1:",
		"\n  define three(p, q, r) = AG(p || q || r)": "2:10: template three has 3 parameters",
	} {
		if _, err := ParseTemplates(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// Without good runs, as where all traces are larger than a bound, there is nothing to find.
func TestNoGoodRun(t *testing.T) {
	for _, bad := range [][]Run{nil, {lockRun(t, 1, true, true)}} {
		res := Infer(t.Context(), nil, bad, Options{})
		if len(res.Breaks)+len(res.Luck)+len(res.Held) > 0 || !strings.Contains(res.String(), "no good run") {
			t.Errorf("found\n%s", res)
		}
	}
}

// What relations say of sorts is what their definition says, event by event, in all orders and in
// the recorded one.
func TestRelations(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 36))
	for i := range graphtest.Rounds(t, 400) {
		r := eventRun(t, random)
		v := vocabularyOf([]Run{r})
		all := surveyed(t, v, r.Computation)
		recorded, err := all.inOrder(t.Context(), r.Computation.Recorded())
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []*facts{all, recorded} {
			c := r.Computation
			if f == recorded {
				c = recordedOrder(c)
			}
			happened := graphtest.HappenedBefore(c)
			for k, s := range f.relations {
				for a := range v.sorts {
					for b := range v.sorts {
						if s.asked[a] == 0 {
							continue
						}
						want, longest := relatedByForce(r.Computation, happened, v, v.keys[k], a, b)
						got := [2]bool{s.before(a, b), s.beside(a, b)}
						if got != want {
							t.Fatalf("case %d: %s, %s: %t, not %t", i, v.sorts[a].text(), v.sorts[b].text(), got, want)
						}
						slow, ok := f.slowest(k, a, b)
						if ok != (longest >= 0) || ok && slow != longest {
							t.Fatalf("case %d: from %s to %s: %d, %t, not %d", i, v.sorts[a].text(), v.sorts[b].text(), slow, ok, longest)
						}
					}
				}
			}
		}
	}
}

// relatedByForce looks at all pairs of events with the same value of a key: whether each a has a b
// in its past, or is one; a b with the same value; and the longest time from an a to the next b,
// -1 where there is none.
func relatedByForce(c *graphs.Computation, before graphtest.Relation, v *vocabulary, key *variable, a, b int) (is [2]bool, longest int64) {
	of := func(k sort) (all []graphs.Event) {
		for p := range c.NumProcesses() {
			for n := range c.Len(p) {
				e := c.Event(p, n+1)
				if assigned(c, k.fields[0], e) == k.values[0] && (key == nil || assigned(c, key, e).Kind != graphs.NoKind) {
					all = append(all, e)
				}
			}
		}
		return all
	}
	as, bs := of(v.sorts[a]), of(v.sorts[b])
	// some reports whether an event of the episode of x is such.
	some := func(x graphs.Event, all []graphs.Event, such func(y graphs.Event) bool) bool {
		return slices.ContainsFunc(all, func(y graphs.Event) bool {
			same := key == nil || assigned(c, key, x) == assigned(c, key, y)
			return same && such(y)
		})
	}
	is = [2]bool{true, true}
	at := func(e graphs.Event) int64 {
		n, _, _ := c.Instant(e, time.Second)
		return n
	}
	unanswered := false
	for _, x := range as {
		is[0] = is[0] && some(x, bs, func(y graphs.Event) bool { return x == y || before[y][x] })
		is[1] = is[1] && some(x, bs, func(graphs.Event) bool { return true })
		next := int64(-1)
		some(x, bs, func(y graphs.Event) bool {
			if d := at(y) - at(x); d >= 0 && (next < 0 || d < next) {
				next = d
			}
			return false
		})
		longest = max(longest, next)
		unanswered = unanswered || next < 0
	}
	if unanswered {
		return is, -1
	}
	return is, longest
}
