// Package job has what all parts of the command share during one run of it: the streams, the
// limits of time and memory, the files to be written, and the exit status so far.
package job

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/pota-project/pota/cmd/pota/internal/budget"
	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/files"
	"github.com/pota-project/pota/rctl"
)

// A Run is one run of the command. One goroutine at a time may use it; others get a Fork.
type Run struct {
	Context context.Context
	Console *console.Console
	Budget  *budget.Budget
	Files   *files.Set
	Status  exit.Status

	Broken  bool // the results cannot be written
	Stopped bool // the run was interrupted, as it is meant to end
}

// Fork returns a run for work that goes on beside others. It has the same limits and files.
// Its notes go to notes, and it neither prints results nor shows progress.
func (r *Run) Fork(notes io.Writer) *Run {
	quiet := *r.Console
	quiet.Out = bufio.NewWriter(io.Discard)
	quiet.Err = notes
	quiet.Progress = false
	return &Run{Context: r.Context, Console: &quiet, Budget: r.Budget, Files: r.Files}
}

// Fail reports an error, each of them if err joins several, and worsens the status.
func (r *Run) Fail(err error) {
	for _, err := range failure.All(err) {
		status := failure.Status(err)
		if errors.Is(err, context.Canceled) {
			err = errors.New(budget.Interrupted)
		}
		r.Console.Error(r.Context, failure.Text(err))
		r.Worsen(status)
	}
}

// Worsen makes the status at least as grave as another: a run that decides many things ends
// with the gravest status of any.
func (r *Run) Worsen(status exit.Status) { r.Status = exit.Worst(r.Status, status) }

// Note tells the user something that is no result.
func (r *Run) Note(format string, args ...any) {
	r.Console.Note(r.Context, fmt.Sprintf(format, args...))
}

// SetLog sets the format of notes and errors: text, or json, as services that collect logs read it.
func (r *Run) SetLog(format string) error {
	switch format {
	case "text":
	case "json":
		r.Console.Log = slog.New(slog.NewJSONHandler(r.Console.Err, nil))
	default:
		return exit.Unknown("format of logs", format, "text", "json")
	}
	return nil
}

// Flush writes the results so far, so that a reader sees each verdict when it is known. Out is
// r.Console, or the console of a file. The first error is reported, and the others are its
// consequences.
func (r *Run) Flush(out *console.Console) {
	if err := out.Out.Flush(); err != nil {
		r.breakOff(err)
	}
}

// Close writes the rest of the results. After an error it writes nothing: where nobody reads the
// results, it would block.
func (r *Run) Close() {
	if r.Broken {
		return
	}
	if err := r.Console.Close(); err != nil {
		r.breakOff(err)
	}
}

func (r *Run) breakOff(err error) {
	if !r.Broken {
		r.Broken = true
		r.Fail(fmt.Errorf("writing the results: %w", err))
	}
}

// JSON prints v on one line, or with an indent on several. Characters of HTML stay as they are:
// formulas have many of them, and people read them.
func (r *Run) JSON(out io.Writer, v any, indent string) {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		r.Fail(err)
	}
}

// busy shows what the run does, until done is called. Without a budget a step is not worth it.
func (r *Run) busy(doing string) (done func()) {
	if r.Budget == nil {
		return func() {}
	}
	return r.Console.Busy(doing)
}

// Do runs a step within the limits of the run. On a terminal a wheel turns beside the name of
// the step. At a limit the error is a *budget.LimitError.
func Do[T any](r *Run, doing string, work func(context.Context) (T, error)) (T, error) {
	defer r.busy(doing)()
	return budget.Do(r.Context, r.Budget, doing, work)
}

// Share is Do for one of several pieces of work. It gets its share of the time that is left, so
// that a hard one leaves time for the others.
func Share[T any](r *Run, doing string, pieces int, work func(context.Context) (T, error)) (T, error) {
	return Do(r, doing, func(ctx context.Context) (T, error) {
		ctx, cancel := r.Budget.Share(ctx, pieces, doing)
		defer cancel()
		return work(ctx)
	})
}

// Decide is Share for an engine. One that notices its limit returns an unknown verdict, with a
// reason that does not name the flag to raise. The error is the limit then, which does; the result
// beside it may know the class of the formula and the engine.
func Decide(r *Run, doing string, pieces int, engine func(context.Context) (*rctl.Result, error)) (*rctl.Result, error) {
	return Share(r, doing, pieces, func(ctx context.Context) (*rctl.Result, error) {
		res, err := engine(ctx)
		limit := budget.Check(ctx, doing)
		if limit != nil && (budget.IsDone(err) || err == nil && res.Verdict == rctl.Unknown) {
			err = limit
		}
		return res, err
	})
}

// Try is Do for a step without a result.
func (r *Run) Try(doing string, work func(context.Context) error) error {
	defer r.busy(doing)()
	return budget.Try(r.Context, r.Budget, doing, work)
}

// writing is Try for a step that writes to w. Nothing is written to w after it.
func (r *Run) writing(doing string, w io.Writer, write func(context.Context, io.Writer) error) error {
	defer r.busy(doing)()
	return budget.Writing(r.Context, r.Budget, doing, w, write)
}
