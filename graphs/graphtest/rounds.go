package graphtest

import (
	"flag"
	"os"
	"testing"
)

var full = flag.Bool("full", false, "ten times as many random cases in each test, or more, as before a release")

// isFull reports whether -full is given. The environment is asked when tests run, since go test may repeat what
// tests said that did not ask for it.
func isFull() bool { return *full || os.Getenv("POTA_FULL") != "" }

// Thorough reports whether all tests run that there are: with -full, and in continuous
// integration. Tests that cost more than a few seconds skip where it is false.
func Thorough() bool { return isFull() || os.Getenv("CI") == "true" }

// Rounds returns how many random cases a test tries of n: all in continuous integration, a quarter
// by default, a fifth with -short, at least one of some, and ten times as many with -full. Every
// test binary that links this package has the flag -full; for all packages at once, go test
// takes it from the environment: POTA_FULL=1 go test ./...
func Rounds(tb testing.TB, n int) int {
	tb.Helper()
	return RoundsUpTo(tb, n, 10*n)
}

// RoundsUpTo is Rounds for a test that tries limit cases with -full, and without it none where n is
// zero.
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
