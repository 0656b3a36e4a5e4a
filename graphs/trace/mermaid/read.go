package mermaid

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs/internal/choices"
	"github.com/pota-project/pota/graphs/trace"
)

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
	lineOf := diagrams[0].Lines()
	for i, g := range diagrams {
		var prefix []string
		if len(diagrams) > 1 {
			prefix = []string{strconv.Itoa(i + 1)}
		}
		var c choices.Choices
		for more := true; more; more = c.Another() {
			if len(all) == maxExecutions {
				return nil, d.fail(g.at, "more than %d executions: each combination of choices is one", maxExecutions)
			}
			r := &run{
				Diagram: g,
				ctx:     ctx,
				opts:    opts,
				steps:   &steps,
				choices: &c,
				names:   slices.Clone(prefix),
				lineOf:  lineOf,
				begun:   make([]bool, len(g.Participants)),
			}
			built, err := r.execute()
			if err != nil {
				return nil, err
			}
			all = append(all, trace.Execution{Name: strings.Join(r.names, "/"), Computation: built})
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
		g, err := d.parse(s)
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

// distinguish makes the names of executions unique; one that is alone has none.
func distinguish(all []trace.Execution) {
	// A single execution is named by its file.
	if len(all) == 1 {
		all[0].Name = ""
		return
	}

	used := make(map[string]bool)
	for i := range all {
		name := all[i].Name
		// A number is added until the name is new: a given name may look like a numbered one.
		for n := 2; used[all[i].Name]; n++ {
			all[i].Name = fmt.Sprintf("%s (%d)", name, n)
		}
		used[all[i].Name] = true
	}
}
