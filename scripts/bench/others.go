package main

import (
	_ "embed" // the program
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
