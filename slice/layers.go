package slice

import "github.com/pota-project/pota/graphs"

// layers is the graph of a slice laid out for traversal. Layer 0 is the slice
// itself. Each lookahead is a further layer: a copy v' of every event v with the
// edges of the slice that it looks along, an edge v'→v for every v, and u→u' for
// its taps, so that u reaches v by way of the copies exactly where it should.
type layers struct {
	comp   *graphs.Computation
	layer  []layer
	filled bool // with predecessors
}

type layer struct {
	parent   int // -1 for layer 0
	children []int
	taps     []uint64 // bitset of events, nil for layer 0
	slice    *Slice

	succ, pred rows
}

// rows holds the added edges at each vertex in compressed form.
type rows struct {
	off  []int32
	data []graphs.Event
}

func (r rows) row(e graphs.Event) []graphs.Event {
	if r.off == nil {
		return nil
	}
	return r.data[r.off[e]:r.off[e+1]]
}

func newLayers(s *Slice) *layers {
	l := &layers{comp: s.comp}
	l.add(s, -1, nil)
	return l
}

func (l *layers) add(s *Slice, parent int, taps []uint64) {
	i := len(l.layer)
	l.layer = append(l.layer, layer{parent: parent, taps: taps, slice: s})
	if parent >= 0 {
		l.layer[parent].children = append(l.layer[parent].children, i)
	}
	for _, a := range s.ahead {
		taps := make([]uint64, l.size()/64+1)
		for _, u := range a.taps {
			taps[u>>6] |= 1 << (u & 63)
		}
		l.add(a.under, i, taps)
	}
}

// tapped reports whether e is one of the layer's taps.
func (y *layer) tapped(e graphs.Event) bool { return y.taps[e>>6]>>(e&63)&1 != 0 }

// size is the number of vertices of one layer.
func (l *layers) size() int { return int(l.comp.Top()) + 1 }

func (l *layers) fillPreds() {
	if l.filled {
		return
	}
	l.filled = true
	for i := range l.layer {
		l.layer[i].pred = collect(l.size(), l.layer[i].slice.edges, func(e graphs.Edge) (at, other graphs.Event) { return e.To, e.From })
	}
}

func (l *layers) fillSuccs() {
	for i := range l.layer {
		l.layer[i].succ = collect(l.size(), l.layer[i].slice.edges, func(e graphs.Edge) (at, other graphs.Event) { return e.From, e.To })
	}
}

func collect(size int, lists []edges, end func(graphs.Edge) (at, other graphs.Event)) rows {
	total := 0
	for _, l := range lists {
		total += len(l.list)
	}
	if total == 0 {
		return rows{}
	}
	r := rows{off: make([]int32, size+1), data: make([]graphs.Event, total)}
	for _, l := range lists {
		for _, e := range l.list {
			at, _ := end(e)
			r.off[at+1]++
		}
	}
	for i := 1; i <= size; i++ {
		r.off[i] += r.off[i-1]
	}
	for _, l := range lists {
		for _, e := range l.list {
			at, other := end(e)
			r.data[r.off[at]] = other
			r.off[at]++
		}
	}
	copy(r.off[1:], r.off[:size])
	r.off[0] = 0
	return r
}

// place is a vertex of some layer.
type place struct {
	layer int32
	event graphs.Event
}

// advance grows one cut for each layer until all edges into them are respected.
// Every event enters each cut once: the time complexity is O(|V|+|edges|).
type advance struct {
	*layers
	cuts []graphs.Cut
	todo []place
}

func newAdvance(l *layers) *advance {
	l.fillPreds()
	a := &advance{layers: l, cuts: make([]graphs.Cut, len(l.layer))}
	for i := range a.cuts {
		a.cuts[i] = make(graphs.Cut, l.comp.NumProcesses())
	}
	return a
}

// require asks for the events of cut.
func (a *advance) require(layer int, cut graphs.Cut) {
	for p, k := range cut {
		if k > 0 {
			a.need(layer, a.comp.Event(p, int(k)))
		}
	}
}

func (a *advance) need(layer int, e graphs.Event) {
	if !a.comp.Has(a.cuts[layer], e) {
		a.todo = append(a.todo, place{int32(layer), e})
	}
}

func (a *advance) run() {
	for len(a.todo) > 0 {
		t := a.todo[len(a.todo)-1]
		a.todo = a.todo[:len(a.todo)-1]
		i := int(t.layer)
		cut := a.cuts[i]
		p := a.comp.Process(t.event)
		from, to := int(cut[p])+1, a.comp.Position(t.event)
		if from > to {
			continue
		}
		cut[p] = int32(to)
		for k := from; k <= to; k++ {
			a.enter(i, a.comp.Event(p, k))
		}
		for _, d := range a.layer[i].slice.needs {
			if int32(to) > d.above[p] {
				a.require(i, d.require)
			}
		}
	}
}

func (a *advance) enter(i int, e graphs.Event) {
	y := &a.layer[i]
	for _, f := range a.comp.Preds(e) {
		a.need(i, f)
	}
	for _, f := range y.pred.row(e) {
		a.need(i, f)
	}
	for _, child := range y.children {
		a.need(child, e)
	}
	if y.parent >= 0 && y.tapped(e) {
		a.need(y.parent, e)
	}
}

// retreat shrinks one cut for each layer until all edges out of what it leaves
// are respected. The time complexity is O(|V|+|edges|).
type retreat struct {
	*layers
	cuts []graphs.Cut
	todo []place
}

func newRetreat(l *layers) *retreat {
	l.fillSuccs()
	r := &retreat{layers: l, cuts: make([]graphs.Cut, len(l.layer))}
	for i := range r.cuts {
		r.cuts[i] = make(graphs.Cut, l.comp.NumProcesses())
		for p := range r.cuts[i] {
			r.cuts[i][p] = int32(l.comp.Len(p))
		}
	}
	return r
}

// forbidBeyond takes out what is not in cut.
func (r *retreat) forbidBeyond(layer int, cut graphs.Cut) {
	for p, k := range cut {
		if int(k) < r.comp.Len(p) {
			r.forbid(layer, r.comp.Event(p, int(k)+1))
		}
	}
}

func (r *retreat) forbid(layer int, e graphs.Event) {
	if r.comp.Has(r.cuts[layer], e) {
		r.todo = append(r.todo, place{int32(layer), e})
	}
}

func (r *retreat) run() {
	for len(r.todo) > 0 {
		t := r.todo[len(r.todo)-1]
		r.todo = r.todo[:len(r.todo)-1]
		i := int(t.layer)
		cut := r.cuts[i]
		p := r.comp.Process(t.event)
		from, to := r.comp.Position(t.event), int(cut[p])
		if from > to {
			continue
		}
		cut[p] = int32(from) - 1
		for k := from; k <= to; k++ {
			r.leave(i, r.comp.Event(p, k))
		}
		for _, d := range r.layer[i].slice.needs {
			if cut[p] < d.require[p] {
				r.forbidBeyond(i, d.above)
			}
		}
	}
}

func (r *retreat) leave(i int, e graphs.Event) {
	y := &r.layer[i]
	for _, f := range r.comp.Succs(e) {
		r.forbid(i, f)
	}
	for _, f := range y.succ.row(e) {
		r.forbid(i, f)
	}
	if y.parent >= 0 {
		r.forbid(y.parent, e)
	}
	for _, child := range y.children {
		if r.layer[child].tapped(e) {
			r.forbid(child, e)
		}
	}
}

// components finds the strongly connected components of all layers together;
// the vertex of event e in layer i is i*size+e.
func (l *layers) components() (component []int32, count int) {
	l.fillSuccs()
	size := int32(l.size())
	hubs := l.hubs()
	return graphs.Components(len(l.layer)*int(size)+len(hubs), func(v int32, buf []int32) []int32 {
		return l.succs(v, hubs, buf)
	})
}

// hub is the vertex through which a need's edges run: from each event of its
// require to it, from it to the first events beyond its above.
type hub struct {
	layer int
	need
}

func (l *layers) hubs() []hub {
	var hubs []hub
	for i := range l.layer {
		for _, d := range l.layer[i].slice.needs {
			hubs = append(hubs, hub{i, d})
		}
	}
	return hubs
}

func (l *layers) succs(v int32, hubs []hub, buf []int32) []int32 {
	size := int32(l.size())
	i := int(v / size)
	if i >= len(l.layer) {
		h := hubs[v-int32(len(l.layer))*size]
		for p, k := range h.above {
			if int(k) < l.comp.Len(p) {
				buf = append(buf, int32(h.layer)*size+int32(l.comp.Event(p, int(k)+1)))
			}
		}
		return buf
	}
	y := &l.layer[i]
	base := int32(i) * size
	e := graphs.Event(v - base)
	if e == graphs.Bottom || e == l.comp.Top() {
		return buf
	}
	for _, f := range l.comp.Succs(e) {
		buf = append(buf, base+int32(f))
	}
	for _, f := range y.succ.row(e) {
		buf = append(buf, base+int32(f))
	}
	p := l.comp.Process(e)
	if l.comp.Process(e+1) == p {
		buf = append(buf, v+1)
	}
	if y.parent >= 0 {
		buf = append(buf, int32(y.parent)*size+int32(e))
	}
	for _, child := range y.children {
		if l.layer[child].tapped(e) {
			buf = append(buf, int32(child)*size+int32(e))
		}
	}
	for h := range hubs {
		if hubs[h].layer == i && int32(l.comp.Position(e)) == hubs[h].require[p] {
			buf = append(buf, int32(len(l.layer))*size+int32(h))
		}
	}
	return buf
}
