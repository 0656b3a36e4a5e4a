package conform

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/scenario"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// Options say how a trace is compared with a diagram.
type Options struct {
	Each     string // what has a scenario each, see ParseEach; "" for one scenario
	Vertical bool   // the order of the page is meant, and not only that of lifelines
	Strict   bool   // messages of lifelines that the diagram does not have count, too
	Prefix   bool   // a scenario may be cut off
	First    int    // how many values are described
}

// A Result says how well a trace follows a diagram.
type Result struct {
	Verdict scenario.Verdict // the worst of all values
	// Lucky: some scenario is unfinished, and nothing enforces the order of its beginning.
	Lucky    bool
	Each     string // the fields, "" for none
	Total    int    // scenarios: 1, or one for each value
	Counts   [scenario.Violated + 1]int
	Findings []Finding // the first that do not conform; without Each, the only one
	Notes    []string  // labels that nothing in the trace has
	Shapes   int       // that were decided
	Failing  int       // scenarios that do not pass
}

// Passes reports whether a verdict is good. With prefix, a scenario may be cut off, but its beginning must
// not be there by luck.
func Passes(v scenario.Verdict, lucky, prefix bool) bool {
	return v == scenario.Conforms || v == scenario.Unfinished && prefix && !lucky
}

// A Finding is the verdict on one scenario.
type Finding struct {
	*scenario.Result
	Value string // as formulas write it, "" without Each

	survey *survey
	view   *view
}

// Lucky reports whether the scenario is unfinished, and nothing enforces the order of its beginning.
func (f *Finding) Lucky() bool { return f.Verdict == scenario.Unfinished && len(f.Pairs) > 0 }

// Check compares a trace with the diagram. It returns the error of ctx, or a *trace.Error if there is
// nothing to compare: lifelines, labels, notes or values that the trace does not have.
//
// It first finds the messages between the lifelines, then divides them into a view for each value, and
// decides each shape of a view once.
//
// The time complexity of Check is O(n·(|V|+|edges|) + messages·arrows) for n processes that take part.
// Each shape takes the time of scenario.Decide besides.
func (s *Spec) Check(ctx context.Context, c *graphs.Computation, opts Options) (*Result, error) {
	lanes, nobody, err := s.lanes(c)
	if err != nil {
		return nil, err
	}
	notes, err := s.moments(ctx, c, lanes)
	if err != nil {
		return nil, err
	}
	asserted := make([]bool, len(notes))
	for i := range notes {
		asserted[i] = notes[i] != nil
	}
	k := &checker{
		survey:  survey{Spec: s, c: c, lanes: lanes, strict: opts.Strict},
		ctx:     ctx,
		opts:    opts,
		notes:   notes,
		decider: s.Scenario.Decider(asserted, opts.Vertical),
		known:   make(map[string]*scenario.Result),
	}
	k.look()
	if err := k.labelled(nobody); err != nil {
		return nil, err
	}
	views, err := k.views()
	if err != nil {
		return nil, err
	}
	for _, v := range views {
		r, err := k.decide(v)
		if err != nil {
			return nil, err
		}
		k.note(r, v)
	}
	k.result.Shapes = len(k.known)
	return &k.result, nil
}

// A checker compares one trace. Its fields are set in their order: the survey knows the messages, the
// notes are evaluated, and then each view is decided.
type checker struct {
	survey
	ctx     context.Context
	opts    Options
	notes   []map[int]moment // when each note holds, by process; nil for one that is for people
	decider *scenario.Decider
	named   func(value int) string      // how formulas write it, nil without Each
	known   map[string]*scenario.Result // by shape
	result  Result
}

// labelled looks for labels without a message, and for the lifelines of nobody. If the whole diagram
// has no message, or a label nearly is the text of one, that is an error: most likely a slip, and the
// verdict would mislead. Others are noted.
func (k *checker) labelled(nobody uint64) error {
	others := slices.Sorted(maps.Keys(k.others))
	if !slices.Contains(k.matched, true) {
		there := "nothing"
		if len(others) > 0 {
			there = graphs.List(others, 8)
		}
		return k.errorf("no message of the trace is in the diagram: between its lifelines there is %s", there)
	}
	note := func(format string, args ...any) {
		k.result.Notes = append(k.result.Notes, fmt.Sprintf(format, args...))
	}
	for lane, name := range k.Scenario.Diagram.Participants {
		if nobody>>lane&1 == 1 {
			note("no process or service is called %q", name)
		}
	}
	for i, a := range k.Scenario.Arrows {
		if k.matched[i] || nobody>>a.From&1 == 1 || nobody>>a.To&1 == 1 {
			continue
		}
		// A slip in an arrow that may be missing would let every trace pass.
		hint := syntax.DidYouMean(a.Text, others)
		if hint != "" && (a.Optional || k.opts.Prefix) && k.labels[i].pattern == nil {
			return k.errorAt(a.At, "nothing in the trace is %s (%s)", k.arrowText(int32(i)), hint)
		}
		note("nothing in the trace is %s", k.arrowText(int32(i)))
	}
	return nil
}

// views divides the messages by values, and finds their order. Without Each, there is one view of all
// messages.
func (k *checker) views() (views []*view, err error) {
	if k.opts.Each == "" {
		all := &view{}
		for i := range k.messages {
			all.messages = append(all.messages, int32(i))
		}
		views = []*view{all}
	} else if views, err = k.divide(); err != nil {
		return nil, err
	}

	// The rank of an event is the length of the longest chain of events that leads to it. In the order of
	// ranks no lifeline gets far behind others, which keeps the rest of the diagram short.
	ranks := make([]int32, k.c.Top()+1)
	for step := range k.c.Steps() {
		rank := int32(0)
		for _, e := range step {
			if k.c.Position(e) > 1 {
				rank = max(rank, ranks[e-1]+1)
			}
			for _, cause := range k.c.Preds(e) {
				if !k.c.SameStep(cause, e) {
					rank = max(rank, ranks[cause]+1)
				}
			}
		}
		for _, e := range step {
			ranks[e] = rank
		}
	}
	for _, v := range views {
		k.occurrences(v, ranks)
	}
	return views, k.order(k.ctx.Err, views)
}

// divide makes a view for each value. A message belongs to the values that its ends assign.
//
// Example: A assigns req = 7 and sends x; B receives x without an assignment. Then x belongs to 7. If B
// assigns req = 8, x belongs to both; if B assigns 7, it belongs to 7 once.
func (k *checker) divide() (views []*view, err error) {
	asked, err := ParseEach(k.opts.Each)
	if err != nil {
		return nil, err
	}
	k.result.Each = fieldsOf(asked)
	known := scope.Of(k.c)
	// A field that nobody assigns is a slip more likely than a trace without values.
	for _, field := range asked.Quant.Data.Fields {
		if known.FieldTypes(field.Text) == nil {
			return nil, k.errorf("no event of the trace assigns %s, so there is no value to compare for", field.Text)
		}
	}
	// The formula of --each has an instance for each value. Its events are those that assign the value.
	of := make([]int32, k.c.Top()+1) // the value of each event, from 1
	var numbers [][]int
	t := syntax.NewTemplate(asked)
	err = t.Each(k.ctx, known, func(at *syntax.Instance) error {
		views = append(views, &view{value: len(views)})
		numbers = append(numbers, slices.Clone(at.Numbers))
		for _, e := range at.Holes[0] {
			of[e] = int32(len(views))
		}
		return nil
	})
	if _, ok := errors.AsType[*syntax.Error](err); ok {
		return nil, k.errorf("%s: %v", k.opts.Each, inRange(err))
	}
	if err != nil {
		return nil, err
	}
	k.named = func(value int) string {
		var texts []string
		for _, bound := range t.Bound(numbers[value]) {
			texts = append(texts, bound.Text)
		}
		if len(texts) == 1 {
			return texts[0]
		}
		return "(" + strings.Join(texts, ", ") + ")"
	}
	if len(views) == 0 {
		return nil, k.errorf("there is no value in %s to compare for", k.opts.Each)
	}

	// Messages keep their order within each view.
	there := false
	for i, m := range k.messages {
		for end, n := range [...]int32{of[m.send], of[m.recv], of[m.caller]} {
			// The same value at two ends counts once.
			known := end > 0 && n == of[m.send] || end > 1 && n == of[m.recv]
			if n > 0 && !known {
				views[n-1].messages = append(views[n-1].messages, int32(i))
				there = true
			}
		}
	}
	if !there {
		return nil, k.errorf("no event that sends or receives a message of the diagram assigns %s", k.result.Each)
	}
	return views, nil
}

// decide decides a view, once for each shape. A result speaks of occurrences by number, so views of
// one shape share it.
func (k *checker) decide(v *view) (*scenario.Result, error) {
	notes := k.holds(v)
	key := ""
	if k.opts.Each != "" {
		key = v.key(notes)
	}
	r, ok := k.known[key]
	if !ok {
		var err error
		if r, err = k.decider.Decide(k.ctx, &v.poset); err != nil {
			return nil, err
		}
		// A trace without messages shows nothing, and may only be a beginning.
		if len(v.events) == 0 && r.Verdict == scenario.Conforms {
			r.Verdict = scenario.Unfinished
		}
		k.known[key] = r
	}
	return r, nil
}

// holds works out when notes hold in a view, and returns that for its key.
//
// The n occurrences of a view on a process divide its states into n+1 intervals. The note is asked for
// after k occurrences, so it holds there if it does in some state of interval k. Example: with
// occurrences at events 2 and 5, the intervals are the states 0 to 1, 2 to 4, and 5 to the last.
func (k *checker) holds(v *view) []byte {
	type when struct {
		process int32 // -1 for one without an occurrence
		after   []bool
	}
	all := make([][]when, len(k.notes))
	var key []byte
	for n, moments := range k.notes {
		for _, p := range slices.Sorted(maps.Keys(moments)) {
			w := when{process: -1}
			if i, ok := v.local(p); ok {
				w.process = i
			} else if len(moments) > 1 {
				continue // it takes no part
			}

			// The states of p from one occurrence to the next, and from the last one to the end.
			from, to := 0, k.c.Len(p)
			for _, e := range v.events {
				if k.c.Process(e) == p {
					w.after = append(w.after, moments[p].within(from, max(from, k.c.Position(e)-1)))
					from = k.c.Position(e)
				}
			}
			w.after = append(w.after, moments[p].within(from, to))
			all[n] = append(all[n], w)
			for _, holds := range w.after {
				key = strconv.AppendBool(key, holds)
			}
		}
	}
	v.poset.Holds = func(note int, counts []int32) bool {
		return slices.ContainsFunc(all[note], func(w when) bool {
			if w.process < 0 {
				return w.after[0]
			}
			return w.after[counts[w.process]]
		})
	}
	return key
}

// key encodes the shape of a view: all that Decide looks at. Processes and messages are numbered in
// their order of appearance, and clocks count occurrences of the view alone.
//
// Example: request 7 between A and B, and request 8 between C and D, both of a send and its receive,
// have the same key. The time complexity is O(n·k·log n) for n occurrences on k processes.
func (v *view) key(notes []byte) string {
	key := slices.Clone(notes)
	processes := make([]int32, v.poset.Processes)
	positions := make([][]int32, v.poset.Processes)
	messages := make(map[int32]uint64)
	var order []int32
	for i := range v.poset.Occurrences {
		o := &v.poset.Occurrences[i]
		if processes[o.Process] == 0 {
			order = append(order, o.Process)
			processes[o.Process] = int32(len(order))
		}
		if o.Message >= 0 && messages[o.Message] == 0 {
			messages[o.Message] = uint64(len(messages) + 1)
		}
		together := i > 0 && v.poset.Occurrences[i-1].Step == o.Step
		key = strconv.AppendBool(append(key, byte(o.Phase)), together)
		key = binary.AppendUvarint(key, uint64(processes[o.Process]))
		key = binary.AppendUvarint(key, messages[o.Message])
		key = binary.AppendUvarint(key, uint64(o.Class))
		for _, p := range order {
			n, _ := slices.BinarySearch(positions[p], o.Clock[p]+1)
			key = binary.AppendUvarint(key, uint64(n))
		}
		positions[o.Process] = append(positions[o.Process], o.Position)
	}
	return string(key)
}

// note counts a verdict, and keeps the first that are not good: a trace may have a hundred thousand values.
func (k *checker) note(r *scenario.Result, v *view) {
	f := Finding{Result: r, survey: &k.survey, view: v}
	k.result.Total++
	k.result.Counts[r.Verdict]++
	k.result.Lucky = k.result.Lucky || f.Lucky()
	k.result.Verdict = max(k.result.Verdict, r.Verdict)
	passes := Passes(r.Verdict, f.Lucky(), k.opts.Prefix)
	if !passes {
		k.result.Failing++
	}
	if k.named != nil && (passes || len(k.result.Findings) >= k.opts.First) {
		return
	}
	if k.named != nil {
		f.Value = k.named(v.value)
	}
	k.result.Findings = append(k.result.Findings, f)
}
