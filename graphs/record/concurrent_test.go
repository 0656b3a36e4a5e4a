package record_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/record"
)

// TestConcurrent records from many goroutines: two for each of ten processes, which exchange
// messages.
func TestConcurrent(t *testing.T) {
	for _, opts := range [][]record.Option{nil, {record.WithTime(), record.WithFlushEvery(1)}} {
		const processes, steps = 10, 200
		var out bytes.Buffer
		r := record.New(&out, opts...)
		r.Process("P0", record.Set("n", 0))
		mail := make([]chan record.Token, processes)
		for i := range mail {
			mail[i] = make(chan record.Token, 2*steps*processes)
		}
		var group sync.WaitGroup
		for i := range 2 * processes {
			group.Go(func() {
				p := r.Process(fmt.Sprint("P", i%processes), record.Set(fmt.Sprint("n", i), 0))
				for n := range steps {
					to := (i + n) % processes
					mail[to] <- p.Send(fmt.Sprint("P", to), record.Set("n", n))
					select {
					case token := <-mail[i%processes]:
						p.Receive(token, record.Set("n", -n))
					default:
						p.Event(record.Label("none"))
					}
				}
			})
		}
		group.Wait()
		if err := r.Close(); err != nil && !strings.Contains(err.Error(), "initial values after its first event") {
			t.Fatal(err)
		}
		c := read(t, out.Bytes())
		if c.NumProcesses() != processes || c.NumEvents() != 4*processes*steps || c.NumMessages() != 2*processes*steps {
			t.Errorf("%d processes, %d events, %d messages", c.NumProcesses(), c.NumEvents(), c.NumMessages())
		}
		checkClosed(t, out.Bytes())
	}
}

// checkClosed checks that each line comes after the lines of its causes.
func checkClosed(t *testing.T, text []byte) {
	t.Helper()
	sent := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		for _, key := range []string{`"send":"`, `"recv":"`} {
			if _, id, ok := strings.Cut(line, key); ok {
				id, _, _ = strings.Cut(id, `"`)
				if key == `"recv":"` && !sent[id] {
					t.Fatalf("%s is received before its send", id)
				}
				sent[id] = true
			}
		}
	}
}

// TestMutexOrders: no cut has two processes in the critical section.
func TestMutexOrders(t *testing.T) {
	var out bytes.Buffer
	r := record.New(&out)
	var mutex record.Mutex
	var group sync.WaitGroup
	in, most := 0, 0
	for i := range 4 {
		p := r.Process(fmt.Sprint("P", i), record.Set("critical", false))
		group.Go(func() {
			for n := range 25 {
				if n%2 == 1 || !mutex.TryLock(p, record.Set("critical", true)) {
					mutex.Lock(p, record.Set("critical", true))
				}
				in++
				most = max(most, in)
				in--
				mutex.Unlock(p, record.Set("critical", false))
			}
		})
	}
	group.Wait()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	c := read(t, out.Bytes())
	if most != 1 || c.NumEvents() != 200 {
		t.Errorf("%d at once, %d events", most, c.NumEvents())
	}
	check(t, c, map[string]bool{
		"AG(forall i != j: !(critical@i && critical@j))": true,
		"EF(critical@P0)": true,
	})
	if edges := c.NumEdges(); edges > 99 {
		t.Errorf("%d edges", edges)
	}
}

// TestBarrier: two processes are never more than one barrier apart.
func TestBarrier(t *testing.T) {
	var out bytes.Buffer
	r := record.New(&out)
	const parties, rounds = 5, 20
	barrier := record.NewBarrier(parties)
	var group sync.WaitGroup
	for i := range parties {
		p := r.Process(fmt.Sprint("P", i), record.Set("round", 0), record.Set("ready", 0))
		group.Go(func() {
			for n := 1; n <= rounds; n++ {
				p.Event(record.Set("ready", n))
				if ref := barrier.Wait(p, record.Set("round", n)); ref.String() != fmt.Sprintf("%s:%d", p.Name(), 2*n) {
					t.Errorf("event %s", ref)
				}
			}
		})
	}
	group.Wait()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	c := read(t, out.Bytes())
	if len(c.Syncs()) != rounds || len(c.Syncs()[0]) != parties {
		t.Errorf("%d syncs", len(c.Syncs()))
	}
	check(t, c, map[string]bool{
		"AG(forall i, j: round@i == round@j)":    true,
		"AG(forall i, j: ready@i >= round@j)":    true,
		"EF(ready@P0 == 3 && ready@P1 == 2)":     true,
		"EF(ready@P0 == 4 && ready@P1 == 2)":     false,
		"AG(forall i: ready@i <= 1 + round@i)":   true,
		"AF(forall i: round@i == 20)":            true,
		"EF(exists i, j: ready@i > ready@j + 1)": false,
	})
}

// TestChan checks both kinds of channel with several senders and receivers.
func TestChan(t *testing.T) {
	for _, buffer := range []int{0, 1, 3} {
		var out bytes.Buffer
		r := record.New(&out)
		c := record.NewChan[int](buffer)
		const senders, receivers, each = 3, 2, 20
		var sending, receiving sync.WaitGroup
		for i := range senders {
			p := r.Process(fmt.Sprint("S", i), record.Set("n", 0))
			sending.Go(func() {
				for n := 1; n <= each; n++ {
					c.Send(p, i*100+n, record.Set("n", n))
				}
			})
		}
		total := 0
		var mutex sync.Mutex
		for i := range receivers {
			p := r.Process(fmt.Sprint("R", i), record.Set("last", 0), record.Set("closed", false))
			receiving.Go(func() {
				for {
					v, ok := c.ReceiveFunc(p, func(v int, ok bool) []record.Action {
						if !ok {
							return []record.Action{record.Set("closed", true)}
						}
						return []record.Action{record.Set("last", v)}
					})
					if !ok {
						return
					}
					mutex.Lock()
					total += v
					mutex.Unlock()
				}
			})
		}
		sending.Wait()
		c.Close(r.Process("S0"), record.Label("close"))
		receiving.Wait()
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if total != each*(0+100+200)+3*each*(each+1)/2 {
			t.Errorf("received a total of %d", total)
		}
		g := read(t, out.Bytes())
		if n := 2*senders*each + 1 + receivers; g.NumEvents() != n {
			t.Errorf("%d events, not %d", g.NumEvents(), n)
		}
		check(t, g, map[string]bool{
			"AG(closed@R0 -> n@S0 == 20)":                                    true,
			"AG(last@R0 == 5 -> n@S0 >= 5) && AG(last@R1 == 5 -> n@S0 >= 5)": true,
		})
		if buffer == 0 {
			if len(g.Syncs()) != senders*each || g.NumMessages() != 0 {
				t.Errorf("%d syncs, %d messages", len(g.Syncs()), g.NumMessages())
			}
		} else if g.NumMessages() != senders*each {
			t.Errorf("%d messages", g.NumMessages())
		}
	}
}

// TestChanBuffer: no cut has more elements in a channel than fit, and as many as
// fit are possible.
func TestChanBuffer(t *testing.T) {
	const buffer = 2
	var out bytes.Buffer
	r := record.New(&out)
	p, q := r.Process("P", record.Set("sent", 0)), r.Process("Q", record.Set("got", 0))
	c := record.NewChan[int](buffer)
	var group sync.WaitGroup
	group.Go(func() {
		for n := 1; n <= 20; n++ {
			c.Send(p, n, record.Set("sent", n))
		}
	})
	for n := 1; n <= 20; n++ {
		c.Receive(q, record.Set("got", n))
	}
	group.Wait()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	check(t, read(t, out.Bytes()), map[string]bool{
		"AG(sent@P - got@Q <= 2 && got@Q <= sent@P)": true,
		"EF(sent@P - got@Q == 2 && got@Q == 7)":      true,
	})
}

// TestChanOfOneProcess: goroutines of one process may share a channel.
func TestChanOfOneProcess(t *testing.T) {
	var out bytes.Buffer
	r := record.New(&out)
	p := r.Process("P")
	c := record.NewChan[int](0)
	go c.Send(p, 1, record.Label("send"))
	c.Receive(p, record.Label("receive"))
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if g := read(t, out.Bytes()); g.NumEvents() != 2 || len(g.Syncs()) != 0 || g.Label(1) != "send" {
		t.Error(out.String())
	}
}

// TestVariable: a read sees the same write in every cut, and conflicting accesses are ordered as
// they happened; reads are not.
func TestVariable(t *testing.T) {
	var out bytes.Buffer
	r := record.New(&out)
	v := record.NewVariable(r, "v", 0)
	var group sync.WaitGroup
	for i := range 3 {
		p := r.Process(fmt.Sprint("P", i), record.Set("saw", 0))
		group.Go(func() {
			for range 15 {
				v.ReadFunc(p, func(n int) []record.Action { return []record.Action{record.Set("saw", n)} })
				v.Read(p)
				v.Update(p, func(n int) int { return n + 1 })
			}
			v.Read(p)
		})
	}
	group.Wait()
	last := v.Read(nil)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	c := read(t, out.Bytes())
	if last != 45 || c.NumEvents() != 3*46 {
		t.Errorf("v is %d, %d events", last, c.NumEvents())
	}
	check(t, c, map[string]bool{
		"AG(forall i: saw@i <= v)": true,
		"AG(v <= 45) && AF(v==45)": true,
	})
	checkAccesses(t, c, out.Bytes())
}

// checkAccesses checks that of any two accesses, at least one of which is a write, one happened
// before the other, in the order of their lines.
func checkAccesses(t *testing.T, c *graphs.Computation, text []byte) {
	t.Helper()
	var events []int
	var writes []bool
	position := make([]int, c.NumProcesses())
	for line := range strings.Lines(string(text)) {
		var p int
		if _, err := fmt.Sscanf(line, `{"process":"P%d"`, &p); err != nil || strings.Contains(line, `"init"`) {
			continue
		}
		position[p]++
		events = append(events, int(c.Event(p, position[p]))-1)
		writes = append(writes, strings.Contains(line, `"v":`))
	}
	reach := before(c)
	for i, e := range events {
		for k, f := range events[:i] {
			sameProcess := c.Process(graphs.Event(e+1)) == c.Process(graphs.Event(f+1))
			if (writes[i] || writes[k] || sameProcess) && !reach[e][f] || reach[f][e] {
				t.Fatalf("accesses %d and %d are not ordered", k, i)
			}
		}
	}
}

// TestVariableReads: two reads are not ordered.
func TestVariableReads(t *testing.T) {
	var out bytes.Buffer
	r := record.New(&out)
	v := record.NewVariable(r, "v", "")
	p, q := r.Process("P"), r.Process("Q")
	v.Write(p, "x")
	v.Read(q)
	v.Read(p)
	v.Write(q, "y")
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	c := read(t, out.Bytes())
	reach := before(c)
	e, f := c.Event(0, 2)-1, c.Event(1, 1)-1
	if reach[e][f] || reach[f][e] || !reach[c.Event(1, 2)-1][e] {
		t.Error(out.String())
	}
}
