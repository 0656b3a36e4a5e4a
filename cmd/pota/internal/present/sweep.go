package present

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/report"
)

// A Sweep has the verdicts on a formula at all bounds of clock skew.
type Sweep struct {
	report.Subject
	Sweep []Stretch     `json:"sweep"`
	Least int64         `json:"least_bound_ns"` // the least bound that the trace allows
	Exact bool          `json:"exact"`          // no flip was missed
	Tried int           `json:"bounds_tried"`
	Notes []report.Note `json:"notes,omitempty"`
}

// A Stretch is a range of bounds with one verdict.
type Stretch struct {
	From    int64  `json:"from_ns"`
	To      *int64 `json:"to_ns,omitempty"` // inclusive; nil if there is no bound
	Verdict string `json:"verdict"`
	Reason  string `json:"reason,omitempty"`
}

// String returns the verdict, with the reason if it is unknown.
func (s Stretch) String() string {
	if s.Reason != "" {
		return s.Verdict + " (" + s.Reason + ")"
	}
	return s.Verdict
}

// Status returns the status of the verdict without a bound, where no clock is trusted. It is
// Undecided if the verdict at some bound is unknown, since the sweep is then incomplete.
func (s *Sweep) Status() exit.Status {
	unknown := func(st Stretch) bool { return st.Verdict == rctl.Unknown.String() }
	switch {
	case len(s.Sweep) == 0:
		return exit.AllHold // there was an error, which has a status
	case slices.ContainsFunc(s.Sweep, unknown):
		return exit.Undecided
	case s.Sweep[len(s.Sweep)-1].Verdict == rctl.Fails.String():
		return exit.SomeFails
	}
	return exit.AllHold
}

// word returns the word for the heading of a sweep.
func (s *Sweep) word() string {
	known := make(map[string]bool)
	for _, st := range s.Sweep {
		known[st.Verdict] = true
	}
	// An unknown stretch says nothing about a flip.
	delete(known, rctl.Unknown.String())
	switch {
	case len(known) == 2:
		return "flips"
	case len(s.Sweep) == 1:
		return s.Sweep[0].Verdict
	}
	return rctl.Unknown.String()
}

// printSweep prints a sweep for people.
func printSweep(out *console.Console, r *Record) {
	s := r.Sweep
	Heading(out, s.word(), About(out, s.Subject)...)
	line := func(format string, args ...any) { Detail(out, fmt.Sprintf(format, args...)) }
	short := func(ns int64) string { return report.Duration(time.Duration(ns)) }
	first, last := s.Sweep[0], s.Sweep[len(s.Sweep)-1]

	// Print a reason that applies to all bounds once.
	if len(s.Sweep) == 1 && first.Reason != "" {
		line("at no bound from %s, the least that the trace allows: %s", short(s.Least), first.Reason)
		return
	}
	if len(s.Sweep) == 1 {
		line("%s however well clocks agree (bounds from %s, the least that the trace allows)", first, short(s.Least))
	}
	for i, st := range s.Sweep[:len(s.Sweep)-1] {
		text := fmt.Sprintf("%s when clocks agree within %s (bounds %s)", st, Within(*st.To), from(st.From))
		// The last stretch has no end, and is on the line of the previous one.
		if i == len(s.Sweep)-2 {
			text += fmt.Sprintf(", %s %s", last, from(last.From))
			if !strings.HasPrefix(from(last.From), "beyond") {
				text += " on"
			}
		}
		Detail(out, text)
	}
	if !s.Exact {
		line("%s tried; the verdict may flip and flip back between two of them", graphs.Plural(s.Tried, "bound"))
	}
	for _, n := range s.Notes {
		Detail(out, n.String())
	}
}

// Within formats the greatest of some bounds, in nanoseconds, in a readable and exact form: for
// 6.999999ms it is "less than 7ms".
func Within(bound int64) string {
	text, next := report.Duration(time.Duration(bound)), report.Duration(time.Duration(bound+1))
	if len(next) < len(text) {
		return "less than " + next
	}
	return text
}

// from formats the least of some bounds in the same way: for 7.000001ms it is "beyond 7ms".
func from(bound int64) string {
	text, before := report.Duration(time.Duration(bound)), report.Duration(time.Duration(bound-1))
	if len(before) < len(text) {
		return "beyond " + before
	}
	return "from " + text
}

// Sweeps over many executions are summed up by the verdict of each at its least bound, and by the
// bound up to which it keeps that verdict. Bounds of one program tend to have the same magnitude,
// so executions that hold form one group, with the least bound up to which all of them hold.
// Executions that flip much earlier are named.
//
// For example, of executions that hold up to 1ms, 7ms, 8ms and 9ms, one flips at 1ms, and three
// hold up to 7ms.

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

// bound returns the greatest bound with the first verdict. An execution that holds at all bounds
// needs no attention and comes last, and one with any other verdict at all bounds comes first.
func (t *sweptTrace) bound() int64 {
	switch {
	case t.first.To != nil:
		return *t.first.To
	case t.first.Verdict == rctl.Holds.String():
		return math.MaxInt64
	}
	return math.MinInt64
}

// At most maxEarly executions are named as early ones, and only if the others hold up to a bound
// that is at least earlyRatio times greater.
const (
	maxEarly   = 3
	earlyRatio = 2
)

// parts states how many executions have which verdict at least up to a bound. Executions that need
// attention come first.
func (s *swept) parts(out *console.Console) (parts []string) {
	order := []string{rctl.Fails.String(), rctl.Unknown.String(), rctl.Holds.String()}
	slices.SortStableFunc(s.all, func(a, b sweptTrace) int {
		return cmp.Or(
			cmp.Compare(slices.Index(order, a.first.Verdict), slices.Index(order, b.first.Verdict)),
			cmp.Compare(a.bound(), b.bound()))
	})
	for rest := s.all; len(rest) > 0; {
		first := rest[0].first
		other := func(t sweptTrace) bool {
			return t.first.Verdict != first.Verdict || (t.first.To == nil) != (first.To == nil)
		}
		n := slices.IndexFunc(rest, other)
		if n < 0 {
			n = len(rest)
		}
		holds := first.Verdict == rctl.Holds.String()
		word, until := first.Verdict, "however"
		if early := early(rest[:n]); early > 0 && holds {
			n, holds = early, false
			word, until = "flips", strings.Replace(from(*first.To+1), "from", "at", 1)
		} else if first.To != nil {
			until = strings.Replace("up to "+Within(*first.To), "up to less than", "below", 1)
		}
		text := out.Paint(fmt.Sprintf("%d %s %s", n, verb(word, n), until), shades[word])
		// Name the executions that need attention.
		if !holds {
			var names []string
			for _, t := range rest[:n] {
				names = append(names, t.name)
			}
			text += ": " + listNames(names, nil)
		}
		parts = append(parts, text)
		rest = rest[n:]
	}
	return parts
}

// early returns how many of some executions, sorted by bound, flip at one bound that is far below
// that of all others. It returns 0 if there are none, or too many to be exceptional.
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

// listSweep counts the sweep of a record, and prints it if it does not hold at all bounds and the
// list has room.
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

// verbs are the words for one execution, and for several.
var verbs = map[string][2]string{
	"holds":   {"holds", "hold"},
	"fails":   {"fails", "fail"},
	"unknown": {"is unknown", "are unknown"},
	"flips":   {"flips", "flip"},
	"error":   {"error", "errors"},
}

// verb returns the word for n executions.
func verb(word string, n int) string { return verbs[word][min(n, 2)-1] }
