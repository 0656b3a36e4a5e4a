package certify_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/certificate"
	"github.com/pota-project/pota/rctl/certify"
	"github.com/pota-project/pota/rctl/syntax"
)

// Of many steps by a rule about a formula the first and the last are listed, and all are counted.
func TestArgumentCountsCases(t *testing.T) {
	var b graphs.Builder
	b.Process("P")
	for range 9 {
		b.Event(0)
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	f, err := syntax.Parse("AF EX true")
	if err != nil {
		t.Fatal(err)
	}
	k, err := certificate.New(context.Background(), c, f)
	if err != nil {
		t.Fatal(err)
	}
	argument, look := certify.NewArgument(c), &certificate.Proof{Rule: "look"}
	for i := range int32(9) {
		argument.Add(k.Root.Not, graphs.Cut{i}, graphs.Cut{9}, look)
	}
	argument.Add(k.Root.Not, graphs.Cut{0}, graphs.Cut{9}, &certificate.Proof{Rule: "run"})
	argument.Add(k.Root.Not, graphs.Cut{0}, graphs.Cut{9}, look)
	var whys []string
	for _, line := range argument.Lines() {
		_, why, _ := strings.Cut(line, ": ")
		if strings.HasPrefix(line, "…") {
			why, _, _ = strings.Cut(line, ". ")
		}
		whys = append(whys, why)
	}
	listed := "the cuts from there on that matter were looked at one by one."
	run := "a run leads to the cut without events, and EX true holds there."
	if want := []string{listed, listed, listed, run, "… and so on, for 10 cases in all"}; !slices.Equal(whys, want) {
		t.Errorf("%q", argument.Lines())
	}
}

// What is the same everywhere needs no reason, and has a line if there is no other.
func TestArgumentOfConstants(t *testing.T) {
	var b graphs.Builder
	b.Process("P")
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"true":      "true holds at the cut without events by definition.",
		"EX true":   "EX true fails at the cut without events: no cut comes next.",
		"AG EF 1<2": "AG EF(1 < 2) holds at the cut without events: for it to fail, events would be needed that have not happened, or never do.",
	} {
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		k, err := certificate.New(context.Background(), c, f)
		if err != nil {
			t.Fatal(err)
		}
		argument, n, p := certify.NewArgument(c), k.Root, (*certificate.Proof)(nil)
		if strings.HasPrefix(text, "EX") {
			n, p = n.Not, &certificate.Proof{Rule: "operands"}
		}
		argument.Add(n.Not, c.Initial(), c.Initial(), p)
		if lines := argument.Lines(); !slices.Equal(lines, []string{want}) {
			t.Errorf("%s: %q", text, lines)
		}
	}
}
