package flow

import (
	"context"
	"math"
	"slices"

	"github.com/pota-project/pota/graphs"
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

// heaviest returns the cut of the heaviest closed set, or of one that weighs enough.
func (g *closure) heaviest(ctx context.Context, w *windows, enough int64) (graphs.Cut, error) {
	best, cut := g.weight, g.least
	supply, demand := slices.Clone(g.supply), slices.Clone(g.demand)
	for v := range g.level {
		g.level[v] = math.MaxInt32 // in no window that is looked at
	}
	for i, among := range w.among {
		if best >= enough {
			break
		}
		for _, v := range among {
			g.supply[v], g.demand[v] = supply[v], demand[v]
			for _, k := range g.edge[g.off[v]:g.off[v+1]] {
				if k >= 0 {
					g.flow[k] = 0
				}
			}
		}
		base := g.weight + w.weight[i]
		left, err := g.saturate(ctx, among, best-base)
		if err != nil {
			return nil, err
		}
		if base+left > best {
			best = base + left
			cut = g.cut(func(v int32) bool { return int(w.enter[v]) <= i || g.level[v] >= 0 && g.level[v] < math.MaxInt32 })
		}
		for _, v := range among {
			g.level[v] = math.MaxInt32
		}
	}
	return cut, nil
}
