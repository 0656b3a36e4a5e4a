package present

import (
	"fmt"
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
	Least int64         `json:"least_bound_ns"` // that the trace allows
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

// Status returns the status of the verdict without a bound: no clock is trusted there. It is
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

// word sums a sweep up in the word of its heading.
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

	// One reason for all bounds is printed once.
	if len(s.Sweep) == 1 && first.Reason != "" {
		line("at no bound from %s, the least that the trace allows: %s", short(s.Least), first.Reason)
		return
	}
	if len(s.Sweep) == 1 {
		line("%s however well clocks agree (bounds from %s, the least that the trace allows)", first, short(s.Least))
	}
	for i, st := range s.Sweep[:len(s.Sweep)-1] {
		text := fmt.Sprintf("%s when clocks agree within %s (bounds %s)", st, Within(*st.To), from(st.From))
		// The last stretch has no end, and stands in the line of the one before it.
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

// Within writes the greatest of some bounds, in nanoseconds, as people write it and exactly: for
// 6.999999ms it is "less than 7ms".
func Within(bound int64) string {
	text, next := report.Duration(time.Duration(bound)), report.Duration(time.Duration(bound+1))
	if len(next) < len(text) {
		return "less than " + next
	}
	return text
}

// from writes the least of some bounds likewise: for 7.000001ms it is "beyond 7ms".
func from(bound int64) string {
	text, before := report.Duration(time.Duration(bound)), report.Duration(time.Duration(bound-1))
	if len(before) < len(text) {
		return "beyond " + before
	}
	return "from " + text
}

// listSweep counts the sweep of a record, and prints it where it does not hold at all bounds and
// the list has room.
func (t *textReport) listSweep(r *Record) {
	of := t.tally(r.Index)
	if r.Err != nil {
		of.count("error", r.Subject.Trace)
		return
	}
	word := r.Sweep.word()
	of.count(word, r.Subject.Trace)
	if word == rctl.Holds.String() && !t.options.All {
		return
	}
	if of.listed++; of.listed <= maxListed || t.options.All {
		printSweep(t.out, r)
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
