package simulate_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/program"
	"github.com/pota-project/pota/graphs/program/programtest"
	"github.com/pota-project/pota/graphs/simulate"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/crucial"
	"github.com/pota-project/pota/rctl/syntax"
)

// eachProgram runs a test for each model that has a Program, with each fault and with none.
func eachProgram(t *testing.T, test func(t *testing.T, p *simulate.Program, m *simulate.Model, cfg simulate.Config)) {
	for _, m := range simulate.Models() {
		for i, fault := range append([]simulate.Fault{{}}, m.Faults...) {
			if testing.Short() && i > 1 {
				break
			}
			cfg := simulate.Config{Model: m.Name, Processes: m.MinProcesses, Seed: 1, Fault: fault.Name, Rounds: 1}
			p, err := simulate.NewProgram(cfg)
			if m.Name == "raft" || m.Name == "random" || m.Skew > 0 {
				if err == nil || !strings.HasPrefix(err.Error(), "the processes of "+m.Name+" have no finite state; ") {
					t.Errorf("%s: %v", m.Name, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Run(fmt.Sprint(m.Name, "/", fault.Name), func(t *testing.T) { test(t, p, m, cfg) })
		}
	}
}

// TestProgramTooLarge: of so many processes, transitions could not be told apart.
func TestProgramTooLarge(t *testing.T) {
	_, err := simulate.NewProgram(simulate.Config{Model: "primary-secondary", Processes: 101})
	const want = "all runs of primary-secondary can be looked at with at most 100 processes, not 101"
	if err == nil || err.Error() != want {
		t.Error(err)
	}
	p, err := simulate.NewProgram(simulate.Config{Model: "primary-secondary", Processes: 100})
	if err != nil {
		t.Fatal(err)
	}
	programtest.Conform(t, p, 1, 2, 1)
}

// TestProgramsConform: programs are what engines take them to be.
func TestProgramsConform(t *testing.T) {
	eachProgram(t, func(t *testing.T, p *simulate.Program, m *simulate.Model, cfg simulate.Config) {
		programtest.Conform(t, p, graphtest.RoundsUpTo(t, 10, 200), 100, 1)
		if m.MaxProcesses == 0 {
			cfg.Processes++
			p, err := simulate.NewProgram(cfg)
			if err != nil {
				t.Fatal(err)
			}
			programtest.Conform(t, p, graphtest.RoundsUpTo(t, 10, 200), 100, 2)
		}
	})
}

// TestOrderOfMessages: where channels are first in, first out, a process may receive one
// message of another; elsewhere it may have the choice.
func TestOrderOfMessages(t *testing.T) {
	for model, several := range map[string]bool{"leader": false, "alternating-bit": false, "giop": false, "philosophers-mp": true} {
		cfg := simulate.Config{Model: model, Processes: 2, Rounds: 2}
		if model == "giop" {
			cfg.Processes = 7
		}
		p, err := simulate.NewProgram(cfg)
		if err != nil {
			t.Fatal(err)
		}
		found, walks := false, rand.New(rand.NewPCG(1, 0))
		for range 200 {
			s := p.Initial(nil)
			for range 100 {
				var all []program.Transition
				letter := make(map[int32]int32) // by action
				for q := range p.Layout().Processes {
					all = p.Enabled(s, q, all)
				}
				for _, x := range all {
					if !strings.HasPrefix(p.Layout().Actions[x.Action].Label, "receives from ") {
						continue
					}
					other, ok := letter[x.Action]
					found = found || ok && other != x.Arg>>8
					letter[x.Action] = x.Arg >> 8
				}
				if len(all) == 0 {
					break
				}
				s, _ = p.Apply(s, all[walks.IntN(len(all))], nil)
			}
		}
		if found != several {
			t.Errorf("%s: a choice of messages from one process: %t", model, found)
		}
	}
}

// known are properties that fail on some runs without a fault, because nobody knows the
// time in a Program: all messages may be lost, and requests may come when the cells are gone.
var known = map[string][]string{
	"alternating-bit": {"zero", "one", "acknowledged"},
	"atmr":            {"renewed", "exhausts"},
}

// TestProgramsDecided: without a fault, all properties hold on all runs; with a fault, the
// one that it breaks fails on some.
func TestProgramsDecided(t *testing.T) {
	eachProgram(t, func(t *testing.T, p *simulate.Program, m *simulate.Model, cfg simulate.Config) {
		all := properties(t, m, cfg.Processes)
		if m.Name == "giop" && cfg.Fault == "" { // tens of thousands of states for each
			all = all[:min(len(all), graphtest.RoundsUpTo(t, 1, len(all)))]
		}
		scope, err := crucial.Scope(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, property := range all {
			want := rctl.Holds
			switch {
			case slices.ContainsFunc(m.Faults, func(f simulate.Fault) bool { return f.Name == cfg.Fault && f.Breaks == property.Name }):
				want = rctl.Fails
			case cfg.Fault != "" || slices.Contains(known[m.Name], property.Name):
				continue
			}
			f, err := syntax.Resolve(t.Context(), property.Formula, scope)
			if err != nil {
				t.Fatal(err)
			}
			for _, whole := range []bool{false, true} {
				if whole && m.Name == "giop" {
					continue
				}
				res, err := crucial.Check(t.Context(), p, f, crucial.Options{Whole: whole, Trail: true})
				if err != nil || res.Verdict != want {
					t.Errorf("%s, whole %t: %+v, %v; want %v", property.Name, whole, res, err, want)
				}
			}
		}
	})
}

// TestRunsAreOfPrograms: each global state through which a run that is recorded may have
// passed is one of the Program, as far as formulas see it.
func TestRunsAreOfPrograms(t *testing.T) {
	const maxStates, maxEvents = 20_000, 60
	eachProgram(t, func(t *testing.T, p *simulate.Program, m *simulate.Model, cfg simulate.Config) {
		seen, states, ok := reachable(p, maxStates)
		if !ok {
			t.Skipf("more than %d states", maxStates)
		}
		found := make(map[string]bool)
		for seed := range uint64(graphtest.Rounds(t, 10)) {
			cfg.Seed = seed
			if m.Name == "leader" || m.Name == "atmr" { // where the seed says who begins, or who is broken
				q, err := simulate.NewProgram(cfg)
				if err != nil {
					t.Fatal(err)
				}
				seen, _, _ = reachable(q, maxStates)
			}
			c := computation(t, cfg)
			if c.NumEvents() > maxEvents {
				continue
			}
			for _, cut := range graphtest.Cuts(c) {
				var values []graphs.Value
				for _, v := range p.Layout().Variables {
					values = append(values, c.Variable(v.Process, v.Name).At(c, cut))
				}
				text := fmt.Sprint(values)
				if found[text] = true; !seen[text] {
					t.Fatalf("the program has no state with %s", text)
				}
			}
		}
		t.Logf("%d states with %d values of variables, %d of them in runs", states, len(seen), len(found))
	})
}

// reachable returns the values of variables in all states, as text; it is not ok where
// there are more states.
func reachable(p *simulate.Program, most int) (seen map[string]bool, states int, ok bool) {
	seen = make(map[string]bool)
	first := p.Initial(nil)
	queue, known := [][]byte{first}, map[string]bool{string(first): true}
	for i := 0; i < len(queue); i++ {
		var values []graphs.Value
		for v := range p.Layout().Variables {
			values = append(values, p.Value(queue[i], v))
		}
		seen[fmt.Sprint(values)] = true
		for q := range p.Layout().Processes {
			for _, step := range p.Enabled(queue[i], q, nil) {
				if next, _ := p.Apply(queue[i], step, nil); !known[string(next)] {
					known[string(next)] = true
					queue = append(queue, next)
				}
			}
		}
		if len(queue) > most {
			return nil, 0, false
		}
	}
	return seen, len(queue), true
}
