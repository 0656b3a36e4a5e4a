package flow

import (
	"cmp"
	"context"
	"math"
	"sync"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/effort"
)

// windows are parts of a closure's graph in one of which is all that is open about a
// heaviest closed set. A set that has segment a of a process and not segment b, a later
// one, has all that a needs and nothing that needs b. So with segments b₁, b₂, … of one process
// each closed set is, for some g, what b_g needs and a closed set of the window g: of the
// segments that neither b_g needs nor need b_{g+1}.
//
// Where messages are many and the trace is long the windows are short, and overlap little.
// In each, flow ends as soon as the supplies that are left cannot make a set heavier than
// the heaviest so far: a flow through the whole graph would have to lead them far away.
type windows struct {
	begin  []int32   // of each window but the first: b_g
	enter  []int32   // of each segment: the first g such that b_g needs it
	among  [][]int32 // the segments of each window
	weight []int64   // of what b_g needs, beside the cut without segments
}

// smallestWindow is how many segments there are for each window at least, mostOverlap in how
// many windows each is on the average at most, and fewestWindows how many there must be for
// them to be short then. Tests lower the first and the last.
var smallestWindow, fewestWindows = 1 << 10, 16

const mostOverlap = 3

// windows returns nil where they would not be short.
//
// The time complexity of windows is O(|segments|+|edges|).
func (g *closure) windows() *windows {
	n := len(g.first)
	count := n / smallestWindow
	if count < fewestWindows {
		return nil
	}
	c := g.s.Of()
	per := make([][]int32, c.NumProcesses())
	longest := 0
	for v := range n {
		p := c.Process(g.first[v])
		if per[p] = append(per[p], int32(v)); len(per[p]) > len(per[longest]) {
			longest = p
		}
	}
	count = min(count, len(per[longest]))
	w := &windows{enter: make([]int32, n)}
	leave := make([]int32, n) // the last g such that it needs b_g
	for v := range w.enter {
		w.enter[v] = int32(count)
	}
	bound := func(j int) int32 { return per[longest][j*len(per[longest])/count] }
	var queue []int32
	for j := 1; j < count; j++ {
		queue = g.reach(bound(j), true, w.enter, int32(count), int32(j), queue)
	}
	for j := count - 1; j > 0; j-- {
		queue = g.reach(bound(j), false, leave, 0, int32(j), queue)
	}
	if count = w.widen(leave, count); count < fewestWindows {
		return nil
	}
	w.begin = make([]int32, count+1)
	for _, v := range per[longest] { // b_g is the last that it needs itself
		w.begin[w.enter[v]] = v
	}
	w.among, w.weight = make([][]int32, count), make([]int64, count+1)
	for v := range n {
		w.weight[w.enter[v]] += g.supply[v] - g.demand[v]
		for i := leave[v]; i < w.enter[v]; i++ {
			w.among[i] = append(w.among[i], int32(v))
		}
	}
	for i := range count {
		w.weight[i+1] += w.weight[i]
	}
	return w
}

// reach notes j for what a segment needs, or for what needs it, where there is none yet.
func (g *closure) reach(root int32, needed bool, note []int32, none, j int32, queue []int32) []int32 {
	if queue = queue[:0]; note[root] == none {
		queue = append(queue, root)
		note[root] = j
	}
	for i := 0; i < len(queue); i++ {
		v := queue[i]
		for place := g.off[v]; place < g.off[v+1]; place++ {
			if w := g.other[place]; note[w] == none && g.edge[place] >= 0 == needed {
				note[w] = j
				queue = append(queue, w)
			}
		}
	}
	return queue
}

// widen leaves out every other b_g until windows overlap little or are too few, and returns
// how many windows there are.
func (w *windows) widen(leave []int32, count int) int {
	for ; count >= fewestWindows; count = (count + 1) / 2 {
		total := 0
		for v, enter := range w.enter {
			total += int(max(0, enter-leave[v]))
		}
		if total <= mostOverlap*len(leave) {
			break
		}
		for v := range leave {
			w.enter[v] = (w.enter[v] + 1) / 2
			leave[v] /= 2
		}
	}
	return count
}

// sides are how many windows are looked at side by side. They do not depend on the machine, so
// neither do the steps that are counted.
const sides = 2

// heaviest returns the cut of the heaviest closed set, or of one that weighs enough, as heavy
// does: of such that are in several windows that of the first. seen, if it is not nil, is told of
// each window, in their order, with the flow in it.
func (g *closure) heaviest(ctx context.Context, w *windows, enough, floor int64, seen func(i int, s *closure)) (graphs.Cut, error) {
	cut, best := g.least, max(g.weight, floor)
	var side [sides]*closure
	for k := range side {
		side[k] = g.aside()
	}
	for first := 0; first < len(w.among) && best < enough; first += sides {
		var left, steps [sides]int64
		var errs [sides]error
		var group sync.WaitGroup
		among := w.among[first:min(first+sides, len(w.among))]
		for k := range among {
			group.Go(func() {
				ctx := effort.Counted(ctx) // steps are of one goroutine
				side[k].renew(g, among[k])
				left[k], errs[k] = side[k].saturate(ctx, among[k], best-g.weight-w.weight[first+k])
				steps[k] = effort.Spent(ctx)
			})
		}
		group.Wait()
		for k, s := range side[:len(among)] {
			if err := cmp.Or(errs[k], effort.Spend(ctx, steps[k])); err != nil {
				return nil, err
			}
			if weight := g.weight + w.weight[first+k] + left[k]; weight > best && best < enough {
				best = weight
				cut = s.cut(func(v int32) bool { return int(w.enter[v]) <= first+k || s.level[v] >= 0 && s.level[v] < math.MaxInt32 })
			}
			if seen != nil {
				seen(first+k, s)
			}
			for _, v := range among[k] {
				s.level[v] = math.MaxInt32
			}
		}
	}
	return cut, nil
}

// aside returns the closure with flow and levels of its own, in no window so far.
func (g *closure) aside() *closure {
	s := *g
	s.supply, s.demand = make([]int64, len(g.supply)), make([]int64, len(g.demand))
	s.flow, s.next, s.level = make([]int64, len(g.flow)), make([]int32, len(g.next)), make([]int32, len(g.level))
	for v := range s.level {
		s.level[v] = math.MaxInt32
	}
	return &s
}

// renew lets all supplies and demands of g in a window wait, without flow.
func (s *closure) renew(g *closure, among []int32) {
	for _, v := range among {
		s.supply[v], s.demand[v] = g.supply[v], g.demand[v]
		for _, k := range s.edge[s.off[v]:s.off[v+1]] {
			if k >= 0 {
				s.flow[k] = 0
			}
		}
	}
}
