// Package cases runs random cases until the time is over. The seed and the number of a case
// decide it, and reproduce it.
package cases

import (
	"context"
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// Flags of tests that try random cases.
var (
	Binary = flag.String("pota", "", "the program to test; empty builds it")
	Keep   = flag.String("keep", filepath.Join(os.TempDir(), "pota-soak"),
		"the folder for findings")
	Seed = flag.Uint64("seed", uint64(time.Now().UnixNano()), "decides all cases")

	length = flag.Duration("for", 0, "how long")
	only   = flag.Int("case", -1, "run this case alone")
)

// Wanted reports whether the flags ask for cases.
func Wanted() bool { return *length > 0 || *only >= 0 }

// Find has the program built in a folder if none is given.
func Find(dir string, build func(path string) error) (err error) {
	if *Binary != "" {
		*Binary, err = filepath.Abs(*Binary)
		return err
	}
	*Binary = filepath.Join(dir, "pota")
	return build(*Binary)
}

// Build builds the program, with more arguments for the compiler.
func Build(path string, args ...string) error {
	args = append([]string{"build", "-trimpath", "-o", path}, args...)
	out, err := exec.Command("go",
		append(args, "github.com/pota-project/pota/cmd/pota")...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// All yields the number of each case and its source of randomness, until the time is over or the
// program is interrupted.
func All() iter.Seq2[int, *rand.Rand] {
	return func(yield func(int, *rand.Rand) bool) {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		// A single case is drawn as in the sequence: only its number matters.
		if *only >= 0 {
			yield(*only, draw(*only))
			return
		}
		begun := time.Now()
		for n := 0; ctx.Err() == nil && time.Since(begun) < *length && yield(n, draw(n)); n++ {
		}
	}
}

func draw(number int) *rand.Rand { return rand.New(rand.NewPCG(*Seed, uint64(number))) }

// Fail ends the program if there is an error.
func Fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(2)
	}
}
