package spin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/translate/promela"
)

// run writes a model, compiles its checker and runs it. It returns whether that
// found an error, and the processes that move on its trail.
func (k *checker) run(m *promela.Model) (found bool, movers []int, err error) {
	err = inFolder(k.ctx, m.String(), func(dir string) error {
		if err := build(k.ctx, dir, []string{"-a", modelFile}, m.Compile, k.opts.MaxMemory); err != nil {
			return err
		}

		// The hash table is no larger than the number of cuts needs, nor than an eighth of the memory.
		bits := min(24, rctl.Bound(k.comp).BitLen()+2)
		for k.opts.MaxMemory > 0 && bits > 10 && 8<<bits > k.opts.MaxMemory/8 {
			bits--
		}
		out, err := command(k.ctx, dir, "./pan", append(m.Run, fmt.Sprintf("-w%d", max(bits, 10)))...)
		if k.ctx.Err() != nil {
			return k.ctx.Err()
		}
		said, ok := read(out)
		k.res.Verdict, k.res.Reason = rctl.Unknown, said.reason
		k.res.States += said.states
		k.res.Memory = max(k.res.Memory, said.memory)
		if found = said.found; !ok || err != nil && !found && said.reason == "" {
			return failed("pan", out, err)
		}
		if found {
			movers, err = trail(filepath.Join(dir, trailFile))
			return err
		}
		return nil
	})
	return found, movers, err
}

// The files of a model and of its trail.
const (
	modelFile = "model.pml"
	trailFile = modelFile + ".trail"
)

// inFolder does something in a temporary folder that has a model.
func inFolder(ctx context.Context, model string, do func(dir string) error) (err error) {
	running.Add(1)
	defer running.Done()
	if err := ctx.Err(); err != nil {
		return err // who gave up before may have called Tidy
	}
	dir, err := os.MkdirTemp("", "pota-spin-")
	if err != nil {
		return err
	}
	defer func() {
		if e := removeAll(dir); err == nil {
			err = e
		}
	}()
	if err := os.WriteFile(filepath.Join(dir, modelFile), []byte(model), 0o600); err != nil {
		return err
	}
	return do(dir)
}

// build has SPIN make a checker of a model, by arguments, and gcc compile it. The checker may
// take some bytes of memory; 0 is no limit.
func build(ctx context.Context, dir string, args, flags []string, memory int64) error {
	out, err := command(ctx, dir, "spin", args...)
	if _, missing := os.Stat(filepath.Join(dir, "pan.c")); err != nil || missing != nil {
		return failed("spin", out, err)
	}

	// The code that SPIN writes has warnings, which would hide errors.
	flags = slices.Concat([]string{"-w"}, flags, optimize)
	if memory > 0 {
		flags = append(flags, fmt.Sprintf("-DMEMLIM=%d", max(1, memory>>20)))
	}
	if out, err := command(ctx, dir, "gcc", append(flags, "-o", "pan", "pan.c")...); err != nil {
		return failed("gcc", out, err)
	}
	return nil
}

// running counts the runs that have files.
var running sync.WaitGroup

// Tidy waits, at most that long, until runs that nobody waits for, because their context is
// done, have ended the programs and removed the files they use.
func Tidy(most time.Duration) {
	done := make(chan struct{})
	go func() {
		running.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(most):
	}
}

// optimize has a flag of gcc for tests, which takes the last one.
var optimize []string

// removeAll removes a directory, even if programs that have been killed but are not yet gone still
// make files there.
func removeAll(dir string) (err error) {
	for range 100 {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return err
}

// failed is the error of a program without the result it should have.
func failed(program, output string, err error) error {
	if err == nil {
		err = errors.New("no result")
	}
	return &FailedError{program, output, err}
}

var (
	errorsLine = lazy.Regexp(`errors: (\d+)`)
	statesLine = lazy.Regexp(`(\d+(?:\.\d+)?(?:e[+-]?\d+)?) states, stored`)
	memoryLine = lazy.Regexp(`(\d+\.\d+)\s+total actual memory usage`)
)

// An output is the result that the checker prints.
type output struct {
	found  bool   // an error
	reason string // why the search was cut short
	states int64  // stored
	memory int64  // bytes
}

// read parses the checker's output. It returns ok = false if the checker has reached no result.
func read(out string) (said output, ok bool) {
	said.states = int64(figure(statesLine(), out))
	said.memory = int64(figure(memoryLine(), out) * (1 << 20))
	m := errorsLine().FindStringSubmatch(out)
	said.found = m != nil && m[1] != "0"
	switch {
	case said.found:
	// Without an error these outputs mean that the search was cut short.
	case strings.Contains(out, "MEMLIM") && strings.Contains(out, "reached"),
		strings.Contains(out, "out of memory"):
		said.reason = "SPIN reached the memory limit"
		return said, true
	case strings.Contains(out, "max search depth too small"),
		strings.Contains(out, "Search not completed"):
		said.reason = tooDeep
	}
	return said, m != nil
}

// tooDeep is the reason of a search that was to go no deeper.
const tooDeep = "SPIN did not complete its search"

// figure returns the number in a line of the checker's output, or 0 if there is no such
// line.
func figure(line *regexp.Regexp, out string) float64 {
	m := line.FindStringSubmatch(out)
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseFloat(m[1], 64)
	return n
}

// trail reads the moves of processes from a trail of SPIN.
func trail(path string) ([]int, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var movers []int
	for line := range strings.Lines(string(data)) {
		fields := strings.Split(strings.TrimSpace(line), ":")
		// Lines that begin with a minus are marks, such as where a cycle starts.
		if len(fields) != 3 || strings.HasPrefix(line, "-") {
			continue
		}
		pid, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, fmt.Errorf("the trail of SPIN has a line %q", line)
		}
		movers = append(movers, pid)
	}
	return movers, nil
}

// programs checks that all programs are installed.
func programs(names ...string) error {
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			return &MissingError{name}
		}
	}
	return nil
}

// command runs a program in a folder and returns its output. When ctx is done, the
// program and all its children are killed. Temporary files are made in the folder, too:
// a killed compiler leaves them behind.
func command(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+dir, "TMP="+dir, "TEMP="+dir)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	// A child that was not killed may hold the output open.
	cmd.WaitDelay = time.Second
	Group(cmd)
	err := cmd.Run()
	if ctx.Err() != nil {
		err = errors.Join(ctx.Err(), err)
	}
	return out.String(), err
}
