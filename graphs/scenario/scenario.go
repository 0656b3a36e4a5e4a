package scenario

import (
	"math/bits"
	"slices"

	"github.com/pota-project/pota/graphs/trace/mermaid"
)

// An Arrow is an arrow of a diagram: a message, or an action if it goes from a lifeline to itself.
type Arrow struct {
	*mermaid.Statement
	// the calls that a dotted arrow may answer: arrows above it in the other direction, if possible
	// with its text
	Answers []int
}

// Received reports whether an arrow is a message that is received.
func (a Arrow) Received() bool { return a.From != a.To && a.Sends != mermaid.Lost }

// A Note is a note over one lifeline. A note of the diagram over two lifelines becomes two.
type Note struct {
	*mermaid.Statement
	Lifeline int
}

// A Scenario is a diagram, with its arrows and notes numbered in the order of the text. Decisions
// do not change it.
type Scenario struct {
	Diagram *mermaid.Diagram
	Arrows  []Arrow
	Notes   []Note
}

const (
	maxLifelines = 63 // one bit each, and one for the page
	// the rounds of a loop with a number, multiplied by those of the loops around it
	maxRounds = 1000
)

// New numbers the arrows and notes of a diagram. Its errors are *trace.Error.
func New(d *mermaid.Diagram) (*Scenario, error) {
	s := &Scenario{Diagram: d}
	if n := len(d.Participants); n > maxLifelines {
		return nil, d.Errorf(0, "%d participants: a specification has at most %d", n, maxLifelines)
	}
	return s, s.number(d.Body, 1)
}

// number numbers the arrows and notes of statements, which loops repeat that many times.
func (s *Scenario) number(body []mermaid.Statement, times int) error {
	for i := range body {
		st := &body[i]
		switch st.Kind {
		case mermaid.Message:
			if st.Sends == mermaid.Both {
				return s.Diagram.Errorf(st.At, "an arrow with two heads has no first end: draw a message each way")
			}
			a := Arrow{Statement: st}
			for i, call := range s.Arrows {
				if st.Dotted && call.Answers == nil && call.From == a.To && call.To == a.From {
					a.Answers = append(a.Answers, i)
				}
			}
			// The text says which call is answered: "A->>B: x, A->>B: y, B-->>A: x".
			other := func(call int) bool { return s.Arrows[call].Text != a.Text }
			if same := slices.DeleteFunc(slices.Clone(a.Answers), other); len(same) > 0 {
				a.Answers = same
			}
			s.Arrows = append(s.Arrows, a)
		case mermaid.Note:
			for _, lifeline := range slices.Compact([]int{st.From, st.To}) {
				s.Notes = append(s.Notes, Note{st, lifeline})
			}
		case mermaid.Loop:
			rounds := times * max(st.Times, 1)
			if st.Times > maxRounds || rounds > maxRounds {
				return s.Diagram.Errorf(st.At, "loops go round at most %d times; without a number, they may go on", maxRounds)
			}
			if err := s.number(st.Body, rounds); err != nil {
				return err
			}
		}
		for _, b := range st.Branches {
			if err := s.number(b.Body, times); err != nil {
				return err
			}
		}
	}
	return nil
}

// breaks reports whether statements have a break that leaves them.
func breaks(body []mermaid.Statement) bool {
	return slices.ContainsFunc(body, func(st mermaid.Statement) bool {
		return st.Kind == mermaid.Choice && slices.ContainsFunc(st.Branches, func(b mermaid.Branch) bool {
			return b.Breaks || breaks(b.Body)
		})
	})
}

// statements returns the term of statements and their continuation: next after the last one, or out
// after a break that leaves them. A nil term stands for the impossible.
//
// Example: the term of "x, break y, z" is x, followed by z and next, or by y and out.
func (t *table) statements(body []mermaid.Statement, next, out *node) *node {
	for i := len(body) - 1; i >= 0; i-- {
		next = t.statement(&body[i], next, out)
	}
	return next
}

// statement returns the term of one statement and its continuation.
func (t *table) statement(st *mermaid.Statement, next, out *node) *node {
	term := t.empty
	switch st.Kind {
	case mermaid.Message:
		i := slices.IndexFunc(t.scenario.Arrows, func(a Arrow) bool { return a.Statement == st })
		term = t.atom(opArrow, int32(i))
	case mermaid.Note:
		for i, n := range t.scenario.Notes {
			if n.Statement == st && t.asserted(int32(i)) {
				term = t.par(term, t.atom(opNote, int32(i)))
			}
		}
	case mermaid.Loop:
		// A break ends the last round of a loop. Example: a loop of two rounds r, with the ending
		// round b, is b or r (b or r). The size grows with the number of rounds, hence maxRounds.
		for range st.Times {
			term = t.statements(st.Body, term, t.empty)
		}
		if st.Times < 0 {
			last := t.statements(st.Body, nil, t.empty) // nil if nothing breaks
			term = t.seq(t.loop(t.statements(st.Body, t.empty, nil)), t.alt(t.empty, last))
		}
	case mermaid.Par:
		for _, branch := range st.Branches {
			term = t.par(term, t.statements(branch.Body, t.empty, nil))
		}
	case mermaid.Choice:
		// The statements after a choice go into its branches only if one of these breaks. Otherwise
		// they are one term, and can be matched before the choice is made.
		behind := t.empty
		if breaks([]mermaid.Statement{*st}) {
			behind, next = next, t.empty
		}
		term = nil
		for _, branch := range st.Branches {
			to := behind
			if branch.Breaks {
				to = out
			}
			term = t.alt(term, t.statements(branch.Body, to, out))
		}
	}
	return t.seq(term, next)
}

// lifelines lists the members of a set of lifelines in increasing order.
func lifelines(set uint64) []int {
	var all []int
	for ; set != 0; set &= set - 1 {
		all = append(all, bits.TrailingZeros64(set))
	}
	return all
}
