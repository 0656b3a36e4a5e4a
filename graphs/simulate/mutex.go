package simulate

import (
	"slices"

	"github.com/pota-project/pota/graphs/record"
)

var mutex = Model{
	Name:         "mutex",
	Description:  "mutual exclusion of n processes by messages",
	MinProcesses: 2,
	Faults: []Fault{
		{"reply-inside", "mutex", "a process in its critical section replies to requests at once"},
		{"lose-reply", "progress", "a reply that was put off is lost, and never sent again"},
	},
	properties: []Property{
		{"mutex", `AG(forall i != j: !(cs@i && cs@j))`},
		{"progress", `forall i: AG(try@i -> AF cs@i)`},
		{"left", `forall i: AG(AF !cs@i)`},
	},
	run: func(w *world) {
		sites := make([]*site, w.n())
		for i := range sites {
			sites[i] = play(&site{number: i, process: w.process(name("P", i), record.Set("try", false),
				record.Set("cs", false))})
		}
		// The more sites there are, the longer each waits, so that requests do not pile up.
		for _, s := range sites {
			s.later(5*float64(w.n()), "try")
		}
	},
}

// A site is a process of G. Ricart and A. K. Agrawala, An optimal algorithm for
// mutual exclusion in computer networks, 1981. It enters when all others have
// replied to its request, and defers the reply to a request that is later than
// its own.
type site struct {
	*process
	number    int
	clock     int // Lamport's logical clock
	trying    bool
	inside    bool
	requested int // the clock value of its request
	missing   int // how many replies are missing
	deferred  []*process
}

// A permission is a request to enter, with its time and the number of the requester.
type permission struct{ time, number int }

// A reply grants a permission.
type reply struct{}

// wake leaves the section and sends the deferred replies, or asks all others for permission to enter.
func (s *site) wake(reason any) {
	if reason == "leave" {
		s.inside = false
		s.event(record.Set("cs", false))
		waiting := s.deferred
		s.deferred = nil
		for i, p := range waiting {
			if i > 0 || !s.faulty("lose-reply") {
				s.send(p, reply{})
			}
		}
		s.later(5*float64(s.n()), "try")
		return
	}
	// A request is sent once, and received and answered by each other process.
	if s.begin(3*(s.n()-1) + 3) {
		s.clock++
		s.trying = true
		s.requested = s.clock
		s.missing = s.n() - 1
		s.multicast(s.others(), permission{s.clock, s.number}, record.Set("try", true))
	}
}

// clone copies the state that changes in place.
func (s *site) clone() { s.deferred = slices.Clone(s.deferred) }

// take grants or defers a request, or counts a reply. Numbers order requests of the same time.
func (s *site) take(m message) {
	s.receive(m)
	switch b := m.body.(type) {
	case permission:
		// By this rule, a request that knows of another is later than the other.
		s.clock = max(s.clock, b.time) + 1
		earlier := s.requested < b.time || s.requested == b.time && s.number < b.number
		switch {
		case s.inside && s.faulty("reply-inside"):
			s.send(m.from, reply{})
		case s.inside, s.trying && earlier:
			s.deferred = append(s.deferred, m.from)
		default:
			s.send(m.from, reply{})
		}
	case reply:
		if s.missing--; s.missing == 0 {
			s.trying, s.inside = false, true
			s.event(record.Set("try", false), record.Set("cs", true))
			s.later(3, "leave")
		}
	}
}
