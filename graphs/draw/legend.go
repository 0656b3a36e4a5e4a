package draw

import (
	"fmt"
	"strings"

	"github.com/pota-project/pota/graphs"
)

// A Mark is a style of events, of links or of other parts of a picture, which the legend explains.
type Mark int

// The marks.
const (
	EventMark    Mark = iota // some cuts contain it, some do not
	ForcedMark               // every cut contains it
	ExcludedMark             // no cut contains it
	MessageMark
	TransitMark // a message that is never received; its link leads to ⊥
	CausalMark  // happened-before that is known some other way
	SyncMark    // two neighbours of a group of events that happen together
	GeneralMark // a general edge of the computation
	AddedMark   // an edge that makes the slice
	MissingMark // an order that the trace lacks
	MetaMark
	BottomMark
	TopMark
	CutMark
	RunMark
	HiddenMark
)

// An Entry explains a mark.
type Entry struct {
	Mark Mark
	Text string
}

var meanings = [...]string{
	EventMark:    "event",
	ForcedMark:   "event that every cut has",
	ExcludedMark: "event that no cut has",
	MessageMark:  "message",
	TransitMark:  "message never received",
	CausalMark:   "other causality",
	SyncMark:     "happen together",
	GeneralMark:  "edge u → v: no v without u",
	AddedMark:    "u → v added by the slice: no v without u",
	MissingMark:  "order that was missing",
	MetaMark:     "meta-event: all of it or nothing",
	BottomMark:   "⊥ is in every cut",
	TopMark:      "⊤ is in none",
	CutMark:      "in the cut",
	RunMark:      "place in the run",
}

// Legend explains the marks that are in the picture, and no others.
func (s *Scene) Legend() []Entry {
	used := make([]bool, HiddenMark+1)
	for _, e := range s.Events {
		used[s.Status(e)] = true
		used[CutMark] = used[CutMark] || s.Inside(e)
		used[RunMark] = used[RunMark] || s.Place(e) != ""
	}
	for _, l := range s.Links {
		used[l.Kind] = true
	}
	used[MetaMark] = len(s.Meta) > 0
	used[BottomMark] = s.Uses(graphs.Bottom)
	used[TopMark] = s.Uses(s.Of.Top())
	var list []Entry
	// In the order of the marks, whatever the order of events.
	for m, text := range meanings {
		if Mark(m) == RunMark && len(s.Further) > 0 {
			text += "; with a letter, in a further run"
		}
		if used[m] {
			list = append(list, Entry{Mark(m), text})
		}
	}
	if before, after := s.Hidden(); before+after > 0 {
		list = append(list, Entry{HiddenMark,
			fmt.Sprintf("%d earlier and %d later events are not drawn", before, after)})
	}
	return list
}

// Caption returns the lines above the picture: the title, the initial values of
// shared variables, and that there is no cut.
func (s *Scene) Caption() []string {
	var lines []string
	if s.Title != "" {
		lines = append(lines, s.Title)
	}
	if s.NoCut {
		lines = append(lines, "There is no consistent cut.")
	}
	// Shared variables have no lane to be written beside.
	if shared := s.Initial(graphs.Shared); shared != nil {
		lines = append(lines, "Shared, at first: "+strings.Join(shared, ", "))
	}
	return lines
}
