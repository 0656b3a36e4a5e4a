package order

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/nearmiss"
	"github.com/pota-project/pota/graphs/trace"
)

// Apply returns c with the causality of f added. The values of the variables that f orders by
// must have been read. Errors are *trace.Error or the error of ctx.
//
// The time complexity of Apply is O(|V|+|edges|), including the edges that it adds, plus O(k log k)
// for each order by a variable with k assignments.
func (f *File) Apply(ctx context.Context, c *graphs.Computation) (*graphs.Computation, error) {
	a, err := f.collect(ctx, c)
	if err != nil {
		return nil, err
	}
	d, err := c.Ordered(slices.Values(a.added))
	var cycle *graphs.CycleError
	switch {
	case errors.As(err, &cycle):
		return nil, a.explain(cycle)
	case err != nil:
		return nil, trace.Wrap(f.name, 0, err)
	}
	return d, ctx.Err()
}

// Edges returns the edges that Apply adds to c, or added if c is a result of Apply.
func (f *File) Edges(ctx context.Context, c *graphs.Computation) ([]graphs.Edge, error) {
	a, err := f.collect(ctx, c)
	if err != nil {
		return nil, err
	}
	return a.added, nil
}

// collect finds the edges that f states.
func (f *File) collect(ctx context.Context, c *graphs.Computation) (*application, error) {
	a := &application{file: f, c: c}
	if err := a.lookUp(ctx); err != nil {
		return nil, err
	}
	for i := range f.statements {
		if i%(1<<12) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		st := &f.statements[i]
		if st.chain == nil {
			a.sortBy(st)
		}
		last := graphs.Bottom
		for k, w := range st.chain {
			e := a.event(st, w)
			if a.err != nil {
				break // searching for a near miss of each other unknown id would take long
			}
			if k > 0 {
				a.added = append(a.added, graphs.Edge{From: last, To: e})
			}
			last = e
		}
		if a.err != nil {
			return nil, a.err
		}
		a.ends = append(a.ends, len(a.added))
	}
	return a, nil
}

// An application is the state of applying a file to a computation. It keeps the first error, which
// ends it.
type application struct {
	err    error
	file   *File
	c      *graphs.Computation
	events map[string]graphs.Event // the events that f names by explicit ids
	added  []graphs.Edge
	ends   []int // the length of added after each statement
}

// fail records an error at a word of a statement, unless there is one already.
func (a *application) fail(st *statement, at word, format string, args ...any) {
	if a.err == nil {
		e := trace.Errorf(a.file.name, st.line, format, args...)
		e.Column = at.column
		a.err = e
	}
}

// lookUp finds the events that f names by explicit ids.
func (a *application) lookUp(ctx context.Context) error {
	named := make(map[string]bool)
	for _, st := range a.file.statements {
		for _, w := range st.chain {
			named[w.text] = true
		}
	}
	a.events = make(map[string]graphs.Event)
	for e := graphs.Bottom + 1; e < a.c.Top() && len(named) > 0; e++ {
		if e%(1<<16) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if a.c.HasID(e) {
			if id := a.c.ID(e); named[id] {
				a.events[id] = e
			}
		}
	}
	return nil
}

// event returns the event with the id w.
func (a *application) event(st *statement, w word) graphs.Event {
	if e, ok := a.events[w.text]; ok {
		return e
	}
	why := ""
	if i := strings.LastIndexByte(w.text, ':'); i >= 0 {
		k, err := strconv.Atoi(w.text[i+1:])
		p, known := a.c.ProcessNumber(w.text[:i])
		if known && err == nil && k > 0 && w.text == w.text[:i]+":"+strconv.Itoa(k) {
			switch n := a.c.Len(p); {
			case k > n:
				why = fmt.Sprintf(" (process %q has %s)", w.text[:i], graphs.Plural(n, "event"))
			case a.c.HasID(a.c.Event(p, k)):
				why = fmt.Sprintf(" (event %d of process %q has an id of its own)", k, w.text[:i])
			default:
				return a.c.Event(p, k)
			}
		}
	}
	if why == "" {
		// Compare a limited number of ids, so that the message does not take seconds.
		const most = 100_000
		var ids []string
		for e := graphs.Bottom + 1; e < a.c.Top() && len(ids) < most; e++ {
			ids = append(ids, a.c.ID(e))
		}
		why = nearmiss.Hint(w.text, ids)
	}
	a.fail(st, w, "no event has the id %q%s", w.text, why)
	return graphs.Bottom
}

// explain returns an error at the line that closes a cycle: the last of the lines on it, if
// possible one with an edge that the trace does not have.
func (a *application) explain(cycle *graphs.CycleError) error {
	steps := make(map[graphs.Edge]bool)
	for i, h := range cycle.Events {
		next := cycle.Events[(i+1)%len(cycle.Events)]
		steps[graphs.Edge{From: graphs.Event(h + 1), To: graphs.Event(next + 1)}] = true
	}
	for _, known := range []bool{false, true} {
		for i, e := range slices.Backward(a.added) {
			if steps[e] && slices.Contains(a.c.Preds(e.To), e.From) == known {
				number, _ := slices.BinarySearch(a.ends, i+1)
				return a.atFault(&a.file.statements[number], e, cycle)
			}
		}
	}
	return trace.Wrap(a.file.name, 0, cycle)
}

// atFault returns the error that an edge of a statement closes a cycle.
func (a *application) atFault(st *statement, e graphs.Edge, cycle error) error {
	from, to := a.c.ID(e.From), a.c.ID(e.To)
	column := st.by.column
	if st.chain == nil {
		from += a.valueAt(st, e.From)
		to += a.valueAt(st, e.To)
	} else {
		for _, w := range st.chain {
			if w.text == to {
				column = w.column
			}
		}
	}
	return &trace.Error{
		File: a.file.name, Line: st.line, Column: column, Err: cycle,
		Msg: fmt.Sprintf("the order %s before %s closes a %s", from, to, cycle),
	}
}

// Write writes edges as the lines of an order file with comments: note returns the text before edge
// i, and head is the text before all; "" means no comment. Read and Apply add the edges to c again,
// unless two events have the same id. Errors are those of w.
func Write(w io.Writer, c *graphs.Computation, edges []graphs.Edge, head string, note func(i int) string) error {
	out := bufio.NewWriter(w)
	comment := func(text string) {
		for line := range strings.Lines(text) {
			fmt.Fprintf(out, "# %s\n", graphs.Printable(strings.TrimSuffix(line, "\n")))
		}
	}
	comment(head)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for i, e := range edges {
		comment(note(i))
		line := struct {
			Edge [2]string `json:"edge"`
		}{[2]string{c.ID(e.From), c.ID(e.To)}}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return out.Flush()
}
