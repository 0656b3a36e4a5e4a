package lint

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
)

// exchange returns an execution of three processes that send each other messages, with true times in
// milliseconds, each read from a clock.
func exchange(t *testing.T, r *rand.Rand, clock func(process, now int) int) *graphs.Computation {
	t.Helper()
	b := new(graphs.Builder)
	for p := range 3 {
		b.Process(string(rune('A' + p)))
	}
	now := 1000
	event := func(p int) graphs.Handle {
		h := b.Event(p)
		b.SetInstant(h, int64(clock(p, now))*int64(time.Millisecond))
		return h
	}
	for range 10 + r.IntN(30) {
		p := r.IntN(3)
		now += r.IntN(10)
		send := event(p)
		now += 1 + r.IntN(10)
		b.Order(send, event((p+1+r.IntN(2))%3))
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestClocks checks that the reported bounds contain planted offsets, and that exactly the planted
// drift is reported.
func TestClocks(t *testing.T) {
	offsets, drifts, planted := 0, 0, 0
	for seed := range uint64(graphtest.RoundsUpTo(t, 800, 5000)) {
		r := rand.New(rand.NewPCG(seed, 8))
		offset := [3]int{r.IntN(200), r.IntN(200), r.IntN(200)}
		fast, jump := r.IntN(3), 0
		if seed%2 == 0 {
			jump = 1 + r.IntN(100)
			planted++
		}
		c := exchange(t, r, func(p, now int) int {
			now += offset[p]
			if p == fast && now >= 1100+offset[p] {
				now += jump
			}
			return now
		})
		for _, f := range Find(c, 0) {
			var ahead, behind string
			var least, most time.Duration
			switch {
			case f.Kind == "drift" && jump == 0:
				t.Fatalf("seed %d: %s", seed, f.Text)
			case f.Kind == "drift":
				drifts++
				if !strings.Contains(f.Text, "clock of "+string(rune('A'+fast))+" gained") && !strings.HasPrefix(f.Text, "no constant") {
					t.Fatalf("seed %d: %s, but it is %c", seed, f.Text, 'A'+fast)
				}
				continue
			case f.Kind != Offset || jump > 0:
				continue
			case strings.Contains(f.Text, " apart"):
				text := strings.Fields(strings.TrimPrefix(f.Text, "by messages, the clocks of "))
				ahead, behind = text[2], text[0]
				most, _ = time.ParseDuration(text[6])
				least = -most
			default:
				text := strings.Fields(strings.TrimPrefix(f.Text, "by messages, the clock of "))
				ahead, behind = text[0], text[len(text)-1]
				least, _ = time.ParseDuration(text[2])
				most, _ = time.ParseDuration(text[4])
			}
			offsets++
			is := time.Duration(offset[ahead[0]-'A']-offset[behind[0]-'A']) * time.Millisecond
			if is < least || is > most {
				t.Fatalf("seed %d: %s, but it is %s", seed, f.Text, is)
			}
		}
	}
	if offsets < 10*planted/4 || drifts < planted/3 {
		t.Errorf("%d offsets, %d of %d drifts", offsets, drifts, planted)
	}
}

// TestLeastSkew compares the least bound, that of a chain or of a single step back, with that of all pairs
// of events.
func TestLeastSkew(t *testing.T) {
	found := 0
	for seed := range uint64(graphtest.RoundsUpTo(t, 800, 5000)) {
		r := rand.New(rand.NewPCG(seed, 9))
		c := exchange(t, r, func(_, now int) int { return now + r.IntN(40) })
		at := func(e graphs.Event) time.Duration {
			ns, _, _ := c.Instant(e, time.Second)
			return time.Duration(ns)
		}
		least := time.Duration(0)
		for p := range c.NumProcesses() {
			last := c.LastBefore(p)
			for f := graphs.Event(1); f < c.Top(); f++ {
				for k := 1; k <= int(last[f]); k++ {
					least = max(least, at(c.Event(p, k))-at(f))
				}
			}
		}
		chain, single := fmt.Sprintf("no --skew below %s explains", least), fmt.Sprintf(" by at most %s", least)
		has := false
		for _, f := range Find(c, 0) {
			isChain := strings.HasPrefix(f.Text, chain) && at(f.Events[0])-at(f.Events[1]) == least
			has = has || isChain || strings.Contains(f.Text, single)
			if isChain {
				found++
			}
		}
		if has != (least > 0) {
			t.Fatalf("seed %d: %s: %v", seed, chain, has)
		}
	}
	if found < 10 {
		t.Errorf("only %d", found)
	}
}
