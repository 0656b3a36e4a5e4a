package simulate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs/record"
)

var primarySecondary = Model{
	Name:         "primary-secondary",
	Description:  "two processes act as primary and secondary, and choose successors",
	MinProcesses: 3,
	Faults: []Fault{
		{"presume", "pair", "a secondary names its successor to the primary before that one has agreed"},
		{"resign-early", "secondary", "a secondary resigns as soon as it has asked its successor"},
		{"abandon-early", "primary", "a primary resigns as soon as it has asked its successor"},
	},
	propertiesOf: func(n int) []Property {
		return []Property{
			{"primary", `AG(exists i: isPrimary@i)`},
			{"secondary", `AG(exists i: isSecondary@i)`},
			{"pair", "AG(" + somePair(n) + ")"},
			{"apart", `AG(forall i: !(isPrimary@i && isSecondary@i))`},
		}
	},
	run: func(w *world) {
		members := make([]*member, w.n())
		for i := range members {
			primary, secondary := "", ""
			switch i {
			case 0:
				secondary = name("P", 1)
			case 1:
				primary = name("P", 0)
			}
			members[i] = play(&member{process: w.process(name("P", i),
				record.Set("isPrimary", i == 0), record.Set("secondary", secondary),
				record.Set("isSecondary", i == 1), record.Set("primary", primary))})
		}
		members[0].partner = members[1].process
		members[1].partner = members[0].process
		members[0].later(2, "lead")
	},
}

// somePair says that some process is primary, another one is secondary, and each considers the
// other its partner.
func somePair(n int) string {
	var pairs []string
	for i := range n {
		for j := range n {
			if i != j {
				pairs = append(pairs,
					fmt.Sprintf(`isPrimary@P%d && secondary@P%d == "P%d" && isSecondary@P%d && primary@P%d == "P%d"`, i, i, j, j, j, i))
			}
		}
	}
	return strings.Join(pairs, " || ")
}

// A member is a process of the algorithm that S. D. Stoller, L. Unnikrishnan and Y. A. Liu check in
// Efficient detection of global properties in distributed systems using partial-order methods, CAV
// 2000. The successor takes its role before the partner turns to it, and the predecessor resigns
// after that. The primary begins every change, so that there is one at a time: of its own role, or
// of the role of the secondary, who then chooses a successor.
type member struct {
	*process
	partner *process // the secondary of the primary, and vice versa
}

// The messages of a change of the secondary.
type (
	choose struct{}                   // primary to secondary: choose a successor
	serve  struct{ primary *process } // secondary to successor: be secondary
	ready  struct{}                   // successor to primary: it is secondary
	// secondary to primary, by mistake: the successor will be secondary
	presumed struct{ successor *process }
	resign   struct{} // primary to the old secondary
)

// The messages of a change of the primary.
type (
	succeed struct{ secondary *process } // primary to successor: be primary
	// successor to secondary: it is primary now, in place of another
	follow  struct{ old *process }
	replace struct{ successor *process } // secondary to the old primary, which resigns
)

// gone informs the primary that its predecessor or the old secondary has resigned.
type gone struct{}

// wake begins a change, as the primary.
func (m *member) wake(any) {
	if !m.begin(11) {
		return
	}
	// The secondary is asked to choose its successor as often as the primary does.
	if m.chance(0.5) {
		m.send(m.partner, choose{})
		return
	}
	var resigns []record.Action
	if m.faulty("abandon-early") {
		resigns = noPrimary()
	}
	m.send(m.successor(), succeed{m.partner}, resigns...)
}

// successor draws a process that is neither primary nor secondary.
func (m *member) successor() *process {
	rest := slices.DeleteFunc(m.others(), func(p *process) bool { return p == m.partner })
	return rest[m.choose(len(rest))]
}

// take handles a message. A role change sets its variables in the event that receives the message,
// so that no cut lies between.
func (m *member) take(msg message) {
	switch b := msg.body.(type) {
	case choose:
		m.receive(msg)
		successor := m.successor()
		var resigns []record.Action
		if m.faulty("resign-early") {
			resigns = noSecondary()
		}
		m.send(successor, serve{m.partner}, resigns...)
		if m.faulty("presume") {
			m.send(m.partner, presumed{successor})
		}
	case serve:
		m.partner = b.primary
		m.receive(msg, record.Set("isSecondary", true), record.Set("primary", b.primary.name))
		m.send(b.primary, ready{})
	case presumed:
		m.receive(msg, record.Set("secondary", b.successor.name))
	case ready:
		// The old secondary may resign only when the successor is ready, so that there is always a
		// secondary.
		old := m.partner
		m.partner = msg.from
		m.receive(msg, record.Set("secondary", msg.from.name))
		m.send(old, resign{})
	case resign:
		m.receive(msg, noSecondary()...)
		m.send(msg.from, gone{})
	case succeed:
		m.partner = b.secondary
		m.receive(msg, record.Set("isPrimary", true), record.Set("secondary", b.secondary.name))
		m.send(b.secondary, follow{msg.from})
	case follow:
		m.partner = msg.from
		m.receive(msg, record.Set("primary", msg.from.name))
		m.send(b.old, replace{msg.from})
	case replace:
		m.receive(msg, noPrimary()...)
		m.send(b.successor, gone{})
	case gone:
		m.receive(msg)
		m.later(2, "lead")
	}
}

// noSecondary sets the variables of a process that is no longer secondary.
func noSecondary() []record.Action {
	return []record.Action{record.Set("isSecondary", false), record.Set("primary", "")}
}

// noPrimary sets the variables of a process that is no longer primary.
func noPrimary() []record.Action {
	return []record.Action{record.Set("isPrimary", false), record.Set("secondary", "")}
}
