package simulate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs/record"
)

var giop = Model{
	Name:         "giop",
	Description:  "users call servers, which migrate between agents, by the General Inter-ORB Protocol",
	MinProcesses: 7,
	Faults: []Fault{
		{"lose-moved", "replied", "an agent drops requests for a server that has migrated"},
		{"perform-both", "exactly-once",
			"an agent that redirects a client passes its request on, too"},
		{"no-reply", "answered", "a server sometimes does not reply"},
	},
	propertiesOf: func(n int) []Property {
		b := newBlocks(n)
		return []Property{
			{"replied", `forall i in "user*": AG(URequestSent@i -> AF UReplyReceived@i)`},
			{"answered", `forall i in "agent*": AG(SRequestSent@i -> AF SReplyReceived@i)`},
			{"responded", `forall i in "client*": AG(CRequestSent@i -> AF(CReplyReceived@i || CCancelSent@i))`},
			{"exactly-once",
				b.forUsers(`AG(noException@%[1]s -> performed_%[1]s@%[2]s >= request@%[1]s && times_%[1]s@%[2]s <= 1)`)},
			{"at-most-once",
				b.forUsers(`AG(systemException@%[1]s -> times_%[1]s@%[2]s <= 1)`)},
		}
	},
	run: runGIOP,
}

// blocks says how many processes have which role: one is a transport, and the rest form
// blocks of a user with a client and of an agent with a server, about equally many of
// each. A remaining process is a server.
type blocks struct{ users, agents, servers int }

// newBlocks divides n processes, at least 7: servers migrate, so that there are two agents or
// more.
func newBlocks(n int) blocks {
	users := (n - 1) / 4
	agents := max(2, (n-1-2*users)/2)
	return blocks{users, agents, n - 1 - 2*users - agents}
}

// server returns the number of the only server that a user calls.
func (b blocks) server(user int) int { return user % b.servers }

// forUsers repeats a property for each user and its server.
func (b blocks) forUsers(format string) string {
	var all []string
	for i := range b.users {
		all = append(all, fmt.Sprintf(format, name("user", i), name("server", b.server(i))))
	}
	return strings.Join(all, " && ")
}

// The messages of the protocol are named as in M. Kamel and S. Leue, Formalization and validation
// of the General Inter-ORB Protocol, 2000. Each is about an operation: a request of a user for its
// server, with a number.
type (
	operation struct {
		user   int
		number int
		server *giopServer
	}
	uRequest struct{ operation }
	uReply   struct {
		operation
		exception bool
	}
	cRequest struct {
		operation
		client *process
	}
	cReply struct {
		operation
		moved *giopAgent // where the server is now; nil if it has performed the operation
	}
	cCancel  struct{ operation }
	sRequest struct{ operation }
	sReply   cReply
)

// The messages of a migration, between a server and agents.
type (
	arrive  struct{ server *giopServer }
	welcome struct{ agent *giopAgent }
	depart  struct {
		server *giopServer
		to     *giopAgent
	}
)

// A packet is a message that the transport forwards.
type packet struct {
	to   *process
	body any
}

// A giopTransport forwards packets.
type giopTransport struct{ *process }

// take forwards a packet at once.
func (t *giopTransport) take(m message) {
	t.receive(m)
	p := m.body.(packet)
	t.send(p.to, p.body)
}

// runGIOP declares the processes, users and clients first, and starts users and servers.
func runGIOP(w *world) {
	// The protocol runs on connections that keep the order of messages.
	w.fifo = true
	b := newBlocks(w.n())
	users, clients := make([]*giopUser, b.users), make([]*giopClient, b.users)
	agents, servers := make([]*giopAgent, b.agents), make([]*giopServer, b.servers)
	for i := range users {
		users[i] = play(&giopUser{number: i, process: w.process(name("user", i),
			record.Set("request", 0), record.Set("URequestSent", false),
			record.Set("UReplyReceived", false),
			record.Set("noException", false), record.Set("systemException", false))})
		clients[i] = play(&giopClient{process: w.process(name("client", i),
			record.Set("CRequestSent", false), record.Set("CReplyReceived", false),
			record.Set("CCancelSent", false))})
		users[i].client, clients[i].user = clients[i].process, users[i].process
	}
	transport := play(&giopTransport{w.process("transport")}).process
	for i := range agents {
		agents[i] = play(&giopAgent{transport: transport, local: make(map[*giopServer]bool),
			gone: make(map[*giopServer]*giopAgent),
			process: w.process(name("agent", i), record.Set("SRequestSent", false),
				record.Set("SReplyReceived", false))})
	}
	for i := range servers {
		home := agents[i%len(agents)]
		servers[i] = play(&giopServer{agents: agents, home: home, performed: make(map[int]int),
			times:   make(map[int]int),
			process: w.process(name("server", i), record.Set("agent", home.name))})
		home.local[servers[i]] = true
	}
	for i, u := range users {
		u.server = servers[b.server(i)]
		u.server.declare(record.Set(name("performed_user", i), 0), record.Set(name("times_user", i), 0))
		clients[i].transport, clients[i].agent = transport, u.server.home
	}
	for _, u := range users {
		u.later(3, "request")
	}
	for _, s := range servers {
		s.later(20, "migrate")
	}
}

// A giopUser requests one operation after the other.
type giopUser struct {
	*process
	number int
	client *process
	server *giopServer
	last   int // the last request
}

// take notes a reply, and schedules the next request.
func (u *giopUser) take(m message) {
	b := m.body.(uReply)
	u.receive(m, record.Set("URequestSent", false), record.Set("UReplyReceived", true),
		record.Set("noException", !b.exception), record.Set("systemException", b.exception))
	u.later(3, "request")
}

// wake sends the next request. A round is about 18 events.
func (u *giopUser) wake(any) {
	if !u.begin(18) {
		return
	}
	u.last++
	u.send(u.client, uRequest{operation{u.number, u.last, u.server}},
		record.Set("request", u.last), record.Set("URequestSent", true),
		record.Set("UReplyReceived", false),
		record.Set("noException", false), record.Set("systemException", false))
}

// A giopClient sends a user's requests to the agent that it believes to have the server. It may lose
// patience. In that case it cancels the request, ignores later replies to it, and raises an exception.
type giopClient struct {
	*process
	user      *process
	transport *process
	agent     *giopAgent
	current   operation
	waiting   bool
}

// take handles a request of the user, or a reply: of an old request, a redirection, or the result.
func (c *giopClient) take(m message) {
	switch b := m.body.(type) {
	case uRequest:
		c.receive(m)
		c.current, c.waiting = b.operation, true
		c.request()
		if c.chance(0.2) {
			c.later(8, b.operation)
		}
	case cReply:
		switch {
		case !c.waiting || b.operation != c.current:
			c.receive(m, record.Label("late"))
		case b.moved != nil:
			c.receive(m)
			c.agent = b.moved
			c.request()
		default:
			c.waiting = false
			c.receive(m, record.Set("CRequestSent", false), record.Set("CReplyReceived", true))
			c.send(c.user, uReply{operation: b.operation})
		}
	}
}

// request sends the current operation to the agent that is believed to have the server.
func (c *giopClient) request() {
	c.send(c.transport, packet{c.agent.process, cRequest{c.current, c.process}},
		record.Set("CRequestSent", true), record.Set("CReplyReceived", false),
		record.Set("CCancelSent", false))
}

// wake handles lost patience: the reason is the operation, which is given up if it is still
// pending.
func (c *giopClient) wake(reason any) {
	o := reason.(operation)
	if !c.waiting || o != c.current {
		return
	}
	c.waiting = false
	c.send(c.transport, packet{c.agent.process, cCancel{o}},
		record.Set("CRequestSent", false), record.Set("CCancelSent", true))
	c.send(c.user, uReply{o, true})
}

// A giopAgent passes requests to the servers that are with it, one at a time, and
// informs clients where the others have gone.
type giopAgent struct {
	*process
	transport *process
	local     map[*giopServer]bool
	gone      map[*giopServer]*giopAgent
	queue     []cRequest
	busy      bool // whether the server is working on the first request in queue
}

// clone copies the state that changes in place.
func (a *giopAgent) clone() {
	a.local, a.gone, a.queue = maps.Clone(a.local), maps.Clone(a.gone), slices.Clone(a.queue)
}

// take queues requests, forwards replies, and notes which servers come and go.
func (a *giopAgent) take(m message) {
	switch b := m.body.(type) {
	case cRequest:
		a.receive(m)
		a.queue = append(a.queue, b)
		a.next()
	case cCancel:
		a.receive(m)
		for i, r := range a.queue {
			// A request that is with the server stays.
			if r.operation == b.operation && (i > 0 || !a.busy) {
				a.queue = slices.Delete(a.queue, i, i+1)
				break
			}
		}
	case sReply:
		a.receive(m, record.Set("SRequestSent", false), record.Set("SReplyReceived", true))
		a.busy = false
		// The agent has waited only for the first request of the queue.
		a.reply(a.queue[0], b.moved)
		a.queue = a.queue[1:]
		a.next()
	case arrive:
		a.receive(m)
		a.local[b.server] = true
		a.send(b.server.process, welcome{a})
	case depart:
		a.receive(m)
		delete(a.local, b.server)
		a.gone[b.server] = b.to
	}
}

// next begins with the first request of the queue.
func (a *giopAgent) next() {
	for len(a.queue) > 0 && !a.busy {
		r := a.queue[0]
		// An agent that redirects the client need not wait.
		moved := !a.local[r.server]
		if !moved || a.faulty("perform-both") {
			a.busy = true
			a.send(r.server.process, sRequest{r.operation}, record.Set("SRequestSent", true),
				record.Set("SReplyReceived", false))
		}
		if moved && !a.faulty("lose-moved") {
			a.reply(r, a.gone[r.server])
		}
		if !a.busy {
			a.queue = a.queue[1:]
		}
	}
}

// reply answers a client; moved is where the server is now, or nil for a result.
func (a *giopAgent) reply(r cRequest, moved *giopAgent) {
	a.send(a.transport, packet{r.client, cReply{r.operation, moved}})
}

// A giopServer performs operations, and migrates from one agent to another. It performs requests from
// its own agent and, while it migrates, also from the next one; requests from an earlier agent are
// redirected.
type giopServer struct {
	*process
	agents    []*giopAgent
	home      *giopAgent
	moving    *giopAgent // nil if it is not migrating
	performed map[int]int
	times     map[int]int // by user, how many times the last operation was performed
}

// clone copies the state that changes in place.
func (s *giopServer) clone() {
	s.performed, s.times = maps.Clone(s.performed), maps.Clone(s.times)
}

// take performs or redirects a request, or completes a migration.
func (s *giopServer) take(m message) {
	switch b := m.body.(type) {
	case sRequest:
		known := s.moving != nil && m.from == s.moving.process || m.from == s.home.process
		if !known && !s.faulty("perform-both") {
			s.receive(m)
			s.send(m.from, sReply{b.operation, s.home})
			return
		}
		s.perform(m, b.operation)
		if !s.faulty("no-reply") || !s.chance(0.05) {
			s.send(m.from, sReply{operation: b.operation})
		}
	case welcome:
		// Requests that the old agent has already forwarded come too late, and are redirected.
		old := s.home
		s.home, s.moving = b.agent, nil
		s.receive(m, record.Set("agent", s.home.name))
		s.send(old.process, depart{s, s.home})
		s.later(20, "migrate")
	}
}

// perform performs an operation. If a later one of the same user was performed before, the user has
// cancelled this one.
func (s *giopServer) perform(m message, o operation) {
	switch last := s.performed[o.user]; {
	case o.number < last:
		s.receive(m, record.Label("cancelled"))
		return
	case o.number > last:
		s.performed[o.user], s.times[o.user] = o.number, 0
	}
	s.times[o.user]++
	s.receive(m, record.Set(name("performed_user", o.user), o.number),
		record.Set(name("times_user", o.user), s.times[o.user]))
}

// wake begins a migration to another agent.
func (s *giopServer) wake(any) {
	rest := slices.DeleteFunc(slices.Clone(s.agents),
		func(a *giopAgent) bool { return a == s.home })
	next := rest[s.choose(len(rest))]
	if !s.begin(6) {
		return
	}
	s.moving = next
	s.send(next.process, arrive{s})
}
