// Package supervise begins and ends a run of the command: it leaves a run alone that heeds
// neither limits nor interruptions, and takes from one that ends what must not stay behind.
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

// Times that Run and End wait for, before they go on without.
const (
	grace       = 2 * time.Second // for a run that is interrupted to end by itself
	killTimeout = 5 * time.Second // for SPIN to be gone after it was killed
)

// errInterrupted is what Run prints for a run that does not end after a signal.
var errInterrupted = errors.New(budget.Interrupted)

// Run calls run and returns its exit status. If run does not heed a limit, it sends an error on its
// channel. A run may be blocked by an output that nobody reads, or by a step that heeds no
// limit. Such a run is left alone, and its unfinished files are removed.
func Run(ctx context.Context, set *files.Set, run func(overrun chan<- error) int) exit.Status {
	overrun := make(chan error, 1)
	// The channel has room for the status, so that a run can end after it was left alone, without a
	// reader.
	ended := make(chan int, 1)
	go func() { ended <- run(overrun) }()
	// The interruption starts the clock. If the run ends in time, nobody reads the message.
	stopAfter := context.AfterFunc(ctx, func() {
		// An interrupted run normally ends by itself and prints its results so far.
		time.AfterFunc(grace, func() { overrun <- errInterrupted })
	})
	defer stopAfter()

	select {
	case status := <-ended:
		return exit.Status(status)
	// Files that were begun are removed here, since the run no longer does it.
	case why := <-overrun:
		set.Close()
		spin.Tidy(killTimeout)
		// Nobody may read standard error, either.
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

// End writes the results that are left, and returns the status of the run.
func End(r *job.Run) exit.Status {
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
