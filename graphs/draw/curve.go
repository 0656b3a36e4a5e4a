package draw

import (
	"math"
	"slices"

	"github.com/pota-project/pota/graphs"
)

// A point is a place in pixels: x to the right, y down.
type point struct{ x, y float64 }

// A curve is a cubic Bézier curve.
type curve struct{ a, b, c, d point }

// straight returns a straight line as a curve.
func straight(a, d point) curve { return bent(a, d, 0) }

// bent returns a curve from a to d whose middle is by pixels to the left of the straight line.
func bent(a, d point, by float64) curve {
	dx, dy := d.x-a.x, d.y-a.y
	if n := math.Hypot(dx, dy); n > 0 {
		dx, dy = dx/n, dy/n
	}
	// The middle of a cubic curve is three quarters of the way to its control points, which are
	// offset from the line at its thirds.
	k := by * 4 / 3
	side := func(t float64) point {
		return point{a.x + (d.x-a.x)*t + dy*k, a.y + (d.y-a.y)*t - dx*k}
	}
	return curve{a, side(1.0 / 3), side(2.0 / 3), d}
}

// at returns the point of v at t, from 0 at its beginning to 1 at its end.
func (v curve) at(t float64) point {
	u := 1 - t
	p := u * u * u
	q := 3 * u * u * t
	r := 3 * u * t * t
	s := t * t * t
	return point{
		p*v.a.x + q*v.b.x + r*v.c.x + s*v.d.x,
		p*v.a.y + q*v.b.y + r*v.c.y + s*v.d.y,
	}
}

// trimmed returns v without the parts near its ends, which lie inside the events there.
func (v curve) trimmed(begin, end float64) curve {
	// Trim toward the control points, so that the curve keeps its direction at both ends.
	v.a = toward(v.a, v.b, begin)
	v.d = toward(v.d, v.c, end)
	return v
}

// toward returns the point at a distance of by pixels from a in the direction of b.
func toward(a, b point, by float64) point {
	dx, dy := b.x-a.x, b.y-a.y
	n := math.Hypot(dx, dy)
	if n == 0 {
		return a
	}
	return point{a.x + dx/n*by, a.y + dy/n*by}
}

// A box is a rectangle: left, top, right, bottom.
type box struct{ x1, y1, x2, y2 float64 }

// boxes indexes boxes by the tiles of the plane that they touch.
type boxes map[[2]int][]box

// tileSize is the size of a tile in pixels. A picture has thousands of texts, and each label is
// compared at fourteen candidate places with the texts near it, so boxes are found by tile.
const tileSize = 64

// visit calls f with the tiles that b touches.
func (s boxes) visit(b box, f func(tile [2]int)) {
	for i := int(math.Floor(b.x1 / tileSize)); i <= int(math.Floor(b.x2/tileSize)); i++ {
		for j := int(math.Floor(b.y1 / tileSize)); j <= int(math.Floor(b.y2/tileSize)); j++ {
			f([2]int{i, j})
		}
	}
}

// add marks the area of b as occupied. Boxes are never removed.
func (s boxes) add(b box) { s.visit(b, func(t [2]int) { s[t] = append(s[t], b) }) }

// overlap returns how many boxes share more than an edge with b. It counts a box once per tile.
func (s boxes) overlap(b box) int {
	n := 0
	s.visit(b, func(t [2]int) {
		for _, o := range s[t] {
			if b.x1 < o.x2 && o.x1 < b.x2 && b.y1 < o.y2 && o.y1 < b.y2 {
				n++
			}
		}
	})
	return n
}

// path returns the curve of a link between events, ⊥ and ⊤.
func (d *diagram) path(l Link) curve {
	from, to := d.end(l.From, l.To), d.end(l.To, l.From)
	near := func(e graphs.Event) float64 {
		if d.s.Of.Process(e) < 0 {
			return 2
		}
		return d.radius + 1.5
	}
	var v curve
	switch {
	// A message that never arrives is a stub, which points down if the receiver has a lower lane.
	// The stubs of one event are fanned out.
	case l.Kind == TransitMark:
		dy := stubY + stubNext*float64(slices.Index(d.stubs[l.From], l))
		if l.Receiver < d.s.Of.Process(l.From) { // also if it is unknown
			dy = -dy
		}
		return straight(from, point{from.x + stubX, from.y + dy}).trimmed(d.radius+1.5, 0)
	case l.From == d.s.Of.Top() && l.To == graphs.Bottom:
		v = straight(from, to)
	// Within a lane, a straight arrow would lie on the lane and run through events.
	case from.y == to.y:
		v = d.arc(from, to)
	case l.Kind == SyncMark:
		v = straight(from, to)
	// A message is straight if possible. Other edges swerve, backward edges more than forward ones,
	// so that an edge is visible next to a message between the same events.
	case l.Kind == MessageMark:
		v = d.dodge(from, to, 0)
	case from.x < to.x:
		v = d.dodge(from, to, 10)
	default:
		v = d.dodge(from, to, 16)
	}
	return v.trimmed(near(l.From), near(l.To)+1)
}

// end returns the point where a link is attached to e. A link to ⊥ or ⊤ ends at the height of its
// other end's lane.
func (d *diagram) end(e, other graphs.Event) point {
	y := barTop + 6
	if p := d.s.Of.Process(other); p >= 0 {
		y = d.lanes[p].y
	}
	switch e {
	case graphs.Bottom:
		return point{d.left + 6, y}
	case d.s.Of.Top():
		return point{d.right - 6, y}
	}
	x, y := d.at(e)
	return point{x, y}
}

// mark marks the area of a curve as occupied.
func (d *diagram) mark(v curve) {
	// A chain of small boxes stands for the curve: a single box around it would block too much.
	const steps, near = 24, 2
	for i := 0; i <= steps; i++ {
		p := v.at(float64(i) / steps)
		d.texts.add(box{p.x - near, p.y - near, p.x + near, p.y + near})
	}
}

// arc returns a curve above a lane, higher for a longer distance.
func (d *diagram) arc(from, to point) curve {
	long := math.Abs(to.x - from.x)
	// Longer arcs are higher, so that nested arcs do not touch.
	high := 4.0 / 3 * min(d.radius+20+long/16, d.radius+38)
	in := min(long/4, 50)
	if to.x < from.x {
		in = -in
	}
	return curve{from, point{from.x + in, from.y - high}, point{to.x - in, to.y - high}, to}
}

// dodge returns a curve between two lanes that avoids the events between its ends. It swerves as
// little as possible, but by at least a given distance.
func (d *diagram) dodge(from, to point, least float64) curve {
	// If no swerve avoids all events, use the least.
	v := bent(from, to, least)
	// Try small swerves first, to either side. Beyond 40 pixels, the arrow would be hard to follow.
	for more := 0.0; more <= 40; more += 10 {
		for _, by := range []float64{least + more, -least - more} {
			if v := bent(from, to, by); !d.hits(v) {
				return v
			}
		}
	}
	return v
}

// hits reports whether v passes through an event of a lane between its ends.
func (d *diagram) hits(v curve) bool {
	const steps = 48
	near := d.radius + 3
	for i := 1; i < steps; i++ {
		p := v.at(float64(i) / steps)
		// The events at its own ends do not count.
		if math.Hypot(p.x-v.a.x, p.y-v.a.y) < 2*near || math.Hypot(p.x-v.d.x, p.y-v.d.y) < 2*near {
			continue
		}
		if d.events.overlap(box{p.x - near, p.y - near, p.x + near, p.y + near}) > 0 {
			return true
		}
	}
	return false
}

// Stubs end stubX to the right of their event, the first one stubY above or below it, and each
// further one stubNext beyond the previous.
const (
	stubX    = 30.0
	stubY    = 24.0
	stubNext = 13.0
)
