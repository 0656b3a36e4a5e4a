package potatest_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs/record"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/potatest"
)

var update = flag.Bool("update", false, "write the golden files")

// A spy is a test that may fail.
type spy struct {
	testing.TB
	said            []string
	failed, stopped bool
}

type stop struct{}

func (s *spy) Helper()                      {}
func (s *spy) Log(args ...any)              { s.said = append(s.said, fmt.Sprint(args...)) }
func (s *spy) Error(args ...any)            { s.failed = true; s.Log(args...) }
func (s *spy) Fatal(args ...any)            { s.stopped = true; s.Error(args...); panic(stop{}) }
func (s *spy) Errorf(f string, args ...any) { s.Error(fmt.Sprintf(f, args...)) }
func (s *spy) Fatalf(f string, args ...any) { s.Fatal(fmt.Sprintf(f, args...)) }

// watch runs what may fail and returns all it said; kept traces are removed, and
// their names replaced.
func watch(t *testing.T, run func(t testing.TB)) (s *spy, said string) {
	t.Helper()
	s = &spy{TB: t}
	func() {
		defer func() {
			if v := recover(); v != nil && v != (stop{}) {
				panic(v)
			}
		}()
		run(s)
	}()
	said = strings.Join(s.said, "\n") + "\n"
	kept := regexp.MustCompile(regexp.QuoteMeta(filepath.Join(os.TempDir(), t.Name())) + `[^ ;]*-\d+\.jsonl`)
	for _, path := range kept.FindAllString(said, -1) {
		_ = os.Remove(path) // named twice
	}
	return s, kept.ReplaceAllString(said, "TRACE.jsonl")
}

// The message of a failing test says what is wrong, how it can come about, and how
// to look at it.
func TestForgottenVote(t *testing.T) {
	s, said := watch(t, func(t testing.TB) {
		rec := potatest.Record(t)
		runCluster(t, rec.Recorder, "forget-vote")
		potatest.Check(t, rec, oneLeader, oneVote()[3])
	})
	if !s.failed || s.stopped {
		t.Errorf("failed %t, stopped %t", s.failed, s.stopped)
	}
	golden := filepath.Join("testdata", "forget-vote.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(said), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if said != string(want) {
		t.Errorf("got\n%s\nwant\n%s", said, want)
	}
}

// section records n processes that enter a section, at once by what causality says.
func section(rec *record.Recorder, n int) {
	for i := range n {
		p := rec.Process(fmt.Sprintf("P%d", i+1), record.Set("cs", false))
		p.Event(record.Set("cs", true))
		p.Event(record.Set("cs", false))
	}
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		name            string
		checker         potatest.Checker
		properties      []string
		failed, stopped bool
		want            []string
	}{
		{name: "holds", properties: []string{"EF cs@P1", "possible: EF(cs@P1 && cs@P2)", "# both\na: AF cs@P1\nb: AF cs@P2", "forall i: AF cs@i"}},
		{name: "fails", properties: []string{"EF cs@P1", "mutex: AG(forall i != j: !(cs@i && cs@j))"}, failed: true, want: []string{
			"fails: mutex: AG(forall i != j: !(cs@i && cs@j))\n  cs is true at P1 and P2 after 2 events\n  predicted: not in the recorded order, but in another one that causality allows\n  nothing orders P1:2 (cs: true → false) before P2:1 (cs: false → true)\n",
			"\n  pota draw --format html -o run.html TRACE.jsonl 'AG(forall i != j: !(cs@i && cs@j))'\n",
		}},
		{name: "vacuous", properties: []string{"AG(cs@P1 && !cs@P1 -> cs@P2)"}, want: []string{"holds: AG(cs@P1 && !cs@P1 -> cs@P2)\n  vacuous: "}},
		{name: "all that fail", properties: []string{"AG !cs@P1", "AG !cs@P2"}, failed: true, want: []string{"fails: AG !cs@P1\n", "fails: AG !cs@P2\n"}},
		{name: "undecided", checker: potatest.Checker{Engine: rctl.Slice}, properties: []string{"AF(cs@P1 && cs@P2)"}, failed: true, want: []string{"unknown: AF(cs@P1 && cs@P2)\n  "}},
		{name: "allowed", checker: potatest.Checker{Engine: rctl.Slice, AllowUnknown: true}, properties: []string{"AF(cs@P1 && cs@P2)"}, want: []string{"unknown: AF(cs@P1 && cs@P2)\n  "}},
		{name: "certified", checker: potatest.Checker{Certify: true}, properties: []string{"EF(cs@P1 && cs@P2)", "forall i: AF cs@i", "AG(cs@P1 -> AF !cs@P1)"}},
		{name: "time", checker: potatest.Checker{Timeout: 1}, properties: []string{"EF cs@P1"}, failed: true, want: []string{"the time limit was reached"}},
		{name: "syntax", properties: []string{"mutex: AG(cs@P1 && )"}, failed: true, stopped: true, want: []string{"property:1:20: there is nothing between && and )\nmutex: AG(cs@P1 && )\n"}},
		{name: "no formula", properties: []string{"AG(cs@P1"}, failed: true, stopped: true, want: []string{"property:1:"}},
		{name: "variable", properties: []string{"EF cx@P1"}, failed: true, stopped: true, want: []string{"property: 1:4: ", "EF cx@P1\n   ^"}},
	} {
		s, said := watch(t, func(t testing.TB) {
			rec := potatest.Record(t)
			section(rec.Recorder, 3)
			test.checker.Check(t, rec, test.properties...)
		})
		if s.failed != test.failed || s.stopped != test.stopped || len(test.want) == 0 && said != "\n" {
			t.Errorf("%s: failed %t, stopped %t, said %s", test.name, s.failed, s.stopped, said)
		}
		for _, want := range test.want {
			if !strings.Contains(said, want) {
				t.Errorf("%s: said\n%swhich lacks\n%s", test.name, said, want)
			}
		}
	}
}

// What was recorded can be checked again and again, and the trace is kept.
func TestKept(t *testing.T) {
	s := &spy{TB: t}
	rec := potatest.Record(t)
	p := rec.Process("P", record.Set("x", 0))
	p.Event(record.Set("x", 1))
	potatest.Check(t, rec, "AG(x <= 1)")
	p.Event(record.Set("x", 2))
	potatest.Check(s, rec, "AG(x <= 1)")
	found := regexp.MustCompile(`the trace is (\S+);`).FindStringSubmatch(strings.Join(s.said, "\n"))
	if found == nil {
		t.Fatalf("said %q", s.said)
	}
	defer func() { _ = os.Remove(found[1]) }() // it was in the way of nothing
	text, err := os.ReadFile(found[1])
	if err != nil || strings.Count(string(text), "\n") != 4 {
		t.Errorf("%q, %v", text, err)
	}
}

func TestCheckFile(t *testing.T) {
	testdata := filepath.Join("..", "..", "testdata")
	figure := filepath.Join(testdata, "figure1.jsonl")
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, test := range []struct {
		name, trace, properties string
		want                    string
	}{
		{"fails", figure, filepath.Join(testdata, "figure1.properties"), "fails: together: AG(x == 5 -> y == 4)\n  x is 5 at P1 and y is 1 at P2 after 4 events\n  AG(x == 5 -> y == 4) fails: a run of 4 events to this cut\n"},
		{"no trace", filepath.Join(dir, "none"), filepath.Join(testdata, "figure1.properties"), "none: no such file or directory"},
		{"no file", figure, filepath.Join(dir, "none"), "none: no such file or directory"},
		{"no property", figure, write("empty.txt", "# none\n"), "empty.txt: there must be at least one property"},
		{"syntax", figure, write("bad.txt", "\na: EF(\n"), "bad.txt:2:"},
		{"misfit", figure, write("name.txt", "\na: EF(zz == 1)\n"), "name.txt:2:7: there is no variable zz"},
		{"refused", filepath.Join(testdata, "refused", "cycle.jsonl"), write("good.txt", "a: EF true\n"), "cycle.jsonl:2:1: cycle of happened-before"},
		{"several", filepath.Join(testdata, "traces", "shiviz", "ewd998.log.gz"), write("ewd.txt", "active: AG(exists i: active@i)\n"), "fails: " + filepath.Join(testdata, "traces", "shiviz", "ewd998.log.gz") + "#2: active: "},
		{"spurious", write("spans.jsonl", `{"pota":1,"lower_bound":"spans"}
{"process":"P","init":{"x":0},"set":{}}`), write("ok.txt", "a: x == 0"), ""},
	} {
		s, said := watch(t, func(t testing.TB) { potatest.CheckFile(t, test.trace, test.properties) })
		if test.name == "spurious" {
			continue
		}
		if !s.failed || !strings.Contains(said, test.want) {
			t.Errorf("%s: said\n%swhich lacks\n%s", test.name, said, test.want)
		}
	}
}

// A verdict that more causality could change is said to be so: it is logged where it
// holds, and part of the message where it fails.
func TestPossiblySpurious(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spans.jsonl")
	text := `{"pota":1,"lower_bound":"spans show a part"}
{"process":"P","init":{"x":0}}
{"process":"Q","init":{"y":0}}
{"process":"P","set":{"x":1}}
{"process":"Q","set":{"y":1}}
`
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for formula, want := range map[string]string{
		"EF(x == 1 && y == 0)": "holds: a: EF(x == 1 && y == 0)\n  possibly spurious: spans show a part\n",
		"AG(x == 0 || y == 1)": "fails: a: AG(x == 0 || y == 1)\n  possibly spurious: spans show a part\n",
		"AG(x <= 1)":           "",
	} {
		file := filepath.Join(t.TempDir(), "a.txt")
		if err := os.WriteFile(file, []byte("a: "+formula), 0o666); err != nil {
			t.Fatal(err)
		}
		s, said := watch(t, func(t testing.TB) { potatest.CheckFile(t, path, file) })
		if s.failed != strings.HasPrefix(want, "fails") || !strings.HasPrefix(said, want) || want == "" && said != "\n" {
			t.Errorf("%s: said %s", formula, said)
		}
	}
}

// Many goroutines record at once, here ones that pass a lock on.
func TestConcurrent(t *testing.T) {
	rec := potatest.Record(t)
	var section record.Mutex
	var all sync.WaitGroup
	for i := range 8 {
		p := rec.Process(fmt.Sprintf("P%d", i+1), record.Set("cs", false))
		all.Go(func() {
			for range 20 {
				section.Lock(p, record.Set("cs", true))
				section.Unlock(p, record.Set("cs", false))
			}
		})
	}
	all.Wait()
	begun := time.Now()
	potatest.Check(t, rec, "mutex: AG(forall i != j: !(cs@i && cs@j))", "progress: AG AF(forall i: !cs@i)")
	t.Log(time.Since(begun))
}

// Errors of recording make a test fail even if nothing is checked.
func TestBadRecording(t *testing.T) {
	s, said := watch(t, func(t testing.TB) {
		rec := potatest.Record(t)
		rec.Process("P").Event(record.Set("x", []int{1}))
		potatest.Check(t, rec, "true")
	})
	if !s.stopped || !strings.HasPrefix(said, "recording: ") {
		t.Errorf("said %s", said)
	}
}

func BenchmarkCheck(b *testing.B) {
	rec := potatest.Record(b)
	section(rec.Recorder, 10)
	for b.Loop() {
		potatest.Check(b, rec, "EF(cs@P1 && cs@P10)")
	}
}
