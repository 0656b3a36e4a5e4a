package explain

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Level explains one piece of evidence.
type Level struct {
	Evidence *rctl.Evidence
	Text     string // the text of Formula
	// the part of the property that the level explains, in its written form; the formula of the
	// evidence if the part is not known
	Formula  *syntax.Formula
	Verdict  rctl.Verdict // the verdict on Formula
	Bindings []Binding    // the instance of the quantifiers in Formula and around it
	Steps    []Step       // the steps to show; nil in an outline
	// the values of what the formula mentions, at the cut where the run ends
	Values []Value
	// the parts of the formula that hold on all runs from that cut on
	Remarks  []string
	Children []*Level

	// These are set in the root alone; zero means not known:
	Reason    string // the conclusion: "cs is true at P1 and P3 after 6 events"
	Recorded  *Recorded
	Unordered *Unordered     // the order that would have excluded the state
	Causes    []string       // the three fields above in sentences
	Culprits  []graphs.Event // the last event of each process that changed the state

	about    *interest
	state    *syntax.Formula // the formula that makes Formula true at the cut
	changing []bool          // which events of the run change something
}

// A Binding maps a name of a quantifier to a process.
type Binding struct{ Name, Process string }

// A Step is an event that matters in a run.
type Step struct {
	Number int // the position in the run, from 1
	Event  graphs.Event
	// changes of the variables that the formula mentions or that Explainer.Show selects
	Changes []Change
	Traffic []string // "sends 1 message to Q", if the formula counts messages
	Links   []string // the messages by which this step and others depend on each other
}

// Text describes what the step does. It returns "" if the step does nothing that matters.
func (s *Step) Text() string {
	var parts []string
	for _, c := range s.Changes {
		parts = append(parts, fmt.Sprintf("%s: %s → %s", c.Variable.Name, c.From, c.To))
	}
	return strings.Join(slices.Concat(parts, s.Traffic, s.Links), ", ")
}

// Explain explains evidence level by level.
func (t *Explainer) Explain(e *rctl.Evidence) *Level {
	l := t.Outline(e)
	t.addSteps(newDeliveries(t.Of), l)
	return l
}

// Outline is Explain without the steps, of which there may be many.
func (t *Explainer) Outline(e *rctl.Evidence) *Level {
	s := newScene(t.Ctx, t.Of, t.Property, t.Resolved)
	l := t.level(s, e)
	// Only this level starts at the initial cut, so the levels below it have no cause.
	l.Recorded = t.recorded(s, e)
	l.Unordered = t.unordered(l)
	l.Reason = t.reason(l, 0)
	l.Culprits = t.culprits(l)
	l.Causes = t.causes(l)
	return l
}

// Values returns the values that the formula mentions at the cut of e, each in the form x@P = 1. It
// is faster than Outline.
func (t *Explainer) Values(e *rctl.Evidence) []string {
	l, _ := t.cut(newScene(t.Ctx, t.Of, t.Property, t.Resolved), e)
	return valueTexts(l.Values)
}

// Changing yields the steps of an outline that change variables. The slice of changes is reused:
// callers must not keep it.
func (l *Level) Changing() iter.Seq[Step] {
	return func(yield func(Step) bool) {
		run := l.Evidence.Run
		for i, changes := range l.about.changing(run) {
			if len(changes) > 0 && !yield(Step{Number: i + 1, Event: run[i], Changes: changes}) {
				return
			}
		}
	}
}

// level explains a piece of evidence and its children, each in the scene that its parent leads to.
func (t *Explainer) level(s *scene, e *rctl.Evidence) *Level {
	l, s := t.cut(s, e)
	l.Remarks = s.remarks(e)
	for _, child := range e.Children {
		l.Children = append(l.Children, t.level(s, child))
	}
	return l
}

// cut explains the cut of e alone. It also returns the scene for the children.
func (t *Explainer) cut(s *scene, e *rctl.Evidence) (*Level, *scene) {
	l := &Level{Evidence: e, Formula: e.Formula, Verdict: rctl.Holds}
	about := e.Formula
	if found := s.find(e.Formula); found != nil {
		l.Formula = found.formula
		l.Verdict = found.verdict
		s = found.within
		if focus := s.focus(e, found.shows()); focus != nil {
			about, s = focus.about, s.with(focus.bound)
		}
	}

	l.Text = Abbreviate(l.Formula)
	if l.Formula == t.Property && t.Source != "" {
		l.Text = shortened(t.Source)
	}
	for _, b := range s.bound {
		l.Bindings = append(l.Bindings, Binding{b.Name, t.Of.Processes()[b.Process]})
	}
	l.state = about
	if about == e.Formula && syntax.Goal(about) != nil {
		l.state = syntax.Goal(about)
	}
	var beside []*graphs.Variable
	if t.Show != nil {
		beside = slices.DeleteFunc(slices.Clone(t.Of.Variables()), func(v *graphs.Variable) bool { return !t.Show(v) })
	}
	l.about = s.of(about, beside...)
	l.Values = l.about.values(e.Start, e.Cut, maxValues)
	return l, s
}

// addSteps adds the steps of a level and its children.
func (t *Explainer) addSteps(d *deliveries, l *Level) {
	l.Steps = t.steps(d, l)
	for _, child := range l.Children {
		t.addSteps(d, child)
	}
}

// maxSteps bounds how many steps of a run are shown unless Full is set.
const maxSteps = 15

// steps returns the events of a run that matter: they change something, send or receive messages
// that link such changes, have a label of their own, or end the run. If there are many, it returns
// the events that led to the last changes. If Full is set, it returns all events.
func (t *Explainer) steps(d *deliveries, l *Level) []Step {
	run := l.Evidence.Run
	if len(run) == 0 {
		return nil
	}
	l.changing = make([]bool, len(run))
	for i, changes := range l.about.changing(run) {
		l.changing[i] = len(changes)+len(l.about.traffic(run[i])) > 0
	}
	matter := slices.Clone(l.changing)
	matter[len(run)-1] = true
	k := newLinks(d, run, matter, t.Full)
	// Clear the places for the next run.
	defer func() {
		for _, e := range run {
			d.at[e] = 0
		}
	}()
	for i, event := range run {
		matter[i] = t.Full || matter[i] || k.shown[event]
	}
	if !t.Full {
		matter = k.choose(l, matter)
	}

	texts := k.texts()
	var all []Step
	for i, changes := range l.about.changing(run) {
		if !matter[i] {
			continue
		}
		e := run[i]
		all = append(all, Step{
			Number:  i + 1,
			Event:   e,
			Changes: slices.Clone(changes),
			Traffic: l.about.traffic(e),
			Links:   texts[e],
		})
	}
	return all
}

// step returns a step for an event with its changes. The event need not be in the run.
func (l *Level) step(e graphs.Event) Step {
	s := Step{Event: e}
	for _, changes := range l.about.changing([]graphs.Event{e}) {
		s.Changes = slices.Clone(changes)
	}
	return s
}

// remarks describes the parts of a goal that hold on all runs from its cut on, since no single run
// shows them.
func (s *scene) remarks(e *rctl.Evidence) []string {
	goal := syntax.Goal(e.Formula)
	if goal == nil || e.Whole && e.Formula.Op != syntax.OpEF && e.Formula.Op != syntax.OpEX || syntax.IsPropositional(goal) {
		return nil
	}
	k := &chooser{s, e, make(map[*syntax.Formula]bool)}
	var all []string
	var visit func(f *syntax.Formula)
	visit = func(f *syntax.Formula) {
		switch {
		case f.Op == syntax.OpAnd:
			for _, sub := range f.Sub {
				visit(sub)
			}
		case f.Op == syntax.OpOr:
			if i := slices.IndexFunc(f.Sub, k.holds); i >= 0 { // known to be true at the cut
				visit(f.Sub[i])
			}
		case f.Op.IsTemporal() && !syntax.IsExistential(f) && len(all) < maxRemarks:
			all = append(all, s.remark(f))
		}
	}

	visit(goal)
	return all
}

// maxRemarks bounds the remarks about one cut.
const maxRemarks = 10

// remark says that f, with an A operator at its root, holds.
func (s *scene) remark(f *syntax.Formula) string {
	claim := Abbreviate(f) + " holds"
	verdict := rctl.Holds
	of := f.Sub
	if found := s.find(f); found != nil {
		claim = Abbreviate(found.formula) + " " + found.verdict.String()
		verdict = found.verdict
		of = found.formula.Sub
	}

	last := Abbreviate(of[len(of)-1])
	if how, ok := remarkText[verdict][f.Op]; ok {
		return claim + ": " + how + " " + last
	}
	if verdict == rctl.Fails {
		return claim + ": " + fromHere + ", no run is so"
	}
	return claim + ": " + fromHere + ", every run is so"
}

// fromHere begins the part of a remark about the runs from a cut on.
const fromHere = "from here on"

// remarkText has the words in front of the operand of an operator that all runs from a cut show.
// The part of the property may be the dual of the operator, such as an EF that fails for an AG.
var remarkText = map[rctl.Verdict]map[syntax.Op]string{
	rctl.Fails: {
		syntax.OpAG: fromHere + ", no run reaches",
		syntax.OpAF: fromHere + ", no run keeps to",
		syntax.OpAX: "no event leads from here to",
	},
	rctl.Holds: {
		syntax.OpAG: fromHere + ", every run keeps to",
		syntax.OpAF: fromHere + ", every run reaches",
		syntax.OpAX: "every event leads from here to",
	},
}

// Instance returns the instance of the quantifiers, as in "i = P1, j = P3", or "" if there is none.
func (l *Level) Instance() string {
	var bound []string
	for _, b := range l.Bindings {
		bound = append(bound, b.Name+" = "+b.Process)
	}
	return strings.Join(bound, ", ")
}
