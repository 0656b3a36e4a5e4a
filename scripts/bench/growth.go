package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// growth measures how the time to decide grows with the events and with the
// processes of random traces, and fits the exponent of each formula: the slope of
// log(time) over log(size), by least squares.
func growth(pota, dir string, largest int) (string, error) {
	var b strings.Builder
	events := []int{10_000, 100_000, 1_000_000, 10_000_000}
	for len(events) > 2 && events[len(events)-1] > largest {
		events = events[:len(events)-1]
	}
	if err := growthTable(&b, pota, dir, "events", events, func(n int) (processes, size int) { return 100, n }); err != nil {
		return "", err
	}
	b.WriteString("\n")
	of := min(largest, 1_000_000)
	err := growthTable(&b, pota, dir, "processes", []int{10, 100, 1000}, func(n int) (processes, size int) { return n, of })
	return b.String(), err
}

// overAll are formulas over all processes, however many there are.
var overAll = []string{
	"true",
	"EF(forall i: x@i == 3)",
	"AG(forall i != j: !(x@i == 3 && x@j == 3))",
	"EF((count i: x@i == 3) >= 2)",
	"AG(EF(forall i: x@i == 3))",
}

// manyProcesses measures whole runs on as many events of more and more processes: the
// least time of the processor of a few, and the least peak of memory, each also as a multiple
// of that of the first size.
func manyProcesses(pota, dir string, runs, largest int) (string, error) {
	var b strings.Builder
	sizes := []int{100, 1000, 10_000, 100_000}
	fmt.Fprintf(&b, "| whole run on … processes | %s |\n|---%s|\n", joinInts(sizes), strings.Repeat("|--:", len(sizes)))
	traces := make([]string, len(sizes))
	for i, n := range sizes {
		traces[i] = filepath.Join(dir, fmt.Sprintf("processes%d.jsonl", n))
		if err := generate(pota, traces[i], n, min(largest, 1_000_000)); err != nil {
			return "", err
		}
	}
	for _, f := range overAll {
		fmt.Fprintf(&b, "| `%s` |", f)
		seconds, bytes := make([]float64, len(sizes)), make([]float64, len(sizes))
		for run := range runs {
			for i, trace := range traces {
				cmd := exec.Command(pota, "detect", "--quiet", f, trace)
				out, err := cmd.CombinedOutput()
				if status := cmd.ProcessState.ExitCode(); status > 1 {
					return "", fmt.Errorf("%s: %w\n%s", f, err, out)
				}
				took, peak := (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), 0.0
				if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
					peak = 1024 * float64(usage.Maxrss)
				}
				if run == 0 || took < seconds[i] {
					seconds[i] = took
				}
				if run == 0 || peak < bytes[i] {
					bytes[i] = peak
				}
			}
		}
		for i := range sizes {
			fmt.Fprintf(&b, " %.2f s (%.1f), %.0f MB (%.1f) |", seconds[i], seconds[i]/seconds[0], bytes[i]/1e6, bytes[i]/bytes[0])
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}

// generate writes a random trace.
func generate(pota, trace string, processes, events int) error {
	cmd := exec.Command(pota, "simulate", "random", "--processes", strconv.Itoa(processes), "--events", strconv.Itoa(events), "--seed", "1", "-o", trace)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// growing are the formulas whose time is measured, over all of n processes.
func growing(n int) [][2]string {
	var all, channels []string
	for i := range n {
		all = append(all, fmt.Sprintf("cs@P%d", i))
		if i > 0 && i <= 10 {
			channels = append(channels, fmt.Sprintf("transit(P0, P%d) <= 3", i))
		}
	}
	conj := strings.Join(all, " && ")
	return [][2]string{
		{"EF of a conjunction", "EF(" + conj + ")"},
		{"AG EF of a conjunction", "AG(EF(" + conj + "))"},
		{"E[R] of conjunctions", "E[" + conj + " R !cs@P1 || x@P1 >= 0]"},
		{"AG(p -> AF q)", "AG(cs@P0 -> AF(!cs@P0))"},
		{"EF with channels", "EF(" + conj + " && " + strings.Join(channels, " && ") + ")"},
		{"mutual exclusion", "AG(forall i != j: !(cs@i && cs@j))"},
	}
}

func growthTable(b *strings.Builder, pota, dir, what string, sizes []int, shape func(int) (processes, events int)) error {
	names := growing(2)
	times := make([][]float64, len(names)+1) // of reading, then of each formula
	for _, n := range sizes {
		processes, events := shape(n)
		trace := filepath.Join(dir, "growth.jsonl")
		if err := generate(pota, trace, processes, events); err != nil {
			return err
		}
		var properties strings.Builder
		for i, f := range growing(processes) {
			fmt.Fprintf(&properties, "f%d: %s\n", i, f[1])
		}
		file := filepath.Join(dir, "growth.properties")
		if err := os.WriteFile(file, []byte(properties.String()), 0o600); err != nil {
			return err
		}
		whole, _, err := median(1, pota, []string{"detect", "--quiet", "true", trace})
		if err != nil {
			return err
		}
		times[0] = append(times[0], whole.Seconds())
		elapsed, err := decided(pota, file, trace)
		if err != nil {
			return err
		}
		for i := range names {
			times[i+1] = append(times[i+1], elapsed[fmt.Sprintf("f%d", i)])
		}
	}
	fmt.Fprintf(b, "| seconds for … %s | %s | exponent |\n|---%s|--:|\n", what, joinInts(sizes), strings.Repeat("|--:", len(sizes)))
	for i, row := range times {
		name := "reading"
		if i > 0 {
			name = names[i-1][0]
		}
		fmt.Fprintf(b, "| %s |", name)
		for _, t := range row {
			fmt.Fprintf(b, " %s |", seconds(t))
		}
		fmt.Fprintf(b, " %.2f |\n", slope(sizes, row))
	}
	return nil
}

// decided returns the seconds that each property took after reading.
func decided(pota, properties, trace string) (map[string]float64, error) {
	reports, err := detect(pota, properties, trace)
	elapsed := make(map[string]float64)
	for _, r := range reports {
		elapsed[r.Name] = r.Elapsed / 1000
	}
	return elapsed, err
}

func seconds(t float64) string {
	if t == 0 {
		return ""
	}
	return strconv.FormatFloat(t, 'f', 4, 64)
}

func joinInts(sizes []int) string {
	var parts []string
	for _, n := range sizes {
		parts = append(parts, strconv.Itoa(n))
	}
	return strings.Join(parts, " | ")
}

// slope fits log(time) = a + b·log(size) and returns b.
func slope(sizes []int, times []float64) float64 {
	var n, sx, sy, sxx, sxy float64
	for i, t := range times {
		if t <= 0 {
			continue
		}
		x, y := math.Log(float64(sizes[i])), math.Log(t)
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}
