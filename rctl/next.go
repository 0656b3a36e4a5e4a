package rctl

import (
	"encoding/binary"
	"sync"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/project"
	"github.com/pota-project/pota/rctl/syntax"
)

// next decides EX by looking at each cut that follows the initial one.
func (k *checker) next(f *syntax.Formula) engine.Answer {
	if k.nearby == nil {
		k.nearby = newNearby(k)
		defer func() { k.nearby = nil }()
	}
	sum := engine.Answer{Verdict: Fails}
	var cuts []graphs.Cut
	for p := range k.Comp.NumProcesses() {
		if cut, ok := k.Comp.Next(k.Comp.Initial(), p); ok {
			cuts = append(cuts, cut)
		}
	}
	for i, a := range k.each(len(cuts), func(k *checker, i int) engine.Answer { return k.at(cuts[i], f.Sub[0]) }) {
		switch a.Verdict {
		case Holds:
			return k.Shown(f, cuts[i])
		case Unknown:
			sum = engine.Undecided(a.Reason)
		}
	}
	return sum
}

// nearby remembers what was decided of formulas at cuts that follow the initial cut of comp, one
// step after the other. A formula without EX and AX is the same at cuts that have the same events
// that it can see (package project): that of one over few processes is decided at few cuts, however
// many processes there are.
type nearby struct {
	comp  *graphs.Computation
	whole bool // all cuts are told apart

	mu    sync.Mutex          // of what follows; nothing is decided under it
	sight map[string]*visible // of a formula, by its text
	known map[string]decided
}

func newNearby(k *checker) *nearby {
	return &nearby{comp: k.Comp, whole: k.opts.NoProjection, sight: make(map[string]*visible), known: make(map[string]decided)}
}

// visible is what a formula can see.
type visible struct {
	number int       // of the formula
	events dense.Set // nil for all
}

// decided is a verdict, and the last of the engines that it took.
type decided struct {
	verdict Verdict
	used    Engine
}

// at decides f, without evidence, at a cut that is nearby.
func (k *checker) at(cut graphs.Cut, f *syntax.Formula) engine.Answer {
	s := k.nearby
	key, err := s.key(cut, f)
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
	a := k.from(cut, func(later *checker) engine.Answer {
		later.opts.Evidence, later.Evidence, later.nearby = false, false, s
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

// key is equal for a formula at two cuts only where that is the same at both. The error is a
// *atoms.ValuesError.
func (s *nearby) key(cut graphs.Cut, f *syntax.Formula) (string, error) {
	text := f.String()
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
	for p, k := range cut {
		for i := int(s.comp.Initial()[p]) + 1; i <= int(k); i++ {
			if e := s.comp.Event(p, i); v.events == nil || v.events.Has(int(e)) {
				key = binary.AppendUvarint(key, uint64(e))
			}
		}
	}
	return string(key), nil
}
