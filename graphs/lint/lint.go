// Package lint finds legal but suspicious properties of a trace: as a rule they mean that a log
// does not record what the program did.
//
// # Definitions
//
//	lower-bound  the format records only a part of happened-before: not
//	             suspicious, but good to know
//	impossible   events that no consistent cut contains
//	lost         messages sent and never received
//	alone        processes that exchange nothing with others: their events are
//	             concurrent with all events of others
//	idle         processes without an event
//	namesake     processes whose names differ in case or punctuation only
//	sync         an event with a sync that no other event has
//	constant     variables that are assigned more than once, but never change
//	clock        wall-clock times that run backwards along happened-before, and the least bound
//	             on the skew of clocks that explains it, also along chains of events
//	drift        a clock that gained on another: no constant offset explains the messages
//	             between them
//	offset       how far apart messages allow two clocks to be, if their offset is constant: not
//	             suspicious, but good to know
//	as-happened  shared variables that several processes assign: their assignments are
//	             ordered as they happened, and no other order is considered; not
//	             suspicious, but good to know
//
// A finding is not an error, and a trace without findings is not necessarily right.
//
// Example: P sends m, Q receives nothing, and Q's clock says 12:00 at its first event and 11:59 at
// its second. The findings are lost (m), alone (P and Q exchange nothing), and clock (one minute
// back along Q).
//
// # Complexity
//
// One pass over the events for each kind, O(|V|+|edges|), and for offsets O(k³) for k clocks.
package lint

import (
	"cmp"
	"fmt"
	"time"

	"github.com/pota-project/pota/graphs"
)

// The kinds of findings that are only for information.
const (
	LowerBound = "lower-bound"
	AsHappened = "as-happened"
	Offset     = "offset"
)

// remedies advise what to do about findings, by kind.
var remedies = map[string]string{
	LowerBound:   "add what is missing by --order, or use clocks by --skew (pota help traces)",
	AsHappened:   "to have other orders considered, record each access as a message to and from a process that has the variable",
	"impossible": "look at the edges of the trace: they contradict each other",
	"lost":       "log the receive with the same id, if there was one",
	"alone":      "log messages, or add causality by --order (pota help traces)",
	"idle":       "see whether its log is in the trace",
	"namesake":   "if they are one process, give it one name in the log or the mapping",
	"sync":       "give the same sync to the events that happened together",
	"constant":   "see whether the log tells when it changes",
	"clock":      "do not trust the clocks further than --skew says",
	"drift":      "clocks are off by no constant: use --skew, and not --clock-offset (pota help time)",
}

// Remedy returns advice on findings of a kind, or "" if there is none.
func Remedy(kind string) string { return remedies[kind] }

// Information reports whether findings of a kind are for information, and not suspicious.
func Information(kind string) bool { return kind == LowerBound || kind == AsHappened || kind == Offset }

// A Finding is one suspicious property of a trace.
type Finding struct {
	Kind   string         // one of those in the package documentation
	Text   string         // a description in one line
	Like   string         // equal for findings that differ only in names and numbers
	Events []graphs.Event // a few events to inspect; nil if none is to blame
}

// Find returns the findings in c, in the order of the package documentation. unit is the unit of
// times that are numbers; 0 stands for a second.
//
// The time complexity of Find is O(|V|+|edges|+k³) for k clocks.
func Find(c *graphs.Computation, unit time.Duration) []Finding {
	s := &search{c: c, unit: cmp.Or(unit, time.Second)}
	// The calls are in the order of the package documentation, in which users see the findings.
	if why := c.LowerBound(); why != "" {
		s.report(LowerBound, nil, "causality is only a lower bound of the real one: %s", why)
	}
	s.impossible()
	s.lost()
	s.alone()
	s.namesakes()
	s.syncs()
	s.constants()
	s.clocks()
	s.asHappened()
	return s.found
}

// search is one run of Find.
type search struct {
	c     *graphs.Computation
	unit  time.Duration
	found []Finding
}

// report adds a finding.
func (s *search) report(kind string, events []graphs.Event, format string, args ...any) {
	s.found = append(s.found, Finding{
		Kind:   kind,
		Text:   fmt.Sprintf(format, args...),
		Like:   format,
		Events: events,
	})
}

// maxNames bounds the names that one finding lists.
const maxNames = 8

// list lists names, at most maxNames of them.
func list(names []string) string { return graphs.List(names, maxNames) }

// ids lists the ids of some events.
func (s *search) ids(events []graphs.Event) string {
	names := make([]string, len(events))
	for i, e := range events {
		names[i] = s.c.ID(e)
	}
	return list(names)
}

// few returns at most the first maxNames events of a list.
func few(events []graphs.Event) []graphs.Event { return events[:min(len(events), maxNames)] }
