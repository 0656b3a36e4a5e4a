package graphtest

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/pota-project/pota/graphs"
)

// A Shop generates traces of requests, for tests and benchmarks. A request has ten events or more:
// a service receives it and asks another service, which reserves, writes a key, takes and drops a
// lease, and charges. When its message arrives, the first service takes the lease, writes and reads
// the key, drops the lease, and answers. Every tenth request elects a leader.
type Shop struct {
	Services, Requests int
	// how many ids requests share, if not 0; keys and leases have the same
	IDs     int
	Planted map[int]string // the fault of a request, by its number: one of Plants
	Hosts   int            // how many clocks services share; 0 for a clock per service
	Error   time.Duration  // the width of times that are intervals; 0 for single times
}

// Plants are the faults that a request of a Shop can have, with the names of the ShopProperties
// that each violates.
var Plants = map[string][]string{
	"early answer":   {"charged"},
	"late":           {"in-time", "within"},
	"no answer":      {"answered", "in-time", "response", "within"},
	"no reservation": {"charge", "precedence"},
	"stale":          {"fifo", "no-stale"},
	"stray answer":   {"charged", "in-time", "not-before"},
	"two charges":    {"at-most-1", "at-most-once"},
	"two holders":    {"one-holder"},
	"two leaders":    {"one-leader"},
	"two writers":    {"race"},
}

// ShopProperties are properties about data that hold for a Shop without plants.
const ShopProperties = `define recv(r) = once(op == "recv" && req == r)
define done(r) = once(op == "done" && req == r)
define holds(i, k) = between(op == "take" && lease == k, op == "drop" && lease == k)@i
answered: forall r in values(req): AG(recv(r) -> AF done(r))
not-before: forall r in values(req): AG(done(r) -> recv(r))
at-most-1: forall r in values(req): AG(events(op == "charge" && req == r) <= 1)
in-time: forall e in events(op == "recv"): exists d in events(op == "done" && req == e.req): e before d && d.time - e.time <= 5s
within: forall r in values(req): AG(recv(r) -> AF[<= 5s] done(r))
no-stale: forall w in events(op == "write"): forall r in events(op == "read" && key == w.key): w before r -> r.version >= w.version
one-holder: forall k in values(lease): AG(forall i != j: !(holds(i, k) && holds(j, k)))
one-leader: forall t in values(term): AG(events(op == "lead" && term == t) <= 1)
charge: forall c in events(op == "charge"): exists s in events(op == "reserve" && req == c.req): s before c
charged: forall d in events(op == "done"): exists c in events(op == "charge" && req == d.req): c before d
response: response(req, op == "recv", op == "done")
precedence: precedence(req, op == "reserve", op == "charge")
at-most-once: at_most_once(req, op == "charge")
fifo: fifo(key, version)
race: race(key, op == "write")
`

// Write writes the trace in the native format.
func (s Shop) Write(out io.Writer) error {
	w := bufio.NewWriterSize(out, 1<<16)
	r := rand.New(rand.NewPCG(33, 0))
	clock := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	for i := range s.Services * min(s.Hosts, 1) {
		fmt.Fprintf(w, `{"process":"s%d","clock_id":"h%d"}`+"\n", i, i%s.Hosts)
	}
	event := func(service int, format string, args ...any) {
		const layout = `"2006-01-02T15:04:05.000Z"`
		text := clock.Format(layout)
		if s.Error > 0 {
			text = "[" + text + "," + clock.Add(s.Error).Format(layout) + "]"
		}
		fmt.Fprintf(w, `{"process":"s%d","time":%s,"set":{"op":`+format+"}\n", append([]any{service, text}, args...)...)
	}
	for i := range s.Requests {
		id := i
		if s.IDs > 0 {
			id %= s.IDs
		}
		plant := s.Planted[i]
		front := r.IntN(s.Services)
		asked := (front + 1 + r.IntN(s.Services-1)) % s.Services
		answers := front

		clock = clock.Add(time.Millisecond)
		event(front, `"recv","req":"r%d"},"send":"a%d"`, id, i)
		if plant == "no reservation" {
			event(asked, `"work","req":"r%d"},"recv":"a%d"`, id, i)
		} else {
			event(asked, `"reserve","req":"r%d"},"recv":"a%d"`, id, i)
		}
		event(asked, `"write","key":"k%d","version":1}`, id)
		event(asked, `"take","lease":"l%d"}`, id)
		if plant != "two holders" {
			event(asked, `"drop","lease":"l%d"}`, id)
		}
		event(asked, `"charge","req":"r%d"},"send":"b%d"`, id, i)

		switch plant {
		case "early answer":
			event(front, `"done","req":"r%d"}`, id)
		case "late":
			clock = clock.Add(6 * time.Second)
		case "stray answer":
			answers = s.Services // a process that receives no message
		case "two charges":
			event(asked, `"charge","req":"r%d"}`, id)
		case "two holders":
			event(asked, `"drop","lease":"l%d"}`, id)
		case "two writers":
			event(front, `"write","key":"k%d","version":1}`, id)
		}
		if i%10 == 0 || plant == "two leaders" {
			event(front, `"lead","term":%d}`, i)
		}
		if plant == "two leaders" {
			event(asked, `"lead","term":%d}`, i)
		}

		event(front, `"take","lease":"l%d"},"recv":"b%d"`, id, i)
		event(front, `"write","key":"k%d","version":1}`, id)
		version := 1
		if plant == "stale" {
			version = 0
		}
		event(front, `"read","key":"k%d","version":%d}`, id, version)
		event(front, `"drop","lease":"l%d"}`, id)
		if plant != "no answer" && plant != "early answer" {
			event(answers, `"done","req":"r%d"}`, id)
		}
	}
	return w.Flush()
}

// Figure1 returns the computation of Sen and Garg, Figure 1(a): two processes of three
// events, and a message from the first event of the second to that of the first. In the
// paper the processes are P1 and P2, and the send is f1, without a label.
func Figure1(first, second, send, label string) *graphs.Computation {
	var b graphs.Builder
	p, q := b.Process(first), b.Process(second)
	x, y := b.Variable(p, "x"), b.Variable(q, "y")
	b.Init(x, graphs.Int(1))
	b.Init(y, graphs.Int(0))
	event := func(p int, id string, v *graphs.Variable, value int64) graphs.Handle {
		h := b.Event(p)
		b.SetID(h, []byte(id))
		b.Set(v, h, graphs.Int(value))
		return h
	}
	// Values are those of the figure.
	e1 := event(p, "e1", x, 2)
	event(p, "e2", x, 4)
	event(p, "e3", x, 5)
	f1 := event(q, send, y, 1)
	b.SetLabel(f1, label)
	event(q, "f2", y, 2)
	event(q, "f3", y, 4)
	b.Deliver(b.NewMessage("m1"), f1, e1, -1)
	c, err := b.Build()
	if err != nil {
		panic("this cannot happen, because no message is received before it is sent: " +
			err.Error())
	}
	return c
}
