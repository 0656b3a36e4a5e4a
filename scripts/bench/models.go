package main

import (
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// peer figures are seconds on a machine with two cores, translation not counted;
// those of TraX (the paper's own tool) are of 2007.
type row struct {
	trace string
	cuts  string
	trax  string
	nusmv string
	pn    string // verifypn
	spin  string
	bdd   string
}

// Cuts and figures are of the published traces; "" where a tool was not run.
var rows = []row{
	{"pet-2-1000-1", "5016", "0.07", "0.03", "0.04", "0.83", "0.07"},
	{"pet-2-2000-1", "8566", "0.46", "0.05", "0.13", "0.84", "0.07"},
	{"pet-2-5000-1", "22207", "7.53", "0.14", "0.74", "0.81", "0.08"},
	{"pet-2-15000-1", "65536", "189.65", "0.62", "6.12", "0.88", "0.11"},
	{"petn-5-1000-1", "5057", "2.04", "0.09", "0.44", "0.84", "0.09"},
	{"petn-5-5000-1", "20602", "176.62", "1.12", "8.52", "0.84", "0.16"},
	{"petn-10-1000-1", "188687", "5.42", "0.29", "2.40", "1.17", "0.10"},
	{"petn-10-5000-1", "217292", "147.89", "3.00", "30.65", "1.28", "0.30"},
	{"abp-2-500-1", "2329", "1.82", "0.03", "0.07", "1.06", "0.08"},
	{"abp-2-1000-1", "10231", "13.60", "0.05", "0.08", "0.95", "0.10"},
	{"abp-2-5000-1", "57827", "257.29", "0.66", "0.23", "1.02", "0.40"},
	{"abp-2-50000-1", "748612", "", "37.7", "10.6", "", "16.8"},
	{"phil-3-100-1", "1258", "0.15", "0.01", "0.06", "1.00", "0.06"},
	{"phil-3-200-1", "2190", "1.11", "0.01", "0.07", "1.06", "0.06"},
	{"phil-3-2000-1", "25799", "366.22", "0.15", "0.31", "1.09", "0.11"},
	{"phil-5-100-1", "48835", "0.25", "0.02", "0.06", "1.09", "0.07"},
	{"phil-5-200-1", "87159", "27.05", "0.04", "0.07", "1.08", "0.07"},
	{"phil-5-500-1", "245177", "125.56", "0.12", "0.08", "1.16", "0.10"},
	{"phil-10-100-1", "101542720", "1.67", "0.05", "0.00", ">120", "0.06"},
	{"phil-10-200-1", "445758856", "26.94", "0.13", "0.00", "", "0.06"},
	{"phil-10-200-2", "1561446574", "", "0.44", "0.07", "", "0.31"},
	{"phil-10-500-1", "2500746371", ">600", "0.91", "0.09", "", "0.37"},
	{"phil-10-2000-2", "17927182918", "", "14.8", "0.22", "", "17.9"},
	{"phil-20-1000-2", "5829687082264215211", "", ">40", ">40", "", ">40"},
	{"rand-10-1000-1", "35999311439", "", ">40", "0.12", "", "0.30"},
}

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
		b.row("%s | %s | %s | %.3f | %.3f | %s | %s | %s | %s | %s | %s",
			r.trace, r.cuts, auto.verdict, auto.wall, trees.wall, spin, r.trax, r.nusmv, r.pn, r.spin, r.bdd)
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

// ahead measures the traces of rows, and the same models with ten times the events, beside the
// best of the other tools on the former.
func ahead(b *bench) {
	b.head("trace", "best other tool:", "pota:", "times ahead:", "pota, ten times the events:",
		"at least … times ahead:")
	for _, r := range rows {
		// Seconds of all cores, as those of the other tools: they use one.
		once := b.measure("detect", "--quiet", formula(r.trace), r.path())
		file, trace := b.tenfold(r)
		tenfold := b.measure("detect", "--quiet", "-f", file, trace)
		b.row("%s | %s | %.3f | %s | %.3f | %s", r.trace, r.best(), once.cpu, r.ahead(once),
			tenfold.cpu, r.ahead(tenfold))
	}
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

// best is the least of the seconds that other tools take, without the figures of 2007. It may be
// a lower bound, as in >40.
// A bound such as >40 counts by its number: the other tools take at least as long.
func (r row) best() string {
	best, least := "", math.Inf(1)
	for _, text := range []string{r.nusmv, r.pn, r.spin, r.bdd} {
		if t, err := strconv.ParseFloat(strings.TrimPrefix(text, ">"), 64); err == nil && t < least {
			best, least = text, t
		}
	}
	return best
}

// ahead tells how many times as long the best of the others takes.
func (r row) ahead(m measure) string {
	t, err := strconv.ParseFloat(strings.TrimPrefix(r.best(), ">"), 64)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%.1f", t/m.cpu)
}
