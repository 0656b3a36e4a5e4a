package record_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/record"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
)

// read reads a recorded trace.
func read(t testing.TB, text []byte) *graphs.Computation {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trace.jsonl")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	return readPath(t, file)
}

func readPath(t testing.TB, path string) *graphs.Computation {
	t.Helper()
	c, err := native.ReadFile(context.Background(), path, trace.Options{Names: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A model is what a random program did, tracked independently of the recorder, for comparison with
// the trace.
type model struct {
	names  []string
	events []modelEvent
	of     [][]int // events of each process
	sent   int     // messages
}

type modelEvent struct {
	process  int
	position int
	before   []int // events with an edge to this one, including the one before it on its process
	together int   // an event of the same step, or -1
	sets     map[string]any
	id       string
	label    string
	time     string
	ref      record.Ref
}

type sentMessage struct {
	token    record.Token
	event    int
	received []bool // by process
}

// names need escapes in JSON and in tokens, or look like event ids.
var names = []string{"P", "p 1", "a\"b\\c", "é.x~41", "P:1", "\t~.Q.3", "日本"}

// run runs a random program and returns its model.
func run(r *rand.Rand, rec *record.Recorder) *model {
	m := &model{names: names, of: make([][]int, len(names))}
	var processes []*record.Process
	for _, name := range names {
		processes = append(processes, rec.Process(name, record.Set("x", 0), record.Set("text\n", "")))
	}
	var messages []*sentMessage
	for step := range 10 + r.IntN(60) {
		p := r.IntN(len(names))
		e, actions := m.begin(p, step)
		if r.IntN(2) == 0 {
			v := r.IntN(1000)
			m.events[e].sets["x"] = v
			actions = append(actions, record.Set("x", -1), record.Set("x", v))
		}
		if r.IntN(4) == 0 {
			m.events[e].sets["text\n"] = "\"\\\x01é\u2028"
			actions = append(actions, record.Set("text\n", "\"\\\x01é\u2028"))
		}
		if r.IntN(4) == 0 {
			id := fmt.Sprintf("e\t%d", step)
			m.events[e].id = id
			actions = append(actions, record.ID(id))
		}
		if r.IntN(4) == 0 {
			m.events[e].label = "label \"" + names[p]
			actions = append(actions, record.Label(m.events[e].label))
		}
		if r.IntN(4) == 0 {
			m.events[e].time = `"2026-01-02T03:04:05.000000006Z"`
			actions = append(actions, record.Time(time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)))
		}
		for range r.IntN(3) {
			if f := r.IntN(len(m.events)); f != e {
				m.events[e].before = append(m.events[e].before, f)
				actions = append(actions, record.After(m.events[f].ref, record.Ref{}))
			}
		}
		var received []record.Token
		for range r.IntN(3) {
			if len(messages) == 0 {
				break
			}
			if msg := messages[r.IntN(len(messages))]; !msg.received[p] && msg.event != e {
				msg.received[p] = true
				m.events[e].before = append(m.events[e].before, msg.event)
				received = append(received, msg.token)
			}
		}
		sent := make([]record.Token, r.IntN(3))
		for i := range sent {
			actions = append(actions, record.Sends(&sent[i], names[r.IntN(len(names))]))
		}
		for i, t := range received {
			if i > 0 {
				actions = append(actions, record.Receives(t))
			}
		}
		r.Shuffle(len(actions), func(i, j int) {
			_, a := actions[i].(record.Assignment)
			_, b := actions[j].(record.Assignment)
			if !a && !b {
				actions[i], actions[j] = actions[j], actions[i]
			}
		})
		switch {
		case len(received) > 0:
			m.events[e].ref = processes[p].Receive(received[0], actions...)
		case r.IntN(3) == 0:
			sent = append(sent, processes[p].Send(names[r.IntN(len(names))], append(actions, record.Mark(&m.events[e].ref))...))
			if r.IntN(2) == 0 {
				m.events[e].ref = record.EventID(m.idOf(e))
			}
		default:
			m.events[e].ref = processes[p].Event(actions...)
		}
		for _, t := range sent {
			m.sent++
			messages = append(messages, &sentMessage{t, e, make([]bool, len(names))})
		}
		if r.IntN(8) == 0 {
			q := (p + 1 + r.IntN(len(names)-1)) % len(names)
			id := record.Sync(fmt.Sprint("sync", step))
			e, _ := m.begin(p, step)
			m.events[e].ref = processes[p].Event(id)
			f, _ := m.begin(q, step)
			m.events[f].ref = processes[q].Event(id)
			m.events[e].together, m.events[f].together = f, e
		}
	}
	return m
}

// begin adds an event of process p.
func (m *model) begin(p, step int) (int, []record.Action) {
	e := len(m.events)
	me := modelEvent{process: p, position: len(m.of[p]) + 1, together: -1, sets: map[string]any{}}
	if n := len(m.of[p]); n > 0 {
		me.before = append(me.before, m.of[p][n-1])
	}
	m.of[p] = append(m.of[p], e)
	m.events = append(m.events, me)
	return e, nil
}

func (m *model) idOf(e int) string {
	if id := m.events[e].id; id != "" {
		return id
	}
	return fmt.Sprintf("%s:%d", m.names[m.events[e].process], m.events[e].position)
}

// closure returns for each node the nodes from which it can be reached.
func closure(n int, before func(int) []int) [][]bool {
	reach := make([][]bool, n)
	for e := range reach {
		reach[e] = make([]bool, n)
		todo := slices.Clone(before(e))
		for len(todo) > 0 {
			f := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if !reach[e][f] {
				reach[e][f] = true
				todo = append(todo, before(f)...)
			}
		}
	}
	return reach
}

func (m *model) before() [][]bool {
	return closure(len(m.events), func(e int) []int {
		before := m.events[e].before
		if f := m.events[e].together; f >= 0 {
			before = append(slices.Clip(before), f)
		}
		return before
	})
}

// before returns happened-before of c, its events numbered from 0.
func before(c *graphs.Computation) [][]bool {
	syncs := make([][]int, c.NumEvents())
	for _, group := range c.Syncs() {
		for _, e := range group {
			for _, f := range group {
				syncs[e-1] = append(syncs[e-1], int(f-1))
			}
		}
	}
	return closure(c.NumEvents(), func(i int) []int {
		e := graphs.Event(i + 1)
		all := slices.Clone(syncs[i])
		if c.Position(e) > 1 {
			all = append(all, i-1)
		}
		for _, f := range c.Preds(e) {
			all = append(all, int(f-1))
		}
		return all
	})
}

// TestRoundTrip records random programs and reads them.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(graphtest.Rounds(t, 30)) {
		for _, opts := range [][]record.Option{nil, {record.WithTime(), record.WithFlushSends()}} {
			var out bytes.Buffer
			rec := record.New(&out, opts...)
			m := run(rand.New(rand.NewPCG(seed, 0)), rec)
			if err := rec.Close(); err != nil {
				t.Fatal(err)
			}
			c := read(t, out.Bytes())
			if why := m.differs(c, len(opts) == 2); why != "" {
				t.Fatalf("seed %d, %d options: %s\n%s", seed, len(opts), why, out.Bytes())
			}
		}
	}
}

// differs says where c differs from what the program did.
func (m *model) differs(c *graphs.Computation, timed bool) string {
	if !slices.Equal(c.Processes(), m.names) {
		return fmt.Sprintf("processes %q", c.Processes())
	}
	if c.NumEvents() != len(m.events) || c.NumMessages() != m.sent {
		return fmt.Sprintf("%d events and %d messages, not %d and %d", c.NumEvents(), c.NumMessages(), len(m.events), m.sent)
	}
	event := func(e int) graphs.Event { return c.Event(m.events[e].process, m.events[e].position) }
	value := make([]map[string]any, len(m.names))
	for e, me := range m.events {
		if c.ID(event(e)) != m.idOf(e) || c.Label(event(e)) != me.label {
			return fmt.Sprintf("event %q with label %q, not %q with %q", c.ID(event(e)), c.Label(event(e)), m.idOf(e), me.label)
		}
		if at := c.Time(event(e)); at != me.time && !(timed && me.time == "" && len(at) > 20) {
			return fmt.Sprintf("time %s, not %s", at, me.time)
		}
		p := me.process
		if value[p] == nil {
			value[p] = map[string]any{"x": 0, "text\n": ""}
		}
		for name, v := range me.sets {
			value[p][name] = v
		}
		cut := make(graphs.Cut, len(m.names))
		cut[p] = int32(me.position)
		x, text := c.Variable(p, "x").At(c, cut), c.Variable(p, "text\n").At(c, cut)
		if x.Int64() != int64(value[p]["x"].(int)) || text.Text() != value[p]["text\n"] {
			return fmt.Sprintf("after %s x is %v and text %q, not %v", m.idOf(e), x, text.Text(), value[p])
		}
	}
	want, got := m.before(), before(c)
	for e := range m.events {
		for f := range m.events {
			if want[e][f] != got[event(e)-1][event(f)-1] {
				return fmt.Sprintf("%s before %s: %v", m.idOf(f), m.idOf(e), !want[e][f])
			}
		}
	}
	return ""
}

// TestDeterministic: nothing in the recorder is random.
func TestDeterministic(t *testing.T) {
	var first []byte
	for range 3 {
		var out bytes.Buffer
		rec := record.New(&out)
		run(rand.New(rand.NewPCG(1, 2)), rec)
		if err := rec.Close(); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = slices.Clone(out.Bytes())
		}
		if !bytes.Equal(first, out.Bytes()) {
			t.Fatal("two traces of one run differ")
		}
	}
}
