package modelcheck

import (
	"fmt"
	"slices"

	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/program"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/crucial"
	"github.com/pota-project/pota/rctl/syntax"
)

// runs returns the runs of the trails of a verdict, one for each path through their branches.
func (k *checker) runs(p syntax.Property, v *verdict) ([]present.Run, error) {
	w := &walker{checker: k, names: syntax.Names(p.Formula)}
	for _, t := range v.Trails {
		if err := w.walk(nil, nil, t); err != nil {
			return nil, err
		}
	}
	return w.runs, nil
}

// A walker collects the runs of trails.
type walker struct {
	checker *checker
	names   map[string]bool // the names of variables in the property
	runs    []present.Run
}

// walk adds the paths of a trail t that begins after the given steps, those of the trails in
// before.
func (w *walker) walk(before []*crucial.Trail, steps []program.Transition, t *crucial.Trail) error {
	// Siblings share the parts before them, so both slices are copied.
	before = append(slices.Clone(before), t)
	steps = append(slices.Clone(steps), t.Steps...)
	for _, child := range t.Children {
		if err := w.walk(before, steps, child); err != nil {
			return err
		}
	}
	if len(t.Children) > 0 {
		return nil
	}

	// Only the variables of the formula are recorded: a model may have hundreds of others.
	named := func(name string) bool { return w.names[name] }
	recorded, err := program.Record(w.checker.program, steps, named)
	if err != nil {
		return err
	}
	w.runs = append(w.runs, w.run(recorded, before))
	return nil
}

// run returns the evidence of the parts of a path, each nested in the one before it.
func (w *walker) run(recorded *program.Recording, parts []*crucial.Trail) present.Run {
	c := recorded.Computation
	r := present.Run{
		Computation: c,
		Context:     w.checker.run.Context,
		Show:        func(x *graphs.Variable) bool { return x.Name == program.At },
	}
	done := 0 // how many steps the earlier parts have
	cut := c.Initial()
	var last *rctl.Evidence
	for _, part := range parts {
		e := &rctl.Evidence{
			Formula: syntax.Tidy(part.Formula),
			Start:   slices.Clone(cut),
			Whole:   part.Cycle >= 0 || part.Deadlock,
		}
		for i := range part.Steps {
			// Users count events from 1.
			if i == part.Cycle {
				r.Cycle = len(e.Run) + 1
			}
			// One transition may be several events, such as both ends of a rendezvous. They
			// execute together.
			events := recorded.Steps[done+i]
			e.Run = append(e.Run, events...)
			// The events of a step happen together, so any of them stands for all.
			cut = c.Execute(cut, events[0])
		}
		done += len(part.Steps)
		e.Cut = slices.Clone(cut)

		// Evidence of a nested operator begins at the end of the outer operator's evidence.
		if last == nil {
			r.Evidence = e
		} else {
			last.Children = []*rctl.Evidence{e}
		}
		last = e
		switch {
		case part.Deadlock:
			r.Ending = "a deadlock: no transition is enabled"
		case part.Cycle >= 0:
			r.Ending = fmt.Sprintf("the last %s repeat for ever",
				graphs.Plural(len(e.Run)-r.Cycle+1, "event"))
		}
	}
	return r
}
