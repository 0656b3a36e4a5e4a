package flow

import (
	"context"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/rctl/internal/effort"
	"github.com/pota-project/pota/slice"
)

// heavy returns a cut of s, which is not empty, whose events weigh at least enough
// together, weights multiplied by sign; where there is none, one of the greatest
// weight, or any if that is no more than floor, which is less than enough.
func heavy(ctx context.Context, s *slice.Slice, weight []int64, sign, enough, floor int64) (graphs.Cut, error) {
	g := newClosure(s, weight, sign)
	if err := effort.Spend(ctx, int64(len(g.first)+len(g.edge))); err != nil {
		return nil, err
	}
	if w := g.windows(); w != nil {
		return g.heaviest(ctx, w, enough, floor, nil)
	}
	if err := g.maximize(ctx, enough, floor); err != nil {
		return nil, err
	}
	return g.cut(func(v int32) bool { return g.level[v] >= 0 }), nil
}

// A closure is a graph of segments of processes in which a closed set of greatest
// weight is sought: a set that has with each segment all those that it needs.
//
// Each segment of positive weight supplies as much flow, each of negative weight
// demands it, and flow runs from a segment to those that it needs. Under a maximum
// flow, the set is what can still be reached from supplies that are left.
//
// What can be reached from a supply and has no demand left is closed for good: it
// has all that it needs, and flow that entered it could not leave. So supplies are
// seen to one by one, each by the nearest demands, and what is reached from one that
// is left over joins the set. In the order of a run each finds its demands nearby,
// as sums that go up have gone down before, on the same process or where a token was
// before; so none may be taken by a later supply, and of equally near ones that of the
// same process comes first. What that leaves is done by layers. Segments are numbered in the
// order of the run, so that what is near in it is near in memory.
//
// The fewer segments the better, and few places can be the end of the set. A segment
//
//	(1) joins the one before it if it needs no other process and its weight is not
//	    negative: a set with the one before loses nothing by taking it
//	(2) joins the one after it if nothing else needs it and its weight is not
//	    positive: a set without the one after loses nothing by leaving it out
type closure struct {
	s     *slice.Slice
	least graphs.Cut // of s, and what (1) joins to it

	first []graphs.Event // of each segment
	last  []graphs.Event
	pivot []graphs.Event // up to it nothing else is needed, and no first events weigh more than none; after it none outweigh all
	off   []int32        // off[v]:off[v+1] are the places of segment v's edges
	edge  []int32        // at a place: the number of the edge, negated behind its far end
	other []int32        // at a place: the segment at the other end
	flow  []int64        // of each edge, from the segment that needs to the one needed
	ends  []graphs.Edge  // of each edge: an event that is needed, and one that needs it

	supply, demand []int64
	level          []int32 // -1 where a segment is not known to be in the set
	next           []int32 // place from which segment v goes on; in augment that by which it was reached
	from           []int32 // in augment the segment from which v was reached
	weight         int64   // of the cut without segments, and of those that joined it
}

type segment struct {
	first, last, pivot graphs.Event
	weight             int64
	needs              bool // has an edge from another segment
	needed             bool // by another process, or by an event before
}

func newClosure(s *slice.Slice, weight []int64, sign int64) *closure {
	c := s.Of()
	g := &closure{s: s, least: s.Least().Clone()}
	for p, k := range g.least {
		for i := 1; i <= int(k); i++ {
			g.weight += sign * weight[c.Event(p, i)]
		}
	}
	greatest := s.Greatest()
	added := s.Edges()
	free := func(e graphs.Event) bool {
		p := c.Process(e)
		return p >= 0 && !c.Has(s.Least(), e) && c.Has(greatest, e)
	}
	size := int(c.Top()) + 1
	needs, needed := dense.NewSet(size), dense.NewSet(size)
	kept := added[:0]
	for _, e := range added {
		if free(e.From) && free(e.To) {
			needs.Add(int(e.To))
			needed.Add(int(e.From))
			kept = append(kept, e)
		}
	}
	edges := len(kept)
	for p, k := range greatest {
		for i := int(s.Least()[p]) + 1; i <= int(k); i++ {
			e := c.Event(p, i)
			for _, f := range c.Preds(e) {
				if !c.Has(s.Least(), f) {
					needs.Add(int(e))
					needed.Add(int(f))
					edges++
				}
			}
		}
	}
	of := make([]int32, size)     // segment of each event
	var segments, stack []segment // of all processes, and of one
	for p, k := range greatest {
		stack = stack[:0]
		for i := int(s.Least()[p]) + 1; i <= int(k); i++ {
			e := c.Event(p, i)
			seg := segment{e, e, e, sign * weight[e], needs.Has(int(e)), needed.Has(int(e))}
			for n := len(stack); n > 0 && !stack[n-1].needed && stack[n-1].weight <= 0; n-- { // (2)
				seg.first, seg.weight, seg.needs = stack[n-1].first, seg.weight+stack[n-1].weight, seg.needs || stack[n-1].needs
				stack = stack[:n-1]
			}
			for n := len(stack); n > 0 && !seg.needs && seg.weight >= 0; n-- { // (1)
				before := stack[n-1]
				seg.first, seg.pivot, seg.weight, seg.needs, seg.needed = before.first, before.pivot, seg.weight+before.weight, before.needs, seg.needed || before.needed
				stack = stack[:n-1]
			}
			if len(stack) == 0 && !seg.needs && seg.weight >= 0 {
				g.least[p] = int32(i)
				g.weight += seg.weight
				continue
			}
			stack = append(stack, seg)
		}
		for _, seg := range stack {
			segments = append(segments, seg)
			of[seg.last] = -int32(len(segments))
		}
	}
	for _, e := range c.Order() {
		if of[e] >= 0 {
			continue
		}
		seg := segments[-of[e]-1]
		g.first, g.last, g.pivot = append(g.first, seg.first), append(g.last, seg.last), append(g.pivot, seg.pivot)
		g.supply = append(g.supply, max(0, seg.weight))
		g.demand = append(g.demand, max(0, -seg.weight))
		for e := seg.first; e <= seg.last; e++ {
			of[e] = int32(len(g.first))
		}
	}
	g.connect(c, of, kept, edges)
	return g
}

// connect adds the edges: from each segment to the one before it, which comes first
// in searches, and to those of its causes.
func (g *closure) connect(c *graphs.Computation, of []int32, added []graphs.Edge, most int) {
	n := len(g.first)
	from, to := make([]int32, 0, most+n), make([]int32, 0, most+n)
	need := func(e, f graphs.Event) {
		v, w := of[e]-1, of[f]-1
		if v < 0 || w < 0 || v == w {
			return
		}
		if k := len(from) - 1; k >= 0 && from[k] == v && to[k] == w {
			return
		}
		from, to = append(from, v), append(to, w)
		g.ends = append(g.ends, graphs.Edge{From: f, To: e})
	}
	for v := range g.first {
		if e := g.first[v]; c.Process(e-1) == c.Process(e) {
			need(e, e-1)
		}
		for e := g.first[v]; e <= g.last[v]; e++ {
			for _, f := range c.Preds(e) {
				need(e, f)
			}
		}
	}
	for _, e := range added {
		need(e.To, e.From)
	}
	g.off = make([]int32, n+1)
	for k := range from {
		g.off[from[k]+1]++
		g.off[to[k]+1]++
	}
	for v := range n {
		g.off[v+1] += g.off[v]
	}
	g.flow = make([]int64, len(from))
	g.edge, g.other = make([]int32, 2*len(from)), make([]int32, 2*len(from))
	g.next = append([]int32(nil), g.off[:n]...)
	put := func(v, w, edge int32) {
		g.edge[g.next[v]], g.other[g.next[v]] = edge, w
		g.next[v]++
	}
	for k := range from {
		put(from[k], to[k], int32(k))
		put(to[k], from[k], ^int32(k))
	}
	g.level, g.from = make([]int32, n), make([]int32, n)
	for v := range g.level {
		g.level[v] = -1
	}
}

// open reports whether more can flow by way of a place.
func (g *closure) open(place int32) bool {
	k := g.edge[place]
	return k >= 0 || g.flow[^k] > 0
}

// patience bounds the segments that augment looks at, for each edge. Tests lower it.
var patience = 16

// maximize finds a maximum flow, or a set that weighs enough, or a flow that shows that none
// weighs more than floor: it leaves the empty set then.
func (g *closure) maximize(ctx context.Context, enough, floor int64) error {
	floor = max(floor, g.weight) - g.weight
	done, err := g.augment(ctx, enough)
	if err != nil || done {
		return err
	}
	all := make([]int32, len(g.first))
	for v := range all {
		all[v] = int32(v)
	}
	if left, err := g.saturate(ctx, all, floor); err != nil || left > floor {
		return err
	}
	for v := range g.level {
		g.level[v] = -1
	}
	return nil
}

// augment sends supplies to the nearest demands, one by one in the order of a run,
// and lets what can be reached from one that is left over join the set. It is done
// once the set weighs enough, or all supplies have been seen to; it gives up where
// demands are too far away.
func (g *closure) augment(ctx context.Context, enough int64) (done bool, err error) {
	if g.weight >= enough {
		return true, nil
	}
	seen := make([]int32, len(g.first)) // the last search that reached a segment
	var queue []int32
	search, left := int32(0), patience*(len(g.first)+len(g.edge))
	for v := range int32(len(g.first)) {
		if v&1023 == 1023 {
			if err := effort.Spend(ctx, 1<<10); err != nil {
				return false, err
			}
		}
		for g.supply[v] > 0 && g.level[v] < 0 {
			search++
			at, reached := g.nearest(v, search, seen, queue[:0])
			if left -= len(reached); left < 0 {
				return false, nil
			}
			queue = reached
			if at >= 0 {
				g.fill(v, at)
				continue
			}
			for _, w := range reached {
				g.level[w] = 0
				g.weight += g.supply[w]
			}
			if g.weight >= enough {
				return true, nil
			}
		}
	}
	return true, nil
}

// nearest returns the demand that the fewest edges lead to from a supply, -1 where
// there is none, and the segments that were reached.
func (g *closure) nearest(root, search int32, seen, queue []int32) (at int32, reached []int32) {
	seen[root] = search
	queue = append(queue, root)
	for i := 0; i < len(queue); i++ {
		v := queue[i]
		if g.demand[v] > 0 {
			return v, queue
		}
		for place := g.off[v]; place < g.off[v+1]; place++ {
			if w := g.other[place]; seen[w] != search && g.level[w] < 0 && g.open(place) {
				seen[w] = search
				g.next[w], g.from[w] = place, v
				queue = append(queue, w)
			}
		}
	}
	return -1, queue
}

// fill sends what it can of the supply of root to the demand at, by way of the
// places by which it was reached.
func (g *closure) fill(root, at int32) {
	amount := min(g.supply[root], g.demand[at])
	for v := at; v != root; v = g.from[v] {
		if k := g.edge[g.next[v]]; k < 0 {
			amount = min(amount, g.flow[^k])
		}
	}
	g.supply[root] -= amount
	g.demand[at] -= amount
	for v := at; v != root; v = g.from[v] {
		if k := g.edge[g.next[v]]; k >= 0 {
			g.flow[k] += amount
		} else {
			g.flow[^k] -= amount
		}
	}
}

// saturate finds a maximum flow among segments, by blocking flows on layers (Dinic, 1970),
// or one that leaves no more than enough of the supply. It returns how much is left.
func (g *closure) saturate(ctx context.Context, among []int32, enough int64) (left int64, err error) {
	var queue, path []int32 // the latter places
	for {
		var reached bool
		queue, reached = g.layer(among, queue[:0])
		left = 0
		roots := 0
		for roots < len(queue) && g.level[queue[roots]] == 0 {
			left += g.supply[queue[roots]]
			roots++
		}
		if !reached || left <= enough {
			return left, nil
		}
		if err := effort.Spend(ctx, int64(len(queue))); err != nil {
			return 0, err
		}
		for _, v := range queue {
			g.next[v] = g.off[v]
		}
		for i, v := range queue[:roots] {
			if i&1023 == 1023 {
				if err := effort.Spend(ctx, 1<<10); err != nil {
					return 0, err
				}
			}
			path = g.send(v, path[:0])
		}
	}
}

// layer gives each of some segments its distance from the supplies that are left, -1
// where there is none, and reports whether they reach a demand. It returns the segments by
// distance.
func (g *closure) layer(among, queue []int32) (by []int32, reached bool) {
	for _, v := range among {
		g.level[v] = -1
		if g.supply[v] > 0 {
			g.level[v] = 0
			queue = append(queue, v)
		}
	}
	for i := 0; i < len(queue); i++ {
		v := queue[i]
		reached = reached || g.demand[v] > 0
		for place := g.off[v]; place < g.off[v+1]; place++ {
			if w := g.other[place]; g.level[w] < 0 && g.open(place) {
				g.level[w] = g.level[v] + 1
				queue = append(queue, w)
			}
		}
	}
	return queue, reached
}

// send sends what it can of the supply of root to demands, from layer to layer.
func (g *closure) send(root int32, path []int32) []int32 {
	v := root
	for g.supply[root] > 0 {
		if g.demand[v] > 0 {
			path = g.push(root, v, path)
			v = root
			if n := len(path); n > 0 {
				v = g.other[path[n-1]]
			}
			continue
		}
		place := g.next[v]
		for place < g.off[v+1] && (g.level[g.other[place]] != g.level[v]+1 || !g.open(place)) {
			place++
		}
		g.next[v] = place
		if place < g.off[v+1] {
			path = append(path, place)
			v = g.other[place]
			continue
		}
		n := len(path)
		if n == 0 {
			break
		}
		path = path[:n-1]
		v = root
		if n > 1 {
			v = g.other[path[n-2]]
		}
		g.next[v]++
	}
	return path
}

// push sends flow along a path from root to v, and returns the path up to the
// first edge that is used up by it.
func (g *closure) push(root, v int32, path []int32) []int32 {
	amount := min(g.supply[root], g.demand[v])
	for _, place := range path {
		if k := g.edge[place]; k < 0 {
			amount = min(amount, g.flow[^k])
		}
	}
	g.supply[root] -= amount
	g.demand[v] -= amount
	end := len(path)
	for i, place := range path {
		k := g.edge[place]
		if k >= 0 {
			g.flow[k] += amount
			continue
		}
		g.flow[^k] -= amount
		if g.flow[^k] == 0 {
			end = min(end, i)
		}
	}
	return path[:end]
}

// cut returns the cut of the set of the segments that are in it.
func (g *closure) cut(in func(v int32) bool) graphs.Cut {
	c := g.s.Of()
	cut := g.least.Clone()
	for v, last := range g.last {
		if in(int32(v)) {
			p := c.Process(last)
			cut[p] = max(cut[p], int32(c.Position(last)))
		}
	}
	return cut
}
