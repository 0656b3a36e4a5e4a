package main

import (
	_ "embed" // the formulas
	_ "embed" // the program
	"fmt"
	"os"
	"strings"
)

// fastjson is a program that parses the lines of a file by the parser of that name, the fastest
// that takes any JSON, and does no more.
//
//go:embed fastjson.txt
var fastjson string

// A fixed version, so that figures of different days can be compared.
const fastjsonVersion = "github.com/valyala/fastjson@v1.6.10"

// reading measures runs that read a random trace of 100 processes, beside a bare pass of a parser
// over its lines.
func reading(b *bench) {
	if err := os.MkdirAll(b.file("fastjson"), 0o700); err != nil {
		b.err = err
		return
	}
	b.write("fastjson/main.go", fastjson)
	// A module of its own keeps the parser out of this one's dependencies.
	for _, args := range []string{"mod init parse", "get " + fastjsonVersion, "build -o parse"} {
		b.run(b.file("fastjson"), "go", strings.Fields(args)...)
	}
	// Many runs, as the figures are small.
	events := min(b.largest, 1_000_000)
	trace := b.simulate("random", 100, events)
	// The best of 25: both runs take well below a second.
	bare := b.best(25, b.file("fastjson/parse"), trace)
	whole := b.best(25, b.pota, "detect", "--quiet", "true", trace)

	b.row("%d events | seconds | seconds of all cores", events)
	b.WriteString("|---|--:|--:|\n")
	b.row("fastjson: a bare pass over the lines | %.2f | %.2f", bare.wall, bare.cpu)
	b.row("`pota detect true` | %.2f | %.2f", whole.wall, whole.cpu)
}

// benchstat summarizes what Go benchmarks print.
const benchstat = "golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da"

// micro runs the Go benchmarks of the parts that every detection goes through, and has benchstat
// sum them up.
func micro(b *bench) {
	const (
		// Six runs are the least for a confidence interval of 95 percent.
		flags    = "test -run ^$ -count 6 -benchtime 300ms -bench"
		names    = "^Benchmark(Read|EncodingJSON|Build|Operators|Pairs|Conjunctive|Event|SendReceive|Within)$"
		packages = "graphs graphs/trace/native graphs/trace/otlp graphs/trace/mapped graphs/trace/order slice rctl graphs/record"
	)
	args := append(strings.Fields(flags), names)
	for _, name := range strings.Fields(packages) {
		args = append(args, "./"+name)
	}
	b.write("benchmarks.txt", b.run("", "go", args...))
	b.WriteString(b.run(b.dir, "go", "run", benchstat, "benchmarks.txt"))
}

// shapes.txt has formulas of many kinds, one a line, for random traces of 100 processes.
//
//go:embed shapes.txt
var shapes string

// shapeLimit ends a run of one of shapes: its verdict is unknown then.
const shapeLimit = "120s"

// manyShapes measures runs that decide shapes on random traces, with reports of several kinds and
// with certificates, and that verify these: the seconds of all cores, as multiples of what reading
// takes.
func manyShapes(b *bench) {
	for _, events := range []int{1_000_000, 10_000_000} {
		if events > b.largest {
			break
		}
		trace := b.simulate("random", 100, events)
		reading := b.measure("detect", "--quiet", "true", trace).cpu
		fmt.Fprintf(b, "%d events; reading takes %.2f s.\n\n", events, reading)
		b.head("formula", "verdict", "text:", "`--json`:", "`--certificate`:", "`pota verify`:", "")
		certificate := b.file("shapes.cert")
		for f := range strings.Lines(shapes) {
			f = strings.TrimSpace(f)
			text := b.measure("detect", "--timeout", shapeLimit, f, trace)
			json := b.measure("detect", "--timeout", shapeLimit, "--json", f, trace)
			with := b.measure("detect", "--timeout", shapeLimit, "--certificate", certificate, f, trace)
			verify := b.measure("verify", "--timeout", shapeLimit, certificate, trace)
			b.row("`%s` | %s | %.1f | %.1f | %.1f | %.1f | %s", strings.ReplaceAll(f, "|", `\|`), text.verdict,
				text.cpu/reading, json.cpu/reading, with.cpu/reading, verify.cpu/reading, verified[verify.verdict])
		}
		b.WriteString("\n")
	}
}
