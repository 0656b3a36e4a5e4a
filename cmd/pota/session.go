package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/budget"
	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/files"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/translate/spin"
)

// Times that supervise and end wait for, before they go on without.
const (
	grace       = 2 * time.Second // for a run that is interrupted to end by itself
	killTimeout = 5 * time.Second // for SPIN, which has been killed, to be gone
)

// errInterrupted is what supervise prints for a run that does not end after a signal.
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
}

// newSession returns a session without a budget: begin starts one when the flags are known.
func newSession(ctx context.Context, std streams) *session {
	c := console.New(std.in, std.out, std.err)
	set := std.files
	if set == nil {
		set = new(files.Set)
	}
	return &session{
		run:     &job.Run{Context: ctx, Console: c, Files: set},
		overrun: std.overrun,
	}
}

// limit begins the budget of the run.
func (s *session) limit(limits budget.Limits) {
	// Without a supervisor, as in tests, a step that heeds no limit is waited for.
	if s.overrun != nil {
		limits.Overrun = func(why *budget.LimitError) { s.overrun <- why }
	}
	s.run.Budget = budget.New(limits)
}

// end writes the results that are left, and returns the status of the run.
func (s *session) end() exit.Status {
	r := s.run
	// Results come before anything that may take time.
	r.Close()
	spin.Tidy(killTimeout)
	// An interrupted run is undecided even if no step noticed: some decision may be missing. A
	// graver status stays.
	between := exit.Worst(r.Status, exit.Undecided) != r.Status // two steps
	if r.Context.Err() != nil && !r.Stopped && between {
		r.Status = exit.Undecided
		r.Console.Error(r.Context, budget.Interrupted)
	}
	// From here on no limit ends anything, and files that were not committed go.
	r.Budget.End()
	r.Files.Close()
	return r.Status
}
