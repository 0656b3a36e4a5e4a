package graphs

import "slices"

// A Cut gives, for each process, how many of its events have happened.
type Cut []int32

// Clone returns a copy of c. The copy of an empty Cut is not nil, because nil means that there is
// no cut.
func (c Cut) Clone() Cut { return slices.Clone(c) }

// Equal reports whether c and d are the same cut.
func (c Cut) Equal(d Cut) bool { return slices.Equal(c, d) }

// Within reports whether c is a subset of d.
func (c Cut) Within(d Cut) bool {
	for p := range c {
		if c[p] > d[p] {
			return false
		}
	}
	return true
}

// Join returns the union of c and d.
func (c Cut) Join(d Cut) Cut {
	u := c.Clone()
	for p := range u {
		u[p] = max(u[p], d[p])
	}
	return u
}

// Meet returns the intersection of c and d.
func (c Cut) Meet(d Cut) Cut {
	u := c.Clone()
	for p := range u {
		u[p] = min(u[p], d[p])
	}
	return u
}

// Size returns the number of events in c, not counting ⊥.
func (c Cut) Size() int {
	n := 0
	for _, k := range c {
		n += int(k)
	}
	return n
}

// setBounds finds the least and the greatest cut between low and high. The least contains the
// events that reach ⊥, the greatest those that ⊤ does not reach.
func (c *Computation) setBounds(low, high Cut) {
	c.initial, c.final = c.NoEvents(), c.AllEvents()
	c.empty = false
	for p := range c.names {
		if low[p] > 0 {
			c.Advance(c.initial, c.Event(p, int(low[p])))
		}
		if int(high[p]) < c.Len(p) {
			c.retreat(c.final, c.Event(p, int(high[p])+1))
		}
	}
	for _, e := range c.edges {
		switch {
		case e.From == e.To, e.From == Bottom, e.To == c.Top():
		case e.From == c.Top() && e.To == Bottom:
			c.empty = true
		case e.To == Bottom:
			c.Advance(c.initial, e.From)
		case e.From == c.Top():
			c.retreat(c.final, e.To)
		}
	}
	c.empty = c.empty || !c.initial.Within(c.final)
}

// A Piece is an interval of the history of a process: its events from First to Last.
type Piece struct{ First, Last Event }

// Advance adds e, and everything that has to happen before it, to a consistent cut. The time
// complexity of Advance is O(edges into the added events).
func (c *Computation) Advance(cut Cut, e Event) { c.spread(cut, e, nil, false) }

// Extend is Advance, and also appends the added events to pieces. The pieces of one process are in
// its order.
func (c *Computation) Extend(cut Cut, e Event, pieces []Piece) []Piece {
	return c.spread(cut, e, pieces, false)
}

// retreat removes e, and everything that has to happen after it, from a consistent cut.
func (c *Computation) retreat(cut Cut, e Event) { c.spread(cut, e, nil, true) }

// spread adds e to a cut, or removes it if out is true, and follows the edges into added events, or
// out of removed ones. It appends these events to pieces.
func (c *Computation) spread(cut Cut, e Event, pieces []Piece, out bool) []Piece {
	next, edges := len(pieces), &c.pred
	if out {
		edges = &c.succ
	}
	take := func(e Event) {
		p := c.proc[e]
		last := c.base[p] + Event(cut[p])
		if out {
			pieces = append(pieces, Piece{e, last})
			cut[p] = int32(e-c.base[p]) - 1
		} else {
			pieces = append(pieces, Piece{last + 1, e})
			cut[p] = int32(e - c.base[p])
		}
	}
	if c.Has(cut, e) == out {
		take(e)
	}
	for ; next < len(pieces); next++ {
		for f := pieces[next].First; f <= pieces[next].Last; f++ {
			for _, g := range edges.Row(int(f)) {
				if c.Has(cut, g) == out {
					take(g)
				}
			}
		}
	}
	return pieces
}

// Above returns the least cut that contains cut and all of events, and whether it exists.
//
// The time complexity of Above is O(|V|+|edges|) for all events together.
func (c *Computation) Above(cut Cut, events ...Event) (Cut, bool) {
	least := cut.Clone()
	for _, e := range events {
		if e == c.Top() {
			return nil, false
		}
		if !c.Has(least, e) {
			c.Advance(least, e)
		}
	}
	return least, least.Within(c.final)
}

// Below returns the greatest cut within cut that contains none of events, and whether it exists.
//
// The time complexity of Below is O(|V|+|edges|) for all events together.
func (c *Computation) Below(cut Cut, events ...Event) (Cut, bool) {
	greatest := cut.Clone()
	for _, e := range events {
		if e == Bottom {
			return nil, false
		}
		if c.Has(greatest, e) {
			c.retreat(greatest, e)
		}
	}
	return greatest, c.initial.Within(greatest)
}

// Consistent reports whether cut is a cut of c. The time complexity of
// Consistent is O(|V|+|edges|).
func (c *Computation) Consistent(cut Cut) bool {
	if !c.initial.Within(cut) || !cut.Within(c.final) {
		return false
	}
	for e, f := range c.pred.All() {
		if c.Has(cut, Event(e)) && !c.Has(cut, f) {
			return false
		}
	}
	return true
}

// Enabled reports whether the meta-event of e can be executed at cut: the cut contains everything
// that has to happen before e, but not e.
func (c *Computation) Enabled(cut Cut, e Event) bool {
	if c.Has(cut, e) || !c.Has(c.final, e) {
		return false
	}
	for _, m := range c.Step(e) {
		for _, f := range c.Preds(m) {
			if !c.Has(cut, f) && !c.SameStep(m, f) {
				return false
			}
		}
		if c.Position(m) > 1 && !c.Has(cut, m-1) && !c.SameStep(m, m-1) {
			return false
		}
	}
	return true
}

// Execute returns the cut after the meta-event of e. The event must be enabled.
func (c *Computation) Execute(cut Cut, e Event) Cut {
	next := cut.Clone()
	for _, m := range c.Step(e) {
		next[c.proc[m]]++
	}
	return next
}

// NextStep returns the meta-event of the next event of process p, or nil if it is not enabled. It
// is also nil if the first event of the meta-event belongs to another process, so that a loop over
// all processes finds each step once. The time complexity of NextStep is that of Enabled. The slice
// must not be changed.
func (c *Computation) NextStep(cut Cut, p int) []Event {
	if int(cut[p]) == c.Len(p) {
		return nil
	}
	e := c.Event(p, int(cut[p])+1)
	if step := c.Step(e); step[0] == e && c.Enabled(cut, e) {
		return step
	}
	return nil
}

// Next returns the cut after the step that NextStep returns; ok is false if that is nil.
func (c *Computation) Next(cut Cut, p int) (next Cut, ok bool) {
	step := c.NextStep(cut, p)
	if step == nil {
		return nil, false
	}
	return c.Execute(cut, step[0]), true
}
