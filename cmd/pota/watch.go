package main

import (
	"context"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/monitor"
	"github.com/pota-project/pota/cmd/pota/internal/monitor/ingest"
	"github.com/pota-project/pota/cmd/pota/internal/viewer"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl/online"
)

// watchCommand decides properties of a running program on its logs, or on the events that it sends.
// Its many flags are grouped under headings.
func (s *session) watchCommand() *cli.Command {
	o := monitor.Options{
		Stdin:    s.run.Console.In,
		Options:  ingest.Options{Input: format.Native},
		Bindings: online.DefaultBindings,
		Grace:    monitor.DefaultGrace,
		Window:   1 << 20,
	}
	var from load.Formulas
	log, unit := "text", "s"
	return s.command("watch", 0, -1, slices.Concat(
		group("Answers",
			toggle("json", &o.JSON),
			toggle("quiet, q", &o.Quiet),
			text("view", &o.View),
			number("bindings", &o.Bindings),
			// The command gets only final answers, so that an alarm is never withdrawn.
			text("exec", &o.Exec),
			text("log-format", &log)),
		group("Executions",
			text("execution-key", &o.ExecutionKey),
			period("idle", &o.Idle),
			period("grace", &o.Grace),
			// These two end a watch that would otherwise go on forever, for scripts and tests.
			toggle("until-final", &o.UntilFinal),
			toggle("to-end", &o.ToEnd)),
		group("Lines",
			text("input", &o.Input),
			text("map", &o.Map),
			toggle("skip-lines", &o.SkipLines),
			text("regexp", &o.Regexp),
			texts("assign", &o.Assign),
			// Without this flag, a process that is not known yet could still join.
			toggle("declared", &o.Declared),
			toggle("no-shared-clock", &o.NoSharedClock),
			number("sync-size", &o.SyncSize),
			text("time-unit", &unit)),
		group("Listening",
			texts("listen", &o.Listen),
			// An address that other machines can reach needs the next three flags.
			text("tls-cert", &o.TLSCert),
			text("tls-key", &o.TLSKey),
			text("token-file", &o.TokenFile)),
		group("Properties", append(formulaFlags(&from),
			period("deadline", &o.Deadline),
			period("skew", &o.Skew))...),
		group("Resources",
			// Without a journal, a crash loses acknowledged events.
			text("journal", &o.Log),
			number("window", &o.Window),
			s.limitFlags(0)[1]),
	), func(c *cli.Context) (err error) {
		o.Paths = c.Args().Slice() // empty for standard input
		if o.Properties, err = load.Properties(s.run, from); err != nil {
			return err
		}
		o.Variables = load.VariablesOf(o.Properties)
		// The notes of a service often go to a log collector that reads JSON.
		if err := s.run.SetLog(log); err != nil {
			return err
		}
		if o.Unit, err = load.Unit(unit); err != nil {
			return err
		}
		return s.watch(o)
	})
}

// watch runs the monitor. It passes functions that print, note and fail, so that package monitor
// depends on neither console nor budget.
func (s *session) watch(o monitor.Options) error {
	r := s.run
	out := r.Console
	// The window and the engines share the memory limit of the run.
	o.Memory = r.Budget.Bytes()
	o.EngineMemory = r.Budget.Memory(1)
	host := monitor.Host{
		Write: func(text []byte) error {
			out.Clear()
			// Flush each answer: a sink may only acknowledge answers that have left the process.
			_, _ = out.Out.Write(text) // Flush returns the error
			return out.Out.Flush()
		},
		Note:   func(text string) { out.Note(r.Context, text) },
		Error:  func(text string) { out.Error(r.Context, text) },
		Misfit: failure.InProperty,
		View:   func(path string, q *load.Question) error { return viewer.Save(r, path, nil, q) },
		Fail: func(err error) exit.Status {
			r.Fail(err)
			return r.Status
		},
		// The memory limit bounds the whole watch as one step.
		Step: func(work func(context.Context) error) (bool, error) {
			return job.Do(r, "watching", func(ctx context.Context) (bool, error) { return true, work(ctx) })
		},
	}
	if out.Progress {
		host.Status = out.Status
	}
	out.Live, out.Progress = out.Progress, false // answers keep coming

	status, err := monitor.Run(r.Context, o, host)
	// The monitor reports its own status, which includes the errors.
	r.Worsen(status)
	r.Broken = true // everything that could be written has been
	return err
}
