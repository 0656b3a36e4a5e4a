package main

import (
	"context"
	"io"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/budget"
	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/files"
	"github.com/pota-project/pota/cmd/pota/internal/job"
)

// streams are what a run of the program reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer

	files   *files.Set   // that it writes, nil for a set of its own
	overrun chan<- error // gets the limit that the run does not heed, unless nil
}

// session is one run of the program.
type session struct {
	run     *job.Run
	overrun chan<- error // gets the limit that the run does not heed, unless nil
	words   []string     // that are to be completed

	// What limitFlags say.
	timeout time.Duration
	memory  string
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
