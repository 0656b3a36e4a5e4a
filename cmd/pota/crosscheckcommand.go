package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/translate/spin"
)

func (s *session) crossCheckCommand() *cli.Command {
	return command(cli.Command{
		Name:      "cross-check",
		Usage:     "decide a formula by every engine, and by SPIN where it is installed",
		ArgsUsage: "FORMULA TRACE...",
		Description: "Prints what each engine says, in what time. Exit status: 0 when all that answered\n" +
			"agree, 1 when two do not, 3 when none answered.\n\n" +
			"   pota cross-check 'AG(!(cs@P1 && cs@P2))' run.jsonl",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print a JSON object a line for each trace"},
			&cli.DurationFlag{Name: "timeout", Value: time.Minute, Usage: "give up on an engine after `TIME`"},
			&cli.StringFlag{Name: "max-memory", Value: "4GiB", Usage: "let an engine take at most `SIZE`"},
			&cli.BoolFlag{Name: "spin-slice", Usage: "let SPIN check a slice where that is sound"},
		}, inputFlags()...),
		Action: s.crossCheck,
	})
}

// council is what all engines say of a formula on one trace.
type council struct {
	Trace   string    `json:"trace"`
	Formula string    `json:"formula"`
	Verdict string    `json:"verdict"`
	Agree   bool      `json:"agree"`
	Engines []opinion `json:"engines"`
}

func (s *session) crossCheck(c *cli.Context) error {
	if err := arguments(c, 2, -1, "FORMULA TRACE..."); err != nil {
		return err
	}
	bytes, err := parseSize(c.String("max-memory"))
	if err != nil {
		return err
	}
	f, err := parseFormula(c.Args().First())
	if err != nil {
		return err
	}
	d := &detection{session: s, cli: c, timeout: c.Duration("timeout"), opts: rctl.Options{MaxMemory: bytes}}
	for _, path := range c.Args().Tail() {
		executions, err := s.read(s.ctx, c, path, readOptions(c, nil, false))
		if err != nil {
			s.fail(err)
			continue
		}
		for i := range executions {
			resolved, err := resolve("", f, executions[i].Computation)
			if err != nil {
				s.fail(fmt.Errorf("%s: %w", executions[i].Name, err))
				continue
			}
			all := d.ask(&executions[i], engineNames(), func(ctx context.Context, engine string) (*rctl.Result, error) {
				if engine == spinEngine {
					return d.bySpin(ctx, executions[i].Computation, resolved)
				}
				d.checked = nil
				opts := d.optionsNow()
				opts.Engine, _ = rctl.ParseEngine(engine)
				return rctl.Check(ctx, executions[i].Computation, resolved, opts)
			})
			all.Formula = c.Args().First()
			switch {
			case !all.Agree:
				s.status = worst(s.status, someFails)
				fmt.Fprintf(s.err, "pota: %s: engines disagree, so one of them has a bug\n", all.Trace)
			case all.Verdict == rctl.Unknown.String():
				s.status = worst(s.status, undecided)
			}
			s.printCouncil(c.Bool("json"), all)
		}
	}
	return nil
}

// ask collects the opinions of engines.
func (d *detection) ask(e *format.Execution, engines []string, check func(context.Context, string) (*rctl.Result, error)) *council {
	all := &council{Trace: e.Name, Agree: true, Verdict: rctl.Unknown.String()}
	for _, engine := range engines {
		begun := time.Now()
		ctx, cancel := d.limited(begun)
		done := d.busy("deciding by %s", engine)
		res, err := check(ctx, engine)
		done()
		cancel()
		o := opinion{Engine: engine, Verdict: rctl.Unknown.String(), ElapsedMS: math.Round(float64(time.Since(begun).Microseconds())) / 1000}
		var missing *spin.MissingError
		switch {
		case errors.As(err, &missing):
			o.Reason = err.Error()
		case err != nil:
			d.fail(fmt.Errorf("%s: engine %s: %w", e.Name, engine, err))
			o.Reason = err.Error()
		default:
			o.Verdict, o.Reason = res.Verdict.String(), res.Reason
		}
		if d.checked != nil && engine == spinEngine {
			o.States, o.Memory = d.checked.States, d.checked.Memory
		}
		if o.Verdict != rctl.Unknown.String() {
			all.Agree = all.Agree && (all.Verdict == rctl.Unknown.String() || all.Verdict == o.Verdict)
			all.Verdict = o.Verdict
		}
		all.Engines = append(all.Engines, o)
	}
	return all
}

func (s *session) printCouncil(asJSON bool, all *council) {
	if asJSON {
		s.printJSON(all)
		return
	}
	agreement := "all that answered agree: " + all.Verdict
	if !all.Agree {
		agreement = "ENGINES DISAGREE"
	}
	fmt.Fprintf(s.out, "%s  %s\n%s\n", all.Trace, all.Formula, agreement)
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, o := range all.Engines {
		notes := o.Reason
		if o.States > 0 {
			notes = strings.TrimSpace(fmt.Sprintf("%s %s, %.0f MB", notes, plural(int(o.States), "state"), float64(o.Memory)/1e6))
		}
		fmt.Fprintf(w, "  %s\t%s\t%.3f s\t%s\n", o.Engine, o.Verdict, o.ElapsedMS/1000, notes)
	}
	if err := w.Flush(); err != nil {
		s.fail(err)
	}
}
