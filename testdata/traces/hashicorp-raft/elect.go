//go:build ignore

// Elect runs three nodes of github.com/hashicorp/raft, cuts the first leader off and joins it
// again. Each node logs into a file.
package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
)

// fsm is a state machine without state: only the elections matter.
type fsm struct{}

func (fsm) Apply(*raft.Log) any                 { return nil }
func (fsm) Snapshot() (raft.FSMSnapshot, error) { return nil, fmt.Errorf("none") }
func (fsm) Restore(r io.ReadCloser) error       { return r.Close() }

func main() {
	var servers []raft.Server
	var transports []*raft.InmemTransport
	for i := 1; i <= 3; i++ {
		// Nodes reach each other through memory, so that a test can cut one off.
		name := fmt.Sprintf("node%d", i)
		addr, t := raft.NewInmemTransport(raft.ServerAddress(name))
		servers = append(servers, raft.Server{ID: raft.ServerID(name), Address: addr})
		transports = append(transports, t)
	}
	// connect lets two nodes reach each other.
	connect := func(i, j int) {
		transports[i].Connect(servers[j].Address, transports[j])
		transports[j].Connect(servers[i].Address, transports[i])
	}
	connect(0, 1)
	connect(0, 2)
	connect(1, 2)
	var nodes []*raft.Raft
	for i := range servers {
		// A log for each node, as services have it.
		f, err := os.Create(string(servers[i].ID) + ".log")
		if err != nil {
			panic(err)
		}
		c := raft.DefaultConfig()
		c.LocalID = servers[i].ID
		// Shorter than by default, so that elections take less than a second.
		c.HeartbeatTimeout = 200 * time.Millisecond
		c.ElectionTimeout = 200 * time.Millisecond
		c.LeaderLeaseTimeout = 100 * time.Millisecond
		c.Logger = hclog.New(&hclog.LoggerOptions{
			Name: "raft",
			// Votes are logged at this level only.
			Level:      hclog.Debug,
			Output:     f,
			TimeFormat: "2006-01-02T15:04:05.000Z0700",
		})

		// Nothing is restarted, so that nothing has to outlast the program.
		s := raft.NewInmemStore()
		snap := raft.NewInmemSnapshotStore()
		members := raft.Configuration{Servers: servers}
		if err := raft.BootstrapCluster(c, s, s, snap, transports[i], members); err != nil {
			panic(err)
		}
		r, err := raft.NewRaft(c, fsm{}, s, s, snap, transports[i])
		if err != nil {
			panic(err)
		}
		nodes = append(nodes, r)
	}
	// leader waits until a node is leader, and returns its number.
	leader := func() int {
		for {
			for i, n := range nodes {
				if n.State() == raft.Leader {
					return i
				}
			}
			time.Sleep(10 * time.Millisecond)
		}
	}

	// The leader goes on as one until its lease ends; the others elect another.
	l := leader()
	time.Sleep(300 * time.Millisecond)
	for j := range servers {
		if j != l {
			transports[l].Disconnect(servers[j].Address)
			transports[j].Disconnect(servers[l].Address)
		}
	}
	// Long enough for the lease to end and for the others to elect one of them.
	time.Sleep(900 * time.Millisecond)
	for j := range servers {
		if j != l {
			connect(l, j)
		}
	}
	// Long enough for the old leader to hear of the new term, and to give way.
	time.Sleep(600 * time.Millisecond)
	for _, n := range nodes {
		// Error waits for the end of a node, and so for the end of its log.
		n.Shutdown().Error()
	}
}
