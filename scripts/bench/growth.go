package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// growth measures how the time to decide grows with the events and with the processes of random
// traces, and fits the exponent of each formula: the slope of log(time) over log(size), by least
// squares.
func growth(b *bench) {
	// At least two sizes remain, as a slope needs two points.
	events := slices.DeleteFunc([]int{10_000, 100_000, 1_000_000, 10_000_000}, func(n int) bool {
		return n > max(b.largest, 100_000)
	})
	b.growthTable("events", events, func(n int) (processes, size int) { return 100, n })
	b.WriteString("\n")
	size := min(b.largest, 1_000_000)
	b.growthTable("processes", []int{10, 100, 1000}, func(n int) (int, int) { return n, size })
}

// overAll are formulas over all processes, however many there are.
var overAll = []string{
	"true",
	"EF(forall i: x@i == 3)",
	"AG(forall i != j: !(x@i == 3 && x@j == 3))",
	"EF((count i: x@i == 3) >= 2)",
	"AG(EF(forall i: x@i == 3))",
}

// manyProcesses measures runs on as many events of more and more processes: the seconds of all
// cores and the peak of memory, each also as a multiple of the figure for the first size.
func manyProcesses(b *bench) {
	sizes := []int{100, 1000, 10_000, 100_000}
	b.head(append([]string{"whole run on … processes"}, numbers(sizes)...)...)
	cells := make([]string, len(overAll))
	// The figures for the first size, to which the others are put in relation.
	first := make([]measure, len(overAll))
	// All formulas are measured on one trace, and then on the next: the larger ones are
	// made once.
	for i, n := range sizes {
		trace := b.simulate("random", n, min(b.largest, 1_000_000))
		for j, f := range overAll {
			m := b.measure("detect", "--quiet", f, trace)
			if i == 0 {
				first[j] = m
			}
			cells[j] += fmt.Sprintf(" | %.2f s (%.1f), %.0f MB (%.1f)", m.cpu, m.cpu/first[j].cpu, m.peak/1e6, m.peak/first[j].peak)
		}
	}
	for j, f := range overAll {
		b.row("`%s`%s", f, cells[j])
	}
}

// numbers writes numbers as the heads of columns of numbers.
func numbers(sizes []int) (columns []string) {
	for _, n := range sizes {
		columns = append(columns, strconv.Itoa(n)+":")
	}
	return columns
}

// growing are the formulas that growth measures, over all of n processes, with their names.
func growing(n int) [][2]string {
	// Ten channels are enough to see what they cost; each has a process of its own.
	var all, channels []string
	for i := range n {
		all = append(all, fmt.Sprintf("cs@P%d", i))
		if i > 0 && i <= 10 {
			channels = append(channels, fmt.Sprintf("transit(P0, P%d) <= 3", i))
		}
	}
	// cs is true in few states, so the conjunction of all is false in nearly all cuts.
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

// growthTable measures reading, and each of growing, on traces of several sizes.
func (b *bench) growthTable(what string, sizes []int, shape func(int) (processes, events int)) {
	// Reading comes first: all runs contain it.
	names := []string{"reading"}
	for _, f := range growing(2) {
		names = append(names, f[0])
	}
	times := make([][]float64, len(names))
	for _, n := range sizes {
		processes, events := shape(n)
		trace := b.simulate("random", processes, events)
		// The whole run, as "true" needs no decision.
		times[0] = append(times[0], b.best(1, b.pota, "detect", "--quiet", "true", trace).wall)
		// All formulas are decided in one run, so that each trace is read once.
		var properties strings.Builder
		for i, f := range growing(processes) {
			fmt.Fprintf(&properties, "f%d: %s\n", i, f[1])
		}
		// Reports give the time after reading, in milliseconds.
		for i, r := range b.reports("detect", "--json", "-f", b.write("properties", properties.String()), trace) {
			times[i+1] = append(times[i+1], r.Elapsed/1000)
		}
	}

	b.slopes(what, names, sizes, times)
}

// slopes writes a table with a row of seconds for each name, one for each size, and the exponent.
func (b *bench) slopes(what string, names []string, sizes []int, times [][]float64) {
	b.head(slices.Concat([]string{"seconds for … " + what}, numbers(sizes), []string{"exponent:"})...)
	for i, row := range times {
		text := names[i]
		for _, t := range row {
			text += fmt.Sprintf(" | %.4f", t)
		}
		b.row("%s | %.2f", text, slope(sizes, row))
	}
}

// slope fits log(time) = a + b·log(size) and returns b.
func slope(sizes []int, times []float64) float64 {
	var n, sx, sy, sxx, sxy float64
	for i, t := range times {
		if t <= 0 {
			// A time below the resolution of the clock has no logarithm.
			continue
		}
		x, y := math.Log(float64(sizes[i])), math.Log(t)
		// Sums of the normal equations.
		n++
		sx += x
		sy += y
		sxx += x * x
		sxy += x * y
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}
