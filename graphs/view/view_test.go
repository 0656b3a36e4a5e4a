package view_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/layout"
	"github.com/pota-project/pota/graphs/view"
)

// A window around a cut has the cut and as many events as it may, lies between cuts, and
// numbers its events.
func TestAround(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 16))
	for range graphtest.Rounds(t, 1000) {
		c := graphtest.Random(r, graphtest.Config{Processes: 5, Events: 30, Kinds: graphtest.AllKinds})
		cut := c.Initial()
		for range r.IntN(20) {
			if next, ok := c.Next(cut, r.IntN(c.NumProcesses())); ok {
				cut = next
			}
		}
		most := r.IntN(c.NumEvents() + 1)
		w := layout.Around(c, cut, most)
		if !w.Low.Within(w.Least) || !w.Least.Within(cut) || !cut.Within(w.Greatest) || !w.Greatest.Within(w.High) || !c.Consistent(w.Least) || !c.Consistent(w.Greatest) {
			t.Fatalf("window %v %v %v %v around %v", w.Low, w.Least, w.Greatest, w.High, cut)
		}
		if w.Len() > most {
			t.Fatalf("%d events, at most %d", w.Len(), most)
		}
		if free := most - w.Len(); free > 0 && !c.Cyclic() && w.Len() < c.NumEvents() && !w.Least.Equal(c.Initial()) && !w.Greatest.Equal(c.Final()) {
			t.Fatalf("%d events could be added to %v %v", free, w.Least, w.Greatest)
		}
		next := int32(0)
		for e := graphs.Event(1); e < c.Top(); e++ {
			n := w.Number(e)
			switch {
			case c.Has(w.Low, e) && n != -1, !c.Has(w.High, e) && n != int32(w.Len()), n >= 0 && int(n) < w.Len() && n != next:
				t.Fatalf("event %d is number %d", e, n)
			case n >= 0 && int(n) < w.Len():
				if w.Event(n) != e {
					t.Fatalf("event %d is number %d, which is event %d", e, n, w.Event(n))
				}
				next++
			}
		}
		if w.Number(graphs.Bottom) != -1 || w.Number(c.Top()) != int32(w.Len()) {
			t.Fatal("⊥ or ⊤ is in the window")
		}
		if again, ok := view.ParseCounts(c, view.Counts(cut)); !ok || !again.Equal(cut) {
			t.Fatalf("%v is written %s and read %v", cut, view.Counts(cut), again)
		}
		checkData(t, w)
	}
	c := graphtest.Random(r, graphtest.Config{Processes: 2, Events: 6})
	for _, text := range []string{"x", "0", "0:-1", "0:99", "-1:0", "7:1", "0:1:1"} {
		if cut, ok := view.ParseCounts(c, text); ok {
			t.Errorf("%s is read as %v", text, cut)
		}
	}
}

// checkData compares the columns of a window with the computation.
func checkData(t *testing.T, w *layout.Window) {
	t.Helper()
	c, d := w.Of, view.New(w, nil, nil)
	if len(d.IDs) != w.Len() || d.Events != c.NumEvents() || d.Events-d.Before-d.After != w.Len() {
		t.Fatalf("%d ids of %d events, %d before and %d after", len(d.IDs), w.Len(), d.Before, d.After)
	}
	edges := make(map[[2]int32]bool)
	for i := 0; i < len(d.Edges); i += 2 {
		edges[[2]int32{d.Edges[i], d.Edges[i+1]}] = true
	}
	for e := graphs.Event(1); e < c.Top(); e++ {
		for _, f := range c.Preds(e) {
			from, to := w.Number(f), w.Number(e)
			if from >= 0 && int(to) < w.Len() && to >= 0 && !edges[[2]int32{from, to}] {
				t.Fatalf("the edge from %d to %d is missing", from, to)
			}
		}
	}
	ends := 0
	for _, m := range c.Messages() {
		inside := func(e graphs.Event) bool { n := w.Number(e); return n >= 0 && int(n) < w.Len() }
		if inside(m.Send) || m.Recv != graphs.Bottom && inside(m.Recv) {
			ends++
		}
	}
	if ends != len(d.Messages) {
		t.Fatalf("%d messages, not %d", len(d.Messages), ends)
	}
	for _, v := range d.Variables {
		if len(v.At) != len(v.Values) || int(v.First) >= len(d.Texts) {
			t.Fatalf("variable %+v", v)
		}
	}
}

// The page's policy allows what it is made of, and the data cannot end its element.
func TestPage(t *testing.T) {
	for _, served := range []bool{false, true} {
		p := view.NewPage(served)
		var page bytes.Buffer
		if err := p.Write(&page, map[string]string{"title": "</script><script>alert(1)</script>"}); err != nil {
			t.Fatal(err)
		}
		text := page.String()
		if n := strings.Count(text, "</script>"); n != 2 {
			t.Errorf("%d scripts end", n)
		}
		for _, bad := range []string{"{{", "http://", "https://", " style=", " onclick=", "eval(", "innerHTML", "unsafe"} {
			if strings.Contains(strings.ReplaceAll(text, "http://www.w3.org/2000/svg", ""), bad) {
				t.Errorf("the page has %s", bad)
			}
		}
		if strings.Contains(p.Policy, "connect-src") != served {
			t.Errorf("policy %s", p.Policy)
		}
	}
}

// A window has the places of its events, as texts that can be shown.
func TestPlaces(t *testing.T) {
	var b graphs.Builder
	p := b.Process("p")
	for k := range 4 {
		h := b.Event(p)
		switch k {
		case 1:
			b.SetPlace(h, graphs.Place{File: "a\x1b.log", Line: 7})
		case 2:
			b.SetPlace(h, graphs.Place{File: "b.json", Line: 1, Record: "span 3"})
		}
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	places := view.New(layout.All(c), nil, nil).Places
	var got []string
	for e := range places.File {
		got = append(got, fmt.Sprintf("%s:%d %s", places.Files[places.File[e]], places.Line[e], places.Records[places.Record[e]]))
	}
	if want := []string{":0 ", `a\x1b.log:7 `, "b.json:1 span 3", ":0 "}; !slices.Equal(got, want) {
		t.Errorf("places %q", got)
	}
	if d := view.New(layout.Between(c, graphs.Cut{3}, graphs.Cut{4}), nil, nil); d.Places != nil {
		t.Errorf("places %+v of an event that has none", d.Places)
	}
}

// Only events whose time is not known exactly have bars, in milliseconds from the first time of
// all.
func TestWhen(t *testing.T) {
	var b graphs.Builder
	p := b.Process("P")
	for range 3 {
		b.Event(p)
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	w := layout.All(c)
	d := view.New(w, nil, func(e graphs.Event) (from, to int64, ok bool) {
		return 5e6, 5e6 + int64(e-1)*1e6, e < 3
	})
	if got := fmt.Sprint(d.Clock, d.When); got != "[0 0 0] [[] [0 1] []]" {
		t.Error(got)
	}
	if d := view.New(w, nil, func(graphs.Event) (from, to int64, ok bool) { return 0, 0, false }); d.Clock != nil || d.When != nil {
		t.Errorf("%v %v of no times", d.Clock, d.When)
	}
}

// The page is small, so that it opens at once and can be sent to somebody.
func TestPageSize(t *testing.T) {
	var page bytes.Buffer
	if err := view.NewPage(false).Write(&page, nil); err != nil {
		t.Fatal(err)
	}
	if n := page.Len(); n > 150_000 {
		t.Errorf("the page without data has %d bytes", n)
	}
}
