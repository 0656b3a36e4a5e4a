package draw

import (
	"slices"
	"time"

	"github.com/pota-project/pota/graphs/layout"
)

// By time, an event is where its clock says, as far from the first one as time has passed between them.
// Events may be close together then: a text that has no room is left to the title of its event. An
// arrow that leads to the left shows that clocks disagree.

// timeStyle is added for pictures by time: all others stay as they are.
const timeStyle = ".when { fill: #0b5cad; fill-opacity: 0.25; stroke: none; } .tick { stroke: #b6bec7; stroke-dasharray: 2 4; }\n"

// WhenMark is the time within which an event may have happened.
const WhenMark = HiddenMark + 1

const (
	axisHeight = 24.0  // room for the times below the last lane
	leastAxis  = 480.0 // from the first time to the last
)

// An axis turns times into places.
type axis struct {
	first int64   // nanoseconds
	span  float64 // from the first time to the last
	begin float64 // the place of first
	scale float64 // pixels a nanosecond
}

// at returns the place of a time.
func (a axis) at(t int64) float64 { return a.begin + float64(t-a.first)*a.scale }

// step returns the time between two ticks: 1, 2 or 5 of a power of ten, such that there are few.
func (a axis) step() int64 {
	for power := int64(1); ; power *= 10 {
		for _, digit := range []int64{1, 2, 5} {
			if step := digit * power; a.span/float64(step) < 9 {
				return step
			}
		}
	}
}

// placeTimes moves events to their times, if any has one.
func (d *diagram) placeTimes() {
	first, places := layout.ByTime(d.s.Of, d.s.Events, d.s.Times)
	if places == nil {
		return // as in a part of a trace
	}
	a := axis{first: first, span: slices.Max(places), begin: d.left + columnGap}
	// As wide as by causality, where that is not narrow.
	a.scale = max(d.right-a.begin-columnGap, leastAxis) / max(1, a.span)
	free := slices.Repeat([]float64{d.left}, len(d.lanes)) // where each lane has room for texts from
	for i, e := range d.s.Events {
		p := d.s.Of.Process(e)
		d.x[e] = a.begin + places[i]*a.scale
		if from, to, ok := d.s.Times(e); ok && to > from {
			d.when = append(d.when, box{a.at(from), d.lanes[p].y - 5, a.at(to), d.lanes[p].y + 5})
			d.right = max(d.right, a.at(to)+columnGap/2)
		}
		left, _ := d.reach(e)
		d.silent[e] = d.x[e]-left < free[p]
		_, right := d.reach(e)
		free[p] = d.x[e] + right
		d.right = max(d.right, free[p]+8)
	}
	d.axis = &a
	d.height += axisHeight
}

// drawTimes writes the axis, and when each event may have happened.
func (d *diagram) drawTimes(out *pen) {
	if d.axis == nil {
		return
	}
	step := d.axis.step()
	for n := range int64(d.axis.span/float64(step)) + 1 { // the time after the last may be too large for an int64
		t := n * step
		x := d.axis.at(d.axis.first + t)
		out.empty("line", "class", "tick", "x1", x, "y1", 0.0, "x2", x, "y2", d.height-axisHeight)
		out.text(time.Duration(t).String(), "text", "class", "note", "x", x, "y", d.height-8, "text-anchor", "middle")
	}
	for _, b := range d.when {
		out.empty("rect", "class", "when", "x", b.x1, "y", b.y1, "width", b.x2-b.x1, "height", b.y2-b.y1, "rx", "3")
	}
}

// legend explains the picture.
func (d *diagram) legend() []Entry {
	all := d.s.Legend()
	if len(d.when) > 0 {
		all = append(all, Entry{WhenMark, "when it may have happened"})
	}
	return all
}
