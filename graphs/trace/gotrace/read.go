package gotrace

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
)

// Read reads a trace and closes the source. Its errors are *trace.Error and ctx.Err().
//
// The time complexity of Read is O(length of the trace), if the library reads a generation in time
// linear in its length.
func Read(ctx context.Context, from *trace.Source, opts trace.Options) ([]trace.Execution, error) {
	defer from.Close()
	in, err := from.One("an execution trace")
	if err != nil {
		return nil, err
	}
	c, err := collect(ctx, in, opts)
	in.Close()
	if err != nil {
		return nil, err
	}
	computation, err := c.build(ctx, opts)
	if err != nil {
		return nil, err
	}
	return []trace.Execution{{Computation: computation}}, nil
}

// left reports whether a goroutine is left out of the computation.
func (g *goroutine) left() bool {
	// Goroutines of the runtime are left out unless they speak: they would be processes that mean
	// nothing to the program.
	own := strings.HasPrefix(g.name, "runtime.") || strings.HasPrefix(g.name, "runtime/trace.")
	return own && !g.speaks && g.name != "runtime.main"
}

// process returns the process name of a goroutine: its function without the directories of its
// package, and its id.
func (g *goroutine) process() string {
	name, _, _ := strings.Cut(g.name, "[") // type arguments may be paths
	name = g.name[strings.LastIndexByte(name, '/')+1:]
	if name == "" {
		name = "goroutine"
	}
	return name + "#" + strconv.FormatInt(g.id, 10)
}

// build builds the computation. It omits the events of goroutines that are left out, and those that
// only act on such a goroutine.
func (c *collector) build(ctx context.Context, opts trace.Options) (*graphs.Computation, error) {
	var b graphs.Builder
	b.SetLowerBound("only what makes a goroutine wait leaves its order in an execution trace")
	b.Grow(len(c.events))
	process := make([]int, len(c.goroutines))
	// A process is created at its first event, so goroutines without events are not processes.
	for g := range process {
		process[g] = -1
	}
	handles := make([]graphs.Handle, len(c.events))
	for i, e := range c.events {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		handles[i] = graphs.NoHandle
		acts := e.kind == creates || e.kind == unblocks
		if c.goroutines[e.g].left() || acts && c.goroutines[e.arg].left() {
			continue
		}
		if process[e.g] < 0 {
			process[e.g] = b.Process(c.goroutines[e.g].process())
		}
		handles[i] = b.Event(process[e.g])
		if opts.Places {
			who := fmt.Sprint("goroutine ", c.goroutines[e.g].id)
			b.SetPlace(handles[i], graphs.Place{File: c.name, Record: who})
		}
		if opts.Names {
			b.SetLabel(handles[i], c.label(e))
		}
		if opts.KeepTimes() {
			b.SetTime(handles[i], c.time(c.times[i]))
		}
	}

	if b.NumEvents() == 0 {
		return nil, trace.Errorf(c.name, 0, "no goroutine of the program does anything in this trace")
	}
	for _, e := range c.edges {
		// An edge from or to an omitted event orders nothing in the program.
		from, to := handles[e[0]], handles[e[1]]
		if from != graphs.NoHandle && to != graphs.NoHandle {
			b.Order(from, to)
		}
	}

	c.assign(&b, opts, handles)
	built, err := b.Build()
	if err != nil {
		return nil, trace.Wrap(c.name, 0, err)
	}
	return built, nil
}

// labels are the labels of events by kind; %s stands for the argument.
var labels = [...]string{
	starts: "starts%s", creates: "go %s", blocks: "blocks: %s", continues: "continues%s", unblocks: "unblocks %s",
	logs: "%s", entersRegion: "region %s begins", leavesRegion: "region %s ends",
	beginsTask: "task %s begins", endsTask: "task %s ends", ends: "ends%s",
}

func (c *collector) label(e event) string {
	argument := ""
	switch e.kind {
	case starts, continues, ends: // no argument
	case creates, unblocks:
		argument = c.goroutines[e.arg].process()
	case logs:
		s := c.sets[e.arg]
		if argument = s.text; s.variable != "" {
			argument = s.variable + ": " + s.text
		}
	default:
		argument = c.words[e.arg]
	}
	return fmt.Sprintf(labels[e.kind], argument)
}

// time returns a time as JSON.
func (c *collector) time(t int64) string {
	if !c.wall.IsZero() {
		at := c.wall.Add(time.Duration(t - c.ticks)).UTC()
		// RFC 3339 has years of four digits.
		if y := at.Year(); y >= 0 && y <= 9999 {
			return graphs.Str(at.Format(time.RFC3339Nano)).String()
		}
	}
	// The difference is unsigned, because it may exceed an int64.
	d := uint64(t - c.began)
	return fmt.Sprintf("%d.%09d", d/1e9, d%1e9)
}

// region and taskName are the variables that no log needs to set.
const (
	region   = "region"
	taskName = "task"
)

// assign adds the variables and their values.
func (c *collector) assign(b *graphs.Builder, opts trace.Options, handles []graphs.Handle) {
	// A variable has one type, so determine one for each name over the whole trace.
	kinds := map[string]graphs.Kind{region: graphs.String, taskName: graphs.String}
	for _, s := range c.sets {
		kinds[s.variable] = trace.Unify(kinds[s.variable], trace.ParseValue(s.text).Kind)
	}
	for _, s := range c.sets {
		if s.variable == "" {
			continue
		}
		x := trace.ParseValue(s.text)
		if kinds[s.variable] == graphs.String {
			x = graphs.Str(s.text)
		}
		h := handles[s.event]
		opts.Set(b, b.Variable(b.ProcessOf(h), s.variable), h, x)
	}
}
