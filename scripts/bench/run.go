package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A bench runs pota and writes a table of what it measures. After the first error it runs
// nothing more: err is looked at once a table.
type bench struct {
	strings.Builder        // the table
	pota            string // the program
	dir             string // for traces and other files
	runs            int    // how many runs of each command to time; the best counts
	largest         int    // events of the largest random trace
	err             error
}

// row writes a row of the table.
func (b *bench) row(format string, args ...any) { fmt.Fprintf(b, "| "+format+" |\n", args...) }

// head writes the head of a table: columns of numbers end in a colon.
func (b *bench) head(columns ...string) {
	rule := "|"
	for i, name := range columns {
		if columns[i] = strings.TrimSuffix(name, ":"); columns[i] == name {
			rule += "---|"
		} else {
			rule += "--:|"
		}
	}
	b.row("%s", strings.Join(columns, " | "))
	b.WriteString(rule + "\n")
}

// parsed returns the rows of a table in CSV below its head.
func parsed(text string) [][]string {
	all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		panic("this cannot happen, because the tables are in the program: " + err.Error())
	}
	return all[1:]
}

// file returns the path of a file in the bench's directory.
func (b *bench) file(name string) string { return filepath.Join(b.dir, name) }

// write writes a file in the bench's directory and returns its path.
func (b *bench) write(name, text string) string {
	// The first error stays, as later ones follow from it.
	if err := os.WriteFile(b.file(name), []byte(text), 0o600); b.err == nil {
		b.err = err
	}
	return b.file(name)
}

// run runs a command that has to succeed in a directory, and returns its output.
func (b *bench) run(dir, program string, args ...string) string {
	if b.err != nil {
		return ""
	}
	cmd := exec.Command(program, args...)
	var stderr bytes.Buffer
	// Standard error is shown only if the command fails.
	cmd.Dir, cmd.Stderr = dir, &stderr
	out, err := cmd.Output()
	if err != nil {
		b.err = fmt.Errorf("%s %s: %w\n%s%s", program, args, err, out, stderr.Bytes())
	}
	return string(out)
}

// simulate writes a trace of a model, by the arguments of pota simulate, and returns its path.
func (b *bench) simulate(model string, processes, events int) string {
	trace := b.file("simulated.jsonl")
	// The seed is fixed: the same rows mean the same traces.
	b.run("", b.pota, "simulate", model, "--processes", strconv.Itoa(processes),
		"--events", strconv.Itoa(events), "--seed", "1", "-o", trace)
	return trace
}

// property writes the property of a name of a model, and returns the file's path.
func (b *bench) property(model string, processes int, name string) string {
	all := b.run("", b.pota, "simulate", model, "--processes", strconv.Itoa(processes),
		"--properties")
	// Properties are lines NAME: FORMULA.
	for line := range strings.Lines(all) {
		if strings.HasPrefix(line, name+":") {
			return b.write("properties", line)
		}
	}
	if b.err == nil {
		b.err = fmt.Errorf("%s has no property %s", model, name)
	}
	return ""
}

// A measure has the best of several runs of a command.
type measure struct {
	wall, cpu float64 // seconds; cpu is of all cores, and a busy machine changes it less
	peak      float64 // bytes
	verdict   string
}

// verdicts are what pota detect says by its exit status; pota verify says other things by the same.
var (
	verdicts = map[int]string{0: "holds", 1: "fails", 3: "unknown"}
	verified = map[string]string{"holds": "certified", "fails": "rejected", "unknown": "recomputed"}
)

// measure measures a command of pota: of several runs the least of each figure.
func (b *bench) measure(args ...string) measure { return b.best(b.runs, b.pota, args...) }

// best measures a program.
func (b *bench) best(runs int, program string, args ...string) measure {
	// Any figure is better than none.
	best := measure{wall: math.Inf(1), cpu: math.Inf(1), peak: math.Inf(1)}
	// The least of several runs is closest to what the program itself takes: anything else on the
	// machine only adds.
	for range runs {
		if b.err != nil {
			break
		}
		begun := time.Now()
		cmd := exec.Command(program, args...)
		out, err := cmd.CombinedOutput()
		wall, state := time.Since(begun).Seconds(), cmd.ProcessState
		// Status 2 and the like mean that nothing was decided, so that the time says
		// nothing.
		if best.verdict = verdicts[state.ExitCode()]; best.verdict == "" {
			b.err = fmt.Errorf("%s: %w\n%s", args, err, out)
			break
		}

		best.wall = min(best.wall, wall)
		best.cpu = min(best.cpu, (state.UserTime() + state.SystemTime()).Seconds())
		// Linux counts in KiB.
		if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
			best.peak = min(best.peak, 1024*float64(usage.Maxrss))
		}
	}
	return best
}

// A report is what pota detect --json says of a property.
type report struct {
	Verdict, Engine string
	Elapsed         float64 `json:"elapsed_ms"`
	Stats           struct{ Events int }
}

// reports runs a command of pota that prints reports. It may end with any verdict.
func (b *bench) reports(args ...string) (all []report) {
	if b.err != nil {
		return nil
	}
	out, err := exec.Command(b.pota, args...).Output()
	// A property that fails ends with status 1, and is still a result.
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && verdicts[exit.ExitCode()] != "" {
		err = nil
	}
	for line := range strings.Lines(string(out)) {
		var r report
		if err == nil {
			err = json.Unmarshal([]byte(line), &r)
		}
		all = append(all, r)
	}
	if len(all) == 0 && err == nil {
		err = errors.New("there is no report")
	}
	if err != nil {
		b.err = fmt.Errorf("%s: %w", args, err)
	}
	return all
}
