// Package infer finds properties in runs: those that good runs keep and a bad one breaks, those that
// good runs kept by luck, and those that held.
package infer

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/pattern"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Run is one execution.
type Run struct {
	Name        string
	Computation *graphs.Computation
	// Times of events where comparisons that depend on clocks are against a formula, and in its favour.
	Against, InFavour scope.Times
}

// Options say how much to look for.
type Options struct {
	Lines   int           // of each list, 0 for 10
	Timeout time.Duration // of one decision, 0 for 10 s
}

// A Finding is a property, with why it is listed.
type Finding struct {
	Formula  *syntax.Formula
	Text     string // of the formula
	Name     string // for a property file: the template and the variables, unique in a Result
	Template string
	Says     string // in words
	Safety   bool
	Asked    int      // how often the good runs put it to the test
	Apart    bool     // these are pairs of states that local order alone would let meet
	AskedIn  int      // in how many good runs
	BreaksIn []string // bad runs in which it fails
	LuckIn   string   // the first good run with an order of events in which it fails, "" for none
	Implied  []string // formulas that follow from it
}

// A Result has what was found.
type Result struct {
	Breaks, Luck, Held []*Finding
	Good, Bad          int

	Candidates, Kept int    // looked at, and true in all good runs
	Short            bool   // a bad run has fewer events than each good one
	Unordered        int    // good runs without a recorded order
	Reason           string // why this is not all, "" where it is

	// What all good runs but one taught, and how much of it the one breaks, on average.
	Taught, Broken float64
}

// A search is one call of Infer.
type search struct {
	opts      Options
	good, bad []*run
	v         *vocabulary
	order     order
	res       *Result
	names     map[string]int // how many findings have the name
}

// A run is a Run with what is known of it.
type run struct {
	Run
	all, recorded  *facts
	judge, byOrder *judge
}

// Infer looks for properties in good runs, and for those that bad runs break. At the end of ctx it
// returns what it has, with the reason.
func Infer(ctx context.Context, good, bad []Run, opts Options) (*Result, error) {
	opts.Lines = cmp.Or(opts.Lines, 10)
	opts.Timeout = cmp.Or(opts.Timeout, 10*time.Second)
	s := &search{opts: opts, v: vocabularyOf(good), res: &Result{Good: len(good), Bad: len(bad)}, names: make(map[string]int)}
	var err error
	if s.good, err = s.runs(ctx, good, true); err == nil {
		s.bad, err = s.runs(ctx, bad, false)
	}
	if err == nil {
		s.find(ctx)
		err = ctx.Err()
	}
	if err != nil {
		s.res.Reason = context.Cause(ctx).Error()
	}
	return s.res, nil
}

// runs surveys runs.
func (s *search) runs(ctx context.Context, of []Run, recorded bool) ([]*run, error) {
	var all []*run
	for _, r := range of {
		k := &run{Run: r, judge: newJudge(r, r.Computation, s.opts.Timeout)}
		var err error
		if k.all, err = survey(ctx, s.v, r.Computation); err != nil {
			return all, err
		}
		if recorded {
			if c := recordedOrder(r.Computation); c != nil {
				k.byOrder = newJudge(r, c, s.opts.Timeout)
				if k.recorded, err = survey(ctx, s.v, c); err != nil {
					return all, err
				}
			} else {
				s.res.Unordered++
			}
		}
		all = append(all, k)
	}
	return all, nil
}

// find makes the lists.
func (s *search) find(ctx context.Context) {
	var facts []*facts
	for _, r := range s.good {
		facts = append(facts, r.all)
	}
	s.order = orderOf(s.v, facts)
	all := candidates(s.v, facts)
	s.res.Candidates = len(all)
	s.res.Short = s.short()

	var kept, taught, lucky, breaks, held []*candidate
	for _, c := range all {
		fails := 0
		for _, r := range s.good {
			if !c.holds(r.all) {
				fails++
			}
		}
		if fails == 0 {
			kept = append(kept, c)
		} else if c.template.luck && s.inOrder(c) {
			lucky = append(lucky, c)
		}
		if fails <= 1 {
			taught = append(taught, c)
		}
	}
	s.res.Kept = len(kept)
	s.confide(taught)
	for _, c := range kept {
		if slices.ContainsFunc(s.bad, func(r *run) bool { return !c.holds(r.all) }) {
			breaks = append(breaks, c)
		} else if s.weigh(c) <= maxWeight {
			held = append(held, c)
		}
	}
	s.res.Breaks = s.list(ctx, breaks, s.breaks)
	s.res.Luck = s.list(ctx, lucky, s.lucky)
	s.res.Held = s.list(ctx, held, s.held)
}

// confide finds out what all good runs but one taught, and how much of it the one breaks, on average. Of
// candidates that hold on all runs but at most one, those count that follow from no other.
func (s *search) confide(taught []*candidate) {
	s.rank(taught)
	groups := s.order.fold(taught[:min(len(taught), maxFolded)])
	broken := 0
	for _, g := range groups {
		if slices.ContainsFunc(s.good, func(r *run) bool { return !g.holds(r.all) }) {
			broken++
		}
	}
	n := float64(len(s.good))
	s.res.Broken = float64(broken) / n
	s.res.Taught = float64(len(groups)-broken) + s.res.Broken
}

// maxFolded bounds the candidates that are compared with each other, best first.
const maxFolded = 2000

// inOrder reports whether a candidate holds in the recorded order of each good run.
func (s *search) inOrder(c *candidate) bool {
	return !slices.ContainsFunc(s.good, func(r *run) bool { return r.recorded == nil || !c.holds(r.recorded) })
}

// short reports whether a bad run has fewer events than each good one.
func (s *search) short() bool {
	least := func(runs []*run) int {
		n := -1
		for _, r := range runs {
			if events := r.Computation.NumEvents(); n < 0 || events < n {
				n = events
			}
		}
		return n
	}
	return len(s.bad) > 0 && least(s.bad) < least(s.good)
}

// list ranks and folds candidates, and has the first of them decided until there are enough.
func (s *search) list(ctx context.Context, all []*candidate, decided func(context.Context, *Finding) bool) []*Finding {
	s.rank(all)
	var found []*Finding
	for _, g := range s.order.fold(all[:min(len(all), maxFolded)]) {
		if len(found) == s.opts.Lines || ctx.Err() != nil {
			break
		}
		f, err := pattern.Formulas().Parse(g.formula)
		if err != nil {
			panic(fmt.Sprintf("infer: %s: %v", g.formula, err)) // this cannot happen: templates make formulas
		}
		finding := &Finding{
			Formula:  f,
			Text:     f.String(),
			Template: g.template.name,
			Says:     g.says,
			Safety:   g.template.safety,
		}
		for _, r := range s.good {
			if n := g.asked(r.all); n > 0 {
				finding.Asked += n
				finding.AskedIn++
			}
			finding.Apart = finding.Apart || g.separates(r.all)
		}
		if finding.Asked == 0 || !decided(ctx, finding) {
			continue
		}
		for _, c := range g.implied {
			finding.Implied = append(finding.Implied, c.formula)
		}
		finding.Name = s.name(g.candidate)
		found = append(found, finding)
	}
	return found
}

// plainName matches what the name of a property may not have.
var plainName = regexp.MustCompile(`[^\pL\pN_]+`)

// name returns a name for a property file that no other finding has.
func (s *search) name(c *candidate) string {
	name := c.template.name
	for i, l := range c.literals {
		if part := plainName.ReplaceAllString(s.v.literals[l].variable.name, "-"); i == 0 || l != c.literals[i-1] {
			name += "-" + part
		}
	}
	if c.key != nil {
		name += "-" + plainName.ReplaceAllString(c.key.name, "-")
	}
	s.names[name]++
	if n := s.names[name]; n > 1 {
		name += fmt.Sprintf("-%d", n)
	}
	return name
}

// breaks decides that a finding holds on all good runs, and in which bad ones it fails.
func (s *search) breaks(ctx context.Context, f *Finding) bool {
	if !s.held(ctx, f) {
		return false
	}
	for _, r := range s.bad {
		if r.judge.decide(ctx, f.Formula) == rctl.Fails {
			f.BreaksIn = append(f.BreaksIn, r.Name)
		}
	}
	return len(f.BreaksIn) > 0
}

// held decides that a finding holds on all good runs, and not vacuously on some.
func (s *search) held(ctx context.Context, f *Finding) bool {
	for _, r := range s.good {
		if r.judge.decide(ctx, f.Formula) != rctl.Holds {
			return false
		}
	}
	return slices.ContainsFunc(s.good, func(r *run) bool { return !r.judge.vacuous(ctx, f.Formula) })
}

// lucky decides that a finding holds in the recorded order of all good runs, and not in all orders.
func (s *search) lucky(ctx context.Context, f *Finding) bool {
	for _, r := range s.good {
		if r.byOrder.decide(ctx, f.Formula) != rctl.Holds {
			return false
		}
	}
	for _, r := range s.good {
		if r.judge.decide(ctx, f.Formula) == rctl.Fails {
			f.LuckIn = r.Name
			return true
		}
	}
	return false
}
