package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// simulated are the models of rows, as pota simulate names them, and the property that is
// asked of them; "" for one that all processes are asked for.
var simulated = map[string]struct{ model, property string }{
	"pet":  {"peterson", "mutex"},
	"petn": {"peterson-n", "mutex"},
	"abp":  {"alternating-bit", "zero"},
	"phil": {"philosophers", "undisturbed"},
	"rand": {"random", ""},
}

// aheadOfOthers measures the traces of rows, and the same models with ten times the
// events, beside the best of the other tools on the former. Seconds of pota are those of
// all cores, which a busy machine changes less.
func aheadOfOthers(pota, dir string, runs int) (string, error) {
	var b strings.Builder
	b.WriteString("| trace | best other tool | pota | times ahead | pota, ten times the events | at least … times ahead |\n")
	b.WriteString("|---|--:|--:|--:|--:|--:|\n")
	for _, r := range rows {
		_, once, err := least(runs, pota, "detect", "--quiet", formula(r.trace), filepath.Join("testdata", "traces", "bench", r.trace+".jsonl.gz"))
		if err != nil {
			return "", err
		}
		file, trace, err := r.tenfold(pota, dir)
		if err != nil {
			return "", err
		}
		_, tenfold, err := least(runs, pota, "detect", "--quiet", "-f", file, trace)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "| %s | %s | %.3f | %s | %.3f | %s |\n", r.trace, r.best(), once, r.ahead(once), tenfold, r.ahead(tenfold))
	}
	return b.String(), nil
}

// tenfold writes a trace of the model of r with ten times the events, and the property.
func (r row) tenfold(pota, dir string) (file, trace string, err error) {
	model, n, events, seed := shape(r.trace)
	s := simulated[model]
	file, trace = filepath.Join(dir, "tenfold.properties"), filepath.Join(dir, "tenfold.jsonl")
	args := []string{"simulate", s.model, "--processes", strconv.Itoa(n)}
	made := append(args, "--events", strconv.Itoa(10*events), "--seed", strconv.Itoa(seed), "-o", trace)
	if out, err := exec.Command(pota, made...).CombinedOutput(); err != nil {
		return "", "", fmt.Errorf("%w\n%s", err, out)
	}
	text := []byte("all: EF(forall i: x@i == 3)\n")
	if s.property != "" {
		properties, err := exec.Command(pota, append(args, "--properties")...).Output()
		if err != nil {
			return "", "", err
		}
		text = only(string(properties), s.property)
	}
	return file, trace, os.WriteFile(file, text, 0o600)
}

// best is the least of the seconds that other tools take, those of 2007 left out. It may be
// a lower bound, as in >40.
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
func (r row) ahead(took float64) string {
	t, err := strconv.ParseFloat(strings.TrimPrefix(r.best(), ">"), 64)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%.1f", t/took)
}

// least returns the least seconds of several whole runs that decide, and the least seconds
// of all cores.
func least(runs int, program string, args ...string) (wall, cpu float64, err error) {
	wall, cpu, status, err := measured(runs, program, args...)
	if err == nil && status > 1 {
		err = fmt.Errorf("%s: exit status %d", args, status)
	}
	return wall, cpu, err
}

// measured is as least, for runs that may leave something unknown, and tells their exit
// status.
func measured(runs int, program string, args ...string) (wall, cpu float64, status int, err error) {
	wall, cpu = math.Inf(1), math.Inf(1)
	for range runs {
		cmd := exec.Command(program, args...)
		begun := time.Now()
		out, err := cmd.CombinedOutput()
		status = cmd.ProcessState.ExitCode()
		if _, ok := verdicts[status]; !ok {
			return 0, 0, 0, fmt.Errorf("%s: %w\n%s", args, err, out)
		}
		wall = min(wall, time.Since(begun).Seconds())
		cpu = min(cpu, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
	}
	return wall, cpu, status, nil
}
