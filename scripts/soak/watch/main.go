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
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

var (
	length = flag.Duration("for", 20*time.Minute, "how long")
	seed   = flag.Uint64("seed", uint64(time.Now().UnixNano()), "decides all cases")
	only   = flag.Int("case", -1, "run this case alone")
	keep   = flag.String("keep", filepath.Join(os.TempDir(), "pota-soak"), "the folder for findings")
	binary = flag.String("pota", "", "the program to test; empty builds it")
	jumps  = flag.Bool("jumps", false, "build it with a clock that is set all the while, forth and back")
)

func main() {
	flag.Parse()
	work, err := os.MkdirTemp("", "pota-soak-")
	fail(err)
	defer os.RemoveAll(work) //nolint:errcheck // nothing is left to do
	if *binary == "" {
		*binary = filepath.Join(work, "pota")
		fail(build(*binary, *jumps))
	}
	*binary, err = filepath.Abs(*binary)
	fail(err)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	begun, found, n := time.Now(), 0, 0
	var sum counts
	for ; ctx.Err() == nil && (*only < 0 && time.Since(begun) < *length || *only >= 0 && n == 0); n++ {
		number := n
		if *only >= 0 {
			number = *only
		}
		c := draw(rand.New(rand.NewPCG(*seed, uint64(number))), filepath.Join(work, "case"))
		fail(os.MkdirAll(c.dir, 0o777))
		if err := c.run(); err != nil {
			found++
			to := filepath.Join(*keep, fmt.Sprintf("watch-%d-%d", *seed, number))
			fmt.Printf("-seed %d -case %d: %v\n\tkept in %s\n", *seed, number, err, to)
			fail(os.MkdirAll(*keep, 0o777))
			fail(exec.Command("cp", "-r", c.dir, to).Run())
		}
		sum.add(c.counts)
		fail(os.RemoveAll(c.dir))
	}
	fmt.Println(sum)
	fmt.Printf("%d runs in %s, seed %d: %d findings\n", n, time.Since(begun).Round(time.Second), *seed, found)
	if found > 0 {
		os.RemoveAll(work) //nolint:errcheck // nothing is left to do
		os.Exit(1)
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(2)
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
