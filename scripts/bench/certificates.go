package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs/simulate"
)

// Of the protocols of pota simulate, those of any number of processes run with certifiedProcesses.
const (
	certifiedProcesses = 100
	certifiedEvents    = 100 * certifiedProcesses
)

// certified measures certificates of the paper's question about the traces of rows, and about the
// same models with ten times the events, and of all properties of the protocols of pota simulate,
// with each fault and without: which verdicts have a proof that pota verify accepts, and the least
// seconds of all cores that it takes to decide, to decide and write the certificates, and to verify
// these.
func certified(pota, dir string, runs int) (string, error) {
	var b strings.Builder
	b.WriteString("| run | fault | properties | certified | not certified | `detect` | with certificates | `verify` | bytes |\n")
	b.WriteString("|---|---|--:|--:|---|--:|--:|--:|--:|\n")
	file, trace := filepath.Join(dir, "asked.properties"), filepath.Join(dir, "certified.jsonl")
	for _, r := range rows {
		if err := os.WriteFile(file, []byte("asked: "+formula(r.trace)+"\n"), 0o600); err != nil {
			return "", err
		}
		if err := certifiedRow(&b, pota, dir, r.trace+" |", file, filepath.Join("testdata", "traces", "bench", r.trace+".jsonl.gz"), runs); err != nil {
			return "", err
		}
		file, trace, err := r.tenfold(pota, dir)
		if err != nil {
			return "", err
		}
		if err := certifiedRow(&b, pota, dir, r.trace+", ten times the events |", file, trace, runs); err != nil {
			return "", err
		}
	}
	for _, m := range simulate.Models() {
		n := certifiedProcesses
		if m.MaxProcesses > 0 {
			n = m.MaxProcesses
		}
		args := []string{"simulate", m.Name, "--processes", strconv.Itoa(n)}
		if out, err := exec.Command(pota, append(args, "--properties", "-o", file)...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w\n%s", err, out)
		}
		for _, fault := range append([]simulate.Fault{{}}, m.Faults...) {
			run := append(slices.Clone(args), "--events", strconv.Itoa(certifiedEvents), "--seed", "1", "-o", trace)
			if fault.Name != "" {
				run = append(run, "--fault", fault.Name)
			}
			if out, err := exec.Command(pota, run...).CombinedOutput(); err != nil {
				return "", fmt.Errorf("%w\n%s", err, out)
			}
			if err := certifiedRow(&b, pota, dir, fmt.Sprintf("%s, %d processes | %s", m.Name, n, fault.Name), file, trace, runs); err != nil {
				return "", err
			}
		}
	}
	return b.String(), nil
}

func certifiedRow(b *strings.Builder, pota, dir, what, file, trace string, runs int) error {
	certificates := filepath.Join(dir, "all.cert")
	var took []string
	for _, args := range [][]string{
		{"detect", "--timeout", shapeLimit, "-f", file, trace},
		{"detect", "--timeout", shapeLimit, "--certificate", certificates, "-f", file, trace},
		{"verify", "--timeout", shapeLimit, certificates, trace},
	} {
		_, cpu, _, err := measured(runs, pota, args...)
		if err != nil {
			return err
		}
		took = append(took, fmt.Sprintf("%.2f", cpu))
	}
	out, err := exec.Command(pota, "verify", "--timeout", shapeLimit, "--json", certificates, trace).Output()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		return err
	}
	all, missing := 0, []string(nil)
	for line := range strings.Lines(string(out)) {
		var v struct{ Name, Result string }
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			return err
		}
		if all++; v.Result != "certified" {
			missing = append(missing, v.Name+": "+v.Result)
		}
	}
	info, err := os.Stat(certificates)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "| %s | %d | %d | %s | %s | %d |\n", what, all, all-len(missing), strings.Join(missing, ", "), strings.Join(took, " | "), info.Size())
	return nil
}
