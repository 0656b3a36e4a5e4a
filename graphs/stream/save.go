package stream

import "errors"

// shared are values to which there are several pointers, in the order in which they are
// first met.
type shared[T any, K comparable] struct {
	met []T
	at  map[K]int
}

// code codes a value that others may share: where it stands among those met, and the value
// itself where it is new.
func (s *shared[T, K]) code(c *Codec, x *T, key func(T) K, value func(*T)) {
	n := len(s.met)
	if !c.reading {
		if at, ok := s.at[key(*x)]; ok {
			n = at
		}
	}
	Number(c, &n)
	switch {
	case n < 0 || n > len(s.met):
		c.fail()
	case n < len(s.met):
		*x = s.met[n]
	default:
		if s.at == nil {
			s.at = make(map[K]int)
		}
		value(x)
		s.met = append(s.met, *x)
		if !c.reading {
			s.at[key(*x)] = n
		}
	}
}

func (c *Codec) clock(x *clock) {
	none := len(*x) == 0
	if c.Bool(&none); none {
		*x = nil
		return
	}
	c.clocks.code(c, x, func(x clock) *int64 { return &x[0] }, func(x *clock) {
		List(c, (*[]int64)(x), c.Int64)
	})
}

func (c *Codec) place(x *place) {
	Number(c, &x.process)
	c.Int64(&x.pos)
}

// Past codes what happened before an event.
func (c *Codec) Past(x *Past) {
	c.place(&x.place)
	c.Int64(&x.step)
	c.clock(&x.clock)
}

func (c *Codec) message(x **message) {
	c.messages.code(c, x, func(m *message) *message { return m }, func(x **message) {
		if c.reading {
			*x = new(message)
		}
		m := *x
		Text(c, &m.id)
		c.Bool(&m.sent)
		c.Bool(&m.unsent)
		c.place(&m.from)
		c.Bool(&m.carries)
		c.clock(&m.clock)
		c.Int64(&m.at)
		Number(c, &m.to)
		List(c, &m.receivers, func(p *int32) { Number(c, p) })
		List(c, &m.taken, c.place)
	})
}

// recent codes a map that forgets.
func recent[V any](c *Codec, r *Recent[V], value func(*V)) {
	c.Bool(&r.forgot)
	for _, m := range [...]*map[string]V{&r.old, &r.now} {
		type entry struct {
			key   string
			value V
		}
		var all []entry
		for key, v := range *m {
			all = append(all, entry{key, v})
		}
		List(c, &all, func(e *entry) {
			Text(c, &e.key)
			value(&e.value)
		})
		if c.reading && len(all) > 0 {
			*m = make(map[string]V, len(all))
			for _, e := range all {
				(*m)[e.key] = e.value
			}
		}
	}
}

// Names codes r, a map that forgets of what is only there or not.
func (c *Codec) Names(r *Recent[bool]) { recent(c, r, c.Bool) }

// Code codes a stream, which is read into one on which nothing has arrived. What its view is
// has to be set again.
func (s *Stream) Code(c *Codec) {
	c.Int64(&s.admitted)
	Number(c, &s.over)
	Number(c, &s.scope)
	c.Bool(&s.ended)
	why := ""
	if s.givenUp != nil {
		why = s.givenUp.Error()
	}
	if Text(c, &why); why != "" {
		s.givenUp = errors.New(why)
	}
	c.Bool(&s.forgot)
	Number(c, &s.crowded)
	List(c, &s.names, func(name *string) { Text(c, name) })
	List(c, &s.variables, func(v **variable) {
		if c.reading {
			*v = new(variable)
		}
		x := *v
		Number(c, &x.process)
		Text(c, &x.name)
		Number(c, &x.kind)
		c.Value(&x.base)
		c.Bool(&x.known)
		c.place(&x.at)
		c.clock(&x.clock)
	})
	if c.reading {
		for p, name := range s.names {
			s.number[name] = int32(p)
		}
		for _, v := range s.variables {
			s.owned[v.owner] = v
			s.called[v.name] = s.called[v.name] || v.known
		}
	}
	recent(c, &s.events, c.place)
	c.Names(&s.alike)
	recent(c, &s.received, c.message)
	c.Names(&s.joined)
	var transit []*message
	for _, m := range s.transit {
		transit = append(transit, m)
	}
	List(c, &transit, c.message)
	s.keys.code(c)
	if c.reading {
		for _, m := range transit {
			s.transit[m.id] = m
		}
		s.processes = make([]process, len(s.names))
	}
	for i := range s.processes {
		p := &s.processes[i]
		c.Int64(&p.admitted)
		c.Int64(&p.latest)
		c.clock(&p.clock)
		c.clock(&p.stated)
		c.Bool(&p.closed)
		Number(c, &p.over)
		c.Int64(&p.history.forgotten)
		List(c, &p.history.turns, func(t *turn) {
			c.Int64(&t.pos)
			c.clock(&t.clock)
		})
		List(c, &p.own.turns, c.Int64)
		c.Int64(&p.own.from)
		List(c, &p.queue, s.pending(c))
		if c.reading && !p.closed {
			s.unclosed++
		}
	}
	s.window.code(c, s)
	Text(c, &s.unaddressed)
	Number(c, &s.addressed)
	if c.err != nil {
		*s = *New(s.opts)
	}
}

// sets codes assignments, the variables by their numbers.
func (s *Stream) sets(c *Codec) func(*[]set) {
	numbers := make(map[*variable]int)
	for i, v := range s.variables {
		numbers[v] = i
	}
	return func(all *[]set) {
		List(c, all, func(x *set) {
			n := numbers[x.v]
			Number(c, &n)
			c.Value(&x.value)
			if n < 0 || n >= len(s.variables) {
				c.fail()
				return
			}
			x.v = s.variables[n]
		})
	}
}

// pending codes events that wait. What refers to them is made of them again.
func (s *Stream) pending(c *Codec) func(**pending) {
	sets := s.sets(c)
	return func(x **pending) {
		if c.reading {
			*x = new(pending)
		}
		e := *x
		c.place(&e.place)
		Text(c, &e.id)
		sets(&e.sets)
		List(c, &e.sends, c.message)
		List(c, &e.receives, c.message)
		List(c, &e.after, func(r *reference) {
			Text(c, &r.id)
			c.place(&r.place)
		})
		var groups []group
		for _, g := range e.groups {
			groups = append(groups, *g)
		}
		List(c, &groups, func(g *group) {
			Text(c, &g.id)
			c.Bool(&g.complete)
		})
		if !c.reading || c.err != nil {
			return
		}
		for _, g := range groups {
			joined := s.groups.join([]byte(g.id))
			if e.groups = append(e.groups, joined); g.complete {
				s.groups.finish(joined)
			}
		}
		for _, m := range e.receives {
			if !m.sent {
				e.missing++
			}
		}
		for _, r := range e.after {
			if r.id != "" {
				e.missing++
			}
		}
		s.expect(e)
	}
}

// code codes a window.
func (w *window) code(c *Codec, s *Stream) {
	c.clock(&w.base)
	c.Int64(&w.step)
	sets := s.sets(c)
	List(c, &w.kept, func(k *kept) {
		c.place(&k.place)
		c.clock(&k.clock)
		c.Int64(&k.step)
		c.Bool(&k.news)
		Text(c, &k.id)
		sets(&k.sets)
		List(c, &k.sends, c.message)
		List(c, &k.takes, c.message)
		List(c, &k.after, c.place)
	})
	List(c, &w.marks, func(m *Mark) {
		Number(c, &m.Kept)
		c.Int64(&m.Events)
		Number(c, &m.Over)
	})
	List(c, &w.flying, c.message)
	if !c.reading {
		return
	}
	w.lists = make([][]listed, len(s.names))
	for i := range w.kept {
		if p := w.kept[i].process; int(p) < len(w.lists) && p >= 0 {
			w.list(&w.kept[i], i)
		}
	}
	for len(w.base) < len(s.names) {
		w.base = append(w.base, 0)
	}
}
