package simulate

import (
	"time"

	"github.com/pota-project/pota/graphs/record"
)

// Times of the model. A unit of the world is 10 µs, so that a message takes 10 ms on average.
const (
	unitsInSecond = 100_000
	lease         = 100 * meanDelay
	clocksAgree   = 5 * meanDelay // how late a clock may be
)

var leases = Model{
	Name:         "leases",
	Description:  "a server leases a lock, and no message ends a lease; to be decided with --skew 50ms",
	MinProcesses: 3,
	Skew:         timeOf(clocksAgree),
	Faults: []Fault{
		{"no-guard", "lock", "the server believes that the clocks of all clients show the same as its own"},
		{"overstay", "lock", "a client goes on for as long again after its lease has ended"},
	},
	endless: true,
	properties: []Property{
		{"lock", `AG(forall i != j: !(holds@i && holds@j))`},
		{"granted", `forall i: AG(waits@i -> AF holds@i)`},
	},
	run: func(w *world) {
		s := play(&leaseServer{process: w.process("locks", record.Set("waits", false), record.Set("holds", false))})
		for i := range w.n() - 1 {
			// Each clock is late by a different time, within the promised bound.
			c := play(&leaseClient{server: s, late: w.Int64N(clocksAgree + 1), process: w.process(name("c", i+1),
				record.Set("waits", false), record.Set("holds", false))})
			c.after(20, c.ask)
		}
	},
}

// timeOf returns a time of the world as a duration.
func timeOf(units int64) time.Duration { return time.Duration(units) * time.Second / unitsInSecond }

// at returns the time of an event according to a clock.
func at(units int64) record.At { return record.At(float64(units) / unitsInSecond) }

// A leaseServer grants leases (C. Gray and D. Cheriton, Leases: an efficient fault-tolerant mechanism for
// distributed file cache consistency, 1989). A lease ends at a time that the grant names. The server
// grants the next one when the lease has ended by all clocks, or when its holder gives it up. The clock of
// the server is correct.
type leaseServer struct {
	*process
	waiting []*process
	holder  *process
	until   int64 // when the last lease ends
	looks   bool  // whether a check is scheduled that the lease is over
}

// A leaseClient asks for the lock again and again.
type leaseClient struct {
	*process
	server *leaseServer
	late   int64 // how late its clock is
	until  int64 // when its lease ends, by its clock
}

// Messages between them.
type (
	leaseWanted  struct{}
	leaseGranted struct{ until int64 }
	leaseGivenUp struct{ until int64 }
)

// clock returns the time that the client's clock shows. The offset keeps it from being negative.
func (c *leaseClient) clock() int64 { return c.now + clocksAgree - c.late }

func (s *leaseServer) clock() int64 { return s.now + clocksAgree }

// take handles a request for the lock, or its release.
func (s *leaseServer) take(m message) {
	s.receive(m, at(s.clock()))
	switch b := m.body.(type) {
	case leaseWanted:
		s.waiting = append(s.waiting, m.from)
	case leaseGivenUp:
		// The release of an older lease is ignored.
		if s.holder == m.from && s.until == b.until {
			s.until, s.holder = 0, nil
		}
	}
	s.grant()
}

// grant grants the lock to the client that has waited longest, as soon as the last lease is over.
func (s *leaseServer) grant() {
	if len(s.waiting) == 0 {
		return
	}
	over := s.until + clocksAgree
	if s.faulty("no-guard") || s.holder == nil {
		over = s.until
	}
	if s.clock() > over {
		s.holder, s.waiting = s.waiting[0], s.waiting[1:]
		s.until = s.clock() + lease
		s.send(s.holder, leaseGranted{s.until}, at(s.clock()))
		s.grant() // the next one later
		return
	}
	if !s.looks {
		s.looks = true
		s.at(over-clocksAgree+1, func() {
			s.looks = false
			s.grant()
		})
	}
}

// ask asks for the lock.
func (c *leaseClient) ask() {
	// Asking and granting are four events, and giving up is two more.
	if c.begin(5) {
		c.send(c.server.process, leaseWanted{}, at(c.clock()), record.Set("waits", true))
	}
}

// take begins to hold the lock. A timer ends the lease, unless the client gives the lock up earlier.
func (c *leaseClient) take(m message) {
	c.until = m.body.(leaseGranted).until
	ends := c.until
	if c.faulty("overstay") {
		ends += lease
	}
	c.receive(m, at(c.clock()), record.Set("waits", false), record.Set("holds", true),
		record.Timer("lease", timeOf(max(0, ends-c.clock())), record.Set("holds", false)))
	if c.chance(0.5) {
		c.after(10, func() {
			if c.clock() < c.until {
				c.send(c.server.process, leaseGivenUp{c.until}, at(c.clock()), record.Set("holds", false),
					record.CancelTimer("lease"))
			}
		})
	}
	// The lease has ended long before the client asks again.
	c.at(c.now+3*lease, c.ask)
}
