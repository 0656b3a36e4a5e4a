package present

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
)

// Sweeps over many executions are summed up by the verdict that each has at its least bound, and by
// how long it keeps that. Bounds of one program tend to be of one size, so executions that hold
// make one group, with the least bound up to which all of it hold, and those that flip much earlier
// are named.
//
// For example, of executions that hold up to 1ms, 7ms, 8ms and 9ms, one flips at 1ms, and three
// hold up to 7ms.

// A sweepGroup are executions that have one verdict at least up to a bound.
type sweepGroup struct {
	verdict string
	to      *int64 // inclusive; nil at all bounds
	early   bool   // they hold up to a bound far below that of others
	names   []string
}

// swept are the sweeps of one property.
type swept struct {
	errors int
	all    []sweptTrace
	listed int
}

// A sweptTrace is an execution, with the verdict at its least bound.
type sweptTrace struct {
	name  string
	first Stretch
}

// bound is how long the verdict stays the same. What holds at all bounds needs no attention and
// comes last, and any other verdict at all bounds comes first.
func (t *sweptTrace) bound() int64 {
	switch {
	case t.first.To != nil:
		return *t.first.To
	case t.first.Verdict == rctl.Holds.String():
		return math.MaxInt64
	}
	return math.MinInt64
}

// Of executions that hold up to some bound, at most so many are named as early ones, and only if
// the others hold up to one that is so many times greater.
const (
	maxEarly   = 3
	earlyRatio = 2
)

// groups returns groups of executions, those that need attention first.
func (s *swept) groups() []sweepGroup {
	order := []string{rctl.Fails.String(), rctl.Unknown.String(), rctl.Holds.String()}
	slices.SortStableFunc(s.all, func(a, b sweptTrace) int {
		return cmp.Or(
			cmp.Compare(slices.Index(order, a.first.Verdict), slices.Index(order, b.first.Verdict)),
			cmp.Compare(a.bound(), b.bound()))
	})
	var groups []sweepGroup
	for rest := s.all; len(rest) > 0; {
		first := rest[0].first
		n := 1
		for n < len(rest) && rest[n].first.Verdict == first.Verdict && (rest[n].first.To == nil) == (first.To == nil) {
			n++
		}
		g := sweepGroup{verdict: first.Verdict, to: first.To}
		if early := early(rest[:n]); early > 0 && first.Verdict == rctl.Holds.String() {
			n = early
			g.early = true
		}
		for _, t := range rest[:n] {
			g.names = append(g.names, t.name)
		}
		groups = append(groups, g)
		rest = rest[n:]
	}
	return groups
}

// early returns how many of some executions, by bound, flip at one bound that is far below that of
// all others; 0 if there are none, or too many for that to be a surprise.
func early(some []sweptTrace) int {
	first := some[0].bound()
	n := 1
	for n < len(some) && some[n].bound() == first {
		n++
	}
	if n > maxEarly || n > len(some)/2 || some[n].bound()/earlyRatio <= first {
		return 0
	}
	return n
}

// listSweep counts the sweep of a record, and prints it where it does not hold at all bounds and
// the list has room.
func (t *textReport) listSweep(r *Record) {
	for len(t.sweeps) <= r.Index {
		t.sweeps = append(t.sweeps, swept{})
	}
	of := &t.sweeps[r.Index]
	if r.Err != nil {
		of.errors++
		return
	}
	of.all = append(of.all, sweptTrace{r.Subject.Trace, r.Sweep.Sweep[0]})
	if r.Sweep.word() == rctl.Holds.String() && !t.options.All {
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
	word, until := g.verdict, "however"
	switch {
	case g.early:
		word, until = "flips", strings.Replace(from(*g.to+1), "from", "at", 1)
	case g.to != nil:
		until = strings.Replace("up to "+Within(*g.to), "up to less than", "below", 1)
	}
	n := len(g.names)
	text := t.out.Paint(fmt.Sprintf("%d %s %s", n, verb(word, n), until), shades[word])
	if g.verdict == rctl.Holds.String() && !g.early {
		return text
	}
	return text + ": " + listNames(g.names, nil)
}
