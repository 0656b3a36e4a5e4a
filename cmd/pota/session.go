package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/budget"
	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/files"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/translate/spin"
)

const (
	grace       = 2 * time.Second // for a run that is interrupted to end by itself
	killTimeout = 5 * time.Second // for SPIN, which has been killed, to be gone
)

var errInterrupted = errors.New(budget.Interrupted)

// streams are what a run of the program reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer

	files   *files.Set // that it writes, nil for a set of its own
	overrun chan error // gets the limit that the run does not heed, unless nil
}

// session is one run of the program.
type session struct {
	run     *job.Run
	overrun chan error // gets the limit that the run does not heed, unless nil
	words   []string   // that are to be completed

	// What watch uses of it.
	ctx    context.Context
	stdin  io.Reader
	out    *bufio.Writer
	err    io.Writer
	log    *slog.Logger // takes notes and errors, nil where they go to err
	watch  bool         // standard error goes to a terminal, where progress is shown
	budget *budget.Budget
	status status
	broken bool // results cannot be written
}

func newSession(ctx context.Context, std streams) *session {
	c := console.New(std.in, std.out, std.err)
	set := std.files
	if set == nil {
		set = new(files.Set)
	}
	return &session{
		run:     &job.Run{Context: ctx, Console: c, Files: set},
		overrun: std.overrun,
		ctx:     ctx,
		stdin:   c.In,
		out:     c.Out,
		err:     c.Err,
		watch:   c.Progress,
	}
}

// limit begins the budget of the run.
func (s *session) limit(limits budget.Limits) {
	if s.overrun != nil {
		limits.Overrun = func(why *budget.LimitError) { s.overrun <- why }
	}
	s.run.Budget = budget.New(limits)
	s.budget = s.run.Budget
}

// end writes the results that are left, and returns the status of the run.
func (s *session) end() exit.Status {
	r := s.run
	r.Worsen(s.status)
	r.Broken = r.Broken || s.broken
	r.Close()
	spin.Tidy(killTimeout)
	between := exit.Worst(r.Status, exit.Undecided) != r.Status // two steps
	if r.Context.Err() != nil && !r.Stopped && between {
		r.Status = exit.Undecided
		r.Console.Error(r.Context, budget.Interrupted)
	}
	r.Budget.End()
	r.Files.Close()
	return r.Status
}

// Names of the packages below, as watch uses them.
type (
	status     = exit.Status
	limitError = budget.LimitError
)

const (
	allHold   = exit.AllHold
	someFails = exit.SomeFails
	badInput  = exit.BadInput
	undecided = exit.Undecided
)

func worst(a, b status) status { return exit.Worst(a, b) }

func usagef(format string, args ...any) error { return exit.Usagef(format, args...) }

func unknown(what, name string, names ...string) error { return exit.Unknown(what, name, names...) }

func oneLine(text string) string { return present.OneLine(text) }

func errorText(err error) string { return failure.Text(err) }

func misfit(p syntax.Property, err error) error { return failure.InProperty(p, err) }

func (s *session) properties(c *cli.Context) ([]syntax.Property, error) {
	return load.Properties(s.run, formulasOf(c))
}

// view is the console with what the command has changed of it.
func (s *session) view() *console.Console {
	return &console.Console{Out: s.out, Err: s.err, Log: s.log, Progress: s.watch}
}

func (s *session) fail(err error) {
	for _, err := range failure.All(err) {
		st := failure.Status(err)
		if errors.Is(err, context.Canceled) {
			err = errInterrupted
		}
		s.say(slog.LevelError, errorText(err))
		s.status = worst(s.status, st)
	}
}

func (s *session) say(level slog.Level, text string) {
	if level < slog.LevelError {
		s.view().Note(s.ctx, text)
		return
	}
	s.view().Error(s.ctx, text)
}

func is[E error](err error) bool { return failure.Is[E](err) }

// do runs a step of the session, and shows on a terminal that it takes long.
func do[T any](s *session, doing string, work func(context.Context) (T, error)) (T, error) {
	r := &job.Run{Context: s.ctx, Console: s.view(), Budget: s.budget}
	return job.Do(r, doing, work)
}

func statusOf(v rctl.Verdict) status { return present.StatusOf(v) }

func mapOf[T any](from []T, of func(T) string) []string {
	var to []string
	for _, x := range from {
		to = append(to, of(x))
	}
	return to
}

func isFile(path string) bool { return load.Exists(path) }
