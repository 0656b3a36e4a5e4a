// Package bindings decides formulas about data binding by binding: for every request, for each key.
//
// # Definitions
//
// A formula here begins with quantifiers over values or events, all forall or all exists. A binding
// gives each of their names a value or an event. An event is visible to a binding if it satisfies a
// condition of the body under the binding.
//
// # How it is decided
//
// The visible events are ordered as in the computation. The cuts of that order are the projections of
// the computation's cuts, and CTL without EX and AX is insensitive to the events between. Thus a small
// computation of the visible events decides the body. Its shape is the order of the events together
// with the conditions that each satisfies. The truth depends on the shape alone, and requests tend to
// be alike: a hundred thousand of them have a handful of shapes, and each shape is decided once.
//
// Example: r1 and r2 are received, and answered by another process. Both have the shape
// "received before answered", so a single decision covers both.
//
// The time complexity is O(n·(|V|+|edges|) + Σ v·k·log v) for n processes and bindings with v visible
// events on k processes, in addition to the time to decide the shapes.
//
// # One binding
//
// Choose and evidence present one binding to people: the formula for this binding alone, and the
// computation of the events that matter to it. These are the visible events, the first event with
// each value, and all events that inner quantifiers range over; they keep their ids, times and
// messages. The formula has the same verdict on this computation and on the whole one.
//
// # Limits
//
// When the context ends, Check returns what it has decided so far. One binding may be enough for a
// verdict; otherwise the verdict is unknown, and the reason has the number of decided bindings.
package bindings

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Result is the verdict on a formula, with the bindings that decide it.
type Result struct {
	Survey
	Verdict rctl.Verdict
	Reason  string // why the verdict is Unknown
	Op      syntax.Op
	// Decisive counts the bindings that decide the verdict: under them a forall fails, or an
	// exists holds.
	Decisive int
	First    []Binding // the first decisive bindings, in the order of the trace
	Unknown  int       // how many bindings were not decided
	Stopped  bool      // whether the context ended; Total then counts the bindings decided before
	// DependsOnClocks says that the clocks left some comparisons open; Options.Times decided them.
	DependsOnClocks bool
	// Margin is how near the bounds on time were to deciding otherwise, under the binding Near; nil if
	// they do not decide the verdict.
	Margin *syntax.Margin
	Near   []syntax.Bound

	Class  syntax.Class  // the class of the body
	Engine rctl.Engine   // the costliest engine used
	absent []syntax.Name // fields that no event assigns
	Chosen []string      // notes on choices that stand for two values
}

// Decides reports whether a verdict on one binding decides the formula.
func (r *Result) Decides(v rctl.Verdict) bool {
	return v == rctl.Fails && r.Op == syntax.OpForall || v == rctl.Holds && r.Op == syntax.OpExists
}

// Conclude sets the verdict, or the reason why it is unknown, from the numbers of bindings.
func (r *Result) Conclude() {
	// One decisive binding is enough, whatever the others are.
	switch decided := r.Decisive > 0; {
	case !decided && r.Stopped:
		r.Reason = fmt.Sprintf("%s were decided", graphs.Plural(r.Total, "binding"))
	case !decided && r.Unknown > 0:
		unknown := graphs.Plural(r.Unknown, "binding")
		r.Reason = fmt.Sprintf("%s of %d are not decided: %s", unknown, r.Total, r.Reason)
	case decided == (r.Op == syntax.OpForall):
		r.Verdict = rctl.Fails
	default:
		r.Verdict = rctl.Holds
	}
}

// Summary returns the verdict without the bindings.
func (r *Result) Summary() *rctl.Result {
	return &rctl.Result{Verdict: r.Verdict, Reason: r.Reason, Class: r.Class, Engine: r.Engine}
}

// Text says how many bindings decide the verdict, and names the first of them; "" if none does.
func (r *Result) Text() string {
	if r.Decisive == 0 {
		return ""
	}
	of := ""
	if r.Stopped {
		of = "the first "
	}
	text := fmt.Sprintf("%d of %s%d %s", r.Decisive, of, r.Total, r.Of)
	names := make([]string, len(r.First))
	for i, b := range r.First {
		names[i] = b.Text()
		// The time of one binding is enough to find the place in a log.
		if i == 0 && b.Since != "" {
			names[i] += " (of " + b.Since + ")"
		}
	}
	if more := r.Decisive - len(names); more > 0 && len(names) > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	if len(names) > 0 {
		text += ": " + strings.Join(names, ", ")
	}
	return text
}

// Notes returns what a user should know in addition to the verdict: that there is no binding, or which
// fields no event assigns.
func (r *Result) Notes() []string {
	// Without bindings, absent fields do not matter: the notes on many traces stay short.
	if r.Total == 0 {
		return []string{"there are no " + r.Of}
	}
	var notes []string
	for _, name := range r.absent {
		notes = append(notes, "no event assigns "+name.Text)
	}
	return notes
}

// Text returns the value of a single name, and x = "a", y = 2 for several names.
func (b *Binding) Text() string {
	texts := make([]string, len(b.Bound))
	for i, name := range b.Bound {
		texts[i] = name.Text
		if len(b.Bound) > 1 {
			texts[i] = name.Name + " = " + name.Text
		}
	}
	return strings.Join(texts, ", ")
}

// A Binding is a binding that decides the verdict, or the one that was chosen.
type Binding struct {
	Bound []syntax.Bound
	Since string // the time of its first event, as written in the trace; "" if it has none

	// Formula is the checked formula for this binding alone, and Computation has the events that
	// matter to it. Both are set by Choose, and by Check if Options.Evidence is set.
	Formula     *syntax.Formula
	Computation *graphs.Computation
	// Resolved is Formula resolved, and Result its verdict with evidence. Both are nil unless
	// Options.Evidence is set.
	Resolved *syntax.Formula
	Result   *rctl.Result

	numbers []int // as in syntax.Instance
}

// Options says how to decide.
type Options struct {
	rctl.Options
	First int      // how many decisive bindings to return
	Only  []Choice // restricts the bindings that are decided; nil means all
	Times scope.Times
}

// Check decides f, a parsed formula, at the initial cut of c. The result is nil for a formula that
// does not begin with a quantifier over values or events. Errors are those of Resolve and Check
// of package rctl.
func Check(ctx context.Context, c *graphs.Computation, f *syntax.Formula, opts Options) (*Result, error) {
	k := newChecker(ctx, c, f, opts)
	if k == nil {
		return nil, nil
	}
	err := k.run()
	// The decisions made before the context ended still count: one binding may be enough.
	k.result.Stopped = err != nil && ctx.Err() != nil
	switch {
	case k.result.Stopped:
		return k.finish(), nil
	case err != nil:
		return nil, err
	case len(opts.Only) > 0 && k.any == nil:
		return nil, k.missing()
	}
	return k.finish(), nil
}

// newChecker returns a checker for a formula; nil if Check does not decide it.
func newChecker(ctx context.Context, c *graphs.Computation, f *syntax.Formula, opts Options) *checker {
	t := syntax.NewTemplate(f)
	if t == nil {
		return nil
	}
	return &checker{
		ctx:      ctx,
		comp:     c,
		scope:    rctl.ScopeWith(c, opts.Times),
		template: t,
		opts:     opts,
		decided:  make(map[string]*rctl.Result),
		stand:    make(map[string][]string),
		result:   Result{Op: t.Op, Survey: Survey{Of: t.Of(), Whole: t.Why}},
	}
}

// run decides the bindings.
func (k *checker) run() error {
	if k.template.Why != "" {
		return k.whole()
	}
	return k.byShape()
}

// A Survey measures the work of Check.
type Survey struct {
	Total   int    `json:"total"`            // how many bindings there are
	Of      string `json:"of"`               // what they range over, in words
	Visible int    `json:"visible"`          // how many visible events all bindings have together
	Shapes  int    `json:"shapes,omitempty"` // how many shapes have to be decided
	// Whole says why each binding is decided on the whole computation; "" if it is not.
	Whole string `json:"whole,omitempty"`
}

// Look returns the survey of a formula; nil if Check returns nil. It decides nothing.
func Look(ctx context.Context, c *graphs.Computation, f *syntax.Formula) (*Survey, error) {
	k := newChecker(ctx, c, f, Options{})
	if k == nil {
		return nil, nil
	}
	k.looks = true
	err := k.run()
	k.result.Shapes = len(k.decided)
	return &k.result.Survey, err
}

// A checker decides one formula.
type checker struct {
	ctx      context.Context
	comp     *graphs.Computation
	scope    *scope.Scope
	template *syntax.Template
	opts     Options
	decided  map[string]*rctl.Result // the results by the key of a shape
	result   Result
	any      []int // the numbers of the first binding
	nearest  []int // the numbers of the binding with the margin
	looks    bool  // whether bindings are only counted, for Look
	// the values that each name with a choice has in the chosen bindings
	stand map[string][]string
}

// note counts the verdict on a binding with some events. It keeps the first decisive bindings with
// their evidence.
func (k *checker) note(numbers []int, r *rctl.Result, events func() []graphs.Event) error {
	// A binding that was being decided when the context ended does not count.
	if r.Verdict == rctl.Unknown && k.ctx.Err() != nil {
		return k.ctx.Err()
	}
	if k.any == nil {
		k.any = slices.Clone(numbers)
	}
	k.result.Total++
	// The result has the costliest engine and the widest fragment of all bindings.
	if r.Engine > k.result.Engine {
		k.result.Engine = r.Engine
	}
	if r.Class.Fragment >= k.result.Class.Fragment {
		k.result.Class = r.Class
	}
	switch {
	case r.Verdict == rctl.Unknown:
		k.result.Unknown++
		k.result.Reason = r.Reason
	case k.result.Decides(r.Verdict):
		k.result.Decisive++
		if len(k.result.First) < k.opts.First {
			b := Binding{
				Bound:   k.template.Bound(numbers),
				Since:   k.since(events()),
				numbers: slices.Clone(numbers),
			}
			if err := k.explain(&b); err != nil {
				return err
			}
			k.result.First = append(k.result.First, b)
		}
	}
	return nil
}

// since returns the earliest time of some events, as written in the trace; "" if there is none.
func (k *checker) since(events []graphs.Event) string {
	first, text := int64(0), ""
	for _, e := range events[:min(len(events), maxSince)] {
		at, ok, err := k.comp.Instant(e, time.Second)
		if ok && err == nil && (text == "" || at < first) {
			first, text = at, strings.Trim(k.comp.Time(e), `"`)
		}
	}
	return text
}

// maxSince bounds the events among which since searches.
const maxSince = 1000

// near keeps the margin of the binding that is nearest to deciding otherwise.
func (k *checker) near(at *syntax.Instance) {
	m, is := syntax.NearestMargin(k.template.Op, k.result.Margin, at.Margin)
	if is {
		k.result.Margin = m
		k.nearest = append(k.nearest[:0], at.Numbers...)
	}
}

// finish makes the result.
func (k *checker) finish() *Result {
	r := &k.result
	r.Conclude()
	r.Shapes = len(k.decided)
	r.DependsOnClocks = k.scope.DependsOnClocks()
	if m := r.Margin; m != nil && r.Verdict != rctl.Unknown && m.Holds() == (r.Verdict == rctl.Holds) {
		r.Near = k.template.Bound(k.nearest)
	} else {
		r.Margin = nil // the bounds do not decide the verdict
	}
	r.absent = k.template.Absent()
	for _, c := range k.opts.Only {
		if texts := k.stand[c.Name]; len(texts) > 1 {
			text := fmt.Sprintf("%s=%s stands for %s (in quotes, as in --binding '%s=%q', only a string)", c.Name, c.Value, strings.Join(texts, " and "), c.Name, c.Value)
			r.Chosen = append(r.Chosen, text)
		}
	}
	return r
}

// chosen reports whether a binding matches the choices, and notes the values of their names.
func (k *checker) chosen(numbers []int) bool {
	if len(k.opts.Only) == 0 {
		return true
	}
	bound := k.template.Bound(numbers)
	// Every choice must match a name of the binding and its value.
	for _, c := range k.opts.Only {
		stands := func(b syntax.Bound) bool {
			return b.Name == c.Name && (b.Text == c.Value || plain(b) == c.Value)
		}
		if !slices.ContainsFunc(bound, stands) {
			return false
		}
	}
	for _, b := range bound {
		// Only names with a choice: any other may have as many values as the trace.
		chosen := slices.ContainsFunc(k.opts.Only, func(c Choice) bool { return c.Name == b.Name })
		if chosen && !slices.Contains(k.stand[b.Name], b.Text) {
			k.stand[b.Name] = append(k.stand[b.Name], b.Text)
		}
	}
	return true
}

// whole decides each binding on the whole computation.
func (k *checker) whole() error {
	var session *rctl.Session
	columns := -1
	return k.template.Each(k.ctx, k.scope, func(at *syntax.Instance) error {
		if !k.chosen(at.Numbers) {
			return nil
		}
		if k.looks {
			k.result.Total++
			return nil
		}
		k.near(at)
		// A body of comparisons of events is decided already, without an engine.
		events := func() []graphs.Event { return k.template.Events(at.Numbers) }
		switch syntax.Folded(at.Body).Op {
		case syntax.OpTrue:
			return k.note(at.Numbers, &rctl.Result{Verdict: rctl.Holds}, events)
		case syntax.OpFalse:
			return k.note(at.Numbers, &rctl.Result{Verdict: rctl.Fails}, events)
		}
		// A session remembers slices, so bindings share it until a body reads columns that the session
		// does not have.
		if n := len(k.scope.Columns()); n != columns {
			columns = n
			session = rctl.NewSession(k.scope.Computation())
		}
		opts := k.opts.Options
		opts.Evidence = false // most bindings are only counted
		r, err := session.Check(k.ctx, at.Body, opts)
		if err != nil {
			return err
		}
		return k.note(at.Numbers, r, events)
	})
}
