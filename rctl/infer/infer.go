package infer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/pattern"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Run is one execution.
type Run struct {
	Name        string
	Computation *graphs.Computation
	Times       scope.Times // how to read the times of events
}

// Options bound the search.
type Options struct {
	Lines   int           // the length of each list; 0 means 10
	Timeout time.Duration // for one decision; 0 means 10 s

	Templates *Templates // the user's templates; nil if there are none
}

// A Finding is a property with the evidence for it. Its JSON has only the evidence.
type Finding struct {
	// the name for a property file, made of the template and the variables; unique in a Result
	Name     string          `json:"-"`
	Template string          `json:"template"`
	Says     string          `json:"-"` // the property in words
	Formula  *syntax.Formula `json:"-"`
	Text     string          `json:"-"` // the text of the formula
	Safety   bool            `json:"safety"`
	Asked    int             `json:"asked"`    // how often the good runs put it to the test
	AskedIn  int             `json:"asked_in"` // how many good runs put it to the test
	// whether the tests are pairs of states that could be at one cut by local order alone
	Apart    bool     `json:"-"`
	BreaksIn []string `json:"breaks_in,omitempty"` // the names of the bad runs that violate it
	LuckIn   string   `json:"luck_in,omitempty"`   // the first good run that violates it in another order
	Implied  []string `json:"implied,omitempty"`   // the formulas that follow from it
	Evidence string   `json:"text"`                // the evidence in words
}

// A Result has the three lists.
type Result struct {
	Good       int      // how many good runs there are
	Bad        int      // how many bad runs there are
	Candidates int      // how many candidates were tried
	Kept       int      // how many candidates hold on all good runs
	Reason     string   // why the result is incomplete; "" if it is complete
	Notes      []string // remarks on how far to trust the result
	Breaks     []*Finding
	Luck       []*Finding
	Held       []*Finding

	// How many properties all good runs but one teach, and how many of these the one violates, on
	// average.
	Taught float64
	Broken float64

	short     bool // whether a bad run has fewer events than every good one
	unordered int  // how many good runs have no recorded order
}

// A search is one call of Infer.
//
// It goes through five stages: survey all runs, fill the templates, divide the candidates into
// three lists, rank and fold each, and decide the best until the list is full.
type search struct {
	opts      Options
	good, bad []*facts
	v         *vocabulary
	order     order
	res       *Result
	names     map[string]int // how many findings have each name
}

// Infer searches for properties of good runs, and finds out which of them bad runs violate. If ctx
// ends, it returns the lists so far, with the reason. If ctx has a deadline, half of the time after
// the survey of the runs is reserved for the lists. Without a good run, they are empty.
func Infer(ctx context.Context, good, bad []Run, opts Options) *Result {
	opts.Lines = cmp.Or(opts.Lines, 10)
	opts.Timeout = cmp.Or(opts.Timeout, 10*time.Second)
	none := []*Finding{}
	s := &search{
		opts:  opts,
		v:     vocabularyOf(good),
		res:   &Result{Good: len(good), Bad: len(bad), Breaks: none, Luck: none, Held: none},
		names: make(map[string]int),
	}
	var err error
	if s.good, err = s.runs(ctx, good, true); err == nil {
		s.bad, err = s.runs(ctx, bad, false)
	}
	if err == nil && len(good) > 0 {
		filling, cancel := half(ctx)
		defer cancel()
		err = s.find(ctx, filling)
	}
	if err != nil {
		s.res.Reason = cmp.Or(context.Cause(ctx), err).Error()
	}
	s.res.Notes = s.res.notes()
	return s.res
}

// half returns a context that ends after half of the remaining time of ctx, if ctx has a deadline.
func half(ctx context.Context) (context.Context, context.CancelFunc) {
	if deadline, ok := ctx.Deadline(); ok {
		over := errors.New("half of the time was over before all candidates were looked at")
		return context.WithTimeoutCause(ctx, time.Until(deadline)/2, over)
	}
	return ctx, func() {}
}

// runs surveys runs in parallel, and also in their recorded order if recorded is set and the order
// is known.
func (s *search) runs(ctx context.Context, of []Run, recorded bool) ([]*facts, error) {
	all := make([]*facts, len(of))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, r := range of {
		group.Go(func() (err error) {
			all[i], err = survey(ctx, s.v, r, s.opts.Timeout)
			if order := r.Computation.Recorded(); err == nil && recorded && order != nil {
				all[i].recorded, err = all[i].inOrder(ctx, order)
			}
			return err
		})
	}
	return all, group.Wait()
}

// find makes the lists of the candidates that it finds until filling is done. It returns the reason
// if they are incomplete.
func (s *search) find(ctx, filling context.Context) error {
	for _, r := range s.good {
		if r.recorded == nil {
			s.res.unordered++
		}
	}
	s.order = orderOf(s.v, s.good)
	s.res.short = slices.ContainsFunc(s.bad, func(b *facts) bool {
		within := func(g *facts) bool { return g.Computation.NumEvents() <= b.Computation.NumEvents() }
		return !slices.ContainsFunc(s.good, within)
	})
	var kept, taught, lucky []*candidate
	all := s.candidates(ctx, filling)
	partial := context.Cause(filling)
	for _, c := range all {
		if c.fails == 0 {
			kept = append(kept, c)
		} else if c.template.luck && s.inOrder(c) {
			lucky = append(lucky, c)
		}
		if c.fails <= 1 {
			taught = append(taught, c)
		}
	}
	s.res.Kept = len(kept)
	s.confide(taught)

	var breaks, held []*candidate
	for _, c := range kept {
		if c.breaks(s.bad) > 0 {
			breaks = append(breaks, c)
		} else if s.weigh(c) <= maxWeight {
			held = append(held, c)
		}
	}
	s.res.Breaks = s.list(ctx, breaks, s.breaks)
	s.res.Luck = s.list(ctx, lucky, s.lucky)
	s.res.Held = s.list(ctx, held, s.held)
	return cmp.Or(partial, ctx.Err())
}

// candidates fills all templates, and returns the candidates that may be worth a line: those that at
// most one good run violates, or none in its recorded order.
//
// A candidate of a template about luck is tried on all good runs, because it may be luck however many
// of them violate it in another order. Others are dropped at the second run that violates them.
func (s *search) candidates(ctx, filling context.Context) []*candidate {
	var all []*candidate
	f := &filler{ctx: filling, vocabulary: s.v, good: s.good, templates: templates(), definitions: pattern.Formulas()}
	if t := s.opts.Templates; t != nil {
		f.templates, f.definitions = append(f.templates, t.templates...), t.definitions
	}
	f.add = func(c *candidate) {
		if filling.Err() != nil {
			return
		}
		s.res.Candidates++
		c.template = f.template
		f.decided(c)
		for _, r := range s.good {
			if !c.holds(r) {
				c.fails++
			}
			if c.fails == 2 && !(c.template.luck && s.inOrder(c)) {
				return
			}
		}
		f.write(c)
		all = append(all, c)
	}
	f.fillAll()
	f.ctx = ctx // the lists may decide candidates after filling is done
	return all
}

// confide sets Taught and Broken: how many properties all good runs but one teach, and how many of
// these the one violates, on average. It counts the candidates that at most one run violates and
// that do not follow from another.
//
// This is leave-one-out validation without n searches. A candidate that one good run violates is
// taught by the others; a candidate that no run violates is taught by every choice. With n good
// runs, and b of g groups violated by one run, the others teach g-b+b/n on average, of which the
// one violates b/n.
func (s *search) confide(taught []*candidate) {
	s.rank(taught)
	groups := s.order.fold(taught[:min(len(taught), maxFolded)])
	broken := 0
	for _, g := range groups {
		if g.breaks(s.good) > 0 {
			broken++
		}
	}
	n := float64(len(s.good))
	s.res.Broken = float64(broken) / n
	s.res.Taught = float64(len(groups)-broken) + s.res.Broken
}

// maxFolded bounds the candidates that are compared with each other; the best come first.
const maxFolded = 2000

// inOrder reports whether a candidate holds in the recorded order of each good run.
func (s *search) inOrder(c *candidate) bool {
	return !slices.ContainsFunc(s.good, func(r *facts) bool { return r.recorded == nil || !c.holds(r.recorded) })
}

// list ranks and folds candidates, and decides them in this order until the list is full.
//
// Decisions are expensive, so they come last, and only for the lines of the list. Facts are right for
// most candidates, so few decisions are in vain.
func (s *search) list(ctx context.Context, all []*candidate, decided func(context.Context, *Finding) bool) []*Finding {
	found := []*Finding{}
	if ctx.Err() != nil {
		return found
	}
	s.rank(all)
	for _, g := range s.order.fold(all[:min(len(all), maxFolded)]) {
		if len(found) == s.opts.Lines || ctx.Err() != nil {
			break
		}
		c := g.candidate
		f := &Finding{
			Formula:  c.parsed,
			Text:     c.parsed.String(),
			Template: c.template.name,
			Says:     c.says,
			Safety:   c.template.safety,
			Apart:    slices.ContainsFunc(s.good, c.separates),
		}
		f.Asked, f.AskedIn = s.asked(c)
		if f.Asked == 0 || !decided(ctx, f) {
			continue
		}
		for _, by := range g.implied {
			f.Implied = append(f.Implied, by.parsed.String())
		}
		f.Name = s.name(c)
		f.Evidence = s.evidence(f)
		found = append(found, f)
	}
	return found
}

// plainName matches text that the name of a property must not contain.
var plainName = lazy.Regexp(`[^\pL\pN_]+`)

// name returns a unique name for a property file.
func (s *search) name(c *candidate) string {
	name := c.template.name
	for i, l := range c.slots {
		if i == 0 || l != c.slots[i-1] {
			name += "-" + plainName().ReplaceAllString(l.variable.name, "-")
		}
	}
	s.names[name]++
	if n := s.names[name]; n > 1 {
		name += fmt.Sprintf("-%d", n)
	}
	return name
}

// breaks decides whether a finding holds on all good runs and fails on some bad
// ones, and sets BreaksIn.
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

// held decides whether a finding holds on all good runs, on one of them not vacuously.
func (s *search) held(ctx context.Context, f *Finding) bool {
	fails := func(r *facts) bool { return r.judge.decide(ctx, f.Formula) != rctl.Holds }
	says := func(r *facts) bool { return !r.judge.vacuous(ctx, f.Formula) }
	return !slices.ContainsFunc(s.good, fails) && slices.ContainsFunc(s.good, says)
}

// lucky decides whether a finding holds in the recorded order of all good runs, but fails in another
// order of one, and sets LuckIn.
func (s *search) lucky(ctx context.Context, f *Finding) bool {
	broken := func(r *facts) bool { return r.recorded.judge.decide(ctx, f.Formula) != rctl.Holds }
	fails := func(r *facts) bool { return r.judge.decide(ctx, f.Formula) == rctl.Fails }
	if slices.ContainsFunc(s.good, broken) {
		return false
	}
	i := slices.IndexFunc(s.good, fails)
	if i >= 0 {
		f.LuckIn = s.good[i].Name
	}
	return i >= 0
}
