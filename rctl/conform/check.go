package conform

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/scenario"
)

// Options say how to compare a trace with a diagram.
type Options struct {
	Each     string // the values that have one scenario each, see ParseEach; "" for a single scenario
	Vertical bool   // whether the order on the page counts, not only the order along lifelines
	Strict   bool   // whether messages between lifelines that the diagram does not have count, too
	Prefix   bool   // whether a scenario may be cut off
	First    int    // how many failing values to describe
}

// A Result says how well a trace follows a diagram.
type Result struct {
	Verdict  scenario.Verdict // the worst verdict over all values
	Each     string           // the fields, "" if there are none
	Counts   map[string]int   // the number of values by verdict; nil without Each
	Findings []Finding        // the first findings that do not pass; without Each, the only one
	Notes    []string         // the labels that nothing in the trace has

	total, failing int // how many scenarios exist, and how many of them do not pass
}

// Passes reports whether a verdict is good. With prefix, a scenario may be cut off.
func Passes(v scenario.Verdict, prefix bool) bool {
	return v == scenario.Conforms || v == scenario.Unfinished && prefix
}

// A Finding is the verdict on one scenario.
type Finding struct {
	*scenario.Result
	Value string // the value as formulas write it, "" without Each

	of   *checker
	view *view
}

// Check compares a trace with the diagram. It returns the error of ctx, or a *trace.Error if there
// is nothing to compare: the trace lacks the lifelines, labels, notes or values.
//
// It first finds the messages between the lifelines, then divides them into one view per value, and
// decides each shape of a view once.
//
// The time complexity of Check is O(n·(|V|+|edges|) + messages·arrows) for n processes that take
// part, plus the time of scenario.Decide for each shape.
func (s *Spec) Check(ctx context.Context, c *graphs.Computation, opts Options) (*Result, error) {
	lanes, err := s.lanes(c)
	if err != nil {
		return nil, err
	}
	notes, err := s.moments(ctx, c, lanes)
	if err != nil {
		return nil, err
	}
	k := &checker{
		Spec: s, ctx: ctx, c: c, opts: opts, lanes: lanes,
		matched: make([]bool, len(s.labels)), others: make(map[string]bool),
	}
	k.look()
	if err := k.labelled(); err != nil {
		return nil, err
	}
	views := []*view{{ends: k.ends()}}
	if opts.Each != "" {
		if views, err = k.divide(views[0].ends); err != nil {
			return nil, err
		}
	}
	for _, v := range views {
		v.build(k)
	}
	if err := k.clocks(views); err != nil {
		return nil, err
	}

	// Results refer to occurrences by number, so views of one shape share a result.
	decider := s.Scenario.Decider(func(note int32) bool { return len(notes[note]) > 0 }, opts.Vertical)
	known := make(map[string]*scenario.Result)
	for _, v := range views {
		shape := v.shape(c, notes)
		r, ok := known[shape]
		if !ok {
			v.poset.Holds = func(note int, counts []int32) bool { return v.holds(c, notes[note], counts) }
			if r, err = decider.Decide(ctx, &v.poset); err != nil {
				return nil, err
			}
			switch {
			// A trace without messages proves nothing, and may be only a beginning.
			case len(v.ends) == 0 && r.Verdict == scenario.Conforms:
				r.Verdict = scenario.Unfinished
			// A beginning that may be cut off must not be in order by luck.
			case opts.Prefix && r.Verdict == scenario.Unfinished && len(r.Pairs) > 0:
				r.Verdict = scenario.ByLuck
			}
			known[shape] = r
		}
		k.note(Finding{Result: r, Value: v.value, of: k, view: v})
	}
	if k.slip != nil && Passes(k.result.Verdict, opts.Prefix) {
		return nil, k.slip
	}
	return &k.result, nil
}

// A checker compares one trace. Its messages are those between the lifelines of the diagram.
type checker struct {
	*Spec
	ctx   context.Context
	c     *graphs.Computation
	opts  Options
	lanes []uint64 // the lifelines of each process

	messages []message
	matched  []bool          // by arrow: whether something in the trace has its label
	others   map[string]bool // texts between lifelines that no arrow has, at most maxOthers
	// the error of a label that is most likely a typo, with which every trace may pass
	slip   error
	result Result
}

// labelled notes the labels that no message has: the verdict says nothing about them. It returns an
// error if no label has a message. A label close to the text of a message becomes an error if the
// trace would pass.
func (k *checker) labelled() error {
	others := slices.Sorted(maps.Keys(k.others))
	if !slices.Contains(k.matched, true) {
		there := cmp.Or(graphs.List(others, 8), "nothing")
		return k.errorf("no message of the trace is in the diagram: between its lifelines there is %s", there)
	}
	for i, a := range k.Scenario.Arrows {
		if k.matched[i] {
			continue
		}
		near := hint(a.Text, others)
		text := "nothing in the trace is " + k.placed(a.Statement) + near
		k.result.Notes = append(k.result.Notes, text)
		if near != "" {
			k.slip = cmp.Or(k.slip, error(k.Scenario.Diagram.Errorf(a.At, "%s", text)))
		}
	}
	return nil
}

// note counts a verdict and keeps the first findings that do not pass: a trace may have a hundred
// thousand values.
func (k *checker) note(f Finding) {
	r := &k.result
	passes := Passes(f.Verdict, k.opts.Prefix)
	r.total++
	r.Verdict = max(r.Verdict, f.Verdict)
	if !passes {
		r.failing++
	}
	if r.Each != "" {
		r.Counts[f.Verdict.String()]++
	}
	if r.Each == "" || !passes && len(r.Findings) < k.opts.First {
		r.Findings = append(r.Findings, f)
	}
}
