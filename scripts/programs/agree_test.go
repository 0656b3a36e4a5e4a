package programs

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/crucial"
	"github.com/pota-project/pota/translate/spin"
)

// perModel is how many formulas are compared on one model in a round.
const perModel = 8

// Verdicts on random formulas are those of SPIN, of the shortest models first.
func TestAgree(t *testing.T) {
	if *models == "" {
		t.Skip("-args -models names a folder of models")
	}
	paths, err := filepath.Glob(filepath.Join(*models, "*.pm"))
	if err != nil {
		t.Fatal(err)
	}
	// Short models first, as they find most mistakes in the least time.
	slices.SortFunc(paths, func(a, b string) int { return cmp.Compare(length(a), length(b)) })
	compared, undecided := 0, 0
	verdicts := make(map[rctl.Verdict]int)
	for round := *seed; compared < *pairs; round++ {
		before := compared
		for i, path := range paths {
			if compared >= *pairs {
				break
			}
			if round == *seed && i < *from {
				continue
			}
			m := read(t, strings.TrimSuffix(filepath.Base(path), ".pm"))
			// The formulas of a model depend on the round and its place only, so -seed and -from
			// reproduce them.
			r := rand.New(rand.NewPCG(round, uint64(i)))
			for range perModel {
				// Odd rounds are about local variables, too.
				f := m.resolve(t, random(r, m, round%2 == 1))
				theirs := m.bySpin(t, f, spin.ModelOptions{MaxMemory: 2 << 30})
				ours := m.byPota(t, f, *limit/4, crucial.Options{MaxMemory: 2 << 30})
				switch {
				case ours.Verdict == rctl.Unknown || theirs.Verdict == rctl.Unknown:
					undecided++
					continue
				case ours.Verdict != theirs.Verdict:
					t.Fatalf("%s: %s: pota says %v, SPIN %v", m.name, f, ours.Verdict, theirs.Verdict)
				}
				compared++
				verdicts[ours.Verdict]++
			}
			t.Logf("round %d, model %d, %s: %d agree so far, %d beyond a limit", round, i, m.name, compared, undecided)
		}
		// Without this, a limit that is too short would run for ever.
		if compared == before {
			t.Fatal("none of the models was decided in time")
		}
	}
	t.Logf("%d agree: %d hold, %d fail; %d beyond a limit", compared, verdicts[rctl.Holds], verdicts[rctl.Fails], undecided)
}

// length is the size of a file in bytes.
func length(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// random makes a formula of linear time about locations and variables, those of processes
// among them where locals says so; SPIN decides the others with partial order reduction.
func random(r *rand.Rand, m *model, locals bool) string {
	p, q := condition(r, m, locals), condition(r, m, locals)
	// Seven forms of linear time, as SPIN decides no others; E formulas are negations of such.
	switch r.IntN(7) {
	case 0:
		return "AG(!(" + p + " && " + q + "))"
	case 1:
		return "AG(" + p + " -> AF(" + q + "))"
	case 2:
		return "AF(" + p + ")"
	case 3:
		return "A[!(" + p + ") U " + q + "]"
	case 4:
		return "AG(AF(" + p + "))"
	case 5:
		return "E[!(" + p + ") U " + q + "]"
	}
	return "EF(" + p + " && EG(!(" + q + ")))"
}

// condition makes one about a location or a variable.
func condition(r *rand.Rand, m *model, locals bool) string {
	l := m.program.Layout()
	// Drawn until one fits: locations without labels have no name in formulas.
	for {
		if r.IntN(3) > 0 {
			p := l.Processes[r.IntN(len(l.Processes))]
			if labels := p.Locations[r.IntN(len(p.Locations))].Labels; len(labels) > 0 {
				return fmt.Sprintf("at@%q == %q", p.Name, labels[0])
			}
			continue
		}
		if len(l.Variables) == 0 {
			continue
		}
		v := l.Variables[r.IntN(len(l.Variables))]
		// Local variables are compared only in the rounds for them.
		if v.Kind != graphs.Number || strings.HasPrefix(v.Name, "len(") || v.Process != graphs.Shared && !locals {
			continue
		}
		name := v.Name
		if v.Process != graphs.Shared {
			name = fmt.Sprintf("%s@%q", name, l.Processes[v.Process].Name)
		}
		return fmt.Sprintf("%s %s %d", name, []string{"==", "!=", "<=", ">"}[r.IntN(4)], r.IntN(4))
	}
}
