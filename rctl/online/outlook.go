package online

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// When tells at what time a verdict can become final, the earliest first.
type When uint8

// The times of final verdicts, as the package's table has them.
const (
	AtOnce  When = iota
	AtEvent      // at the event that shows it
	Settled      // once nothing that is to come can change it
	Closed       // once the processes that it speaks of have closed
	AtEnd        // at the end alone
)

// String returns when that is, as the end of a sentence.
func (w When) String() string {
	return [...]string{
		"at once", "at an event", "once nothing to come can change it", "once its processes have closed", "at the end",
	}[w]
}

// An Outlook says when a formula can hold for good, and when it can fail.
type Outlook struct {
	Holds, Fails When
	Joins        [2]bool // likewise: that is at the end, as processes may join
}

// Plain reports whether one verdict shows at an event, and the other once processes have closed.
func (o Outlook) Plain() bool {
	return min(o.Holds, o.Fails) <= AtEvent && max(o.Holds, o.Fails) <= Closed
}

// String returns the outlook in words.
func (o Outlook) String() string {
	says := func(verb string, w When, joins bool) string {
		if joins {
			return fmt.Sprintf("%s %s, as processes may join", verb, w)
		}
		return fmt.Sprintf("%s %s", verb, w)
	}
	if o.Holds == o.Fails && o.Joins[0] == o.Joins[1] {
		return "holds or " + says("fails", o.Fails, o.Joins[1])
	}
	texts := []string{says("holds", o.Holds, o.Joins[0]), says("fails", o.Fails, o.Joins[1])}
	if o.Fails < o.Holds {
		slices.Reverse(texts)
	}
	return strings.Join(texts, ", ")
}

// Expect returns the outlook of a formula, as it was parsed, on an execution that arrives, and may be declared. The
// error says that it cannot be decided on-line.
//
// The time complexity of Expect is that of resolving f for as many processes as it names, and two.
func Expect(f *syntax.Formula, declared bool) (o Outlook, err error) {
	s := newSupposed(f)
	opening := &opening{
		joins: func(q *syntax.Quantifier, _ []syntax.Name) bool { return q.Domain == nil && !declared },
		known: func(string) bool { return true },
	}
	open := opening.within(f)
	for at, v := range [...]rctl.Verdict{rctl.Holds, rctl.Fails} {
		bound, err := syntax.Resolve(context.Background(), opening.bound(syntax.NNF(f), side(at)), s)
		if err != nil {
			return Outlook{AtEnd, AtEnd, [2]bool{}}, err
		}
		when := newPart(syntax.NNF(bound)).when(v)
		o.Joins[at] = open && when == AtEnd
		if v == rctl.Holds {
			o.Holds = when
		} else {
			o.Fails = when
		}
	}
	return o, nil
}

// when tells when p can have a verdict for good.
func (p *part) when(v rctl.Verdict) When {
	holds := v == rctl.Holds
	other := func(positive bool) When { // of what one verdict shows at an event
		switch {
		case holds == positive:
			return AtEvent
		case syntax.HasNext(p.f):
			return AtEnd
		}
		return Closed
	}

	switch p.kind {
	case join:
		first, last := AtEnd, AtOnce
		for _, sub := range p.sub {
			w := sub.when(v)
			first, last = min(first, w), max(last, w)
		}
		if holds == (p.f.Op == syntax.OpAnd) {
			return last
		}
		return first
	case initial:
		if p.f.Op == syntax.OpTrue && !holds || p.f.Op == syntax.OpFalse && holds {
			return AtEnd
		}
		return AtOnce
	case reach, existential:
		return other(true)
	case avoid, universal:
		return other(false)
	case special:
		if _, ok := p.decider.(*overlap); ok {
			return other(p.f.Op == syntax.OpAF)
		}
		return Closed
	case last:
		return Closed
	case never:
		return AtEnd
	}
	if p.reached != nil {
		return Closed
	}
	return Settled
}

// supposed is a scope that has whatever a formula speaks of, all of it of unknown types.
type supposed struct{ processes []string }

// newSupposed returns the scope of a formula: the processes that it names, and two for each domain.
func newSupposed(f *syntax.Formula) supposed {
	s := supposed{processes: []string{"first", "second"}}
	add := func(name string) {
		if name != "" && !slices.Contains(s.processes, name) {
			s.processes = append(s.processes, name)
		}
	}
	ranges := &opening{joins: func(q *syntax.Quantifier, _ []syntax.Name) bool {
		for _, name := range q.Domain {
			add(name.Text)
		}
		for _, any := range s.processes[:2] {
			if q.Glob != "" {
				add(strings.NewReplacer("*", any, "?", any[:1]).Replace(q.Glob))
			}
		}
		return false
	}}
	ranges.within(f)
	syntax.WalkExprs(f, func(e *syntax.Expr) {
		add(e.Process.Text)
		if e.Op == syntax.ExprTransit {
			add(e.From.Text)
			add(e.To.Text)
		}
	})
	return s
}

func (s supposed) Processes() []string { return s.processes }

func (s supposed) LookupProcess(name string) (int, bool) {
	p := slices.Index(s.processes, name)
	return p, p >= 0
}

// Variable says that a process has a variable, of whatever type.
func (s supposed) Variable(int, string) (syntax.Type, bool) { return syntax.UnknownType, true }

// Owners says that one process has a variable that a formula names without its process.
func (s supposed) Owners(string) []int { return []int{0} }

func (s supposed) VariableNames() []string { return nil }
