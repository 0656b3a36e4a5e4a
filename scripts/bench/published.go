package main

import (
	_ "embed" // the figures of other tools
	_ "embed" // the figures of the paper
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// models.csv has a row for each of the published traces: its name, its cuts, and the seconds that
// other tools take: TraX, the paper's own tool, in 2007; NuSMV, verifypn, SPIN and decision diagrams
// on a machine with two cores, translation not counted; "" where a tool was not run.
//
//go:embed models.csv
var modelsText string

// models measures what the paper asks of its models, with and without interval sharing trees
// alone, and by SPIN where that is installed.
func models(b *bench) {
	b.head("trace", "cuts:", "verdict", "pota:", "`--engine ist --no-projection`:", "`--engine spin`:",
		"TraX 2007:", "NuSMV:", "verifypn:", "SPIN:", "BDD:")
	for _, r := range parsed(modelsText) {
		name := r[0]
		// The trees go without projection, so that the figures are about trees and not
		// about what they are spared.
		folder := filepath.Join("testdata", "traces", "bench")
		// Traces are named model-processes-events-seed, properties by the first two.
		model := strings.Join(strings.Split(name, "-")[:2], "-")
		args := []string{"detect", "--quiet", "--timeout", "60s", "-f", filepath.Join(folder, model+".properties"), filepath.Join(folder, name+".jsonl.gz")}
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

// papers.csv has a row for each property of Sen and Garg's experiments (Partial Order Trace
// Analyzer for Distributed Programs, RV 2003, tables 1 to 3), with the seconds of their tool on a
// 1.4 GHz machine; "" where they give none.
//
//go:embed papers.csv
var papersText string

// eventsEach is how many events a process has in the traces that are made.
const eventsEach = 100

// papers measures the properties on simulated traces of the same protocols.
func papers(b *bench) {
	b.head("protocol", "property", "processes:", "events:", "verdict", "engine",
		"seconds after reading:", "POTA 2003:")
	for _, r := range parsed(papersText) {
		model, property := r[0], r[1]
		n, err := strconv.Atoi(r[2])
		if err != nil {
			panic("this cannot happen, because the third column has numbers: " + err.Error())
		}
		trace := b.simulate(model, n, eventsEach*n)
		file := b.property(model, n, property)
		for _, d := range b.reports("detect", "--json", "-f", file, trace) {
			b.row("%s | %s | %d | %d | %s | %s | %.4f | %s",
				model, property, n, d.Stats.Events, d.Verdict, d.Engine, d.Elapsed/1000, r[3])
		}
	}
}
