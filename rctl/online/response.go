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
// AG(p -> EF q), because every run passes through all states of a chain. It fails if some cut
// has p and no later cut has q. For each disjunct of q, let v be the last event that made it
// false. While no disjunct holds, such a cut contains all these events. A run of states with p
// that ends with event t contains such a cut if t happened before none of them. These runs of
// states are the open obligations. An event v that is still to come happens after all of G, so
// an obligation that ended in G is discharged by the current or the next state with q: only the
// list of obligations must be kept.

// response decides AG(p -> AF q) and AG(p -> EF q).
type response struct {
	p       *syntax.Formula
	q       []*syntax.Formula // the alternatives of q
	process int
	seen
	states obligations
}

// obligations holds the runs of states with p that no q has discharged, oldest first.
type obligations struct {
	list  []Obligation
	holds []bool // by alternative of q, whether it holds now; if one does, no obligation is open
}

// An Obligation is a run of states with p of AG(p -> AF q) that is not yet known to be
// followed by a state with q.
type Obligation struct {
	Event  string    // the id of the event that made p true; "" for the beginning
	Events int64     // how many events had been admitted when it was found
	Since  time.Time // when it was found
	// how many obligations are not listed: before this one or, with a bound on time, after it
	More int

	end int64 // the position of the event that made p false; 0 if p still holds
}

// maxListed bounds the obligations that are kept: the oldest ones and the last one. The last
// is discharged only when all before it are.
const maxListed = 100

// newResponse returns the decider of f; nil if f is of another form.
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

// leads returns p and q of AG(p -> EF q); nil if f is not equivalent to such a formula. AF q is equivalent to
// EF q if q is a disjunction of predicates of single chains.
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

	// over is the last position on the process that happened before an event that has ended q, or will end it.
	over := int64(0)
	for _, f := range r.q {
		now, last := false, graphs.Bottom
		for e, holds := range states(c, must(atoms.Compile(c, f))) {
			if now && !holds && !r.has(w, e) {
				over = max(over, w.Past(e).Of(r.process))
			}
			now, last = holds, e
		}
		// The event that will end it happens after G, after the last event, and after every event known to
		// all processes that can still change the predicate.
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

// states follows the chain of a predicate, as Steps does, but visits only the states of cuts:
// if events happen together, only the state after the last of them.
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

// seen is the part of the execution that a decider has processed: the beginning, and the events up to a step.
type seen struct {
	beginning bool
	step      int64
}

// has reports whether an event of the window has been processed.
func (s seen) has(w *stream.Window, e graphs.Event) bool { return w.Step(e) <= s.step }

// changes yields the unseen events of a window that change the truth of a predicate of a chain, and
// whether it holds after them. Was says whether it held before. Until the beginning is seen, the
// predicate may begin to hold there, at graphs.Bottom.
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

// add adds a run of states; if there are maxListed, it replaces the last one.
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
	settled := true // whether q cannot change any more
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
