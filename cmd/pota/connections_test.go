package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/pota-project/pota/cmd/pota/internal/monitor/wal"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/online"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// goroutinesBack waits until there are no more goroutines than before.
func goroutinesBack(t *testing.T, before int) {
	t.Helper()
	graphtest.Await(t, fmt.Sprintf("no more than %d goroutines", before), func() bool { return runtime.NumGoroutine() <= before })
}

// sendLines sends lines by TCP in one connection, or by HTTP in some requests.
func sendLines(t *testing.T, r *rand.Rand, tcp, web string, lines []string) {
	if r.IntN(2) == 0 {
		c, err := net.Dial("tcp", tcp)
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		for text := strings.Join(lines, ""); len(text) > 0; {
			n := 1 + r.IntN(len(text))
			_, _ = io.WriteString(c, text[:n])
			text = text[n:]
		}
		_ = c.(*net.TCPConn).CloseWrite()
		if answer, err := io.ReadAll(c); err != nil || strings.Contains(string(answer), "error") {
			t.Errorf("%s, %v", answer, err)
		}
		return
	}
	for len(lines) > 0 {
		n := 1 + r.IntN(len(lines))
		response, err := http.Post("http://"+web+"/lines", "", strings.NewReader(strings.Join(lines[:n], "")))
		if err != nil {
			t.Error(err)
			return
		}
		answer, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("%s", answer)
		}
		lines = lines[n:]
	}
}

// Each process sends by a connection of its own, all at once: verdicts are those on the whole, and final at
// the first prefix, in the order that is in the journal, that makes them so.
func TestWatchConnections(t *testing.T) {
	before := runtime.NumGoroutine()
	early := 0
	for seed := range uint64(graphtest.Rounds(t, 30)) {
		r := rand.New(rand.NewPCG(seed, 21))
		c := graphtest.Random(r, graphtest.Config{Processes: 2 + r.IntN(7), Events: 16, Kinds: graphtest.TraceKinds &^ graphtest.OddNames})
		var text bytes.Buffer
		if native.Write(&text, c, nil) != nil || c.NumEvents() == 0 {
			continue
		}
		var declared strings.Builder
		of := make([][]string, c.NumProcesses())
		for line := range strings.Lines(text.String()) {
			p := slices.IndexFunc(c.Processes(), func(name string) bool { return strings.HasPrefix(line, fmt.Sprintf("{\"process\":%q,", name)) })
			if p < 0 || strings.Contains(line, `"init":`) {
				declared.WriteString(line)
				continue
			}
			of[p] = append(of[p], line)
		}
		dir := t.TempDir()
		var formulas []*syntax.Formula
		var properties strings.Builder
		for len(formulas) < 3 {
			text := rctltest.RandomFormulaText(r, c, rctltest.FormulaConfig{Fragment: rctltest.WithoutNext, Depth: 2})
			f, err := syntax.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if !syntax.UsesTransit(f) {
				fmt.Fprintf(&properties, "p%d: %s\n", len(formulas), text)
				formulas = append(formulas, f)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "properties"), []byte(properties.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, interrupt := context.WithCancel(t.Context())
		at, wait := listenersUntil(ctx, t, 2, "--json", "--declared", "-f", filepath.Join(dir, "properties"), "--journal", filepath.Join(dir, "journal"), "--listen", "tcp://127.0.0.1:0", "--listen", "http://127.0.0.1:0")
		sendLines(t, r, at[0], at[1], []string{declared.String()})
		var group sync.WaitGroup
		for p, lines := range of {
			r := rand.New(rand.NewPCG(seed, uint64(100+p)))
			lines = append(lines, fmt.Sprintf(`{"process":%q,"closed":true}`+"\n", c.Processes()[p]))
			group.Go(func() { sendLines(t, r, at[0], at[1], lines) })
		}
		group.Wait()
		interrupt()
		_, out := wait()
		want := replayed(t, filepath.Join(dir, "journal"), formulas)
		lattice := graphtest.NewLattice(c)
		for line := range strings.Lines(out) {
			var got struct {
				Property, Verdict string
				Final             bool
				Events            int64
			}
			if err := json.Unmarshal([]byte(line), &got); err != nil {
				t.Fatal(err)
			}
			i := int(got.Property[1] - '0')
			resolved, err := rctltest.Resolve(c, formulas[i].String())
			if err != nil {
				t.Fatal(err)
			}
			verdict := rctl.Fails
			if rctltest.Holds(lattice, resolved)[lattice.Initial] {
				verdict = rctl.Holds
			}
			switch a := want[i]; {
			case got.Final != a.Final, got.Final && (got.Events != a.Events || got.Verdict != verdict.String()):
				t.Errorf("seed %d: %s: %s, want %v, and %v on the whole", seed, formulas[i], line, a, verdict)
			case got.Final && got.Events < int64(c.NumEvents()):
				early++
			}
		}
		if n := strings.Count(out, "\n"); n != len(formulas) {
			t.Errorf("seed %d: %d answers", seed, n)
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, text.String())
		}
	}
	http.DefaultClient.CloseIdleConnections()
	goroutinesBack(t, before)
	t.Log(early)
}

// replayed decides after each line that a log has what they make final.
func replayed(t *testing.T, dir string, formulas []*syntax.Formula) []online.Answer {
	t.Helper()
	log, err := wal.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	m := online.New(formulas, online.Options{Options: stream.Options{Declared: true}})
	apply := func(_ int, l *stream.Line) error {
		err := m.Add(l)
		if err == nil {
			_, err = m.Decide(t.Context())
		}
		return err
	}
	_, err = log.Recover(func(r wal.Record) error {
		length, n := binary.Uvarint(r.Data)
		var head struct{ Source string }
		if err := json.Unmarshal(r.Data[n:n+int(length)], &head); err != nil || head.Source == "" {
			return err // of no lines
		}
		return new(native.Scanner).Scan(r.Data[n+int(length):], apply)
	})
	if err != nil {
		t.Fatal(err)
	}
	var all []online.Answer
	for i := range formulas {
		all = append(all, m.Answer(i))
	}
	return all
}

// get asks a listener for a page.
func get(t *testing.T, at, path string) string {
	t.Helper()
	response, err := http.Get("http://" + at + path)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A thousand clients that send garbage, half of something or nothing, and vanish, leave nothing behind; meanwhile
// /healthz answers, and /metrics tells what was refused.
func TestWatchFlood(t *testing.T) {
	before := runtime.NumGoroutine()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	at, wait := listenersUntil(ctx, t, 3, "--property", "never:n@A > 1", "--listen", "tcp://127.0.0.1:0", "--listen", "http://127.0.0.1:0", "--listen", "grpc://127.0.0.1:0")
	var refused atomic.Int64
	var group errgroup.Group
	group.SetLimit(50)
	for i := range 1000 {
		group.Go(func() error {
			c, err := net.Dial("tcp", at[i%3])
			if err != nil {
				return err
			}
			defer func() { _ = c.Close() }() // nobody is there to be told
			switch i / 3 % 3 {
			case 0:
				_, _ = io.WriteString(c, "\xff garbage\n") // it need not arrive
				_ = c.(*net.TCPConn).CloseWrite()
				if text, err := io.ReadAll(c); err == nil && strings.Contains(string(text), `"error"`) {
					refused.Add(1)
				}
			case 1:
				_, _ = io.WriteString(c, "{\"process\":")
			}
			return nil
		})
		if i%100 == 0 {
			if text := get(t, at[1], "/healthz"); text != "ok\n" {
				t.Errorf("/healthz answers %q", text)
			}
		}
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	n := refused.Load()
	var told int64
	for line := range strings.Lines(get(t, at[1], "/metrics")) {
		_, _ = fmt.Sscanf(line, "pota_lines_refused_total %d", &told) // most lines are others
	}
	if n < 100 || told < n {
		t.Errorf("%d lines were refused, and /metrics tells of %d", n, told)
	}
	interrupt()
	if status, out := wait(); status != int(undecided) {
		t.Errorf("status %d, %s", status, out)
	}
	http.DefaultClient.CloseIdleConnections()
	goroutinesBack(t, before)
}

// Who is gone without a word leaves nothing behind while the run goes on: what was whole is taken and safe,
// and the line that was not is not.
func TestResetConnection(t *testing.T) {
	dir := t.TempDir()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	at, wait := listenersUntil(ctx, t, 2, "--property", "never:n@A > 1", "--journal", dir, "--listen", "tcp://127.0.0.1:0", "--listen", "http://127.0.0.1:0")
	events := func() (n int) {
		for line := range strings.Lines(get(t, at[1], "/metrics")) {
			_, _ = fmt.Sscanf(line, "pota_events_total %d", &n) // most lines are others
		}
		http.DefaultClient.CloseIdleConnections()
		return n
	}
	sendLines(t, rand.New(rand.NewPCG(1, 1)), at[0], at[1], []string{`{"process":"A","set":{"n":1}}` + "\n"}) // when that is taken, all has begun
	before := runtime.NumGoroutine()
	const clients = 10
	for i := range clients {
		c, err := net.Dial("tcp", at[0])
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, `{"process":"B"}`+"\n"+`{"process":"B"}`+"\n"+`{"process":"A","set":{"n":2}}`)
		graphtest.Await(t, "the whole lines are ingested", func() bool { return events() >= 1+2*(i+1) })
		_ = c.(*net.TCPConn).SetLinger(0) // the end is a reset
		_ = c.Close()
	}
	goroutinesBack(t, before)
	interrupt()
	const want = "open     never:n@A > 1  after 21 events: fails at an event, holds once its processes have closed\n"
	if status, out := wait(); status != int(undecided) || out != want {
		t.Errorf("status %d, %s", status, out)
	}
	again, stop := context.WithCancel(t.Context())
	defer stop()
	at, wait = listenersUntil(again, t, 1, "--property", "never:n@A > 1", "--journal", dir, "--listen", "http://127.0.0.1:0")
	get(t, at[0], "/healthz")
	stop()
	if _, out := wait(); out != want {
		t.Errorf("started again: %s", out)
	}
}
