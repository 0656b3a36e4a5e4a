package flow

import (
	"cmp"
	"context"
	"sync"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/effort"
)

// A window is a part of a computation: it has all events that are in some, but not all,
// of a family of closed sets. A set that has event a of a process and not event b, a
// later one, has all events that a needs and none that needs b. So with events b₁, b₂, …
// of one process each closed set is, for some g, between two cuts: the events that b_g
// needs, and the events that do not need b_{g+1}.
//
// If there are many messages and the trace is long, the windows are short and overlap
// little. In each, flow ends as soon as the remaining supplies cannot make a set heavier
// than the heaviest so far: in the whole graph, flow would have to carry them far away.
type window struct {
	begin     graphs.Event // b_g; ⊥ for the first window
	low, high graphs.Cut
	weight    int64 // the weight of low
}

// smallestWindow is the least number of events per window. maxOverlap bounds in how many windows
// an event is on average, and fewestWindows is the least number of windows for them to be short
// then. Tests lower smallestWindow and fewestWindows.
var smallestWindow, fewestWindows = 1 << 14, 4

const maxOverlap = 2

// windows returns the windows between two cuts, or a single one if they would not be short.
//
// The time complexity of windows is O(|V|+|edges|).
func (g *closure) windows(low, high graphs.Cut) []window {
	c := g.comp
	longest := 0
	for p := range low {
		if high[p]-low[p] > high[longest]-low[longest] {
			longest = p
		}
	}
	length := int(high[longest] - low[longest])
	count := min((high.Size()-low.Size())/max(smallestWindow, len(low)), length)
	whole := window{graphs.Bottom, low, high, g.between(c.NoEvents(), low)}
	all := []window{whole}
	for j := 1; j < count && count >= fewestWindows; j++ {
		b, last := c.Event(longest, int(low[longest])+j*length/count+1), all[len(all)-1]
		if c.Has(last.low, b) {
			continue
		}
		with, _ := c.Above(last.low, b)
		all = append(all, window{b, with, high, last.weight + g.between(last.low, with)})
	}
	for j := len(all) - 2; j >= 0; j-- {
		all[j].high, _ = c.Below(all[j+1].high, all[j+1].begin)
	}
	for ; len(all) >= fewestWindows; all = everyOther(all) {
		total := 0
		for _, w := range all {
			total += w.high.Size() - w.low.Size()
		}
		if total <= maxOverlap*(high.Size()-low.Size()) {
			return all
		}
	}
	return []window{whole}
}

// everyOther joins the windows in pairs.
func everyOther(all []window) (wide []window) {
	for len(all) > 1 {
		all[0].high = all[1].high
		wide, all = append(wide, all[0]), all[2:]
	}
	return append(wide, all...)
}

// sides is how many windows are processed in parallel. It does not depend on the machine, so that
// the number of steps does not, either.
const sides = 2

// heaviest returns the cut of the heaviest closed set, or of one that weighs enough, as
// heavy does. Of equal sets it returns the one of the first window. If seen is not nil, it
// is called for each window in order, with the flow in it.
func (g *closure) heaviest(ctx context.Context, all []window, enough, floor int64, seen func(w window, s *closure)) (graphs.Cut, error) {
	cut, best := all[0].low, max(all[0].weight, floor)
	side := [sides]closure{*g, *g}
	for len(all) > 0 && best < enough {
		var left, steps [sides]int64
		var errs [sides]error
		var group sync.WaitGroup
		now := all[:min(sides, len(all))]
		for k, w := range now {
			group.Go(func() {
				// only one goroutine may spend the steps of a context
				s, ctx := &side[k], effort.Counted(ctx)
				s.weight = w.weight
				if errs[k] = s.build(ctx, w.low, w.high); errs[k] == nil {
					left[k], errs[k] = s.saturate(ctx, enough-s.weight, best-s.weight)
				}
				steps[k] = effort.Spent(ctx)
			})
		}
		group.Wait()
		for k, w := range now {
			if err := cmp.Or(errs[k], effort.Spend(ctx, steps[k])); err != nil {
				return nil, err
			}
			if weight := side[k].weight + left[k]; weight > best && best < enough {
				best, cut = weight, side[k].cut()
			}
			if seen != nil {
				seen(w, &side[k])
			}
		}
		all = all[len(now):]
	}
	return cut, nil
}
