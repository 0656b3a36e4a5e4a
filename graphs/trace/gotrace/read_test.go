package gotrace_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"runtime/trace"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	pota "github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/gotrace"
	"github.com/pota-project/pota/graphs/trace/native"
)

func read(path string, opts pota.Options) ([]pota.Execution, error) {
	source, err := pota.Open(path)
	if err != nil {
		return nil, err
	}
	return gotrace.Read(context.Background(), source, opts)
}

// dir is where tests write.
var dir string

func TestMain(m *testing.M) {
	var err error
	if dir, err = os.MkdirTemp("", "gotrace"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func write(t testing.TB, name string, text []byte) string {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// readBytes reads a file called x.trace.
func readBytes(t testing.TB, text []byte, opts pota.Options) (*graphs.Computation, error) {
	t.Helper()
	all, err := read(write(t, "x.trace", text), opts)
	if err != nil {
		return nil, err
	}
	if len(all) != 1 || all[0].Name != "" {
		t.Fatalf("%d executions, the first called %q", len(all), all[0].Name)
	}
	return all[0].Computation, nil
}

func readGood(t testing.TB, text []byte) *graphs.Computation {
	t.Helper()
	c, err := readBytes(t, text, pota.Options{Names: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// record runs a program and returns its trace.
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

func inNative(t testing.TB, c *graphs.Computation) string {
	t.Helper()
	var b bytes.Buffer
	if err := native.Write(&b, c, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// find returns the event with that label of the process whose name has that prefix.
func find(t testing.TB, c *graphs.Computation, process, label string) graphs.Event {
	t.Helper()
	for p, name := range c.Processes() {
		if !strings.HasPrefix(name, process+"#") {
			continue
		}
		for k := range c.Len(p) {
			if e := c.Event(p, k+1); c.Label(e) == label {
				return e
			}
		}
	}
	t.Fatalf("no event %q of %s:\n%s", label, process, inNative(t, c))
	return 0
}

// before reports whether one event happened before another: whether the least cut with the second
// event contains the first.
func before(c *graphs.Computation, e, f graphs.Event) bool {
	seen := map[graphs.Event]bool{f: true}
	for queue := []graphs.Event{f}; len(queue) > 0; queue = queue[1:] {
		g := queue[0]
		next := c.Preds(g)
		if k := c.Position(g); k > 1 {
			next = append(slices.Clone(next), c.Event(c.Process(g), k-1))
		}
		for _, h := range next {
			if h == e {
				return true
			}
			if !seen[h] {
				seen[h] = true
				queue = append(queue, h)
			}
		}
	}
	return false
}

// waits returns when n goroutines in that function are waiting.
func waits(function string, n int) {
	buf := make([]byte, 1<<20)
	for {
		waiting := 0
		for _, g := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			state, stack, _ := strings.Cut(g, "\n")
			if strings.Contains(stack, "gotrace_test."+function+"(") && !strings.Contains(state, "[run") && !strings.Contains(state, "[syscall") {
				waiting++
			}
		}
		if waiting == n {
			return
		}
		runtime.Gosched()
	}
}

func producer(ctx context.Context, values chan<- int, n int) {
	for i := range n {
		trace.Logf(ctx, "made", "%d", i)
		values <- i
	}
	close(values)
}

func consumer(ctx context.Context, values <-chan int, done *sync.WaitGroup) {
	defer done.Done()
	for v := range values {
		trace.Logf(ctx, "got", "%d", v)
	}
}

// A channel without a buffer: one of the two goroutines waits for the other, whichever it is.
func TestChannel(t *testing.T) {
	const n = 50
	c := readGood(t, record(t, func(ctx context.Context) {
		values := make(chan int)
		var done sync.WaitGroup
		done.Add(1)
		go producer(ctx, values, n)
		go consumer(ctx, values, &done)
		done.Wait()
		trace.Log(ctx, "over", "true")
	}))
	over := find(t, c, "testing.tRunner", "over: true")
	for i := range n {
		made := find(t, c, "gotrace_test.producer", fmt.Sprintf("made: %d", i))
		got := find(t, c, "gotrace_test.consumer", fmt.Sprintf("got: %d", i))
		if !before(c, made, got) {
			t.Errorf("%d is got before it is made", i)
		}
		if before(c, got, made) {
			t.Errorf("%d is got only after it is made, and the other way round", i)
		}
		if i+2 < n {
			later := find(t, c, "gotrace_test.producer", fmt.Sprintf("made: %d", i+2))
			if !before(c, got, later) {
				t.Errorf("%d is not got before %d is made", i, i+2)
			}
		}
		if !before(c, got, over) {
			t.Errorf("all is over before %d is got", i)
		}
	}
	for _, name := range []string{"gotrace_test.producer", "gotrace_test.consumer"} {
		start := find(t, c, name, "starts")
		created := find(t, c, "testing.tRunner", "go "+c.Processes()[c.Process(start)])
		if !slices.Contains(c.Preds(start), created) {
			t.Errorf("%s does not start after it is created", name)
		}
		if e := find(t, c, name, "ends"); c.Position(e) != c.Len(c.Process(e)) {
			t.Errorf("%s goes on after its end", name)
		}
	}
	if c.LowerBound() == "" {
		t.Error("causality is no lower bound")
	}
	v := c.VariablesNamed("got")
	if len(v) != 1 || v[0].Kind != graphs.Number || v[0].Len() != n || v[0].Value(7).Int64() != 7 {
		t.Errorf("got is %+v", v)
	}
	if _, err := time.Parse(`"`+time.RFC3339Nano+`"`, c.Time(over)); err != nil {
		t.Error(err)
	}
	for _, name := range c.Processes() {
		if strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "trace.") {
			t.Errorf("%s is a process", name)
		}
	}
}

func waiter(ctx context.Context, lock *sync.Mutex, ready chan<- bool, done *sync.WaitGroup) {
	defer done.Done()
	ready <- true
	lock.Lock()
	trace.Log(ctx, "holds", "true")
	lock.Unlock()
}

// A lock that is handed to the goroutine that waits for it.
func TestMutex(t *testing.T) {
	c := readGood(t, record(t, func(ctx context.Context) {
		var lock sync.Mutex
		var done sync.WaitGroup
		ready := make(chan bool)
		done.Add(1)
		lock.Lock()
		go waiter(ctx, &lock, ready, &done)
		<-ready
		waits("waiter", 1)
		trace.Log(ctx, "held", "true")
		lock.Unlock()
		done.Wait()
	}))
	held, holds := find(t, c, "testing.tRunner", "held: true"), find(t, c, "gotrace_test.waiter", "holds: true")
	if !before(c, held, holds) {
		t.Error("the lock is not handed over")
	}
	if v := c.VariablesNamed("holds"); len(v) != 1 || v[0].Kind != graphs.Bool || !v[0].Value(0).Bool() {
		t.Errorf("holds is %+v", v)
	}
}

func worker(ctx context.Context, i int, gate <-chan bool, done *sync.WaitGroup) {
	<-gate
	waits("TestWaitGroup.func1", 1) // otherwise, nobody needs to be unblocked
	trace.Logf(ctx, "i", "%d", i)
	done.Done()
}

// A goroutine that waits for a group is unblocked by the last worker. The workers wait for a
// channel that is closed.
func TestWaitGroup(t *testing.T) {
	c := readGood(t, record(t, func(ctx context.Context) {
		var done sync.WaitGroup
		gate := make(chan bool)
		for i := range 3 {
			done.Add(1)
			go worker(ctx, i, gate, &done)
		}
		waits("worker", 3)
		trace.Log(ctx, "open", "now")
		close(gate)
		done.Wait()
		trace.Log(ctx, "", "all done")
	}))
	open, all := find(t, c, "testing.tRunner", "open: now"), find(t, c, "testing.tRunner", "all done")
	last := 0
	for i := range 3 {
		e := find(t, c, "gotrace_test.worker", fmt.Sprintf("i: %d", i))
		if !before(c, open, e) {
			t.Errorf("worker %d goes on before the gate is open", i)
		}
		if before(c, e, all) {
			last++
		}
	}
	if last == 0 {
		t.Error("the group is done before any worker is")
	}
}

func acceptor(ctx context.Context, l net.Listener, done chan<- bool) {
	if c, err := l.Accept(); err == nil {
		c.Close()
	}
	trace.Log(ctx, "accepted", "1")
	done <- true
	l.Accept()
	trace.Log(ctx, "accepted", "2")
	done <- true
}

// A goroutine that waits for the network is not ordered by it.
func TestNetwork(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	text := record(t, func(ctx context.Context) {
		done := make(chan bool, 2)
		go acceptor(ctx, l, done)
		waits("acceptor", 1)
		trace.Log(ctx, "dials", "true")
		if c, err := net.Dial("tcp", l.Addr().String()); err == nil {
			c.Close()
		}
		<-done
		waits("acceptor", 1)
		trace.Log(ctx, "closes", "true")
		l.Close()
		<-done
	})
	compare(t, "network", text)
	c := readGood(t, text)
	if before(c, find(t, c, "testing.tRunner", "dials: true"), find(t, c, "gotrace_test.acceptor", "accepted: 1")) {
		t.Error("a connection is an edge")
	}
	for e := graphs.Event(1); e < c.Top(); e++ {
		if strings.HasPrefix(c.Label(e), "unblocks gotrace_test.acceptor#") {
			t.Errorf("%s: %s", c.ID(e), c.Label(e))
		}
	}
	find(t, c, "gotrace_test.acceptor", "blocks: network")
}

func helper(ctx context.Context, done chan<- bool) {
	defer trace.StartRegion(ctx, "helping").End()
	done <- true
}

func TestRegionsAndTasks(t *testing.T) {
	c := readGood(t, record(t, func(ctx context.Context) {
		done := make(chan bool)
		outer, task := trace.NewTask(ctx, "order")
		trace.WithRegion(outer, "a", func() {
			trace.WithRegion(outer, "b", func() { trace.Log(outer, "x", "1") })
			trace.Log(outer, "x", "2.5")
		})
		inner, sub := trace.NewTask(outer, "part")
		go helper(inner, done)
		<-done
		task.End()
		trace.Log(ctx, "y", "1")
		sub.End()
		trace.Log(ctx, "y", "one")
	}))
	p := c.Process(find(t, c, "testing.tRunner", "task order begins"))
	values := func(name string) string {
		v := c.Variable(p, name)
		if v == nil {
			return "none"
		}
		text := v.Init.String()
		for i := range v.Len() {
			text += " " + v.Value(i).String()
		}
		return text
	}
	for name, want := range map[string]string{
		"region": `"" "a" "b" "a" ""`,
		"task":   `"" "order" "part" "part" ""`,
		"x":      "0 1 2.5",
		"y":      `"" "1" "one"`,
	} {
		if got := values(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if !before(c, find(t, c, "testing.tRunner", "task part begins"), find(t, c, "gotrace_test.helper", "region helping begins")) {
		t.Error("a region comes before its task")
	}
}

// A snapshot of a flight recorder begins in the middle.
func TestFlightRecorder(t *testing.T) {
	recorder := trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: time.Second})
	ctx := context.Background()
	values := make(chan int)
	var done sync.WaitGroup
	done.Add(1)
	go consumer(ctx, values, &done)
	waits("consumer", 1)
	if err := recorder.Start(); err != nil {
		t.Skip(err)
	}
	trace.Log(ctx, "sends", "true")
	values <- 7
	close(values)
	done.Wait()
	var out bytes.Buffer
	if _, err := recorder.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	recorder.Stop()
	c := readGood(t, out.Bytes())
	if !before(c, find(t, c, "testing.tRunner", "sends: true"), find(t, c, "gotrace_test.consumer", "got: 7")) {
		t.Errorf("7 comes before it is sent\n%s", inNative(t, c))
	}
	if e := find(t, c, "gotrace_test.consumer", "continues"); c.Position(e) != 1 {
		t.Errorf("the consumer does not begin with going on\n%s", inNative(t, c))
	}
}

const sample = "../../../testdata/traces/gotrace/pipeline.trace.gz"

// The committed sample: a pipeline of three stages, and a lock.
func TestSample(t *testing.T) {
	all, err := read(sample, pota.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := all[0].Computation
	got := make(map[string]int)
	for p, name := range c.Processes() {
		function, _, _ := strings.Cut(name, "#")
		got[function] += c.Len(p)
	}
	want := count(t, graphtest.Uncompressed(t, sample))
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("events of each function: %v, want %v", got, want)
	}
}

func TestRefused(t *testing.T) {
	good := record(t, func(ctx context.Context) { trace.Log(ctx, "x", "1") })
	spoilt := slices.Clone(good)
	for i := 20; i < len(spoilt); i += 7 {
		spoilt[i] ^= 0x55
	}
	for name, test := range map[string]struct {
		text []byte
		want string
	}{
		"empty":         {nil, `not an execution trace of Go, which starts with "go 1.N trace"`},
		"other":         {[]byte("sequenceDiagram\nA->>B: x\n"), `not an execution trace of Go, which starts with "go 1.N trace"`},
		"short":         {[]byte("go 1.26 trace"), `not an execution trace of Go, which starts with "go 1.N trace"`},
		"old":           {[]byte("go 1.21 trace\x00\x00\x00"), "a trace of Go 1.21: only those of Go 1.22 and later are read"},
		"very old":      {[]byte("go 1.9 trace\x00\x00\x00\x00"), "a trace of Go 1.9: only those of Go 1.22 and later are read"},
		"of the future": {[]byte("go 1.99 trace\x00\x00\x00"), "broken trace: unknown or unsupported trace version go 1.99"},
		"nothing":       {[]byte("go 1.26 trace\x00\x00\x00"), "no goroutine of the program does anything in this trace"},
		"no batch":      {[]byte("go 1.26 trace\x00\x00\x00\x07"), "broken trace: expected batch event, got event 7"},
		"cut off":       {good[:len(good)/2], "the trace is cut off in its first generation, which cannot be read without its end, where its texts and the names of functions are (a program writes about one a second: let it run for longer, or call trace.Stop before it ends)"},
	} {
		_, err := readBytes(t, test.text, pota.Options{})
		var e *pota.Error
		if !errors.As(err, &e) || e.Msg != test.want || filepath.Base(e.File) != "x.trace" {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
	var e *pota.Error
	if _, err := readBytes(t, spoilt, pota.Options{}); !errors.As(err, &e) || strings.Contains(e.Msg, "\n") {
		t.Errorf("spoilt: %v", err)
	}
	if _, err := read(dir, pota.Options{}); err == nil {
		t.Error("a directory is read")
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	source, err := pota.Open(sample)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gotrace.Read(cancelled, source, pota.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancelling: %v", err)
	}
}

// generations collects a trace, and signals when its first generation is over: texts are written
// only then.
type generations struct {
	bytes.Buffer
	text string
	over chan struct{}
}

func (g *generations) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(g.text)) && g.Len() > 0 {
		select {
		case g.over <- struct{}{}:
		default: // the signal is pending
		}
	}
	return g.Buffer.Write(p)
}

// A trace that was cut off is read up to its last whole generation.
func TestTruncated(t *testing.T) {
	out := generations{text: "generation", over: make(chan struct{}, 1)}
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	trace.Log(context.Background(), out.text, "0")
	<-out.over
	trace.Log(context.Background(), out.text, "1")
	trace.Stop()
	long := out.Bytes()
	cut := long[:len(long)-10] // in the last generation, however long the others are
	if _, err := readBytes(t, cut, pota.Options{}); err == nil || !strings.Contains(err.Error(), ": the trace is cut off (use --allow-truncated ") {
		t.Errorf("cut off: %v", err)
	}
	c, err := readBytes(t, cut, pota.Options{Names: true, AllowTruncated: true})
	if err != nil {
		t.Fatal(err)
	}
	find(t, c, "testing.tRunner", "generation: 0")
	if whole := readGood(t, long); c.NumEvents() >= whole.NumEvents() {
		t.Errorf("%d events of %d", c.NumEvents(), whole.NumEvents())
	}
	if _, err := readBytes(t, long[:100], pota.Options{AllowTruncated: true}); err == nil {
		t.Error("a trace without a whole generation is read")
	}
	compressed, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readBytes(t, compressed[:len(compressed)/2], pota.Options{}); err == nil || !strings.Contains(err.Error(), "the compressed data ends too soon") {
		t.Errorf("compressed and cut off: %v", err)
	}
}

func TestDetect(t *testing.T) {
	for text, want := range map[string]bool{
		"go 1.26 trace\x00\x00\x00":     true,
		"go 1.5 trace\x00\x00\x00\x00":  true,
		"go 1.22 trace\x00\x00\x00rest": true,
		"go 1. trace\x00\x00\x00\x00":   false,
		"go 1.26 trace":                 false,
		"go 1.26 traces are nice":       false,
		"":                              false,
	} {
		if got := gotrace.Detect([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestVariables(t *testing.T) {
	text := record(t, func(ctx context.Context) {
		for _, message := range []string{"1", "x", "true", "-1.5e3", "007", "", "1e999", "\xff"} {
			trace.Log(ctx, "v"+message, message)
		}
		trace.Log(ctx, "region", "1")
		trace.Log(ctx, "v1", "9007199254740993")
	})
	c := readGood(t, text)
	for name, want := range map[string]string{
		"v1": "0 1 9007199254740993", "vx": `"" "x"`, "vtrue": "false true", "v-1.5e3": "0 -1500", "v007": `"" "007"`, "v": `"" ""`,
		"v1e999": `"" "1e999"`, "v\uFFFD": `"" "` + "\uFFFD" + `"`, "region": `"" "1"`,
	} {
		v := c.VariablesNamed(name)
		if len(v) != 1 {
			t.Errorf("%d variables %s", len(v), name)
			continue
		}
		got := v[0].Init.String()
		for i := range v[0].Len() {
			got += " " + v[0].Value(i).String()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	c, err := readBytes(t, text, pota.Options{Variables: map[string]bool{"vx": true}})
	if err != nil {
		t.Fatal(err)
	}
	if c.VariablesNamed("vx")[0].Skipped() || !c.VariablesNamed("v1")[0].Skipped() {
		t.Error("other variables are kept than asked for")
	}
	if e := c.Event(0, 1); c.Label(e) != "" || c.Time(e) != "" {
		t.Error("labels and times are kept")
	}
}
