package main

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/order"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

// A verdict depends on how well clocks are assumed to agree. A greater bound orders fewer
// events, so there are more cuts and runs: what holds for all runs at a bound holds at each
// smaller one, and what holds for some run holds at each greater one. Verdicts of either
// kind flip at most once, and bisection finds where. Other verdicts are tried at the least
// bound that the trace allows, and at that plus each power of two nanoseconds; between two
// of these with different verdicts bisection finds a flip. Bounds that order the same events
// are decided once.

func sweepFlag() cli.Flag {
	return &cli.BoolFlag{Name: "skew-sweep", Usage: "say at which bounds of clock skew a verdict flips, from the least that the trace allows; the exit status is that of the verdicts without a bound, and 3 if some bound is undecided"}
}

// checkSweep refuses flags that do not go with --skew-sweep.
func checkSweep(c *cli.Context) error {
	if !c.Bool("skew-sweep") {
		return nil
	}
	for _, name := range []string{"skew", "cross-check", "witness", "certificate"} {
		if c.IsSet(name) {
			return usagef("--skew-sweep tries bounds one after the other; it does not go with --%s", name)
		}
	}
	if f := c.String("format"); f != "text" && f != "json" {
		return usagef("--skew-sweep prints text or json, not %s", f)
	}
	return nil
}

// sweeps decides all formulas on one execution at all bounds of clock skew.
func (d *detection) sweeps(e *format.Execution) {
	clocks, err := do(d.session, "comparing clocks", func(ctx context.Context) (*order.Clocks, error) {
		return order.NewClocks(ctx, e.Computation, d.in.unit)
	})
	if err != nil {
		d.wrong(e.Name, fmt.Errorf("%s: %w", e.Name, err))
		return
	}
	grain := grainOf(e.Computation, d.in.unit)
	for _, p := range d.properties {
		d.sweep(e, clocks, grain, p)
		d.left.Add(-1)
	}
}

// grainOf returns the greatest number of nanoseconds that divides all differences of times.
// Bounds between two neighbouring multiples of it order the same events.
func grainOf(c *graphs.Computation, unit time.Duration) int64 {
	grain, first, known := int64(0), int64(0), false
	for e := graphs.Event(1); e < c.Top(); e++ {
		at, ok, err := c.Instant(e, unit)
		if !ok || err != nil {
			continue
		}
		if !known {
			first, known = at, true
		}
		for rest := max(at, first) - min(at, first); rest != 0; {
			grain, rest = rest, grain%rest
		}
	}
	return max(grain, 1)
}

func (d *detection) sweep(e *format.Execution, clocks *order.Clocks, grain int64, p syntax.Property) {
	f, err := d.resolve(p, e)
	if err != nil {
		d.unswept(e, p, err)
		return
	}
	quiet := *d
	quiet.opts.Evidence = false
	s := &sweep{
		detection: &quiet, execution: e, clocks: clocks, grain: grain, formula: f,
		verdicts: make(map[int64]rctl.Verdict), decided: make(map[int64]rctl.Verdict),
	}
	const doing = "deciding at bounds of clock skew"
	err = try(d.session, doing, func(ctx context.Context) error {
		var cancel context.CancelFunc
		s.ctx, cancel = d.budget.Share(ctx, (int(d.left.Load())+d.jobs-1)/d.jobs, doing)
		defer cancel()
		return s.run()
	})
	if err != nil {
		d.unswept(e, p, fmt.Errorf("%s: %w", e.Name, err))
		return
	}
	r := s.report(p)
	d.status = worst(d.status, r.status())
	switch d.show.(type) {
	case *textReport:
		d.printSweep(r)
	case jsonLines:
		d.printJSON(r, "")
	}
	d.flush()
}

// unswept tells why a property has no bounds.
func (d *detection) unswept(e *format.Execution, p syntax.Property, err error) {
	d.wrong(e.Name, err)
	if _, json := d.show.(jsonLines); json {
		d.printError(subjectOf(e.Name, p), err)
	}
}

// sweep is the search for the bounds at which a verdict flips.
type sweep struct {
	*detection
	ctx       context.Context
	execution *format.Execution
	clocks    *order.Clocks
	grain     int64
	formula   *syntax.Formula
	exact     bool
	verdicts  map[int64]rctl.Verdict // by bound in nanoseconds
	decided   map[int64]rctl.Verdict // by bound in grains
	reason    string                 // why a verdict is unknown
	tried     int                    // bounds that an engine was asked about
	err       error
}

func (s *sweep) least() int64 { return int64(s.clocks.Least()) }

// most is a bound that orders nothing, as no two events are further apart.
func (s *sweep) most() int64 { return int64(s.clocks.Span()) }

// at returns the verdict at a bound.
func (s *sweep) at(bound int64) rctl.Verdict {
	v, ok := s.decided[bound/s.grain]
	if !ok {
		v = s.decide(bound)
		s.decided[bound/s.grain] = v
	}
	s.verdicts[bound] = v
	return v
}

func (s *sweep) decide(bound int64) rctl.Verdict {
	if s.err != nil {
		return rctl.Unknown
	}
	err := s.ctx.Err()
	c, res := s.execution.Computation, (*rctl.Result)(nil)
	if err == nil {
		s.tried++
		if bound < s.most() {
			c, err = s.clocks.Within(s.ctx, time.Duration(bound))
		}
	}
	if err == nil {
		res, err = s.check(s.ctx, rctl.NewSession(c), c, s.formula)
	}
	switch {
	case err == nil && res.Verdict != rctl.Unknown:
		return res.Verdict
	case s.ctx.Err() != nil:
		s.reason = limitOf(s.ctx, "deciding").Error()
	case err == nil:
		s.reason = res.Reason
	case is[*order.LimitError](err):
		s.reason = err.Error()
	default:
		s.err = err
	}
	return rctl.Unknown
}

// run decides at as many bounds as it takes.
func (s *sweep) run() error {
	least, most := s.least(), s.most()
	slice := len(s.execution.Computation.Edges()) > 0 // what happens together may depend on the bound
	falls := !slice && rctl.Sound(s.formula, rctl.Holds)
	rises := !slice && rctl.Sound(s.formula, rctl.Fails)
	s.exact = falls || rises
	if !s.exact {
		s.at(most) // first, because it decides the exit status, whatever limit is reached later
	}
	first := s.at(least)
	switch {
	case falls && first == rctl.Fails, rises && first == rctl.Holds:
		s.verdicts[most], s.decided[most/s.grain] = first, first
	case !s.exact:
		for step := int64(1); step < most-least; step *= 2 {
			s.at(least + step)
			if step > most/2 {
				break
			}
		}
	}
	last := s.at(most)
	if first == rctl.Unknown && (falls && last == rctl.Holds || rises && last == rctl.Fails) {
		s.verdicts[least], s.decided[least/s.grain] = last, last
	}
	tried := slices.Sorted(maps.Keys(s.verdicts))
	for i := 1; i < len(tried); i++ {
		s.refine(tried[i-1], tried[i])
	}
	return s.err
}

// refine bisects between two bounds, until it knows where the verdict of one of them ends.
func (s *sweep) refine(low, high int64) {
	a, b := s.at(low), s.at(high)
	if a == b {
		return
	}
	for high-low > 1 && s.err == nil && s.ctx.Err() == nil {
		middle := low + (high-low)/2
		v := s.at(middle)
		if v == a || a == rctl.Unknown && v != b {
			low = middle
		} else {
			high = middle
		}
	}
}

// stretch is a range of bounds with one verdict.
type stretch struct {
	From    int64  `json:"from_ns"`
	To      *int64 `json:"to_ns,omitempty"` // inclusive; absent if there is no bound
	Verdict string `json:"verdict"`
	Reason  string `json:"reason,omitempty"`
}

// sweepReport is the JSON object for one formula on one trace with --skew-sweep.
type sweepReport struct {
	report.Subject
	Sweep []stretch `json:"sweep"`
	Least int64     `json:"least_bound_ns"`
	Exact bool      `json:"exact"` // no flip was missed
	Tried int       `json:"bounds_tried"`
	Notes []note    `json:"notes,omitempty"`
}

func (s *sweep) report(p syntax.Property) *sweepReport {
	r := &sweepReport{Subject: subjectOf(s.execution.Name, p), Least: s.least(), Exact: s.exact, Tried: s.tried}
	tried := slices.Sorted(maps.Keys(s.verdicts))
	add := func(from int64, v rctl.Verdict) {
		n := len(r.Sweep)
		if n > 0 && r.Sweep[n-1].Verdict == v.String() {
			return
		}
		if n > 0 {
			to := from - 1
			r.Sweep[n-1].To = &to
		}
		next := stretch{From: from, Verdict: v.String()}
		if v == rctl.Unknown {
			next.Reason = s.reason
		}
		r.Sweep = append(r.Sweep, next)
	}
	for i, bound := range tried {
		if i > 0 && bound-tried[i-1] > 1 && s.verdicts[bound] != s.verdicts[tried[i-1]] {
			add(tried[i-1]+1, rctl.Unknown)
		}
		add(bound, s.verdicts[bound])
	}
	if why := s.execution.Computation.LowerBound(); why != "" && slices.ContainsFunc(tried, func(b int64) bool { return !rctl.Sound(s.formula, s.verdicts[b]) }) {
		r.Notes = []note{{Kind: noteSpurious, Text: why}}
	}
	return r
}

// status is that of the verdict without a bound, unless some bound is undecided.
func (r *sweepReport) status() status {
	switch {
	case slices.ContainsFunc(r.Sweep, func(st stretch) bool { return st.Verdict == rctl.Unknown.String() }):
		return undecided
	case r.Sweep[len(r.Sweep)-1].Verdict == rctl.Fails.String():
		return someFails
	}
	return allHold
}

func (d *detection) printSweep(r *sweepReport) {
	known := make(map[string]bool)
	for _, st := range r.Sweep {
		known[st.Verdict] = true
	}
	word := rctl.Unknown.String()
	delete(known, word)
	switch {
	case len(known) == 2:
		word = "flips"
	case len(r.Sweep) == 1:
		word = r.Sweep[0].Verdict
	}
	d.heading(word, d.about(r.Subject)...)
	line := func(format string, args ...any) { d.detail(fmt.Sprintf(format, args...)) }
	short := func(ns int64) string { return shortDuration(time.Duration(ns)) }
	switch n := len(r.Sweep); {
	case n == 1 && r.Sweep[0].Reason != "":
		line("at no bound from %s, the least that the trace allows: %s", short(r.Least), r.Sweep[0].Reason)
		return
	case n == 1:
		line("%s however well clocks agree (bounds from %s, the least that the trace allows)", r.Sweep[0].said(), short(r.Least))
	default:
		for i, s := range r.Sweep[:n-1] {
			text := fmt.Sprintf("%s when clocks agree within %s (bounds from %s)", s.said(), short(*s.To), short(s.From))
			if i == n-2 {
				last := r.Sweep[n-1]
				text += fmt.Sprintf(", %s from %s on", last.said(), short(last.From))
			}
			d.detail(text)
		}
	}
	if !r.Exact {
		line("%s tried; the verdict may flip and flip back between two of them", graphs.Plural(r.Tried, "bound"))
	}
	for _, n := range r.Notes {
		d.detail(n.String())
	}
}

func (s stretch) said() string {
	if s.Reason != "" {
		return s.Verdict + " (" + s.Reason + ")"
	}
	return s.Verdict
}

var zeros = regexp.MustCompile("([hm])(0m)?0s$")

// shortDuration writes a duration without the zeros at its end: 2m for 2m0s.
func shortDuration(d time.Duration) string { return zeros.ReplaceAllString(d.String(), "$1") }
