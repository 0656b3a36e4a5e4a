package infer

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/simulate"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/syntax"
)

// tableFlag prints the table of scripts/bench/RESULTS.md.
var tableFlag = flag.Bool("table", false, "print what is found of each fault")

// updateFlag rewrites the files of testdata.
var updateFlag = flag.Bool("update", false, "rewrite testdata")

// golden compares a text with that of a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *updateFlag {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(gotLines), len(wantLines)) {
		if gotLines[i] != wantLines[i] {
			t.Fatalf("%s:%d: %q, not %q", path, i+1, gotLines[i], wantLines[i])
		}
	}
	if got != string(want) {
		t.Fatalf("%s: %d lines, not %d", path, len(gotLines), len(wantLines))
	}
}

// wanted has for each fault a formula that says what it breaks, in the words of infer.
var wanted = map[string]string{
	"peterson wait-first":              "AG forall i != j: !(crit@i && crit@j)",
	"peterson no-turn":                 "forall i: AG(try@i -> AF crit@i)",
	"peterson-n lower-only":            "AG forall i != j: !(crit@i && crit@j)",
	"peterson-n no-victim":             "forall i: AG(try@i -> AF crit@i)",
	"alternating-bit no-resend":        "AG(sent_msg == 0 -> AF(got_ack == 0))",
	"alternating-bit any-bit":          "AG(accepted <= sent)",
	"philosophers same-side":           `forall i: AG(state@i == "hungry" -> AF(state@i == "eat"))`,
	"philosophers grab":                `AG forall i != j: !(state@i == "eat" && state@j == "eat")`,
	"philosophers-mp steal":            "AG forall i != j: !(eat@i && eat@j)",
	"philosophers-mp forget":           "forall i: AG(hungry@i -> AF eat@i)",
	"mutex reply-inside":               "AG forall i != j: !(cs@i && cs@j)",
	"mutex lose-reply":                 "forall i: AG(try@i -> AF cs@i)",
	"primary-secondary presume":        `AG forall i: (secondary@i == "P0" -> isSecondary@P0) && (secondary@i == "P1" -> isSecondary@P1) && (secondary@i == "P2" -> isSecondary@P2)`,
	"primary-secondary resign-early":   "AG exists i: isSecondary@i",
	"primary-secondary abandon-early":  "AG exists i: isPrimary@i",
	"giop lose-moved":                  "AG(URequestSent -> AF UReplyReceived)",
	"giop perform-both":                "AG(times_user0 <= 1)",
	"giop no-reply":                    `forall i in "agent*": AG(SRequestSent@i -> AF SReplyReceived@i)`,
	"atmr no-renewal":                  "forall i: AG(credit@i <= 0 -> AF(credit@i > 0))",
	"atmr stuck-reset":                 `forall i: AG(state@i == "reset" -> AF(state@i == "send"))`,
	"atmr no-ack":                      "forall i: AG(req@i -> AF ack@i)",
	"leader pass-all":                  "AG forall i != j: !(leader@i && leader@j)",
	"leader lose-claim":                "forall i: AG(electing@i -> AF !electing@i)",
	"random out-of-range":              "AG forall i: x@i <= 9",
	"random stays":                     "forall i: AG AF !cs@i",
	"raft forget-vote":                 `AG forall i != j: !(role@i == "leader" && role@j == "leader" && term@i == term@j)`,
	"raft cut-off":                     "forall i: AF(commit@i > 0)",
	"two-phase-commit hasty":           `AG forall i != j in "p*": !(state@i == "aborted" && state@j == "committed")`,
	"two-phase-commit commit-anyway":   `AG forall i in "p*": state@i == "committed" -> decision == "commit"`,
	"two-phase-commit lose-decision":   `forall i in "p*": AG(state@i == "prepared" -> AF(applied@i == 1))`,
	"two-phase-commit double-decision": `AG forall i in "p*": applied@i <= 1`,
}

// simulated returns a run of a model.
func simulated(t testing.TB, cfg simulate.Config) Run {
	t.Helper()
	var b bytes.Buffer
	if err := simulate.Run(t.Context(), &b, cfg); err != nil {
		t.Fatal(err)
	}
	all, err := format.Read(t.Context(), "run", format.Options{From: &b, Options: trace.Options{Names: true, Places: true}})
	if err != nil {
		t.Fatal(err)
	}
	return Run{Name: fmt.Sprintf("%s %d", cfg.Model, cfg.Seed), Computation: all[0].Computation}
}

// eventsOfRun is how long simulated runs are.
const eventsOfRun = 300

// sizeOf is how many processes of a model run: three where it allows that.
func sizeOf(m *simulate.Model) int {
	n := max(3, m.MinProcesses)
	if m.MaxProcesses > 0 {
		n = min(n, m.MaxProcesses)
	}
	return n
}

// goodRuns returns ten runs without a fault.
func goodRuns(t testing.TB, m *simulate.Model) []Run {
	t.Helper()
	var good []Run
	for seed := range uint64(10) {
		good = append(good, simulated(t, simulate.Config{Model: m.Name, Processes: sizeOf(m), Events: eventsOfRun, Seed: seed + 1}))
	}
	return good
}

// badRun returns the first run with a fault, of those after the good ones, that breaks what the
// fault breaks on most runs.
func badRun(t testing.TB, m *simulate.Model, fault simulate.Fault) Run {
	t.Helper()
	all := m.Properties(sizeOf(m))
	p := all[slices.IndexFunc(all, func(p simulate.Property) bool { return p.Name == fault.Breaks })]
	f, err := syntax.Parse(p.Formula)
	if err != nil {
		t.Fatal(err)
	}
	for seed := uint64(11); ; seed++ {
		bad := simulated(t, simulate.Config{Model: m.Name, Processes: sizeOf(m), Events: eventsOfRun, Seed: seed, Fault: fault.Name})
		if anew(t, bad, f) == rctl.Fails {
			return bad
		}
	}
}

// recordedOrder returns the computation with the recorded order as its only run; that order must be
// known.
func recordedOrder(c *graphs.Computation) *graphs.Computation {
	ordered, err := c.Ordered(slices.Values(c.RunEdges(c.Recorded())))
	if err != nil {
		panic(err)
	}
	return ordered
}

// anew decides a formula as the command detect does, with nothing that Infer knows.
func anew(t testing.TB, r Run, f *syntax.Formula) rctl.Verdict {
	t.Helper()
	found, err := bindings.Check(t.Context(), r.Computation, f, bindings.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if found != nil {
		return found.Verdict
	}
	c, g, err := rctl.Resolve(t.Context(), r.Computation, f)
	if err != nil {
		t.Fatal(err)
	}
	res, err := rctl.Check(t.Context(), c, g, rctl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return res.Verdict
}

// infers finds properties, within no limit of time.
func infers(t testing.TB, good, bad []Run) *Result {
	t.Helper()
	res := Infer(t.Context(), good, bad, Options{Timeout: time.Hour})
	if res.Reason != "" {
		t.Fatal(res.Reason)
	}
	return res
}

// Of the faults of all models, at least four of five are among the first five lines. Each line that
// is shown is decided again on all runs, with the same outcome. Good runs of correct protocols were
// lucky in at most two things.
func TestFaults(t *testing.T) {
	found, faults := 0, 0
	var results strings.Builder
	if *tableFlag {
		fmt.Println("| model | fault | candidates | hold on good runs | shown | place | line |\n|---|---|---|---|---|---|---|")
	}
	for _, m := range simulate.Models() {
		if m.Skew > 0 {
			continue // candidates do not know of clocks
		}
		good := goodRuns(t, m)
		for _, fault := range m.Faults {
			bad := badRun(t, m, fault)
			res := infers(t, good, []Run{bad})
			decided(t, res, good, bad)
			if fault.Name == m.Faults[0].Name {
				fmt.Fprintf(&results, "# %s %s\n%s\n", m.Name, fault.Name, res)
			}
			if len(res.Luck) > 2 {
				t.Errorf("%s: %d lines of luck, such as %s", m.Name, len(res.Luck), res.Luck[0].Text)
			}

			faults++
			place, line := placeOf(t, res.Breaks, wanted[m.Name+" "+fault.Name])
			if 0 < place && place <= 5 {
				found++
			}
			if *tableFlag {
				fmt.Printf("| %s | %s | %d | %d | %d | %d | `%s` |\n", m.Name, fault.Name, res.Candidates, res.Kept,
					len(res.Breaks)+len(res.Luck)+len(res.Held), place, line)
			}
		}
	}
	if 5*found < 4*faults {
		t.Errorf("%d of %d faults are among the first five lines", found, faults)
	}
	t.Logf("%d of %d", found, faults)
	golden(t, "models.txt", results.String())
}

// placeOf returns the line, from 1, that has a formula, or another that it
// follows from; 0 for none.
func placeOf(t *testing.T, list []*Finding, want string) (place int, text string) {
	t.Helper()
	for i, f := range list {
		if f.Text == want {
			return i + 1, f.Text
		}
		for _, text := range f.Implied {
			if g, err := syntax.Parse(text); err != nil {
				t.Fatal(err)
			} else if g.String() == want {
				return i + 1, f.Text
			}
		}
	}
	return 0, ""
}

// decided decides all lines of a result anew.
func decided(t *testing.T, res *Result, good []Run, bad Run) {
	t.Helper()
	for _, f := range slices.Concat(res.Breaks, res.Held) {
		for _, r := range good {
			if got := anew(t, r, f.Formula); got != rctl.Holds {
				t.Errorf("%s %s on %s", f.Text, got, r.Name)
			}
		}
		if f.Asked == 0 {
			t.Errorf("%s was not asked", f.Text)
		}
	}
	for _, f := range res.Breaks {
		if got := anew(t, bad, f.Formula); got != rctl.Fails {
			t.Errorf("%s %s on %s", f.Text, got, bad.Name)
		}
	}
	for _, f := range res.Luck {
		fails := 0
		for _, r := range good {
			if anew(t, r, f.Formula) == rctl.Fails {
				fails++
			}
			ordered := r
			ordered.Computation = recordedOrder(r.Computation)
			if got := anew(t, ordered, f.Formula); got != rctl.Holds {
				t.Errorf("%s %s in the recorded order of %s", f.Text, got, r.Name)
			}
		}
		if fails == 0 {
			t.Errorf("%s fails nowhere", f.Text)
		}
	}
}

// A run that is held out breaks at most one of the lines that five others taught, on average.
func TestHeldOut(t *testing.T) {
	for _, m := range simulate.Models() {
		if m.Skew > 0 {
			continue // candidates do not know of clocks
		}
		good := goodRuns(t, m)
		res := infers(t, good[:5], nil)
		broken := 0
		for _, f := range res.Held {
			for _, r := range good[5:] {
				if anew(t, r, f.Formula) != rctl.Holds {
					t.Logf("%s: %s fails on %s", m.Name, f.Text, r.Name)
					broken++
				}
			}
		}
		if broken > len(good[5:]) {
			t.Errorf("%s: five runs break %d of %d lines", m.Name, broken, len(res.Held))
		}
	}
}
