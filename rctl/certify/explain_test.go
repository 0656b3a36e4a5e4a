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

// Of cases of the same the first are listed, and all are counted.
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
	var kinds []string
	for _, line := range argument.Lines {
		_, why, _ := strings.Cut(line, ": ")
		before, _, _ := strings.Cut(line, ":")
		kinds = append(kinds, map[bool]string{true: before, false: why}[strings.HasPrefix(line, "…")])
	}
	listed := "evaluated there, and at later cuts where it matters."
	if want := []string{listed, listed, listed, "… and so on, for 9 cases in all", "a run of 0 steps shows it.", listed}; !slices.Equal(kinds, want) {
		t.Errorf("%q", argument.Lines)
	}
}
