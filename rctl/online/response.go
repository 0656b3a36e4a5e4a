package online

import (
	"iter"
	"math"
	"slices"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/syntax"
)

// AG(p -> AF q) with p of one process and q a disjunction of predicates of single chains is
// AG(p -> EF q), as every run passes through all states of a chain. It fails where a cut has p
// and no later one q. Let v be the last event that made a disjunct of q false. While no
// disjunct holds, such a cut has all these events; and a run of states with p, up to the event
// t, has such a cut in it if t happened before none of them. These runs of states are the
// obligations that are open. An event v that is still to come happens after all of G, so an
// obligation that ended in G is over with the next state with q, or with this one: nothing but
// the list of obligations need be kept.

// response decides AG(p -> AF q) and AG(p -> EF q).
type response struct {
	p       *syntax.Formula
	q       []*syntax.Formula // alternatives
	process int
	seen
	states obligations
}

// obligations are the runs of states with p that are not over, oldest first.
type obligations struct {
	list  []Obligation
	holds []bool // the alternatives of q that hold now, so that none is open
}

// An Obligation is a run of states with p of AG(p -> AF q) that no state with q must
// follow yet.
type Obligation struct {
	Event  string    // that led to p; "" for the beginning
	Events int64     // admitted when it was looked at
	Since  time.Time // when that was
	More   int       // later ones that are not listed

	end int64 // the position of the event that made p false, 0 for none
}

// maxListed bounds the obligations that are kept: the oldest, and the last one. It is over
// only when all before it are.
const maxListed = 100

// newResponse returns what decides f, nil where f is of another form.
func newResponse(f *syntax.Formula) decider {
	p, q := leads(f)
	if q == nil || !regular.SomeChain(q) {
		return nil
	}
	r := &response{p: p, q: syntax.Alternatives(q)}
	var ok bool
	if r.process, _, ok = syntax.ChainOf(p); !ok || r.process < 0 {
		return nil
	}
	return r
}

// leads returns p and q of AG(p -> EF q), nil where f says nothing of that form. AF q says the same if q
// is a disjunction of predicates of single chains.
func leads(f *syntax.Formula) (p, q *syntax.Formula) {
	if f.Op != syntax.OpAG || f.Sub[0].Op != syntax.OpOr {
		return nil, nil
	}
	var not, answers []*syntax.Formula
	for _, d := range syntax.Alternatives(f.Sub[0]) {
		switch {
		case syntax.IsPropositional(d):
			not = append(not, d)
		case syntax.IsPropositional(d.Sub[0]) && (d.Op == syntax.OpEF || d.Op == syntax.OpAF && regular.SomeChain(d.Sub[0])):
			answers = append(answers, d.Sub[0])
		default:
			return nil, nil
		}
	}

	if answers == nil {
		return nil, nil
	}
	return syntax.NNF(syntax.Not(syntax.Or(not...))), syntax.Or(answers...)
}

// at returns the obligations at a moment.
func (r *response) at(m *moment) *obligations {
	w, _ := m.plain()
	c := w.Computation
	p := must(atoms.Compile(c, r.p))
	o := &obligations{list: append([]Obligation(nil), r.states.list...)}
	was := len(o.list) > 0 && o.list[len(o.list)-1].end == 0
	for e, holds := range changes(w, p, r.seen, was) {
		switch {
		case e == graphs.Bottom:
			o.add(Obligation{Since: m.now()})
		case holds:
			o.add(Obligation{Event: w.ID(e), Events: m.mark.Events, Since: m.now()})
		default:
			o.list[len(o.list)-1].end = w.Past(e).Of(r.process)
		}
	}

	// the last position of process that happened before an event that ended q, or will
	over := int64(0)
	for _, f := range r.q {
		now, last := false, graphs.Bottom
		for e, holds := range states(c, must(atoms.Compile(c, f))) {
			if now && !holds && !r.has(w, e) {
				over = max(over, w.Past(e).Of(r.process))
			}
			now, last = holds, e
		}
		// The event that will end it happens after G, after the last event, and after all that is known to
		// everybody who can still change the predicate.
		if now {
			if list, join := m.changers(f); !join {
				least := int64(math.MaxInt64)
				for _, p := range list {
					least = min(least, w.Last(p).Of(r.process))
				}
				over = max(over, least)
			}
			over = max(over, w.Dropped(r.process))
			if last != graphs.Bottom && w.Step(last) > 0 {
				over = max(over, w.Past(last).Of(r.process))
			}
		}
		o.holds = append(o.holds, now)
	}

	o.list = slices.DeleteFunc(o.list, func(x Obligation) bool { return x.end > 0 && x.end <= over })
	return o
}

// changers lists the processes that may still change a predicate of a chain, and reports whether others may join them.
func (m *moment) changers(f *syntax.Formula) (list []int, join bool) {
	chain, _, _ := syntax.ChainOf(f)
	for p := range m.stream.Processes() {
		if (p == chain || chain == syntax.Shared) && !m.stream.Over(p, m.mark) {
			list = append(list, p)
		}
	}
	return list, chain == syntax.Shared && !m.stream.Fixed()
}

// states goes along the chain of a predicate, as Steps does, but through the states of
// cuts alone: of events that happen together, only after the last.
func states(c *graphs.Computation, p *atoms.Predicate) iter.Seq2[graphs.Event, bool] {
	return func(yield func(graphs.Event, bool) bool) {
		last, held := graphs.Bottom, false
		for e, holds := range p.Steps() {
			if e != graphs.Bottom && !(last != graphs.Bottom && c.SameStep(last, e)) && !yield(last, held) {
				return
			}
			last, held = e, holds
		}
		yield(last, held)
	}
}

// seen is what a decider has dealt with: the beginning, and the events up to a step.
type seen struct {
	beginning bool
	step      int64
}

// has reports whether the event of a window is among them.
func (s seen) has(w *stream.Window, e graphs.Event) bool { return w.Step(e) <= s.step }

// changes yields the unseen events of a window that make a predicate of a chain true or false, and
// whether it holds then; was says whether it held before. Until the beginning is
// seen, the predicate may begin to hold there, at graphs.Bottom.
func changes(w *stream.Window, p *atoms.Predicate, s seen, was bool) iter.Seq2[graphs.Event, bool] {
	return func(yield func(graphs.Event, bool) bool) {
		for e, holds := range states(w.Computation, p) {
			if e == graphs.Bottom && s.beginning || e != graphs.Bottom && s.has(w, e) || holds == was {
				continue
			}
			if !yield(e, holds) {
				return
			}
			was = holds
		}
	}
}

// add adds a run of states.
func (o *obligations) add(x Obligation) {
	if n := len(o.list); n >= maxListed {
		x.More = o.list[n-1].More + 1
		o.list = o.list[:n-1]
	}
	o.list = append(o.list, x)
}

// open returns the open obligations.
func (o *obligations) open() []Obligation {
	if slices.Contains(o.holds, true) {
		return nil
	}
	return o.list
}

func (r *response) open() []Obligation { return r.states.open() }

// settle implements decider.
func (r *response) settle(m *moment) rctl.Verdict {
	if m.mark.Over == 0 {
		return rctl.Unknown
	}
	o := r.at(m)
	settled := true // q cannot change any more
	for i, q := range r.q {
		list, join := m.changers(q)
		still := list == nil && !join
		if still && o.holds[i] {
			return rctl.Holds
		}
		settled = settled && still
	}

	switch {
	case settled && len(o.open()) > 0:
		return rctl.Fails
	case m.stream.Over(r.process, m.mark) && len(o.list) == 0:
		return rctl.Holds
	}
	return rctl.Unknown
}

// remember notes the obligations at a moment.
func (r *response) remember(m *moment) {
	r.states = *r.at(m)
	r.seen = seen{true, m.mark.Step}
}
