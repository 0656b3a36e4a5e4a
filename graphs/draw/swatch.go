package draw

const (
	legendLeading = 22.0
	swatchWidth   = 40.0
)

// A legendRow is a row of the legend with its width in pixels.
type legendRow struct {
	entries []Entry
	width   float64
}

// entryWidth returns the width of an entry with the gap behind it.
func entryWidth(e Entry) float64 { return swatchWidth + textWidth(e.Text, idSize) + 24 }

// legendRows breaks the legend into rows of a width.
func (d *diagram) legendRows(width float64) []legendRow {
	var rows []legendRow
	for _, e := range d.legend() {
		w := entryWidth(e)
		// An entry that is wider than the picture has a row for itself.
		if n := len(rows); n == 0 || rows[n-1].width+w > width {
			rows = append(rows, legendRow{width: 2 * margin})
		}
		row := &rows[len(rows)-1]
		row.entries = append(row.entries, e)
		row.width += w
	}
	return rows
}

// drawEntry writes a sample of the mark and its meaning, 16 pixels high.
func (d *diagram) drawEntry(out *pen, e Entry) {
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
