package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Logs of loghub, which may not come with the project, lead to verdicts without a mapping
// and with one that is guessed.
func TestLoghub(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(repository(t), "..", "shared", "traces", "loghub")
	if shared := os.Getenv("POTA_TRACES"); shared != "" {
		dir = filepath.Join(shared, "loghub")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the logs are not beside the project")
	}
	do := func(want status, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if got := run(context.Background(), args, streams{in: strings.NewReader(""), out: &out, err: &errs}); status(got) != want {
			t.Fatalf("%q: exit status %d, not %d\n%s%s", args, got, want, out.String(), errs.String())
		}
		return out.String()
	}
	zookeeper, hdfs, hadoop := filepath.Join(dir, "Zookeeper_2k.log"), filepath.Join(dir, "HDFS_2k.log"), filepath.Join(dir, "Hadoop_2k.log")
	do(allHold, "detect", `AG(forall i != j: !(state@i == "LEADING" && state@j == "LEADING"))`, zookeeper)
	do(someFails, "detect", `AG(forall i: state@i == "FOLLOWING" -> AG(state@i == "FOLLOWING"))`, zookeeper)
	do(allHold, "detect", `AG(forall i: stored@i <= 3)`, hdfs)
	do(allHold, "detect", `AG(forall i in "task_*": state@i == "SUCCEEDED" -> AG(state@i == "SUCCEEDED"))`, hadoop)
	do(someFails, "detect", `AG(forall i in "attempt_*": !(state@i == "FAILED"))`, hadoop)
	for _, log := range []string{zookeeper, hdfs, hadoop} {
		mapping := filepath.Join(t.TempDir(), "guessed.json")
		do(allHold, "map", "--guess", log, "-o", mapping)
		if got := do(allHold, "stats", "--json", "--map", mapping, log); !strings.Contains(got, `"events":2000,`) {
			t.Errorf("%s: %s", log, got)
		}
	}
}
