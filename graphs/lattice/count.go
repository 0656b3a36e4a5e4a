package lattice

import (
	"cmp"
	"context"
	"encoding/binary"
	"maps"
	"math/big"
	"slices"

	"github.com/pota-project/pota/graphs"
)

// Count returns the number of consistent cuts of c that contain its initial cut; 0 for an empty
// computation. The error is ctx.Err(), or a *LimitError.
//
// Count divides intervals of the lattice. An interval consists of the cuts that contain a cut lo
// and are contained in a cut hi: for each process p, they have between lo[p] and hi[p] events.
// Fixing the count of one process raises lo and lowers hi to the least and the greatest cut with
// that count, so no interval is ever empty. Counts between which the process has no edge to an open
// process have the same effect, and are grouped. A process with lo[p] = hi[p] is done. Sets of
// processes without an open edge between them are independent, so their numbers multiply. Count
// memoizes the numbers by the open processes of an interval and their bounds. It next fixes the
// process that separates the others best; see rank.
//
// The time complexity of Count is O(intervals·edges). It counts each interval once. The number of
// intervals is at most exponential in the number of processes that separate the others from each
// other, not in the number of all processes: a ring of n processes with len events each has
// O(n·len²).
func Count(ctx context.Context, c *graphs.Computation, lim Limits) (*big.Int, error) {
	if c.Empty() {
		return new(big.Int), nil
	}
	k, err := newCounter(ctx, c, lim)
	if err != nil {
		return nil, err
	}
	n, err := k.open(0, k.all)
	if err != nil {
		return nil, err
	}
	return n.big(), nil
}

// A counter counts the cuts of intervals.
//
//	(1) from and to of a link are increasing: no edge of it implies another
//	(2) at every depth lo and hi are consistent cuts, lo within hi
//	(3) key, inside, low, top, starts and high of a frame describe one component of its
//	    members at a time
type counter struct {
	ctx   context.Context
	lim   Limits
	space *space
	all   []int32 // all processes of space
	into  [][]*link
	outof [][]*link
	ranks []int32

	depth []*frame
	memo  map[string]natural // the numbers of intervals, by key of a frame
	bytes int64              // about how many bytes memo holds
	since int                // how many groups were counted since the last check
	steps int64              // how many links were visited

	mark  []int32 // by process: equal to marks until split has visited the process
	marks int32
	todo  []int32 // the work list of settle
}

// entrySize is about how many bytes an entry of the memo takes in addition to its key.
const entrySize = 100

// A link holds the edges from one process to another: every cut with to[i] events
// of target has from[i] events of source.
type link struct {
	source, target int32
	from, to       []int32
}

// A frame is the working memory of one depth of the recursion.
type frame struct {
	lo, hi  []int32 // the interval, by process
	members []int32 // the open processes, component by component
	ends    []int   // the end of each component in members

	// The rest concerns the current component, and the process that is being fixed.
	inside []bool  // by process: whether it is in the component
	low    []int32 // lo for the current count of the process
	top    []int32 // hi for the current count of the process
	starts []int32 // the first count of each group of counts
	high   []int32 // hi for each group, member by member
	key    []byte
}

// newCounter computes links and ranks, and makes the whole lattice the first interval.
func newCounter(ctx context.Context, c *graphs.Computation, lim Limits) (*counter, error) {
	s := newSpace(c)
	n := len(s.process)
	k := &counter{
		ctx: ctx, lim: lim, space: s,
		into: make([][]*link, n), outof: make([][]*link, n),
		mark: make([]int32, n), memo: make(map[string]natural),
	}
	k.addLinks(c)
	if err := k.rank(); err != nil {
		return nil, err
	}
	f := k.frame(0)
	for p := range int32(n) {
		k.all = append(k.all, p)
		f.hi[p] = s.length[p]
	}
	return k, nil
}

// frame returns the frame of a depth. Frames are reused, so that counting hardly allocates.
func (k *counter) frame(depth int) *frame {
	for len(k.depth) <= depth {
		n := len(k.space.process)
		k.depth = append(k.depth, &frame{lo: make([]int32, n), hi: make([]int32, n),
			low: make([]int32, n), top: make([]int32, n), inside: make([]bool, n)})
	}
	return k.depth[depth]
}

// addLinks collects the edges between each pair of processes, without implied ones. Since links
// relate counts of events, an event of a meta-event may have edges from later events of its own
// process: these form a link from the process to itself.
func (k *counter) addLinks(c *graphs.Computation) {
	s := k.space
	for q := range int32(len(s.process)) {
		links := make(map[int32]*link)
		for v := range s.length[q] {
			for _, f := range c.Preds(s.event(int(q), v)) {
				from := s.count(f)
				if from.process < 0 || from.events <= 0 {
					continue
				}
				l := links[from.process]
				if l == nil {
					l = &link{source: from.process, target: q}
					links[from.process] = l
				}
				l.add(from.events, v+1)
			}
		}
		for _, p := range slices.Sorted(maps.Keys(links)) {
			k.into[q] = append(k.into[q], links[p])
			k.outof[p] = append(k.outof[p], links[p])
		}
	}
}

// add adds an edge; edges come in increasing order of to.
func (l *link) add(from, to int32) {
	n := len(l.from)
	if n > 0 && l.from[n-1] >= from {
		return
	}
	if n > 0 && l.to[n-1] == to {
		l.from[n-1] = from
		return
	}
	l.from = append(l.from, from)
	l.to = append(l.to, to)
}

// after returns the least index of a value > bound in increasing values. Counting spends most of
// its time here, and slices.BinarySearch makes it a tenth slower.
func after(values []int32, bound int32) int {
	least, above := 0, len(values)
	for least < above {
		middle := int(uint(least+above) / 2)
		if values[middle] > bound {
			above = middle
		} else {
			least = middle + 1
		}
	}
	return least
}

// isOpen reports whether some edge of l excludes a cut of the interval. As lo and hi are
// consistent, an edge from beyond lo leads beyond lo, and an edge to an event of hi comes from an
// event of hi.
func (l *link) isOpen(lo, hi []int32) bool {
	i := after(l.from, lo[l.source])
	return i < len(l.to) && l.to[i] <= hi[l.target]
}

// settle makes the counts of the processes inside consistent after the count of p has changed.
func (k *counter) settle(counts []int32, p int32, raised bool, inside []bool) {
	k.todo = append(k.todo[:0], p)
	for len(k.todo) > 0 {
		q := k.todo[len(k.todo)-1]
		k.todo = k.todo[:len(k.todo)-1]
		if raised {
			for _, l := range k.into[q] {
				if !inside[l.source] {
					continue
				}
				if i := after(l.to, counts[q]); i > 0 && l.from[i-1] > counts[l.source] {
					counts[l.source] = l.from[i-1]
					k.todo = append(k.todo, l.source)
				}
			}
			continue
		}
		for _, l := range k.outof[q] {
			if !inside[l.target] {
				continue
			}
			if i := after(l.from, counts[q]); i < len(l.to) && l.to[i] <= counts[l.target] {
				counts[l.target] = l.to[i] - 1
				k.todo = append(k.todo, l.target)
			}
		}
	}
}

// open counts the cuts of the interval at a depth, restricted to the given processes.
func (k *counter) open(depth int, processes []int32) (natural, error) {
	f := k.frame(depth)
	product := k.split(f, processes)
	start := 0
	for _, end := range f.ends {
		n, err := k.component(depth, f.members[start:end])
		if err != nil {
			return natural{}, err
		}
		product = product.times(n)
		start = end
	}
	return product, nil
}

// split divides processes into components connected by open edges. It returns the product of the
// numbers of cuts of the components with a single process, and leaves the others in f.members, each
// in increasing order.
func (k *counter) split(f *frame, processes []int32) natural {
	product := natural{small: 1}
	f.members, f.ends = f.members[:0], f.ends[:0]
	k.marks++
	unseen := k.marks
	for _, p := range processes {
		if f.lo[p] < f.hi[p] {
			k.mark[p] = unseen
		}
	}
	for _, p := range processes {
		if k.mark[p] != unseen {
			continue
		}
		k.mark[p] = 0
		start := len(f.members)
		f.members = append(f.members, p)
		for i := start; i < len(f.members); i++ {
			q := f.members[i]
			k.steps += int64(len(k.into[q]) + len(k.outof[q]))
			for _, l := range k.into[q] {
				k.join(f, l, l.source, unseen)
			}
			for _, l := range k.outof[q] {
				k.join(f, l, l.target, unseen)
			}
		}
		// A process without open edges, not even to itself, is independent of all others.
		looped := func(l *link) bool { return l.source == p && l.isOpen(f.lo, f.hi) }
		if len(f.members) == start+1 && !slices.ContainsFunc(k.into[p], looped) {
			f.members = f.members[:start]
			product = product.times(natural{small: uint64(f.hi[p]-f.lo[p]) + 1})
			continue
		}
		slices.Sort(f.members[start:])
		f.ends = append(f.ends, len(f.members))
	}
	return product
}

// join adds p to the last component if it was not visited and the link is open.
func (k *counter) join(f *frame, l *link, p, unseen int32) {
	if k.mark[p] == unseen && l.isOpen(f.lo, f.hi) {
		k.mark[p] = 0
		f.members = append(f.members, p)
	}
}

// component counts the interval at a depth restricted to connected processes.
func (k *counter) component(depth int, members []int32) (natural, error) {
	f := k.frame(depth)
	f.setKey(members)
	if n, ok := k.memo[string(f.key)]; ok {
		return n, nil
	}
	if k.lim.Cuts > 0 && int64(len(k.memo)) >= k.lim.Cuts {
		return natural{}, tooMany(k.lim.Cuts, "intermediate states")
	}
	for _, q := range members {
		f.inside[q] = true
		f.low[q] = f.lo[q]
	}
	// The process with the lowest rank separates the others best.
	p := slices.MinFunc(members, func(p, q int32) int { return cmp.Compare(k.ranks[p], k.ranks[q]) })
	k.group(f, p)
	k.setHighs(f, p, members)
	next := k.frame(depth + 1)
	total := natural{}
	for i, start := range f.starts {
		if err := k.check(); err != nil {
			return natural{}, err
		}
		if start > f.low[p] {
			f.low[p] = start
			k.settle(f.low, p, true, f.inside)
		}
		for j, q := range members {
			next.lo[q], next.hi[q] = f.low[q], f.high[i*len(members)+j]
		}
		if next.lo[p] != start || next.hi[p] < start { // no cut divides a meta-event
			continue
		}
		size := natural{small: uint64(next.hi[p]-start) + 1}
		next.lo[p] = next.hi[p]
		n, err := k.open(depth+1, members)
		if err != nil {
			return natural{}, err
		}
		total = total.plus(size.times(n))
	}
	for _, q := range members {
		f.inside[q] = false
	}
	k.memo[string(f.key)] = total
	k.bytes += int64(len(f.key)) + entrySize
	return total, nil
}

// setKey sets the memo key: the given processes and their bounds.
func (f *frame) setKey(members []int32) {
	f.key = f.key[:0]
	last := int32(0)
	for _, p := range members {
		f.key = binary.AppendUvarint(f.key, uint64(p-last))
		f.key = binary.AppendUvarint(f.key, uint64(f.lo[p]))
		f.key = binary.AppendUvarint(f.key, uint64(f.hi[p]-f.lo[p]))
		last = p
	}
}

// group finds the counts of p at which an open edge begins or ends. All counts from one of them up
// to the next have the same effect.
func (k *counter) group(f *frame, p int32) {
	f.starts = append(f.starts[:0], f.lo[p])
	for _, l := range k.into[p] {
		if f.inside[l.source] {
			for i := after(l.from, f.lo[l.source]); i < len(l.to) && l.to[i] <= f.hi[p]; i++ {
				f.starts = append(f.starts, l.to[i])
			}
		}
	}
	for _, l := range k.outof[p] {
		if f.inside[l.target] {
			for i := after(l.from, f.lo[p]); i < len(l.to) && l.to[i] <= f.hi[l.target]; i++ {
				f.starts = append(f.starts, l.from[i])
			}
		}
	}
	slices.Sort(f.starts)
	f.starts = slices.Compact(f.starts)
}

// setHighs computes hi for each group of counts of p: the greatest cut without the
// event that the next group starts with.
func (k *counter) setHighs(f *frame, p int32, members []int32) {
	n := len(members)
	f.high = slices.Grow(f.high[:0], n*len(f.starts))[:n*len(f.starts)]
	for _, q := range members {
		f.top[q] = f.hi[q]
	}
	for i := len(f.starts) - 1; i >= 0; i-- {
		if i+1 < len(f.starts) && f.starts[i+1]-1 < f.top[p] {
			f.top[p] = f.starts[i+1] - 1
			k.settle(f.top, p, false, f.inside)
		}
		for j, q := range members {
			f.high[i*n+j] = f.top[q]
		}
	}
}

// check checks the limits and the context once in checkEvery calls.
func (k *counter) check() error {
	if k.since++; k.since < checkEvery {
		return nil
	}
	k.since = 0
	if k.lim.Steps > 0 && k.steps > k.lim.Steps {
		return tooMany(k.lim.Steps, "steps")
	}
	if k.lim.Bytes > 0 && k.bytes > k.lim.Bytes {
		return tooLarge(k.lim.Bytes)
	}
	return k.ctx.Err()
}
