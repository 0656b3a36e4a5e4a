//go:build unix

// Watch sends random executions to pota watch through every input, while it is killed and
// started again, flooded with garbage and left alone by clients that vanish, and looks whether
// it tells of each what pota detect does.
//
//	go run ./scripts/soak/watch -for 20m
//	go run ./scripts/soak/watch -seed 7 -case 11
//	go run ./scripts/soak/watch -jumps
//
// A case is a run of pota watch with a journal, a limit of memory and random executions. Each
// comes by a file that grows and is rotated, in a directory; by connections of TCP, one for each
// process; by requests of HTTP; or as spans. Beside them there are clients that send garbage,
// that say nothing, and that vanish in the middle of a line. In some cases the program is killed
// at random moments, and started again; who was not told that lines were taken sends them again.
// What is checked:
//
//	answers   of every execution that has ended, each property is told once, but for those marked
//	          as told before, and is what pota detect finds in the whole execution
//	status    the exit status is 0, 1 or 3, that of the worst answer, and no more than 5 s after SIGTERM
//	crash     no panic, and nothing but notes on standard error
//	memory    at most the limit and 100 MB, as the system counts
//	health    /healthz answers at the end, and /metrics counts
//
// Seed and number decide what is sent, though not when it arrives. A finding is told, and its
// folder is kept. The exit status is 1 if something was found.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/pota-project/pota/scripts/soak/internal/cases"
)

var jumps = flag.Bool("jumps", false, "build it with a clock that is set all the while, forth and back")

func main() {
	work := cases.Begin(func(path string) error { return build(path, *jumps) })
	defer os.RemoveAll(work) //nolint:errcheck // nothing is left to do
	begun, found, n := time.Now(), 0, 0
	var sum counts
	for number, r := range cases.All() {
		n++
		c := draw(r, filepath.Join(work, "case"))
		cases.Fail(os.MkdirAll(c.dir, 0o777))
		if err := c.run(); err != nil {
			found++
			to := filepath.Join(*cases.Keep, fmt.Sprintf("watch-%d-%d", *cases.Seed, number))
			fmt.Printf("-seed %d -case %d: %v\n\tkept in %s\n", *cases.Seed, number, err, to)
			cases.Fail(os.MkdirAll(*cases.Keep, 0o777))
			cases.Fail(exec.Command("cp", "-r", c.dir, to).Run())
		}
		sum.add(c.counts)
		cases.Fail(os.RemoveAll(c.dir))
	}
	fmt.Println(sum)
	fmt.Printf("%d runs in %s, seed %d: %d findings\n", n, time.Since(begun).Round(time.Second), *cases.Seed, found)
	if found > 0 {
		os.RemoveAll(work) //nolint:errcheck // nothing is left to do
		os.Exit(1)
	}
}

// counts are what came of cases.
type counts struct{ executions, events, answers, kills, repeated, again int }

func (c *counts) add(d counts) {
	c.executions += d.executions
	c.events += d.events
	c.answers += d.answers
	c.kills += d.kills
	c.repeated += d.repeated
	c.again += d.again
}

func (c counts) String() string {
	return fmt.Sprintf("%d executions, %d events, %d answers, %d kills, %d answers marked as repeated, %d lines sent again", c.executions, c.events, c.answers, c.kills, c.repeated, c.again)
}
