package decide

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/budget"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/clocks"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// A verdict depends on how well clocks are assumed to agree. A greater bound orders fewer events,
// so there are more cuts and runs. A formula about all runs that holds at a bound holds at each
// smaller one, and a formula about some run that holds at a bound holds at each greater one.
// Verdicts of either kind flip at most once, and bisection finds the bound. Other formulas are
// decided at the least bound that the trace allows, and at that plus each power of two
// nanoseconds; bisection finds a flip between neighbours with different verdicts. Bounds that
// order the same events share a decision.
//
// A formula that also compares times depends on the bound in two ways: through the order of events
// (bound x), and through the comparisons that it leaves open (bound y). A greater y only makes
// verdicts unknown, so each verdict is known up to some y. As x grows, one verdict falls and the
// other rises. The first flips at most once on x = y. For the second, let K(x, y) say that the
// verdict is known. If K(x, x), let y be the greatest with K(x, y): then K(z, z) for all z from x
// to y. If not, let z be the least above x with K(z, x): then K is false at all bounds between x
// and z. So the search leaps from x to y, or to z, each found by bisection, and misses no flip.
//
// For example, let two events lie 5 ns apart, so that each bound below 5 ns orders them, and
// let AG f hold if they are ordered. The search tries 0 (holds) and 5 (fails), then 2, 3 and 4
// (holds): the verdict flips at 5 ns.

// sweep decides properties on one execution at all bounds of clock skew.
func (d *decider) sweep(k execution, properties []syntax.Property, to present.Reporter) {
	times, err := job.Do(d.run, "comparing clocks", func(ctx context.Context) (*timing, error) {
		return newTiming(ctx, k.Execution.Computation, d.in.Unit)
	})
	if err != nil {
		// Without clocks no property has a verdict at any bound.
		to.Verdict(present.Unread(k.Execution.Name, fmt.Errorf("%s: %w", k.Execution.Name, err)))
		return
	}
	for i, p := range properties {
		r := k.record(i, p)
		// Formats recognize a sweep by this field, even if the sweep failed.
		r.Sweep = new(present.Sweep)
		s, err := d.sweepOne(k.Execution, times, p)
		if r.Err = err; err == nil {
			r.Sweep = s.report(r.Subject)
		}
		to.Verdict(r)
		d.left.Add(-1)
	}
}

// sweepOne decides one property at all bounds.
func (d *decider) sweepOne(e *format.Execution, times *timing, p syntax.Property) (*search, error) {
	_, f, err := load.Resolve(d.run, p, e)
	if err != nil {
		return nil, err
	}
	const doing = "deciding at bounds of clock skew"
	s, err := job.Share(d.run, doing, d.rounds(int(d.left.Load())), func(ctx context.Context) (*search, error) {
		s := d.newSearch(ctx, times, p.Formula, f)
		return s, s.run()
	})
	if err != nil {
		err = fmt.Errorf("%s: %w", e.Name, err)
	}
	return s, err
}

// A timing holds the times of the events of a computation.
type timing struct {
	of       *graphs.Computation
	readings *clocks.Readings
	unit     time.Duration // the unit of times that are numbers
	grain    int64         // bounds between two neighbouring multiples of it order the same events
}

// newTiming reads the times of a computation. It returns an error if the events have no times, or
// if clocks contradict the trace.
func newTiming(ctx context.Context, c *graphs.Computation, unit time.Duration) (*timing, error) {
	readings, err := clocks.Read(ctx, c, unit)
	return &timing{of: c, readings: readings, unit: unit, grain: grainOf(c, unit)}, err
}

// check decides a formula on a computation.
type check func(context.Context, *rctl.Session, *graphs.Computation, *syntax.Formula) (*rctl.Result, error)

// A search finds the bounds at which the verdict changes.
type search struct {
	ctx     context.Context
	times   *timing
	formula *syntax.Formula
	// whether the formula is about data; it is then the written one, since resolving it fixes the
	// order
	data     bool
	compared syntax.Comparisons // the comparisons of times in a formula about data
	check    check

	exact    bool
	verdicts map[int64]rctl.Verdict    // the verdict at each tried bound, in nanoseconds
	decided  map[[2]int64]rctl.Verdict // the decided verdicts, by key
	reason   string                    // why a verdict is unknown
	tried    int                       // how many times an engine was called
	err      error
}

// newSearch returns a new search for a formula, given in its written and its resolved form.
func newSearch(ctx context.Context, times *timing, written, resolved *syntax.Formula, check check) *search {
	s := &search{
		ctx:      ctx,
		times:    times,
		formula:  resolved,
		check:    check,
		verdicts: make(map[int64]rctl.Verdict),
		decided:  make(map[[2]int64]rctl.Verdict),
	}
	if !syntax.DataFree(written) {
		s.formula, s.data = written, true
		s.compared = syntax.ComparisonsOf(written)
	}
	return s
}

// newSearch returns a search with the engine of the options. The engine finds no evidence, since
// that takes time and is not shown.
func (d *decider) newSearch(ctx context.Context, times *timing, written, resolved *syntax.Formula) *search {
	quiet := *d
	quiet.engine.Evidence = false
	return newSearch(ctx, times, written, resolved, quiet.check)
}

// dependence says that a verdict depends on clocks, with the bounds at which it would not.
func (d *decider) dependence(k execution, p syntax.Property) string {
	const why = "it depends on clocks"
	bound, ok := d.in.Skew()
	if !ok {
		return why
	}
	known, err := job.Do(d.run, "deciding at bounds of clock skew", func(ctx context.Context) (string, error) {
		times, err := newTiming(ctx, k.Execution.Computation, d.in.Unit)
		if err != nil {
			return "", err
		}
		s := d.newSearch(ctx, times, p.Formula, p.Formula)
		low := s.low()
		v := s.at(low)
		if s.err != nil || v == rctl.Unknown {
			return "", s.err
		}
		// The verdict is known at low and not at the bound.
		s.refine(low, int64(bound))
		for at, other := range s.verdicts {
			if other == v {
				low = max(low, at)
			}
		}
		return fmt.Sprintf("%s when they agree within %s", v, present.Within(low)), nil
	})
	if err != nil || known == "" {
		return why
	}
	return why + ", " + known
}

// grainOf returns the greatest number of nanoseconds that divides all differences of times,
// including the latest times from clocks that report their error.
func grainOf(c *graphs.Computation, unit time.Duration) int64 {
	var grain, first int64
	known := false
	for e := graphs.Event(1); e < c.Top(); e++ {
		from, to, ok, err := c.Interval(e, unit)
		if !ok || err != nil {
			continue
		}
		if !known {
			first = from
			known = true
		}
		// By Euclid's algorithm: a common divisor of the differences to the first time divides all
		// differences.
		for _, at := range [...]int64{from, to} {
			for rest := max(at, first) - min(at, first); rest != 0; {
				grain, rest = rest, grain%rest
			}
		}
	}
	return max(grain, 1)
}

// low returns the least bound that the trace allows.
func (s *search) low() int64 { return int64(s.times.readings.Least()) }

// high returns a bound at which clocks order nothing, since no two events are further apart, and
// comparisons of times leave as much open as at any greater bound. It assumes factors of at least a
// thousandth.
func (s *search) high() int64 {
	span := int64(s.times.readings.Span())
	if !s.compared.Any {
		return span
	}
	return span + min(1000*int64(s.compared.Durations), math.MaxInt64/4-span)
}

// at returns the verdict at a bound, and records it.
func (s *search) at(bound int64) rctl.Verdict {
	s.verdicts[bound] = s.atBoth(bound, bound)
	return s.verdicts[bound]
}

// atBoth returns the verdict at a bound for the order and another for comparisons. It is unknown
// after an error.
func (s *search) atBoth(order, comparing int64) rctl.Verdict {
	key := s.key(order, comparing)
	v, known := s.decided[key]
	if !known && s.err == nil {
		v = s.verdict(s.ask(order, comparing))
		s.decided[key] = v
	}
	return v
}

// key returns equal keys for bounds with the same verdict: bounds that order the same events and,
// if times are compared, have the same bound for comparisons.
func (s *search) key(order, comparing int64) [2]int64 {
	if !s.compared.Any {
		comparing = 0
	}
	return [2]int64{min(order, int64(s.times.readings.Span())) / s.times.grain, comparing}
}

// verdict returns the verdict of an engine. It is unknown at a limit. Other errors end the search.
func (s *search) verdict(res *rctl.Result, err error) rctl.Verdict {
	switch {
	case err == nil && res.Verdict != rctl.Unknown:
		return res.Verdict
	// The budget knows which limit ended the context.
	case s.ctx.Err() != nil:
		s.reason = budget.Check(s.ctx, "deciding").Error()
	case err == nil:
		s.reason = res.Reason
	case failure.Is[*graphs.LimitError](err):
		s.reason = err.Error()
	default:
		s.err = err
	}
	return rctl.Unknown
}

// ask decides the formula with the order that clocks give if they agree within one bound, and the
// comparisons that they leave open if they agree within another.
func (s *search) ask(bound, comparing int64) (*rctl.Result, error) {
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	s.tried++
	c := s.times.of
	var model clocks.Model
	// At the highest bound, clocks order no events, so use the trace unchanged.
	if bound < s.high() || s.compared.Any {
		var err error
		if model, err = s.times.readings.Skew(time.Duration(bound)); err != nil {
			return nil, err
		}
		if c, err = model.Ordered(s.ctx); err != nil {
			return nil, err
		}
		if comparing != bound {
			model, err = s.times.readings.Skew(time.Duration(comparing))
		}
		if err != nil {
			return nil, err
		}
	}
	if !s.data {
		return s.check(s.ctx, rctl.NewSession(c), c, s.formula)
	}
	// Happened-before depends on the bound, and so do comparisons of times.
	against, depends, err := s.askData(c, scope.Times{Unit: s.times.unit, Model: model})
	if err != nil || !depends || against.Verdict == rctl.Holds {
		return against, err
	}
	inFavour, _, err := s.askData(c, scope.Times{Unit: s.times.unit, Model: model, InFavour: true})
	if err != nil || inFavour.Verdict == rctl.Fails {
		return inFavour, err
	}
	return &rctl.Result{Verdict: rctl.Unknown, Reason: cmp.Or(against.Reason, inFavour.Reason, "it depends on clocks")}, nil
}

// askData decides a formula about data.
func (s *search) askData(c *graphs.Computation, times scope.Times) (res *rctl.Result, depends bool, err error) {
	r, err := rctl.ResolveWith(s.ctx, c, s.formula, times)
	if err != nil {
		return nil, false, err
	}
	res, err = s.check(s.ctx, rctl.NewSession(r.Computation), r.Computation, r.Formula)
	return res, r.DependsOnClocks, err
}

// run decides at enough bounds to know all verdicts, or else at every power of two.
func (s *search) run() error {
	low, high := s.low(), s.high()
	// Monotonic verdicts need two decisions and a bisection. Others are tried at every power of two.
	// With general edges, which events happen together may depend on the bound.
	slice := len(s.times.of.Edges()) > 0
	falls := !slice && rctl.Sound(s.formula, rctl.Holds)
	rises := !slice && rctl.Sound(s.formula, rctl.Fails)
	if s.compared.Any && !s.compared.Only && (falls || rises) {
		s.exact = true
		s.leap(low, high, map[bool]rctl.Verdict{true: rctl.Fails, false: rctl.Holds}[falls])
		return s.err
	}
	if s.compared.Any {
		// A verdict may become unknown with any bound.
		falls, rises = false, false
	}
	s.exact = falls || rises || s.compared.Only
	if !s.exact {
		s.at(high) // first, because it determines the exit status, whatever limit is reached later
	}

	first := s.at(low)
	switch {
	// The verdict cannot change, since greater bounds only add cuts and runs.
	case falls && first == rctl.Fails, rises && first == rctl.Holds:
		s.know(high, first)
	case !s.exact:
		for step := int64(1); step < high-low; step *= 2 {
			s.at(low + step)
			// The next step would overflow or pass the end.
			if step > high/2 {
				break
			}
		}
	}
	last := s.at(high)
	if first == rctl.Unknown && (falls && last == rctl.Holds || rises && last == rctl.Fails) {
		s.know(low, last)
	}

	s.refineAll()
	return s.err
}

// refineAll bisects between all bounds that were tried.
func (s *search) refineAll() {
	tried := slices.Sorted(maps.Keys(s.verdicts))
	for i := 1; i < len(tried); i++ {
		s.refine(tried[i-1], tried[i])
	}
}

// leap finds the bounds at which the rising verdict is known, and the bound at which the other
// ends.
func (s *search) leap(low, high int64, rising rctl.Verdict) {
	known := func(order, comparing int64) bool { return s.atBoth(order, comparing) == rising }
	// next returns the least bound above x at which ok holds. ok is monotonic.
	next := func(x int64, ok func(int64) bool) int64 {
		n := sort.Search(int(high-x), func(i int) bool { return ok(x + 1 + int64(i)) })
		return x + 1 + int64(n)
	}
	s.at(high)
	for x := low; x <= high && s.err == nil && s.ctx.Err() == nil; {
		s.at(x)
		// Up to the next x, the verdict is known if it is known at x.
		if known(x, x) {
			x = next(x, func(y int64) bool { return !known(x, y) })
		} else {
			x = next(x, func(z int64) bool { return known(z, x) })
		}
		s.at(x - 1)
	}
	s.refineAll()
}

// know records a verdict that follows from others.
func (s *search) know(bound int64, v rctl.Verdict) {
	s.verdicts[bound] = v
	s.decided[s.key(bound, bound)] = v
}

// refine bisects between two bounds until it has found where the verdict of one of them ends.
func (s *search) refine(low, high int64) {
	a, b := s.at(low), s.at(high)
	if a == b {
		return
	}
	end := high
	for high-low > 1 && s.err == nil && s.ctx.Err() == nil {
		middle := low + (high-low)/2
		v := s.at(middle)
		// The search is not for the end of an unknown verdict, but for the beginning of the known one.
		if v == a || a == rctl.Unknown && v != b {
			low = middle
		} else {
			high = middle
		}
	}
	// Between two verdicts, there may be a stretch that depends on clocks.
	if s.compared.Any && s.err == nil && high < end && s.at(high) != b {
		s.refine(high, end)
	}
}

// stretches returns the ranges of bounds with one verdict, in order.
func (s *search) stretches() []present.Stretch {
	var all []present.Stretch
	add := func(from int64, v rctl.Verdict) {
		n := len(all)
		if n > 0 && all[n-1].Verdict == v.String() {
			return
		}
		if n > 0 {
			to := from - 1
			all[n-1].To = &to
		}
		next := present.Stretch{From: from, Verdict: v.String()}
		if v == rctl.Unknown {
			next.Reason = s.reason
		}
		all = append(all, next)
	}

	tried := slices.Sorted(maps.Keys(s.verdicts))
	for i, bound := range tried {
		// The bounds between two different verdicts were not decided, so they are unknown.
		if i > 0 && bound-tried[i-1] > 1 && s.verdicts[bound] != s.verdicts[tried[i-1]] {
			add(tried[i-1]+1, rctl.Unknown)
		}
		add(bound, s.verdicts[bound])
	}
	return all
}

// report returns the record of a search.
func (s *search) report(of report.Subject) *present.Sweep {
	r := &present.Sweep{
		Subject: of,
		Sweep:   s.stretches(),
		Least:   s.low(),
		Exact:   s.exact,
		Tried:   s.tried,
	}
	unsound := false
	for _, v := range s.verdicts {
		unsound = unsound || !rctl.Sound(s.formula, v)
	}
	if why := s.times.of.LowerBound(); why != "" && unsound {
		r.Notes = []report.Note{{Kind: report.Spurious, Text: why}}
	}
	return r
}
