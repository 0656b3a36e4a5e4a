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
	"github.com/pota-project/pota/rctl/syntax"
)

// watchCommand decides while the program runs, on what it logs or sends.
func (s *session) watchCommand() *cli.Command {
	return s.command("watch", 0, -1, watchFlags(), s.watching)
}

// watchFlags are those of watch, under headings.
func watchFlags() []cli.Flag {
	return slices.Concat(
		group("Answers",
			toggle("json"),
			toggle("quiet, q"),
			text("view"),
			numberOr("bindings", online.DefaultBindings),
			// Only final answers, so that an alarm never has to be taken back.
			text("exec"),
			textOr("log-format", "text")),
		group("Executions",
			text("execution-key"),
			period("idle"),
			periodOr("grace", monitor.DefaultGrace),
			// The two end a watch that would go on for ever, as scripts and tests need it.
			toggle("until-final"),
			toggle("to-end")),
		group("Lines",
			textOr("input", format.Native),
			text("map"),
			toggle("skip-lines"),
			text("regexp"),
			texts("assign"),
			// Without this, a process that has not been heard of yet could still join.
			toggle("declared"),
			toggle("no-shared-clock"),
			number("sync-size"),
			textOr("time-unit", "s")),
		group("Listening",
			texts("listen"),
			// An address that other machines can reach needs the three that follow.
			text("tls-cert"),
			text("tls-key"),
			text("token-file")),
		group("Properties", append(formulaFlags(),
			period("deadline"),
			period("skew"))...),
		group("Resources",
			// Without a journal a crash loses what was acknowledged.
			text("journal"),
			numberOr("window", 1<<20),
			limitFlags(0)[1]))
}

// watching runs the monitor. It tells the monitor how to print, note and fail, so that package
// monitor needs neither console nor budget.
func (s *session) watching(c *cli.Context) error {
	r := s.run
	properties, err := load.Properties(r, formulasOf(c))
	if err != nil {
		return err
	}
	// Notes of a service often go to a collector of logs that reads JSON.
	out := r.Console
	if err := r.SetLog(c.String("log-format")); err != nil {
		return err
	}
	host := monitor.Host{
		Write: func(text []byte) error {
			out.Clear()
			// Each answer is flushed: a sink may only acknowledge what has left the process.
			_, _ = out.Out.Write(text) // Flush returns the error
			return out.Out.Flush()
		},
		Note:   func(text string) { out.Note(r.Context, text) },
		Error:  func(text string) { out.Error(r.Context, text) },
		Misfit: failure.InProperty,
		View:   func(path string, q *load.Question) error { return viewer.Save(r, path, q) },
		Fail: func(err error) exit.Status {
			r.Fail(err)
			return r.Status
		},
		// The limit of memory bounds the whole watch as one step.
		Step: func(work func(context.Context) error) (bool, error) {
			return job.Do(r, "watching", func(ctx context.Context) (bool, error) { return true, work(ctx) })
		},
	}
	if out.Progress {
		host.Status = out.Status
	}
	out.Live, out.Progress = out.Progress, false // answers come all the while

	options := s.watchOptions(c, properties)
	if options.Unit, err = load.Unit(c.String("time-unit")); err != nil {
		return err
	}
	status, err := monitor.Run(r.Context, options, host)
	// The monitor reports its own status, the errors are in it already.
	r.Worsen(status)
	r.Broken = true // all that could be written has been
	return err
}

// watchOptions returns what watchFlags say.
func (s *session) watchOptions(c *cli.Context, properties []syntax.Property) monitor.Options {
	return monitor.Options{
		Properties: properties,
		Variables:  load.VariablesOf(properties),
		Lines: ingest.Options{
			Input:        c.String("input"),
			Map:          c.String("map"),
			SkipLines:    c.Bool("skip-lines"),
			Regexp:       c.String("regexp"),
			Assign:       c.StringSlice("assign"),
			ExecutionKey: c.String("execution-key"),
		},
		// No path stands for standard input.
		Paths:      c.Args().Slice(),
		Stdin:      s.run.Console.In,
		ToEnd:      c.Bool("to-end"),
		Listen:     c.StringSlice("listen"),
		TLSCert:    c.String("tls-cert"),
		TLSKey:     c.String("tls-key"),
		TokenFile:  c.String("token-file"),
		Declared:   c.Bool("declared"),
		SyncSize:   c.Int("sync-size"),
		Window:     c.Int("window"),
		Deadline:   c.Duration("deadline"),
		Idle:       c.Duration("idle"),
		Grace:      c.Duration("grace"),
		Skew:       c.Duration("skew"),
		Bindings:   c.Int("bindings"),
		UntilFinal: c.Bool("until-final"),
		JSON:       c.Bool("json"),
		Quiet:      c.Bool("quiet"),
		View:       c.String("view"),
		Exec:       c.String("exec"),
		Log:        c.String("journal"),
		// The window and the engines share the limit of the run.
		Memory:       s.run.Budget.Bytes(),
		EngineMemory: s.run.Budget.Memory(1),

		NoSharedClock: c.Bool("no-shared-clock"),
	}
}
