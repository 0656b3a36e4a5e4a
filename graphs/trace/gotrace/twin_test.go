package gotrace_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs/graphtest"

	"runtime/trace"

	library "golang.org/x/exp/trace"

	"github.com/pota-project/pota/graphs"
	pota "github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
)

func eventsOf(t testing.TB, text []byte) []library.Event {
	t.Helper()
	r, err := library.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var all []library.Event
	for {
		e, err := r.ReadEvent()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
}

// functions returns the function with which each goroutine started: the root of its first stack.
func functions(all []library.Event) map[library.GoID]string {
	names := make(map[library.GoID]string)
	note := func(g library.GoID, stack library.Stack) {
		if names[g] == "" && g != library.NoGoroutine {
			for f := range stack.Frames() {
				names[g] = f.Func
			}
		}
	}
	for _, e := range all {
		note(e.Goroutine(), e.Stack())
		if e.Kind() == library.EventStateTransition && e.StateTransition().Resource.Kind == library.ResourceGoroutine {
			st := e.StateTransition()
			note(st.Resource.Goroutine(), st.Stack)
		}
	}
	return names
}

func ofRuntime(function string) bool {
	return strings.HasPrefix(function, "runtime.") && function != "runtime.main" || strings.HasPrefix(function, "runtime/trace.")
}

func short(function string) string { return function[strings.LastIndex(function, "/")+1:] }

// count counts the events of each function, solely from the states that goroutines leave and enter.
// It is right for traces in which no goroutine of the runtime speaks and only the first goroutine
// is older than the trace.
func count(t testing.TB, text []byte) map[string]int {
	all := eventsOf(t, text)
	names := functions(all)
	counts := make(map[string]int)
	add := func(g library.GoID) {
		if g != library.NoGoroutine && !ofRuntime(names[g]) {
			counts[short(names[g])]++
		}
	}
	reason := make(map[library.GoID]string)
	waited := make(map[library.GoID]bool) // goroutines that have waited or are new
	for _, e := range all {
		switch e.Kind() {
		case library.EventLog, library.EventRegionBegin, library.EventRegionEnd, library.EventTaskBegin, library.EventTaskEnd:
			add(e.Goroutine())
		case library.EventStateTransition:
			st := e.StateTransition()
			if st.Resource.Kind != library.ResourceGoroutine {
				continue
			}
			g := st.Resource.Goroutine()
			from, to := st.Goroutine()
			ours := !strings.HasPrefix(reason[g], "GC ") && reason[g] != "preempted" && reason[g] != "wait until GC ends" && reason[g] != "system goroutine wait"
			switch fmt.Sprint(from, to) {
			case "NotExist Runnable", "NotExistRunnable":
				waited[g] = true
				if !ofRuntime(names[g]) {
					add(e.Goroutine())
				}
			case "RunningWaiting", "Running Waiting":
				reason[g] = st.Reason
				if !strings.HasPrefix(st.Reason, "GC ") && st.Reason != "preempted" && st.Reason != "wait until GC ends" && st.Reason != "system goroutine wait" {
					add(g)
				}
			case "WaitingRunnable", "Waiting Runnable":
				if ours {
					waited[g] = true
					if !ofRuntime(names[g]) && reason[g] != "sleep" && reason[g] != "network" {
						add(e.Goroutine())
					}
				}
			case "RunnableRunning", "Runnable Running":
				if waited[g] {
					add(g)
				}
				waited[g] = false
			case "RunningNotExist", "Running NotExist":
				add(g)
			}
		}
	}
	return counts
}

// happening is an event of the twin.
type happening struct {
	g      library.GoID
	label  string
	target library.GoID
	after  []int
}

// twin tracks goroutines with maps and strings, and describes the result: events with the events
// that they come after.
func twin(t testing.TB, text []byte) []string {
	all := eventsOf(t, text)
	names := functions(all)
	speaks := make(map[library.GoID]bool)
	var list []happening
	add := func(g library.GoID, label string, target library.GoID, after ...int) int {
		list = append(list, happening{g, label, target, slices.Clone(after)})
		return len(list) - 1
	}
	cause := make(map[library.GoID][]int) // by goroutine: the causes of its next event
	rises := make(map[library.GoID]string)
	asleep := make(map[library.GoID]int)
	reason := make(map[library.GoID]string)
	begun := make(map[library.TaskID]int)
	for _, e := range all {
		g := e.Goroutine()
		of := func(id library.TaskID) []int {
			if b, ok := begun[id]; ok && list[b].g != g {
				for _, h := range list[b+1:] {
					if h.g == g && slices.Contains(h.after, b) {
						return nil
					}
				}
				return []int{b}
			}
			return nil
		}
		switch e.Kind() {
		case library.EventLog:
			l := e.Log()
			label := l.Message
			if l.Category != "" {
				label = l.Category + ": " + l.Message
			}
			speaks[g] = true
			add(g, label, -1, of(l.Task)...)
		case library.EventRegionBegin, library.EventRegionEnd:
			speaks[g] = true
			add(g, fmt.Sprintf("region %s %s", e.Region().Type, map[bool]string{true: "begins", false: "ends"}[e.Kind() == library.EventRegionBegin]), -1, of(e.Region().Task)...)
		case library.EventTaskBegin:
			speaks[g] = true
			begun[e.Task().ID] = add(g, fmt.Sprintf("task %s begins", e.Task().Type), -1, of(e.Task().Parent)...)
		case library.EventTaskEnd:
			speaks[g] = true
			add(g, fmt.Sprintf("task %s ends", e.Task().Type), -1, of(e.Task().ID)...)
			delete(begun, e.Task().ID)
		case library.EventStateTransition:
			st := e.StateTransition()
			if st.Resource.Kind != library.ResourceGoroutine {
				continue
			}
			h := st.Resource.Goroutine()
			from, to := st.Goroutine()
			why := reason[h]
			runtimes := strings.HasPrefix(why, "GC ") || slices.Contains([]string{"preempted", "wait until GC ends", "wait for debug call", "system goroutine wait"}, why)
			switch {
			case from == to:
			case from == library.GoNotExist:
				rises[h] = "starts"
				if g != library.NoGoroutine {
					cause[h] = []int{add(g, "go", h)}
				}
			case to == library.GoNotExist:
				add(h, "ends", -1)
			case to == library.GoWaiting:
				reason[h] = st.Reason
				delete(asleep, h)
				if r := st.Reason; from == library.GoRunning && !strings.HasPrefix(r, "GC ") && !slices.Contains([]string{"preempted", "wait until GC ends", "wait for debug call", "system goroutine wait"}, r) {
					asleep[h] = add(h, "blocks: "+r, -1)
				}
			case from == library.GoWaiting && !runtimes:
				if rises[h] == "" {
					rises[h] = "continues"
				}
				if g != library.NoGoroutine && why != "sleep" && why != "network" {
					var after []int
					if b, ok := asleep[h]; ok {
						after = []int{b}
					}
					cause[h] = append(cause[h], add(g, "unblocks", h, after...))
				}
			case from == library.GoRunnable && to == library.GoRunning && rises[h] != "":
				add(h, rises[h], -1, cause[h]...)
				delete(rises, h)
				delete(cause, h)
			}
		}
	}
	left := func(g library.GoID) bool { return !speaks[g] && ofRuntime(names[g]) }
	process := func(g library.GoID) string {
		name := short(names[g])
		if name == "" {
			name = "goroutine"
		}
		return fmt.Sprintf("%s#%d", name, g)
	}
	ids := make(map[int]string)
	position := make(map[library.GoID]int)
	var lines []string
	for i, e := range list {
		acts := e.label == "go" || e.label == "unblocks"
		if left(e.g) || acts && left(e.target) {
			continue
		}
		position[e.g]++
		ids[i] = fmt.Sprintf("%s:%d", process(e.g), position[e.g])
		if acts {
			e.label += " " + process(e.target)
		}
		line := ids[i] + " " + e.label
		var after []string
		for _, b := range e.after {
			if id, ok := ids[b]; ok && list[b].g != e.g {
				after = append(after, id)
			}
		}
		slices.Sort(after)
		for _, id := range slices.Compact(after) {
			line += " after " + id
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

// describe describes a computation in the same way.
func describe(c *graphs.Computation) []string {
	var lines []string
	for e := graphs.Event(1); e < c.Top(); e++ {
		line := c.ID(e) + " " + c.Label(e)
		var after []string
		for _, f := range c.Preds(e) {
			after = append(after, c.ID(f))
		}
		slices.Sort(after)
		for _, id := range after {
			line += " after " + id
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

// sleep is a wait that a trace shows: no goroutine ends it.
var sleep = time.Sleep

// random runs a program of goroutines whose actions a seed determines.
func random(ctx context.Context, r *rand.Rand) {
	var lock sync.Mutex
	unbuffered, buffered := make(chan int), make(chan int, 2)
	var done sync.WaitGroup
	var act func(ctx context.Context, r *rand.Rand, depth int)
	act = func(ctx context.Context, r *rand.Rand, depth int) {
		defer done.Done()
		for range r.IntN(8) {
			switch r.IntN(8) {
			case 0:
				select {
				case unbuffered <- 1:
				case <-unbuffered:
				case <-time.NewTimer(time.Duration(r.IntN(300)) * time.Microsecond).C:
				}
			case 1:
				select {
				case buffered <- 1:
				case <-buffered:
				}
			case 2:
				lock.Lock()
				sleep(time.Duration(r.IntN(100)) * time.Microsecond)
				lock.Unlock()
			case 3:
				if depth < 3 {
					done.Add(1)
					seed := r.Uint64()
					go act(ctx, rand.New(rand.NewPCG(seed, seed)), depth+1)
				}
			case 4:
				trace.Logf(ctx, []string{"x", "y", ""}[r.IntN(3)], "%d", r.IntN(10))
			case 5:
				trace.WithRegion(ctx, "region"+fmt.Sprint(r.IntN(3)), func() { sleep(time.Microsecond) })
			case 6:
				var task *trace.Task
				ctx, task = trace.NewTask(ctx, "task"+fmt.Sprint(r.IntN(3)))
				if r.IntN(2) == 0 {
					done.Add(1)
					go func() { defer done.Done(); task.End() }()
				}
			case 7:
				_ = make([]byte, 1<<16)
			}
		}
	}
	for range 1 + r.IntN(4) {
		done.Add(1)
		seed := r.Uint64()
		go act(ctx, rand.New(rand.NewPCG(seed, seed)), 0)
	}
	done.Wait()
}

func compare(t *testing.T, name string, text []byte) {
	t.Helper()
	got, want := describe(readGood(t, text)), twin(t, text)
	if !slices.Equal(got, want) {
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Errorf("%s: got  %s\nwant %s", name, got[i], want[i])
				break
			}
		}
		t.Fatalf("%s: %d events, want %d", name, len(got), len(want))
	}
}

func TestTwin(t *testing.T) {
	compare(t, "sample", graphtest.Uncompressed(t, sample))
	r := rand.New(rand.NewPCG(1, 2))
	events := 0
	for i := range graphtest.Rounds(t, 15) {
		text := record(t, func(ctx context.Context) {
			for range 15 {
				random(ctx, r)
			}
		})
		compare(t, fmt.Sprint("program ", i), text)
		events += len(describe(readGood(t, text)))
	}
	t.Logf("%d events", events)
}

// FuzzRead corrupts a small trace: at most 64 places, given with the replacements.
func FuzzRead(f *testing.F) {
	good := record(f, func(ctx context.Context) {
		random(ctx, rand.New(rand.NewPCG(3, 4)))
		trace.Log(ctx, "x", "1")
	})
	f.Add(good, false)
	f.Add(good[:len(good)/2], true)
	r := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		spoilt := slices.Clone(good)
		for range 1 + r.IntN(3) {
			spoilt[16+r.IntN(len(spoilt)-16)] = byte(r.Uint32())
		}
		f.Add(spoilt, r.IntN(2) == 0)
	}
	f.Add([]byte("go 1.22 trace\x00\x00\x00\x01\x01\x01\x01\x00"), true)
	f.Fuzz(func(t *testing.T, text []byte, truncated bool) {
		if len(text) > 1<<17 {
			return
		}
		opts := pota.Options{Names: true, AllowTruncated: truncated}
		c, err := readBytes(t, text, opts)
		if err != nil {
			var e *pota.Error
			if !errors.As(err, &e) || strings.ContainsAny(e.Msg, "\r\n") {
				t.Fatalf("%T %q", err, err)
			}
			return
		}
		written := inNative(t, c)
		again, err := readBytes(t, text, opts)
		if err != nil || inNative(t, again) != written {
			t.Fatalf("two readings differ: %v", err)
		}
		n, err := native.ReadFile(context.Background(), write(t, "x.jsonl", []byte(written)), pota.Options{Names: true})
		if err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		if inNative(t, n) != written {
			t.Fatal("natively it is another trace")
		}
	})
}
