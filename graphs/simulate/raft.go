package simulate

import (
	"fmt"
	"io"
	"log"
	"slices"
	"strings"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"

	"github.com/pota-project/pota/graphs/record"
)

const (
	forgetVote = "forget-vote"
	cutOff     = "cut-off"
)

var raftModel = Model{
	Name:         "raft",
	Description:  "go.etcd.io/raft itself, on a network that loses messages and changes their order",
	MinProcesses: 3,
	endless:      true,
	Faults: []Fault{
		{forgetVote, "one-leader", "a node that restarts has forgotten for whom it voted"},
		{cutOff, "commits", "one node is cut off from the others"},
	},
	properties: func(int) []Property {
		return []Property{
			{"one-leader", `AG(forall i != j: !(role@i == "leader" && role@j == "leader" && term@i == term@j))`},
			{"elects", `AF(exists i: role@i == "leader")`},
			{"commits", `forall i: AF(commit@i > 0)`},
			{"votes", `AG(forall i: role@i != "follower" -> vote@i != 0)`},
			{"settles", `forall i: AG(AF role@i != "candidate")`},
		}
	},
	run: func(w *world) {
		c := &cluster{world: w}
		w.loss = 0.1
		for id := range w.n() {
			c.voters = append(c.voters, uint64(id+1))
		}
		for i := range c.voters {
			c.nodes = append(c.nodes, newRaftNode(c, i))
		}
		for _, n := range c.nodes {
			n.alarm()
			n.watch()
		}
		w.settle()
		c.heal()
	},
}

// A cluster is what the nodes have in common.
type cluster struct {
	*world
	voters []uint64
	nodes  []*raftNode
}

// heal makes the network reliable and lets a leader bring all nodes up to date.
func (c *cluster) heal() {
	c.loss = 0
	for range 100 {
		nodes := c.living()
		if c.stopped || len(nodes) == 0 || agreed(nodes) {
			return
		}
		if l := lastLeader(nodes); l.role == raft.StateLeader {
			l.beat()
		} else {
			nodes[c.IntN(len(nodes))].campaign()
		}
		c.settle()
	}
}

// lastLeader returns a node with the greatest term, the leader if it is one's.
func lastLeader(nodes []*raftNode) *raftNode {
	last := nodes[0]
	for _, n := range nodes {
		if n.term > last.term || n.term == last.term && n.role == raft.StateLeader {
			last = n
		}
	}
	return last
}

// agreed reports whether all follow one leader and have committed the same.
func agreed(nodes []*raftNode) bool {
	l := lastLeader(nodes)
	for _, n := range nodes {
		if n.term != l.term || n.commit != l.commit || n != l && n.role != raft.StateFollower {
			return false
		}
	}
	return l.role == raft.StateLeader && l.commit > 0
}

// isCutOff reports whether the fault keeps messages from and to n.
func (c *cluster) isCutOff(n *raftNode) bool { return n.index == 0 && c.faulty(cutOff) }

// living returns the nodes that can agree.
func (c *cluster) living() []*raftNode {
	return slices.DeleteFunc(slices.Clone(c.nodes),
		func(n *raftNode) bool { return n.dead || c.isCutOff(n) })
}

// A raftNode is a process that runs a raft.RawNode. The library's election timeout
// cannot be seeded, so that its clock stands still and the world says when a node
// campaigns; heartbeats are ticks of one unit.
type raftNode struct {
	*process
	cluster *cluster
	index   int
	raw     *raft.RawNode
	storage *raft.MemoryStorage
	heard   int64 // when, of a leader
	dead    bool  // after a panic

	term, vote, commit uint64 // as recorded
	role               raft.StateType
}

// never is an election timeout, in ticks, that does not end.
const never = 1 << 30

// newRaftNode declares a node. The members are in a snapshot, as if they had been there for long.
func newRaftNode(c *cluster, index int) *raftNode {
	n := &raftNode{cluster: c, index: index, storage: raft.NewMemoryStorage(),
		process: c.process(name("n", index+1),
			record.Set("term", 0), record.Set("vote", 0), record.Set("commit", 0),
			record.Set("role", roleName(raft.StateFollower)))}
	n.handle = n.take
	n.check(n.storage.ApplySnapshot(&raftpb.Snapshot{Metadata: &raftpb.SnapshotMetadata{ConfState: n.voters()}}))
	n.boot()
	return n
}

// voters is the membership. It never changes here.
func (n *raftNode) voters() *raftpb.ConfState { return &raftpb.ConfState{Voters: n.cluster.voters} }

// boot makes a node from storage.
func (n *raftNode) boot() {
	raw, err := raft.NewRawNode(&raft.Config{
		ID: uint64(n.index + 1), Storage: n.storage, Logger: quiet,
		ElectionTick: never, HeartbeatTick: 1, MaxSizePerMsg: 1 << 12, MaxInflightMsgs: 16,
	})
	n.check(err)
	n.raw = raw
}

// check notes an error of the library and ends the run.
func (n *raftNode) check(err error) {
	if err != nil && n.err == nil {
		n.err = fmt.Errorf("raft: %w", err)
		n.stopped = true
	}
}

// alarm makes the node do something by itself now and then, until the run is long
// enough: it restarts, and a leader sends heartbeats and proposes.
func (n *raftNode) alarm() {
	n.after(2, func() {
		switch leads := n.role == raft.StateLeader; {
		case n.events >= n.config.Events:
			return
		case n.chance(0.02), leads && n.chance(0.2):
			n.restart()
		case leads && n.chance(0.5):
			n.beat()
		case leads:
			n.propose()
		}
		n.alarm()
	})
}

// patience is how long a node waits for a leader before it campaigns. Patience of
// much the same length makes elections with several candidates.
const patience = 8 * meanDelay

// watch campaigns when no leader was heard of for long.
func (n *raftNode) watch() {
	due := n.heard + patience + n.Int64N(patience/2)
	n.at(max(n.now, due), func() {
		switch {
		case n.events >= n.config.Events:
			return
		case n.role == raft.StateLeader:
			n.heard = n.now
		case n.now >= n.heard+patience:
			n.heard = n.now
			n.campaign()
		}
		n.watch()
	})
}

// A node does these by itself: beat is a heartbeat, campaign stands for election, propose adds an
// entry.
func (n *raftNode) beat()     { n.act(func() error { n.raw.Tick(); return nil }) }
func (n *raftNode) campaign() { n.act(n.raw.Campaign) }
func (n *raftNode) propose()  { n.act(func() error { return n.raw.Propose([]byte("x")) }) }

// act makes the library do something.
func (n *raftNode) act(do func() error) {
	n.guard(func() {
		n.check(do())
		n.advance(n.event)
	})
}

// guard lets a node crash. The library panics on contradictory messages, as two leaders in one term
// send them.
func (n *raftNode) guard(do func()) {
	defer func() {
		if v := recover(); v != nil {
			if !n.faulty(forgetVote) {
				panic(v)
			}
			n.dead, n.role = true, raft.StateFollower
			n.event(record.Set("role", roleName(n.role)), record.Label(fmt.Sprint("panic: ", v)))
		}
	}()
	if !n.dead {
		do()
	}
}

// restart loses all but storage.
func (n *raftNode) restart() {
	if n.dead {
		return
	}
	if n.faulty(forgetVote) {
		state, _, err := n.storage.InitialState()
		n.check(err)
		n.check(n.storage.SetHardState(&raftpb.HardState{Term: new(state.GetTerm()),
			Vote: new(uint64(0)), Commit: new(state.GetCommit())}))
	}
	n.boot()
	n.heard = n.now
	n.event(append(n.changes(), record.Label("restart"))...)
}

// take hands a message to the library. Half of the nodes that vote restart at once: that is when
// they could forget.
func (n *raftNode) take(m message) {
	body := m.body.(*raftpb.Message)
	n.guard(func() {
		voted := n.vote
		n.check(n.raw.Step(body))
		n.advance(func(actions ...record.Action) { n.receive(m, actions...) })
		if n.vote != voted && n.vote != 0 && (n.faulty(forgetVote) || n.chance(0.5)) {
			n.restart()
		}
		if body.GetTerm() == n.term && (body.GetType() == raftpb.MsgApp ||
			body.GetType() == raftpb.MsgHeartbeat) {
			n.heard = n.now
		}
	})
}

// advance does what the library asks for: it stores, records and sends. first records the first
// event, the one that caused this.
func (n *raftNode) advance(first func(...record.Action)) {
	for n.raw.HasReady() && !n.stopped {
		ready := n.raw.Ready()
		n.store(ready)
		if changes := n.changes(); first != nil || len(changes) > 0 {
			if first == nil {
				first = n.event
			}
			first(changes...)
			first = nil
		}
		for _, m := range ready.Messages {
			n.transmit(m)
		}
		n.raw.Advance(ready)
	}
	if first != nil {
		first(n.changes()...)
	}
}

// The log is cut off once it has this many entries, and keeps this many.
const (
	longLog  = 200
	shortLog = 50
)

// store makes durable what has to be before messages are sent.
func (n *raftNode) store(ready raft.Ready) {
	if !raft.IsEmptySnap(ready.Snapshot) {
		n.check(n.storage.ApplySnapshot(ready.Snapshot))
	}
	n.check(n.storage.Append(ready.Entries))
	if !raft.IsEmptyHardState(ready.HardState) {
		n.check(n.storage.SetHardState(ready.HardState))
	}
	first, err := n.storage.FirstIndex()
	n.check(err)
	if commit := n.raw.BasicStatus().Applied; commit > first+longLog {
		_, err := n.storage.CreateSnapshot(commit-shortLog, n.voters(), nil)
		n.check(err)
		n.check(n.storage.Compact(commit - shortLog))
	}
}

// changes returns assignments of what has changed since it was recorded.
func (n *raftNode) changes() []record.Action {
	status := n.raw.BasicStatus()
	var actions []record.Action
	number := func(variable string, recorded *uint64, now uint64) {
		if *recorded != now {
			*recorded = now
			actions = append(actions, record.Set(variable, now))
		}
	}
	number("term", &n.term, status.GetTerm())
	number("vote", &n.vote, status.GetVote())
	number("commit", &n.commit, status.GetCommit())
	if n.role != status.RaftState {
		n.role = status.RaftState
		actions = append(actions, record.Set("role", roleName(n.role)))
	}
	return actions
}

// roleName is the value of the variable role. Candidates before the election proper count as
// candidates.
func roleName(s raft.StateType) string {
	switch s {
	case raft.StateLeader:
		return "leader"
	case raft.StateFollower:
		return "follower"
	}
	return "candidate"
}

// transmit sends a message of the library.
func (n *raftNode) transmit(m *raftpb.Message) {
	to := n.cluster.nodes[m.GetTo()-1]
	label := record.Label(strings.TrimPrefix(m.GetType().String(), "Msg"))
	if n.cluster.isCutOff(n) || n.cluster.isCutOff(to) || n.diverged() {
		n.lose(to.process, label)
	} else {
		n.send(to.process, m, label)
	}
	if m.GetType() == raftpb.MsgSnap {
		// A snapshot that is lost is sent again when the node is found to lag.
		n.raw.ReportSnapshot(m.GetTo(), raft.SnapshotFinish)
	}
}

// diverged reports whether the network goes down because the run does not come to
// an end: after two leaders in one term, nodes that have committed different
// entries may correct each other for ever.
func (n *raftNode) diverged() bool {
	return n.faulty(forgetVote) && n.events > 2*n.config.Events+1000
}

// quiet is a logger that writes nothing, and panics where the library does.
var quiet = silent{&raft.DefaultLogger{Logger: log.New(io.Discard, "", 0)}}

type silent struct{ *raft.DefaultLogger }

// The frequent messages are not even formatted.
func (silent) Infof(string, ...any)    {}
func (silent) Warningf(string, ...any) {}
