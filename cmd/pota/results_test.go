package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// Final answers come all and in order, however slow the reader is, and of the others the last.
func TestResultsWait(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	for round := range 8 {
		gate := make(chan struct{})
		var read strings.Builder
		all := newResults(func(text []byte) error {
			<-gate
			read.Write(text)
			return nil
		}, func(string, ...any) {})
		var finals []string
		last := make(map[string]string) // final or not
		for i := range 300 {
			key := fmt.Sprint("key", r.IntN(20))
			text, final := fmt.Sprintf("%s %d", key, i), r.IntN(3) > 0
			if last[key] = text; final {
				finals = append(finals, text)
			}
			number := uint64(0)
			if final {
				number = uint64(i + 1)
			}
			if err := all.give(key, number, []byte(text+strings.Repeat(".", r.IntN(1+round*1<<14))+"\n")); err != nil {
				t.Fatal(err)
			}
		}
		if all.written(time.Millisecond) {
			t.Error("all is written, although nobody reads")
		}
		close(gate)
		if err := all.end(nil, nil); err != nil {
			t.Fatal(err)
		}
		var got []string
		for line := range strings.Lines(read.String()) {
			got = append(got, strings.TrimRight(line, ".\n"))
		}
		given := slices.DeleteFunc(slices.Clone(got), func(text string) bool { return !slices.Contains(finals, text) })
		if !slices.Equal(given, finals) {
			t.Errorf("round %d: of %d final answers, %d came, or in another order", round, len(finals), len(given))
		}
		for key, text := range last {
			of := slices.DeleteFunc(slices.Clone(got), func(text string) bool { return !strings.HasPrefix(text, key+" ") })
			if len(of) == 0 || of[len(of)-1] != text {
				t.Errorf("round %d: %s did not come, or something after it", round, text)
			}
		}
		if all.file != nil {
			t.Error("a file is left")
		}
	}
}

// Where much waits in memory, or anything in a file, an answer replaces that before it.
func TestResultsReplaced(t *testing.T) {
	for _, before := range []int{mostOpen + 1, mostInMemory + 1} {
		writing, gate := make(chan bool, 1), make(chan bool)
		var read strings.Builder
		all := newResults(func(text []byte) error {
			select {
			case writing <- true:
			default:
			}
			<-gate
			read.Write(text)
			return nil
		}, func(string, ...any) {})
		give := func(key string, number uint64, text string) {
			if err := all.give(key, number, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		give("first", 1, "first\n")
		<-writing // and nothing else waits
		give("long", 2, strings.Repeat(".", before)+"\n")
		for i := range 3 {
			give("key", 0, fmt.Sprintf("key %d\n", i))
		}
		close(gate)
		if err := all.end(nil, nil); err != nil {
			t.Fatal(err)
		}
		if got := strings.Trim(read.String(), "."); !strings.HasSuffix(got, ".\nkey 2\n") || strings.Count(got, "key") != 1 {
			t.Errorf("after %d bytes: %q", before, got[max(0, len(got)-40):])
		}
	}
}

// Detection goes on while nobody reads what it finds.
func TestWatchSlowReader(t *testing.T) {
	t.Parallel()
	const executions = 3000 // whose answers no pipe holds
	in, feed := io.Pipe()
	results, out := io.Pipe()
	done := make(chan int, 1)
	go func() {
		status := run(t.Context(), []string{"watch", "--json", "--execution-key", "s", "--property", "never:n@P > 1"}, streams{in: in, out: out, err: io.Discard})
		out.Close()
		done <- status
	}()
	for i := range executions {
		fmt.Fprintf(feed, `{"s":"e%d","process":"P","set":{"n":%d}}`+"\n", i, i%4)
	}
	feed.Close() // all lines have been taken
	text, err := io.ReadAll(results)
	if n := strings.Count(string(text), `"final":true`); err != nil || n != executions {
		t.Errorf("%d of %d answers, %v", n, executions, err)
	}
	if status := <-done; status != int(someFails) {
		t.Errorf("status %d", status)
	}
}
