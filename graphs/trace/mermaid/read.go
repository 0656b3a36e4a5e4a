package mermaid

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/internal/choices"
	"github.com/pota-project/pota/graphs/trace"
)

// longest is the maximum length of a file in bytes.
const longest = 16 << 20

// Read reads the executions of a file and closes the source. Its errors are *trace.Error and
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
	// All diagrams of the file share one budget.
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
				return nil, d.Errorf(g.at, "more than %d executions: each combination of choices is one", maxExecutions)
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

	// A single execution is named after its file.
	if len(all) == 1 {
		all[0].Name = ""
		return all, nil
	}
	used := make(map[string]bool)
	for i := range all {
		name := all[i].Name
		// Increment the number until the name is new, because another name may look numbered.
		for n := 2; used[all[i].Name]; n++ {
			all[i].Name = fmt.Sprintf("%s (%d)", name, n)
		}
		used[all[i].Name] = true
	}
	return all, nil
}

// Parse reads the diagrams of a file, at least one, and closes the source. Its errors are
// *trace.Error and ctx.Err().
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
		g := &Diagram{document: d, at: s.at, number: make(map[string]int), kinds: make(map[[2]any]graphs.Kind)}
		p := &parser{document: d, pos: s.from, end: s.to, diagram: g}
		// Search once: a search at each comment would take quadratic time.
		p.directives = s.from + strings.LastIndex(d.text[s.from:s.to], directiveEnd)
		if g.Body, _, err = p.statements(); err != nil {
			return nil, err
		}
		if len(g.Participants) == 0 {
			return nil, d.Errorf(s.at, "a sequence diagram without a participant")
		}
		all = append(all, g)
	}
	return all, nil
}

const (
	maxExecutions = 1000
	// the maximum number of events and repetitions in a file, including participants and variables,
	// counted once per execution
	maxSteps = 1 << 20
)

// A run executes a diagram once, with the given choices, and builds the computation. All runs share
// the diagram and only read it.
type run struct {
	*Diagram
	ctx     context.Context
	opts    trace.Options
	steps   *int // the steps left for the file
	choices *choices.Choices
	others  int      // a lower bound on the number of other executions
	names   []string // the number of the diagram if there are several, and the choices made

	builder graphs.Builder
	lineOf  func(at int) int
	begun   []bool // by participant: whether it has an event
}

// execute executes the diagram. Variables exist on their participants in every execution, even if
// no note assigns them there, so that a formula fits all executions.
func (r *run) execute() (*graphs.Computation, error) {
	if err := r.spend(r.at, len(r.Participants)+len(r.variables)); err != nil {
		return nil, err
	}
	b := &r.builder
	for _, name := range r.Participants {
		b.Process(name)
	}
	for _, v := range r.variables {
		b.Init(b.Variable(v.participant, v.name), graphs.Zero(v.kind))
	}

	if _, err := r.follow(r.Body); err != nil {
		return nil, err
	}
	c, err := b.Build()
	if err != nil {
		return nil, trace.Wrap(r.document.name, 0, err)
	}
	return c, nil
}

// spend charges steps to the budget of the file.
func (r *run) spend(at, steps int) error {
	// Check for cancellation with each event, so that endless loops end.
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if *r.steps -= steps; *r.steps < 0 {
		return r.Errorf(at, "the executions of this file have more than %d events and repetitions", maxSteps)
	}
	return nil
}

// follow executes statements and reports whether a break ended them.
func (r *run) follow(body []Statement) (broken bool, err error) {
	for i := range body {
		switch s := &body[i]; s.Kind {
		case Message:
			err = r.message(s)
		case Note:
			err = r.note(s)
		case Loop:
			// A break ends the loop, but not the statements around it.
			_, err = r.repeat(s)
		case Par:
			// One branch after the other: only messages order events of different participants. The
			// parser rejects breaks that leave a branch.
			for _, b := range s.Branches {
				if _, err := r.follow(b.Body); err != nil {
					return false, err
				}
			}
		case Choice:
			broken, err = r.choose(s)
		}
		if broken || err != nil {
			return broken, err
		}
	}
	return false, nil
}

// repeat executes a loop, once if its text gives no number. The bound on steps limits large
// numbers, even of empty rounds.
func (r *run) repeat(s *Statement) (broken bool, err error) {
	left := s.Times
	if left < 0 {
		left = 1
	}
	for ; left > 0 && !broken && err == nil; left-- {
		if err = r.spend(s.At, 1); err == nil {
			broken, err = r.follow(s.Body)
		}
	}
	return broken, err
}

// choose executes one branch of a choice.
func (r *run) choose(s *Statement) (broken bool, err error) {
	if err := r.spend(s.At, 1); err != nil {
		return false, err
	}
	// Each choice of n adds at least n-1 executions, so refuse too many before they are made.
	n := len(s.Branches)
	if r.others += n - 1; r.others >= maxExecutions {
		return false, r.Errorf(s.At, "more than %d executions: each combination of choices is one", maxExecutions)
	}
	b := s.Branches[r.choices.Of(n)]
	r.names = append(r.names, b.Name)
	broken, err = r.follow(b.Body)
	return broken || b.Breaks, err
}

// event adds an event of a participant.
func (r *run) event(s *Statement, p int) (graphs.Handle, error) {
	if err := r.spend(s.At, 1); err != nil {
		return 0, err
	}
	h := r.builder.Event(p)
	r.begun[p] = true
	if r.opts.Places {
		r.builder.SetPlace(h, graphs.Place{File: r.document.name, Line: r.lineOf(s.At)})
	}
	if r.opts.Names && s.Text != "" {
		r.builder.SetLabel(h, s.Text)
	}
	for _, set := range s.Sets {
		r.opts.Set(&r.builder, r.builder.Variable(p, set.Variable), h, set.Value)
	}
	return h, nil
}

func (r *run) message(s *Statement) error {
	send, err := r.event(s, s.From)
	if err != nil || s.From == s.To { // a message to oneself is one event
		return err
	}
	recv := graphs.NoHandle
	if s.Sends != Lost {
		if recv, err = r.event(s, s.To); err != nil {
			return err
		}
	}
	if s.Sends == Both {
		r.builder.Sync(send, recv)
	} else {
		// Arrows have no names; the builder generates them.
		r.builder.Deliver(r.builder.NewMessage(""), send, recv, s.To)
	}
	return nil
}

// note gives initial values, or assigns in events like those of an arrow with two heads: a note
// over two participants sets both at the same time.
func (r *run) note(s *Statement) error {
	switch {
	case len(s.Sets) == 0:
		return nil
	case !s.Initially:
		return r.message(s)
	}
	for _, p := range []int{s.From, s.To} {
		if r.begun[p] {
			return r.Errorf(s.At, "%s has events above, so this is not what it has initially", r.Participants[p])
		}
		for _, set := range s.Sets {
			r.builder.Init(r.builder.Variable(p, set.Variable), set.Value)
		}
	}
	return nil
}
