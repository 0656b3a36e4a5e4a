package draw

import (
	"math"
	"slices"
	"time"

	"github.com/pota-project/pota/graphs/layout"
)

// By time, the distance of an event from the first one is proportional to the time between them, as
// clocks give it. Events may then be close together: a text without room appears only in the title
// of its event. An arrow to the left shows that clocks disagree.

// WhenMark marks the interval of time in which an event may have happened.
const WhenMark = HiddenMark + 1

const (
	axisHeight = 24.0  // the height of the times below the last lane
	minAxis    = 480.0 // the least distance between the first time and the last
)

// An axis maps times to places.
type axis struct {
	first int64   // the first time, in nanoseconds
	span  float64 // nanoseconds between the first time and the last
	begin float64 // the place of first
	scale float64 // pixels per nanosecond
}

// at returns the place of a time.
func (a axis) at(t int64) float64 { return a.begin + layout.Since(a.first, t)*a.scale }

// step returns the nanoseconds between two ticks. It is 1, 2 or 5 times a power of ten, such that
// the axis has fewer than ten ticks.
func (a axis) step() float64 {
	for power := 1.0; ; power *= 10 {
		for _, digit := range []float64{1, 2, 5} {
			if a.span/(digit*power) < 9 {
				return digit * power
			}
		}
	}
}

// placeTimes moves events to their times, if any has one.
func (d *diagram) placeTimes() {
	first, places := layout.ByTime(d.s.Of, d.s.Events, d.s.Times)
	if places == nil {
		return // no event has a time, as in a part of a trace
	}
	a := axis{first: first, span: slices.Max(places), begin: d.left + columnGap}
	// The axis is as wide as the diagram by causality, but at least minAxis.
	a.scale = max(d.right-a.begin-columnGap, minAxis) / max(1, a.span)
	// the place from which each lane has room for texts
	free := slices.Repeat([]float64{d.left}, len(d.lanes))
	for i, e := range d.s.Events {
		p := d.s.Of.Process(e)
		d.x[e] = a.begin + places[i]*a.scale
		if from, to, ok := d.s.Times(e); ok && to > from {
			d.when = append(d.when, box{a.at(from), d.lanes[p].y - 5, a.at(to), d.lanes[p].y + 5})
			d.right = max(d.right, a.at(to)+columnGap/2)
		}
		left, _ := d.reach(e)
		if d.x[e]-left < free[p] {
			d.labels[e] = label{}
		}
		_, right := d.reach(e)
		free[p] = d.x[e] + right
		d.right = max(d.right, free[p]+8)
	}
	d.axis = &a
	d.height += axisHeight
}

// drawTimes writes the axis, and the interval in which each event may have happened.
func (d *diagram) drawTimes(out *pen) {
	if d.axis == nil {
		return
	}
	step := d.axis.step()
	for t := 0.0; t <= min(d.axis.span, math.MaxInt64); t += step { // a Duration holds no more
		x := d.axis.begin + t*d.axis.scale
		out.empty("line", "class", "tick", "x1", x, "y1", 0.0, "x2", x, "y2", d.height-axisHeight)
		out.text(time.Duration(t).String(), "text", "class", "note", "x", x, "y", d.height-8, "text-anchor", "middle")
	}
	for _, b := range d.when {
		out.empty("rect", "class", "when", "x", b.x1, "y", b.y1, "width", b.x2-b.x1, "height", b.y2-b.y1, "rx", "3")
	}
}
