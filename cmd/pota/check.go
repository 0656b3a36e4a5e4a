package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fatih/color"
	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/program"
	"github.com/pota-project/pota/graphs/program/promela"
	"github.com/pota-project/pota/graphs/simulate"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/crucial"
	"github.com/pota-project/pota/rctl/explain"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/translate/spin"
)

// How pota check explores.
const (
	crucialEngine = "crucial" // crucial events only, where that is enough
	wholeEngine   = "whole"   // all transitions of each state
)

var modelEngines = []string{crucialEngine, wholeEngine, spinEngine}

func (s *session) checkCommand() *cli.Command {
	return s.command(1, 2, cli.Command{
		Name:      "check",
		Usage:     "decide a formula on all executions of a program",
		ArgsUsage: "MODEL FORMULA | -f PROPERTIES MODEL",
		Description: "MODEL is a file in Promela, or a model that pota simulate --list prints: then all its\n" +
			"runs are looked at. What shows a verdict is a trail: a run of the program.\n" +
			"Exit status: 0 every formula holds, 1 some fails, 2 bad usage or input, 3 undecided.\n\n" +
			"   pota check peterson.pml 'AG(!(at@\"user:0\" == \"CS\" && at@\"user:1\" == \"CS\"))'\n" +
			"   pota check --witness queue.pml 'EF(len(q) == 2)'\n" +
			"   pota check --trace trail.jsonl lock.pml 'AG(!failed)'; pota draw trail.jsonl > trail.svg\n" +
			"   pota check --processes 3 mutex 'AG(forall i != j: !(cs@i && cs@j))'\n\n" +
			"Guide: pota help programs.",
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "properties", Aliases: []string{"f"}, Usage: "decide the formulas of `FILE`, one `name: formula` a line"},
			&cli.StringFlag{Name: "engine", Value: crucialEngine, Usage: "decide by `ENGINE`: crucial (only crucial events are explored, where that is enough), whole (all transitions of each state) or spin (formulas of linear time)"},
			&cli.BoolFlag{Name: "cross-check", Usage: "decide with every engine that can, and fail when two disagree"},
			&cli.StringFlag{Name: "trace", Usage: "write the trail as a trace to `FILE`, for detect, draw and slice; of several formulas, the first trail"},
			&cli.IntFlag{Name: "processes", Aliases: []string{"n"}, Usage: "of a model of simulate: look at `N` processes (default: as few as the model has)"},
			&cli.IntFlag{Name: "rounds", Value: 1, Usage: "of a model of simulate: each process begins its work `N` times"},
			&cli.StringFlag{Name: "fault", Usage: "of a model of simulate: break it by the fault `NAME`"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "of a model of simulate: set it up by the random numbers from `N`"},
			&cli.BoolFlag{Name: "json", Usage: "print a JSON object a line for each formula"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print nothing: the exit status is the answer"},
			&cli.BoolFlag{Name: "witness", Aliases: []string{"w"}, Usage: "print the trail: what changes in it"},
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "say how the verdict was reached, and how many states were visited"},
		}, limitFlags(0)),
		Action: s.checkModel,
	})
}

// A modelCheck is a run of check.
type modelCheck struct {
	*session
	cli     *cli.Context
	name    string // of the model
	program program.Program
	traced  bool // the trail has been written
}

func (s *session) checkModel(c *cli.Context) error {
	formulas := c.Args().Tail()
	switch {
	case named(c) && len(formulas) > 0:
		return usagef("-f names the formulas, so %s is too many", quoted(formulas[0]))
	case !named(c) && len(formulas) == 0:
		return usagef("missing argument: there is a model but no formula after it: pota check [flags] %s", c.Command.ArgsUsage)
	}
	if engine := c.String("engine"); !slices.Contains(modelEngines, engine) {
		return unknown("engine", engine, modelEngines...)
	}
	properties, err := s.properties(c, formulas...)
	if err != nil {
		return err
	}
	m := &modelCheck{session: s, cli: c, name: c.Args().First()}
	if m.program, err = do(s, "reading "+m.name, func(context.Context) (program.Program, error) { return s.program(c, m.name) }); err != nil {
		if !is[*usageError](err) {
			m.wrong(report.Subject{Trace: m.name}, err)
		}
		return err
	}
	for _, p := range properties {
		if err := m.property(p); err != nil {
			s.fail(err)
			m.wrong(subjectOf(m.name, p), err)
		}
		s.flush()
	}
	return nil
}

// wrong prints in JSON why there is no verdict, or what is wrong with one.
func (m *modelCheck) wrong(of report.Subject, err error) {
	if m.cli.Bool("json") {
		m.printError(of, err)
	}
}

// program returns the program of that name: a file in Promela, or a model of simulate.
func (s *session) program(c *cli.Context, name string) (program.Program, error) {
	m, err := simulate.Lookup(name)
	if err != nil || isFile(name) {
		for _, flag := range []string{"processes", "rounds", "fault", "seed"} {
			if c.IsSet(flag) {
				return nil, usagef("--%s is for the models that pota simulate --list prints: %s says itself what it does", flag, name)
			}
		}
		return s.model(name)
	}
	if c.Int("rounds") < 1 {
		return nil, usagef("the number of rounds must be at least 1, not %d", c.Int("rounds"))
	}
	cfg := simulation(c, m)
	cfg.Rounds = c.Int("rounds")
	p, err := simulate.NewProgram(cfg)
	if err != nil {
		return nil, usagef("%s", err)
	}
	return p, nil
}

// model returns the program of a file in Promela. What is read over in it is told.
func (s *session) model(name string) (program.Program, error) {
	m, err := promela.Read(name)
	if err != nil {
		return nil, err
	}
	for _, note := range m.Notes {
		fmt.Fprintf(s.err, "pota: %s: %s\n", note.Position, note.Msg)
	}
	return promela.Compile(m)
}

// A modelVerdict is what came of a property.
type modelVerdict struct {
	*crucial.Result
	property syntax.Property
	engine   string
	elapsed  time.Duration
	opinions []opinion  // of --cross-check
	paths    []modelRun // of the trail; several where it branches
}

// A modelRun is one run of a trail, as evidence on the computation that it makes.
type modelRun struct {
	*program.Recording
	evidence *rctl.Evidence
	ending   string // what follows the run, "" for nothing
	cycle    int    // the number of the first event that is repeated, 0 for none
}

func (m *modelCheck) property(p syntax.Property) error {
	wrong := func(err error) error {
		if is[*syntax.Error](err) {
			err = misfit(p, err)
		}
		return fmt.Errorf("%s: %w", m.name, err)
	}
	v, err := m.decide(p, m.cli.String("engine"))
	if err != nil {
		return wrong(err)
	}
	m.status = worst(m.status, statusOf(v.Verdict))
	for _, t := range v.Trails {
		if err := m.walk(v, nil, nil, t); err != nil {
			return wrong(err)
		}
	}
	disagree := error(nil)
	if m.cli.Bool("cross-check") {
		disagree = m.crossCheck(v)
	}
	switch {
	case m.cli.Bool("quiet"):
	case m.cli.Bool("json"):
		m.printJSON(m.report(v), "")
	default:
		m.print(v)
	}
	return errors.Join(disagree, m.trace(v))
}

// decide decides a property by an engine.
func (m *modelCheck) decide(p syntax.Property, engine string) (*modelVerdict, error) {
	v := &modelVerdict{property: p, engine: engine}
	begun := time.Now()
	result, err := do(m.session, "checking", func(ctx context.Context) (result *crucial.Result, err error) {
		scope, err := crucial.Scope(m.program)
		if err != nil {
			return nil, err
		}
		f, err := syntax.Resolve(ctx, p.Formula, scope)
		if err != nil {
			return nil, err
		}
		if engine == spinEngine {
			result, err = m.bySpin(ctx, f)
		} else {
			result, err = crucial.Check(ctx, m.program, f, crucial.Options{
				MaxMemory: m.budget.Memory(1), Whole: engine == wholeEngine, Trail: m.shows() || m.cli.IsSet("trace"),
			})
		}
		if limit := limitOf(ctx, "checking"); err == nil && result.Verdict == rctl.Unknown && limit != nil {
			result.Reason = limit.Error()
		}
		return result, err
	})
	v.Result = result
	v.elapsed = time.Since(begun)
	if is[*limitError](err) {
		v.Result, err = &crucial.Result{Reason: err.Error()}, nil
	}
	if err == nil && engine == crucialEngine && !v.Reduced {
		v.engine = wholeEngine
	}
	return v, err
}

// bySpin lets SPIN decide.
func (m *modelCheck) bySpin(ctx context.Context, f *syntax.Formula) (*crucial.Result, error) {
	if _, ok := m.program.(*simulate.Program); ok {
		return &crucial.Result{Reason: "SPIN decides formulas on models in Promela only"}, nil
	}
	text, err := os.ReadFile(m.name)
	if err != nil {
		return nil, err
	}
	all, err := spin.CheckModel(ctx, text, m.program.Layout(), []*syntax.Formula{f}, spin.ModelOptions{Folder: filepath.Dir(m.name), MaxMemory: m.budget.Memory(1)})
	if is[*spin.InexpressibleError](err) {
		return &crucial.Result{Reason: err.Error()}, nil
	}
	if err != nil {
		return nil, err
	}
	return &crucial.Result{Verdict: all[0].Verdict, Reason: all[0].Reason, States: int(all[0].States)}, nil
}

// crossCheck asks all engines. The error says that two disagree.
func (m *modelCheck) crossCheck(v *modelVerdict) error {
	all, err := m.ask(v.property)
	if err != nil {
		return err
	}
	v.opinions = all.Engines
	if !all.Agree {
		return fmt.Errorf("%s: %s: engines disagree, so pota has a bug; --json shows what each says", m.name, v.property.Source)
	}
	return nil
}

// ask has each of the engines decide a property.
func (m *modelCheck) ask(p syntax.Property) (*comparison, error) {
	all := newComparison(m.name, p.Source)
	for _, engine := range modelEngines {
		v, err := m.decide(p, engine)
		o := opinion{Engine: engine, Verdict: rctl.Unknown.String()}
		switch {
		case is[*spin.MissingError](err):
			o.Reason = err.Error()
		case err != nil:
			return nil, fmt.Errorf("%s: engine %s: %w", m.name, engine, err)
		default:
			o.Verdict, o.Reason, o.States, o.ElapsedMS = v.Verdict.String(), v.Reason, int64(v.States), report.Milliseconds(v.elapsed)
		}
		all.add(o)
	}
	return all, nil
}

// compareOn is cross-check on a model in Promela.
func (s *session) compareOn(c *cli.Context, name, source string, f *syntax.Formula) error {
	m := &modelCheck{session: s, cli: c, name: name}
	var err error
	if m.program, err = do(s, "reading "+name, func(context.Context) (program.Program, error) { return s.model(name) }); err != nil {
		return err
	}
	all, err := m.ask(syntax.Property{Formula: f, Source: source})
	if err == nil {
		s.compared(c, all)
	}
	return err
}

// shows reports whether trails are printed.
func (m *modelCheck) shows() bool {
	return !m.cli.Bool("quiet") && (m.cli.Bool("json") || m.cli.Bool("witness") || m.person)
}

// walk adds the paths of a trail that begins after some steps, the last of others.
func (m *modelCheck) walk(v *modelVerdict, before []*crucial.Trail, steps []program.Transition, t *crucial.Trail) error {
	before, steps = append(slices.Clone(before), t), append(slices.Clone(steps), t.Steps...)
	for _, child := range t.Children {
		if err := m.walk(v, before, steps, child); err != nil {
			return err
		}
	}
	if len(t.Children) > 0 {
		return nil
	}
	names := syntax.Names(v.property.Formula)
	recorded, err := program.Record(m.program, steps, func(name string) bool { return names[name] })
	if err != nil {
		return err
	}
	p := modelRun{Recording: recorded}
	c, done := recorded.Computation, 0
	cut := c.Initial()
	for i, part := range before {
		e := &rctl.Evidence{Formula: syntax.Tidy(part.Formula), Start: slices.Clone(cut), Whole: part.Cycle >= 0 || part.Deadlock}
		for k := range part.Steps {
			if k == part.Cycle {
				p.cycle = len(e.Run) + 1
			}
			e.Run = append(e.Run, recorded.Steps[done+k]...)
			cut = c.Execute(cut, recorded.Steps[done+k][0])
		}
		done += len(part.Steps)
		e.Cut = slices.Clone(cut)
		if i == 0 {
			p.evidence = e
		} else {
			parent := p.evidence
			for len(parent.Children) > 0 {
				parent = parent.Children[0]
			}
			parent.Children = []*rctl.Evidence{e}
		}
		switch {
		case part.Deadlock:
			p.ending = "a deadlock: no transition is enabled"
		case part.Cycle >= 0:
			p.ending = fmt.Sprintf("the last %s repeat for ever", graphs.Plural(len(e.Run)-p.cycle+1, "event"))
		}
	}
	v.paths = append(v.paths, p)
	return nil
}

func (m *modelCheck) subject(v *modelVerdict) report.Subject {
	return subjectOf(m.name, v.property)
}

func (m *modelCheck) teller(v *modelVerdict, p *modelRun) *explain.Teller {
	return &explain.Teller{Of: p.Computation, Property: v.property.Formula, Source: v.property.Source, Verdict: v.Verdict, Ctx: m.ctx,
		Show: func(x *graphs.Variable) bool { return x.Name == program.At }}
}

// print prints a verdict for people.
func (m *modelCheck) print(v *modelVerdict) {
	m.heading(v.Verdict.String(), m.about(m.subject(v))...)
	if v.Reason != "" {
		m.detail(v.Reason, color.Faint)
	}
	if m.cli.Bool("verbose") {
		m.detail(fmt.Sprintf("engine %s, %s", v.engine, graphs.Plural(v.States, "state")), color.Faint)
	}
	for _, o := range v.opinions {
		m.detail(o.String())
	}
	if !m.shows() || v.engine == spinEngine {
		return
	}
	for i := range v.paths {
		p := &v.paths[i]
		t := m.teller(v, p)
		t.Indent, t.Elided = "  ", "; --json has them all"
		t.Paint = func(text string) string { return m.paint(text, color.Bold) }
		if err := t.Tell(m.out, p.evidence); err != nil {
			m.fail(err)
		}
		if p.ending != "" {
			m.detail(p.ending)
		}
	}
	if len(v.paths) == 0 && v.Verdict != rctl.Unknown {
		m.detail("no trail to show: it " + v.Verdict.String() + " on all runs")
	}
}

// modelReport is the JSON object for one formula on one program.
type modelReport struct {
	report.Subject
	Verdict   string            `json:"verdict"`
	Reason    string            `json:"reason,omitempty"`
	Fragment  string            `json:"fragment"`
	Engine    string            `json:"engine"`
	ElapsedMS float64           `json:"elapsed_ms"`
	Stats     report.Known      `json:"stats"` // of a program, the processes
	States    int               `json:"states"`
	Witness   *report.Witness   `json:"witness,omitempty"`
	Others    []*report.Witness `json:"others,omitempty"`  // of a trail that branches
	Engines   []opinion         `json:"engines,omitempty"` // of --cross-check
}

func (m *modelCheck) report(v *modelVerdict) *modelReport {
	r := &modelReport{
		Subject: m.subject(v), Verdict: v.Verdict.String(), Reason: v.Reason,
		Fragment: syntax.Classify(v.property.Formula).Fragment.String(), Engine: v.engine,
		ElapsedMS: report.Milliseconds(v.elapsed), Stats: report.Unread, States: v.States, Engines: v.opinions,
	}
	r.Stats.Processes = len(m.program.Layout().Processes)
	kind := "witness"
	if v.Verdict == rctl.Fails {
		kind = "counterexample"
	}
	for i := range v.paths {
		p := &v.paths[i]
		w := report.NewWitness(p.Computation, kind, m.teller(v, p).Outline(p.evidence))
		last := w
		for len(last.Children) > 0 {
			last = last.Children[0]
		}
		last.Cycle = p.cycle
		if p.ending != "" {
			last.Remarks = append(last.Remarks, p.ending)
		}
		if i == 0 {
			r.Witness = w
		} else {
			r.Others = append(r.Others, w)
		}
	}
	return r
}

// trace writes the trail of the first verdict that has one to the file that --trace names.
func (m *modelCheck) trace(v *modelVerdict) error {
	path := m.cli.String("trace")
	if path == "" || m.traced || len(v.paths) == 0 {
		return nil
	}
	m.traced = true
	return m.writeFiles("writing "+filepath.Base(path), file{path, func(_ context.Context, w io.Writer) error {
		return native.Write(w, v.paths[0].Computation, nil)
	}})
}
