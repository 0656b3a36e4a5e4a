package vacuity

import (
	"strconv"
	"strings"

	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// quantifiers reports those without an instance.
func (s *search) quantifiers() {
	syntax.Walk(s.root, func(f *syntax.Formula) bool {
		q := f.Quant
		if q == nil || !s.empty(q) {
			return true
		}
		names := syntax.Mapped(q.Names, func(n syntax.Name) string { return n.Text })
		between := ", "
		if q.Distinct {
			between = " != "
		}
		why := "there are too few processes to choose from"
		switch {
		case q.Data != nil:
			why = "no event is of that kind"
		case q.Glob != "":
			why = "no process that matches " + strconv.Quote(q.Glob) + " is there to choose"
		}
		s.report(Quantifier, f.Pos, "%s %s ranges over nothing: %s", f.Op, strings.Join(names, between), why)
		return true
	})
}

// empty reports whether a quantifier has no instance. Only quantifiers over different
// processes, over processes with certain names or variables, and over data can be empty.
func (s *search) empty(q *syntax.Quantifier) bool {
	if !q.Distinct && q.Having == nil && q.Glob == "" && q.Data == nil {
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
