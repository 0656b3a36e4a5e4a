package record_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/pota-project/pota/graphs/record"
)

// A message is a message between the client and the server of the examples.
type message struct {
	items int
	token record.Token
}

// A client buys from a server. The trace of a run goes to standard output here,
// and to a file with Create.
func Example() {
	r := record.New(os.Stdout)
	client := r.Process("client", record.Set("paid", false))
	server := r.Process("server", record.Set("sold", 0))
	orders, bills := make(chan message, 1), make(chan message, 1)
	go func() {
		order := <-orders
		server.Receive(order.token, record.Set("sold", order.items))
		bills <- message{order.items, server.Send("client", record.Label("bill"))}
	}()

	orders <- message{3, client.Send("server", record.Label("order"))}
	bill := <-bills
	client.Receive(bill.token)
	client.Event(record.Set("paid", true))

	if err := r.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"pota":1}
	// {"process":"client","init":{"paid":false}}
	// {"process":"server","init":{"sold":0}}
	// {"process":"client","send":"client.1","to":"server","label":"order"}
	// {"process":"server","set":{"sold":3},"recv":"client.1"}
	// {"process":"server","send":"server.1","to":"client","label":"bill"}
	// {"process":"client","recv":"server.1"}
	// {"process":"client","set":{"paid":true}}
}

// An event can receive a message and send others.
func ExampleSends() {
	r := record.New(os.Stdout)
	node, next := r.Process("node"), r.Process("next")
	request := next.Multicast([]string{"node", "other"})
	var reply, forwarded record.Token
	node.Receive(request, record.Set("seen", true), record.Sends(&reply, "next"), record.Sends(&forwarded, "next"))
	next.Event(record.Receives(reply), record.Receives(forwarded))
	if err := r.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"pota":1}
	// {"process":"node","init":{}}
	// {"process":"next","init":{}}
	// {"process":"next","send":"next.1"}
	// {"process":"node","set":{"seen":true},"send":["node.1","node.2"],"to":"next","recv":"next.1"}
	// {"process":"next","recv":["node.1","node.2"]}
}

// A lease ends without an event.
func ExampleTimer() {
	r := record.New(os.Stdout)
	node := r.Process("node", record.Set("holds", false))
	lease := record.Timer("lease", 10*time.Second, record.Set("holds", false))
	node.Event(record.At(0.5), record.Set("holds", true), lease)
	node.Event(record.At(9), lease, record.Label("renewed"))
	node.Event(record.At(12), record.Set("holds", false), record.CancelTimer("lease"))
	if err := r.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"pota":1}
	// {"process":"node","init":{"holds":false}}
	// {"process":"node","set":{"holds":true},"time":0.5,"timer":{"lease":{"in":"10s","set":{"holds":false}}}}
	// {"process":"node","label":"renewed","time":9,"timer":{"lease":{"in":"10s","set":{"holds":false}}}}
	// {"process":"node","set":{"holds":false},"time":12,"timer":{"lease":null}}
}

// A goroutine starts after the event that started it, and its parent waits for its end.
func ExampleAfter() {
	r := record.New(os.Stdout)
	parent, child := r.Process("parent"), r.Process("child")
	start := parent.Event(record.Label("go"))
	end := make(chan record.Ref)
	go func() {
		child.Event(record.After(start))
		end <- child.Event(record.Set("result", 42), record.ID("end"))
	}()
	parent.Event(record.After(<-end), record.Label("wait"))
	if err := r.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"pota":1}
	// {"process":"parent","init":{}}
	// {"process":"child","init":{}}
	// {"process":"parent","label":"go"}
	// {"process":"child","after":"parent:1"}
	// {"process":"child","id":"end","set":{"result":42}}
	// {"process":"parent","after":"end","label":"wait"}
}

// A Mutex orders critical sections.
func ExampleMutex() {
	r := record.New(os.Stdout)
	var mutex record.Mutex
	for _, name := range []string{"P1", "P2"} {
		p := r.Process(name)
		mutex.Lock(p, record.Set("critical", true))
		mutex.Unlock(p, record.Set("critical", false))
	}
	if err := r.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"pota":1}
	// {"process":"P1","init":{}}
	// {"process":"P1","set":{"critical":true}}
	// {"process":"P1","set":{"critical":false}}
	// {"process":"P2","init":{}}
	// {"process":"P2","set":{"critical":true},"after":"P1:2"}
	// {"process":"P2","set":{"critical":false}}
}

// A Chan without a buffer makes a send and its receive one step.
func ExampleChan() {
	r := record.New(os.Stdout)
	producer, consumer := r.Process("producer"), r.Process("consumer")
	numbers := record.NewChan[int](0)
	go func() {
		numbers.Send(producer, 7, record.Set("made", 7))
		numbers.Close(producer)
	}()
	numbers.ReceiveFunc(consumer, func(n int, ok bool) []record.Action {
		return []record.Action{record.Set("got", n)}
	})
	numbers.Receive(consumer, record.Label("closed"))
	if err := r.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"pota":1}
	// {"process":"producer","init":{}}
	// {"process":"consumer","init":{}}
	// {"process":"producer","set":{"made":7},"sync":"producer.1"}
	// {"process":"consumer","set":{"got":7},"sync":"producer.1"}
	// {"process":"producer"}
	// {"process":"consumer","after":"producer:2","label":"closed"}
}

// A Variable orders a write after the reads before it.
func ExampleVariable() {
	r := record.New(os.Stdout)
	turn := record.NewVariable(r, "turn", 1)
	p, q := r.Process("P"), r.Process("Q")
	turn.Write(p, 2)
	for turn.Read(q) != 2 {
	}
	turn.Write(p, 1)
	if err := r.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"pota":1}
	// {"shared":{"turn":1}}
	// {"process":"P","init":{}}
	// {"process":"Q","init":{}}
	// {"process":"P","set":{"turn":2}}
	// {"process":"Q","after":"P:1"}
	// {"process":"P","set":{"turn":1},"after":"Q:1"}
}

// The first process at a barrier waits; the events of all processes there are one step.
func ExampleBarrier() {
	r := record.New(io.Discard)
	barrier := record.NewBarrier(2)
	first, other := make(chan record.Ref), r.Process("other")
	go func() { first <- barrier.Wait(r.Process("first"), record.Set("round", 1)) }()
	fmt.Println(barrier.Wait(other, record.Set("round", 1)))
	fmt.Println(<-first)
	if err := r.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// other:1
	// first:1
}

// Each part of a distributed program has a file of its own: an event of one refers to an event of
// another, here by its id, which was sent in a way that is not recorded.
func ExampleCreate() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	here, err := record.Create(filepath.Join(dir, "here.jsonl"), record.WithFlushSends())
	if err != nil {
		fmt.Println(err)
		return
	}
	there, err := record.Create(filepath.Join(dir, "there.jsonl"), record.WithFlushEvery(time.Second))
	if err != nil {
		fmt.Println(err)
		return
	}
	var written record.Ref
	here.Process("writer").Send("reader", record.Mark(&written))
	there.Process("reader").Event(record.After(record.EventID(written.String())))
	if err := errors.Join(here.Close(), there.Close()); err != nil {
		fmt.Println(err)
	}
	for _, name := range []string{"here", "there"} {
		text, err := os.ReadFile(filepath.Join(dir, name+".jsonl"))
		if err != nil {
			fmt.Println(err)
		}
		fmt.Printf("%s:\n%s", name, text)
	}
	// Output:
	// here:
	// {"pota":1}
	// {"process":"writer","init":{}}
	// {"process":"writer","send":"writer.1","to":"reader"}
	// there:
	// {"pota":1}
	// {"process":"reader","init":{}}
	// {"process":"reader","after":"writer:1"}
}
