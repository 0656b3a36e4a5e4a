package main

import (
	_ "embed" // the figures of other tools
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// models.csv has a row for each of the published traces: its cuts, and the seconds that other tools
// take on a machine with two cores, translation not counted; "" where a tool was not run. The
// seconds of TraX, the paper's own tool, are of 2007.
//
//go:embed models.csv
var modelsText string

// A row is one of models.csv.
type row struct {
	trace, cuts string
	trax        string
	others      []string // NuSMV, verifypn, SPIN, and decision diagrams
}

// rows are those of models.csv.
var rows = parsed(modelsText, func(f []string) row { return row{f[0], f[1], f[2], f[3:]} })

// shape takes the name of a trace apart.
func shape(trace string) (model string, processes, events, seed int) {
	// The seed is the last part: rows with the same model and size differ in it.
	if _, err := fmt.Sscanf(strings.ReplaceAll(trace, "-", " "), "%s %d %d %d", &model, &processes, &events, &seed); err != nil {
		panic("this cannot happen, because traces are named model-processes-events-seed: " + trace)
	}
	return model, processes, events, seed
}

// formula is what the paper asks of a model.
func formula(trace string) string {
	model, n, _, _ := shape(trace)
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

// path returns the file of a trace.
func (r row) path() string {
	return filepath.Join("testdata", "traces", "bench", r.trace+".jsonl.gz")
}

// models measures what the paper asks of its models, with and without interval sharing trees
// alone, and by SPIN where that is installed.
func models(b *bench) {
	b.head("trace", "cuts:", "verdict", "pota:", "`--engine ist --no-projection`:", "`--engine spin`:",
		"TraX 2007:", "NuSMV:", "verifypn:", "SPIN:", "BDD:")
	for _, r := range rows {
		// The trees go without projection, so that the figures are about trees and not
		// about what they are spared.
		args := []string{"detect", "--quiet", "--timeout", "60s", formula(r.trace), r.path()}
		auto := b.measure(args...)
		trees := b.measure(append(args, "--engine", "ist", "--no-projection")...)
		spin := ""
		if _, err := exec.LookPath("spin"); err == nil {
			m := b.best(1, b.pota, append(args, "--engine", "spin", "--timeout", "30s")...)
			if spin = ">30"; m.verdict != "unknown" {
				b.same(r, auto, m)
				spin = fmt.Sprintf("%.2f", m.wall)
			}
		}
		b.same(r, auto, trees)
		b.row("%s | %s | %s | %.3f | %.3f | %s | %s | %s",
			r.trace, r.cuts, auto.verdict, auto.wall, trees.wall, spin, r.trax, strings.Join(r.others, " | "))
	}
}

// same notes an error where two ways come to different verdicts on the question about r.
func (b *bench) same(r row, x, y measure) {
	if x.verdict != y.verdict && b.err == nil {
		b.err = fmt.Errorf("%s: %s one way, %s another", r.trace, x.verdict, y.verdict)
	}
}

// simulated are the models of rows, as pota simulate names them, and the property asked of them;
// "" for one that pota simulate does not have.
var simulated = map[string]struct{ model, property string }{
	"pet":  {"peterson", "mutex"},
	"petn": {"peterson-n", "mutex"},
	"abp":  {"alternating-bit", "zero"},
	"phil": {"philosophers", "undisturbed"},
	"rand": {"random", ""},
}

// tenfold writes the property of r, and a trace of the model of r with ten times the events.
func (b *bench) tenfold(r row) (file, trace string) {
	model, n, events, seed := shape(r.trace)
	s := simulated[model]
	trace = b.simulate(s.model, n, 10*events, seed)
	// The model of random processes has no such property of its own.
	if s.property == "" {
		return b.write("properties", "all: EF(forall i: x@i == 3)\n"), trace
	}
	return b.properties(s.model, n, s.property), trace
}
