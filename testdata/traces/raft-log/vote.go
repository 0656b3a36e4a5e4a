//go:build ignore

// Vote lets three nodes of go.etcd.io/raft elect leaders in one goroutine, and writes their log.
package main

import (
	"log"
	"os"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
)

func main() {
	// All nodes write one log, and each line names its node.
	logger := &raft.DefaultLogger{Logger: log.New(os.Stdout, "raft", log.LstdFlags)}
	peers := []raft.Peer{{ID: 1}, {ID: 2}, {ID: 3}}
	// A raw node does nothing by itself, so that the order of all that happens is ours.
	nodes := make(map[uint64]*raft.RawNode)
	stores := make(map[uint64]*raft.MemoryStorage)
	for _, p := range peers {
		stores[p.ID] = raft.NewMemoryStorage()
		n, err := raft.NewRawNode(&raft.Config{
			ID:              p.ID,
			ElectionTick:    1 << 20, // the clock stands still: nodes campaign when they are told to
			HeartbeatTick:   1,
			Storage:         stores[p.ID],
			MaxSizePerMsg:   1 << 12,
			MaxInflightMsgs: 16,
			Logger:          logger,
		})
		if err == nil {
			err = n.Bootstrap(peers)
		}
		if err != nil {
			panic(err)
		}
		nodes[p.ID] = n
	}
	// Messages wait here, in the order of sending.
	var wire []*raftpb.Message

	// settle delivers messages, the first one first, until all nodes are at rest.
	settle := func() {
		for busy := true; busy; {
			busy = false
			for id := uint64(1); id <= 3; id++ {
				for nodes[id].HasReady() {
					busy = true
					rd := nodes[id].Ready()
					// State is stored before messages are sent, as Raft asks for.
					stores[id].Append(rd.Entries)
					if !raft.IsEmptyHardState(rd.HardState) {
						stores[id].SetHardState(rd.HardState)
					}
					wire = append(wire, rd.Messages...)
					// The first entries add the nodes; before that, nobody can be elected.
					for _, e := range rd.CommittedEntries {
						if e.GetType() == raftpb.EntryConfChange {
							var cc raftpb.ConfChange
							proto.Unmarshal(e.GetData(), &cc)
							nodes[id].ApplyConfChange(&cc)
						}
					}
					nodes[id].Advance(rd)
				}
			}
			if len(wire) > 0 {
				// One message at a time, and then all that has become ready.
				m := wire[0]
				wire = wire[1:]
				nodes[m.GetTo()].Step(m)
				busy = true
			}
		}
	}

	// An undisturbed election, two candidates at once, and one more of the loser.
	settle()
	// The first candidate meets nobody, and wins.
	nodes[1].Campaign()
	settle()
	// Both vote for themselves, and the third node decides.
	nodes[2].Campaign()
	nodes[3].Campaign()
	settle()
	// The log of the loser is as long as others, so it wins in the next term.
	nodes[3].Campaign()
	settle()
}
