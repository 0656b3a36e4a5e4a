package potatest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/record"
	"github.com/pota-project/pota/rctl/conform"
	"github.com/pota-project/pota/rctl/potatest"
)

// TestConform records a request and its answer, and compares them with diagrams.
func TestConform(t *testing.T) {
	const flow = "sequenceDiagram\nclient->>server: get\nserver-->>client: value\n"
	for want, test := range map[string]struct {
		diagram string
		answers bool
		opts    []conform.Options
	}{
		"":           {flow, true, nil},
		"unfinished": {flow, false, nil},
		" ":          {flow, false, []conform.Options{{Prefix: true}}},
		"violated":   {"sequenceDiagram\nserver->>client: value\nclient->>server: get\n", true, nil},
		"too many: server sends \"value\"": {"sequenceDiagram\nclient->>server: get\n", true,
			[]conform.Options{{Strict: true}}},
		"no process or service": {flow + "server->>cache: get\n", true, nil},
		"no such file":          {"", true, nil},
	} {
		s, said := watch(t, func(tb testing.TB) {
			path := filepath.Join(t.TempDir(), "flow.mmd")
			if test.diagram != "" {
				if err := os.WriteFile(path, []byte(test.diagram), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			rec := potatest.Record(t)
			client, server := rec.Process("client"), rec.Process("server")
			server.Receive(client.Send("server", record.Label("get")))
			if test.answers {
				client.Receive(server.Send("client", record.Label("value")))
			}
			potatest.Conform(tb, rec, path, test.opts...)
		})
		if failed := strings.TrimSpace(want) != ""; s.failed != failed || failed && !strings.Contains(said, want) {
			t.Errorf("failed %t: %s\nwant %q", s.failed, said, want)
		}
	}
}
