//go:build ignore

// Lease logs, with log/slog, two workers that lease a lock for 20 ms. Its bug: when the time
// is over, the lock goes to the next worker, though the last one may not know yet. Here the
// last one has left in time, but its release arrives late.
//
//	go run lease.go > lease.log
package main

import (
	"log/slog"
	"os"
	"sync"
	"time"
)

// A message is sent to a node. Its id ties the line of the send to the line of the receive.
type message struct {
	id         int
	kind, from string
}

var (
	// mutex guards last, the id of the last message.
	mutex sync.Mutex
	last  int
	inbox = map[string]chan message{
		"lock":     make(chan message, 8),
		"worker-1": make(chan message, 8),
		"worker-2": make(chan message, 8),
	}
)

// logger returns the log of a node.
func logger(node string) *slog.Logger {
	return slog.New(slog.NewJSONHandler(os.Stdout, nil)).With("node", node)
}

// send logs and sends a message. A release is slow.
func send(log *slog.Logger, from, to, kind string) {
	mutex.Lock()
	last++
	m := message{last, kind, from}
	mutex.Unlock()
	log.Info("send "+kind, "id", m.id, "to", to)
	if kind == "release" {
		// The release arrives when the lease is over, and the next one may have begun.
		time.AfterFunc(12*time.Millisecond, func() { inbox[to] <- m })
		return
	}
	inbox[to] <- m
}

// receive waits for a message and logs it.
func receive(log *slog.Logger, node string) message {
	m := <-inbox[node]
	log.Info("receive "+m.kind, "id", m.id)
	return m
}

// lock grants the lease to one worker after the other.
func lock() {
	log := logger("lock")
	var waiting []string
	grant := func(to string) {
		log.Info("lease begins", "holder", to)
		send(log, "lock", to, "grant")
	}
	holder := ""
	// Nobody has a lease at first, so that none ends.
	ends := make(<-chan time.Time)
	for {
		select {
		case m := <-inbox["lock"]:
			log.Info("receive "+m.kind, "id", m.id)
			switch {
			// Its lease is over: it has nothing to release.
			case m.kind == "release" && m.from != holder:
				continue
			case m.kind == "release":
				holder = ""
				log.Info("lease ends", "holder", "")
			default:
				waiting = append(waiting, m.from)
			}
		case <-ends:
			holder = ""
			log.Info("lease is over", "holder", "")
		}
		if holder == "" && len(waiting) > 0 {
			holder, waiting = waiting[0], waiting[1:]
			grant(holder)
			ends = time.After(20 * time.Millisecond)
		}
	}
}

// worker acquires the lease after a while, works, and releases it.
func worker(node string, first, work time.Duration) {
	log := logger(node)
	time.Sleep(first)
	send(log, node, "lock", "acquire")
	receive(log, node)
	log.Info("enter", "writing", true)
	time.Sleep(work)
	log.Info("leave", "writing", false)
	send(log, node, "lock", "release")
}

func main() {
	go lock()
	var all sync.WaitGroup
	all.Go(func() { worker("worker-1", 0, 12*time.Millisecond) })
	all.Go(func() { worker("worker-2", 2*time.Millisecond, 5*time.Millisecond) })
	all.Wait()
	// The last release is still on its way.
	time.Sleep(15 * time.Millisecond)
}
