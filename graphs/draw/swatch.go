package draw

const (
	legendLeading = 22.0
	swatchWidth   = 40.0
)

// A placedEntry is an entry of the legend with its place below the diagram.
type placedEntry struct {
	Entry
	x, y float64
}

// entryWidth returns the width of an entry with the gap behind it.
func entryWidth(e Entry) float64 { return swatchWidth + textWidth(e.Text, idSize) + 24 }

// placeLegend breaks the legend into rows of a width. An entry that is wider has a row for itself.
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
	// What is not drawn has no sample.
	case HiddenMark:
		x = 2
	}
	out.text(e.Text, "text", "x", x, "y", "12")
}
