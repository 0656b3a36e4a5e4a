package graphs

import "sync"

// A Precedence answers, for many pairs of events, whether one happened before the other. It is safe
// for concurrent use.
type Precedence struct {
	c     *Computation
	place []int32 // the position of each event in Order

	mu   sync.Mutex
	last map[int][]int32 // the results of LastBefore, by process
	seen map[Event]bool
	todo []Event
}

// maxLooks bounds how many events near visits, and maxLast how many results of LastBefore are
// cached, of 4 bytes per event each.
const (
	maxLooks = 200
	maxLast  = 64
)

// NewPrecedence returns a precedence for c. The time complexity of NewPrecedence is O(|V|+|edges|).
func NewPrecedence(c *Computation) *Precedence {
	p := &Precedence{
		c:     c,
		place: make([]int32, len(c.proc)),
		last:  make(map[int][]int32),
		seen:  make(map[Event]bool),
	}
	for i, e := range c.Order() {
		p.place[e] = int32(i)
	}
	return p
}

// Before reports whether e happened before f, or together with it, or equals it. It takes O(1) time
// if f precedes e in Order or the process of e is cached from an earlier call, at most maxLooks
// visits if the two are close to each other, and O(|V|+|edges|) otherwise.
func (p *Precedence) Before(e, f Event) bool {
	c := p.c
	of := c.Process(e)
	switch {
	case of == c.Process(f):
		return e <= f || c.SameStep(e, f)
	case !c.Cyclic() && p.place[e] > p.place[f]:
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	last, ok := p.last[of]
	if ok {
		return int(last[f]) >= c.Position(e)
	}
	if !c.Cyclic() {
		if is, ok := p.near(e, f); ok {
			return is
		}
	}
	if len(p.last) >= maxLast {
		clear(p.last)
	}
	last = c.LastBefore(of)
	p.last[of] = last
	return int(last[f]) >= c.Position(e)
}

// near searches backwards from f for e, among the events that come after e in Order. It returns ok
// = false if it would have to visit more than maxLooks.
func (p *Precedence) near(e, f Event) (is, ok bool) {
	c := p.c
	clear(p.seen)
	p.todo = append(p.todo[:0], f)
	for len(p.todo) > 0 {
		g := p.todo[len(p.todo)-1]
		p.todo = p.todo[:len(p.todo)-1]
		if c.proc[g] == c.proc[e] {
			if g >= e {
				return true, true
			}
			continue
		}
		if p.place[g] < p.place[e] || p.seen[g] {
			continue
		}
		if p.seen[g] = true; len(p.seen) > maxLooks {
			return false, false
		}
		if c.proc[g-1] == c.proc[g] {
			p.todo = append(p.todo, g-1)
		}
		for _, h := range c.Preds(g) {
			if h != Bottom {
				p.todo = append(p.todo, h)
			}
		}
	}
	return false, true
}
