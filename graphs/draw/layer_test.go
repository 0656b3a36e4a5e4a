package draw

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
)

// TestLayout checks the invariants of the layout, and that texts beside events of
// one lane do not overlap, on random computations.
func TestLayout(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range graphtest.Rounds(t, 300) {
		c := graphtest.Random(r, graphtest.Config{Processes: 6, Events: 40, Kinds: graphtest.AllKinds})
		s, err := Picture{Of: c}.Scene()
		if err != nil {
			t.Fatal(err)
		}
		d := newDiagram(s)
		checkColumns(t, d)
		checkSpace(t, d)
		checkMeta(t, s)
		if t.Failed() {
			t.FailNow()
		}
	}
}

// checkMeta checks that each meta-event of several events has one frame, and a sync none.
func checkMeta(t *testing.T, s *Scene) {
	want := 0
	for step := range s.Of.Steps() {
		if len(step) > 1 && s.Status(step[0]) == EventMark && !isSync(s.Of, step) {
			want++
		}
	}
	if len(s.Meta) != want || slices.ContainsFunc(s.Meta, func(m []graphs.Event) bool { return isSync(s.Of, m) }) {
		t.Errorf("the frames are %v, there should be %d", s.Meta, want)
	}
}

// isSync reports whether the events of a step are one sync.
func isSync(c *graphs.Computation, step []graphs.Event) bool {
	return slices.ContainsFunc(c.Syncs(), func(sync []graphs.Event) bool {
		return slices.Equal(slices.Sorted(slices.Values(sync)), step)
	})
}

func checkColumns(t *testing.T, d *diagram) {
	of, column := d.s.Of, d.l.Column
	right := func(e, f graphs.Event) {
		if column[e] >= column[f] || d.x[e] >= d.x[f] {
			t.Errorf("%s is not left of %s", of.ID(e), of.ID(f))
		}
	}
	for _, e := range d.s.Events {
		if of.Position(e) > 1 {
			right(e-1, e)
		}
		for _, f := range of.Succs(e) {
			if !of.SameStep(e, f) {
				right(e, f)
			}
		}
	}
	ordered := make(map[graphs.Event]bool) // by happened-before within a meta-event
	for _, e := range d.s.Events {
		for _, f := range of.Causes(e) {
			right(f, e)
			if of.SameStep(e, f) {
				ordered[of.Step(e)[0]] = true
			}
		}
	}
	for _, l := range d.s.Links {
		switch l.Kind {
		case MessageMark, CausalMark:
			right(l.From, l.To)
		case SyncMark:
			if step := of.Step(l.From); isSync(of, step) && !ordered[step[0]] && column[l.From] != column[l.To] {
				t.Errorf("%s and %s happen together in different columns", of.ID(l.From), of.ID(l.To))
			}
		}
	}
	for _, b := range d.l.Blocks {
		for _, e := range d.s.Events {
			p, c := of.Process(e), column[e]
			if b.Top <= p && p <= b.Bottom && b.First <= c && c <= b.Final && !of.SameStep(e, b.Members[0]) {
				t.Errorf("%s stands within the meta-event of %s", of.ID(e), of.ID(b.Members[0]))
			}
		}
	}
}

func checkSpace(t *testing.T, d *diagram) {
	of := d.s.Of
	for _, e := range d.s.Events {
		l, r := d.reach(e)
		if f := e + 1; of.Process(f) == of.Process(e) {
			if left, _ := d.reach(f); d.x[e]+r > d.x[f]-left {
				t.Errorf("%s overlaps %s", of.ID(e), of.ID(f))
			}
		}
		if d.x[e]-l < d.left || d.x[e]+r > d.right {
			t.Errorf("%s is not between the ends of its lane", of.ID(e))
		}
	}
	for _, group := range d.s.Meta {
		hull := d.hull(group)
		for _, e := range d.s.Events {
			if x, y := d.at(e); hull.has(point{x, y}) != of.SameStep(e, group[0]) {
				t.Errorf("%s and the hull of %s", of.ID(e), of.ID(group[0]))
			}
		}
	}
}

// By time, the places of events are those of their times, from left to right on each lane, and no
// text is drawn over another of its lane.
func TestByTime(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	silent, bars := 0, 0
	for range graphtest.Rounds(t, 200) {
		c := graphtest.Random(r, graphtest.Config{Processes: 4, Events: 20, Kinds: graphtest.AllKinds})
		times := make([]int64, c.Top()+1)
		for e := graphs.Event(1); e < c.Top(); e++ {
			times[e] = r.Int64N(1000)
			if c.Position(e) > 1 {
				times[e] += times[e-1]
			}
		}
		s, err := Picture{Of: c, Times: func(e graphs.Event) (from, to int64, ok bool) {
			return times[e], times[e] + int64(e%3)*100, e%5 > 0
		}}.Scene()
		if err != nil {
			t.Fatal(err)
		}
		d := newDiagram(s)
		bars += len(d.when)
		for _, b := range d.when {
			if b.x1 < d.left || b.x2 > d.right {
				t.Errorf("a bar from %.1f to %.1f is beyond its lane", b.x1, b.x2)
			}
		}
		checkTimes(t, d, times)
		for _, e := range s.Events {
			l, right := d.reach(e)
			if d.x[e]+right > d.right {
				t.Errorf("%s is beyond its lane", c.ID(e))
			}
			switch {
			case d.labels[e].head == "" && d.labels[e].foot == nil:
				silent++
			case c.Position(e) > 1:
				if _, before := d.reach(e - 1); d.x[e-1]+before > d.x[e]-l {
					t.Errorf("%s overlaps %s", c.ID(e-1), c.ID(e))
				}
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	if silent == 0 || bars == 0 {
		t.Errorf("%d texts have no room, %d bars", silent, bars)
	}
}

// Times may be as far apart as two int64 can be: the axis ends, and bars are on it. Without any,
// places are those by causality.
func TestFarTimes(t *testing.T) {
	c := graphtest.Figure1("P1", "P2", "f1", "")
	for _, timed := range []bool{true, false} {
		s, err := Picture{Of: c, Times: func(e graphs.Event) (from, to int64, ok bool) {
			return math.MinInt64 + int64(e%2)*math.MaxInt64, math.MaxInt64 - int64(e%2), timed
		}}.Scene()
		if err != nil {
			t.Fatal(err)
		}
		d := newDiagram(s)
		var out pen
		d.drawTimes(&out)
		ticks := bytes.Count(out.buf.Bytes(), []byte(`class="tick"`))
		if timed && (ticks < 2 || ticks > 9) || !timed && ticks > 0 {
			t.Errorf("%d ticks", ticks)
		}
		for _, b := range d.when {
			if b.x1 < d.left || b.x2 > d.right || b.x2-b.x1 < minAxis/2 {
				t.Errorf("a bar from %.1f to %.1f is beyond its lane", b.x1, b.x2)
			}
		}
		if timed != (len(d.when) == len(s.Events)) {
			t.Errorf("%d bars", len(d.when))
		}
		if !timed && d.x[1] == d.x[2] {
			t.Error("events without a time are in one place")
		}
	}
}

// checkTimes compares the places of events with a time with those of all others.
func checkTimes(t *testing.T, d *diagram, times []int64) {
	var first, last graphs.Event
	for _, e := range d.s.Events {
		switch {
		case e%5 == 0:
			if f := e - 1; d.s.Of.Position(e) > 1 && d.x[e] != d.x[f] {
				t.Errorf("%d has no time, and is not where %d is", e, f)
			}
		case first == 0 || times[e] < times[first]:
			first = e
		case last == 0 || times[e] > times[last]:
			last = e
		}
	}
	for _, e := range d.s.Events {
		if e%5 == 0 || last == 0 {
			continue
		}
		want := d.x[first] + (d.x[last]-d.x[first])*float64(times[e]-times[first])/float64(max(1, times[last]-times[first]))
		if times[last] > times[first] && math.Abs(d.x[e]-want) > 0.01 {
			t.Errorf("%d of time %d is at %.1f, not %.1f", e, times[e], d.x[e], want)
		}
	}
}

func TestWidths(t *testing.T) {
	if textWidth("", 10) != 0 || textWidth("iii", 10) >= textWidth("mmm", 10) {
		t.Error("widths of texts")
	}
	for _, test := range [][2]string{
		{"short", "short"},
		{"a\x00b\nc\xff", `a\x00b\nc�`},
		{"a text which is much too long for its place", "a text whic…"},
	} {
		if got := fit(test[0], 10, 70); got != test[1] {
			t.Errorf("fit(%q) = %q, not %q", test[0], got, test[1])
		}
	}
	lines := wrap("one two three four five", 10, 60)
	for _, line := range lines {
		if textWidth(line, 10) > 60 {
			t.Errorf("%q is too wide", line)
		}
	}
	if len(lines) != 3 {
		t.Errorf("%q", lines)
	}
}

func (b box) has(p point) bool { return b.x1 < p.x && p.x < b.x2 && b.y1 < p.y && p.y < b.y2 }
