package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/pota-project/pota/graphs/graphtest"
)

// hostileTrace writes a trace whose names, ids and values are made of what formats
// trip over, and returns it with a formula that fails on it.
func hostileTrace(t *testing.T, r *rand.Rand) (path, formula string) {
	t.Helper()
	text := func() string {
		pieces := []string{"\x00", "\x01", "\x1b[31m", "]]>", "<!--", "&amp;", "\"", "'", "\n", "\r\n", "\t", "::error::", "%0A", "%", ",", "```", "\u2028", "\ufffe", "é", "→", "\ufffd", " ", "a"}
		var b strings.Builder
		for range 1 + r.IntN(6) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		return b.String()
	}
	quoted := func(s string) string {
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	process, value := text(), text()
	lines := []string{
		fmt.Sprintf(`{"process":%s,"init":{"state":""}}`, quoted(process)),
		fmt.Sprintf(`{"process":%s,"id":%s,"label":%s,"set":{"state":%s}}`, quoted(process), quoted(text()), quoted(text()), quoted(value)),
	}
	path = filepath.Join(t.TempDir(), "trace,%with:odd name.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	return path, `AG(state == "")`
}

// Whatever stands in a trace, reports are well-formed: XML that the structs of
// another program read, JSON that keeps the rules of SARIF, and annotations of one
// line each.
func TestHostileTraces(t *testing.T) {
	t.Parallel()
	for i := range graphtest.Rounds(t, 60) {
		path, formula := hostileTrace(t, rand.New(rand.NewPCG(41, uint64(i))))
		status, out, stderr := pota("", "detect", "--format", "junit", formula, path, path+".missing")
		var suites junit.Testsuites
		if err := xml.Unmarshal([]byte(out), &suites); err != nil || status != 2 {
			t.Fatalf("%d: %v, status %d\n%s\n%s", i, err, status, out, stderr)
		}
		if suites.Tests != 2 || suites.Failures != 1 || suites.Errors != 1 || len(suites.Suites) != 2 ||
			suites.Suites[0].Testcases[0].Failure == nil || suites.Suites[1].Testcases[0].Error == nil {
			t.Fatalf("%d: %s", i, out)
		}
		if !strings.Contains(suites.Suites[0].Testcases[0].Failure.Data, "one event to this cut") {
			t.Fatalf("%d: no witness in %s", i, out)
		}
		_, out, _ = pota("", "detect", "--format", "sarif", formula, path, path+".missing")
		if err := checkSarif([]byte(out), 1); err != nil {
			t.Fatalf("%d: %v\n%s", i, err, out)
		}
		_, out, _ = pota("", "detect", "--format", "sarif", "--engine", "slice", "AF(AX "+strings.TrimPrefix(formula, "AG")+")", path)
		if err := checkSarif([]byte(out), 1); err != nil {
			t.Fatalf("%d: %v\n%s", i, err, out)
		}
		_, out, _ = pota("", "detect", "--format", "github", formula, path)
		place, message, ok := strings.Cut(strings.TrimPrefix(out, "::error "), "::")
		if !ok || strings.Count(out, "\n") != 1 || strings.ContainsAny(strings.TrimSuffix(out, "\n"), "\r\n") ||
			!strings.Contains(place, "trace%2C%25with%3Aodd name.jsonl,title=") || !strings.Contains(message, "%0A") {
			t.Fatalf("%d: %q", i, out)
		}
	}
}

// sarifLocation and sarifCodeFlow are the parts of a log that checkSarif reads.
type sarifLocation struct {
	Physical *struct {
		Artifact struct{ URI string } `json:"artifactLocation"`
		Region   *struct{ StartLine int }
	} `json:"physicalLocation"`
	Message struct{ Text string }
}

type sarifCodeFlow struct {
	Threads []struct {
		ID        string
		Locations []struct {
			Location sarifLocation
			Order    int `json:"executionOrder"`
		}
	} `json:"threadFlows"`
}

// checkSarif checks what the standard asks of the parts that pota writes; the number
// in brackets is the section.
func checkSarif(text []byte, results int) error {
	var log struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct {
						ID               string
						ShortDescription struct{ Text string }
					}
				}
			}
			Invocations []struct {
				ExecutionSuccessful *bool
			}
			Results []struct {
				RuleID      string
				RuleIndex   *int
				Kind, Level string
				Message     struct{ Text string }
				Locations   []sarifLocation
				Related     []sarifLocation `json:"relatedLocations"`
				CodeFlows   []sarifCodeFlow
			}
		}
	}
	if err := json.Unmarshal(text, &log); err != nil {
		return err
	}
	if log.Version != "2.1.0" || log.Schema == "" || len(log.Runs) != 1 { // 3.13
		return fmt.Errorf("version %q, schema %q, %d runs", log.Version, log.Schema, len(log.Runs))
	}
	run := log.Runs[0]
	if run.Tool.Driver.Name == "" || len(run.Invocations) != 1 || run.Invocations[0].ExecutionSuccessful == nil { // 3.19.8, 3.20.14
		return fmt.Errorf("driver %q, %d invocations", run.Tool.Driver.Name, len(run.Invocations))
	}
	ids := make(map[string]bool)
	for _, rule := range run.Tool.Driver.Rules {
		if rule.ID == "" || ids[rule.ID] || rule.ShortDescription.Text == "" { // 3.49.3, 3.11.8
			return fmt.Errorf("rule %+v", rule)
		}
		ids[rule.ID] = true
	}
	if run.Results == nil || len(run.Results) != results { // 3.14.23
		return fmt.Errorf("results %v", run.Results)
	}
	for _, r := range run.Results {
		switch {
		case r.RuleIndex == nil || *r.RuleIndex >= len(run.Tool.Driver.Rules) || run.Tool.Driver.Rules[*r.RuleIndex].ID != r.RuleID: // 3.27.6
			return fmt.Errorf("rule of %+v", r)
		case r.Kind != "fail" && r.Level != "none" || r.Kind == "fail" && r.Level == "none": // 3.27.10
			return fmt.Errorf("kind %q, level %q", r.Kind, r.Level)
		case r.Message.Text == "": // 3.11.7
			return fmt.Errorf("no message in %+v", r)
		}
		for _, at := range append(r.Locations, r.Related...) {
			if at.Physical == nil || at.Physical.Artifact.URI == "" || at.Physical.Region != nil && at.Physical.Region.StartLine < 1 { // 3.30.5
				return fmt.Errorf("location %+v", at)
			}
		}
		for _, flow := range r.CodeFlows {
			order := make(map[int]bool)
			for _, thread := range flow.Threads {
				last := 0
				for _, step := range thread.Locations {
					if step.Order <= last || order[step.Order] || step.Location.Message.Text == "" { // 3.38.11
						return fmt.Errorf("step %+v", step)
					}
					last, order[step.Order] = step.Order, true
				}
				if len(thread.Locations) == 0 { // 3.37.6
					return fmt.Errorf("thread %q without a step", thread.ID)
				}
			}
			if len(flow.Threads) == 0 { // 3.36.3
				return fmt.Errorf("a flow without threads")
			}
		}
	}
	return nil
}

// A report does not depend on how many traces are decided at a time.
func TestReportsInOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var traces []string
	for i := range 20 {
		path := filepath.Join(dir, fmt.Sprintf("run%d.jsonl", i))
		text := fmt.Sprintf(`{"process":"P","init":{"x":0}}`+"\n"+`{"process":"P","set":{"x":%d}}`, i%3)
		if i%7 == 5 {
			text += "}"
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		traces = append(traces, path)
	}
	for _, format := range []string{"text", "sarif", "github"} {
		_, one, _ := pota("", append([]string{"detect", "--format", format, "AG(x < 2)"}, traces...)...)
		_, many, _ := pota("", append([]string{"detect", "--jobs", "8", "--format", format, "AG(x < 2)"}, traces...)...)
		if one != many || one == "" {
			t.Errorf("%s: one at a time\n%s\neight at a time\n%s", format, one, many)
		}
	}
}

// Many properties of one trace share its reading, and what they have in common: together they
// take less memory than each takes alone.
func TestManyProperties(t *testing.T) {
	dir := t.TempDir()
	trace := filepath.Join(dir, "run.jsonl")
	if status, _, stderr := pota("", "simulate", "mutex", "--processes", "5", "--events", "20000", "-o", trace); status != 0 {
		t.Fatal(stderr)
	}
	file := filepath.Join(dir, "many.txt")
	taken := func(from, to int) uint64 {
		var properties strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintf(&properties, "p%d: AG(cs@P%d -> EF(!cs@P%d && try@P%d)) || %d == 0\n", i, i%5, i/5%5, i/25%5, i)
		}
		if err := os.WriteFile(file, []byte(properties.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		status, out, stderr := pota("", "detect", "--format", "junit", "-f", file, trace)
		runtime.ReadMemStats(&after)
		if status == 2 || strings.Count(out, "<testcase ") != to-from {
			t.Fatalf("status %d, %s", status, stderr)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	n := graphtest.Rounds(t, 60)
	together, alone := taken(0, n), uint64(0)
	for i := range n {
		alone += taken(i, i+1)
	}
	if together > alone*3/4 {
		t.Errorf("%d properties take %d kB together, %d kB one by one", n, together>>10, alone>>10)
	}
}
