package draw

import (
	"fmt"
	"strings"

	"github.com/pota-project/pota/graphs"
)

// A Mark is a style of events, links or other parts of a picture. The legend explains it.
type Mark int

// The marks.
const (
	EventMark    Mark = iota // some cuts contain it, some do not
	ForcedMark               // every cut contains it
	ExcludedMark             // no cut contains it
	MessageMark
	TransitMark // a message that is never received; its link leads to ⊥
	CausalMark  // happened-before for another reason
	SyncMark    // two neighbours in a group of events that happen together
	GeneralMark // a general edge of the computation
	AddedMark   // an edge that the slice adds
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

// Legend explains the marks that the picture uses, and no others.
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
	// The legend follows the order of the marks, not that of the events.
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

// Caption returns the lines above the picture: the title, a remark if there is no consistent cut,
// and the initial values of shared variables.
func (s *Scene) Caption() []string {
	var lines []string
	if s.Title != "" {
		lines = append(lines, s.Title)
	}
	if s.NoCut {
		lines = append(lines, "There is no consistent cut.")
	}
	// Shared variables have no lane, so the caption has their values.
	if shared := s.Initial(graphs.Shared); shared != nil {
		lines = append(lines, "Shared, at first: "+strings.Join(shared, ", "))
	}
	return lines
}

const (
	legendLeading = 22.0
	swatchWidth   = 40.0
)

// A placedEntry is an entry of the legend with its place below the diagram.
type placedEntry struct {
	Entry
	x, y float64
}

// entryWidth returns the width of an entry and the gap after it.
func entryWidth(e Entry) float64 { return swatchWidth + textWidth(e.Text, idSize) + 24 }

// placeLegend breaks the legend into rows of a width. A wider entry has its own row.
func (d *diagram) placeLegend(width float64) []placedEntry {
	entries := d.s.Legend()
	if len(d.when) > 0 {
		entries = append(entries, Entry{WhenMark, "when it may have happened"})
	}
	var all []placedEntry
	x, y := margin, 0.0
	for _, e := range entries {
		w := entryWidth(e)
		if x > margin && x+w+margin > width {
			x = margin
			y += legendLeading
		}
		all = append(all, placedEntry{e, x, y})
		x += w
	}
	return all
}

// drawEntry writes a sample of the mark and its meaning, 16 pixels high.
func drawEntry(out *pen, e Entry) {
	arrow := straight(point{2, 8}, point{swatchWidth - 8, 8})
	x := swatchWidth
	switch e.Mark {
	case EventMark, ForcedMark, ExcludedMark:
		out.empty("circle", "class", classes[e.Mark], "cx", "24", "cy", "8", "r", "6")
	case MessageMark, CausalMark, GeneralMark, AddedMark, MissingMark, SyncMark, TransitMark:
		out.begin("g", "class", classes[e.Mark])
		drawArrow(out, e.Mark, arrow)
		out.end()
	case MetaMark:
		out.empty("rect", "class", "meta", "x", "2", "y", "0", "width", swatchWidth-10,
			"height", "16", "rx", "6")
	case BottomMark, TopMark:
		out.empty("rect", "class", "bar", "x", "22", "y", "0", "width", "4", "height", "16", "rx",
			"2")
	case WhenMark:
		out.empty("rect", "class", "when", "x", "2", "y", "3", "width", "28", "height", "10", "rx", "3")
	case CutMark:
		out.empty("rect", "class", "region", "x", "2", "y", "0", "width", "28", "height", "16")
		out.empty("path", "class", "frontier", "d", "M30 0L30 16")
		out.empty("circle", "class", "inside", "cx", "16", "cy", "8", "r", "6")
	case RunMark:
		out.begin("g", "class", "body open")
		out.empty("circle", "cx", "22", "cy", "8", "r", "8")
		out.text("1", "text", "class", "place", "x", "22", "y", "11.5", "text-anchor", "middle")
		out.end()
	// Hidden events have no sample.
	case HiddenMark:
		x = 2
	}
	out.text(e.Text, "text", "x", x, "y", "12")
}
