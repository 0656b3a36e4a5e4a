package simulate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/record"
	"github.com/pota-project/pota/graphs/simulate"
)

// TestSameSeedSameBytes: a run is a function of its configuration, and of each
// part of it.
func TestSameSeedSameBytes(t *testing.T) {
	for _, m := range simulate.Models() {
		for _, fault := range append([]simulate.Fault{{}}, m.Faults...) {
			cfg := simulate.Config{Model: m.Name, Processes: m.MinProcesses, Events: 500, Seed: 7, Fault: fault.Name}
			first := write(t, cfg)
			if !bytes.Equal(first, write(t, cfg)) {
				t.Errorf("%+v: two runs differ", cfg)
			}
			cfg.Seed++
			if bytes.Equal(first, write(t, cfg)) {
				t.Errorf("%+v: another seed makes the same run", cfg)
			}
		}
	}
}

// TestRecord: a recorder of the caller's gets what Run writes.
func TestRecord(t *testing.T) {
	for _, m := range simulate.Models() {
		cfg := simulate.Config{Model: m.Name, Processes: m.MinProcesses, Events: 200, Seed: 7}
		var out bytes.Buffer
		r := record.New(&out)
		if err := errors.Join(simulate.Record(context.Background(), r, cfg), r.Close()); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out.Bytes(), write(t, cfg)) {
			t.Errorf("%s: Record and Run differ", m.Name)
		}
	}
	if err := simulate.Record(context.Background(), nil, simulate.Config{Model: "rft"}); err == nil {
		t.Error(err)
	}
}

// A line is what a trace says of an event.
type line struct {
	Process string
	Init    json.RawMessage
	Send    ids
	Recv    ids
}

type ids []string

func (l *ids) UnmarshalJSON(b []byte) error {
	if b[0] == '[' {
		return json.Unmarshal(b, (*[]string)(l))
	}
	*l = make(ids, 1)
	return json.Unmarshal(b, &(*l)[0])
}

// TestEndsQuiescent: of channels that lose nothing, all is received at the end, and
// a run has about as many events as it was asked for.
func TestEndsQuiescent(t *testing.T) {
	lossy := map[string]bool{"alternating-bit": true, "raft": true, "random": true}
	for _, m := range simulate.Models() {
		const asked = 5000
		open, n := make(map[string]bool), 0
		for _, text := range bytes.Split(write(t, simulate.Config{Model: m.Name, Processes: max(2, m.MinProcesses), Events: asked, Seed: 3}), []byte("\n")) {
			var l line
			if len(text) == 0 {
				continue
			}
			if err := json.Unmarshal(text, &l); err != nil {
				t.Fatal(err)
			}
			if l.Process != "" && l.Init == nil {
				n++
			}
			for _, id := range l.Send {
				open[id] = true
			}
			for _, id := range l.Recv {
				delete(open, id)
			}
		}
		if !lossy[m.Name] && len(open) > 0 {
			t.Errorf("%s: %d messages are on their way at the end", m.Name, len(open))
		}
		if n < asked*3/4 || n > asked*5/4 {
			t.Errorf("%s: %d events, not about %d", m.Name, n, asked)
		}
	}
}

// A scale weighs the heap now and then, and throws the text away.
type scale struct {
	written, next int
	most          uint64
}

func (s *scale) Write(p []byte) (int, error) {
	s.written += len(p)
	if s.written >= s.next {
		s.next = s.written + 1<<20
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		s.most = max(s.most, m.HeapAlloc)
	}
	return len(p), nil
}

// TestMemoryDoesNotGrow: a long run takes no more memory than a short one.
func TestMemoryDoesNotGrow(t *testing.T) {
	most := graphtest.RoundsUpTo(t, 50_000, 1_000_000)
	for _, m := range simulate.Models() {
		n := max(5, m.MinProcesses)
		if m.MaxProcesses > 0 {
			n = m.MaxProcesses
		}
		weigh := func(events int) (uint64, time.Duration) {
			var s scale
			start := time.Now()
			if err := simulate.Run(context.Background(), &s, simulate.Config{Model: m.Name, Processes: n, Events: events, Seed: 1}); err != nil {
				t.Fatal(err)
			}
			return s.most, time.Since(start)
		}
		short, _ := weigh(most / 10)
		long, elapsed := weigh(most)
		t.Logf("%s: %d events in %s; %d KiB, %d KiB for a tenth", m.Name, most, elapsed.Round(time.Millisecond), long>>10, short>>10)
		if long > short+2<<20 {
			t.Errorf("%s: %d bytes for %d events, %d for a tenth", m.Name, long, most, short)
		}
	}
}

// TestLargestOfThePapers decides all properties of runs with 250 processes.
func TestLargestOfThePapers(t *testing.T) {
	for _, name := range []string{"giop", "atmr", "philosophers-mp", "mutex"} {
		m, err := simulate.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		c := computation(t, simulate.Config{Model: name, Processes: 250, Events: 20_000, Seed: 1})
		t.Logf("%s: %d events written and read in %s", name, c.NumEvents(), time.Since(start).Round(time.Millisecond))
		for _, p := range properties(t, m, 250) {
			start := time.Now()
			res := decide(t, c, p, false)
			t.Logf("    %s %v by %v in %s", p.Name, res.Verdict, res.Engine, time.Since(start).Round(100*time.Microsecond))
			if res.Verdict.String() != "holds" {
				t.Errorf("%s: %s %v", name, p.Name, res.Verdict)
			}
		}
	}
}

type fullDisk struct{ room int }

var errFull = errors.New("no space left")

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.room -= len(p); d.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestBrokenOff: a run ends soon after writing failed, or the context is done.
func TestBrokenOff(t *testing.T) {
	for _, m := range simulate.Models() {
		cfg := simulate.Config{Model: m.Name, Processes: m.MinProcesses, Events: 1 << 40, Seed: 1}
		if err := simulate.Run(context.Background(), &fullDisk{1 << 20}, cfg); !errors.Is(err, errFull) {
			t.Errorf("%s on a full disk: %v", m.Name, err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		if err := simulate.Run(ctx, new(scale), cfg); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s after a deadline: %v", m.Name, err)
		}
		cancel()
	}
}

func BenchmarkRun(b *testing.B) {
	for _, m := range simulate.Models() {
		b.Run(m.Name, func(b *testing.B) {
			cfg := simulate.Config{Model: m.Name, Processes: max(2, m.MinProcesses), Events: b.N, Seed: 1}
			if err := simulate.Run(context.Background(), new(scale), cfg); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// TestEndsAfterDivergence: in this run two nodes that committed different entries
// would correct each other for ever.
func TestEndsAfterDivergence(t *testing.T) {
	cfg := simulate.Config{Model: "raft", Processes: 5, Events: 600, Seed: 196, Fault: "forget-vote"}
	if err := simulate.Run(t.Context(), &fullDisk{1 << 20}, cfg); err != nil {
		t.Error(err)
	}
}

func Example() {
	m, err := simulate.Lookup("leader")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range m.Properties(3)[:2] {
		fmt.Printf("%s: %s\n", p.Name, p.Formula)
	}
	for _, f := range m.Faults {
		fmt.Printf("%s breaks %s: %s\n", f.Name, f.Breaks, f.Description)
	}
	// Output:
	// unique: AG(forall i != j: !(leader@i && leader@j))
	// decided: forall i: AG(electing@i -> AF !electing@i)
	// pass-all breaks unique: a process passes on smaller numbers than its own
	// lose-claim breaks decided: the greatest number is lost on its way, and never sent again
}
