package simulate

import (
	"slices"

	"github.com/pota-project/pota/graphs/record"
)

// raftModel follows Ongaro and Ousterhout, In Search of an Understandable Consensus Algorithm
// (2014), Figure 2. Entries have no content but the term that they were proposed in.
var raftModel = Model{
	Name:         "raft",
	Description:  "Raft, on a network that loses messages and changes their order, with nodes that restart",
	MinProcesses: 3,
	endless:      true,
	Faults: []Fault{
		{"forget-vote", "one-leader", "a node that restarts has forgotten for whom it voted"},
		{"cut-off", "commits", "one node is cut off from the others"},
	},
	properties: []Property{
		{"one-leader", `AG(forall i != j: !(role@i == "leader" && role@j == "leader" && term@i == term@j))`},
		{"elects", `AF(exists i: role@i == "leader")`},
		{"commits", `forall i: AF(commit@i > 0)`},
		{"votes", `AG(forall i: role@i != "follower" -> vote@i != 0)`},
		{"settles", `forall i: AG(AF role@i != "candidate")`},
	},
	run: func(w *world) {
		c := &cluster{world: w}
		w.loss = 0.1
		for i := range w.n() {
			start := raftState{role: roleFollower}
			c.nodes = append(c.nodes, play(&raftNode{
				process: c.process(name("n", i+1), record.Set("term", 0), record.Set("vote", 0),
					record.Set("commit", 0), record.Set("role", roleFollower)),
				cluster: c, index: i, raftState: start, recorded: start,
			}))
		}
		for _, n := range c.nodes {
			n.alarm()
			n.watch()
		}
		w.settle()
		c.heal()
	},
}

// A cluster is the state that the nodes share.
type cluster struct {
	*world
	nodes []*raftNode
}

// heal makes the network reliable and lets a leader bring all nodes up to date.
func (c *cluster) heal() {
	c.loss = 0
	nodes := slices.DeleteFunc(slices.Clone(c.nodes), c.isCutOff)
	// A fault may leave logs that no leader can reconcile. In that case the run ends as it is.
	for range 100 {
		// The leaders of the greatest term that a node knows of.
		last := slices.MaxFunc(nodes, func(n, m *raftNode) int { return n.term - m.term }).term
		leaders := slices.DeleteFunc(slices.Clone(nodes),
			func(n *raftNode) bool { return n.term != last || n.role != roleLeader })
		if c.stopped || agreed(nodes, leaders) {
			return
		}
		// Two leaders in one term end in the next term.
		if len(leaders) == 1 {
			leaders[0].beat()
		} else {
			nodes[c.IntN(len(nodes))].campaign()
		}
		c.settle()
	}
}

// agreed reports whether all nodes follow one leader and have committed the same entries.
func agreed(nodes, leaders []*raftNode) bool {
	return len(leaders) == 1 && leaders[0].commit > 0 &&
		!slices.ContainsFunc(nodes, func(n *raftNode) bool {
			l := leaders[0]
			return n.term != l.term || n.commit != l.commit || n != l && n.role != roleFollower
		})
}

// isCutOff reports whether the fault keeps messages from and to n.
func (c *cluster) isCutOff(n *raftNode) bool { return n.index == 0 && c.faulty("cut-off") }

// isMajority reports whether a number of nodes is a majority.
func (c *cluster) isMajority(nodes int) bool { return 2*nodes > len(c.nodes) }

// The roles, as they are recorded.
const (
	roleFollower  = "follower"
	roleCandidate = "candidate"
	roleLeader    = "leader"
)

// A raftNode is a process that takes part.
//
//	(1) entries are numbered from 1; log[k-1] is the term of entry k
//	(2) vote is 0, or 1 more than the index of the node that was voted for in term
//	(3) entries up to commit are on a majority of nodes
//	(4) for a candidate, supporters are the nodes that voted for it in term
//	(5) for a leader, entries up to match[i] are on node i, and entry next[i] is sent to it next
//	(6) the messages in outbox are sent after the next event
type raftNode struct {
	*process
	cluster *cluster
	index   int
	heard   int64 // when it last heard from a leader
	outbox  []*raftMessage

	raftState
	log        []int
	supporters map[int]bool
	next       []int
	match      []int

	recorded raftState
}

// A raftState is the recorded state of a node.
type raftState struct {
	term, vote, commit int
	role               string
}

// A raftMessage asks for a vote, sends entries, or answers one of these.
type raftMessage struct {
	kind     string
	from, to int
	term     int
	accepts  bool // whether an answer accepts

	// The entry before those sent, the last one of a candidate, or the last one known to match.
	index   int
	logTerm int
	entries []int
	commit  int
}

// The kinds of messages, as they are labelled. An append without entries is a heartbeat.
const (
	askVote      = "Vote"
	answerVote   = "VoteResp"
	appendLog    = "App"
	answerAppend = "AppResp"
)

// alarm makes the node act spontaneously from time to time, until the run is long enough: it restarts,
// and a leader sends heartbeats and proposes entries.
func (n *raftNode) alarm() {
	n.after(2, func() {
		switch leads := n.role == roleLeader; {
		case n.events >= n.config.Events:
			return
		// Leaders restart often, because this causes elections.
		case n.chance(0.02), leads && n.chance(0.2):
			n.restart()
		case leads && n.chance(0.5):
			n.beat()
		case leads: // propose an entry
			n.log = append(n.log, n.term)
			n.beat()
		}
		n.alarm()
	})
}

// patience is how long a node waits for a leader before it campaigns. Similar
// waiting times cause elections with several candidates.
const patience = 8 * meanDelay

// watch campaigns if the node has not heard from a leader for long.
func (n *raftNode) watch() {
	due := n.heard + patience + n.Int64N(patience/2)
	n.at(max(n.now, due), func() {
		switch {
		case n.events >= n.config.Events:
			return
		case n.role == roleLeader:
			n.heard = n.now
		case n.now >= n.heard+patience:
			n.heard = n.now
			n.campaign()
		}
		n.watch()
	})
}

// beat sends each node the entries that it lacks, or a heartbeat.
func (n *raftNode) beat() {
	n.sendLog()
	n.record(n.event)
}

// campaign stands for election in a new term.
func (n *raftNode) campaign() {
	n.term++
	n.vote = n.index + 1
	n.role = roleCandidate
	n.supporters = map[int]bool{n.index: true}
	for to := range n.cluster.nodes {
		if to != n.index {
			n.post(&raftMessage{kind: askVote, to: to, index: len(n.log), logTerm: n.termOf(len(n.log))})
		}
	}
	n.record(n.event)
}

// restart loses all state that is not on disk: only term, vote and log remain.
func (n *raftNode) restart() {
	if n.faulty("forget-vote") {
		n.vote = 0
	}
	n.role = roleFollower
	n.heard = n.now
	n.event(append(n.changes(), record.Label("restart"))...)
}

// take handles a message. Half of the nodes that vote restart at once, which is when they could
// forget their votes.
func (n *raftNode) take(m message) {
	voted := n.vote
	n.step(m.body.(*raftMessage))
	n.record(func(actions ...record.Action) { n.receive(m, actions...) })
	if n.vote != voted && n.vote != 0 && (n.faulty("forget-vote") || n.chance(0.5)) {
		n.restart()
	}
}

// step changes the state according to the message. Answers to messages of an earlier term, or of
// another role, are ignored.
func (n *raftNode) step(m *raftMessage) {
	if m.term > n.term {
		n.term = m.term
		n.vote = 0
		n.role = roleFollower
	}
	current := m.term == n.term
	switch {
	case m.kind == askVote:
		n.considerVote(m)
	case m.kind == answerVote && current && n.role == roleCandidate && m.accepts:
		n.supporters[m.from] = true
		if n.cluster.isMajority(len(n.supporters)) {
			n.lead()
		}
	// A second leader in a term breaks the protocol. A leader ignores it.
	case m.kind == appendLog && !(current && n.role == roleLeader):
		n.considerLog(m)
	case m.kind == answerAppend && current && n.role == roleLeader && m.accepts:
		n.match[m.from] = max(n.match[m.from], m.index)
		n.next[m.from] = n.match[m.from] + 1
		n.commitMajority()
	case m.kind == answerAppend && current && n.role == roleLeader:
		// The node lacks the entry before those sent: send it, too.
		n.next[m.from] = max(1, min(n.next[m.from]-1, m.index+1))
		n.sendTo(m.from)
	}
}

// considerVote votes for a candidate that knows as much as n, once in a term.
func (n *raftNode) considerVote(m *raftMessage) {
	lastTerm := n.termOf(len(n.log))
	knows := m.logTerm > lastTerm || m.logTerm == lastTerm && m.index >= len(n.log)
	accepts := m.term == n.term && knows && (n.vote == 0 || n.vote == m.from+1)
	if accepts {
		n.vote = m.from + 1
		n.heard = n.now
	}
	n.post(&raftMessage{kind: answerVote, to: m.from, accepts: accepts})
}

// lead begins to lead. Only an entry of its own term lets a leader commit earlier ones (section
// 5.4.2), so it proposes one.
func (n *raftNode) lead() {
	n.role = roleLeader
	n.match = make([]int, len(n.cluster.nodes))
	n.next = make([]int, len(n.cluster.nodes))
	for i := range n.next {
		n.next[i] = len(n.log) + 1
	}
	n.log = append(n.log, n.term)
	n.sendLog()
}

// sendLog sends each node the entries that it lacks.
func (n *raftNode) sendLog() {
	for to := range n.cluster.nodes {
		if to != n.index {
			n.sendTo(to)
		}
	}
}

// sendTo sends a node the entries that it may lack.
func (n *raftNode) sendTo(to int) {
	before := n.next[to] - 1
	n.post(&raftMessage{
		kind:    appendLog,
		to:      to,
		index:   before,
		logTerm: n.termOf(before),
		entries: n.log[before:],
		commit:  n.commit,
	})
}

// considerLog adopts the entries of a leader, if n has the one before them.
func (n *raftNode) considerLog(m *raftMessage) {
	answer := &raftMessage{kind: answerAppend, to: m.from, index: len(n.log)}
	// The answer is changed below, before it is sent.
	n.post(answer)
	if m.term < n.term {
		return
	}
	n.role = roleFollower
	n.heard = n.now
	if m.index > len(n.log) || n.termOf(m.index) != m.logTerm {
		answer.index = min(answer.index, m.index-1)
		return
	}
	for i, term := range m.entries {
		k := m.index + i
		if k < len(n.log) && n.log[k] == term {
			continue
		}
		// A message in transit may share the array, so the array is not changed in place.
		if k < len(n.log) {
			n.log = slices.Clone(n.log[:k])
		}
		n.log = append(n.log, m.entries[i:]...)
		break
	}
	answer.accepts = true
	answer.index = m.index + len(m.entries)
	n.commit = max(n.commit, min(m.commit, answer.index))
}

// commitMajority commits the entries that a majority has, if the last of them is of the leader's term.
func (n *raftNode) commitMajority() {
	for k := len(n.log); k > n.commit && n.log[k-1] == n.term; k-- {
		holders := 1
		for _, last := range n.match {
			if last >= k {
				holders++
			}
		}
		if n.cluster.isMajority(holders) {
			n.commit = k
			return
		}
	}
}

// termOf returns the term of an entry; 0 if there is none.
func (n *raftNode) termOf(entry int) int {
	if entry == 0 || entry > len(n.log) {
		return 0
	}
	return n.log[entry-1]
}

// post puts a message into the outbox, to be sent after the next event.
func (n *raftNode) post(m *raftMessage) {
	m.from = n.index
	m.term = n.term
	n.outbox = append(n.outbox, m)
}

// record records an event with what has changed, and sends the messages that it causes.
func (n *raftNode) record(event func(...record.Action)) {
	event(n.changes()...)
	for _, m := range n.outbox {
		to := n.cluster.nodes[m.to]
		label := record.Label(m.kind)
		if n.cluster.isCutOff(n) || n.cluster.isCutOff(to) {
			n.lose(to.process, label)
		} else {
			n.send(to.process, m, label)
		}
	}
	n.outbox = nil
}

// changes returns assignments for the recorded state that has changed since the last record.
func (n *raftNode) changes() []record.Action {
	var actions []record.Action
	number := func(variable string, old, now int) {
		if old != now {
			actions = append(actions, record.Set(variable, now))
		}
	}
	number("term", n.recorded.term, n.term)
	number("vote", n.recorded.vote, n.vote)
	number("commit", n.recorded.commit, n.commit)
	if n.recorded.role != n.role {
		actions = append(actions, record.Set("role", n.role))
	}
	n.recorded = n.raftState
	return actions
}
