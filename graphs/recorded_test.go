package graphs_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
)

// The recorded order is that of times, and then of lines, unless an effect would come before its
// cause.
func TestRecorded(t *testing.T) {
	type said struct {
		process    int
		time, file string
		line       int
	}
	for _, test := range []struct {
		name   string
		events []said
		from   []int // the event that sends to each, -1 for none
		want   []int // nil for no order
	}{
		{name: "times", events: []said{{0, "3", "", 0}, {1, "1.5", "", 0}, {2, `"1970-01-01T00:00:02Z"`, "", 0}}, want: []int{1, 2, 0}},
		{name: "equal times", events: []said{{0, "1", "f", 2}, {1, "1", "f", 1}}, want: []int{1, 0}},
		{name: "clocks differ", events: []said{{0, "5", "", 0}, {1, "1", "", 0}, {1, "2", "", 0}, {2, "6", "", 0}}, from: []int{-1, 0, -1, -1}, want: []int{0, 1, 2, 3}},
		{name: "nanoseconds", events: []said{{0, "1700000000000000002", "", 0}, {1, "1700000000000000001", "", 0}}, want: []int{1, 0}},
		{name: "lines", events: []said{{0, "", "f", 7}, {1, "1", "f", 2}}, want: []int{1, 0}},
		{name: "an effect before its cause", events: []said{{0, "", "f", 7}, {1, "", "f", 2}}, from: []int{-1, 0}},
		{name: "two files", events: []said{{0, "", "f", 7}, {1, "", "g", 2}}},
		{name: "nothing", events: []said{{0, "", "", 0}, {1, "", "", 0}}},
	} {
		b := new(graphs.Builder)
		for p := range 3 {
			b.Process(fmt.Sprintf("P%d", p))
		}
		for i, e := range test.events {
			h := b.Event(e.process)
			if e.time != "" {
				b.SetTime(h, e.time)
			}
			if e.file != "" {
				b.SetPlace(h, graphs.Place{File: e.file, Line: e.line})
			}
			b.SetID(h, fmt.Append(nil, i))
			if test.from != nil && test.from[i] >= 0 {
				b.Deliver(b.NewMessage(""), graphs.Handle(test.from[i]), h, -1)
			}
		}
		c, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		var got, want []string
		for _, e := range c.Recorded() {
			got = append(got, c.ID(e))
		}
		for _, i := range test.want {
			want = append(want, fmt.Sprint(i))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", test.name, got, want)
		}
	}
}
