package scenario

import (
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
	Answers  int  // of a dotted arrow: the arrow above that it goes back from, -1 for none
	Optional bool // some scenario is without it
	At       int  // in the text of the diagram
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
	calls  []int                        // arrows that no dotted one has answered yet
}

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
			if err := s.number(st.Body, optional || st.Times <= 0); err != nil {
				return err
			}
		}
		before := slices.Clip(s.calls)
		for _, b := range st.Branches {
			// What one branch of a choice answers, another may answer, too.
			if st.Kind == mermaid.Choice {
				s.calls = before
			}
			if err := s.number(b.Body, optional || st.Kind == mermaid.Choice); err != nil {
				return err
			}
			// What follows the choice is never after this branch.
			if b.Breaks {
				s.calls = before
			}
		}
		// What follows a break may be left out.
		optional = optional || breaks(body[i:i+1])
	}
	return nil
}

// arrow numbers an arrow. A dotted one answers the last call the other way without an answer yet: of
// A->>B, B->>C, C-->>B, B-->>A, the third answers the second, and the fourth the first.
func (s *Scenario) arrow(st *mermaid.Statement, optional bool) {
	a := Arrow{From: st.A, To: st.B, Text: st.Text, Answers: -1, Optional: optional, At: st.At}
	switch {
	case st.A == st.B:
		a.Kind = Action
	case st.Sends == mermaid.Lost:
		a.Kind = Lost
	}
	n := len(s.Arrows)
	s.arrows[st] = int32(n)
	if !st.Dotted {
		s.calls = append(s.calls, n)
	}
	for i := len(s.calls) - 1; st.Dotted && i >= 0; i-- {
		if call := s.Arrows[s.calls[i]]; call.From == a.To && call.To == a.From {
			a.Answers = s.calls[i]
			s.calls = slices.Concat(s.calls[:i], s.calls[i+1:])
			break
		}
	}
	s.Arrows = append(s.Arrows, a)
}

// note numbers a note, over two lifelines as one of each.
func (s *Scenario) note(st *mermaid.Statement) {
	s.notes[st] = int32(len(s.Notes))
	s.Notes = append(s.Notes, Note{Lifeline: st.A, Text: st.Text, Sets: st.Sets, At: st.At})
	if st.B != st.A {
		s.Notes = append(s.Notes, Note{Lifeline: st.B, Text: st.Text, Sets: st.Sets, At: st.At})
	}
}

// breaks reports whether statements have a break that ends what is around them.
func breaks(body []mermaid.Statement) bool {
	for _, st := range body {
		if st.Kind != mermaid.Choice {
			continue
		}
		for _, b := range st.Branches {
			if b.Breaks || breaks(b.Body) {
				return true
			}
		}
	}
	return false
}

// A builder makes the term of a scenario. A break leaves the statements around it, so statements have
// two terms: through, where no break leaves them, and left, where one does.
//
// Example: of "x, break y, z", through is x z, and left is x y. The whole diagram is either.
type builder struct {
	*Scenario
	*table
	asserted []bool // by note: it asserts something
}

// whole returns the term of a whole diagram: it is gone through, or left by a break.
func (b *builder) whole() *node {
	body := b.Diagram.Body
	return b.alt(b.through(body), b.left(body))
}

// through returns the term of statements that no break leaves.
func (b *builder) through(body []mermaid.Statement) *node {
	rest := b.empty
	for i := len(body) - 1; i >= 0; i-- {
		rest = b.seq(b.statement(&body[i]), rest)
	}
	return rest
}

// left returns the term of statements that a break of theirs leaves, nil if they have none.
func (b *builder) left(body []mermaid.Statement) *node {
	var rest *node // of the statements behind
	// From the back: a break behind a statement leaves after the whole statement.
	for i := len(body) - 1; i >= 0; i-- {
		st := &body[i]
		if rest != nil {
			rest = b.seq(b.statement(st), rest)
		}
		if st.Kind != mermaid.Choice {
			continue
		}
		for _, branch := range st.Branches {
			if branch.Breaks {
				rest = b.alt(rest, b.through(branch.Body))
			}
			rest = b.alt(rest, b.left(branch.Body))
		}
	}
	return rest
}

// statement returns the term of one statement.
func (b *builder) statement(st *mermaid.Statement) *node {
	switch st.Kind {
	case mermaid.Message:
		return b.atom(opArrow, b.arrows[st])
	case mermaid.Note:
		n := b.notes[st]
		term := b.empty
		for i := n; int(i) < len(b.Notes) && b.Notes[i].At == st.At; i++ {
			if b.asserted[i] {
				term = b.par(term, b.atom(opNote, i))
			}
		}
		return term
	case mermaid.Loop:
		return b.rounds(st)
	case mermaid.Choice:
		var term *node
		for _, branch := range st.Branches {
			if !branch.Breaks {
				term = b.alt(term, b.through(branch.Body))
			}
		}
		return term
	case mermaid.Par:
		term := b.empty
		for _, branch := range st.Branches {
			term = b.par(term, b.through(branch.Body))
		}
		return term
	}
	return b.empty
}

// rounds returns the term of a loop. A break ends its last round.
//
// Example: a loop of two rounds r, with left round b, is b or r (b or r). Its size grows with the
// number of rounds, hence maxRounds.
func (b *builder) rounds(st *mermaid.Statement) *node {
	round, last := b.through(st.Body), b.left(st.Body)
	times := int32(min(st.Times, 1<<30))
	switch {
	case last == nil:
		return b.loop(round, times)
	case times < 0:
		return b.seq(b.loop(round, times), b.alt(b.empty, last))
	}
	term := b.empty
	for range times {
		term = b.alt(last, b.seq(round, term))
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
