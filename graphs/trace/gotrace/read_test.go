package gotrace_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime/trace"
	"sync"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs"
	pota "github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/gotrace"
)

func read(path string, opts pota.Options) ([]pota.Execution, error) {
	source, err := pota.Open(path)
	if err != nil {
		return nil, err
	}
	return gotrace.Read(context.Background(), source, opts)
}

// readBytes reads a file called x.trace.
func readBytes(t testing.TB, text []byte, opts pota.Options) (*graphs.Computation, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "x.trace")
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
	all, err := read(name, opts)
	if err != nil {
		return nil, err
	}
	if len(all) != 1 || all[0].Name != "" {
		t.Fatalf("%d executions, the first called %q", len(all), all[0].Name)
	}
	return all[0].Computation, nil
}

// record runs a program with a trace.
func record(t testing.TB, program func(ctx context.Context)) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	program(context.Background())
	trace.Stop()
	return out.Bytes()
}

func native(t testing.TB, c *graphs.Computation) string {
	t.Helper()
	var b bytes.Buffer
	if err := pota.Write(&b, c, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// producer sends n values, and says before each what it is.
func producer(ctx context.Context, values chan<- int, n int) {
	for i := range n {
		trace.Logf(ctx, "made", "%d", i+1)
		values <- i + 1
	}
	close(values)
}

func consumer(ctx context.Context, values <-chan int, done *sync.WaitGroup) {
	defer done.Done()
	for v := range values {
		trace.Logf(ctx, "got", "%d", v)
	}
}

func TestX(t *testing.T) {
	text := record(t, func(ctx context.Context) {
		values := make(chan int)
		var done sync.WaitGroup
		done.Add(1)
		go producer(ctx, values, 3)
		go consumer(ctx, values, &done)
		done.Wait()
		ctx, task := trace.NewTask(ctx, "x")
		trace.WithRegion(ctx, "r", func() { time.Sleep(time.Millisecond) })
		task.End()
	})
	c, err := readBytes(t, text, pota.Options{Names: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(native(t, c))
}
