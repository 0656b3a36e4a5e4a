package scenario

import (
	"maps"
	"math/bits"
	"slices"

	"github.com/pota-project/pota/graphs/trace/mermaid"
)

// Kind says what an arrow stands for.
type Kind uint8

// The kinds of arrows.
const (
	Message Kind = iota
	Lost         // a message that nobody receives
	Action       // of one lifeline
)

// An Arrow is one of a diagram.
type Arrow struct {
	Kind     Kind
	From, To int // lifelines; of an action, twice the same
	Text     string
	Answers  []int // of a dotted arrow: the arrows above that it may go back from, by the branches taken
	Optional bool  // some scenario is without it
	At       int   // in the text of the diagram
}

// A Note is one over a lifeline.
type Note struct {
	Lifeline int
	Text     string
	Sets     []mermaid.Assignment
	At       int
}

// A Scenario is a diagram, with its arrows and notes numbered in the order of the text. It is not
// changed by decisions.
type Scenario struct {
	Diagram *mermaid.Diagram
	Arrows  []Arrow
	Notes   []Note

	arrows map[*mermaid.Statement]int32
	notes  map[*mermaid.Statement]int32 // the first note of a statement
	calls  calls
}

// Calls are the arrows between two lifelines that no dotted one has answered yet, the last at the end.
// Each place has what may be there, as choices go.
type calls map[[2]int][][]int

const (
	maxLifelines = 64   // one bit each
	maxRounds    = 1000 // of a loop with a break
)

// New numbers the arrows and notes of a diagram. Errors are *trace.Error.
func New(d *mermaid.Diagram) (*Scenario, error) {
	s := &Scenario{
		Diagram: d,
		arrows:  make(map[*mermaid.Statement]int32),
		notes:   make(map[*mermaid.Statement]int32),
		calls:   make(calls),
	}
	if n := len(d.Participants); n > maxLifelines {
		return nil, d.Errorf(0, "%d participants: a specification has at most %d", n, maxLifelines)
	}
	return s, s.number(d.Body, false)
}

// number numbers the arrows and notes of statements. With optional, some scenario leaves them out.
func (s *Scenario) number(body []mermaid.Statement, optional bool) error {
	for i := range body {
		st := &body[i]
		before := s.calls
		switch st.Kind {
		case mermaid.Message:
			if st.Sends == mermaid.Both {
				return s.Diagram.Errorf(st.At, "an arrow with two heads has no first end: draw a message each way")
			}
			s.arrow(st, optional)
		case mermaid.Note:
			s.note(st)
		case mermaid.Loop:
			if st.Times > maxRounds && breaks(st.Body) {
				return s.Diagram.Errorf(st.At, "a loop with a break goes round at most %d times", maxRounds)
			}
			none := st.Times <= 0
			if err := s.number(st.Body, optional || none); err != nil {
				return err
			}
			if none {
				s.calls = s.calls.or(before)
			}
		}
		var after calls // of a choice
		for _, b := range st.Branches {
			if st.Kind == mermaid.Choice {
				s.calls = before
			}
			if err := s.number(b.Body, optional || st.Kind == mermaid.Choice); err != nil {
				return err
			}
			// What follows the choice is never after a branch that breaks.
			if !b.Breaks {
				after = after.or(s.calls)
			}
		}
		if st.Kind == mermaid.Choice {
			s.calls = after
		}
		// What follows a break may be left out.
		optional = optional || breaks(body[i:i+1])
	}
	return nil
}

// arrow numbers an arrow. A dotted one answers the last call the other way without an answer yet: of
// A->>B, B->>C, C-->>B, B-->>A, the third answers the second, and the fourth the first.
func (s *Scenario) arrow(st *mermaid.Statement, optional bool) {
	a := Arrow{From: st.A, To: st.B, Text: st.Text, Optional: optional, At: st.At}
	switch {
	case st.A == st.B:
		a.Kind = Action
	case st.Sends == mermaid.Lost:
		a.Kind = Lost
	}
	n := len(s.Arrows)
	s.arrows[st] = int32(n)
	there, back := [2]int{a.From, a.To}, [2]int{a.To, a.From}
	s.calls = maps.Clone(s.calls) // branches go on from the same calls
	switch open := s.calls[back]; {
	case !st.Dotted:
		s.calls[there] = append(slices.Clip(s.calls[there]), []int{n})
	case len(open) > 0:
		a.Answers = open[len(open)-1]
		s.calls[back] = open[:len(open)-1]
	}
	s.Arrows = append(s.Arrows, a)
}

// or returns the calls after one of two branches. The last call of either is the last one then.
//
// Example: after "alt A->>B: x else A->>B: y", the dotted arrow B-->>A answers x or y.
func (c calls) or(d calls) calls {
	if c == nil {
		return d
	}
	both := maps.Clone(c)
	for ends, open := range d {
		more, fewer := open, c[ends]
		if len(more) < len(fewer) {
			more, fewer = fewer, more
		}
		more = slices.Clone(more)
		last := more[len(more)-len(fewer):]
		for i := range fewer {
			last[i] = slices.Concat(last[i], fewer[i])
			slices.Sort(last[i])
			last[i] = slices.Compact(last[i])
		}
		both[ends] = more
	}
	return both
}

// note numbers a note, over two lifelines as one of each.
func (s *Scenario) note(st *mermaid.Statement) {
	s.notes[st] = int32(len(s.Notes))
	s.Notes = append(s.Notes, Note{Lifeline: st.A, Text: st.Text, Sets: st.Sets, At: st.At})
	if st.B != st.A {
		s.Notes = append(s.Notes, Note{Lifeline: st.B, Text: st.Text, Sets: st.Sets, At: st.At})
	}
}

// breaks reports whether statements have a break that leaves them.
func breaks(body []mermaid.Statement) bool {
	return slices.ContainsFunc(body, func(st mermaid.Statement) bool {
		return st.Kind == mermaid.Choice && slices.ContainsFunc(st.Branches, func(b mermaid.Branch) bool {
			return b.Breaks || breaks(b.Body)
		})
	})
}

// A builder makes the term of a scenario.
type builder struct {
	*Scenario
	*table
	asserted []bool // by note: it asserts something
}

// statements returns the term of statements and of what comes after them: next where they are gone
// through, out where a break leaves them. What is nil must not come; if nothing can, the term is nil.
//
// Example: of "x, break y, z", the term is x, and then z next or y out.
func (b *builder) statements(body []mermaid.Statement, next, out *node) *node {
	for i := len(body) - 1; i >= 0; i-- {
		next = b.statement(&body[i], next, out)
	}
	return next
}

// statement returns the term of one statement, and of what comes after it.
func (b *builder) statement(st *mermaid.Statement, next, out *node) *node {
	term := b.empty
	switch st.Kind {
	case mermaid.Message:
		term = b.atom(opArrow, b.arrows[st])
	case mermaid.Note:
		for i := b.notes[st]; int(i) < len(b.Notes) && b.Notes[i].At == st.At; i++ {
			if b.asserted[i] {
				term = b.par(term, b.atom(opNote, i))
			}
		}
	case mermaid.Loop:
		term = b.rounds(st)
	case mermaid.Par:
		for _, branch := range st.Branches {
			term = b.par(term, b.statements(branch.Body, b.empty, nil))
		}
	case mermaid.Choice:
		// The statements behind a choice go into its branches only if one of these breaks: elsewhere they
		// are one term, and can be taken before the choice is made.
		behind := b.empty
		if breaks([]mermaid.Statement{*st}) {
			behind, next = next, b.empty
		}
		term = nil
		for _, branch := range st.Branches {
			to := behind
			if branch.Breaks {
				to = out
			}
			term = b.alt(term, b.statements(branch.Body, to, out))
		}
	}
	return b.seq(term, next)
}

// rounds returns the term of a loop. A break ends its last round.
//
// Example: a loop of two rounds r, with left round b, is b or r (b or r). Its size grows with the
// number of rounds, hence maxRounds.
func (b *builder) rounds(st *mermaid.Statement) *node {
	round := b.statements(st.Body, b.empty, nil)
	times := int32(min(st.Times, 1<<30))
	switch {
	case !breaks(st.Body):
		return b.loop(round, times)
	case times < 0:
		last := b.statements(st.Body, nil, b.empty)
		return b.seq(b.loop(round, times), b.alt(b.empty, last))
	}
	term := b.empty
	for range times {
		term = b.statements(st.Body, term, b.empty)
	}
	return term
}

// bit is the set of one lifeline.
func bit(lifeline int) uint64 { return 1 << lifeline }

// lifelines lists the members of a set.
func lifelines(set uint64) []int {
	var all []int
	for ; set != 0; set &= set - 1 {
		all = append(all, bits.TrailingZeros64(set))
	}
	return all
}
