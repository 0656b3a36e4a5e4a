package draw

import (
	"fmt"
	"math"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/layout"
)

// Distances in pixels. Texts are shortened to their limits, so that one long name does not push all
// events apart. The title of the element has the whole text, shown when the pointer hovers over it.
const (
	margin      = 20.0
	textGap     = 14.0 // the gap between texts of neighbours
	columnGap   = 48.0 // the least distance between columns
	laneGap     = 30.0 // the gap between the texts below a lane and those above the next
	noteLeading = 13.0
	nameLimit   = 150.0
	idLimit     = 110.0
	noteLimit   = 120.0
	labelLimit  = 90.0
	noteLines   = 4
	metaGap     = 7.0 // the gap around a meta-event
	barTop      = 14.0
)

// A diagram is a scene with places for all of its elements.
type diagram struct {
	s      *Scene
	l      *layout.Layout
	radius float64   // the radius of events
	x      []float64 // the place of each event
	labels []label   // the texts of each event
	lanes  []lane
	left   float64 // the place where lanes begin
	right  float64 // the place where lanes end
	height float64
	stubs  map[graphs.Event][]Link // the messages of each event that are never received
	axis   *axis                   // nil if events are placed by causality
	when   []box                   // for the time axis: boxes of events whose times are uncertain
	texts  boxes                   // the areas of texts, events and curves
	events boxes                   // the centres of events
}

// A lane is the line of a process, with the extent of its texts and arrows above and below.
type lane struct{ y, above, below float64 }

// A label has the texts of an event: its id above it, and its assignments and its own label below.
// They are empty if there is no room.
type label struct {
	head         string
	foot         []string
	above, below lean
}

// lean is the side of an event on which a text stands, away from arrows: -1 for the left, 1 for the
// right, and 0 for the middle.
type lean int

// aside is the distance of a leaning text from the middle of its event, in pixels.
const aside = 4.0

// beside returns the box of a text for an event at x.
func (l lean) beside(x, width, top, bottom float64) box {
	x += float64(l) * (width/2 + aside)
	return box{x - width/2, top, x + width/2, bottom}
}

// newDiagram finds places for everything in the scene except the names of messages. Its time
// complexity is that of the layout.
func newDiagram(s *Scene) *diagram {
	n := s.Of.Top() + 1
	d := &diagram{
		s:      s,
		l:      layout.New(s.window, s.Graph),
		radius: 6,
		x:      make([]float64, n),
		labels: make([]label, n),
		stubs:  make(map[graphs.Event][]Link),
		texts:  make(boxes),
		events: make(boxes),
	}
	// The numbers of a run are written inside the circles.
	if len(s.places) > 0 {
		d.radius = 9
	}
	for _, l := range s.Links {
		if l.Kind == TransitMark {
			d.stubs[l.From] = append(d.stubs[l.From], l)
		}
	}
	d.leanTexts()
	d.placeLanes()
	d.placeColumns()
	if s.Times != nil {
		d.placeTimes()
	}
	// Arrows avoid only events. Labels of arrows avoid texts as well.
	for _, e := range s.Events {
		x, y := d.at(e)
		d.events.add(box{x, y, x, y})
		for _, b := range d.room(e, x, y) {
			d.texts.add(b)
		}
	}
	return d
}

// at returns the middle of an event.
func (d *diagram) at(e graphs.Event) (x, y float64) { return d.x[e], d.lanes[d.s.Of.Process(e)].y }

// room returns the boxes of an event at a place, of the text above it and of the texts below it.
func (d *diagram) room(e graphs.Event, x, y float64) [3]box {
	t := &d.labels[e]
	top, bottom := y-d.radius, y+d.radius
	foot := bottom + 4 + noteLeading*float64(len(t.foot))
	return [3]box{
		{x - d.radius, top, x + d.radius, bottom},
		t.above.beside(x, textWidth(t.head, idSize), top-5-idSize, top),
		t.below.beside(x, widest(t.foot, noteSize), bottom, foot),
	}
}

// fitLines returns the first lines of a list, and a line with the number of the rest.
func fitLines(all []string) []string {
	var lines []string
	for i, text := range all {
		// The last line counts the rest, so that the height is bounded for events with many variables.
		if i == noteLines-1 && len(all) > noteLines {
			return append(lines, fmt.Sprintf("… %d more", len(all)-i))
		}
		lines = append(lines, fit(text, noteSize, noteLimit))
	}
	return lines
}

// widest returns the width of the widest line.
func widest(lines []string, size float64) float64 {
	w := 0.0
	for _, text := range lines {
		w = max(w, textWidth(text, size))
	}
	return w
}

// reach returns how far an event and its texts extend to the left and to the right.
func (d *diagram) reach(e graphs.Event) (left, right float64) {
	left, right = d.radius+2, d.radius+2
	for _, b := range d.room(e, 0, 0) {
		left, right = max(left, -b.x1), max(right, b.x2)
	}
	// The name of a message that is never received stands behind the end of its stub.
	for _, stub := range d.stubs[e] {
		right = max(right, stubX+7+textWidth(d.label(stub), noteSize))
	}
	return left, right
}

// label returns the name of a message, shortened.
func (d *diagram) label(l Link) string { return fit(l.Name, noteSize, labelLimit) }

// leans gives the side for a text by the sides on which links leave or reach its event, where 1 is
// the left, 2 the right, and 3 both. The text stands on the side without arrows, or in the middle
// if both sides or neither side has arrows.
var leans = [4]lean{0, 1, -1, 0}

// leanTexts sets the texts of events, and moves them away from links.
func (d *diagram) leanTexts() {
	of := d.s.Of
	above, below := make([]uint8, of.Top()+1), make([]uint8, of.Top()+1)
	// touch records that a link of e leads to a lane, to the right or the left. Curves to the same
	// lane, to ⊥ and to ⊤ are above the event.
	touch := func(e graphs.Event, lane int, right bool) {
		side, where := above, uint8(1)
		// Lanes with greater numbers are further down.
		if lane > of.Process(e) {
			side = below
		}
		if right {
			where = 2
		}
		side[e] |= where
	}
	column := d.l.Column
	for _, l := range d.s.Links {
		// The stub of a message that is never received leads to the right of its send.
		if l.Kind == TransitMark {
			touch(l.From, l.Receiver, true)
			continue
		}
		touch(l.From, of.Process(l.To), column[l.From] < column[l.To])
		touch(l.To, of.Process(l.From), column[l.From] > column[l.To])
	}
	for _, e := range d.s.Events {
		all := d.s.Assignments(e)
		if text := of.Label(e); text != "" {
			all = append(slices.Clip(all), "“"+text+"”")
		}
		t := label{
			head:  fit(of.ID(e), idSize, idLimit),
			foot:  fitLines(all),
			above: leans[above[e]],
			below: leans[below[e]],
		}
		// With arrows on both sides, there is no room for the id above the event.
		if above[e] == 3 && below[e] != 3 {
			t.foot = append([]string{t.head}, t.foot...)
			t.head = ""
		}
		d.labels[e] = t
	}
}

// placeLanes sets the heights of the lanes.
func (d *diagram) placeLanes() {
	of := d.s.Of
	d.lanes = make([]lane, of.NumProcesses())
	for p := range d.lanes {
		lines := fitLines(d.s.Initial(p)) // below the name
		d.lanes[p] = lane{above: d.radius + 24, below: d.radius + 4 + noteLeading*float64(len(lines))}
	}
	// Reserve room above and below each lane for what is drawn there.
	for _, e := range d.s.Events {
		v := &d.lanes[of.Process(e)]
		v.below = max(v.below, d.radius+8+noteLeading*float64(len(d.labels[e].foot)))
	}
	for _, l := range d.s.Links {
		from, to := of.Process(l.From), of.Process(l.To)
		if l.Kind != TransitMark && (from == to || from < 0 || to < 0) {
			v := &d.lanes[max(from, to, 0)]
			v.above = max(v.above, d.radius+44)
		}
	}
	// Stubs are fanned out, so several of them extend further.
	for e, stubs := range d.stubs {
		v := &d.lanes[of.Process(e)]
		long := stubY + stubNext*float64(len(stubs))
		v.above, v.below = max(v.above, long), max(v.below, long)
	}
	for _, group := range d.s.Meta {
		for _, e := range group {
			v := &d.lanes[of.Process(e)]
			v.above = max(v.above, d.radius+30)
		}
	}
	y := 0.0
	if d.s.Uses(graphs.Bottom) || d.s.Uses(of.Top()) {
		y = barTop
	}
	for p := range d.lanes {
		if p > 0 {
			y += d.lanes[p-1].below + laneGap
		}
		y += d.lanes[p].above
		d.lanes[p].y = y
	}
	if n := len(d.lanes); n > 0 {
		d.height = y + d.lanes[n-1].below
	}
}

// placeColumns places events along the lanes, from left to right. Each event is far enough from the
// previous one on its lane, and outside the rectangles of other meta-events.
func (d *diagram) placeColumns() {
	of := d.s.Of
	// The names of the processes, with initial values below them, are on the left.
	names := 0.0
	for p, name := range of.Processes() {
		names = max(names, textWidth(fit(name, nameSize, nameLimit), nameSize),
			widest(fitLines(d.s.Initial(p)), noteSize))
	}
	d.left = margin + names + 10
	begin := d.left
	if d.s.Uses(graphs.Bottom) {
		begin += 26
	}
	var columns [][]graphs.Event
	for _, e := range d.s.Events {
		c := d.l.Column[e]
		for len(columns) <= c {
			columns = append(columns, nil)
		}
		columns[c] = append(columns[c], e)
	}
	starts := make(map[int][]layout.Block)
	ends := make(map[int][]layout.Block)
	for _, b := range d.l.Blocks {
		starts[b.First] = append(starts[b.First], b)
		ends[b.Final] = append(ends[b.Final], b)
	}
	// Place the columns from left to right. The place of a column is x, as far left as its events
	// and the rectangles of meta-events that begin in it allow.
	edge := slices.Repeat([]float64{begin}, len(d.lanes)) // the place from which each lane is free
	x := begin - columnGap/2
	for c, events := range columns {
		x += columnGap
		if c == 0 {
			x -= columnGap / 2
		}
		for _, e := range events {
			l, _ := d.reach(e)
			x = max(x, edge[of.Process(e)]+textGap+l)
		}
		for _, b := range starts[c] {
			// Leave room for the rectangle to the left of its events in this column.
			widest := 0.0
			for _, e := range b.Members {
				if d.l.Column[e] == c {
					l, _ := d.reach(e)
					widest = max(widest, l)
				}
			}
			for p := b.Top; p <= b.Bottom; p++ {
				x = max(x, edge[p]+textGap+metaGap+widest)
			}
		}
		for _, e := range events {
			_, r := d.reach(e)
			d.x[e] = x
			edge[of.Process(e)] = x + r
		}
		for _, b := range ends[c] {
			// On each lane of a meta-event, later events are to the right of its whole rectangle.
			most := 0.0
			for _, e := range b.Members {
				_, r := d.reach(e)
				most = max(most, d.x[e]+r)
			}
			for p := b.Top; p <= b.Bottom; p++ {
				edge[p] = max(edge[p], most+metaGap)
			}
		}
	}
	d.right = max(x+columnGap/2, slices.Max(append(edge, begin+columnGap))+8)
	if d.s.Uses(of.Top()) {
		d.right += 26
	}
}

// hull returns the rectangle around the events of a meta-event and their texts.
func (d *diagram) hull(events []graphs.Event) box {
	b := box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, e := range events {
		x, y := d.at(e)
		l, r := d.reach(e)
		room := d.room(e, x, y)
		b = box{min(b.x1, x-l), min(b.y1, room[1].y1), max(b.x2, x+r), max(b.y2, room[2].y2)}
	}
	return box{b.x1 - metaGap, b.y1 - 3, b.x2 + metaGap, b.y2 + 3}
}

// frontier returns the places where the line of a cut crosses the lanes: between the last event in
// the cut and the next one, and as nearly above each other as possible.
func (d *diagram) frontier(cut graphs.Cut) []float64 {
	of := d.s.Of
	low, high := make([]float64, len(cut)), make([]float64, len(cut))
	// On each lane, the line must pass between the last event in the cut and the first one after it.
	var middles []float64
	for p, k := range cut {
		low[p], high[p] = d.left+2, d.right-4
		for i := 1; i <= of.Len(p); i++ {
			e := of.Event(p, i)
			l, r := d.reach(e)
			switch {
			case !d.s.Shows(e):
			case i <= int(k):
				low[p] = max(low[p], d.x[e]+r+4)
			default:
				high[p] = min(high[p], d.x[e]-l-4)
			}
		}
		middles = append(middles, (low[p]+high[p])/2)
	}
	// The line is nearly vertical if it stays near the median of the middles.
	slices.Sort(middles)
	line := make([]float64, len(cut))
	for p := range cut {
		line[p] = min(max(middles[len(middles)/2], low[p]), high[p])
	}
	return line
}
