package bindings

import (
	"crypto/sha256"
	"encoding/binary"
	"iter"
	"math"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// A seen event is visible to a binding. Bit n of holes says that it satisfies the condition of hole n.
type seen struct {
	event graphs.Event
	holes uint64
}

// An edge of a binding says that one of its visible events happened before another. Both ends are
// indices in view.seen.
type edge struct{ from, to int32 }

// A view is the part of the computation that a binding depends on.
type view struct {
	numbers []int        // the numbers of the binding, as in syntax.Instance
	atoms   []bool       // the truth of the atoms without events
	timed   graphs.Event // the event to which a bound on time applies, or ⊥
	seen    []seen       // the visible events, ordered by process and position
	edges   []edge       // their order across processes; the order of a process is implied
}

// maxHoles bounds the conditions of a body: seen.holes has a bit for each.
const maxHoles = 64

// batch bounds the edges of the bindings that are decided together. Finding edges takes a pass over
// the computation for each process, so a batch should be large; but all its edges are in memory, at
// 8 bytes each.
const batch = 1 << 24

// byShape decides each binding by the shape of its visible events.
func (k *checker) byShape() error {
	if k.template.Holes() > maxHoles {
		k.template.Why = "the body has more than 64 conditions"
		k.result.Whole = k.template.Why
		return k.whole()
	}
	var views []view
	visible := 0
	flush := func() error {
		if err := k.order(views); err != nil {
			return err
		}
		for i := range views {
			if err := k.decide(&views[i]); err != nil {
				return err
			}
		}
		clear(views) // so that their memory can be freed
		views, visible = views[:0], 0
		return k.ctx.Err()
	}
	err := k.template.Each(k.ctx, k.scope, func(at *syntax.Instance) error {
		if !k.chosen(at.Numbers) {
			return nil
		}
		k.near(at)
		v := view{numbers: at.Numbers, atoms: at.Atoms}
		if at.Margin != nil {
			v.timed = at.Margin.From
		}
		if k.template.Holes() == 0 {
			return k.decide(&v) // without events there is no order
		}
		// Each reuses the instance for the next binding.
		v.numbers, v.atoms = slices.Clone(at.Numbers), slices.Clone(at.Atoms)
		v.seen = visibleOf(at.Holes)
		k.result.Visible += len(v.seen)
		for range v.lanes(k.comp) { // each visible event has at most one edge from each process
			visible += len(v.seen)
		}
		views = append(views, v)
		if visible < batch {
			return nil // collect more bindings for one pass over the computation
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

// visibleOf merges the events of all holes, ordered by process and position.
func visibleOf(holes [][]graphs.Event) []seen {
	var all []seen
	for n, events := range holes {
		for _, e := range events {
			all = append(all, seen{e, 1 << n})
		}
	}
	// Event numbers are ordered by process and position, so the events of a process are adjacent.
	slices.SortFunc(all, func(a, b seen) int { return int(a.event - b.event) })
	merged := all[:0]
	for _, s := range all {
		if last := len(merged) - 1; last >= 0 && merged[last].event == s.event {
			merged[last].holes |= s.holes
		} else {
			merged = append(merged, s)
		}
	}
	return merged
}

// order finds the edges of each view, process by process. For each process, one pass over the
// computation finds its last event before each event; precede then finds the edges from its visible
// events.
func (k *checker) order(views []view) error {
	type lane struct{ view, first, end int32 }
	touched := make([][]lane, k.comp.NumProcesses())
	for i := range views {
		for p, at := range views[i].lanes(k.comp) {
			// A view of a single process has no edges.
			if at.end-at.first < len(views[i].seen) {
				touched[p] = append(touched[p], lane{int32(i), int32(at.first), int32(at.end)})
			}
		}
	}
	var before []int32
	for p, list := range touched {
		// A process takes a pass over the whole computation, so the context is checked for each.
		if err := k.ctx.Err(); err != nil {
			return err
		}
		if len(list) > 0 {
			before = k.comp.LastBeforeInto(p, before)
		}
		for _, at := range list {
			views[at.view].precede(k.comp, p, int(at.first), int(at.end), before)
		}
	}
	if !k.comp.Cyclic() {
		return nil
	}
	// Events of one process that happen together also have an edge back. Between processes, precede
	// has added the edges in both directions.
	for n := range views {
		v := &views[n]
		for i := 1; i < len(v.seen); i++ {
			e, f := v.seen[i-1].event, v.seen[i].event
			if k.comp.Process(e) == k.comp.Process(f) && k.comp.SameStep(e, f) {
				v.edges = append(v.edges, edge{int32(i), int32(i - 1)})
			}
		}
	}
	return nil
}

// A stretch is a half-open range of the visible events.
type stretch struct{ first, end int }

// lanes iterates over the processes with visible events, and the stretch of each.
func (v *view) lanes(c *graphs.Computation) iter.Seq2[int, stretch] {
	return func(yield func(int, stretch) bool) {
		for first, end := 0, 0; first < len(v.seen); first = end {
			p := c.Process(v.seen[first].event)
			for end < len(v.seen) && c.Process(v.seen[end].event) == p {
				end++
			}
			if !yield(p, stretch{first, end}) {
				return
			}
		}
	}
}

// precede adds the edges from the visible events of process p, which are first to end-1. before holds
// the last position of p before each event. If two events of a process have the same predecessor, only
// the earlier one gets the edge.
func (v *view) precede(c *graphs.Computation, p, first, end int, before []int32) {
	process, latest := -1, first
	for i, s := range v.seen {
		if i >= first && i < end {
			continue
		}
		if q := c.Process(s.event); q != process {
			process, latest = q, first
		}
		// The events before latest already have an edge to an earlier event of this process, or
		// precede one that has.
		n := latest
		for n < end && c.Position(v.seen[n].event) <= int(before[s.event]) {
			n++
		}
		if n > latest {
			v.edges = append(v.edges, edge{int32(n - 1), int32(i)})
			latest = n
		}
	}
}

// decide decides the body for a view, unless a view of the same shape has been decided.
func (k *checker) decide(v *view) error {
	key := k.key(v)
	// The decision depends on the key alone.
	r, ok := k.decided[key]
	if k.looks {
		k.decided[key] = nil
		k.result.Total++
		return nil
	}
	if !ok {
		var err error
		if r, err = k.check(v); err != nil {
			return err
		}
		k.decided[key] = r
	}
	return k.note(v.numbers, r, v.events)
}

// events lists the events of a binding: the visible ones, and the event to which a bound on time applies.
func (v *view) events() []graphs.Event {
	var events []graphs.Event
	for _, s := range v.seen {
		events = append(events, s.event)
	}
	if v.timed > 0 {
		events = append(events, v.timed)
	}
	return events
}

// processesOf lists the processes of the small computation: those of the visible events, those that
// the body names, and a few others. The binding sees no difference between the others, so a body that
// binds n names to processes needs at most n of them.
func (k *checker) processesOf(v *view) []int {
	var list []int
	for p := range v.lanes(k.comp) {
		list = append(list, p)
	}
	for _, name := range k.template.Named {
		if p, ok := k.comp.ProcessNumber(name); ok && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	others := k.template.Names
	for p := 0; p < k.comp.NumProcesses() && others > 0; p++ {
		if !slices.Contains(list, p) {
			list = append(list, p)
			others--
		}
	}
	slices.Sort(list)
	return list
}

// key is the shape of a view, and the truth of the atoms without events.
func (k *checker) key(v *view) string {
	var key []byte
	// Atoms without events come first: every binding has the same number of them.
	for _, truth := range v.atoms {
		key = append(key, bit(truth))
	}
	if k.template.Holes() == 0 {
		return string(key)
	}
	// A row describes a process by its visible events, and by its name if the body mentions it. Other
	// names do not matter.
	processes := k.processesOf(v)
	rows := make([][]byte, len(processes)) // the row of each process
	begin := make([]int, len(processes)+1) // the index of the first visible event of each process
	next := 0
	for i, p := range processes {
		for _, name := range k.template.Named {
			rows[i] = append(rows[i], bit(k.comp.Processes()[p] == name))
		}
		for ; next < len(v.seen) && k.comp.Process(v.seen[next].event) == p; next++ {
			s := v.seen[next]
			rows[i] = binary.AppendUvarint(rows[i], s.holes)
			// The event may be in all cuts, or in none.
			everywhere := bit(k.comp.Has(k.comp.Initial(), s.event))
			nowhere := bit(!k.comp.Has(k.comp.Final(), s.event))
			rows[i] = append(rows[i], everywhere+2*nowhere)
		}
		begin[i+1] = next
	}
	order := make([]int, len(processes))
	for i := range order {
		order[i] = i
	}
	// Sorted rows give the same shape to views that differ only in the names of processes.
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(rows[a], rows[b]) })
	rank := make([]uint64, len(v.seen)) // the place of each visible event in the order of the rows
	placed := uint64(0)
	for _, from := range order {
		key = binary.AppendUvarint(key, uint64(len(rows[from])))
		key = append(key, rows[from]...)
		for i := begin[from]; i < begin[from+1]; i++ {
			rank[i] = placed
			placed++
		}
	}

	// The edges are in the order of the trace's processes, which other bindings do not share. There may
	// be one for each pair of processes; with both ends in one number they sort fast.
	edges := make([]uint64, len(v.edges))
	for n, e := range v.edges {
		edges[n] = rank[e.from]<<32 | rank[e.to]
	}
	slices.Sort(edges)
	for _, e := range edges {
		key = binary.AppendUvarint(key, e>>32)
		key = binary.AppendUvarint(key, e&math.MaxUint32)
	}
	// A digest replaces a long key, because there may be many shapes of many processes.
	if len(key) > sha256.Size {
		digest := sha256.Sum256(key)
		key = digest[:]
	}
	return string(key)
}

// bit returns a truth value as 0 or 1.
func bit(truth bool) byte {
	if truth {
		return 1
	}
	return 0
}

// small builds the computation of a view on some processes. Its events assign true to the fields of
// the holes that they fill.
func (k *checker) small(v *view, processes []int) (*graphs.Computation, error) {
	var b graphs.Builder
	handles := make([]graphs.Handle, len(v.seen))
	next := 0
	for _, p := range processes {
		own := b.NewProcess(k.comp.Processes()[p])
		for ; next < len(v.seen) && k.comp.Process(v.seen[next].event) == p; next++ {
			s := v.seen[next]
			h := b.Event(own)
			handles[next] = h
			for n := range k.template.Holes() {
				if s.holes&(1<<n) != 0 {
					b.Set(b.Variable(own, syntax.HoleName(n)), h, graphs.Boolean(true))
				}
			}
			if k.comp.Has(k.comp.Initial(), s.event) {
				b.Edge(h, graphs.BottomHandle)
			}
			if !k.comp.Has(k.comp.Final(), s.event) {
				b.Edge(graphs.TopHandle, h)
			}
		}
	}
	for _, e := range v.edges {
		if k.comp.Cyclic() {
			b.Edge(handles[e.from], handles[e.to]) // it may close a cycle
		} else {
			b.Order(handles[e.from], handles[e.to])
		}
	}
	b.SetLowerBound(k.comp.LowerBound())
	return b.Build()
}

// check decides the body on the computation of a view.
func (k *checker) check(v *view) (*rctl.Result, error) {
	small, err := k.small(v, k.processesOf(v))
	if err != nil {
		return nil, err
	}
	filled := uint64(0)
	for _, s := range v.seen {
		filled |= s.holes
	}
	c, f, err := rctl.Resolve(k.ctx, small, k.template.Filled(v.atoms, filled))
	if err != nil {
		return nil, err
	}
	opts := k.opts.Options
	opts.Evidence = false // most bindings are only counted
	return rctl.Check(k.ctx, c, f, opts)
}
