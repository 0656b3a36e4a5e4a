package infer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
)

// requests returns a run of three requests by way of a proxy. Each event has a field of its own
// process beside the id, which is no id: it does not pass.
func requests(t *testing.T) Run {
	var text strings.Builder
	for n := range 3 {
		event := func(process, op, message string) {
			fmt.Fprintf(&text, `{"process":%q,"set":{"op":%q,"id":"r%d","at":"%s%d"},%s}`+"\n", process, op, n, process, n, message)
		}
		event("client", "call", fmt.Sprintf(`"send":"a%d"`, n))
		event("proxy", "relay", fmt.Sprintf(`"recv":"a%d","send":"b%[1]d"`, n))
		event("server", "serve", fmt.Sprintf(`"recv":"b%d","send":"c%[1]d"`, n))
		event("client", "reply", fmt.Sprintf(`"recv":"c%d"`, n))
	}
	return readRun(t, "requests", text.String())
}

// An id passes from one process to another. Of an order of events, each is related to its
// neighbours: the rest follows. All that a call brings about comes after it.
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
		`for each id, after "call" comes "serve"`,
		`for each id, after "call" comes "reply"`,
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("found\n%s", strings.Join(got, "\n"))
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

// Templates of users are definitions; a mistake in one, or too many parameters, is an error.
func TestTemplatesOfUsers(t *testing.T) {
	templates, err := ParseTemplates("define ends(p) = AG(p -> AF(!p))\n")
	if err != nil {
		t.Fatal(err)
	}
	good := []Run{lockRun(t, 1, true, false)}
	res := Infer(t.Context(), good, nil, Options{Lines: 50, Templates: templates})
	if !slices.ContainsFunc(res.Held, func(f *Finding) bool { return f.Template == "ends" }) {
		t.Errorf("found\n%s", res)
	}
	for _, text := range []string{"define ends(p) = AG(p -> )", "define four(p, q, r, s) = AG(p || q || r || s)"} {
		if _, err := ParseTemplates(text); err == nil {
			t.Errorf("%s is read", text)
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

// What a story says of sorts is what its definition says, event by event.
func TestStories(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 36))
	for i := range graphtest.Rounds(t, 400) {
		r := eventRun(t, random)
		v := vocabularyOf([]Run{r})
		f := surveyed(t, v, r.Computation)
		happened := graphtest.HappenedBefore(r.Computation)
		for k, s := range f.stories {
			key := v.keys[k]
			for a := range v.sorts {
				for b := range v.sorts {
					want := storyByForce(r.Computation, happened, s.episodes, a, b)
					got := [5]bool{s.before[b].has(a), s.after[a].has(b), s.own[b].has(a), s.first[b].has(a), s.gap[a].has(b)}
					if key != nil && !key.id {
						got[0] = want[0]
					}
					if got != want {
						t.Fatalf("case %d: %s, %s: %t, not %t", i, v.sorts[a].text(), v.sorts[b].text(), got, want)
					}
					if got, _ := s.slowest(a, b); got != slowestByForce(s.episodes, a, b) {
						t.Fatalf("case %d: from %s to %s: %d", i, v.sorts[a].text(), v.sorts[b].text(), got)
					}
				}
			}
		}
	}
}

// storyByForce returns (1), (2), (3), (5) and (6) of two sorts.
func storyByForce(c *graphs.Computation, before graphtest.Relation, episodes []*episode, a, b int) [5]bool {
	is := [5]bool{true, true, true, true, true}
	for _, one := range episodes {
		// some reports whether an event of a sort is such.
		some := func(sort int, such func(e graphs.Event) bool) bool {
			for i, e := range one.events {
				if one.sorts[i].has(sort) && such(e) {
					return true
				}
			}
			return false
		}
		always := func(graphs.Event) bool { return true }
		is[1] = is[1] && (!some(a, always) || some(b, always))
		for i, y := range one.events {
			// earlier reports whether x stands before y on its process.
			earlier := func(x, y graphs.Event) bool { return c.Process(x) == c.Process(y) && c.Position(x) < c.Position(y) }
			if one.sorts[i].has(b) {
				is[0] = is[0] && some(a, func(x graphs.Event) bool { return x == y || before[x][y] })
				is[2] = is[2] && one.sorts[i].has(a)
				isFirst := !some(b, func(x graphs.Event) bool { return earlier(x, y) })
				is[3] = is[3] && (!isFirst || some(a, func(x graphs.Event) bool { return earlier(x, y) }))
			}
			if one.sorts[i].has(a) {
				// Each earlier a has a b between itself and this one.
				is[4] = is[4] && !some(a, func(x graphs.Event) bool {
					return earlier(x, y) && !some(b, func(z graphs.Event) bool { return earlier(x, z) && earlier(z, y) })
				})
			}
		}
	}
	return is
}

// slowestByForce looks at all pairs of events, 0 where one has no answer.
func slowestByForce(episodes []*episode, a, b int) (longest int64) {
	for _, one := range episodes {
		for i, from := range one.times {
			if !one.sorts[i].has(a) {
				continue
			}
			next := int64(-1)
			for j, to := range one.times {
				if one.sorts[j].has(b) && to >= from && (next < 0 || to-from < next) {
					next = to - from
				}
			}
			if next < 0 {
				return 0
			}
			longest = max(longest, next)
		}
	}
	return longest
}
