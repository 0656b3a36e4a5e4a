// Package job holds the state that all parts of the command share during a run: the streams, the
// limits of time and memory, the output files, and the exit status so far.
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

// A Run is one run of the command. Only one goroutine at a time may use it; others use a Fork.
type Run struct {
	Context context.Context
	Console *console.Console
	Budget  *budget.Budget
	Files   *files.Set
	Status  exit.Status

	Broken  bool // the results cannot be written
	Stopped bool // the run was interrupted, which is its normal end
}

// Fork returns a run for concurrent work. It has the same limits and files. Its notes go to notes,
// and it neither prints results nor shows progress.
func (r *Run) Fork(notes io.Writer) *Run {
	quiet := *r.Console
	quiet.Out = bufio.NewWriter(io.Discard)
	quiet.Err = notes
	quiet.Progress = false
	return &Run{Context: r.Context, Console: &quiet, Budget: r.Budget, Files: r.Files}
}

// Fail reports an error, or each error that err joins, and worsens the status.
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

// Worsen makes the status at least as grave as another: a run ends with the gravest status of its
// decisions.
func (r *Run) Worsen(status exit.Status) { r.Status = exit.Worst(r.Status, status) }

// Note informs the user of something that is not a result.
func (r *Run) Note(format string, args ...any) {
	r.Console.Note(r.Context, fmt.Sprintf(format, args...))
}

// SetLog sets the format of notes and errors: text, or json for services that collect logs.
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

// Flush writes the results so far, so that a reader sees each verdict as soon as it is known. Out
// is r.Console or the console of a file. Only the first error is reported, since others follow from
// it.
func (r *Run) Flush(out *console.Console) {
	if err := out.Out.Flush(); err != nil {
		r.breakOff(err)
	}
}

// Close writes the remaining results. After an error it writes nothing, since it would block if
// nobody reads the results.
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

// JSON prints v on one line or, with an indent, on several. It does not escape HTML characters,
// since formulas contain many of them, and people read the output.
func (r *Run) JSON(out io.Writer, v any, indent string) {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		r.Fail(err)
	}
}

// busy shows the current step until done is called. Without a budget, it shows nothing.
func (r *Run) busy(doing string) (done func()) {
	if r.Budget == nil {
		return func() {}
	}
	return r.Console.Busy(doing)
}

// Do runs a step within the limits of the run. On a terminal, a spinner is shown next to the name
// of the step. At a limit, the error is a *budget.LimitError.
func Do[T any](r *Run, doing string, work func(context.Context) (T, error)) (T, error) {
	defer r.busy(doing)()
	return budget.Do(r.Context, r.Budget, doing, work)
}

// Share is Do for one of several pieces of work. Each gets a share of the remaining time, so that a
// hard one leaves time for the others.
func Share[T any](r *Run, doing string, pieces int, work func(context.Context) (T, error)) (T, error) {
	return Do(r, doing, func(ctx context.Context) (T, error) {
		ctx, cancel := r.Budget.Share(ctx, pieces, doing)
		defer cancel()
		return work(ctx)
	})
}

// Decide is Share for an engine. An engine that notices the limit returns an unknown verdict, with
// a reason that does not name the limit that the user can raise. Decide then returns an error that
// does, with the result of the engine, which may have the class of the formula and the engine.
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

// writing is Try for a step that writes to w. The step cannot write to w after writing has
// returned.
func (r *Run) writing(doing string, w io.Writer, write func(context.Context, io.Writer) error) error {
	defer r.busy(doing)()
	return budget.Writing(r.Context, r.Budget, doing, w, write)
}
