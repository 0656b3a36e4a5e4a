package spans

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/otlp"
	"github.com/pota-project/pota/graphs/trace/split"
)

// a is a span of a trace, with a number, possibly a root.
type a struct {
	trace, id byte
	root      bool
}

// request returns a request with the spans, grouped by service.
func request(spans ...a) []*otlp.Span {
	var all []*otlp.Span
	for i, x := range spans {
		s := &otlp.Span{
			Trace: otlp.TraceID{Low: uint64(x.trace)},
			ID:    otlp.SpanID(x.id),
			Name:  fmt.Sprint("n", i),
		}
		if !x.root {
			s.Parent = 1 << 56
		}
		if i%2 == 0 {
			s.Resource = &otlp.Origin{Service: fmt.Sprint("s", i)}
			s.Scope = new(otlp.Origin)
		} else {
			s.Resource, s.Scope = all[i-1].Resource, all[i-1].Scope
		}
		all = append(all, s)
	}
	return all
}

// naive is a table without limits in bytes, written for simplicity.
type naive struct {
	open map[byte]*state
	over []byte
	told map[byte]bool
}

type state struct {
	ids  map[byte]bool
	root bool
	last time.Time
}

// Random spans in random order, against a table that inspects everything each time.
func TestTable(t *testing.T) {
	const grace, idle, remembered = 5, 20, 4
	for round := range graphtest.Rounds(t, 100) {
		r := rand.New(rand.NewPCG(uint64(round), 1))
		table := New(Options{Grace: grace, Idle: idle, Bytes: 1 << 30, Share: 1 << 30, Over: remembered})
		twin := naive{open: make(map[byte]*state), told: make(map[byte]bool)}
		now := time.Now()
		for range 200 {
			now = now.Add(time.Duration(r.IntN(4)))
			if r.IntN(2) == 0 {
				var spans []a
				for range r.IntN(5) {
					spans = append(spans, a{byte(r.IntN(8)), byte(r.IntN(20)), r.IntN(6) == 0})
				}
				got, err := table.Add(now, request(spans...))
				if want := twin.add(now, spans); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("round %d: %v gives %+v, %v; want %+v", round, spans, got, err, want)
				}
				continue
			}
			x, _, ok := table.Over(now)
			if due, longest := twin.due(now, grace, idle); ok != due || ok && twin.end(now, grace, idle, x) != longest {
				t.Fatalf("round %d: %v %+v is over; want %v for %v", round, ok, x, due, longest)
			}
			if ok {
				check(t, x)
				twin.over = twin.over[max(len(twin.over)-remembered, 0):]
			}
		}
		open, _ := table.Len()
		if open != len(twin.open) || len(table.Close()) != open {
			t.Fatalf("%d are open, want %d", open, len(twin.open))
		}
		if n, bytes := table.Len(); n != 0 || bytes != 0 {
			t.Fatalf("%d with %d bytes are left", n, bytes)
		}
		if _, err := table.Add(now, request()); err != ErrClosed {
			t.Fatal(err)
		}
	}
}

func (n *naive) add(now time.Time, spans []a) (out Outcome) {
	for _, x := range spans {
		s := n.open[x.trace]
		switch {
		case x.trace == 0 || x.id == 0:
			out.Invalid++
			continue
		case slices.Contains(n.over, x.trace):
			out.Late++
			if !n.told[x.trace] {
				n.told[x.trace] = true
				out.Unreported = append(out.Unreported, otlp.TraceID{Low: uint64(x.trace)})
			}
			continue
		case s == nil:
			s = &state{ids: make(map[byte]bool)}
			n.open[x.trace] = s
		}
		if s.ids[x.id] {
			out.Again++
			continue
		}
		out.Taken++
		s.ids[x.id], s.root, s.last = true, s.root || x.root, now
	}
	return out
}

// due reports whether an execution is over, and for how long one has been.
func (n *naive) due(now time.Time, grace, idle time.Duration) (due bool, longest time.Duration) {
	for _, s := range n.open {
		if since := s.since(now, grace, idle); since >= 0 {
			due, longest = true, max(longest, since)
		}
	}
	return due, longest
}

func (s *state) since(now time.Time, grace, idle time.Duration) time.Duration {
	if s.root {
		return now.Sub(s.last) - grace
	}
	return now.Sub(s.last) - idle
}

// end ends an execution, and returns how long it has been over.
func (n *naive) end(now time.Time, grace, idle time.Duration, x Execution) time.Duration {
	id, err := hex.DecodeString(x.ID)
	if err != nil || n.open[id[15]] == nil || len(n.open[id[15]].ids) != x.Spans || n.open[id[15]].root != x.Root {
		return -1
	}
	since := n.open[id[15]].since(now, grace, idle)
	delete(n.open, id[15])
	n.over = append(n.over, id[15])
	delete(n.told, id[15])
	return since
}

// check reads the spans of an execution as the command does.
func check(t *testing.T, x Execution) {
	t.Helper()
	c, err := x.Computation(t.Context(), trace.Options{Names: true})
	if err != nil || c.NumProcesses() < x.Spans {
		t.Fatalf("%v: %v", x, err)
	}
}

// A request that does not fit is refused, and the table keeps its spans; an execution that exceeds
// its own share loses its spans, and Lost says so.
func TestBounds(t *testing.T) {
	now := time.Now()
	table := New(Options{Grace: 1, Idle: 1, Bytes: 80_000, Share: 20_000, Over: 10})
	for i := byte(1); ; i++ {
		_, before := table.Len()
		if _, err := table.Add(now, request(a{i, 1, true}, a{i, 2, false})); err != nil {
			if _, after := table.Len(); !errors.Is(err, ErrFull) || i < 10 || after != before {
				t.Fatalf("%d: %v, %d bytes become %d", i, err, before, after)
			}
			break
		}
		if _, bytes := table.Len(); bytes > 80_000 {
			t.Fatalf("%d bytes", bytes)
		}
	}
	for ok := true; ok; {
		_, _, ok = table.Over(now.Add(2))
	}
	for i := byte(1); i < 100; i++ {
		if _, err := table.Add(now, request(a{200, i, i == 1})); err != nil {
			t.Fatal(err)
		}
	}
	all := table.Close()
	x := &all[0]
	if x.Lost == "" || !x.Root || x.Spans != 99 || len(x.spans) > 0 {
		t.Errorf("%+v, %d spans", x, len(x.spans))
	}
	if _, err := x.Computation(t.Context(), trace.Options{}); err == nil || err.Error() != x.Lost {
		t.Errorf("the error is %v, want %s", err, x.Lost)
	}
	if n, bytes := table.Len(); n != 0 || bytes != 0 {
		t.Errorf("%d executions with %d bytes are left", n, bytes)
	}
}

// Resources and scopes stay with their spans.
func TestResources(t *testing.T) {
	table := New(Options{Grace: 1, Idle: 1, Bytes: 1 << 20, Share: 1 << 20, Over: 1})
	if _, err := table.Add(time.Now(), request(a{1, 1, true}, a{2, 1, true}, a{1, 2, false}, a{1, 3, false}, a{2, 2, false})); err != nil {
		t.Fatal(err)
	}
	for _, x := range table.Close() {
		c, err := x.Computation(t.Context(), trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"01": "s0/n0#1 s2/n2#1 s2/n3#1", "02": "s0/n1#1 s4/n4#1"}[x.ID[30:]]
		processes := c.Processes()
		slices.Sort(processes)
		if got := strings.Join(processes, " "); got != want {
			t.Errorf("%s has processes %s; want %s", x.ID, got, want)
		}
		if _, err := hex.DecodeString(x.ID); err != nil {
			t.Error(err)
		}
	}
}

// Pieces of documents are kept as they are; those of no trace, and late ones, are refused, and a
// piece in another format than before loses the execution.
func TestPieces(t *testing.T) {
	now := time.Now()
	table := New(Options{Grace: time.Second, Idle: time.Minute, Bytes: 4000, Share: 1000, Over: 2})
	const id, other = "000000000000000000000000000000ab", "000000000000000000000000000000ac"
	add := func(key, format, text string) Outcome {
		out, err := table.AddPiece(now, &split.Piece{Key: key, Format: format, Text: text, Spans: 2, Root: text == "root"})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, key := range []string{"", "ab", id + "00", strings.Repeat("0", len(id)), strings.Replace(id, "b", "x", 1)} {
		if out := add(key, "zipkin", "x"); out.Invalid != 2 {
			t.Errorf("%q: %+v", key, out)
		}
	}
	add(id, "zipkin", "one")
	if out := add(id, "zipkin", "root"); out.Taken != 2 {
		t.Errorf("%+v", out)
	}
	add(other, "zipkin", "one")
	add(other, "otlp", "one")
	x, _, ok := table.Over(now.Add(2 * time.Second))
	if !ok || x.Format != "zipkin" || x.Spans != 4 || string(x.documents) != "one\nroot\n" {
		t.Errorf("%+v, %q", x, x.documents)
	}
	for i := range 2 {
		if out := add(id, "zipkin", "one"); out.Late != 2 || len(out.Unreported) != 1-i {
			t.Errorf("%+v", out)
		}
	}
	if _, err := table.AddPiece(now, &split.Piece{Key: id[:30] + "ff", Format: "otlp", Text: strings.Repeat("x", 5000)}); err != nil {
		t.Errorf("what is too large for any room is refused for good: %v", err)
	}
	for _, x := range table.Close() {
		if x.Lost == "" {
			t.Errorf("%+v", x)
		}
	}
	if _, err := table.AddPiece(now, &split.Piece{Key: other}); err != ErrClosed {
		t.Error(err)
	}
}

// Spans of one execution that come over the network and in lines are read together.
func TestBothWays(t *testing.T) {
	now := time.Now()
	table := New(Options{Grace: 1, Idle: 1, Bytes: 1 << 20, Share: 1 << 20, Over: 1})
	if _, err := table.Add(now, request(a{1, 2, false})); err != nil {
		t.Fatal(err)
	}
	const id = "00000000000000000000000000000001"
	document := fmt.Sprintf(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"%s","spanId":"0100000000000000","name":"root"}]}]}]}`, id)
	if _, err := table.AddPiece(now, &split.Piece{Key: id, Format: "otlp", Text: document, Spans: 1, Root: true}); err != nil {
		t.Fatal(err)
	}
	x := table.Close()[0]
	c, err := x.Computation(t.Context(), trace.Options{})
	if err != nil || strings.Join(c.Processes(), " ") != "s0/n0#1 unknown_service/root#1" || x.Spans != 2 {
		t.Errorf("%v, %v", c, err)
	}
	wrong := strings.Replace(document, `"name"`, `"kind":9,"name"`, 1)
	table = New(Options{Grace: 1, Idle: 1, Bytes: 1 << 20, Share: 1 << 20, Over: 1})
	if _, err := table.AddPiece(now, &split.Piece{Key: id, Format: "otlp", Text: wrong, Spans: 1}); err != nil {
		t.Fatal(err)
	}
	x = table.Close()[0]
	if _, err := x.Computation(t.Context(), trace.Options{}); err == nil || !strings.HasPrefix(err.Error(), "execution "+id+":1:") {
		t.Errorf("the error is %v", err)
	}
}
