package draw

import (
	_ "embed"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/pota-project/pota/graphs"
)

//go:embed style.css
var style string

// SVG writes the space-time diagram of p as an SVG document. The colours follow the reader's
// preference for light or dark. SVG returns the errors of Scene and of w.
func SVG(w io.Writer, p Picture) error {
	s, err := p.Scene()
	if err != nil {
		return err
	}
	// The diagram determines the width. Legend and captions are broken to that width, and may exceed
	// it for a long word.
	d := newDiagram(s)
	legend := d.placeLegend(max(d.right+margin, 560))
	width := d.right + margin
	for _, e := range legend {
		width = max(width, e.x+entryWidth(e.Entry)+margin)
	}
	captions := d.captions(max(width, 640) - 2*margin)
	for _, c := range captions {
		width = max(width, 2*margin+textWidth(c.text, c.size))
	}
	top := margin + 20*float64(len(captions))
	legendTop := top + d.height + 26
	height := legendTop + margin/2
	if n := len(legend); n > 0 {
		height += legend[n-1].y + legendLeading
	}

	var out pen
	out.buf.WriteString(xml.Header)
	out.begin("svg", "xmlns", "http://www.w3.org/2000/svg", "width", width, "height", height,
		"viewBox", "0 0 "+num(width)+" "+num(height), "role", "img")
	if s.Title != "" {
		out.title(s.Title)
	}
	out.text("\n"+style, "style")
	out.empty("rect", "class", "back", "width", width, "height", height)
	for i, c := range captions {
		out.text(c.text, "text", "class", c.class, "x", margin, "y", margin+20*float64(i)+10)
	}
	out.begin("g", "transform", "translate(0 "+num(top)+")")
	d.draw(&out)
	out.end()
	for _, e := range legend {
		out.begin("g", "class", "legend", "transform", "translate("+num(e.x)+" "+num(legendTop+e.y)+")")
		drawEntry(&out, e.Entry)
		out.end()
	}
	out.end()
	_, err = w.Write(out.buf.Bytes())
	return err
}

// A caption is a line above the diagram.
type caption struct {
	text, class string
	size        float64
}

// captions breaks the caption into lines of at most a width.
func (d *diagram) captions(width float64) []caption {
	var list []caption
	for i, text := range d.s.Caption() {
		c := caption{class: "subtitle", size: idSize}
		if i == 0 && d.s.Title != "" {
			c = caption{class: "title", size: titleSize}
		}
		for _, c.text = range wrap(text, c.size, width) {
			list = append(list, c)
		}
	}
	return list
}

// draw writes the lanes and everything on them.
func (d *diagram) draw(out *pen) {
	out.begin("g", "class", "body")
	// Later elements cover earlier ones: the cut and the frames of meta-events are in the background,
	// and events are on top.
	d.drawCut(out)
	for _, group := range d.s.Meta {
		b := d.hull(group)
		out.begin("rect", "class", "meta", "x", b.x1, "y", b.y1, "width", b.x2-b.x1,
			"height", b.y2-b.y1, "rx", "12")
		var ids []string
		for _, e := range group {
			ids = append(ids, d.s.Of.ID(e))
		}
		out.title("meta-event: " + strings.Join(ids, ", "))
		out.end()
	}
	for _, v := range d.lanes {
		out.empty("line", "class", "lane", "x1", d.left, "y1", v.y, "x2", d.right, "y2", v.y)
	}
	d.drawTimes(out)
	d.drawBars(out)
	// Find all curves before placing labels, so that labels avoid every curve.
	curves := make([]curve, len(d.s.Links))
	for i, l := range d.s.Links {
		curves[i] = d.path(l)
		d.mark(curves[i])
	}
	// Links are sorted by kind, so the reverse order draws messages last.
	for i := len(curves) - 1; i >= 0; i-- { // messages are on top
		d.drawLink(out, d.s.Links[i], curves[i])
	}
	for _, e := range d.s.Events {
		d.drawEvent(out, e)
	}
	out.end()
	d.drawNames(out)
}

// drawNames writes the names of the processes, and the initial values below them, on a background
// that hides lanes scrolled under it.
func (d *diagram) drawNames(out *pen) {
	out.begin("g", "class", "names")
	out.empty("rect", "x", "0", "y", "0", "width", d.left-4, "height", d.height)
	for p, name := range d.s.Of.Processes() {
		y := d.lanes[p].y
		initial := d.s.Initial(p)
		out.begin("g")
		out.title(append([]string{name}, initial...)...)
		right := []any{"x", d.left - 10, "text-anchor", "end"}
		out.text(fit(name, nameSize, nameLimit), "text",
			append(right, "class", "name", "y", y+4.5)...)
		for i, text := range fitLines(initial) {
			out.text(text, "text",
				append(right, "class", "note", "y", y+6+noteLeading*float64(i+1))...)
		}
		out.end()
	}
	out.end()
}

// drawCut tints the events of the cut and draws its frontier.
func (d *diagram) drawCut(out *pen) {
	if d.s.Cut == nil || len(d.lanes) == 0 {
		return
	}
	// One path encloses the tinted region, and another is the frontier line alone. The line bends in
	// the gaps between lanes, where there are no events.
	last := len(d.lanes) - 1
	xs := d.frontier(d.s.Cut)
	var line strings.Builder
	fmt.Fprintf(&line, "%s 0", num(xs[0]))
	for p, x := range xs {
		v := d.lanes[p]
		if p > 0 {
			bottom, top := d.lanes[p-1].y+d.lanes[p-1].below, v.y-v.above
			middle := (bottom + top) / 2
			bend := curve{point{xs[p-1], bottom}, point{xs[p-1], middle}, point{x, middle},
				point{x, top}}
			d.mark(bend)
			line.WriteString("L" + strings.TrimPrefix(bend.pathData(), "M"))
		}
		d.mark(straight(point{x, v.y - v.above}, point{x, v.y + v.below}))
		fmt.Fprintf(&line, "L%s %s", num(x), num(v.y))
	}
	fmt.Fprintf(&line, "L%s %s", num(xs[last]), num(d.height))
	out.empty("path", "class", "region", "d", "M"+num(d.left)+" 0L"+line.String()+"L"+num(d.left)+
		" "+num(d.height)+"Z")
	out.empty("path", "class", "frontier", "d", "M"+line.String())
}

// drawBars writes ⊥ and ⊤ if links use them.
func (d *diagram) drawBars(out *pen) {
	for _, e := range []graphs.Event{graphs.Bottom, d.s.Of.Top()} {
		if !d.s.Uses(e) || len(d.lanes) == 0 {
			continue
		}
		// A bar is at the place where links to it end.
		x := d.end(e, e).x
		out.empty("rect", "class", "bar", "x", x-2, "y", barTop, "width", "4", "height",
			d.height-barTop, "rx", "2")
		out.text(d.s.Of.ID(e), "text", "class", "name", "x", x, "y", barTop-4,
			"text-anchor", "middle")
	}
}

var classes = [...]string{
	EventMark:    "open",
	ForcedMark:   "forced",
	ExcludedMark: "excluded",
	MessageMark:  "message",
	TransitMark:  "transit",
	CausalMark:   "causal",
	SyncMark:     "together",
	GeneralMark:  "general",
	AddedMark:    "added",
	MissingMark:  "missing",
}

// drawLink writes a link with its arrowhead or cross, its name, and a text for screen readers.
func (d *diagram) drawLink(out *pen, l Link, v curve) {
	out.begin("g", "class", classes[l.Kind], "data-from", l.From, "data-to", l.To)
	out.title(d.tellLink(l))
	drawArrow(out, l.Kind, v)
	switch l.Kind {
	case MessageMark:
		d.drawLabel(out, v, d.label(l))
	case TransitMark:
		out.text(d.label(l), "text", "x", v.d.x+7, "y", v.d.y+4)
	}
	out.end()
}

// drawArrow writes the curve of a link and its tip. A sync has no tip, and a message that is never
// received has a cross.
func drawArrow(out *pen, kind Mark, v curve) {
	out.empty("path", "class", "link", "d", v.pathData())
	switch kind {
	case SyncMark:
	case TransitMark:
		const r = 3.5
		p := v.d
		out.empty("path", "class", "link cross", "d",
			"M"+xy(point{p.x - r, p.y - r})+"L"+xy(point{p.x + r, p.y + r})+
				"M"+xy(point{p.x - r, p.y + r})+"L"+xy(point{p.x + r, p.y - r}))
	default:
		out.empty("path", "class", "tip", "d", v.tipData())
	}
}

// tellLink describes a link in words, and gives the reason for it if that is known.
func (d *diagram) tellLink(l Link) (text, why string) {
	arrow := d.s.Of.ID(l.From) + " → " + d.s.Of.ID(l.To)
	switch l.Kind {
	case MessageMark:
		text = "message " + l.Name + ": " + arrow
	case TransitMark:
		text = "message " + l.Name + ": sent by " + d.s.Of.ID(l.From)
		if l.Receiver >= 0 { // otherwise it is unknown
			text += " to " + d.s.Of.Processes()[l.Receiver]
		}
		text += ", never received"
	case CausalMark:
		text = "happened before: " + arrow
	case SyncMark:
		text = "happen together: " + d.s.Of.ID(l.From) + ", " + d.s.Of.ID(l.To)
	case GeneralMark:
		text = "general edge: " + arrow
	case MissingMark:
		text = "missing order: " + arrow
		why = l.Name
	case AddedMark:
		text = "added edge: " + arrow
	}
	return text, why
}

// drawLabel writes the name of a message next to its arrow, at the place that overlaps the fewest
// texts and curves.
func (d *diagram) drawLabel(out *pen, v curve, text string) {
	wide, high := textWidth(text, noteSize), noteSize+1
	var best box
	least := -1
	for _, t := range []float64{0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74} {
		p, q := v.at(t), v.at(t+0.01)
		// Try several places along the curve, on either side, starting from the middle.
		n := toward(point{}, point{p.y - q.y, q.x - p.x}, 1) // the unit normal of the curve
		off := math.Abs(n.x)*wide/2 + math.Abs(n.y)*high/2 + 4
		for _, side := range []float64{off, -off} {
			x, y := p.x+n.x*side, p.y+n.y*side
			b := box{x - wide/2, y - high/2, x + wide/2, y + high/2}
			if k := d.texts.overlap(b); least < 0 || k < least {
				best, least = b, k
			}
		}
	}
	d.texts.add(best)
	out.text(text, "text", "x", (best.x1+best.x2)/2, "y", best.y2-2.5, "text-anchor", "middle")
}

// drawEvent writes the circle of an event with its number in the run, and the texts above and
// below.
func (d *diagram) drawEvent(out *pen, e graphs.Event) {
	x, y := d.at(e)
	class := "event " + classes[d.s.Status(e)]
	if d.s.Inside(e) {
		class += " inside"
	}
	out.begin("g", "class", class, "data-event", e)
	out.title(d.tellEvent(e)...)
	out.empty("circle", "cx", x, "cy", y, "r", d.radius)
	if k := d.s.Place(e); k != "" {
		out.text(k, "text", "class", "place", "x", x, "y", y+3.5, "text-anchor", "middle")
	}
	t := &d.labels[e]
	if t.head != "" {
		drawText(out, t.above, "id", t.head, x, y-d.radius-5)
	}
	for i, text := range t.foot {
		drawText(out, t.below, "note", text, x, y+d.radius+1+noteLeading*float64(i+1))
	}
	out.end()
}

// drawText writes a text that leans to a side of x.
func drawText(out *pen, l lean, class, text string, x, y float64) {
	x += float64(l) * aside
	anchor := [3]string{"end", "middle", "start"}[l+1]
	out.text(text, "text", "class", class, "x", x, "y", y, "text-anchor", anchor)
}

// tellEvent returns lines with everything known about an event.
func (d *diagram) tellEvent(e graphs.Event) []string {
	of := d.s.Of
	p := of.Process(e)
	lines := []string{
		of.ID(e),
		fmt.Sprintf("event %d of %d of %s", of.Position(e), of.Len(p), of.Processes()[p]),
	}
	lines = append(lines, d.s.Assignments(e)...)
	if text := of.Label(e); text != "" {
		lines = append(lines, "“"+text+"”")
	}
	if text := of.Time(e); text != "" {
		lines = append(lines, "time "+text)
	}
	switch d.s.Status(e) {
	case ForcedMark:
		lines = append(lines, "every cut has it")
	case ExcludedMark:
		lines = append(lines, "no cut has it")
	}
	if step := d.s.Graph.Step(e); len(step) > 1 {
		lines = append(lines, fmt.Sprintf("one of %d events that happen together", len(step)))
	}
	if k := d.s.Place(e); k != "" {
		lines = append(lines, "number "+k+" of the run")
	}
	return lines
}
