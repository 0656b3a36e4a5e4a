package record_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/record"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// TestDocumentation checks the formulas in the package documentation, on a trace as in Example.
func TestDocumentation(t *testing.T) {
	var out bytes.Buffer
	r := record.New(&out)
	client := r.Process("client", record.Set("paid", false))
	server := r.Process("server", record.Set("sold", 0))
	server.Receive(client.Send("server"), record.Set("sold", 3))
	client.Receive(server.Send("client"))
	client.Event(record.Set("paid", true))
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	check(t, read(t, out.Bytes()), map[string]bool{
		"AG(paid@client -> sold@server > 0)":  true,
		"EF(sold@server > 0 && !paid@client)": true,
		"AF(paid@client)":                     true,
	})
}

// check decides formulas on a trace.
func check(t testing.TB, c *graphs.Computation, want map[string]bool) {
	t.Helper()
	for text, holds := range want {
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if f, err = syntax.Resolve(context.Background(), f, rctl.Scope(c)); err != nil {
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
