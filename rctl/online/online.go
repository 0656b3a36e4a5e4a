package online

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/syntax"
)

// Options sets the limits of a monitor and how it reads times.
type Options struct {
	stream.Options
	Most      int // how many events the window may have; 0 means no limit
	MaxLoaded int // how many executions Evict leaves loaded; 0 means 4096
	// how many bytes of lines of a single unnamed execution are kept for Prefix
	MaxLines int
	Skew     time.Duration // the bound on the skew of clocks, for bounds on time
	Bindings int           // how many bindings get answers of their own; 0 means DefaultBindings

	// Now dates obligations; nil means time.Now.
	Now func() time.Time
}

// DefaultBindings is how many bindings get answers of their own by default.
const DefaultBindings = 10

// An Answer is a verdict on a property.
type Answer struct {
	Property int          // the index of the property
	Verdict  rctl.Verdict // Unknown while the property is open
	Final    bool
	Reason   string // why the verdict is Unknown, or which deadline has passed
	// the reason as an error if the formula does not fit the execution, such as a *syntax.Error
	Misfit error
	Events int64    // how many events had been admitted by then
	Cut    []int64  // a cut that shows the verdict, as the number of events of each process
	Steps  []string // the ids of the events of a run in the window that leads to Cut

	// For a formula about data: what the bindings say about the verdict, also as text, and whether
	// a final answer about another binding came before this one.
	Bindings *bindings.Result
	Bound    string
	Further  bool

	Late Late // the late events, if the formula has a bound on time
}

// A Monitor decides properties on the stream of one execution. It must not be used by
// several goroutines at once.
type Monitor struct {
	opts   Options
	stream *stream.Stream
	props  []*property
	scope  int  // the scope of the stream when properties were last resolved
	fixed  bool // whether that scope was complete
	marks  int  // how many marks of the stream have been decided
	least  int  // how many events the window must have before it is decided again
	clocks int  // how many counts the clocks must have before the window is decided again
	says   *resolutions

	columns   *columns
	following []*following
}

// property is the state of one formula in one execution.
type property struct {
	*prepared
	resolved *syntax.Formula
	root     *part   // nil before the formula is resolved
	open     bool    // processes could join at first
	bounds   *bounds // what the formula says while there is no root
	tried    bool    // resolving failed although all of its names were known

	from    int  // the first mark at which the formula was resolved
	decided bool // whether it has been decided since then
	answer  Answer

	// The answer if the formula does not fit, or no longer fits, and no mark before until decides it.
	// It is nil if the formula fits.
	misfit *Answer
	until  int
}

// bounds are what an open formula says in a scope.
type bounds struct {
	scope int
	parts [2]*part // the lower and the upper bound; nil if the formula cannot be resolved
	why   string   // why the formula cannot be resolved
}

// A window is decided again once it has minWindow events, or its clocks have minClocks counts.
const minWindow = 4096

var minClocks = 2 << 20

// New returns a monitor for parsed formulas.
func New(formulas []*syntax.Formula, opts Options) *Monitor {
	return newMonitor(newResolutions(formulas, opts.Skew), opts)
}

// newMonitor returns a monitor that shares resolved formulas with others.
func newMonitor(says *resolutions, opts Options) *Monitor {
	m := &Monitor{
		least:   minWindow,
		clocks:  minClocks,
		scope:   -1,
		says:    says,
		columns: newColumns(says.columns),
	}
	opts.Counted = says.speaksOf
	for i, p := range says.list {
		m.props = append(m.props, &property{prepared: p, answer: Answer{Property: i}})
		var x follower
		switch {
		case p.touching != nil:
			x = newTouch(m, i, p.touching)
		case p.bounded != nil:
			x = newDeadline(m, i, p.bounded)
		case p.pairs:
			x = newPairs(m, i)
		default:
			continue // another mechanism decides it
		}
		m.following = append(m.following, x.state(x))
		opts.Admitted = m.step
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	opts.Bindings = cmp.Or(opts.Bindings, DefaultBindings)
	opts.Unit = cmp.Or(opts.Unit, time.Second)
	m.opts = opts
	m.stream = stream.New(opts.Options)
	m.see()
	return m
}

// Stream returns the stream of the execution.
func (m *Monitor) Stream() *stream.Stream { return m.stream }

// Formula returns the formula of a property, resolved as far as possible.
func (m *Monitor) Formula(property int) *syntax.Formula {
	p := m.props[property]
	return cmp.Or(p.resolved, p.formula)
}

// Answer returns the current answer to a property.
func (m *Monitor) Answer(property int) Answer { return m.props[property].answer }

// Obligations lists the open obligations of a property, the oldest first: those of AG(p -> AF q), with or without a
// bound on time, and of AG(p -> EF q).
func (m *Monitor) Obligations(property int) []Obligation {
	for s := range m.deciding {
		if s.property == property {
			return s.of.obligations()
		}
	}
	if p := m.props[property]; p.root != nil && !p.answer.Final {
		return p.root.obligations()
	}
	return nil
}

// Late returns the events that came too late for deadlines of a property that had been decided.
func (m *Monitor) Late(property int) Late {
	for _, s := range m.following {
		if s.property == property {
			return s.late
		}
	}
	return Late{}
}

// Final reports whether all answers are final.
func (m *Monitor) Final() bool {
	return !slices.ContainsFunc(m.props, func(p *property) bool { return !p.answer.Final })
}

// Add adds a line. A refused line changes nothing, with one exception: after a
// *stream.LateError the line counts, and the answers become final with the next Decide.
func (m *Monitor) Add(l *stream.Line) error {
	marks := len(m.stream.Marks())
	added := m.columns.add(l)
	err := m.stream.Add(l)
	added(err == nil)
	if err == nil && l.Kind != stream.Event {
		for s := range m.deciding {
			switch l.Kind {
			case stream.Declaration:
				s.of.declare(l)
			case stream.Closing:
				s.of.advance() // now, so that the result does not depend on when Decide is called
			}
		}
	}
	if _, late := errors.AsType[*stream.LateError](err); err != nil && !late {
		return err
	}
	if m.stream.Scope() != m.scope || m.stream.Fixed() != m.fixed {
		m.resolve(marks)
	}
	return err
}

// Due reports whether enough has arrived that Decide should be called even if more is about to arrive.
func (m *Monitor) Due() bool {
	return m.stream.GivenUp() != nil && !m.Final() || m.stream.Held() >= m.least || m.stream.Clocks() >= m.clocks
}

// resolve relates the formulas to the processes and variables known so far. Marks is the number of marks before these
// became known.
func (m *Monitor) resolve(marks int) {
	m.scope, m.fixed = m.stream.Scope(), m.stream.Fixed()
	shared := m.says.in(m.stream)
	if m.says.anyone {
		m.stream.Mark() // with the scope
	}
	for i, p := range m.props {
		if p.misfit != nil || p.answer.Final || p.ofData() {
			continue
		}
		if p.resolved != nil {
			// A variable named without its process becomes ambiguous when a second process has one of that name.
			if p.bare {
				if _, err := m.says.resolve(i, m.present(), shared); err != nil {
					m.unfit(p, marks, err)
				}
			}
			continue
		}
		if p.ranges && isOpen(p.formula, m.present().opening()) {
			p.open, p.decided = true, false
			p.answer.Reason = m.why(p)
			continue
		}
		// After a failed attempt, the next one makes sense only once all names are known.
		known := p.known(m.stream)
		if p.answer.Reason != "" && !m.stream.Fixed() && !p.ranges && (p.tried || !known) {
			continue
		}
		f, err := m.says.resolve(i, m.present(), shared)
		if err != nil {
			p.tried = known
			if p.answer.Reason = reasonOf(err); m.stream.Fixed() {
				m.unfit(p, marks, err)
			}
			continue
		}
		p.answer.Reason = ""
		p.resolved, p.root = f.resolved, newPart(f.bounds[upper])
		p.from = m.stream.Mark()
		m.see()
	}
}

// unfit notes that a formula does not fit the execution. Only marks before until may decide it.
func (m *Monitor) unfit(p *property, until int, why error) {
	p.misfit = &Answer{Property: p.answer.Property, Final: true, Reason: reasonOf(why), Misfit: why, Events: m.stream.Admitted()}
	p.until = until
}

// reasonOf returns the text of an error, without its place if it is about a formula.
func reasonOf(err error) string {
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		return e.Msg
	}
	return err.Error()
}

// see makes the stream keep what the open properties need, and nothing else.
func (m *Monitor) see() {
	view := stream.View{
		Names:     make(map[string]bool),
		Variables: make(map[stream.Owned]bool),
		Channels:  make(map[[2]int]bool),
		Learning:  make(map[int]bool),
	}
	for _, p := range m.props {
		switch {
		case p.answer.Final || p.byEvents():
		case p.whole:
			view.Whole = true
			view.Everything = true
			view.AnyChannel = true
		case p.resolved == nil:
			maps.Copy(view.Names, p.names)
			view.AnyChannel = view.AnyChannel || syntax.UsesTransit(p.formula)
			view.Everything = view.Everything || syntax.HasNext(p.formula)
			view.Learning[graphs.Shared] = view.Learning[graphs.Shared] || p.learns
		default:
			learning := p.root.learning()
			syntax.WalkExprs(p.resolved, func(e *syntax.Expr) {
				switch e.Op {
				case syntax.ExprVar:
					view.Variables[stream.Owned{Process: e.Owner, Name: e.Text}] = true
					view.Learning[e.Owner] = view.Learning[e.Owner] || learning
				case syntax.ExprTransit:
					view.Channels[[2]int{e.FromID, e.ToID}] = true
					view.Learning[e.FromID] = view.Learning[e.FromID] || learning
					view.Learning[e.ToID] = view.Learning[e.ToID] || learning
				}
			})
			view.Everything = view.Everything || syntax.HasNext(p.resolved)
		}
	}

	m.stream.SetView(view)
}

// Decide decides the events admitted since the last call, and returns the answers that have
// become final. Its errors come from the engines.
func (m *Monitor) Decide(ctx context.Context) ([]Answer, error) {
	answers := m.bound()
	more, err := m.decide(ctx)
	answers = append(answers, more...)
	if why := m.stream.GivenUp(); err == nil && why != nil {
		answers = append(answers, m.GiveUp(why.Error())...)
		m.see()
		m.stream.Drop()
	}
	return answers, err
}

// decide decides the marks since the last call. It handles properties that have become final first, because the
// stream can then forget more. The others remember what they need from the events that will be forgotten.
func (m *Monitor) decide(ctx context.Context) (answers []Answer, err error) {
	defer caught(&err)
	marks := m.stream.Marks()
	last := len(marks) - 1
	if last < 0 || last < m.marks && !m.fresh() {
		if m.Due() { // because of events that no property sees
			return m.drop(), nil
		}
		return nil, nil
	}

	// The window of a moment is built once for all properties.
	moments := make(map[int]*moment)
	type undecided struct {
		*part
		at *moment
	}
	var open []undecided
	for _, p := range m.props {
		if p.answer.Final || p.ofData() {
			continue
		}
		at := m.latest(ctx, p)
		if p.root == nil && !p.open || at < 0 || at < m.marks && p.decided {
			answers = append(answers, p.fits()...)
			continue
		}
		if moments[at] == nil {
			moments[at] = m.at(ctx, at)
		}
		v := m.settle(p, moments[at])
		if v == rctl.Unknown {
			p.answer.Reason = m.why(p)
			p.decided = true
			if p.root != nil && p.misfit == nil {
				open = append(open, undecided{p.root, moments[at]})
			}
			answers = append(answers, p.fits()...)
			continue
		}
		m.finish(&answers, m.first(ctx, p, at), p, v, "")
	}

	m.marks = len(marks)
	if len(answers) > 0 {
		m.see()
	}
	// Events are about to be forgotten, and more of them if other properties have become final.
	for _, x := range open {
		x.remember(x.at)
	}
	return append(answers, m.drop()...), nil
}

// latest returns the last mark that may decide p; it is negative if there is none.
func (m *Monitor) latest(ctx context.Context, p *property) int {
	marks := m.stream.Marks()
	at := len(marks) - 1
	// The receivers of the messages that p counts must be known.
	if id, before := m.stream.Unaddressed(); id != "" && syntax.UsesTransit(p.formula) {
		at = sort.Search(len(marks), func(i int) bool { return marks[i].Kept > before }) - 1
	}
	if p.misfit != nil {
		at = min(at, p.until-1)
	}
	if p.open && p.root == nil && p.bare {
		for at >= m.marks && m.root(p, m.at(ctx, at), rctl.Fails) == nil {
			at-- // at this mark the formula is already ambiguous
		}
	}
	return at
}

// fits makes the answer final if p does not fit.
func (p *property) fits() []Answer {
	if p.misfit == nil {
		return nil
	}
	p.answer = *p.misfit
	return []Answer{p.answer}
}

// fresh reports whether a property was resolved, or found not to fit, and has not been decided since.
func (m *Monitor) fresh() bool {
	return slices.ContainsFunc(m.props, func(p *property) bool {
		return !p.answer.Final && ((p.root != nil || p.open) && !p.decided || p.misfit != nil)
	})
}

// first returns the first moment at which p is final, given that it is final at the last mark.
func (m *Monitor) first(ctx context.Context, p *property, last int) *moment {
	// Marks before the formula was resolved do not decide it, unless it was open then.
	low := p.from
	if p.ranges {
		low = 0
	}
	if p.decided {
		low = max(low, m.marks)
	}
	low = min(low, last)
	n := sort.Search(last-low, func(i int) bool { return m.settle(p, m.at(ctx, low+i)) != rctl.Unknown })
	return m.at(ctx, low+n)
}

// settle returns the verdict on p that is final at a moment, or Unknown.
func (m *Monitor) settle(p *property, at *moment) rctl.Verdict {
	for _, v := range [...]rctl.Verdict{rctl.Holds, rctl.Fails} {
		root := m.root(p, at, v)
		if root == nil {
			continue
		}
		if got := root.settle(at); got == v || root == p.root {
			return got
		}
	}
	return rctl.Unknown
}

// root returns the part that can give p the verdict v at a moment; nil if p cannot be resolved there.
func (m *Monitor) root(p *property, at *moment, v rctl.Verdict) *part {
	if p.root != nil && at.index >= p.from {
		return p.root
	}
	if b := p.bounds; b == nil || b.scope != at.mark.Scope {
		p.bounds = &bounds{scope: at.mark.Scope}
		says, err := m.says.resolve(p.answer.Property, scope{m.stream, at.mark.Scope, false}, nil)
		if err != nil {
			p.bounds.why = reasonOf(err)
			return nil
		}
		for i, f := range says.bounds {
			p.bounds.parts[i] = newPart(f)
		}
	}
	if v == rctl.Holds {
		return p.bounds.parts[lower]
	}
	return p.bounds.parts[upper]
}

// finish makes the answer to p final at a moment, adds the cut and the steps that show it, and appends it to answers.
func (m *Monitor) finish(answers *[]Answer, at *moment, p *property, v rctl.Verdict, reason string) {
	p.answer = Answer{Property: p.answer.Property, Verdict: v, Final: true, Reason: reason, Events: at.mark.Events}
	*answers = append(*answers, p.answer)
	leaf := m.root(p, at, v).shows(at, v)
	if leaf == nil {
		return
	}
	// An engine may fail to find the steps. Then the answer stands without them.
	_, left := leaf.decide(at, leaf.look)
	w, sess := at.from(left.cut).plain()
	found := must(sess.Decide(at.ctx, left.f, rctl.Options{Evidence: true})).Evidence
	if found == nil {
		return
	}
	p.answer.Cut = w.Counts(found.Cut)
	for _, e := range found.Run {
		p.answer.Steps = append(p.answer.Steps, w.ID(e))
	}
	(*answers)[len(*answers)-1] = p.answer
}

// why returns why p is open, or "" if the only reason is that the execution goes on.
func (m *Monitor) why(p *property) string {
	if id, _ := m.stream.Unaddressed(); id != "" && syntax.UsesTransit(p.formula) {
		return fmt.Sprintf("it counts messages, and message %q does not say to whom it goes", id)
	}
	if p.root == nil && p.bounds != nil {
		return p.bounds.why
	}
	return ""
}

// drop forgets the events that no property needs any more. If the window is still at its limit, it gives up
// the properties and returns their answers.
func (m *Monitor) drop() []Answer {
	can := true
	for i := range m.props {
		can = can && m.Bounded(i)
	}
	m.clocks = max(minClocks, 2*m.stream.Clocks())
	if can {
		m.stream.Drop()
		m.clocks = minClocks
		for _, p := range m.props {
			p.from = 0
		}
	}

	// Waiting until the window has grown by a factor makes the total cost of deciding it linear.
	m.marks = len(m.stream.Marks())
	m.least = max(minWindow, 3*m.stream.Held())
	if m.opts.Most > 0 {
		m.least = min(m.least, m.opts.Most)
	}
	if m.opts.Most == 0 || m.stream.Held() < m.opts.Most {
		return nil
	}
	hold, known := m.stream.Holds()
	limit := fmt.Sprintf("the window has reached its limit of %s", graphs.Plural(m.opts.Most, "event"))
	lost := m.giveUp(func(p *property) string {
		switch {
		case p.open && p.root == nil:
			return limit + ", as all events that change its variables are kept while processes may join " +
				"(a list of them, as in i in {P, Q}, is closed)"
		case p.root != nil && !p.root.bounded() && 2*m.stream.Len() > m.stream.Held():
			return limit + ", as all events that change the variables of such a formula are kept"
		case known && (p.root != nil || !hold.Silent):
			return limit + ", as " + hold.Why
		}
		return limit
	})
	m.see()
	m.stream.Drop()
	if m.stream.Held() >= m.opts.Most {
		m.stream.GiveUp(errors.New(limit))
	}
	return lost
}

// Bounded reports whether a property is known to need no more than the window.
func (m *Monitor) Bounded(property int) bool {
	p := m.props[property]
	return p.answer.Final || p.byEvents() || p.root != nil && p.root.bounded() && m.why(p) == ""
}

// GiveUp makes all open answers final and Unknown, for a reason.
func (m *Monitor) GiveUp(reason string) []Answer {
	return m.giveUp(func(*property) string { return reason })
}

// giveUp is GiveUp with a reason for each property.
func (m *Monitor) giveUp(why func(*property) string) []Answer {
	var lost []Answer
	for _, p := range m.props {
		if !p.answer.Final {
			p.answer.Final = true
			p.answer.Events = m.stream.Admitted()
			p.answer.Reason = why(p)
			lost = append(lost, p.answer)
		}
	}
	return lost
}

// End says that nothing more will arrive, and makes all answers final.
func (m *Monitor) End(ctx context.Context) (answers []Answer, err error) {
	defer caught(&err)
	answers, err = m.Decide(ctx)
	if err == nil {
		err = m.stream.End()
	}
	if why := m.stream.GivenUp(); err == nil && why != nil {
		return append(answers, m.GiveUp(why.Error())...), nil
	}
	if err != nil {
		return answers, err
	}
	m.resolve(len(m.stream.Marks()))
	last := stream.Mark{Kept: m.stream.Len(), Events: m.stream.Admitted(), Over: 1}
	end := m.moment(ctx, len(m.stream.Marks()), last)
	more, err := m.endData(ctx, end.mark)
	if answers = append(answers, more...); err != nil {
		return answers, err
	}
	for _, p := range m.props {
		if p.answer.Final {
			continue
		}
		if p.misfit != nil {
			answers = append(answers, p.fits()...)
			continue
		}
		reason := ""
		v := p.root.end(end, &reason)
		if v != rctl.Unknown {
			reason = "" // the reason came from a part that does not matter
		}
		m.finish(&answers, end, p, v, reason)
	}
	return answers, nil
}
