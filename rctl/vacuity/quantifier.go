package vacuity

import (
	"strings"

	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// quantifiers reports those without an instance.
func (s *search) quantifiers() {
	note := func(q *syntax.Quantifier, word string, pos int) {
		if !s.empty(q) {
			return
		}
		names := make([]string, len(q.Names))
		for i, name := range q.Names {
			names[i] = name.Text
		}
		between := ", "
		if q.Distinct {
			between = " != "
		}
		s.report(Quantifier, pos, "%s %s ranges over nothing: there are too few processes to choose from", word, strings.Join(names, between))
	}

	syntax.Walk(s.root, func(f *syntax.Formula) bool {
		switch f.Op {
		case syntax.OpForall:
			note(f.Quant, "forall", f.Pos)
		case syntax.OpExists:
			note(f.Quant, "exists", f.Pos)
		}
		return true
	})
}

// empty reports whether a quantifier has no instance. Only quantifiers over different
// processes, or over processes with certain variables, can be empty.
func (s *search) empty(q *syntax.Quantifier) bool {
	if !q.Distinct && q.Having == nil {
		return false
	}
	f := &syntax.Formula{Op: syntax.OpExists, Quant: q, Sub: []*syntax.Formula{{Op: syntax.OpTrue}}}
	empty := true
	err := syntax.Instances(s.ctx, f, nil, rctl.Scope(s.c), nil, func([]syntax.Binding, *syntax.Formula) bool {
		empty = false
		return false
	})
	return err == nil && empty
}
