package present

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/report"
)

// Sweeps over many executions are summed up by the verdict that each has at its least bound, and by
// how long it keeps that. Bounds of one program tend to be of one size, so executions that hold
// make one group, with the least bound up to which all of it hold, and those that flip much earlier
// are named.
//
// For example, of executions that hold up to 1ms, 7ms, 8ms and 9ms, one flips at 1ms, and three
// hold up to 7ms.

// A sweepSummary is the line of JSON about a property on many executions.
type sweepSummary struct {
	Name    string       `json:"name,omitempty"`
	Formula string       `json:"formula"`
	Sweeps  int          `json:"sweeps"`
	Errors  int          `json:"errors,omitempty"`
	Groups  []sweepGroup `json:"groups"`
}

// A sweepGroup are executions that have one verdict at least up to a bound.
type sweepGroup struct {
	Verdict string   `json:"verdict"`
	To      *int64   `json:"to_ns,omitempty"` // inclusive; nil at all bounds
	Early   bool     `json:"early,omitempty"` // they hold up to a bound far below that of others
	Count   int      `json:"count"`
	Traces  []string `json:"traces"` // the first
}

// swept are the sweeps of one property.
type swept struct {
	of     report.Subject
	errors int
	all    []sweptTrace
	listed int
}

// A sweptTrace is an execution, with the verdict at its least bound.
type sweptTrace struct {
	name  string
	first Stretch
}

// addSweep adds the sweep of a record to those of its property.
func addSweep(to []swept, r *Record) []swept {
	for len(to) <= r.Index {
		to = append(to, swept{})
	}
	of := &to[r.Index]
	of.of = r.Subject
	if r.Err != nil {
		of.errors++
		return to
	}
	of.all = append(of.all, sweptTrace{r.Subject.Trace, r.Sweep.Sweep[0]})
	return to
}

// Of executions that hold up to some bound, at most so many are named as early ones, and only if
// the others hold up to one that is so many times greater.
const (
	maxEarly   = 3
	earlyRatio = 2
)

// groups returns groups of executions, those that need attention first.
func (s *swept) groups() []sweepGroup {
	var groups []sweepGroup
	add := func(of []sweptTrace, early bool) {
		if len(of) == 0 {
			return
		}
		g := sweepGroup{
			Verdict: of[0].first.Verdict,
			To:      of[0].first.To,
			Early:   early,
			Count:   len(of),
		}
		for _, t := range of[:min(len(of), maxListed)] {
			g.Traces = append(g.Traces, t.name)
		}
		groups = append(groups, g)
	}

	for _, v := range []rctl.Verdict{rctl.Fails, rctl.Unknown, rctl.Holds} {
		always, some := s.with(v.String())
		// What holds at all bounds needs no attention and comes last.
		if v != rctl.Holds {
			add(always, false)
			add(some, false)
			continue
		}
		for n := early(some); n > 0; n = early(some) {
			add(some[:n], true)
			some = some[n:]
		}
		add(some, false)
		add(always, false)
	}
	return groups
}

// with returns the executions that have a verdict at their least bounds: those that have it at all
// bounds, and the others by how long they keep it.
func (s *swept) with(verdict string) (always, some []sweptTrace) {
	for _, t := range s.all {
		switch {
		case t.first.Verdict != verdict:
		case t.first.To == nil:
			always = append(always, t)
		default:
			some = append(some, t)
		}
	}
	slices.SortStableFunc(some, func(a, b sweptTrace) int {
		return cmp.Compare(*a.first.To, *b.first.To)
	})
	return always, some
}

// early returns how many of some executions, by bound, flip at one bound that is far below that of
// all others; 0 if there are none, or too many for that to be a surprise.
func early(some []sweptTrace) int {
	if len(some) == 0 {
		return 0
	}
	first := *some[0].first.To
	n := 1
	for n < len(some) && *some[n].first.To == first {
		n++
	}
	if n > maxEarly || n > len(some)/2 || *some[n].first.To/earlyRatio <= first {
		return 0
	}
	return n
}

// summary returns the line of JSON.
func (s *swept) summary() sweepSummary {
	return sweepSummary{
		Name:    s.of.Name,
		Formula: s.of.Formula,
		Sweeps:  len(s.all),
		Errors:  s.errors,
		Groups:  s.groups(),
	}
}

// listSweep counts the sweep of a record, and prints it where it does not hold at all bounds and
// the list has room.
func (t *textReport) listSweep(r *Record) {
	t.sweeps = addSweep(t.sweeps, r)
	of := &t.sweeps[r.Index]
	if r.Err != nil || r.Sweep.word() == rctl.Holds.String() && !t.options.All {
		return
	}
	if of.listed++; of.listed <= maxListed || t.options.All {
		printSweep(t.out, r)
	}
}

// closeSweeps prints a line for each property.
func (t *textReport) closeSweeps() {
	for i := range t.sweeps {
		of := &t.sweeps[i]
		var parts []string
		for _, g := range of.groups() {
			parts = append(parts, t.sweepPart(&g))
		}
		if of.errors > 0 {
			parts = append(parts, graphs.Plural(of.errors, "error"))
		}
		t.sum(i, parts, of.listed)
	}
}

// verbs are the words about one execution, and about several.
var verbs = map[string][2]string{
	"holds":   {"holds", "hold"},
	"fails":   {"fails", "fail"},
	"unknown": {"is unknown", "are unknown"},
	"flips":   {"flips", "flip"},
	"error":   {"error", "errors"},
}

// verb returns the word about n executions.
func verb(word string, n int) string { return verbs[word][min(n, 2)-1] }

// sweepPart says how many executions a group has, and names those that need attention.
func (t *textReport) sweepPart(g *sweepGroup) string {
	word, until := g.Verdict, "however"
	switch {
	case g.Early:
		word, until = "flips", strings.Replace(from(*g.To+1), "from", "at", 1)
	case g.To != nil:
		until = strings.Replace("up to "+Within(*g.To), "up to less than", "below", 1)
	}
	text := t.out.Paint(fmt.Sprintf("%d %s %s", g.Count, verb(word, g.Count), until), shades[word])
	if g.Verdict == rctl.Holds.String() && !g.Early {
		return text
	}
	more := ""
	if g.Count > len(g.Traces) {
		more = ", …"
	}
	return text + ": " + graphs.Printable(strings.Join(g.Traces, ", ")) + more
}
