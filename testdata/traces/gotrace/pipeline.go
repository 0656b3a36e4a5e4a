//go:build ignore

// Pipeline writes an execution trace of itself to the file of its argument.
package main

import (
	"context"
	"log"
	"os"
	"runtime/trace"
	"sync"
)

// source sends numbers, each logged before it is sent.
func source(ctx context.Context, out chan<- int) {
	for i := range 20 {
		trace.Logf(ctx, "produced", "%d", i)
		out <- i
	}
	close(out)
}

// square squares each number in a region, so that the trace has regions, too.
func square(ctx context.Context, in <-chan int, out chan<- int) {
	for v := range in {
		trace.WithRegion(ctx, "square", func() { v *= v })
		trace.Logf(ctx, "squared", "%d", v)
		out <- v
	}
	close(out)
}

// sink adds numbers to a total under a lock. There are two, and the trace shows that they exclude
// each other.
func sink(ctx context.Context, in <-chan int, lock *sync.Mutex, total *int, done *sync.WaitGroup) {
	defer done.Done()
	for v := range in {
		// The log says who holds the lock: the trace has no event for one that is free.
		lock.Lock()
		trace.Log(ctx, "holds", "true")
		*total += v
		trace.Logf(ctx, "total", "%d", *total)
		trace.Log(ctx, "holds", "false")
		lock.Unlock()
	}
}

func main() {
	// The trace holds what follows, and what the runtime does for it.
	f, err := os.Create(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := trace.Start(f); err != nil {
		log.Fatal(err)
	}
	// The task tells logs of the pipeline from other logs.
	ctx, task := trace.NewTask(context.Background(), "pipeline")
	// Without buffers, each value is handed over directly, and causes what follows.
	numbers, squares := make(chan int), make(chan int)
	var lock sync.Mutex
	var done sync.WaitGroup
	total := 0
	go source(ctx, numbers)
	go square(ctx, numbers, squares)
	for range 2 {
		done.Add(1)
		go sink(ctx, squares, &lock, &total, &done)
	}
	done.Wait()
	// All is added once both sinks are done.
	trace.Logf(ctx, "result", "%d", total)
	task.End()
	trace.Stop()
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}
