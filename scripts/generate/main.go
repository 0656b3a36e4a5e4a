// Command generate writes random traces in the native format, for measuring.
//
//	go run ./scripts/generate -processes 100 -events 1000000 -seed 1 -o FILE
//
// Processes P0, P1, … take turns at random. An event may enter or leave the process's critical
// section (the boolean variable cs), set its number x, send a message to a process drawn at
// random and receive one of those on their way to it. A message under way is received sooner
// or later, in any order, if the trace goes on. The critical sections of two processes are
// concurrent when no chain of messages separates them, and
//
//	EF(cs@P0 && cs@P1 && … )
//
// asks for one that all are in at once. The output depends on the flags alone; the
// memory needed does not depend on the number of events.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
)

func main() {
	var g generator
	flag.IntVar(&g.processes, "processes", 100, "number of processes")
	flag.IntVar(&g.events, "events", 1_000_000, "number of events")
	flag.Float64Var(&g.messages, "messages", 0.2, "the share of events that send a message")
	flag.Float64Var(&g.enter, "enter", 0.1,
		"the share of events outside the critical section that enter it")
	flag.Float64Var(&g.leave, "leave", 0.3, "the share of events inside that leave it")
	flag.Float64Var(&g.numbers, "numbers", 0.9, "the share of the other events that set x")
	seed := flag.Uint64("seed", 1, "seed of the random numbers")
	file := flag.String("o", "-", "file to write, - for standard output")
	flag.Parse()
	if err := g.check(); err != nil {
		fail(err)
	}
	// The second word of the seed is fixed, so that the flag alone decides the trace.
	g.random = rand.New(rand.NewPCG(*seed, 0))
	if err := write(*file, &g); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "generate:", err)
	os.Exit(2)
}

func write(file string, g *generator) error {
	if file == "-" {
		return g.run(os.Stdout)
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	// An error of writing comes before one of closing.
	if err := g.run(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// maxWaiting is how many messages may be on their way to one process.
const maxWaiting = 16

type generator struct {
	processes, events int
	messages          float64
	enter, leave      float64
	numbers           float64
	random            *rand.Rand

	inside  []bool  // cs of each process
	waiting [][]int // numbers of the messages on their way to each
	sent    int
	line    []byte
}

func (g *generator) check() error {
	if g.processes < 1 || g.events < 0 {
		return fmt.Errorf("%d processes and %d events are too few", g.processes, g.events)
	}
	for _, share := range []float64{g.messages, g.enter, g.leave, g.numbers} {
		if share < 0 || share > 1 {
			return fmt.Errorf("%g is no share of events: it is between 0 and 1", share)
		}
	}
	return nil
}

func (g *generator) run(out io.Writer) error {
	// A buffer for the whole output, as lines are short.
	w := bufio.NewWriterSize(out, 1<<16)
	g.inside = make([]bool, g.processes)
	g.waiting = make([][]int, g.processes)
	for p := range g.processes {
		fmt.Fprintf(w, "{\"process\":\"P%d\",\"init\":{\"cs\":false,\"x\":0}}\n", p)
	}
	for range g.events {
		g.event(g.random.IntN(g.processes))
		if _, err := w.Write(g.line); err != nil {
			return err
		}
	}
	return w.Flush()
}

// event writes an event of process p to line.
func (g *generator) event(p int) {
	g.line = append(g.line[:0], `{"process":"P`...)
	g.line = append(strconv.AppendInt(g.line, int64(p), 10), '"')
	g.set(p)
	// A message is received at the latest when the channel is full, so memory is bounded.
	if n := len(g.waiting[p]); n > 0 && (g.random.IntN(3) == 0 || n == maxWaiting) {
		g.receive(p, g.random.IntN(n))
	}
	if g.processes > 1 && g.random.Float64() < g.messages {
		g.send(p)
	}
	g.line = append(g.line, '}', '\n')
}

func (g *generator) set(p int) {
	toggle := g.enter
	if g.inside[p] {
		toggle = g.leave
	}
	// cs and x are set in different events, as most programs do.
	switch {
	case g.random.Float64() < toggle:
		g.inside[p] = !g.inside[p]
		g.line = append(g.line, `,"set":{"cs":`...)
		g.line = append(strconv.AppendBool(g.line, g.inside[p]), '}')
	case g.random.Float64() < g.numbers:
		g.line = append(g.line, `,"set":{"x":`...)
		g.line = append(strconv.AppendInt(g.line, int64(g.random.IntN(10)), 10), '}')
	}
}

func (g *generator) receive(p, i int) {
	// The last message takes its place: O(1), as messages are received in any order.
	w := g.waiting[p]
	g.line = append(g.line, `,"recv":"m`...)
	g.line = append(strconv.AppendInt(g.line, int64(w[i]), 10), '"')
	w[i] = w[len(w)-1]
	g.waiting[p] = w[:len(w)-1]
}

func (g *generator) send(p int) {
	q := g.random.IntN(g.processes - 1)
	// The process itself is left out of the draw.
	if q >= p {
		q++
	}
	if len(g.waiting[q]) == maxWaiting {
		return
	}
	g.sent++
	g.waiting[q] = append(g.waiting[q], g.sent)
	g.line = append(g.line, `,"send":"m`...)
	g.line = append(strconv.AppendInt(g.line, int64(g.sent), 10), '"')
}
