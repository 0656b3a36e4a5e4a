package scenario

import (
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/mermaid"
)

// A dotted arrow answers a call on each way through the diagram.
func TestAnswers(t *testing.T) {
	for text, want := range map[string][]int{
		"A->>B: x\nB->>C: y\nC-->>B: z\nB-->>A: z":            {-1, -1, 1, 0},
		"A->>B: x\nalt\nB-->>A: yes\nelse\nB-->>A: no\nend":   {-1, 0, 0},
		"A->>B: x\nopt\nB-->>A: early\nend\nB-->>A: late":     {-1, 0, 0},
		"A->>B: x\nbreak\nB-->>A: no\nend\nB-->>A: yes":       {-1, 0, 0},
		"A->>B: x\npar\nB-->>A: once\nand\nB-->>A: more\nend": {-1, 0, -1},
	} {
		d, err := mermaid.Parse(t.Context(), trace.From("d.mmd", strings.NewReader("sequenceDiagram\n"+text)), trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := New(d[0])
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, a := range s.Arrows {
			got = append(got, a.Answers)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s\nanswers %v, want %v", text, got, want)
		}
	}
}
