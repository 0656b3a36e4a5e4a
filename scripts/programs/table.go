package main

import (
	"fmt"

	"github.com/pota-project/pota/rctl"
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

// table prints a row for each model: seconds, states and steps of pota, of SPIN depth first,
// breadth first, and looking for ever shorter trails.
func table(dir string) error {
	fmt.Println("| model | formula | pota: s | states | trail | SPIN: s | states | trail | BFS: s | states | trail | -i: s | states | trail |")
	fmt.Println("|---|---|" + "--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
	var longer, near, fewer, faster, measured int
	for _, r := range rows {
		if *only != "" && r.model != *only {
			continue
		}
		pota, err := byPota(dir, r.model, r.formula)
		if err != nil {
			return err
		}
		m, err := read(dir, r.model)
		if err != nil {
			return err
		}
		first, err := bySpin(m, r.formula, spin.ModelOptions{})
		if err != nil {
			return err
		}
		var breadth, shorter run
		// Runs that are left out have no trail.
		breadth.steps, shorter.steps = -1, -1
		if r.breadth && !*dfs {
			if breadth, err = bySpin(m, r.formula, spin.ModelOptions{Breadth: true}); err != nil {
				return err
			}
		}
		if !*dfs {
			if shorter, err = bySpin(m, r.formula, spin.ModelOptions{Shorten: true}); err != nil {
				return err
			}
		}
		fmt.Printf("| %s | `%s` | %s | %s | %s | %s |\n", r.model, r.formula, pota, first, breadth, shorter)
		// Verdicts must agree wherever both have one; figures for a wrong one are worth nothing.
		for _, s := range []run{first, breadth, shorter} {
			if s.verdict != rctl.Unknown && pota.verdict != rctl.Unknown && s.verdict != pota.verdict {
				return fmt.Errorf("%s: pota says %v, SPIN %v", r.model, pota.verdict, s.verdict)
			}
		}
		measured++
		shortest := pota.steps
		for _, s := range []run{first, breadth, shorter} {
			if s.steps >= 0 {
				shortest = min(shortest, s.steps)
			}
		}
		// A trail counts as near if it is at most half as long again as the shortest of all.
		longer += count(first.steps >= 0 && pota.steps > first.steps)
		near += count(2*pota.steps <= 3*shortest)
		fewer += count(first.verdict == rctl.Unknown || pota.states <= first.states)
		faster += count(pota.seconds < first.seconds)
	}
	fmt.Printf("\nOf %d: trails longer than SPIN's depth first: %d; within 1.5 times of the shortest: %d; no more states than SPIN: %d; less time: %d\n",
		measured, longer, near, fewer, faster)
	return nil
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}
