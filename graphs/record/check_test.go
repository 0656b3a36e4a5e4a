package record_test

import (
	"context"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// check decides formulas on a trace.
func check(t testing.TB, c *graphs.Computation, want map[string]bool) {
	t.Helper()
	for text, holds := range want {
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if f, err = syntax.Resolve(f, rctl.Scope(c)); err != nil {
			t.Fatal(err)
		}
		result, err := rctl.Check(context.Background(), c, f, rctl.Options{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if verdict := map[bool]rctl.Verdict{true: rctl.Holds, false: rctl.Fails}[holds]; result.Verdict != verdict {
			t.Errorf("%s: %v, not %v", text, result.Verdict, verdict)
		}
	}
}
