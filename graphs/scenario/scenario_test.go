package scenario

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/mermaid"
)

// read returns the scenario of a diagram without its first line.
func read(t *testing.T, text string) *Scenario {
	t.Helper()
	d, err := mermaid.Parse(t.Context(), trace.From("d.mmd", strings.NewReader("sequenceDiagram\n"+text)), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(d[0])
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// always marks each note as an assertion.
func always(int32) bool { return true }

// A dotted arrow may answer each call above it that goes the other way.
func TestAnswers(t *testing.T) {
	for text, want := range map[string]string{
		"A->>B: x\nB->>C: y\nC-->>B: z\nB-->>A: z\nA-->>B: z":      "[] [] [1] [0] []",
		"A->>B: x\nalt\nB-->>A: yes\nelse\nB-->>A: no\nend":        "[] [0] [0]",
		"A->>B: x\nopt\nB-->>A: early\nend\nB-->>A: late":          "[] [0] [0]",
		"A->>B: x\nbreak\nB-->>A: no\nend\nB-->>A: yes":            "[] [0] [0]",
		"A->>B: x\npar\nB-->>A: once\nand\nB-->>A: more\nend":      "[] [0] [0]",
		"alt\nA->>B: x\nelse\nA->>B: y\nend\nB-->>A: z":            "[] [] [0 1]",
		"alt\nA->>B: x\nelse\nB->>C: y\nend\nB-->>A: z\nC-->>B: z": "[] [] [0] [1]",
		"A->>B: x\nopt\nA->>B: y\nend\nB-->>A: z\nB-->>A: z":       "[] [] [0 1] [0 1]",
		"A->>B: x\nA->>B: y\nB-->>A: x\nB-->>A: z":                 "[] [] [0] [0 1]",
		"A->>B: x\nloop\nB-->>A: y\nA->>B: z\nend\nB-->>A: w":      "[] [0] [] [0 2]",
	} {
		s := read(t, text)
		var got []string
		for _, a := range s.Arrows {
			got = append(got, fmt.Sprint(a.Answers))
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s\nanswers %s, want %s", text, got, want)
		}
	}
}

// Notes ahead in a loop do not make a search incomplete if it can succeed without them.
func TestNotesAhead(t *testing.T) {
	s := read(t, `loop
alt one
Note over B: n1 == 1
Note over C: n2 == 1
else two
B->>B: x
B->>C: x
end
opt
A->>C: y
Note over A: n1 == 1
end
end
`)
	r, err := s.Decider(always, false).Decide(t.Context(), &Poset{
		Occurrences: []Occurrence{{Position: 1, Step: 1, Phase: Send, Clock: []int32{0}, Arrows: []int32{2}}},
		Holds:       func(int, []int32) bool { return true },
		Processes:   []uint64{1},
	})
	if err != nil || r.Verdict != Unfinished {
		t.Errorf("%+v, %v", r, err)
	}
}

// A trace that ends with a note that fails is not an unfinished one, even if it is the only
// matching that is not by luck.
func TestBeginningGoesOn(t *testing.T) {
	s := read(t, `participant A
alt one
A->>A: x
A->>A: y
A->>A: z
else two
par
A->>A: x
and
A->>A: y
end
Note over A: n == 1
end
`)
	r, err := s.Decider(always, false).Decide(t.Context(), &Poset{
		Occurrences: []Occurrence{
			{Process: 0, Position: 1, Step: 1, Phase: Act, Message: -1, Clock: []int32{0, 0}, Arrows: []int32{0, 3}},
			{Process: 1, Position: 1, Step: 2, Phase: Act, Message: -1, Clock: []int32{0, 0}, Arrows: []int32{1, 4}},
		},
		Holds:     func(int, []int32) bool { return false },
		Processes: []uint64{1, 1},
	})
	if err != nil || r.Verdict != Unfinished || len(r.Pairs) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// A process on lifelines A and B sends x and y at once. The note on A holds between them, so y must come first.
func TestSharedProcess(t *testing.T) {
	s := read(t, `participant A
participant B
par
B-xC: x
and
A-xC: y
Note over A: n == 1
end
`)
	r, err := s.Decider(always, false).Decide(t.Context(), &Poset{
		Occurrences: []Occurrence{
			{Position: 1, Step: 1, Phase: Send, Clock: []int32{0}, Arrows: []int32{0}},
			{Position: 1, Step: 1, Phase: Send, Message: 1, Clock: []int32{0}, Arrows: []int32{1}},
		},
		Holds:     func(_ int, counts []int32) bool { return counts[0] == 1 },
		Processes: []uint64{3},
	})
	if err != nil || r.Verdict != Conforms {
		t.Errorf("%+v, %v", r, err)
	}
}

// Rounds that may be without a lifeline do not pile up: a search makes equally many terms for each
// round.
func TestOptionalRounds(t *testing.T) {
	s := read(t, `participant A
participant B
loop
opt
A->>A: x
end
opt
B->>B: y
end
end
`)
	var terms []int
	for _, rounds := range []int{20, 40} {
		var all []happening
		for range rounds {
			all = append(all,
				happening{lane: 0, phase: Act, message: -1, label: "x"},
				happening{lane: 1, phase: Act, message: -1, from: 1, to: 1, label: "y"})
		}
		decider := s.Decider(always, false)
		r, err := decider.Decide(t.Context(), poset(rand.New(rand.NewPCG(1, 1)), s, all, []int{0, 1, 2}, make([]bool, 3), false, false))
		if err != nil || r.Verdict != Conforms {
			t.Errorf("%+v, %v", r, err)
		}
		terms = append(terms, len(decider.table.known))
	}
	if terms[1] > 2*terms[0] {
		t.Errorf("%d terms", terms)
	}
}

// Branches of a choice with a break share the statements after it. The search visits these once,
// not once per path to them: each round evaluates notes equally often.
func TestSharedRounds(t *testing.T) {
	asked := 0
	for _, rounds := range []int{10, 20} {
		s := read(t, fmt.Sprintf(`participant A
participant B
loop %d times
opt
Note over B: n == 1
A->>A: x
break
B->>B: y
end
end
end
B->>B: z
`, rounds))
		before := asked
		asked = 0
		r, err := s.Decider(always, false).Decide(t.Context(), &Poset{
			Occurrences: []Occurrence{{Process: 0, Position: 1, Step: 1, Phase: Act, Message: -1, Clock: []int32{0}, Arrows: []int32{2}}},
			Holds:       func(int, []int32) bool { asked++; return true },
			Processes:   []uint64{2},
		})
		if err != nil || r.Verdict != Conforms {
			t.Errorf("%+v, %v", r, err)
		}
		if rounds == 20 && asked > 4*before {
			t.Errorf("%d questions, and for half the rounds %d", asked, before)
		}
	}
}
