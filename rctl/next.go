package rctl

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/project"
	"github.com/pota-project/pota/rctl/syntax"
)

// next decides EX by deciding its operand at each cut that follows the initial one.
func (k *checker) next(f *syntax.Formula) engine.Answer {
	if k.nexts == nil {
		k.nexts = newNextMemo(k)
		defer func() { k.nexts = nil }()
	}
	sum := engine.Answer{Verdict: Fails}
	initial := k.Comp.Initial()
	var steps [][]graphs.Event
	for p := range initial {
		if step := k.Comp.NextStep(initial, p); step != nil {
			steps = append(steps, step)
		}
	}
	for i, a := range k.each(len(steps), func(k *checker, i int) engine.Answer { return k.following(steps[i], f.Sub[0]) }) {
		switch a.Verdict {
		case Holds:
			return k.Shown(f, k.Comp.Execute(initial, steps[i][0]))
		case Unknown:
			sum = engine.Undecided(a.Reason)
		}
	}
	return sum
}

// nextMemo remembers verdicts at cuts a few steps after the initial cut of comp. A formula without EX
// and AX has the same verdict at cuts with the same visible events (package project). So a formula
// over few processes is decided at few cuts, however many processes there are.
type nextMemo struct {
	comp  *graphs.Computation
	whole bool // whether all events count as visible

	// guards the fields below; no decision is made while it is held
	mu      sync.Mutex
	visible map[*syntax.Formula]dense.Set // the events that a formula can see; nil for all
	known   map[place]decided
}

func newNextMemo(k *checker) *nextMemo {
	return &nextMemo{
		comp: k.Comp, whole: k.opts.NoProjection,
		visible: make(map[*syntax.Formula]dense.Set), known: make(map[place]decided),
	}
}

// A place identifies the cuts at which a formula has one verdict: those with the same visible events
// since the initial cut of the memo, as a list of varints.
type place struct {
	formula *syntax.Formula
	since   string
}

// decided is a verdict, and the last engine that was needed for it.
type decided struct {
	verdict Verdict
	used    Engine
}

// following decides f at the cut after a step, without evidence.
func (k *checker) following(step []graphs.Event, f *syntax.Formula) engine.Answer {
	s, since := k.nexts, slices.Concat(k.since, step)
	slices.Sort(since)
	at, err := s.place(since, f)
	if err != nil {
		k.fail(err)
		return engine.Answer{}
	}
	s.mu.Lock()
	d, ok := s.known[at]
	s.mu.Unlock()
	if ok {
		k.used = max(k.used, d.used)
		return engine.Answer{Verdict: d.verdict}
	}
	a := k.from(k.Comp.Execute(k.Comp.Initial(), step[0]), func(later *checker) engine.Answer {
		later.opts.Evidence, later.Evidence = false, false
		later.nexts, later.since = s, since
		a := later.decide(f)
		d = decided{a.Verdict, later.used}
		return a
	})
	if a.Verdict != Unknown {
		s.mu.Lock()
		s.known[at] = d
		s.mu.Unlock()
	}
	return a
}

// place returns the place of a formula at the cut after some events. The error is a
// *atoms.ValuesError.
func (s *nextMemo) place(since []graphs.Event, f *syntax.Formula) (place, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	visible, ok := s.visible[f]
	if !ok {
		if !s.whole && !syntax.HasNext(f) {
			var err error
			if visible, err = project.Visible(s.comp, f); err != nil {
				return place{}, err
			}
		}
		s.visible[f] = visible
	}
	var key []byte
	for _, e := range since {
		if visible == nil || visible.Has(int(e)) {
			key = binary.AppendUvarint(key, uint64(e))
		}
	}
	return place{f, string(key)}, nil
}
