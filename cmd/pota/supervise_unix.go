//go:build unix

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/translate/spin"
)

// Under a limit of address space the Go runtime ends the program when it gets no memory,
// with a stack trace and status 2, before the program can tell how much is too much: a
// block of memory may not fit between others. There the program runs as a child of itself,
// so that somebody is left to say that a limit was reached.

// supervised is set in the child. There the second of the standard files is a pipe to the
// parent, to which its runtime writes what ended it, and before that the program what it
// does: a line with a mark for each step, and for each file that is not to stay if it does not
// end well. The standard error of both is the file after the standard ones.
const (
	supervised    = "POTA_SUPERVISED"
	standardError = 3
	mark          = '\x1e'
	markFile      = '\x1f'
)

// leastAddresses is the least limit of address space, in bytes, under which the runtime
// starts reliably. What it takes beside the heap is some 750 MB.
const leastAddresses = 850_000 << 10

// outOfMemory is what the runtime says when it gets no memory.
var outOfMemory = []string{"out of memory", "cannot allocate memory", "failed to reserve", "cannot map pages", "failed to create new OS thread", "pthread_create failed"}

// supervise runs the program in a child where address space is limited. In the child it
// returns the standard error, and a function that tells the parent what is being done.
func supervise() (stderr *os.File, tell func(doing string)) {
	if os.Getenv(supervised) != "" {
		pending.tell = func(name string) { fmt.Fprintf(os.Stderr, "%c%q\n", markFile, name) }
		return os.NewFile(standardError, "/dev/stderr"), func(doing string) { fmt.Fprintf(os.Stderr, "%c%q\n", mark, doing) }
	}
	if _, limited := addressSpace(); !limited {
		return os.Stderr, nil
	}
	if most := addressLimit(); most < leastAddresses {
		fmt.Fprintf(os.Stderr, "pota: ulimit -v must be at least %d KiB, not %d: the Go runtime reserves that much before it works\n", leastAddresses>>10, most>>10)
		os.Exit(int(undecided))
	}
	self, err := os.Executable()
	if err != nil {
		return os.Stderr, nil
	}
	child := exec.Command(self, os.Args[1:]...)
	child.Env = append(os.Environ(), supervised+"=1")
	child.Stdin, child.Stdout, child.ExtraFiles = os.Stdin, os.Stdout, []*os.File{os.Stderr}
	os.Exit(attend(child))
	panic("unreachable")
}

// attend runs the child and returns its exit status, which is undecided if it got no memory.
func attend(child *exec.Cmd) int {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, endings()...)
	if temporary, err := os.MkdirTemp("", "pota-"); err == nil { // for what the child may not be able to remove
		child.Env = append(child.Env, "TMPDIR="+temporary)
		defer spin.Remove(temporary) //nolint:errcheck // nobody needs to know
	}
	told, err := child.StderrPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pota: "+err.Error())
		return int(undecided)
	}
	go func() {
		for s := range signals {
			child.Process.Signal(s) //nolint:errcheck // it may have ended
		}
	}()
	doing, unfinished, crash := follow(told)
	err = child.Wait()
	exit, ok := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return int(allHold)
	case !ok:
		fmt.Fprintln(os.Stderr, "pota: "+err.Error())
		return int(undecided)
	}
	for _, name := range unfinished {
		os.Remove(name) //nolint:errcheck // it may have taken its place
	}
	if slices.ContainsFunc(outOfMemory, func(s string) bool { return strings.Contains(crash, s) }) {
		fmt.Fprintf(os.Stderr, "pota: the limit of address space (ulimit -v) was reached while %s\n", graphs.Printable(doing))
		return int(undecided)
	}
	fmt.Fprint(&plain{w: os.Stderr}, crash)
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		if slices.Contains(endings(), os.Signal(status.Signal())) { // before the child could say so
			fmt.Fprintf(os.Stderr, "pota: interrupted while %s\n", graphs.Printable(doing))
			return int(undecided)
		}
		return 128 + int(status.Signal())
	}
	return exit.ExitCode()
}

// follow reads what a child tells: what it was doing last, the files that may be unfinished,
// and what its runtime says.
func follow(told io.Reader) (doing string, unfinished []string, crash string) {
	const most = 1 << 20
	doing = "starting"
	var said strings.Builder
	for r := bufio.NewReader(told); ; {
		line, err := r.ReadString('\n')
		if quoted, ok := strings.CutPrefix(line, string(mark)); ok {
			doing, _ = strconv.Unquote(strings.TrimSpace(quoted))
		} else if quoted, ok := strings.CutPrefix(line, string(markFile)); ok {
			name, _ := strconv.Unquote(strings.TrimSpace(quoted))
			unfinished = append(unfinished, name)
		} else if said.Len() < most {
			said.WriteString(line)
		}
		if err != nil {
			return doing, unfinished, said.String()
		}
	}
}
