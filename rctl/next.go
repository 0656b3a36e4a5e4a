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

// next decides EX by looking at each cut that follows the initial one.
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
	text := f.Sub[0].String()
	for i, a := range k.each(len(steps), func(k *checker, i int) engine.Answer { return k.following(steps[i], f.Sub[0], text) }) {
		switch a.Verdict {
		case Holds:
			return k.Shown(f, k.Comp.Execute(initial, steps[i][0]))
		case Unknown:
			sum = engine.Undecided(a.Reason)
		}
	}
	return sum
}

// nextMemo remembers verdicts on formulas at cuts a few steps after the initial cut of comp. A
// formula without EX and AX is the same at cuts with the same visible events (package project). So
// a formula over few processes is decided at few cuts, however many processes there are.
type nextMemo struct {
	comp  *graphs.Computation
	whole bool // all cuts are told apart

	mu    sync.Mutex          // of what follows; nothing is decided under it
	sight map[string]*visible // of a formula, by its text
	known map[string]decided
}

func newNextMemo(k *checker) *nextMemo {
	return &nextMemo{comp: k.Comp, whole: k.opts.NoProjection, sight: make(map[string]*visible), known: make(map[string]decided)}
}

// visible is what a formula can see.
type visible struct {
	number int       // of the formula
	events dense.Set // nil for all
}

// decided is a verdict, and the last engine that was needed for it.
type decided struct {
	verdict Verdict
	used    Engine
}

// following decides f, with its text given, at the cut after a step, without evidence.
func (k *checker) following(step []graphs.Event, f *syntax.Formula, text string) engine.Answer {
	s, since := k.nexts, slices.Concat(k.since, step)
	slices.Sort(since)
	key, err := s.key(since, f, text)
	if err != nil {
		k.fail(err)
		return engine.Answer{}
	}
	s.mu.Lock()
	d, ok := s.known[key]
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
		s.known[key] = d
		s.mu.Unlock()
	}
	return a
}

// key is equal for a formula at two cuts, given by the events since the initial one, only where
// that is the same at both. The error is a *atoms.ValuesError.
func (s *nextMemo) key(since []graphs.Event, f *syntax.Formula, text string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.sight[text]
	if v == nil {
		v = &visible{number: len(s.sight)}
		if !s.whole && !syntax.HasNext(f) {
			var err error
			if v.events, err = project.Visible(s.comp, f); err != nil {
				return "", err
			}
		}
		s.sight[text] = v
	}
	key := binary.AppendUvarint(nil, uint64(v.number))
	for _, e := range since {
		if v.events == nil || v.events.Has(int(e)) {
			key = binary.AppendUvarint(key, uint64(e))
		}
	}
	return string(key), nil
}
