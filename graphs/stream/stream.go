package stream

import (
	"cmp"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/admission"
	"github.com/pota-project/pota/graphs/timer"
)

// Options describe an execution before it begins.
type Options struct {
	// Declared says that all processes and variables are declared before the first event.
	Declared bool
	// SyncSize is how many events each sync has; 0 if this is not known. In that case a sync is complete only when
	// no other process can join it.
	SyncSize int
	// Unit is the unit of times that are numbers; 0 means a second.
	Unit time.Duration
	// Lost bounds the messages in transit. When it is exceeded, the older half of those sent is forgotten,
	// and events that receive one of them wait forever. 0 means no limit.
	Lost int
	// Counted reports whether Scope counts a process (variable is "") or a variable; process is "" for a shared
	// one. If Counted is nil, Scope counts all of them.
	Counted func(process, variable string) bool
	// Released is called when a process is no longer Waiting. It may be nil.
	Released func(process int)
	// Admitted is called with the events that are admitted together and so know each other. It may be nil.
	Admitted func(step []Admitted)
}

// A Stream is an execution that is arriving. The zero Stream is not ready for use; call New.
// It must not be used by several goroutines at once.
type Stream struct {
	opts Options

	names     []string // the names of processes
	number    map[string]int32
	processes []process
	variables []*variable
	owned     map[owner]*variable
	called    map[string]bool // by name of a variable, whether a variable of that name is known

	events  Recent[place]       // the admitted events with ids
	alike   Recent[struct{}]    // ids that may be default ids of other events
	arrived map[string]*pending // by id, the events that are not admitted
	// by id, messages that were sent or are wanted, and are not yet received
	transit  map[string]*message
	crowded  int // the size of transit above which messages are forgotten
	received Recent[*message]
	// the timers of the processes that have started any
	timers  map[int32]*timer.Process[graphs.Place]
	clocked bool // whether an event had a vector clock
	// the pairing of messages that lines name by keys
	keys   keys
	joined Recent[struct{}] // ids of syncs that are admitted
	// by id, the syncs with events that are not admitted
	groups   map[string]*group
	complete int                 // how many of groups are complete
	waiting  map[string][]waiter // by the id of the event that they wait for
	// how many events have arrived and are not admitted
	unready  int
	ready    []int32 // processes whose next event may be ready
	trials   []int32 // processes to be tried; see steps
	unclosed int     // how many processes have not closed
	admitted int64
	over     int     // how many processes have executed all of their events
	scope    int     // grows when a process or a variable that is Counted becomes known
	ended    bool    // whether the execution has ended
	failure  error   // an error of an accepted event that has not been returned yet
	givenUp  error   // why the stream is given up; nil while it is not
	forgot   bool    // whether messages in transit have been forgotten
	doubtful []place // scratch of learn
	learned  int     // how many counts the clocks made since the last Drop have
	turns    int     // an upper bound on the number of turns in all histories

	blind       bool    // whether the view sees nothing
	narrower    bool    // whether the view sees less than when the window was filled
	chains      []int32 // the processes among the chains of the view
	unaddressed string  // the id of the first message that the view counts and that has no receiver
	addressed   int     // how many events the window had before it was sent

	key     []byte
	scratch pending
	seen    []Admitted // scratch of show

	view   View
	window window
}

// owner is a variable's process, or graphs.Shared, and its name.
type owner struct {
	process int32
	name    string
}

// process is the state of a process.
type process struct {
	admitted int64
	latest   int64 // the value of Stream.admitted after its last admitted event
	clock    clock // the clock of its last admitted event
	stated   clock // the last clock stated in its lines
	history  history
	own      own
	queue    []*pending // events that have arrived but are not admitted, in order
	closed   bool       // whether all of its events have arrived
	tried    bool       // whether it is in Stream.trials
	over     int        // the value of Stream.over once it had executed all of its events; 0 before
	source   bool       // whether it may send messages that the view counts
	learner  bool       // whether the view sees its events that learn about other processes
	since    int        // the scope since which it is known
	clockID  string     // the clock it reads its times from; "" if not stated
}

// arrived returns how many events have arrived, admitted or not.
func (p *process) arrived() int64 { return p.admitted + int64(len(p.queue)) }

// variable is the state of a variable.
type variable struct {
	owner
	kind  graphs.Kind
	base  graphs.Value // its value at G
	known bool         // whether it was declared, or an admitted event has assigned it
	seen  bool         // whether the view sees it
	since int          // the scope since which it is known

	// The last assignment of a shared variable: its event, and the clock, id and place of that event.
	at     place
	clock  clock
	id     string // "" for the default id
	source graphs.Place
}

// place is the position of an event on its process.
type place struct {
	process int32
	pos     int64
}

// message is a message that was sent or is wanted.
type message struct {
	id        string
	sent      bool
	unsent    bool // whether it counts as not received if nobody sends it before the end
	from      place
	carries   bool  // whether clock is set
	clock     clock // the clock of the send, until the message is received
	at        int64 // the value of Stream.admitted when it was sent
	to        int32 // the receiver that the sender names; -1 if none
	receivers []int32
	waiting   []*pending // events that wait for the send
	taken     []place    // the events that received it, if the view counts it
	sender    *pending   // the event that sends it, while queued

	number int32 // scratch of Window
}

// New returns a stream without events.
func New(opts Options) *Stream {
	opts.Unit = cmp.Or(opts.Unit, time.Second)
	return &Stream{
		window: window{marks: []Mark{{}}},
		opts:   opts, crowded: opts.Lost, number: make(map[string]int32), owned: make(map[owner]*variable), called: make(map[string]bool),
		arrived: make(map[string]*pending), transit: make(map[string]*message),
		waiting: make(map[string][]waiter),
		groups:  make(map[string]*group),
		timers:  make(map[int32]*timer.Process[graphs.Place]),
	}
}

// Admitted returns the number of events admitted.
func (s *Stream) Admitted() int64 { return s.admitted }

// Scope returns a number that grows whenever a process or a variable that is Counted becomes
// known.
func (s *Stream) Scope() int { return s.scope }

// Clocks returns an upper bound on the number of counts in the clocks made since the last Drop.
func (s *Stream) Clocks() int { return s.learned }

// Processes returns the names of the processes known, in order. The slice must not be
// changed.
func (s *Stream) Processes() []string { return s.names }

// ProcessesBy returns what Processes returned when Scope had a given value.
func (s *Stream) ProcessesBy(scope int) []string {
	n := sort.Search(len(s.names), func(p int) bool { return s.processes[p].since > scope })
	return s.names[:n]
}

// Process returns the number of the process of that name.
func (s *Stream) Process(name string) (int, bool) {
	p, ok := s.number[name]
	return int(p), ok
}

// Kind returns the type of a variable of a process, or of a shared one for graphs.Shared;
// NoKind if it is not known.
func (s *Stream) Kind(process int, name string) graphs.Kind {
	return s.KindBy(s.scope, process, name)
}

// KindBy returns what Kind returned when Scope had a given value.
func (s *Stream) KindBy(scope, process int, name string) graphs.Kind {
	if v := s.owned[owner{int32(process), name}]; v != nil && v.known && v.since <= scope {
		return v.kind
	}
	return graphs.NoKind
}

// Named reports whether a variable of that name is known.
func (s *Stream) Named(variable string) bool { return s.called[variable] }

// Variables yields the variables known in order of first appearance: the owner, or
// graphs.Shared, and the name.
func (s *Stream) Variables(yield func(process int, name string) bool) {
	for _, v := range s.variables {
		if v.known && !yield(int(v.process), v.name) {
			return
		}
	}
}

// Fixed reports whether all processes and variables are known. If they are declared, this is so once a line after the
// declarations has come, and in any case at the end.
func (s *Stream) Fixed() bool {
	return s.ended || s.opts.Declared && (s.admitted > 0 || s.unready > 0 || s.over > 0)
}

// Unaddressed returns the id of the first message that the view counts and that has no receiver, and how many events
// the window had before it was sent; "" if there is no such message.
func (s *Stream) Unaddressed() (id string, before int) { return s.unaddressed, s.addressed }

// Closed reports whether process p has executed all of its events.
func (s *Stream) Closed(p int) bool { return s.ended || s.processes[p].over > 0 }

// End says that nothing more will arrive. If an event still waits, the error says for what. If the stream may have
// forgotten the cause, End gives s up instead.
func (s *Stream) End() error {
	for p := range s.processes {
		if err := s.restTimers(int32(p)); err != nil {
			return err
		}
	}
	s.ended = true

	// No process can join a sync any more, and nobody sends the messages still wanted.
	s.allCompleted()
	s.settle()
	s.dropUnsent()
	s.endLine()
	for p := range s.processes {
		if len(s.processes[p].queue) == 0 {
			continue
		}

		// The first queue is reported; others may wait for it.
		open := s.lacks(int32(p))
		wrong := func(err error) error {
			return &EventError{s.names[open.event.process], open.event.pos, open.event.source, err.Error()}
		}
		switch {
		case open.message != nil && (s.forgot || s.received.forgot):
			s.GiveUp(wrong(admission.NeverSent.Broken(s.nameOf(open.message), forgotten)))
			return nil
		case open.message != nil:
			return wrong(admission.NeverSent.Broken(s.nameOf(open.message), ""))
		case strings.HasPrefix(open.id, byCount):
			at := strings.LastIndexByte(open.id, ':')
			name := open.id[len(byCount):at]
			if p, ok := s.number[name]; ok {
				count, _ := strconv.ParseInt(open.id[at+1:], 10, 64) // counted wrote it
				return wrong(admission.Ahead(name, int(s.processes[p].arrived()), count, ""))
			}
			return wrong(admission.UnknownProcess.Broken(name, ""))
		case open.id != "":
			why, certain := s.whyNot(open.id)
			if certain && !s.events.forgot {
				return wrong(admission.AfterUnknown.Broken(open.id, why))
			}
			s.GiveUp(wrong(admission.AfterUnknown.Broken(open.id, forgotten)))
			return nil
		}
		return wrong(errCycle)
	}
	return s.late()
}

// forgotten ends the text about a cause that may have been forgotten.
const forgotten = ", or so long ago that it is forgotten"

var errCycle = errors.New("it waits for an event that waits for it, and no sync is part of this cycle")

// An EventError is about an event that still waits at the end of the execution.
type EventError struct {
	Process string
	Event   int64 // its position, from 1
	Place   graphs.Place
	Msg     string
}

// Error names the event by its position.
func (e *EventError) Error() string {
	return fmt.Sprintf("event %d of process %q: %s", e.Event, e.Process, e.Msg)
}

// GiveUp stops the admission of events for a reason. Queued events are dropped, and further lines are ignored.
func (s *Stream) GiveUp(why error) {
	s.givenUp = why
	for p := range s.processes {
		s.processes[p].queue = nil
	}
	s.unready = 0
	s.ready, s.trials = nil, nil
	clear(s.groups)
	s.complete = 0
	s.keys = keys{ids: s.keys.ids}
	clear(s.arrived)
	clear(s.waiting)
	clear(s.transit)
}

// GivenUp returns the reason given to GiveUp; nil if s is not given up.
func (s *Stream) GivenUp() error { return s.givenUp }

// Waiting reports whether process p has events that have arrived and are not admitted.
func (s *Stream) Waiting(p int) bool { return len(s.processes[p].queue) > 0 }

// Unsettled returns how many events have arrived and are not admitted, and how many messages
// have been sent and not received, or wanted and not sent.
func (s *Stream) Unsettled() int { return s.unready + len(s.transit) }

// Complete reports whether nothing more can arrive, because all processes are known and have closed.
func (s *Stream) Complete() bool { return s.Fixed() && s.over == len(s.processes) && s.over > 0 }

// Over reports whether process p had executed all of its events at a moment.
func (s *Stream) Over(p int, at Mark) bool {
	over := s.processes[p].over
	return s.ended || over > 0 && over <= at.Over
}

// Add adds a line. A refused line changes nothing, with two exceptions: its time may let timers end, and after a
// *LateError the stream is given up. An event with a forgotten cause is not an error: s is given up without admitting
// it.
func (s *Stream) Add(l *Line) error {
	if s.givenUp != nil {
		return nil
	}
	switch l.Kind {
	case Event:
		if l.Keyed {
			return s.keyed(l)
		}
		return s.event(l)
	case Declaration:
		return s.declare(l)
	case Sharing:
		return s.share(l)
	}
	p, ok := s.number[string(l.Process)]
	if !ok {
		if s.Fixed() {
			return undeclared(l.Process)
		}
		p = s.process(l.Process)
	}
	if err := s.restTimers(p); err != nil {
		return err
	}
	s.close(p)
	s.settle()
	s.finish(p)
	s.endLine()
	return s.late()
}

// finish notes when a process has executed all of its events.
func (s *Stream) finish(p int32) {
	if x := &s.processes[p]; x.closed && len(x.queue) == 0 && x.over == 0 {
		s.over++
		x.over = s.over
	}
}

// undeclaredVariable returns the error for a new variable after the declarations.
func undeclaredVariable(name []byte) error {
	return fmt.Errorf("variable %q is not declared, and variables must be declared before the first event", name)
}

// undeclared returns the error for a new process after the declarations.
func undeclared(name []byte) error {
	return fmt.Errorf("process %q is not declared, and processes must be declared before the first event", name)
}

// declare adds a declaration of a process.
func (s *Stream) declare(l *Line) error {
	p, known := s.number[string(l.Process)]
	switch {
	case known && s.processes[p].arrived() > 0:
		err := admission.LateInitials.Broken(l.Process)
		return fmt.Errorf("%w: if its program began again, its runs must be executions of their own (--execution-key)", err)
	case !known && s.Fixed():
		return undeclared(l.Process)
	}
	if !known {
		p = -1
	}
	if err := s.refusedClockID(l, p, 0); err != nil {
		return err
	}
	for _, a := range l.Values {
		shared := s.owned[owner{graphs.Shared, string(a.Name)}] != nil
		again := known && s.owned[owner{p, string(a.Name)}] != nil
		if err := admission.Initial(a.Name, shared, again); err != nil {
			return err
		}
		if s.Fixed() {
			return undeclaredVariable(a.Name)
		}
	}
	if !known {
		p = s.process(l.Process)
	}
	s.processes[p].clockID = cmp.Or(s.processes[p].clockID, string(l.ClockID))
	s.initial(p, l.Values)
	return nil
}

// share adds a declaration of shared variables. Unlike the batch back end, a stream cannot reinterpret
// assignments before it, because values of single processes may already have been dropped.
func (s *Stream) share(l *Line) error {
	if s.Fixed() {
		return fmt.Errorf("shared variables must be declared before the first event")
	}
	for _, a := range l.Values {
		if _, is := s.called[string(a.Name)]; is {
			return fmt.Errorf("shared variable %q must be declared once, before anything assigns it", a.Name)
		}
	}
	s.initial(graphs.Shared, l.Values)
	return nil
}

// initial adds variables with initial values.
func (s *Stream) initial(p int32, values []Assignment) {
	for _, a := range values {
		v := s.variable(p, a)
		v.base = a.Value
		s.know(v)
	}
}

// process adds a process.
func (s *Stream) process(name []byte) int32 {
	p := int32(len(s.names))
	s.names = append(s.names, string(name))
	s.number[s.names[p]] = p
	s.unclosed++
	s.processes = append(s.processes, process{source: s.view.AnyChannel, learner: s.view.Learning[graphs.Shared]})
	s.window.lists = append(s.window.lists, nil)
	s.window.base = append(s.window.base, 0)
	s.processes[p].since = s.discover(s.names[p], "")
	return p
}

// discover notes that a process, or one of its variables, has become known, and returns the scope since then.
func (s *Stream) discover(process, variable string) int {
	if s.opts.Counted == nil || s.opts.Counted(process, variable) {
		s.scope++
	}
	return s.scope
}

// variable adds a variable with the type of a value.
func (s *Stream) variable(p int32, a Assignment) *variable {
	v := &variable{owner: owner{p, string(a.Name)}, kind: a.Value.Kind, base: graphs.Zero(a.Value.Kind)}
	v.seen = s.view.sees(v.owner)
	s.owned[v.owner] = v
	if _, ok := s.called[v.name]; !ok {
		s.called[v.name] = false
	}
	s.variables = append(s.variables, v)
	return v
}

// know makes a variable known, when a declaration or an admitted event has it.
func (s *Stream) know(v *variable) {
	if !v.known {
		v.known, s.called[v.name] = true, true
		owner := ""
		if v.process != graphs.Shared {
			owner = s.names[v.process]
		}
		v.since = s.discover(owner, v.name)
	}
}

// find returns the variable that an event of process p assigns; nil if it is new.
func (s *Stream) find(p int32, name []byte) *variable {
	if v := s.owned[owner{p, string(name)}]; v != nil {
		return v
	}
	return s.owned[owner{graphs.Shared, string(name)}]
}

// defaultID writes process:k.
func (s *Stream) defaultID(at place) []byte {
	s.key = admission.AppendDefault(s.key[:0], s.names[at.process], at.pos)
	return s.key
}
