package flow

import (
	"cmp"
	"context"
	"slices"

	"github.com/pota-project/pota/graphs"
)

// maxNarrow bounds the steps that narrow checks by minimum cuts.
const maxNarrow = 64

// narrow reports whether no passage can execute some event: whether the sum is more than
// most at every cut directly before the event, or at every cut directly after it. Each
// passage has such cuts for each event: they contain everything before the event and
// nothing after it. A minimum cut finds the least sum of all of them. sum is that of the
// first cut.
//
// It checks the few steps that add the most to the sum. The time complexity of narrow is
// O(|V|log|V|) plus that of the minimum cuts.
func (s *passage) narrow(ctx context.Context, sum int64) (bool, error) {
	c := s.comp
	var steps [][]graphs.Event
	for p, k := range s.to {
		for i := s.from[p] + 1; i <= k; i++ {
			e := c.Event(p, int(i))
			if step := c.Step(e); step[0] == e {
				steps = append(steps, step)
			}
		}
	}
	slices.SortStableFunc(steps, func(a, b []graphs.Event) int {
		return cmp.Compare(weightOf(b, s.weight), weightOf(a, s.weight))
	})
	for _, step := range steps[:min(len(steps), maxNarrow)] {
		low, _ := c.Above(s.from, step...)
		low = low.Clone()
		move(c, low, step, -1)
		high, _ := c.Below(s.to, step...)
		cut, err := lightest(ctx, c, s.weight, low, high)
		if err != nil {
			return false, err
		}
		before := sum + weightBetween(c, s.weight, s.from, cut)
		if before+max(0, weightOf(step, s.weight)) > s.most {
			return true, nil
		}
	}
	return false, nil
}
