package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/fatih/color"
	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/budget"
	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/files"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/translate/promela"
	"github.com/pota-project/pota/translate/smv"
	"github.com/pota-project/pota/translate/spin"
)

// Names of the packages below, as the commands use them.
type (
	status     = exit.Status
	usageError = exit.UsageError
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

func own(text string) string { return console.Own(text) }

func limitOf(ctx context.Context, doing string) error { return budget.Check(ctx, doing) }

func isDone(err error) bool { return budget.IsDone(err) }

// session is one run of the program: what the packages below need of it, in one value.
type session struct {
	ctx    context.Context
	stdin  io.Reader
	out    *bufio.Writer
	err    io.Writer
	log    *slog.Logger // takes notes and errors, nil where they go to err
	colour bool         // results are for a person who sees colours
	person bool         // results go to a terminal
	watch  bool         // standard error goes to a terminal, where progress is shown
	budget *budget.Budget
	files  *files.Set
	status status
	broken bool // results cannot be written
	ended  bool // an interruption is how it was to end

	console *console.Console // as the run began
	overrun chan error       // gets the limit that is not heeded, unless nil
}

func newSession(ctx context.Context, std streams) *session {
	c := console.New(std.in, std.out, std.err)
	set := std.files
	if set == nil {
		set = new(files.Set)
	}
	return &session{
		ctx:     ctx,
		stdin:   c.In,
		out:     c.Out,
		err:     c.Err,
		colour:  c.Colours,
		person:  c.Terminal,
		watch:   c.Progress,
		files:   set,
		console: c,
		overrun: std.overrun,
	}
}

// view is the console with what the command has changed of it.
func (s *session) view() *console.Console {
	return &console.Console{Out: s.out, Err: s.err, Log: s.log, Colours: s.colour, Progress: s.watch}
}

func (s *session) paint(text string, attributes ...color.Attribute) string {
	return s.view().Paint(text, attributes...)
}

func (s *session) busy(format string, args ...any) (done func()) {
	return s.view().Busy(fmt.Sprintf(format, args...))
}

// end writes the results that are left, and returns the status of the run.
func (s *session) end() status {
	s.flush()
	if !s.broken {
		if err := s.console.Close(); err != nil {
			s.fail(fmt.Errorf("writing the results: %w", err))
		}
	}
	spin.Tidy(killTimeout)
	if s.ctx.Err() != nil && !s.ended && worst(s.status, undecided) != s.status { // between two steps
		s.status = undecided
		s.say(slog.LevelError, "interrupted")
	}
	s.budget.End()
	s.files.Close()
	return s.status
}

// fail reports an error and makes the run end with the status it deserves: undecided if
// nothing is wrong, but a limit was reached or a fragment or language is too narrow.
func (s *session) fail(err error) {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range all.Unwrap() {
			s.fail(err)
		}
		return
	}
	st := badInput
	if is[*limitError](err) || is[*rctl.NoSliceError](err) || is[*promela.InexpressibleError](err) ||
		is[*promela.LimitError](err) || is[*smv.Error](err) {
		st = undecided
	}
	if errors.Is(err, context.Canceled) {
		err = errInterrupted
	}
	s.say(slog.LevelError, errorText(err))
	s.status = worst(s.status, st)
}

// say tells something that is no result.
func (s *session) say(level slog.Level, text string) {
	if level < slog.LevelError {
		s.view().Note(s.ctx, text)
		return
	}
	s.view().Error(s.ctx, text)
}

// is reports whether err has a cause of a type.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// flush writes the results so far. The first error is reported.
func (s *session) flush() {
	if err := s.out.Flush(); err != nil && !s.broken {
		s.broken = true
		s.fail(fmt.Errorf("writing the results: %w", err))
	}
}

// printJSON prints v, on one line if indent is empty.
func (s *session) printJSON(v any, indent string) {
	enc := json.NewEncoder(s.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		s.fail(err)
	}
}

// limitFlags bound what a command may take.
func limitFlags(timeout time.Duration) []cli.Flag {
	return []cli.Flag{
		&cli.DurationFlag{Name: "timeout", Value: timeout, Usage: "give up after `TIME`, such as 30s: what is not done then is unknown"},
		&cli.StringFlag{Name: "max-memory", Usage: "give up when more memory than `SIZE` is needed (default: most of what the machine or the container has)"},
	}
}

// begin starts the budget that the flags of a command ask for.
func (s *session) begin(c *cli.Context) error {
	limits := budget.Limits{Time: c.Duration("timeout"), Size: c.String("max-memory")}
	if limits.Time < 0 {
		return usagef("--timeout must be positive, not %s", limits.Time)
	}
	if c.Command.Name == serveName {
		limits.Time = 0 // it is that of an answer
	}
	if limits.Size == "" {
		limits.Memory = budget.Available()
		limits.Size = fmt.Sprintf("%d MiB", limits.Memory>>20)
	} else {
		var err error
		if limits.Memory, err = budget.ParseSize("--max-memory", limits.Size); err != nil {
			return err
		}
	}
	if s.overrun != nil {
		limits.Overrun = func(why *limitError) { s.overrun <- why }
	}
	s.budget = budget.New(limits)
	return nil
}

// do runs a step of the session, and shows on a terminal that it takes long.
func do[T any](s *session, doing string, work func(context.Context) (T, error)) (T, error) {
	if s.budget != nil {
		defer s.busy("%s", doing)()
	}
	return budget.Do(s.ctx, s.budget, doing, work)
}

// try is do for work without a result.
func try(s *session, doing string, work func(context.Context) error) error {
	if s.budget != nil {
		defer s.busy("%s", doing)()
	}
	return budget.Try(s.ctx, s.budget, doing, work)
}

// writing runs a step that writes to w, which nothing is written to once the step is over.
func (s *session) writing(doing string, w io.Writer, write func(context.Context, io.Writer) error) error {
	if s.budget != nil {
		defer s.busy("%s", doing)()
	}
	return budget.Writing(s.ctx, s.budget, doing, w, write)
}
