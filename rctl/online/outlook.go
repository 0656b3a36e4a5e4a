package online

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// When is the time at which a verdict can become final, the earliest first.
type When uint8

// The times of final verdicts, as in the table of the package documentation.
const (
	AtOnce  When = iota
	AtEvent      // at the event that shows it
	Overdue      // once a deadline has passed
	Settled      // once no event to come can change it
	Closed       // once its processes have closed
	AtEnd        // at the end alone
)

// String returns the time as the end of a sentence.
func (w When) String() string {
	return [...]string{
		"at once", "at an event", "once a deadline has passed", "once nothing to come can change it", "once its processes have closed", "at the end",
	}[w]
}

// An Outlook says when a formula can hold for good, and when it can fail.
type Outlook struct {
	Holds, Fails When
	why          string // why a verdict is delayed to the end; "" if unknown
}

// Plain reports whether one verdict can be final at an event, and the other once processes have closed.
func (o Outlook) Plain() bool {
	return min(o.Holds, o.Fails) <= AtEvent && max(o.Holds, o.Fails) <= Closed
}

// String returns the outlook in words.
func (o Outlook) String() string {
	says := func(verb string, w When) string {
		text := verb + " " + w.String()
		if w == AtEnd && o.why != "" {
			text += ", as " + o.why
		}
		return text
	}
	switch {
	case o.Holds == o.Fails:
		return says("holds or fails", o.Fails)
	case o.Fails < o.Holds:
		return says("fails", o.Fails) + ", " + says("holds", o.Holds)
	}
	return says("holds", o.Holds) + ", " + says("fails", o.Fails)
}

// Expect returns the outlook of a parsed formula on an execution, declared or not, with clocks that
// agree within skew. An error means that on-line detection does not support the formula.
//
// The time complexity of Expect is that of resolving f for the processes that it names, and one more.
func Expect(f *syntax.Formula, declared bool, skew time.Duration) (o Outlook, err error) {
	p := prepare(f, skew)
	if f = p.formula; p.ofData() {
		return p.expect(declared, skew)
	}
	// The formula is resolved in a scope in which everything that it names exists, and processes may join.
	s := &supposed{processes: []string{"one"}}
	opening := &opening{joins: func(q *syntax.Quantifier, _ []syntax.Name) bool {
		for _, name := range q.Domain {
			s.add(name.Text)
		}
		if q.Glob != "" {
			s.add(strings.NewReplacer("*", "one", "?", "x").Replace(q.Glob))
		}
		return q.Domain == nil && !declared
	}}
	syntax.WalkExprs(f, func(e *syntax.Expr) {
		s.add(e.Process.Text)
		if e.Op == syntax.ExprTransit {
			s.add(e.From.Text)
			s.add(e.To.Text)
		}
	})
	var when [2]When
	for at, v := range [...]rctl.Verdict{rctl.Holds, rctl.Fails} {
		bound := opening.of(syntax.NNF(f), side(at))
		resolved, err := syntax.Resolve(context.Background(), bound, s)
		if err != nil {
			return Outlook{Holds: AtEnd, Fails: AtEnd}, err
		}
		when[at] = newPart(syntax.NNF(resolved)).when(v)
	}
	o = Outlook{Holds: when[0], Fails: when[1]}
	if opening.found {
		o.why = "processes may join"
	}
	return o, nil
}

// expect is Expect for a formula about data or time. If it is decided by binding, the verdict that one binding
// decides can be final at an event; the other needs all bindings.
func (p *prepared) expect(declared bool, skew time.Duration) (Outlook, error) {
	o := Outlook{Holds: AtEnd, Fails: AtEnd}
	f := p.formula
	fails, early := true, AtEnd // whether one binding decides that it fails, and when
	t, body := front(f)
	switch r := p.bounded; {
	case r != nil:
		// A deadline is enough if one process decides; otherwise all of them matter.
		if fails = !r.Negated; r.Each == nil || fails == (f.Op == syntax.OpForall) {
			early = Overdue
		}
	case syntax.HasBounds(f):
		o.why = "its bound on time is not about events or one process"
	case p.touching != nil:
		// The body is about an execution of its own: the events of one binding.
		one, err := Expect(p.touching.body, declared, skew)
		if err != nil {
			return o, err
		}
		if fails = p.touching.template.Op == syntax.OpForall; fails && one.Fails <= AtEvent || !fails && one.Holds <= AtEvent {
			early = AtEvent
		}
	case byClocks(f, skew):
		o.why = "it compares times, and clocks may be off"
	case t != nil:
		if fails = t.Op == syntax.OpForall; canBe(body, engine.VerdictOf(!fails), nil) {
			early = AtEvent
		} else {
			o.why = "each event to come may change it"
		}
	case syntax.UsesKnowledge(f):
		o.why = "what a process knows depends on all events"
	default:
		o.why = "its bindings are not distinguished by what their events assign"
		if t = syntax.NewTemplate(f); t != nil && t.Why != "" {
			o.why = t.Why
		}
	}
	if fails {
		o.Fails = early
	} else {
		o.Holds = early
	}
	return o, nil
}

// canBe reports whether a verdict under a binding of pairs can be final before the end, if the names in comes are bound
// to items still to come.
func canBe(f *syntax.Formula, v rctl.Verdict, comes []string) bool {
	of := func(f *syntax.Formula) bool { return canBe(f, v, comes) }
	switch f.Op {
	case syntax.OpTrue, syntax.OpFalse:
		return v == engine.VerdictOf(f.Op == syntax.OpTrue)
	case syntax.OpNot:
		return canBe(f.Sub[0], v.Not(), comes)
	case syntax.OpAnd, syntax.OpOr:
		if v == engine.VerdictOf(f.Op == syntax.OpOr) {
			return slices.ContainsFunc(f.Sub, of)
		}
		return !slices.ContainsFunc(f.Sub, func(sub *syntax.Formula) bool { return !of(sub) })
	case syntax.OpForall, syntax.OpExists:
		if v == engine.VerdictOf(f.Op == syntax.OpExists) {
			return of(f.Sub[0])
		}
		// One more item must make no difference.
		return canBe(f.Sub[0], v, append(slices.Clip(comes), texts(f.Quant.Names)...))
	case syntax.OpAtom:
		if f.Expr.Op == syntax.ExprBefore && !slices.Contains(comes, f.Expr.Other.Text) {
			return v == rctl.Fails || !slices.Contains(comes, f.Expr.Event.Text)
		}
		return !syntax.Mentions(f, func(e *syntax.Expr) bool {
			return e.Op == syntax.ExprValue && slices.Contains(comes, e.Text) ||
				e.Past != nil && (slices.Contains(comes, e.Event.Text) || slices.Contains(comes, e.Other.Text))
		})
	}
	return of(f.Sub[0])
}

// when returns when p can have a final verdict v.
func (p *part) when(v rctl.Verdict) When {
	switch p.kind {
	case join:
		first, last := AtEnd, AtOnce
		for _, sub := range p.sub {
			w := sub.when(v)
			first, last = min(first, w), max(last, w)
		}
		if v == rctl.Holds == (p.f.Op == syntax.OpAnd) {
			return last
		}
		return first
	case initial:
		if p.f.Op == syntax.OpTrue && v == rctl.Fails || p.f.Op == syntax.OpFalse && v == rctl.Holds {
			return AtEnd
		}
		return AtOnce
	}
	when := finals[p.kind]
	if _, ok := p.decider.(*overlap); ok {
		when[0] = AtEvent
	}
	if p.kind > special && !p.stuck {
		when[0], when[1] = min(when[0], Closed), Closed
	}
	if syntax.HasNext(p.f) {
		when[1] = AtEnd
	}
	if v == p.of(rctl.Holds) {
		return when[0]
	}
	return when[1]
}

// supposed is a scope that has everything a formula mentions, with unknown types.
type supposed struct{ processes []string }

func (s *supposed) add(process string) {
	if process != "" && !slices.Contains(s.processes, process) {
		s.processes = append(s.processes, process)
	}
}

func (s *supposed) Processes() []string { return s.processes }

func (s *supposed) LookupProcess(name string) (int, bool) {
	p := slices.Index(s.processes, name)
	return p, p >= 0
}

func (s *supposed) Variable(int, string) (syntax.Type, bool) { return syntax.UnknownType, true }

// Owners supposes that a variable named without its process has exactly one owner.
func (s *supposed) Owners(string) []int { return []int{0} }

func (s *supposed) VariableNames() []string { return nil }
