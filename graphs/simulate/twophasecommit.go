package simulate

import "github.com/pota-project/pota/graphs/record"

var twoPhaseCommit = Model{
	Name:         "two-phase-commit",
	Description:  "a coordinator and participants, who all commit a transaction or all abort it",
	MinProcesses: 3,
	Faults: []Fault{
		{"hasty", "atomic", "the coordinator decides by the first vote, and does not wait for the others"},
		{"commit-anyway", "backed", "a participant commits on its own, though its vote is no"},
		{"lose-decision", "decided", "a decision is lost on its way, and never sent again"},
		{"double-decision", "once", "a decision is sent twice, and the participant applies it each time"},
	},
	properties: []Property{
		{"atomic", `AG(forall i, j in "p*": !(state@i == "committed" && state@j == "aborted"))`},
		{"backed", `AG(forall i in "p*": state@i == "committed" -> decision@coordinator == "commit")`},
		{"decided", `forall i in "p*": AG(state@i == "prepared" -> AF state@i != "prepared")`},
		{"once", `AG(forall i in "p*": applied@i <= 1)`},
	},
	run: func(w *world) {
		// In FIFO channels the decision does not overtake the question.
		w.fifo = true
		c := play(&coordinator{process: w.process("coordinator", record.Set("tx", 0), record.Set("decision", ""))})
		for i := range w.n() - 1 {
			play(&participant{coordinator: c.process, process: w.process(name("p", i+1),
				record.Set("state", "working"), record.Set("applied", 0))})
		}
		c.later(2, "begin")
	},
}

// A coordinator leads transactions, one after the other (J. Gray, Notes on data base operating systems,
// 1978). It asks all participants, and decides to commit if all votes are yes.
type coordinator struct {
	*process
	tx      int
	votes   int
	refused bool // whether some vote is no
	done    int  // how many participants have applied the decision
}

// A participant votes, and applies the decision. After a vote of no it aborts in any case.
type participant struct {
	*process
	coordinator *process
	refused     bool
	times       int // how many times it has applied a decision on this transaction
}

// The messages of a transaction.
type (
	prepare  struct{}
	vote     struct{ yes bool }
	decision struct{ commit bool }
	applied  struct{}
)

// wake begins a transaction.
func (c *coordinator) wake(any) {
	// Four messages to or from each participant, and two events each.
	if !c.begin(8 * len(c.others())) {
		return
	}
	c.tx++
	c.votes, c.done = 0, 0
	c.refused = false
	for _, p := range c.others() {
		c.send(p, prepare{}, c.about("prepare")...)
	}
}

// about returns the label of an event of the transaction.
func (c *coordinator) about(label string) []record.Action {
	return []record.Action{record.Label(label), record.Set("tx", c.tx)}
}

// take counts a vote, or a participant that has applied the decision.
func (c *coordinator) take(m message) {
	switch b := m.body.(type) {
	case vote:
		c.receive(m, record.Set("tx", c.tx))
		c.votes++
		c.refused = c.refused || !b.yes
		enough := len(c.others())
		if c.faulty("hasty") {
			enough = 1
		}
		if c.votes == enough {
			c.decide()
		}
	case applied:
		c.receive(m, record.Set("tx", c.tx))
		if c.done++; c.done == len(c.others()) {
			c.later(2, "begin")
		}
	}
}

// decide sends all participants the decision. Under a fault, the decision to the first is lost or duplicated.
func (c *coordinator) decide() {
	label := "commit"
	if c.refused {
		label = "abort"
	}
	for i, p := range c.others() {
		about := append(c.about(label), record.Set("decision", label))
		if i == 0 && c.faulty("lose-decision") && c.chance(0.2) {
			c.lose(p, about...)
			continue
		}
		c.send(p, decision{!c.refused}, about...)
		if i == 0 && c.faulty("double-decision") && c.chance(0.5) {
			c.send(p, decision{!c.refused}, about...)
		}
	}
}

// take votes, or applies a decision.
func (p *participant) take(m message) {
	switch b := m.body.(type) {
	case prepare:
		p.times = 0
		p.receive(m, record.Set("applied", 0))
		// All votes are yes in over half of the transactions, however many participants there are.
		p.refused = p.chance(0.5 / float64(p.n()-1))
		label, state := "yes", "prepared"
		switch {
		case p.refused && p.faulty("commit-anyway"):
			label, state = "no", "committed"
		case p.refused:
			label, state = "no", "refused"
		}
		p.send(p.coordinator, vote{!p.refused}, record.Label(label), record.Set("state", state))
	case decision:
		state := "committed"
		if !b.commit || p.refused {
			state = "aborted"
		}
		p.times++
		p.receive(m, record.Set("state", state), record.Set("applied", p.times))
		if p.times == 1 {
			p.send(p.coordinator, applied{}, record.Label("done"))
		}
	}
}
