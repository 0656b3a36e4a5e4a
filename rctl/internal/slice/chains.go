package slice

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// chains decides EF of a disjunction of predicates of single chains on a computation
// without events that happen together. There each state of a chain is seen at some cut. So
// the least cut where a predicate holds has the first event that makes it hold, and all
// events before that.
//
// The time complexity of chains is O(changes·|f|) and, for evidence, the number of
// disjuncts times the events of the shortest run and their edges.
func chains(p *engine.Problem, f *syntax.Formula, ds []*syntax.Formula) (engine.Answer, error) {
	c := p.Comp
	x := &past{comp: c, cut: c.Initial().Clone()}
	event, least := graphs.Bottom, c.NumEvents()+1
	for _, d := range ds {
		if err := p.Ctx.Err(); err != nil {
			return engine.Answer{}, err
		}
		predicate, err := atoms.Compile(c, d)
		if err != nil {
			return engine.Answer{}, err
		}
		column := atoms.Along(predicate).Between(c)
		switch i := slices.Index(column.Values, true); {
		case i < 0:
		case i == 0:
			return p.Shown(f, c.Initial()), nil
		case !p.Evidence:
			return engine.Answer{Verdict: engine.Holds}, nil
		default:
			if n := x.size(column.Events[i-1], least); n < least {
				event, least = column.Events[i-1], n
			}
		}
	}
	if event == graphs.Bottom {
		return engine.Answer{Verdict: engine.Fails}, nil
	}
	cut, _ := c.Above(c.Initial(), event)
	return p.Shown(f, cut), nil
}

// A past counts what happened before an event and after the initial cut.
type past struct {
	comp    *graphs.Computation
	cut     graphs.Cut // the initial cut, except while size counts
	touched []int      // the processes that have more events in the cut
	todo    []graphs.Event
}

// size returns how many events happened up to e, including e, or most if that is less.
func (x *past) size(e graphs.Event, most int) int {
	c, n := x.comp, 0
	x.todo = append(x.todo[:0], e)
	for len(x.todo) > 0 && n < most {
		e := x.todo[len(x.todo)-1]
		x.todo = x.todo[:len(x.todo)-1]
		p := c.Process(e)
		if x.cut[p] == c.Initial()[p] {
			x.touched = append(x.touched, p)
		}
		for ; int(x.cut[p]) < c.Position(e) && n < most; n++ {
			x.cut[p]++
			for _, before := range c.Preds(c.Event(p, int(x.cut[p]))) {
				if !c.Has(x.cut, before) {
					x.todo = append(x.todo, before)
				}
			}
		}
	}
	for _, p := range x.touched {
		x.cut[p] = c.Initial()[p]
	}
	x.touched = x.touched[:0]
	return n
}
