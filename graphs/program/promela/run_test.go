package promela

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/program"
	"github.com/pota-project/pota/graphs/program/programtest"
)

// beem has models of the BEEM suite, whose licence does not allow to copy them.
const beem = "../../../../shared/models/beem/"

func compile(t testing.TB, path string) *Program {
	t.Helper()
	m, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(m)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// examples are models with properties, some with a fault.
const examples = "../../../testdata/models/"

// stored is how many states SPIN 6.5.2 stores of a model, without reductions:
//
//	spin -a -o1 -o2 -o3 model && gcc -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -E -c0 -m1000000
//
// It stores none within an atomic sequence that goes on.
var stored = map[string]int{
	examples + "alternating-bit.pml": 260, examples + "giop.pml": 99096, examples + "leader.pml": 442,
	examples + "peterson.pml": 58, examples + "philosophers.pml": 801, examples + "philosophers-same.pml": 896,
	"testdata/channels.pml": 522, "testdata/death.pml": 104, "testdata/else.pml": 239, "testdata/flow.pml": 43, "testdata/large.pml": 279,
	"testdata/lock.pml": 4554, "testdata/rendezvous.pml": 79, "testdata/types.pml": 294,
	beem + "anderson.2.pm": 1461, beem + "anderson.4.pm": 29643, beem + "at.1.pm": 39356, beem + "at.2.pm": 49445,
	beem + "bakery.1.pm": 1506, beem + "bakery.2.pm": 1146, beem + "bakery.3.pm": 32919,
	beem + "bakery.4.pm": 157003, beem + "driving_phils.1.pm": 14889, beem + "driving_phils.2.pm": 33173,
	beem + "fischer.1.pm": 636, beem + "fischer.2.pm": 21735, beem + "frogs.1.pm": 5096, beem + "frogs.2.pm": 18209,
	beem + "gear.1.pm": 53171, beem + "lamport.1.pm": 29242, beem + "lamport.2.pm": 110920,
	beem + "lamport.3.pm": 38067, beem + "loyd.1.pm": 722, beem + "mcs.1.pm": 7965, beem + "mcs.2.pm": 1410,
	beem + "mcs.4.pm": 16386, beem + "msmie.1.pm": 2336, beem + "msmie.2.pm": 10560, beem + "msmie.3.pm": 134846,
	beem + "needham.1.pm": 938, beem + "needham.2.pm": 68836, beem + "needham.3.pm": 261839,
	beem + "peterson.1.pm": 12498, beem + "peterson.2.pm": 124704, beem + "peterson.3.pm": 170156,
	beem + "phils.1.pm": 80, beem + "phils.2.pm": 581, beem + "phils.3.pm": 729, beem + "szymanski.1.pm": 20264,
	beem + "szymanski.2.pm": 31875,
}

func TestStates(t *testing.T) {
	most := graphtest.RoundsUpTo(t, 100_000, 1_000_000)
	for path, want := range stored {
		if strings.HasPrefix(path, beem) && absent(t, path) || want > most {
			continue
		}
		if got := count(t, compile(t, path)); got != want {
			t.Errorf("%s has %d states and not %d", path, got, want)
		}
	}
}

func absent(t *testing.T, path string) bool {
	_, err := os.Stat(path)
	if err != nil {
		t.Logf("%s is not there", path)
	}
	return err != nil
}

// count explores a program and returns how many of its states no process holds.
func count(t testing.TB, p *Program) int {
	n := 0
	queue := [][]byte{p.Initial(nil)}
	seen := map[string]bool{string(queue[0]): true}
	var list []program.Transition
	for len(queue) > 0 {
		s := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if p.Holder(s) < 0 {
			n++
		}
		list = list[:0]
		for i := range p.slots {
			list = p.Enabled(s, i, list)
		}
		for _, x := range list {
			next, err := p.Apply(s, x, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !seen[string(next)] {
				seen[string(next)] = true
				queue = append(queue, next)
			}
		}
	}
	return n
}

// models are those of testdata and of the BEEM suite.
func models(t testing.TB) []string {
	t.Helper()
	others, _ := filepath.Glob(beem + "*.pm")
	if len(others) == 0 {
		t.Log("the BEEM suite is not there")
	}
	return append(ours(t), others...)
}

func ours(t testing.TB) []string {
	t.Helper()
	small, _ := filepath.Glob("testdata/*.pml")
	more, err := filepath.Glob(examples + "*.pml")
	if err != nil || len(small) == 0 || len(more) == 0 {
		t.Fatal("testdata is not there")
	}
	return append(small, more...)
}

// What actions access is what they say, and runs of what is recorded are runs.
func TestConform(t *testing.T) {
	for _, path := range models(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			p := compile(t, path)
			programtest.Conform(t, p, graphtest.Rounds(t, 5), 60, 18)
			for seed := range uint64(graphtest.Rounds(t, 10)) {
				programtest.Records(t, rand.New(rand.NewPCG(seed, 21)), p, 60, seed%2 == 0)
			}
		})
	}
}

// Random walks are runs of SPIN's, with the same values in the end: SPIN is guided by
// the number that it gives to each statement.
func TestWalks(t *testing.T) {
	spin, err := exec.LookPath("spin")
	if err != nil {
		t.Skip("spin is not installed")
	}
	for _, path := range ours(t) {
		for seed := range uint64(graphtest.Rounds(t, 5)) {
			replay(t, spin, path, seed)
		}
	}
	others, _ := filepath.Glob(beem + "*.pm")
	for i, path := range others {
		if i%5 == 0 || graphtest.Rounds(t, 1) > 1 {
			replay(t, spin, path, 1)
		}
	}
}

func replay(t *testing.T, spin, path string, seed uint64) {
	t.Helper()
	m, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(m)
	if err != nil {
		t.Fatal(err)
	}
	numbers := numbersOf(m, p)
	r := rand.New(rand.NewPCG(seed, 18))
	s := p.Initial(nil)
	var trail, walk strings.Builder
	depth := 0
	step := func(action int32) {
		depth++
		a := &p.actions[action]
		fmt.Fprintf(&trail, "%d:%d:%d\n", depth, a.slot.pid, numbers[a.by])
		fmt.Fprintf(&walk, "%s: %s\n", a.slot.name, a.by)
	}
	for range 200 {
		var all []program.Transition
		for i := range p.slots {
			all = p.Enabled(s, i, all)
		}
		if len(all) == 0 {
			break
		}
		x := all[r.IntN(len(all))]
		if s, err = p.Apply(s, x, nil); err != nil {
			t.Fatal(err)
		}
		step(x.Action)
		if x.Partner >= 0 {
			step(x.Partner)
		}
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Dir(path))); err != nil {
		t.Fatal(err)
	}
	model := filepath.Base(path)
	if err := os.WriteFile(filepath.Join(dir, model+".trail"), []byte(trail.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	run := exec.Command(spin, "-t", "-p", "-g", "-l", model)
	run.Dir = dir
	out, _ := run.Output()
	if bytes.Contains(out, []byte("transition failed")) || !bytes.Contains(out, fmt.Appendf(nil, "trail ends after %d steps", depth)) {
		t.Fatalf("%s, seed %d: SPIN does not follow\n%s\n%s", path, seed, walk.String(), out)
	}
	compareValues(t, p, s, path, string(out))
}

var (
	local  = regexp.MustCompile(`^\t\t(:?\w+:?)\((\d+)\):([\w.\[\]]+) = (-?\w+)$`)
	global = regexp.MustCompile(`^\t\t([\w.\[\]]+) = (-?\w+)$`)
)

// compareValues compares the values that SPIN prints last with those in a state.
func compareValues(t *testing.T, p *Program, s []byte, path, out string) {
	t.Helper()
	at, _, _ := strings.Cut(out, "#processes:")
	type owned struct {
		owner int
		name  string
	}
	values := make(map[owned]string)
	for line := range strings.Lines(out) {
		at = strings.TrimPrefix(at, line)
		line = strings.TrimRight(line, "\n")
		owner, name, value := -1, "", ""
		if m := local.FindStringSubmatch(line); m != nil {
			if at != "" { // maybe of a process that is gone
				continue
			}
			pid, _ := strconv.Atoi(m[2])
			for _, x := range p.slots {
				if x.pid == pid && x.proc.Name == strings.Trim(m[1], ":") && x.location(s) > 0 {
					owner = x.index
				}
			}
			name, value = m[3], m[4]
		} else if m := global.FindStringSubmatch(line); m != nil {
			owner, name, value = graphs.Shared, m[1], m[2]
		} else {
			continue
		}
		values[owned{owner, strings.NewReplacer("[", ".", "]", "").Replace(name)}] = value
	}
	for i, v := range p.layout.Variables {
		want, ok := values[owned{v.Process, v.Name}]
		if got := strings.Trim(p.Value(s, i).String(), `"`); ok && got != want {
			t.Errorf("%s: %s is %s and not %s", path, v.Name, got, want)
		}
	}
}

// numbersOf returns the numbers that SPIN gives to nodes: in the order of the text,
// after what is inside them.
func numbersOf(m *Model, p *Program) map[*node]int {
	statements := make(map[*Statement]int)
	numbers := make(map[*node]int)
	next := 0
	for _, proc := range m.Procs {
		inOrder(proc.Body, statements, &next)
		for _, s := range p.slots {
			if s.proc != proc {
				continue
			}
			for _, n := range s.flow.nodes {
				k, ok := statements[n.Statement]
				switch {
				case n.Form == stop:
					numbers[n] = next
				case ok:
					numbers[n] = k
				}
				switch {
				case n.Form == If:
					numbers[n.inside[0].last] = k + 1
				case n.Form == Do:
					numbers[n.inside[0].last], numbers[n.follows] = k+1, k+2
				case n.Form == Condition && !ok: // the target of a label before goto
					numbers[n] = statements[n.follows.Statement] + 1
				}
			}
		}
		next++
	}
	return numbers
}

func inOrder(list []*Statement, numbers map[*Statement]int, next *int) {
	for _, s := range list {
		if s.Form == Declare && s.initial {
			continue
		}
		for _, o := range s.Options {
			inOrder(o, numbers, next)
		}
		numbers[s] = *next
		*next++
		switch s.Form {
		case If:
			*next++ // where the options meet
		case Do:
			*next += 2 // and where break leads
		case Goto:
			if slices.ContainsFunc(s.Labels, Label.special) {
				*next++
			}
		}
	}
}
