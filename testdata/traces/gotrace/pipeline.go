//go:build ignore

// Pipeline writes an execution trace of itself to the file that it is given.
package main

import (
	"context"
	"log"
	"os"
	"runtime/trace"
	"sync"
)

func source(ctx context.Context, out chan<- int) {
	for i := range 20 {
		trace.Logf(ctx, "produced", "%d", i)
		out <- i
	}
	close(out)
}

func square(ctx context.Context, in <-chan int, out chan<- int) {
	for v := range in {
		trace.WithRegion(ctx, "square", func() { v *= v })
		trace.Logf(ctx, "squared", "%d", v)
		out <- v
	}
	close(out)
}

func sink(ctx context.Context, in <-chan int, lock *sync.Mutex, total *int, done *sync.WaitGroup) {
	defer done.Done()
	for v := range in {
		lock.Lock()
		trace.Log(ctx, "holds", "true")
		*total += v
		trace.Logf(ctx, "total", "%d", *total)
		trace.Log(ctx, "holds", "false")
		lock.Unlock()
	}
}

func main() {
	f, err := os.Create(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := trace.Start(f); err != nil {
		log.Fatal(err)
	}
	ctx, task := trace.NewTask(context.Background(), "pipeline")
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
	trace.Logf(ctx, "result", "%d", total)
	task.End()
	trace.Stop()
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}
