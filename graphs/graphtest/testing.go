package graphtest

import (
	"context"
	"flag"
	"io"
	"os"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
)

var full = flag.Bool("full", false, "ten times as many random cases in each test, or more, as before a release")

// isFull reports whether -full is given. It reads the environment while tests run, because go test
// caches results by the variables that they read.
func isFull() bool { return *full || os.Getenv("POTA_FULL") != "" }

// Thorough reports whether all tests should run: with -full and in continuous integration. Tests
// that take more than a few seconds skip if it is false.
func Thorough() bool { return isFull() || os.Getenv("CI") == "true" }

// Rounds returns how many of n random cases a test tries: all in continuous integration, a quarter
// by default, and a fifth with -short, but at least one if n > 0; ten times as many with -full.
// Every test binary that links this package has the flag -full; to set it for all packages at once,
// use the environment: POTA_FULL=1 go test ./...
func Rounds(tb testing.TB, n int) int {
	tb.Helper()
	return RoundsUpTo(tb, n, 10*n)
}

// RoundsUpTo is Rounds for a test that tries limit cases with -full, and none without it if n is 0.
func RoundsUpTo(tb testing.TB, n, limit int) int {
	tb.Helper()
	switch {
	case isFull():
		return limit
	case testing.Short():
		return min(n, max(n/5, 1))
	case Thorough():
		return n
	}
	return min(n, max(n/4, 1))
}

// Memory returns how many bytes a test may use or allocate if n are enough on an idle machine. On a
// busy one, garbage is collected later. The race detector keeps a history of each word, and makes
// the stacks of goroutines larger.
func Memory(n int64) int64 {
	if raceDetector {
		return 10 * n
	}
	return 2 * n
}

// A Patience is a context that is done after Most calls of Err; Asked counts all calls. A search
// that checks its context every so many steps stops after the same steps on any machine.
type Patience struct {
	context.Context
	Most, Asked int
}

// Err implements [context.Context].
func (p *Patience) Err() error {
	if p.Asked++; p.Asked > p.Most {
		return context.DeadlineExceeded
	}
	return nil
}

// Await waits for something that only polling can detect, such as a file that another process
// creates. It waits however slow the machine is; shortly before go test's time limit it fails the
// test and says what it waited for.
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

// Uncompressed returns the text of a file that gzip compressed.
func Uncompressed(tb testing.TB, path string) []byte {
	tb.Helper()
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		tb.Fatal(err)
	}
	return text
}
