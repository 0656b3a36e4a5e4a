// Package bindings decides formulas about data binding by binding: for every request, for each key.
//
// # Definitions
//
// A formula here begins with quantifiers over values or events, all forall or all exists. A binding
// gives each of their names a value or an event. An event is visible to a binding if it satisfies a
// condition of the body, with what the names are bound to.
//
// # How it is decided
//
// The visible events are ordered as in the computation. The cuts of that order are the projections of
// the computation's cuts, and CTL without EX and AX does not notice the events between. So a small
// computation of the visible events decides the body. Its shape is the order of the events together
// with the conditions that each satisfies. The truth depends on the shape alone, and requests tend to
// look alike: a hundred thousand of them have a handful of shapes, and each shape is decided once.
//
// Example: r1 and r2 are received, and answered by another process. Both have the shape
// "received before answered", so one decision does for the two.
//
// The time complexity is O(n·(|V|+|edges|) + Σ v·k·log v) for n processes and bindings with v visible
// events on k processes. The decisions on shapes come on top.
//
// # One binding
//
// Choose and evidence show one binding to people: the formula about it alone, and the computation of
// the events that matter to that. These are the visible ones, the first event with each value, and all
// events that quantifiers inside range over; the events keep their ids, times and messages. The
// formula has the same verdict there and on the whole.
//
// # Limits
//
// At the end of the context Check returns what has been decided by then. One binding may be enough for
// a verdict; otherwise it is unknown, with the number of those that were decided.
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

// A Result is a decided formula.
type Result struct {
	Survey
	Verdict rctl.Verdict
	Reason  string // why the verdict is Unknown
	Op      syntax.Op
	// Decisive counts the bindings that decide the verdict: under them a forall fails, or an
	// exists holds.
	Decisive int
	First    []Binding // the first of them, in the order of the trace
	Unknown  int       // bindings that were not decided
	Stopped  bool      // the context ended: Total are the bindings that were decided before
	// DependsOnClocks says that some comparisons got the truth value that Options.Times says.
	DependsOnClocks bool
	// Margin is how near bounds on time were to decide otherwise, under the binding that Near says; nil where
	// they do not decide the verdict.
	Margin *syntax.Margin
	Near   []syntax.Bound

	Class  syntax.Class // the class of the body
	Engine rctl.Engine  // the costliest engine that was used
	absent []syntax.Name
	Chosen []string // notes on choices that stand for two values
}

// Decides reports whether a verdict on one binding decides the formula.
func (r *Result) Decides(v rctl.Verdict) bool {
	return v == rctl.Fails && r.Op == syntax.OpForall || v == rctl.Holds && r.Op == syntax.OpExists
}

// Conclude makes the verdict that follows from the numbers of bindings.
func (r *Result) Conclude() {
	// One decisive binding is enough, whatever is unknown about others.
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

// Summary is the verdict without the bindings.
func (r *Result) Summary() *rctl.Result {
	return &rctl.Result{Verdict: r.Verdict, Reason: r.Reason, Class: r.Class, Engine: r.Engine}
}

// Text says how many bindings decide the verdict, and names the first of them; "" where none does.
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
		// A time leads to the place in a log; one is enough.
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

// Notes say what a user should know beside the verdict: that there is no binding, and fields that no
// event assigns.
func (r *Result) Notes() []string {
	// Then absent fields matter no more: one line is enough, for many traces, too.
	if r.Total == 0 {
		return []string{"there are no " + r.Of}
	}
	var notes []string
	for _, name := range r.absent {
		notes = append(notes, "no event assigns "+name.Text)
	}
	return notes
}

// Text is what the names stand for: the value of one, and x = "a", y = 2 of several.
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

// A Binding is one that decides the verdict, or that was chosen.
type Binding struct {
	Bound []syntax.Bound
	Since string // the time of its first event, as written in the trace; "" for none

	// Formula is the one that was asked for, about this binding alone, and Computation has the
	// events that matter to it. Both are there with evidence, and in the answer of Choose.
	Formula     *syntax.Formula
	Computation *graphs.Computation
	// Where evidence was asked for, Resolved is Formula as it was decided, with the result.
	Resolved *syntax.Formula
	Result   *rctl.Result

	numbers []int
}

// Options says how to decide.
type Options struct {
	rctl.Options
	First int      // how many bindings to return
	Only  []Choice // the bindings that are decided; nil for all
	Times scope.Times
}

// Check decides f, as it is parsed, at the initial cut of c. The result is nil for a formula that
// does not begin with a quantifier over values or events. Errors are those of Resolve and Check
// of package rctl.
func Check(ctx context.Context, c *graphs.Computation, f *syntax.Formula, opts Options) (*Result, error) {
	k := newChecker(ctx, c, f, opts)
	if k == nil {
		return nil, nil
	}
	err := k.run()
	// What was decided until then still counts: one binding may be enough.
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

// newChecker returns a checker for a formula, nil for one that Check does not decide.
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

// run goes through the bindings.
func (k *checker) run() error {
	if k.template.Why != "" {
		return k.whole()
	}
	return k.byShape()
}

// A Survey says what Check has to decide.
type Survey struct {
	Total   int    `json:"total"`            // bindings
	Of      string `json:"of"`               // the bindings in words
	Visible int    `json:"visible"`          // events, over all bindings
	Shapes  int    `json:"shapes,omitempty"` // the shapes to be decided
	// Whole says why each binding is decided on the whole computation; "" if it is not.
	Whole string `json:"whole,omitempty"`
}

// Look returns the survey of a formula; nil where Check returns nil. It decides nothing.
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
	decided  map[string]*rctl.Result // by shape
	result   Result
	any      []int // the numbers of the first binding
	nearest  []int // the numbers of the binding with the margin
	looks    bool  // nothing is decided
	// the values in the chosen bindings of each name that has a choice
	stand map[string][]string
}

// note counts the verdict on a binding that some events matter to. The first decisive ones are kept
// with their evidence.
func (k *checker) note(numbers []int, r *rctl.Result, events func() []graphs.Event) error {
	// Nothing is known of a binding that was being decided when the time was over.
	if r.Verdict == rctl.Unknown && k.ctx.Err() != nil {
		return k.ctx.Err()
	}
	if k.any == nil {
		k.any = slices.Clone(numbers)
	}
	k.result.Total++
	// The costliest engine and the widest fragment: what all bindings took.
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

// since returns the time of the first of some events.
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

// maxSince bounds the events that are looked at for the first one.
const maxSince = 1000

// near keeps the margin of the binding that is the nearest to decide otherwise.
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
		r.Margin = nil // something else decides
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

// chosen reports whether a binding is to be looked at.
func (k *checker) chosen(numbers []int) bool {
	if len(k.opts.Only) == 0 {
		return true
	}
	bound := k.template.Bound(numbers)
	// All choices must be about names of the binding, and about what these stand for.
	for _, c := range k.opts.Only {
		stands := func(b syntax.Bound) bool {
			return b.Name == c.Name && (b.Text == c.Value || plain(b) == c.Value)
		}
		if !slices.ContainsFunc(bound, stands) {
			return false
		}
	}
	for _, b := range bound {
		// A name without a choice may stand for all values of the trace.
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
		// Comparisons of events are decided by now, without an engine.
		events := func() []graphs.Event { return k.template.Events(at.Numbers) }
		switch syntax.Folded(at.Body).Op {
		case syntax.OpTrue:
			return k.note(at.Numbers, &rctl.Result{Verdict: rctl.Holds}, events)
		case syntax.OpFalse:
			return k.note(at.Numbers, &rctl.Result{Verdict: rctl.Fails}, events)
		}
		// A session remembers slices, so it is shared as long as it can be. The bodies of later
		// bindings may read columns that a session does not know.
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
