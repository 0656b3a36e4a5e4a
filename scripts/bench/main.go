// Bench measures pota and writes the tables of RESULTS.md, between their marks, and
// what benchstat says of the Go benchmarks into benchstat.txt, both beside this file:
// whole runs on the models of Kalyon and others (Testing Distributed Systems
// through Symbolic Model Checking, FORTE 2007), with what other tools took beside, and
// how far ahead of them pota is, on ten times the events, too; reading, beside a bare pass
// of a JSON parser;
// the protocols of Sen and Garg, with their figures beside; how the time grows with
// events and processes; whole runs on many processes; formulas of many shapes on a million
// events and more; certificates of the models and of all protocols; and the Go benchmarks, summed up
// by benchstat.
//
//	go run ./scripts/bench                    print the tables
//	go run ./scripts/bench -only processes    print one of them
//	go run ./scripts/bench -write             write them into the files
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
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
	for i := range n {
		for j := range i {
			parts = append(parts, fmt.Sprintf("crit%d@P%d == 1 && crit%d@P%d == 1", j, j, i, i))
		}
	}
	return "AG(!(" + strings.Join(parts, " || ") + "))"
}

func main() {
	write := flag.Bool("write", false, "write the tables into scripts/bench/RESULTS.md and benchstat.txt")
	only := flag.String("only", "", "make only that table: models, ahead, papers, reading, growth, processes, shapes, certificates or benchstat")
	runs := flag.Int("runs", 5, "runs of each model, the median counts, and of many processes, shapes and certificates, the least does")
	largest := flag.Int("largest", 10_000_000, "events of the largest random trace")
	flag.Parse()
	if err := bench(*only, *runs, *largest, *write); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(only string, runs, largest int, write bool) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	pota := filepath.Join(dir, "pota")
	if out, err := exec.Command("go", "build", "-o", pota, "./cmd/pota").CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	made := false
	for _, table := range []struct {
		name string
		make func() (string, error)
	}{
		{"models", func() (string, error) { return models(pota, runs) }},
		{"ahead", func() (string, error) { return aheadOfOthers(pota, dir, runs) }},
		{"papers", func() (string, error) { return papers(pota, dir) }},
		{"reading", func() (string, error) { return reading(pota, dir, min(largest, 1_000_000)) }},
		{"growth", func() (string, error) { return growth(pota, dir, largest) }},
		{"processes", func() (string, error) { return manyProcesses(pota, dir, runs, largest) }},
		{"shapes", func() (string, error) { return manyShapes(pota, dir, runs, largest) }},
		{"certificates", func() (string, error) { return certified(pota, dir, runs) }},
		{"benchstat", func() (string, error) { return micro(dir) }},
	} {
		if only != "" && only != table.name {
			continue
		}
		made = true
		text, err := table.make()
		switch {
		case err != nil:
			return err
		case !write:
			fmt.Printf("%s\n", text)
		case table.name == "benchstat":
			err = os.WriteFile("scripts/bench/benchstat.txt", []byte(text), 0o644)
		default:
			err = replace("scripts/bench/RESULTS.md", table.name, text)
		}
		if err != nil {
			return err
		}
	}
	if !made {
		return fmt.Errorf("there is no table %q", only)
	}
	return nil
}

func models(pota string, runs int) (string, error) {
	var b strings.Builder
	b.WriteString("| trace | cuts | verdict | pota | `--engine ist --no-projection` | `--engine spin` | TraX 2007 | NuSMV | verifypn | SPIN | BDD |\n")
	b.WriteString("|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range rows {
		trace := filepath.Join("testdata", "traces", "bench", r.trace+".jsonl.gz")
		args := []string{"detect", "--quiet", "--timeout", "60s", formula(r.trace), trace}
		auto, verdict, err := median(runs, pota, args)
		if err != nil {
			return "", err
		}
		trees, same, err := median(runs, pota, append(args, "--engine", "ist", "--no-projection"))
		if err != nil {
			return "", err
		}
		if same != verdict {
			return "", fmt.Errorf("%s: %s, but %s by interval sharing trees", r.trace, verdict, same)
		}
		beside, err := bySpin(pota, args, verdict)
		if err != nil {
			return "", fmt.Errorf("%s: %w", r.trace, err)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %.3f | %.3f | %s | %s | %s | %s | %s | %s |\n",
			r.trace, r.cuts, verdict, auto.Seconds(), trees.Seconds(), beside, r.trax, r.nusmv, r.pn, r.spin, r.bdd)
	}
	return b.String(), nil
}

// bySpin returns the seconds that SPIN takes, translation and compilation
// included, "" where it is not installed.
func bySpin(pota string, args []string, want string) (string, error) {
	if _, err := exec.LookPath("spin"); err != nil {
		return "", nil
	}
	took, verdict, err := median(1, pota, append(args, "--engine", "spin", "--timeout", "30s"))
	switch {
	case err != nil:
		return "", err
	case verdict == "unknown":
		return ">30", nil
	case verdict != want:
		return "", fmt.Errorf("%s, but %s by SPIN", want, verdict)
	}
	return fmt.Sprintf("%.2f", took.Seconds()), nil
}

// verdicts are those of pota detect, by exit status.
var verdicts = map[int]string{0: "holds", 1: "fails", 3: "unknown"}

// median returns the median time of whole runs, and their verdict.
func median(runs int, pota string, args []string) (time.Duration, string, error) {
	var times []time.Duration
	verdict := ""
	for range runs {
		begun := time.Now()
		cmd := exec.Command(pota, args...)
		out, err := cmd.CombinedOutput()
		times = append(times, time.Since(begun))
		var ok bool
		if verdict, ok = verdicts[cmd.ProcessState.ExitCode()]; !ok {
			return 0, "", fmt.Errorf("%s: %w\n%s", args, err, out)
		}
	}
	slices.Sort(times)
	return times[len(times)/2], verdict, nil
}

// report is what pota detect --json says of one property.
type report struct {
	Name, Verdict, Engine string
	Elapsed               float64 `json:"elapsed_ms"`
	Stats                 struct{ Events int }
}

// detect decides a file of properties on a trace.
func detect(pota, properties, trace string) ([]report, error) {
	out, err := exec.Command(pota, "detect", "--json", "-f", properties, trace).Output()
	if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() != 1) {
		return nil, fmt.Errorf("%s: %w", trace, err)
	}
	var reports []report
	for line := range strings.Lines(string(out)) {
		var r report
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return nil, err
		}
		reports = append(reports, r)
	}
	if len(reports) == 0 {
		return nil, fmt.Errorf("%s: nothing was decided", trace)
	}
	return reports, nil
}

// replace puts a table between its marks in a file.
func replace(path, name, table string) error {
	begin, end := []byte("<!-- begin of "+name+", by scripts/bench -->\n"), []byte("<!-- end of "+name+" -->\n")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, found := bytes.Cut(text, begin)
	_, after, closed := bytes.Cut(rest, end)
	if !found || !closed {
		return fmt.Errorf("%s has no marks for the table of %s", path, name)
	}
	text = slices.Concat(before, begin, []byte("\n"+table+"\n"), end, after)
	return os.WriteFile(path, text, 0o644)
}
