package gotrace

import (
	"context"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	gotrace "golang.org/x/exp/trace"

	"github.com/pota-project/pota/graphs/trace"
)

// A collector turns records into events and edges. Edges refer to events by their index, in the
// order of the trace.
type collector struct {
	name       string // the name of the file
	goroutines []goroutine
	index      map[int64]int32 // from the id of a goroutine to its index in goroutines
	events     []event
	edges      [][2]int32
	times      []int64 // the time of each event; nil if times are not kept
	sets       []set   // in the order of their events
	words      []string
	word       map[string]int32         // from a word to its index in words
	tasks      map[gotrace.TaskID]*task // tasks that have begun and not ended

	began int64 // the time of the first record
	ticks int64 // the trace time that corresponds to wall
	wall  time.Time
}

const noEvent = int32(-1)

type goroutine struct {
	id      int64
	name    string // the name of its function, "" if unknown
	speaks  bool   // whether it has logs, regions or tasks
	born    bool   // whether it was created in the trace
	started bool
	quiet   bool // whether it waits for the runtime
	alone   bool // whether it waits for something that no goroutine does
	resumes bool // whether it was unblocked and has not run since

	created, blocked, waker int32   // indexes of events, or noEvent
	regions, tasks          []scope // open scopes, the innermost last
}

// A scope is a region or a task, with its type.
type scope struct {
	task gotrace.TaskID // the task, 0 for a region
	word int32
}

type task struct {
	begin int32
	seen  map[int32]bool // the goroutines that are already ordered after begin
}

// An event has an argument that depends on its kind: a goroutine, a word or a log.
type event struct {
	g, arg int32
	kind   kind
}

type kind uint8

const (
	starts  kind = iota
	creates      // the argument is a goroutine
	blocks       // the argument is a word, the reason
	continues
	unblocks // the argument is a goroutine
	logs     // the argument is the index of a set
	entersRegion
	leavesRegion
	beginsTask
	endsTask // the argument is a word, the type, as for the three kinds above
	ends
)

// A set gives a variable a value. A log sets the variable named by its category to its message;
// without a category, it sets none. The other events set region or task.
type set struct {
	event          int32
	variable, text string
}

func collect(ctx context.Context, in *trace.Input, opts trace.Options) (*collector, error) {
	s, err := open(in, opts.AllowTruncated)
	if err != nil {
		return nil, err
	}
	c := &collector{
		name:  in.Name,
		index: make(map[int64]int32),
		word:  make(map[string]int32),
		tasks: make(map[gotrace.TaskID]*task),
	}
	for n := 0; ; n++ {
		// Checking the context at each record would cost measurable time.
		if n%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		// A record may yield any number of events; all have its time.
		before, at := len(c.events), int64(0)
		err := s.next(func(e gotrace.Event) (matters bool) {
			at, matters = c.take(e)
			return matters
		})
		if err == io.EOF {
			if s.cut {
				opts.CutOff(trace.Errorf(in.Name, 0, "the trace is cut off"))
			}
			break
		}
		if err != nil {
			return nil, err
		}
		if n == 0 {
			c.began = at
		}
		if opts.KeepTimes() {
			for range len(c.events) - before {
				c.times = append(c.times, at)
			}
		}
		// Event indexes have 32 bits, which halves the memory of edges.
		if len(c.events) > math.MaxInt32-2 {
			return nil, trace.Errorf(in.Name, 0, "a trace of more than two thousand million events")
		}
	}

	return c, nil
}

// goroutine returns the index of the goroutine with that id.
func (c *collector) goroutine(id int64) int32 {
	n, ok := c.index[id]
	if !ok {
		n = int32(len(c.goroutines))
		c.index[id] = n
		c.goroutines = append(c.goroutines, goroutine{id: id, created: noEvent, blocked: noEvent, waker: noEvent})
	}
	return n
}

func (c *collector) number(word string) int32 {
	n, ok := c.word[word]
	if !ok {
		// Clean the text only when it is new, because words recur in many records.
		word = strings.ToValidUTF8(word, "\uFFFD")
		if n, ok = c.word[word]; !ok {
			n = int32(len(c.words))
			c.word[word] = n
			c.words = append(c.words, word)
		}
	}
	return n
}

func (c *collector) add(g int32, k kind, arg int32) int32 {
	c.events = append(c.events, event{g, arg, k})
	return int32(len(c.events) - 1)
}

func (c *collector) edge(from, to int32) {
	// Program order covers events of one goroutine.
	if from != noEvent && c.events[from].g != c.events[to].g {
		c.edges = append(c.edges, [2]int32{from, to})
	}
}

// none is the id that stands for no goroutine.
const none = int64(gotrace.NoGoroutine)

// take processes a record. It returns its time and whether it matters.
func (c *collector) take(e gotrace.Event) (at int64, matters bool) {
	at = int64(e.Time())
	by := int64(e.Goroutine())
	if by != none {
		c.learnName(by, e.Stack())
	}
	switch e.Kind() {
	case gotrace.EventSync:
		clock := e.Sync().ClockSnapshot
		if clock == nil {
			break
		}
		// The first clock reading relates ticks to wall-clock time.
		at = int64(clock.Trace)
		if c.wall.IsZero() && len(c.events) == 0 {
			c.ticks, c.wall = at, clock.Wall
		}
	case gotrace.EventStateTransition:
		t := e.StateTransition()
		if matters = t.Resource.Kind == gotrace.ResourceGoroutine; matters {
			c.transition(by, t)
		}
	case gotrace.EventLog, gotrace.EventRegionBegin, gotrace.EventRegionEnd,
		gotrace.EventTaskBegin, gotrace.EventTaskEnd:
		if matters = true; by != none {
			c.speak(c.goroutine(by), e)
		}
	}
	return at, matters
}

// learnName names a goroutine without a name after the function at the root of a stack, if there is
// one.
func (c *collector) learnName(id int64, stack gotrace.Stack) {
	if n, ok := c.index[id]; ok && c.goroutines[n].name != "" {
		return
	}
	name := ""
	for f := range stack.Frames() {
		name = f.Func
	}
	if name != "" {
		c.goroutines[c.goroutine(id)].name = strings.ToValidUTF8(name, "\uFFFD")
	}
}

// imposed are the reasons to wait for the runtime, in addition to those that begin with GC.
var imposed = []string{"preempted", "wait until GC ends", "wait for debug call", "system goroutine wait"}

// transition processes a state transition of a goroutine.
func (c *collector) transition(by int64, t gotrace.StateTransition) {
	id := int64(t.Resource.Goroutine())
	n := c.goroutine(id)
	c.learnName(id, t.Stack)
	if by == id {
		by = none // it acts on no other goroutine
	}
	from, to := t.Goroutine()
	if from == to {
		return // each generation repeats the state
	}
	switch {
	case from == gotrace.GoNotExist:
		// Nothing is known about it yet, because the runtime never reuses an id.
		c.goroutines[n].born = true
		// The runtime creates goroutines, too, and they have no creator in the program.
		if by != none {
			e := c.add(c.goroutine(by), creates, n)
			c.goroutines[n].created = e // c.goroutines may have been reallocated
		}
		if to == gotrace.GoSyscall || to == gotrace.GoRunning {
			c.start(n)
		}
	case to == gotrace.GoNotExist:
		c.add(n, ends, 0)
		// Keep only what outlives the goroutine: its id, its name, and whether it spoke.
		g := c.goroutines[n]
		c.goroutines[n] = goroutine{
			id: g.id, name: g.name, speaks: g.speaks,
			created: noEvent, blocked: noEvent, waker: noEvent,
		}
	case to == gotrace.GoWaiting:
		g := &c.goroutines[n]
		g.quiet = strings.HasPrefix(t.Reason, "GC ") || slices.Contains(imposed, t.Reason)
		g.alone = t.Reason == "sleep" || t.Reason == "network"
		// The goroutine that ends a wait is ordered after it only if the wait is an event.
		g.blocked = noEvent
		if !g.quiet && from != gotrace.GoUndetermined {
			g.blocked = c.add(n, blocks, c.number(t.Reason))
		}
	case from == gotrace.GoWaiting && to == gotrace.GoRunnable:
		c.unblock(by, n)
	case from == gotrace.GoRunnable && to == gotrace.GoRunning:
		g := &c.goroutines[n]
		switch {
		case g.born && !g.started:
			c.start(n)
		case g.resumes:
			waker := g.waker
			g.resumes = false
			g.waker, g.blocked = noEvent, noEvent
			c.edge(waker, c.add(n, continues, 0))
		}
	}
}

func (c *collector) start(n int32) {
	e := c.add(n, starts, 0)
	g := &c.goroutines[n]
	c.edge(g.created, e)
	// One edge is enough if the creator and the waker are the same event.
	if g.waker != g.created {
		c.edge(g.waker, e)
	}
	g.started = true
	g.resumes = false
	g.created = noEvent
	g.waker = noEvent
}

func (c *collector) unblock(by int64, n int32) {
	// Waiting for the runtime is not an event, and neither is its end.
	if c.goroutines[n].quiet {
		return
	}
	c.goroutines[n].resumes = true
	c.goroutines[n].waker = noEvent
	// A timer or the network has no goroutine, so there is no edge.
	if by == none || c.goroutines[n].alone {
		return
	}
	e := c.add(c.goroutine(by), unblocks, n)
	g := &c.goroutines[n]
	c.edge(g.blocked, e)
	g.waker = e
}

// speak processes a runtime/trace annotation of goroutine n.
func (c *collector) speak(n int32, x gotrace.Event) {
	g := &c.goroutines[n]
	g.speaks = true
	switch x.Kind() {
	case gotrace.EventLog:
		l := x.Log()
		e := c.add(n, logs, int32(len(c.sets)))
		category := c.words[c.number(l.Category)]
		c.sets = append(c.sets, set{e, category, strings.ToValidUTF8(l.Message, "\uFFFD")})
		c.within(l.Task, e)
	case gotrace.EventRegionBegin:
		w := c.number(x.Region().Type)
		g.regions = append(g.regions, scope{word: w})
		e := c.add(n, entersRegion, w)
		c.sets = append(c.sets, set{e, region, c.words[w]})
		c.within(x.Region().Task, e)
	case gotrace.EventRegionEnd:
		// A region that began before the trace has no entry to remove.
		g.regions = g.regions[:max(0, len(g.regions)-1)]
		e := c.add(n, leavesRegion, c.number(x.Region().Type))
		c.sets = append(c.sets, set{e, region, c.innermost(g.regions)})
		c.within(x.Region().Task, e)
	case gotrace.EventTaskBegin:
		t := x.Task()
		w := c.number(t.Type)
		g.tasks = append(g.tasks, scope{t.ID, w})
		e := c.add(n, beginsTask, w)
		c.sets = append(c.sets, set{e, taskName, c.words[w]})
		c.within(t.Parent, e)
		c.tasks[t.ID] = &task{begin: e, seen: map[int32]bool{n: true}}
	case gotrace.EventTaskEnd:
		id := x.Task().ID
		e := c.add(n, endsTask, c.number(x.Task().Type))
		c.within(id, e)
		delete(c.tasks, id)
		g.tasks = slices.DeleteFunc(g.tasks, func(t scope) bool { return t.task == id })
		c.sets = append(c.sets, set{e, taskName, c.innermost(g.tasks)})
	}
}

// innermost returns the type of the scope opened last, or "" if none is open.
func (c *collector) innermost(open []scope) string {
	if len(open) == 0 {
		return ""
	}
	return c.words[open[len(open)-1].word]
}

// within orders an event after the begin of its task, if it is the first of its goroutine in the
// task.
func (c *collector) within(id gotrace.TaskID, e int32) {
	t := c.tasks[id]
	// Later events of the goroutine follow the first one in program order.
	if t == nil || t.seen[c.events[e].g] {
		return
	}
	t.seen[c.events[e].g] = true
	c.edge(t.begin, e)
}
