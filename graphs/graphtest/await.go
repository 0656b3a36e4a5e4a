package graphtest

import (
	"testing"
	"time"
)

// Await waits until something that a test cannot wait for otherwise has happened, such as a
// file that another process makes. However slow the machine is, it goes on waiting; shortly
// before the time limit of go test it fails the test, and says what it waited for.
func Await(tb testing.TB, what string, happened func() bool) {
	tb.Helper()
	const toReport = 5 * time.Second
	var last <-chan time.Time
	// Benchmarks and fuzzing have no deadline; last is nil for them and never fires.
	if t, ok := tb.(*testing.T); ok {
		if deadline, ok := t.Deadline(); ok {
			timer := time.NewTimer(time.Until(deadline) - toReport)
			defer timer.Stop()
			last = timer.C
		}
	}
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for !happened() {
		select {
		case <-look.C:
		case <-last:
			tb.Fatalf("waited in vain: %s", what)
		}
	}
}
