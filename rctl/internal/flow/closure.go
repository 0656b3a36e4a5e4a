package flow

import (
	"context"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/effort"
)

// heavy returns a cut of c between two others whose events weigh at least enough
// together, weights multiplied by sign. If no cut does, it returns a cut of the greatest
// weight, or any cut if the greatest weight is at most floor. floor is less than enough.
func heavy(ctx context.Context, c *graphs.Computation, low, high graphs.Cut, weight []int64, sign, enough, floor int64) (graphs.Cut, error) {
	g := &closure{comp: c, weights: weight, sign: sign}
	return g.heaviest(ctx, g.windows(low, high), enough, floor, nil)
}

// between returns the weight of the events between two cuts.
func (g *closure) between(from, to graphs.Cut) (weight int64) {
	return g.sign * weightBetween(g.comp, g.weights, from, to)
}

// A closure is a graph of segments of processes, and the search for a closed set of
// greatest weight in it: a set that has with each segment all segments needed by it.
//
// Each segment of positive weight supplies as much flow, each of negative weight
// demands it, and flow runs from a segment to the segments needed by it. Under a
// maximum flow, the set has the segments that remaining supplies can still reach.
//
// Flow goes by layers. Whenever layers are made, the segments that supplies still reach
// are a closed set. It weighs as much as these supplies less the demands in it, and no
// set weighs more than all remaining supplies. So flow ends once enough is reached, or
// too little is left.
//
// Fewer segments make the search faster, and the set can end in few places only. A segment
//
//	(1) joins the one before it if it needs no other process and its weight is not
//	    negative: a set with the one before loses nothing by including it
//	(2) joins the one after it if nothing else needs it and its weight is not
//	    positive: a set without the one after loses nothing by leaving it out
type closure struct {
	comp    *graphs.Computation
	weights []int64 // by event: its weight
	sign    int64   // the factor of all weights: 1 or -1

	// the cut without segments, and that cut with the events that (1) joins to it
	low, least graphs.Cut
	weight     int64 // the weight of least
	// by segment: its first and last event; segments of a process are consecutive
	first, last []graphs.Event
	// The places off[v]:off[v+1] have the edges of segment v. The edge to the segment before it, if
	// that is of the same process, comes first.
	off   []int32
	edge  []int32 // by place: the edge's number, or its complement at the needed segment
	other []int32 // by place: the segment at the other end of the edge
	flow  []int64 // by edge: the flow from the segment that needs the other to that one

	supply, demand []int64
	level          []int32 // by segment: its distance from the supplies; -1 if they do not reach it
	next           []int32 // by segment: the place at which send continues

	// Only build uses the fields below.
	start []int32    // by process: how many events the processes before it have
	of    []int32    // by event: its segment, counted from 1; 0 for events in least
	marks []mark     // by event: its mark
	cross [][2]int32 // pairs of an event and one that it needs, sorted by the former
	edges [][2]int32 // pairs of a segment and one that it needs, sorted by the former
	stack []segment
}

// A mark says which edges from and to other processes an event has.
type mark uint8

const (
	needs  mark = 1 << iota // the event has an edge from another event
	needed                  // the event has an edge to another event
)

// A segment is a piece of a process that a closed set includes as a whole or not at all.
type segment struct {
	first, last graphs.Event
	weight      int64
	mark        mark // whether events of other processes need it, or it needs them
}

// join returns s with the segment after it.
func (s segment) join(after segment) segment {
	return segment{s.first, after.last, s.weight + after.weight, s.mark | after.mark}
}

// build makes the graph of the events between two cuts. It reuses the memory of the last graph. The
// weight of the first cut must be set.
//
// The time complexity of build is O(n+|V|+|edges|), for the events between the two.
func (g *closure) build(ctx context.Context, low, high graphs.Cut) error {
	c, n := g.comp, int32(0)
	g.low = low
	g.start = resized(g.start, len(low))
	for p, k := range low {
		g.start[p] = n
		n += high[p] - k
	}
	g.marks, g.cross = resized(g.marks, int(n)), g.cross[:0]
	for p, k := range low {
		at := g.start[p]
		for e := c.Event(p, int(k)+1); e <= c.Event(p, int(high[p])); e++ {
			for _, f := range c.Preds(e) {
				if q := c.Process(f); int32(c.Position(f)) > low[q] {
					on := g.place(f)
					g.marks[at] |= needs
					g.marks[on] |= needed
					g.cross = append(g.cross, [2]int32{at, on})
				}
			}
			at++
		}
	}
	g.least = append(g.least[:0], low...)
	g.of = resized(g.of, int(n))
	g.first, g.last = g.first[:0], g.last[:0]
	g.supply, g.demand = g.supply[:0], g.demand[:0]
	for p := range low {
		g.cutUp(p, int(low[p]), int(high[p]))
	}
	g.connect()
	return effort.Spend(ctx, int64(len(g.first)+len(g.edge)))
}

// cutUp makes the segments of the events of a process from one state to another.
func (g *closure) cutUp(p, low, high int) {
	c, stack := g.comp, g.stack[:0]
	for i := low + 1; i <= high; i++ {
		e := c.Event(p, i)
		seg := segment{e, e, g.sign * g.weights[e], g.marks[int(g.start[p])+i-low-1]}
		// (2)
		for n := len(stack); n > 0 && stack[n-1].mark&needed == 0 && stack[n-1].weight <= 0; n-- {
			seg = stack[n-1].join(seg)
			stack = stack[:n-1]
		}
		for n := len(stack); n > 0 && seg.mark&needs == 0 && seg.weight >= 0; n-- { // (1)
			seg = stack[n-1].join(seg)
			stack = stack[:n-1]
		}
		if len(stack) == 0 && seg.mark&needs == 0 && seg.weight >= 0 {
			g.least[p] = int32(i)
			g.weight += seg.weight
			continue
		}
		stack = append(stack, seg)
	}
	for _, seg := range stack {
		g.first = append(g.first, seg.first)
		g.last = append(g.last, seg.last)
		g.supply = append(g.supply, max(0, seg.weight))
		g.demand = append(g.demand, max(0, -seg.weight))
		of := g.of[g.place(seg.first):]
		for i := range seg.last - seg.first + 1 {
			of[i] = int32(len(g.first))
		}
	}
	g.stack = stack
}

// place returns the place of an event among those of the graph.
func (g *closure) place(e graphs.Event) int32 {
	p := g.comp.Process(e)
	return g.start[p] + int32(g.comp.Position(e)) - g.low[p] - 1
}

// connect adds the edges: from each segment to the one before it (first in searches)
// and to the segments of its causes.
func (g *closure) connect() {
	n, cross := len(g.first), g.cross
	g.edges = g.edges[:0]
	for v := range int32(n) {
		if v > 0 && g.comp.Process(g.first[v-1]) == g.comp.Process(g.first[v]) {
			g.edges = append(g.edges, [2]int32{v, v - 1})
		}
		for ; len(cross) > 0 && g.of[cross[0][0]] <= v+1; cross = cross[1:] {
			to := g.of[cross[0][1]] - 1
			if g.of[cross[0][0]] == 0 || to < 0 || to == v {
				continue
			}
			if k := len(g.edges) - 1; k < 0 || g.edges[k] != [2]int32{v, to} {
				g.edges = append(g.edges, [2]int32{v, to})
			}
		}
	}
	g.off = resized(g.off, n+1)
	for _, e := range g.edges {
		g.off[e[0]+1]++
		g.off[e[1]+1]++
	}
	for v := range n {
		g.off[v+1] += g.off[v]
	}
	g.flow = resized(g.flow, len(g.edges))
	g.edge, g.other = resized(g.edge, 2*len(g.edges)), resized(g.other, 2*len(g.edges))
	g.next = append(g.next[:0], g.off[:n]...)
	put := func(v, w, edge int32) {
		g.edge[g.next[v]], g.other[g.next[v]] = edge, w
		g.next[v]++
	}
	for k, e := range g.edges {
		put(e[0], e[1], int32(k))
	}
	for k, e := range g.edges {
		put(e[1], e[0], ^int32(k))
	}
	g.level = resized(g.level, n)
	for v := range g.level {
		g.level[v] = -1
	}
}

// resized returns a list of n zeros. It reuses the memory of the given list if that is enough.
func resized[T any](list []T, n int) []T {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}

// open reports whether more can flow through the edge at a place.
func (g *closure) open(place int32) bool {
	k := g.edge[place]
	return k >= 0 || g.flow[^k] > 0
}

// saturate finds a maximum flow by blocking flows on layers (Dinic, 1970), and returns how much
// supply is left, which is the weight of the set that it reaches. It ends early if no more than floor
// is left, so that no set weighs more, or if the set reached weighs enough. If the processes together
// can supply little more than floor, it first sends flow along each process.
func (g *closure) saturate(ctx context.Context, enough, floor int64) (weight int64, err error) {
	left := g.prefixes()
	if left <= max(floor, 2*floor) {
		g.carry()
	}
	var queue, path []int32 // segments, and places
	for left > floor {
		queue = g.layer(queue[:0])
		left, weight = 0, 0
		roots := 0
		for i, v := range queue {
			if g.level[v] == 0 {
				left += g.supply[v]
				roots = i + 1
			}
			weight -= g.demand[v]
		}
		if weight += left; weight == left || weight >= enough {
			return weight, nil
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
			supply := g.supply[v]
			path = g.send(v, path[:0])
			if left -= supply - g.supply[v]; left <= floor {
				break
			}
		}
	}
	return left, nil
}

// prefixes returns the sum over all processes of the weight of the heaviest prefix of segments.
func (g *closure) prefixes() (weight int64) {
	now, most := int64(0), int64(0)
	for v := range g.first {
		if !g.follows(v) {
			weight += most
			now, most = 0, 0
		}
		now += g.supply[v] - g.demand[v]
		most = max(most, now)
	}
	return weight + most
}

// follows reports whether segment v-1 is of the same process, so that v needs it.
func (g *closure) follows(v int) bool {
	return v > 0 && g.comp.Process(g.first[v]) == g.comp.Process(g.first[v-1])
}

// carry sends the most flow along each process: its supplies fill the demands before
// them, and what remains is returned to the first supplies.
func (g *closure) carry() {
	carried := int64(0)
	for v := len(g.first) - 1; v >= 0; v-- {
		carried += g.supply[v]
		filled := min(carried, g.demand[v])
		g.demand[v] -= filled
		if carried -= filled; g.follows(v) {
			g.flow[g.edge[g.off[v]]] = carried
			continue
		}
		for w := v; w == v || w < len(g.first) && g.follows(w); w++ {
			if w > v {
				g.flow[g.edge[g.off[w]]] -= carried
			}
			g.supply[w] = min(carried, g.supply[w])
			carried -= g.supply[w]
		}
	}
}

// layer sets the level of each segment, and returns the segments that supplies reach, sorted by
// level.
func (g *closure) layer(queue []int32) (by []int32) {
	for v, supply := range g.supply {
		g.level[v] = -1
		if supply > 0 {
			g.level[v] = 0
			queue = append(queue, int32(v))
		}
	}
	for i := 0; i < len(queue); i++ {
		v := queue[i]
		for place := g.off[v]; place < g.off[v+1]; place++ {
			if w := g.other[place]; g.level[w] < 0 && g.open(place) {
				g.level[w] = g.level[v] + 1
				queue = append(queue, w)
			}
		}
	}
	return queue
}

// send sends as much as possible of the supply of root to demands, from layer to layer.
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

// push sends flow along a path from root to v, and returns the path up to the first edge that is
// used up.
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

// cut returns the cut that has the segments reached by supplies.
func (g *closure) cut() graphs.Cut {
	cut := g.least.Clone()
	for v, last := range g.last {
		if g.level[v] >= 0 {
			p := g.comp.Process(last)
			cut[p] = max(cut[p], int32(g.comp.Position(last)))
		}
	}
	return cut
}
