package main

import (
	"bytes"
	"context"
	"fmt"
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

	// Of 22 virtual machines one has no beginning in the log, and another no end.
	mapping, properties := filepath.Join(t.TempDir(), "openstack.json"), filepath.Join(t.TempDir(), "machines")
	for file, text := range map[string]string{mapping: openstack, properties: machines} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	log := filepath.Join(dir, "OpenStack_2k.log")
	do(allHold, "detect", "--map", mapping, "-f", properties, "--property", "spawned", log)
	for property, machine := range map[string]string{
		"claimed": "b9000564-fe1a-409b-b8cc-1e88b294cd1d",
		"deleted": "faf974ea-cba5-4e1b-93f4-3a3bc606006f",
	} {
		if got := do(someFails, "detect", "--map", mapping, "-f", properties, "--property", property, log); !strings.Contains(got, fmt.Sprintf("1 of 22 values of instance: %q\n", machine)) {
			t.Errorf("%s: %s", property, got)
		}
	}
	life := `forall i in values(instance): AG(once(instance == i && step == "Attempting claim") || once(instance == i && step == "VM Resumed") || ` +
		`once(instance == i && step == "Instance spawned") || once(instance == i && step == "build") || once(instance == i && step == "Deletion of"))`
	if got := do(allHold, "classify", "--map", mapping, life, log); !strings.Contains(got, "in 4 shapes") {
		t.Errorf("%s", got)
	}
}

// openstack is a mapping for the virtual machines in the log of OpenStack.
const openstack = `{
	"line": [
		"^(?<service>nova-[a-z]+)\\S* (?<time>\\S+ \\S+) .*\\[instance: (?<instance>[0-9a-f-]+)\\] (Took \\S+ seconds to )?(?<step>Attempting claim|VM Resumed|Instance spawned|build|Terminating instance|Instance destroyed|Deletion of)",
		"^(?<service>nova-[a-z]+)\\S* (?<time>\\S+ \\S+) "
	],
	"process": "/service",
	"time": {"fields": ["/time"], "format": "%s", "layout": "2006-01-02 15:04:05.000"},
	"label": "/step",
	"variables": {"instance": "/instance", "step": "/step"}
}`

// machines are properties of virtual machines.
const machines = `define seen(i, s) = once(instance == i && step == s)
spawned: forall i in values(instance): AG(seen(i, "Attempting claim") -> AF seen(i, "Instance spawned"))
claimed: forall i in values(instance): AG(seen(i, "Instance spawned") -> seen(i, "Attempting claim"))
deleted: forall i in values(instance): AG(seen(i, "Terminating instance") -> AF seen(i, "Deletion of"))
`
