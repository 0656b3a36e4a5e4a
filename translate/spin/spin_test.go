package spin

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/translate/promela"
)

var update = flag.Bool("update", false, "rewrite the log of SPIN's answers")

const (
	logged  = 320
	logFile = "testdata/answers.jsonl"
)

// An answer is a line of the log: what SPIN said of a formula on the computation
// that a seed makes.
type answer struct {
	Seed    uint64 `json:"seed"`
	Formula string `json:"formula"`
	Verdict string `json:"verdict"`
	Steps   int    `json:"steps"` // between the initial and the final cut, to notice other computations
}

func init() { optimize = []string{"-O0"} }

// The log of SPIN's answers, which needs no SPIN: brute force says the same.
func TestLog(t *testing.T) {
	tally := make(map[string]int)
	for _, a := range readLog(t) {
		c := computation(a.Seed)
		f, err := rctltest.Resolve(c, a.Formula)
		if err != nil || steps(c) != a.Steps {
			t.Fatalf("seed %d makes another computation than it did; run with -update where SPIN is installed (%v)", a.Seed, err)
		}
		if want := brute(c, f); a.Verdict != want {
			t.Errorf("seed %d: %s: SPIN says %s; it %s", a.Seed, a.Formula, a.Verdict, want)
		}
		count(tally, c, a.Verdict)
	}
	t.Log(tally)
	for _, kind := range []string{"holds", "fails"} {
		if tally[kind] < 100 {
			t.Errorf("only %d that %s", tally[kind], kind)
		}
	}
	for _, kind := range []string{"steps of several events", "slice"} {
		if tally[kind] < 40 {
			t.Errorf("only %d with a %s", tally[kind], kind)
		}
	}
}

func count(tally map[string]int, c *graphs.Computation, verdict string) {
	tally[verdict]++
	if c.Cyclic() {
		tally["steps of several events"]++
	}
	if len(c.Edges()) > 0 {
		tally["slice"]++
	}
}

// SPIN decides like brute force, and its trails replay. Where the log has been
// checked, SPIN says what it said then.
func TestAgainstBruteForce(t *testing.T) {
	needSpin(t)
	n := graphtest.Rounds(t, len(shapes))
	if *update {
		n = logged
	}
	list := draw(n)
	var (
		mu    sync.Mutex
		wait  sync.WaitGroup
		next  = make(chan int)
		tally = make(map[string]int)
	)
	for range 2 {
		wait.Go(func() {
			for i := range next {
				kinds, err := decide(list[i])
				mu.Lock()
				for _, kind := range kinds {
					tally[kind]++
				}
				count(tally, computation(list[i].Seed), list[i].Verdict)
				mu.Unlock()
				if err != nil {
					t.Errorf("seed %d: %s: %v", list[i].Seed, list[i].Formula, err)
				}
			}
		})
	}
	for i := range list {
		next <- i
	}
	close(next)
	wait.Wait()
	t.Log(tally)
	if n >= 20 && tally["evidence"] < n/4 {
		t.Errorf("only %d runs", tally["evidence"])
	}
	if *update && !t.Failed() {
		writeLog(t, list)
	}
}

// draw makes cases in which holding and failing formulas take turns: of all shapes,
// one in four, and for the most part of shapes that people write, over predicates
// that change.
func draw(n int) []answer {
	var list []answer
	for seed := uint64(0); len(list) < n; seed++ {
		c := computation(seed)
		l := graphtest.NewLattice(c)
		r := rand.New(rand.NewPCG(73, seed))
		want := seed/4%2 == 0
		for range 100 {
			var f *syntax.Formula
			if seed%5 == 0 {
				f = rctltest.RandomFormula(r, c, rctltest.FormulaConfig{Fragment: rctltest.Fragment(1 + r.IntN(2)), Depth: 4})
			} else {
				f = shaped(r, l, shapes[seed%uint64(len(shapes))])
			}
			if f == nil || syntax.IsPropositional(f) || rctltest.Holds(l, f)[l.Index(c.Initial())] != want {
				continue
			}
			m, err := promela.Translate(context.Background(), c, f, promela.Options{})
			if err != nil || !strings.Contains(m.String(), "#define") { // nothing is left to SPIN
				continue
			}
			list = append(list, answer{seed, f.String(), brute(c, f), steps(c)})
			break
		}
	}
	return list
}

var shapes = []string{
	"EF(%s && %s)", "AG(%s || %s)", "AG(%s -> AF %s)", "EF(%s && EG %s)", "E[%s U %s]", "A[%s U %s]",
	"EG(%s || %s)", "AG(%s -> EF %s)", "AF(%s && %s)", "E[%s R %s]", "A[%s W %s]", "EF(%s && EF %s)", "EG(%s || EG %s)",
}

// shaped makes a formula of a shape, over predicates that are neither true nor
// false at all cuts; nil where it came upon others.
func shaped(r *rand.Rand, l *graphtest.Lattice, shape string) *syntax.Formula {
	var parts [2]any
	for i := range parts {
		text := "(" + rctltest.RandomFormulaText(r, l.Computation, rctltest.FormulaConfig{Fragment: rctltest.Stateless, Depth: 2}) + ")"
		p, err := rctltest.Resolve(l.Computation, text)
		if err != nil {
			return nil
		}
		holds := rctltest.Holds(l, p)
		if !slices.Contains(holds, true) || !slices.Contains(holds, false) {
			return nil
		}
		parts[i] = text
	}
	f, err := rctltest.Resolve(l.Computation, fmt.Sprintf(shape, parts[:]...))
	if err != nil {
		return nil
	}
	return f
}

// computation makes the computation of a seed: every fourth is a slice.
func computation(seed uint64) *graphs.Computation {
	r := rand.New(rand.NewPCG(72, seed))
	for {
		c := graphtest.Random(r, graphtest.DefaultConfig)
		if seed%4 == 3 {
			f := rctltest.RandomFormula(r, c, rctltest.FormulaConfig{Fragment: rctltest.Regular})
			if s, err := rctl.SliceOf(context.Background(), c, f); err == nil && !s.Empty() {
				c = s.Computation()
			}
		}
		if steps(c) > 1 {
			return c
		}
	}
}

func steps(c *graphs.Computation) int {
	n := 0
	for e := graphs.Event(1); e < c.Top(); e++ {
		if c.Has(c.Final(), e) && !c.Has(c.Initial(), e) && c.Step(e)[0] == e {
			n++
		}
	}
	return n
}

func brute(c *graphs.Computation, f *syntax.Formula) string {
	l := graphtest.NewLattice(c)
	if rctltest.Holds(l, f)[l.Index(c.Initial())] {
		return "holds"
	}
	return "fails"
}

// decide has SPIN decide a case.
func decide(a answer) (kinds []string, err error) {
	c := computation(a.Seed)
	f, err := rctltest.Resolve(c, a.Formula)
	if err != nil {
		return nil, err
	}
	res, err := Check(context.Background(), c, f, Options{})
	if err != nil {
		return nil, err
	}
	if res.Verdict.String() != a.Verdict {
		return nil, fmt.Errorf("SPIN says %s; it %s", res.Verdict, a.Verdict)
	}
	if res.Evidence != nil {
		kinds = append(kinds, "evidence")
		if err := replay(c, res.Evidence); err != nil {
			return nil, err
		}
	}
	return kinds, nil
}

func replay(c *graphs.Computation, e *rctl.Evidence) error {
	for _, child := range e.Children {
		if err := replay(c, child); err != nil {
			return err
		}
	}
	if e.Run == nil && len(e.Children) > 1 {
		return nil // only holds the others together
	}
	return rctl.Replay(c, e)
}

func needSpin(t *testing.T) {
	t.Helper()
	err := programs("spin", "gcc")
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatal(err)
	default:
		t.Skip("NOT TESTED: ", err)
	}
}

func readLog(t *testing.T) []answer {
	t.Helper()
	data, err := os.ReadFile(logFile)
	if err != nil {
		t.Fatal(err)
	}
	var list []answer
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var a answer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		list = append(list, a)
	}
	if len(list) < 300 {
		t.Errorf("the log has only %d answers", len(list))
	}
	return list
}

func writeLog(t *testing.T, list []answer) {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, a := range list {
		if err := enc.Encode(a); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.FromSlash(logFile), b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// The formulas of the documentation on the computation of Sen and Garg's Figure 1.
func TestFigure1(t *testing.T) {
	needSpin(t)
	c := graphtest.Figure1("P1", "P2", "f1", "")
	tests := []struct {
		formula string
		shown   bool // by a run
	}{
		{"EF(2 <= x <= 4 && y != 2)", true},
		{"AG(x >= 2 -> AF(y == 4))", false},
		{"AG EF(y == 2)", true},
		{"EF(x == 5) && AF(y == 1)", false},
		{"AG(x <= 5) || EG(y == 1)", false},
		{"AG(x <= 4) || EG(y == 1)", false},
	}
	for _, test := range tests[:graphtest.RoundsUpTo(t, len(tests), len(tests))] {
		f, err := rctltest.Resolve(c, test.formula)
		if err != nil {
			t.Fatal(err)
		}
		res, err := Check(context.Background(), c, f, Options{})
		if err != nil {
			t.Errorf("%s: %v", test.formula, err)
			continue
		}
		if want := brute(c, f); res.Verdict.String() != want {
			t.Errorf("%s: %s, want %s", test.formula, res.Verdict, want)
		}
		if test.shown != (res.Evidence != nil) {
			t.Errorf("%s: evidence %v", test.formula, res.Evidence)
		}
		if res.States == 0 || res.Memory == 0 {
			t.Errorf("%s: no figures: %+v", test.formula, res)
		}
	}
}

func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	c := graphtest.Figure1("P1", "P2", "f1", "")
	f, err := rctltest.Resolve(c, "EF(x == 2)")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Check(context.Background(), c, f, Options{})
	var missing *MissingError
	if !errors.As(err, &missing) || missing.Program != "spin" {
		t.Errorf("without SPIN: %v", err)
	}
}

// A checker that would run for hours stops at its limits, and leaves nothing behind.
func TestLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: limits take as long as they are")
	}
	needSpin(t)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	var b graphs.Builder
	text := "EF(false"
	for p := range 8 {
		name := fmt.Sprintf("P%d", p)
		v := b.Variable(b.Process(name), "x")
		for k := range 40 {
			b.Set(v, b.Event(p), graphs.Int(int64(k)))
		}
		if p > 0 {
			text += fmt.Sprintf(" || 2 * x@P%d + 2 * x@%s == 101", p-1, name)
		}
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	f, err := rctltest.Resolve(c, text+")")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		timeout time.Duration
		memory  int64
		reason  string
	}{
		{2 * time.Second, 0, "the time limit was reached"},
		{5 * time.Minute, 48 << 20, "SPIN reached the memory limit"},
		{time.Millisecond, 0, "the time limit was reached"},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), test.timeout)
		res, err := Check(ctx, c, f, Options{MaxMemory: test.memory})
		cancel()
		if err != nil {
			t.Errorf("%+v: %v", test, err)
		} else if res.Verdict != rctl.Unknown || res.Reason != test.reason {
			t.Errorf("%+v: %s, %s", test, res.Verdict, res.Reason)
		}
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}
