package mermaid

import (
	"context"
	"fmt"
	"strconv"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/internal/choices"
	"github.com/pota-project/pota/graphs/trace"
)

// active is the variable that holds the number of activations.
const active = "active"

// longest is how much is read of a file, in bytes.
const longest = 16 << 20

// Read reads the executions of a file and closes the source. Errors are *trace.Error and
// ctx.Err().
//
// The time complexity of Read is O(length of the file + events and repetitions of all
// executions).
func Read(ctx context.Context, source *trace.Source, opts trace.Options) ([]trace.Execution, error) {
	diagrams, err := Parse(ctx, source, opts)
	if err != nil {
		return nil, err
	}
	d := diagrams[0].document
	var all []trace.Execution
	// One budget for all diagrams of the file.
	steps := maxSteps
	for i, g := range diagrams {
		prefix := ""
		if len(diagrams) > 1 {
			prefix = strconv.Itoa(i + 1)
		}
		var c choices.Choices
		for more := true; more; more = c.Another() {
			if len(all) == maxExecutions {
				return nil, d.fail(g.at, "more than %d executions: each combination of choices is one", maxExecutions)
			}
			r, err := d.run(ctx, g, &c, &steps)
			if err != nil {
				return nil, err
			}
			built, err := r.build(opts)
			if err != nil {
				return nil, &trace.Error{File: d.name, Msg: err.Error(), Err: err}
			}
			all = append(all, trace.Execution{Name: join(prefix, r.name()), Computation: built})
		}
	}

	distinguish(all)
	return all, nil
}

// Parse reads the diagrams of a file, at least one, and closes the source. Errors are *trace.Error and
// ctx.Err().
func Parse(ctx context.Context, source *trace.Source, opts trace.Options) ([]*Diagram, error) {
	d := new(document)
	var err error
	if d.name, d.text, err = source.Text(ctx, "a sequence diagram", longest, &opts); err != nil {
		return nil, err
	}
	spans, err := d.find()
	if err != nil {
		return nil, err
	}
	var all []*Diagram
	for _, s := range spans {
		// Only the last diagram can be cut off.
		g, err := d.parse(s, opts.AllowTruncated && s.to == len(d.text))
		if err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	return all, nil
}

// Lines returns what tells the line of a statement from its offset.
func (d *Diagram) Lines() func(at int) int { return trace.LineOf(d.text) }

// Errorf returns an error at the offset of a statement.
func (d *Diagram) Errorf(at int, format string, args ...any) *trace.Error {
	return d.fail(at, format, args...)
}

func join(diagram, choices string) string {
	if diagram != "" && choices != "" {
		return diagram + "/" + choices
	}
	return diagram + choices
}

// distinguish makes the names of executions unique; one that is alone has none.
func distinguish(all []trace.Execution) {
	// A single execution is named by its file.
	if len(all) == 1 {
		all[0].Name = ""
		return
	}

	used := make(map[string]bool)
	copies := make(map[string]int)
	for i := range all {
		name := all[i].Name
		// A number is added until the name is new: a given name may look like a numbered one.
		for used[name] {
			copies[all[i].Name]++
			name = fmt.Sprintf("%s (%d)", all[i].Name, copies[all[i].Name]+1)
		}
		used[name] = true
		all[i].Name = name
	}
}

// build makes the computation.
func (r *run) build(opts trace.Options) (*graphs.Computation, error) {
	var b graphs.Builder
	b.Grow(len(r.events))
	for _, name := range r.Participants {
		b.Process(name)
	}
	// Only if activations occur, so that diagrams without have no variable of that name.
	depths := make([]*graphs.Variable, len(r.Participants))
	if r.activates {
		for p := range r.Participants {
			depths[p] = b.Variable(p, active)
			b.Init(depths[p], graphs.Int(int64(r.atFirst[p])))
		}
	}

	// Variables exist on their participants in every execution, even where no note assigns them,
	// so that a formula fits all of them.
	for _, v := range r.variables {
		x, ok := r.initial[[2]any{v.participant, v.name}]
		if !ok {
			x = graphs.Zero(v.kind)
		}
		b.Init(b.Variable(v.participant, v.name), x)
	}

	lineOf := trace.LineOf(r.text)
	for _, e := range r.events {
		h := b.Event(e.participant)
		if opts.Places {
			b.SetPlace(h, graphs.Place{File: r.document.name, Line: lineOf(e.at)})
		}
		if opts.Names && e.label != "" {
			b.SetLabel(h, e.label)
		}
		// -1 where the event does not change the number.
		if e.active >= 0 {
			opts.Set(&b, depths[e.participant], h, graphs.Int(int64(e.active)))
		}
		for _, a := range e.sets {
			opts.Set(&b, b.Variable(e.participant, a.Variable), h, a.Value)
		}
	}

	// Arrows have no names; the builder makes them.
	for _, m := range r.messages {
		recv := graphs.Handle(m.recv)
		if m.recv < 0 {
			recv = graphs.NoHandle
		}
		b.Deliver(b.NewMessage(""), graphs.Handle(m.send), recv, m.to)
	}

	for _, pair := range r.pairs {
		b.Sync(graphs.Handle(pair[0]), graphs.Handle(pair[1]))
	}
	return b.Build()
}
