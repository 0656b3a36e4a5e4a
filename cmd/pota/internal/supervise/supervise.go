// Package supervise starts and ends a run of the command. It abandons a run that ignores limits and
// interruptions, and cleans up after a run that ends.
package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/budget"
	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/files"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/translate/spin"
)

// How long Run and End wait before they go on.
const (
	grace       = 2 * time.Second // for a run that is interrupted to end by itself
	killTimeout = 5 * time.Second // for SPIN to be gone after it was killed
)

// errInterrupted is the error that Run prints for a run that does not end after a signal.
var errInterrupted = errors.New(budget.Interrupted)

// Run calls run and returns its exit status. If run exceeds a limit without ending, an error is
// sent on its channel. It may be blocked by an output that nobody reads, or by a step that ignores
// limits. Run abandons it then, and removes its unfinished files.
func Run(ctx context.Context, set *files.Set, run func(overrun chan<- error) int) exit.Status {
	overrun := make(chan error, 1)
	// The channel is buffered, so that an abandoned run can end without a receiver.
	ended := make(chan int, 1)
	go func() { ended <- run(overrun) }()
	// The grace time starts at the interruption. If the run ends in time, nobody reads the message.
	stopAfter := context.AfterFunc(ctx, func() {
		// An interrupted run normally ends by itself and prints its results so far.
		time.AfterFunc(grace, func() { overrun <- errInterrupted })
	})
	defer stopAfter()

	select {
	case status := <-ended:
		return exit.Status(status)
	// Remove unfinished files here, since the run no longer does.
	case why := <-overrun:
		set.Close()
		spin.Tidy(killTimeout)
		// Standard error may not have a reader either.
		written := make(chan struct{})
		go func() {
			defer close(written)
			fmt.Fprintln(console.NewWriter(os.Stderr), "pota: "+why.Error())
		}()
		select {
		case <-written:
		case <-time.After(grace):
		}
		return exit.Undecided
	}
}

// End writes the remaining results, and returns the status of the run.
func End(r *job.Run) exit.Status {
	// Write results before anything that may take time.
	r.Close()
	spin.Tidy(killTimeout)
	// An interrupted run is undecided even if no step noticed, since a decision may be missing. A
	// graver status stays.
	between := exit.Worst(r.Status, exit.Undecided) != r.Status // whether the interruption worsens the status
	if r.Context.Err() != nil && !r.Stopped && between {
		r.Status = exit.Undecided
		r.Console.Error(r.Context, budget.Interrupted)
	}
	// From here on, no limit applies. Remove uncommitted files.
	r.Budget.End()
	r.Files.Close()
	return r.Status
}
