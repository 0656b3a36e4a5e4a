package graphtest

import (
	"flag"
	"os"
	"testing"
)

var full = flag.Bool("full", os.Getenv("POTA_FULL") != "",
	"ten times as many random cases in each test, or more, as before a release")

// Rounds returns how many random cases a test tries that tries n by default: n,
// a fifth of it with -short, at least one, and ten times as many with -full. Every
// test binary that links this package has the flag -full; for all packages at once,
// go test takes it from the environment: POTA_FULL=1 go test ./...
func Rounds(tb testing.TB, n int) int {
	tb.Helper()
	return RoundsUpTo(tb, n, 10*n)
}

// RoundsUpTo is Rounds for a test that tries most with -full.
func RoundsUpTo(tb testing.TB, n, most int) int {
	tb.Helper()
	switch {
	case *full:
		return most
	case testing.Short():
		return max(n/5, 1)
	}
	return n
}
