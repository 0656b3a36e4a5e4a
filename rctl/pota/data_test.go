package pota_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/pota"
)

// TestDataOfFormats asks about events of formats whose events are not written for pota: logs, regions and
// tasks of an execution trace of Go, texts and key=value of a log with vector clocks. Of each pair the second
// is what the program does not do.
func TestDataOfFormats(t *testing.T) {
	shiviz := filepath.Join(t.TempDir(), "run.log")
	text := `a {"a":1}
send req=r1 kind="take now" n=3
b {"b":1, "a":1}
receive req=r1
b {"b":2, "a":1}
done req=r1 ok=true
a {"a":2}
send req=r2 kind=put n=4
`
	if err := os.WriteFile(shiviz, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	const golang = "../../testdata/traces/gotrace/pipeline.trace.gz"
	for _, test := range []struct {
		trace, formula string
		want           rctl.Verdict
	}{
		{golang, `forall n in values(produced): AF once(produced == n)`, rctl.Holds},
		{golang, `forall n in values(produced): AG(once(squared == n) -> once(produced == n))`, rctl.Fails},
		{golang, `forall s in values(squared): AG(once(squared == s) -> once(@label == "region square begins"))`, rctl.Holds},
		{golang, `forall s in values(squared): AG(once(@label == "region square begins") -> once(squared == s))`, rctl.Fails},
		{golang, `AF events(region == "square") == 20`, rctl.Holds},
		{golang, `EF events(region == "square") == 21`, rctl.Fails},
		{golang, `AG(events(@label == "region square ends") <= events(region == "square"))`, rctl.Holds},
		{golang, `AG(between(region == "square", region == "")@"main.square#23" -> once(task == "pipeline"))`, rctl.Holds},
		{golang, `forall e in events(holds): exists d in events(@label == "holds: false"): e before d`, rctl.Holds},
		{golang, `forall e in events(holds): exists d in events(has(total)): d before e`, rctl.Fails},
		{golang, `forall e in events(has(squared)): exists d in events(has(produced)): d before e && d.time < e.time`, rctl.Holds},

		{shiviz, `forall r in values(req where @label == "done req=r1 ok=true"): AG(once(ok && req == r) -> once(n > 0 && req == r))`, rctl.Holds},
		{shiviz, `forall r in values(req): AG(once(n > 0 && req == r) -> AF once(ok && req == r))`, rctl.Fails},
		{shiviz, `forall e in events(kind == "take now"): exists d in events(@label == "receive req=r1"): e before d`, rctl.Holds},
		{shiviz, `forall e in events(has(kind)): exists d in events(@process == "b" && req == e.req): e before d`, rctl.Fails},
	} {
		results, err := pota.Check(context.Background(), test.trace, test.formula)
		if err != nil {
			t.Errorf("%s: %v", test.formula, pota.Describe(err))
			continue
		}
		if got := results[0]; got.Verdict != test.want || len(got.Vacuous) > 0 {
			t.Errorf("%s: %s (%v), want %s", test.formula, got.Verdict, got.Vacuous, test.want)
		}
	}
}
