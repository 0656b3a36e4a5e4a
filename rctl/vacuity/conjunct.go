package vacuity

import (
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// mostConjuncts bounds the conjuncts that are looked at.
const mostConjuncts = 16

// conjuncts reports which parts of a conjunction are never true where EF of it fails:
// the others are not to blame.
func (s *search) conjuncts() {
	if s.root.Op != syntax.OpEF || s.verdict != rctl.Fails {
		return
	}
	o := (&occurrence{form: s.root}).operand(0, false)
	for o.form.Op == syntax.OpExists {
		o = o.operand(0, false)
	}
	if o.form.Op != syntax.OpAnd || len(o.form.Sub) > mostConjuncts || s.overNothing(o) {
		return
	}
	for i, part := range o.form.Sub {
		if part.Op != syntax.OpFalse && s.decide(s.reachable(o.operand(i, false), part)) == rctl.Fails {
			s.report(Conjunct, part.Pos, "%s is never true", part.Brief(mostShown))
		}
	}
}
