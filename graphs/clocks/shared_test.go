package clocks

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
)

// Shared clocks order what their readings say, but for those that the trace contradicts.
func TestSharedTwin(t *testing.T) {
	ordering, contradicted := 0, 0
	for seed := range uint64(graphtest.Rounds(t, 2000)) {
		c := small(t, rand.New(rand.NewPCG(seed, 3)), "offsets")
		d, sharing, err := Shared(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		before := graphtest.HappenedBefore(c)
		want := graphtest.HappenedBefore(c)
		var byClock [][2]graphs.Event
		pairs(t, c, func(e, f graphs.Event, te, tf int64) {
			clock := c.Clock(c.Process(e))
			if clock != "" && clock == c.Clock(c.Process(f)) && c.Process(e) != c.Process(f) && te < tf {
				want[e][f] = true
				byClock = append(byClock, [2]graphs.Event{e, f})
			}
		})
		want.Close()
		// The first of such a pair is surely earlier. So a cycle through it contradicts the clock,
		// even if the two were together already.
		reversed := func(pair [2]graphs.Event) bool { return want[pair[1]][pair[0]] }
		if slices.ContainsFunc(byClock, reversed) {
			contradicted++
			if !slices.Equal(sharing.Contradicted, []string{"host"}) || sharing.Clocks != 0 {
				t.Fatalf("seed %d: %+v, but the clock contradicts the trace", seed, sharing)
			}
			want = before
		} else if sharing.Contradicted != nil {
			t.Fatalf("seed %d: %+v, but nothing contradicts the clock", seed, sharing)
		}
		ordering += sharing.Clocks
		if got := graphtest.HappenedBefore(d); !got.Equal(want) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
	}
	if ordering == 0 || contradicted == 0 {
		t.Errorf("%d order, %d are contradicted", ordering, contradicted)
	}
}

// Events that happen together have one true time, so one clock cannot show two times at them.
func TestSharedTogether(t *testing.T) {
	for _, test := range []struct {
		times        [2]string
		contradicted []string
	}{
		{[2]string{"1", "0"}, []string{"host"}},
		{[2]string{"0", "1"}, []string{"host"}},
		{[2]string{"1", "1"}, nil},
		{[2]string{"1", ""}, nil},
	} {
		var b graphs.Builder
		var handles [2]graphs.Handle
		for i, name := range []string{"P", "Q"} {
			p := b.Process(name)
			b.SetClock(p, "host")
			handles[i] = b.Event(p)
			if test.times[i] != "" {
				b.SetTime(handles[i], test.times[i])
			}
		}
		b.Sync(handles[0], handles[1])
		c, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		d, sharing, err := Shared(t.Context(), c)
		if err != nil || !slices.Equal(sharing.Contradicted, test.contradicted) || !d.SameStep(1, 2) {
			t.Errorf("%q: %+v, %v", test.times, sharing, err)
		}
	}
}

// Clocks come in the order of the first processes that read them.
func TestOrderOfClocks(t *testing.T) {
	var b graphs.Builder
	for p, name := range []string{"b", "", "a", "a", "c", "b"} {
		b.SetClock(b.Process(string(rune('P'+p))), name)
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if names, groups := sharedClocks(c); fmt.Sprint(names, groups) != "[b a] [[0 5] [2 3]]" {
		t.Errorf("%v %v", names, groups)
	}
}
