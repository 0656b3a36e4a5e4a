package programs

import (
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/crucial"
	"github.com/pota-project/pota/translate/spin"
)

// A row is a model of the table with its formula. The formulas are the paper's; waiting is the
// location of a process that has begun to ask for the section.
type row struct {
	model, formula string
	breadth        bool // a state shows it, so that SPIN can search breadth first
}

var rows = []row{
	{"phils.7", `EF(at@phil_0 == "one" && EG(at@phil_0 != "eat"))`, false},
	{"szymanski.5", `EF(at@P_0 == "p2" && EG(at@P_0 != "CS"))`, false},
	{"fischer.7", `EF(at@P_0 == "wait" && EG(at@P_0 != "CS"))`, false},
	{"mcs.6", `EF(at@P_0 == "p2" && EG(at@P_0 != "CS"))`, false},
	{"anderson.7", `EF(at@P_0 == "p1" && EG(at@P_0 != "CS"))`, false},
	{"peterson.7", `EF(at@P_0 == "wait" && EG(at@P_0 != "CS"))`, false},
	{"lamport.7", `EF(at@P_0 == "q1" && EG(at@P_0 != "CS"))`, false},
	{"at.7", `EF(at@P_0 == "p3" && EG(at@P_0 != "CS"))`, false},
	{"bakery.6", `EF(at@P_0 == "wait" && EG(at@P_0 != "CS"))`, false},
	{"gear.2", `EF(at@Clutch == "error_open")`, true},
	{"needham.4", `EF(at@initiator_0 == "finished" && at@responder_0 == "finished")`, true},
	{"msmie.4", `EF(at@master_1 == "reading" && EG(at@master_1 != "r0"))`, false},
	{"loyd.2", `EF(at@Check == "done")`, true},
	{"driving_phils.4", `EF(at@phil_0 == "end" && EG(at@phil_0 != "mutex"))`, false},
	{"frogs.3", `EF(at@Check == "done")`, true},
}

// A run is the answer of a checker, with its cost.
type run struct {
	verdict rctl.Verdict
	states  int64
	steps   int // -1 where there is no trail
	seconds float64
}

func (r run) String() string {
	number := func(n int64, known bool) string {
		if r.verdict == rctl.Unknown || !known {
			return "–"
		}
		return strconv.FormatInt(n, 10)
	}
	return fmt.Sprintf("%.2f | %s | %s", r.seconds, number(r.states, r.states > 0),
		number(int64(r.steps), r.steps >= 0))
}

// runPota reads and checks a model. That counts, as SPIN's figures include its compiler.
func runPota(t *testing.T, name, text string) run {
	t.Helper()
	begun := spent()
	m := read(t, name)
	opts := crucial.Options{Trail: true, MaxMemory: 4 << 30}
	res := m.byPota(t, m.resolve(t, text), *limit, opts)
	r := run{res.Verdict, int64(res.States), -1, spent() - begun}
	for _, trail := range res.Trails {
		r.steps = steps(trail)
	}
	return r
}

// steps returns how many steps a trail has with those below it, as one run; -1 where several are below one.
func steps(t *crucial.Trail) int {
	n := len(t.Steps)
	for len(t.Children) == 1 {
		t = t.Children[0]
		n += len(t.Steps)
	}
	if len(t.Children) > 1 {
		return -1
	}
	return n
}

// runSpin has SPIN check a model.
func runSpin(t *testing.T, m *model, text string, opts spin.ModelOptions) run {
	t.Helper()
	f := m.resolve(t, text)
	begun := spent()
	opts.MaxMemory = 6 << 30
	res := m.bySpin(t, f, opts)
	r := run{res.Verdict, res.States, -1, spent() - begun}
	if res.Steps > 0 {
		r.steps = res.Steps
	}
	return r
}

// spent returns the seconds of the processor that this program and those it ran took.
func spent() float64 {
	total := 0.0
	// Children are the compiler and the verifier that SPIN generates.
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err == nil {
			total += time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
		}
	}
	return total
}

// Verdicts are those of SPIN wherever both have one. A row of the table has seconds, states and
// steps of pota, of SPIN depth first, breadth first, and looking for ever shorter trails.
func TestTable(t *testing.T) {
	if *models == "" {
		t.Skip("-args -models names a folder of models")
	}
	fmt.Println("| model | formula | pota: s | states | trail | SPIN: s | states | trail | BFS: s | states | trail | -i: s | states | trail |")
	fmt.Println("|---|---|" + strings.Repeat("--:|", 12))
	var longer, near, fewer, faster, measured int
	for _, r := range rows {
		if *only != "" && r.model != *only {
			continue
		}
		pota := runPota(t, r.model, r.formula)
		m := read(t, r.model)
		first := runSpin(t, m, r.formula, spin.ModelOptions{})
		// Runs that are left out have no trail.
		breadth, shorter := run{steps: -1}, run{steps: -1}
		if r.breadth && !*dfs {
			breadth = runSpin(t, m, r.formula, spin.ModelOptions{Breadth: true})
		}
		if !*dfs {
			shorter = runSpin(t, m, r.formula, spin.ModelOptions{Shorten: true})
		}
		fmt.Printf("| %s | `%s` | %s | %s | %s | %s |\n", r.model, r.formula, pota, first, breadth, shorter)
		shortest := pota.steps
		for _, s := range []run{first, breadth, shorter} {
			// Figures for a wrong verdict are worth nothing.
			if s.verdict != rctl.Unknown && pota.verdict != rctl.Unknown && s.verdict != pota.verdict {
				t.Fatalf("%s: pota says %v, SPIN %v", r.model, pota.verdict, s.verdict)
			}
			if s.steps >= 0 {
				shortest = min(shortest, s.steps)
			}
		}
		measured++
		// A trail counts as near if it is at most half as long again as the shortest of all.
		longer += count(first.steps >= 0 && pota.steps > first.steps)
		near += count(2*pota.steps <= 3*shortest)
		fewer += count(first.verdict == rctl.Unknown || pota.states <= first.states)
		faster += count(pota.seconds < first.seconds)
	}
	fmt.Printf("\nOf %d: trails longer than SPIN's depth first: %d; within 1.5 times of the shortest: %d; no more states than SPIN: %d; less time: %d\n",
		measured, longer, near, fewer, faster)
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}
