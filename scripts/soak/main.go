//go:build unix

// Soak gives the program random hostile input through every command, and checks its behaviour
// rather than its answers: nothing crashes, lies about its exit status, outlives or outgrows its
// limits, obeys its input, or leaves something behind.
//
//	go run ./scripts/soak -for 20m
//	go run ./scripts/soak -seed 7 -case 4711
//
// A case is a command with files of its own: a trace of any format, mutated; formulas, mappings and
// files of causality, random or mutated; random limits; sometimes a signal after a random time. Seed and number decide a case; -case repeats one. What is checked:
//
//	status    the exit status is 0, 1, 2 or 3, and there is a message with 2 and 3
//	crash     no panic, no stack trace of goroutines, no message about a bug
//	text      nothing that a terminal, or a log of continuous integration, would obey
//	results   standard output has what the format promises, and nothing else
//	time      at most the limit, a tenth more, and -slack; two seconds after a signal
//	memory    at most the limit and 100 MB, as the system counts
//	output    the file of -o is whole when the command is done, and untouched otherwise
//	left      no other file is left, neither beside the input nor among temporary files
//
// A finding is repeated, made smaller, and kept with its files in a folder of its own below
// -keep; the command is printed. What exceeds a limit of time or memory has to do so three
// times. Of findings that look the same, the first is kept. The exit status is 1 if something
// was found.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/pota-project/pota/scripts/soak/internal/cases"
)

var (
	slack = flag.Duration("slack", time.Second,
		"how much longer than its limit, and a tenth, a command may take: more on a busy machine")
	shrink = flag.Duration("shrink", time.Minute, "how long to make a finding smaller")
)

// main tries cases until the time is over, makes each new kind of finding smaller, and counts the
// rest.
func main() {
	work := cases.Begin(func(path string) error { return cases.Build(path) })
	defer os.RemoveAll(work)
	samples, err := readSamples("testdata")
	cases.Fail(err)
	r := &runner{dir: filepath.Join(work, "case"), ends: make(map[string][5]int)}
	g := &generator{samples: samples}
	begun, last := time.Now(), time.Duration(0)
	found := make(map[string]int)
	n := 0
	for number, random := range cases.All() {
		n++
		g.Rand = random
		c := g.draw()
		f := r.confirmed(c)
		if f == nil {
			continue
		}
		last = time.Since(begun)
		found[f.key()]++
		// Making findings smaller takes long, so only the first of a kind is.
		if found[f.key()] > 1 {
			continue
		}
		c, f = r.smaller(c, f)
		to := filepath.Join(*cases.Keep, fmt.Sprintf("%s-%d-%d", f.kind, *cases.Seed, number))
		cases.Fail(c.write(to))
		fmt.Printf("-seed %d -case %d: %s: %s\n\tcd %s; %s\n", *cases.Seed, number, f.kind, f.text,
			to, c)
	}
	total := 0
	for _, k := range found {
		total += k
	}
	fmt.Println(r)
	fmt.Printf("%d commands in %s, seed %d: %d findings of %d kinds", n,
		time.Since(begun).Round(time.Second), *cases.Seed, total, len(found))
	if total > 0 {
		fmt.Printf(", the last after %s\n", last.Round(time.Second))
		os.RemoveAll(work)
		os.Exit(1)
	}
	fmt.Println()
}
