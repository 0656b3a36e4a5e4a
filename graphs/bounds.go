package graphs

// setBounds finds the least and the greatest cut. The least holds what reaches
// ⊥, the greatest what ⊤ does not reach; the cuts are between low and high.
func (c *Computation) setBounds(low, high Cut) {
	c.initial, c.final = c.before(), c.after()
	for p := range c.names {
		if low[p] > 0 {
			c.advance(c.initial, c.Event(p, int(low[p])))
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
			c.advance(c.initial, e.From)
		case e.From == c.Top():
			c.retreat(c.final, e.To)
		}
	}
	c.empty = c.empty || !c.initial.Within(c.final)
}

// advance adds e to a consistent cut, and all that has to happen before.
func (c *Computation) advance(cut Cut, e Event) {
	todo := []Event{e}
	for len(todo) > 0 {
		e := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		p := c.proc[e]
		first := c.base[p] + Event(cut[p]) + 1
		if e < first {
			continue
		}
		cut[p] = int32(e - c.base[p])
		for f := first; f <= e; f++ {
			for _, g := range c.Preds(f) {
				if !c.Has(cut, g) {
					todo = append(todo, g)
				}
			}
		}
	}
}

// retreat takes e out of a consistent cut, and all that needs it.
func (c *Computation) retreat(cut Cut, e Event) {
	todo := []Event{e}
	for len(todo) > 0 {
		e := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		p := c.proc[e]
		last := c.base[p] + Event(cut[p])
		if e > last {
			continue
		}
		cut[p] = int32(e-c.base[p]) - 1
		for f := e; f <= last; f++ {
			for _, g := range c.Succs(f) {
				if c.Has(cut, g) {
					todo = append(todo, g)
				}
			}
		}
	}
}

// Above returns the least cut that contains cut and all of events, and whether
// there is one.
//
// The time complexity of Above is O(|V|+|edges|) for all events together.
func (c *Computation) Above(cut Cut, events ...Event) (Cut, bool) {
	least := cut.Clone()
	for _, e := range events {
		if e == c.Top() {
			return nil, false
		}
		if !c.Has(least, e) {
			c.advance(least, e)
		}
	}
	return least, least.Within(c.final)
}

// Below returns the greatest cut within cut that has none of events, and whether
// there is one.
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
	for p := range cut {
		for k := 1; k <= int(cut[p]); k++ {
			for _, f := range c.Preds(c.Event(p, k)) {
				if !c.Has(cut, f) {
					return false
				}
			}
		}
	}
	return true
}

// Enabled reports whether the meta-event of e can be executed at cut: e is not
// in it, everything that has to happen before is.
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

// Execute returns the cut after the meta-event of e, which must be enabled.
func (c *Computation) Execute(cut Cut, e Event) Cut {
	next := cut.Clone()
	for _, m := range c.Step(e) {
		next[c.proc[m]]++
	}
	return next
}

// With returns the computation that c becomes by adding general edges, whose ends
// may be ⊥ and ⊤. Variables, messages and names are shared with c.
//
// The time complexity of With is O(|V|+|edges|).
func (c *Computation) With(added []Edge) *Computation {
	d := *c
	d.idx = new(index)
	d.edges = append(append([]Edge(nil), c.edges...), added...)
	d.hard = c.hardRows()
	all := make([]Edge, 0, len(c.succ.data)+len(added))
	for e := Event(1); e < c.Top(); e++ {
		for _, f := range c.Succs(e) {
			all = append(all, Edge{e, f})
		}
	}
	for _, e := range added {
		if e.From > Bottom && e.To > Bottom && e.From < c.Top() && e.To < c.Top() {
			all = append(all, e)
		}
	}
	d.succ, d.pred = buildRows(&d, all)
	d.meta, d.members = nil, rows{}
	d.findMetaEvents()
	d.setBounds(c.initial, c.final)
	return &d
}
