package certificate

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// This file is rule 8, "bindings", for a formula that begins with quantifiers over values or events, as
// syntax.Template splits it. It follows causality itself, as the other rules do. It finds the bindings,
// the events that are visible to each, and their shapes in the trace. The proof does not list them, so
// it can neither omit nor confuse any.

// A Shape is what some bindings have in common: the body of the formula, with holes for its conditions,
// and the computation of the events that fill the holes, with their order. The body has the same truth
// for all bindings of a shape. It does not name processes outside the computation, and its quantifiers
// bind no more of these at once than the computation has, so that it cannot distinguish them.
type Shape struct {
	Number      int // its number in the order of the first binding of each shape
	First       []syntax.Bound
	Formula     *syntax.Formula
	Computation *graphs.Computation
}

// A filling is an event with the holes that it fills.
type filling struct {
	event graphs.Event
	holes uint64  // a bit for each hole
	needs []int32 // by process in touched, how many of its fillings the event needs
}

// A view holds the events that a binding sees.
type view struct {
	numbers []int
	atoms   []bool
	events  []filling // in order
	touched []int     // the processes with fillings
}

// maxSeen bounds the fillings held at once, each multiplied by the number of processes that its binding touches.
const maxSeen = 1 << 22

// EachShape calls visit once for each shape of the bindings of f, until visit returns an error.
// Errors are those of visit, of Resolve and of ctx, and a Rejection of a formula with bindings that
// events alone do not distinguish. The time complexity is O(n·(|V|+|edges|)) for n processes, plus
// O(v·k·log v) for each binding with v events on k processes.
func EachShape(ctx context.Context, c *graphs.Computation, f *syntax.Formula, times scope.Times, visit func(*Shape) error) error {
	t := syntax.NewTemplate(f)
	if t == nil || t.Why != "" || t.Holes() > 64 {
		return Rejection(`rule "bindings" is for formulas whose values and events are decided one by one`)
	}
	k := &shaper{ctx: ctx, comp: c, template: t, known: make(map[[sha256.Size]byte]bool), visit: visit}
	var held []*view
	size := 0
	err := t.Each(ctx, scope.With(c, times), func(at *syntax.Instance) error {
		s := k.view(at)
		held = append(held, s)
		if size += len(s.events) * len(s.touched); size < maxSeen {
			return nil
		}
		err := k.shapes(held)
		held, size = held[:0], 0
		return err
	})
	if err == nil {
		err = k.shapes(held)
	}
	return err
}

// A shaper finds shapes.
type shaper struct {
	ctx      context.Context
	comp     *graphs.Computation
	template *syntax.Template
	known    map[[sha256.Size]byte]bool // shapes
	visit    func(*Shape) error
}

// view returns the view of a binding. The caller reuses the instance for the next binding.
func (k *shaper) view(at *syntax.Instance) *view {
	s := &view{numbers: slices.Clone(at.Numbers), atoms: slices.Clone(at.Atoms)}
	all := make(map[graphs.Event]uint64)
	for n, events := range at.Holes {
		for _, e := range events {
			all[e] |= 1 << n
		}
	}
	for e, holes := range all {
		s.events = append(s.events, filling{event: e, holes: holes})
	}
	slices.SortFunc(s.events, func(a, b filling) int { return int(a.event) - int(b.event) })
	for _, f := range s.events {
		if p := k.comp.Process(f.event); !slices.Contains(s.touched, p) {
			s.touched = append(s.touched, p)
		}
	}
	needs := make([]int32, len(s.events)*len(s.touched))
	for i := range s.events {
		s.events[i].needs, needs = needs[:len(s.touched):len(s.touched)], needs[len(s.touched):]
	}
	return s
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// shapes finds the needs of all fillings, for each process in a pass over the trace, and then visits
// the shapes that are new.
func (k *shaper) shapes(held []*view) error {
	touching := make([][]*view, k.comp.NumProcesses())
	for _, s := range held {
		for _, p := range s.touched {
			touching[p] = append(touching[p], s)
		}
	}
	for p, list := range touching {
		if len(list) == 0 {
			continue
		}
		last, err := k.last(p)
		if err != nil {
			return err
		}
		for _, s := range list {
			i := slices.Index(s.touched, p)
			own := s.on(k.comp, p)
			for n := range s.events {
				f := &s.events[n]
				count, _ := slices.BinarySearchFunc(own, last[f.event]+1, func(g filling, to int32) int {
					return k.comp.Position(g.event) - int(to)
				})
				f.needs[i] = int32(count)
			}
		}
	}
	for _, s := range held {
		if err := k.shape(s); err != nil {
			return err
		}
	}
	return k.ctx.Err()
}

// on returns the fillings on a process.
func (s *view) on(c *graphs.Computation, p int) []filling {
	first := slices.IndexFunc(s.events, func(f filling) bool { return c.Process(f.event) == p })
	if first < 0 {
		return nil
	}
	end := first
	for end < len(s.events) && c.Process(s.events[end].event) == p {
		end++
	}
	return s.events[first:end]
}

// last returns, for each event e, the position of the last event of process p before or at e. Passes
// are repeated until nothing changes, so the result does not depend on the order of the events.
func (k *shaper) last(p int) ([]int32, error) {
	c := k.comp
	last := make([]int32, c.Top())
	for changed := true; changed; {
		changed = false
		for n, e := range c.Order() {
			if n&0xffff == 0 && k.ctx.Err() != nil {
				return nil, k.ctx.Err()
			}
			most := last[e]
			position := c.Position(e)
			if c.Process(e) == p {
				most = max(most, int32(position))
			}
			if position > 1 {
				most = max(most, last[e-1])
			}
			for _, f := range c.Preds(e) {
				if c.Process(f) >= 0 {
					most = max(most, last[f])
				}
			}
			if most != last[e] {
				last[e], changed = most, true
			}
		}
	}
	return last, nil
}

// shape visits the shape of a binding, if it is new. The key describes the whole computation except
// the names of processes that the body does not name.
func (k *shaper) shape(s *view) error {
	c := k.comp
	lanes := slices.Clone(s.touched)
	for _, name := range k.template.Named {
		if p, ok := c.ProcessNumber(name); ok && !slices.Contains(lanes, p) {
			lanes = append(lanes, p)
		}
	}
	// Add as many other processes as the body can distinguish.
	for p, left := 0, k.template.Names; p < c.NumProcesses() && left > 0; p++ {
		if !slices.Contains(lanes, p) {
			lanes = append(lanes, p)
			left--
		}
	}

	// The row of each process begins with its name, if the body has it, and its fillings. The rows
	// determine the order of the processes.
	rows := make(map[int][]byte, len(lanes))
	for _, p := range lanes {
		var row []byte
		for _, name := range k.template.Named {
			row = append(row, flag(c.Processes()[p] == name))
		}
		for _, f := range s.on(c, p) {
			row = binary.AppendUvarint(row, f.holes)
			row = append(row, flag(c.Has(c.Initial(), f.event)), flag(c.Has(c.Final(), f.event)))
		}
		rows[p] = row
	}
	slices.Sort(lanes)
	slices.SortStableFunc(lanes, func(p, q int) int { return slices.Compare(rows[p], rows[q]) })
	var key []byte
	for _, truth := range s.atoms {
		key = append(key, flag(truth))
	}
	for _, p := range lanes {
		key = binary.AppendUvarint(key, uint64(len(rows[p])))
		key = append(key, rows[p]...)
	}
	var places []int // the indices in s.touched of the lanes with fillings
	for _, p := range lanes {
		if i := slices.Index(s.touched, p); i >= 0 {
			places = append(places, i)
		}
	}
	for _, p := range lanes {
		for _, f := range s.on(c, p) {
			for _, i := range places {
				key = binary.AppendUvarint(key, uint64(f.needs[i]))
			}
		}
	}
	// A digest is used, because shapes of many processes are long.
	digest := sha256.Sum256(key)
	if k.known[digest] {
		return nil
	}
	k.known[digest] = true
	return k.found(s, lanes)
}

// found builds the computation of a binding with its processes in a fixed order, and visits the shape.
func (k *shaper) found(s *view, lanes []int) error {
	c := k.comp
	var b graphs.Builder
	handles := make(map[int][]graphs.Handle) // by process
	holes := uint64(0)
	for lane, p := range lanes {
		b.NewProcess(c.Processes()[p])
		for _, f := range s.on(c, p) {
			h := b.Event(lane)
			handles[p] = append(handles[p], h)
			holes |= f.holes
			for n := range k.template.Holes() {
				if f.holes&(1<<n) != 0 {
					b.Set(b.Variable(lane, syntax.HoleName(n)), h, graphs.Boolean(true))
				}
			}
			if c.Has(c.Initial(), f.event) {
				b.Edge(h, graphs.BottomHandle)
			}
			if !c.Has(c.Final(), f.event) {
				b.Edge(graphs.TopHandle, h)
			}
		}
	}
	for _, p := range lanes {
		own := s.on(c, p)
		for n, f := range own {
			for i, q := range s.touched {
				// The event before it on its process may need as much.
				known := n > 0 && own[n-1].needs[i] == f.needs[i]
				if from := int(f.needs[i]); from > 0 && !known && (p != q || from > n+1) {
					b.Edge(handles[q][from-1], handles[p][n]) // it may close a cycle
				}
			}
		}
	}
	small, err := b.Build()
	if err != nil {
		return err
	}
	return k.visit(&Shape{
		Number:      len(k.known) - 1,
		First:       k.template.Bound(s.numbers),
		Formula:     k.template.Filled(s.atoms, holes),
		Computation: small,
	})
}

// Each reports whether a verdict on a formula about data needs all of its bindings, as for a forall that
// holds. Otherwise one binding shows it.
func Each(f *syntax.Formula, verdict string) bool {
	t := syntax.NewTemplate(f)
	return t != nil && (t.Op == syntax.OpForall) == (verdict == "holds")
}

// Bindings is the name of the rule for formulas about data.
const Bindings = "bindings"

// errShown ends a visit of the shapes.
var errShown = errors.New("shown")

// CheckBindings checks a proof by rule "bindings": the body of f has the verdict for each shape, by the
// parts of the proof in the order of the shapes, or for one shape, by the only part. If step is not nil,
// it is called before each of these checks. Errors are those of EachShape and Check.
func CheckBindings(ctx context.Context, c *graphs.Computation, f *syntax.Formula, times scope.Times, version int, verdict string, p *Proof, step func(*Shape, *Checker)) error {
	// A computation without a cut satisfies everything.
	if c.Empty() || p.Rule != Bindings {
		return Rejection(fmt.Sprintf("there is no cut, or rule %q is another", p.Rule))
	}
	each := Each(f, verdict)
	shown := each
	shapes := 0
	err := EachShape(ctx, c, f, times, func(s *Shape) error {
		shapes++
		part := p.of(s.Number)
		if !each {
			if s.Number != p.Which {
				return nil
			}
			part = p.of(0)
		}
		k, err := New(ctx, s.Computation, s.Formula)
		if err != nil {
			return err
		}
		if step != nil {
			step(s, k)
		}
		if err = k.Check(version, verdict, part); err == nil && !each {
			shown = true
			return errShown
		}
		return err
	})
	switch {
	case err != nil && err != errShown:
		return err
	case !shown:
		return Rejection(fmt.Sprintf("there are %d shapes, and none of number %d", shapes, p.Which))
	case each && len(p.Of) > shapes:
		return Rejection(fmt.Sprintf("there are %d shapes, and the proof is about %d", shapes, len(p.Of)))
	}
	return nil
}
