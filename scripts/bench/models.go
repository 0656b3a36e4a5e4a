package main

import (
	_ "embed" // the figures of other tools
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// models.csv has a row for each of the published traces: its name, its cuts, and the seconds that
// other tools take: TraX, the paper's own tool, in 2007; NuSMV, verifypn, SPIN and decision diagrams
// on a machine with two cores, translation not counted; "" where a tool was not run.
//
//go:embed models.csv
var modelsText string

// formula is what the paper asks of the model of a trace, which is named model-processes-events-seed.
func formula(trace string) string {
	var model string
	var n int
	if _, err := fmt.Sscanf(strings.ReplaceAll(trace, "-", " "), "%s %d", &model, &n); err != nil {
		panic("this cannot happen, because traces are named by their model and its processes: " + trace)
	}
	var parts []string
	switch model {
	case "abp":
		return "AG(sent_msg == 0 -> AF(received_msg == 0))"
	case "phil":
		return "AG(state1@P1 == 2 -> (AG(state1@P1 == 2) || A[state0@P0 != 2 U state1@P1 != 2]))"
	case "rand":
		for i := range n {
			parts = append(parts, fmt.Sprintf("x%d@P%d == 3", i, i))
		}
		return "EF(" + strings.Join(parts, " && ") + ")"
	}
	// Mutual exclusion is asked of the remaining models, Peterson's for two and for n processes.
	for i := range n {
		for j := range i {
			// Each pair once: the condition is symmetric.
			parts = append(parts, fmt.Sprintf("crit%d@P%d == 1 && crit%d@P%d == 1", j, j, i, i))
		}
	}
	return "AG(!(" + strings.Join(parts, " || ") + "))"
}

// models measures what the paper asks of its models, with and without interval sharing trees
// alone, and by SPIN where that is installed.
func models(b *bench) {
	b.head("trace", "cuts:", "verdict", "pota:", "`--engine ist --no-projection`:", "`--engine spin`:",
		"TraX 2007:", "NuSMV:", "verifypn:", "SPIN:", "BDD:")
	for _, r := range parsed(modelsText) {
		name := r[0]
		// The trees go without projection, so that the figures are about trees and not
		// about what they are spared.
		args := []string{"detect", "--quiet", "--timeout", "60s", formula(name), filepath.Join("testdata", "traces", "bench", name+".jsonl.gz")}
		auto := b.measure(args...)
		trees := b.measure(append(args, "--engine", "ist", "--no-projection")...)
		spin := ""
		if _, err := exec.LookPath("spin"); err == nil {
			m := b.best(1, b.pota, append(args, "--engine", "spin", "--timeout", "30s")...)
			if spin = ">30"; m.verdict != "unknown" {
				b.same(name, auto, m)
				spin = fmt.Sprintf("%.2f", m.wall)
			}
		}
		b.same(name, auto, trees)
		b.row("%s | %s | %s | %.3f | %.3f | %s | %s | %s",
			name, r[1], auto.verdict, auto.wall, trees.wall, spin, r[2], strings.Join(r[3:], " | "))
	}
}

// same notes an error where two ways come to different verdicts on the question about a trace.
func (b *bench) same(trace string, x, y measure) {
	if x.verdict != y.verdict && b.err == nil {
		b.err = fmt.Errorf("%s: %s one way, %s another", trace, x.verdict, y.verdict)
	}
}
