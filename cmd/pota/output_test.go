//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
)

// begin starts the program in a directory.
func begin(t *testing.T, dir string, env []string, args ...string) (cmd *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	cmd, stderr = exec.Command("pota", args...), new(bytes.Buffer)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), env...), stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has ended, unless the test fails
	return cmd, stderr
}

func listed(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// skipIgnored skips a test of a signal that is ignored, which the program then ignores, too.
func skipIgnored(t *testing.T, s os.Signal) {
	t.Helper()
	if signal.Ignored(s) {
		t.Skip("the signal is ignored here, as by nohup")
	}
}

// A file that is being written when the program is interrupted or killed stays as it was.
func TestInterruptedOutput(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGKILL} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			skipIgnored(t, signal)
			dir := t.TempDir()
			out := filepath.Join(dir, "out")
			if err := os.WriteFile(out, []byte("old"), 0o640); err != nil {
				t.Fatal(err)
			}
			cmd, stderr := begin(t, dir, nil, "simulate", "mutex", "--events", "1000000000", "-o", "out")
			graphtest.Await(t, "something is written", func() bool {
				beside, _ := filepath.Glob(filepath.Join(dir, ".out*"))
				if len(beside) == 0 {
					return false
				}
				info, err := os.Stat(beside[0])
				return err == nil && info.Size() > 0
			})
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // it ends by a signal, or with a status that is looked at
			if text, err := os.ReadFile(out); err != nil || string(text) != "old" {
				t.Errorf("the file is now %q, %v", text, err)
			}
			left := listed(t, dir)
			if signal == syscall.SIGKILL {
				left = slices.DeleteFunc(left, func(name string) bool { return strings.HasPrefix(name, ".out") })
			} else if status := cmd.ProcessState.ExitCode(); status != int(undecided) || stderr.String() != "pota: interrupted while simulating mutex\n" {
				t.Errorf("status %d, %q", status, stderr)
			}
			if !slices.Equal(left, []string{"out"}) {
				t.Errorf("the directory holds %q", left)
			}
		})
	}
}

// An interrupted run that would write certificates is undecided, as any other, and writes none.
func TestInterruptedCertificates(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	dir := t.TempDir()
	trace := filepath.Join(repository(t), "testdata", "figure1.jsonl")
	args := []string{"detect", "--certificate", filepath.Join(dir, "out"), "EF(x == 1)", trace}
	var errs strings.Builder
	status := run(ctx, args, streams{in: strings.NewReader(""), out: io.Discard, err: &errs})
	if left := listed(t, dir); status != int(undecided) || errs.String() != "pota: interrupted\n" || len(left) > 0 {
		t.Errorf("status %d, %q, the directory holds %q", status, &errs, left)
	}
}

// What is refused leaves files as they were.
func TestRefusedOutput(t *testing.T) {
	trace := filepath.Join(repository(t), "testdata", "figure1.jsonl")
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"draw", trace, "nosuch == 1"},
		{"slice", "AF(AX(x == 1))", trace},
		{"slice", "x ==", trace},
		{"translate", "nosuch == 1", trace},
		{"translate", "--to", "smv", "EF(x == 1)", "missing.jsonl"},
		{"convert", "missing.jsonl"},
		{"simulate", "nosuch"},
	} {
		for _, name := range []string{"out", "out.ord"} {
			if err := os.WriteFile(name, []byte("old"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		status, stdout, stderr := pota("", append(args, "-o", "out")...)
		if status < 2 || stdout != "" || stderr == "" {
			t.Errorf("%s: status %d, output %q, errors %q", args, status, stdout, stderr)
		}
		for _, name := range []string{"out", "out.ord"} {
			if text, err := os.ReadFile(name); err != nil || string(text) != "old" {
				t.Errorf("%s: %s is now %q, %v", args, name, text, err)
			}
		}
		if left := listed(t, "."); len(left) != 2 {
			t.Errorf("%s: the directory holds %q", args, left)
		}
	}
}

// A file that is replaced keeps its permissions, and a symbolic link stays one.
func TestReplacedOutput(t *testing.T) {
	trace := filepath.Join(repository(t), "testdata", "figure1.jsonl")
	_, want, _ := pota("", "convert", trace)
	t.Chdir(t.TempDir())
	for link, to := range map[string]string{"link": "target", "dangling": "dir/new", "dir/up": "../target"} {
		if err := errors.Join(os.MkdirAll("dir", 0o777), os.Symlink(to, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile("target", []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		out, file string
		mode      os.FileMode
	}{
		{"link", "target", 0o640}, {"dir/up", "target", 0o640}, {"dangling", "dir/new", 0}, {"new", "new", 0},
	} {
		if status, stdout, stderr := pota("", "convert", trace, "-o", test.out); status != 0 || stdout+stderr != "" {
			t.Fatalf("-o %s: status %d, output %q, errors %q", test.out, status, stdout, stderr)
		}
		text, err := os.ReadFile(test.file)
		if err != nil || string(text) != want {
			t.Errorf("-o %s: %s is %q, %v", test.out, test.file, text, err)
		}
		info, err := os.Lstat(test.file)
		if err != nil || !info.Mode().IsRegular() || test.mode != 0 && info.Mode() != test.mode {
			t.Errorf("-o %s: %s has mode %s, %v", test.out, test.file, info.Mode(), err)
		}
	}
	if left := listed(t, "."); !slices.Equal(left, []string{"dangling", "dir", "link", "new", "target"}) {
		t.Errorf("the directory holds %q", left)
	}
}

// Devices, pipes and open files are written as they are.
func TestOutputAsItIs(t *testing.T) {
	trace := filepath.Join(repository(t), "testdata", "figure1.jsonl")
	_, want, _ := pota("", "convert", trace)
	t.Chdir(t.TempDir())
	if status, _, stderr := pota("", "convert", trace, "-o", os.DevNull); status != 0 {
		t.Errorf("status %d, %s", status, stderr)
	}
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	piped := make(chan string)
	go func() {
		text, err := os.ReadFile("pipe")
		piped <- fmt.Sprintf("%s%v", text, err)
	}()
	if status, _, stderr := pota("", "convert", trace, "-o", "pipe"); status != 0 {
		t.Errorf("status %d, %s", status, stderr)
	}
	if got := <-piped; got != want+"<nil>" {
		t.Errorf("the pipe had %q", got)
	}
	f, err := os.Create("redirected")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := io.WriteString(f, "before\n"); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("pota", "convert", trace, "-o", "/dev/stdout")
	cmd.Stdout = f
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile("redirected"); err != nil || string(text) != "before\n"+want {
		t.Errorf("the file has %q, %v", text, err)
	}
	if left := listed(t, "."); len(left) != 2 {
		t.Errorf("the directory holds %q", left)
	}
}

// However a run of SPIN ends, it leaves neither files nor processes behind. A compiler
// that makes a temporary file and then does not end takes the place of gcc.
func TestInterruptedSpin(t *testing.T) {
	t.Parallel()
	trace := filepath.Join(repository(t), "testdata", "figure1.jsonl")
	programs := t.TempDir()
	for name, script := range map[string]string{
		"spin": ": >pan.c",
		"gcc":  `: >"$TMPDIR/cc.s"; sleep 600 & echo $$ $! >"$STARTED.new"; mv "$STARTED.new" "$STARTED"; wait`,
	} {
		if err := os.WriteFile(filepath.Join(programs, name), []byte("#!/bin/sh\n"+script+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for how, signal := range map[string]syscall.Signal{"interrupt": syscall.SIGINT, "terminated": syscall.SIGTERM, "hangup": syscall.SIGHUP, "timeout": 0} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			skipIgnored(t, signal)
			temporary, dir, started := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "started")
			args := []string{"detect", "--engine", "spin", "EF(x == 1)", trace}
			if signal == 0 {
				args = append(args, "--timeout", "300ms")
			}
			path := "PATH=" + programs + string(filepath.ListSeparator) + os.Getenv("PATH")
			cmd, _ := begin(t, dir, []string{path, "TMPDIR=" + temporary, "STARTED=" + started}, args...)
			if signal != 0 {
				graphtest.Await(t, "the compiler runs", func() bool { return isFile(started) })
				if err := cmd.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
			}
			_ = cmd.Wait() // its status is looked at
			if status := cmd.ProcessState.ExitCode(); status != int(undecided) {
				t.Errorf("status %d", status)
			}
			if left := slices.Concat(listed(t, temporary), listed(t, dir)); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
			ids, err := os.ReadFile(started)
			if signal == 0 && errors.Is(err, fs.ErrNotExist) {
				return // the time was over before the compiler was reached
			}
			var shell, child int
			if _, err := fmt.Sscan(string(ids), &shell, &child); err != nil {
				t.Fatal(err)
			}
			graphtest.Await(t, "the compiler and its children have ended", func() bool { return gone(shell) && gone(child) })
		})
	}
}

// gone reports whether a process has ended; one that nobody has waited for has, too.
func gone(id int) bool {
	if syscall.Kill(id, 0) != nil {
		return true
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
	return err == nil && bytes.Contains(text, []byte(") Z "))
}
