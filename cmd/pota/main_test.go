package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	const program = "pota" // what the test binary is where it is started under this name
	dir := ""
	if filepath.Base(os.Args[0]) != program {
		dir = ownTemp()
	}
	testscript.Main(tests{m, dir}, map[string]func(){program: main})
}

// ownTemp gives the tests a temporary directory of their own, so that nothing else is left where
// they are interrupted. It removes the directory then.
func ownTemp() (dir string) {
	dir, err := os.MkdirTemp("", "pota-test-")
	if err == nil {
		err = os.Setenv("TMPDIR", dir)
	}
	if err != nil {
		panic(err)
	}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-interrupted
		_ = os.RemoveAll(dir) // the system removes the rest some time
		os.Exit(1)
	}()
	return dir
}

// tests are those of the package, with a temporary directory of their own.
type tests struct {
	*testing.M
	dir string
}

// Run has gcc compile SPIN's checkers without optimization, which takes longer than it saves.
func (m tests) Run() int {
	defer func() { _ = os.RemoveAll(m.dir) }() // the system removes it some time
	gcc, err := exec.LookPath("gcc")
	if err != nil || runtime.GOOS == "windows" {
		return m.M.Run()
	}
	programs := filepath.Join(m.dir, "gcc")
	script := fmt.Sprintf("#!/bin/sh\nexec '%s' \"$@\" -O0\n", gcc)
	err = errors.Join(os.Mkdir(programs, 0o777), os.WriteFile(filepath.Join(programs, "gcc"), []byte(script), 0o777))
	if err != nil {
		panic(err)
	}
	os.Setenv("PATH", programs+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return m.M.Run()
}

// repository is the root of the repository.
func repository(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// Each script runs the program as a user would; $ROOT is the repository.
func TestScripts(t *testing.T) {
	t.Parallel()
	root := repository(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("ROOT", root)
			env.Setenv("T", filepath.Join(root, "testdata"))
			return nil
		},
		Cmds:          map[string]func(*testscript.TestScript, bool, []string){"status": exitStatus},
		UpdateScripts: os.Getenv("UPDATE") != "",
	})
}

// exitStatus runs pota and checks its exit status: status N ARGUMENTS...
func exitStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N ARGUMENTS...")
	}
	err := ts.Exec("pota", args[1:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit status %d, not %s", got, args[0])
	}
}

// pota runs the program within the test and returns what it printed.
func pota(stdin string, args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(context.Background(), args, streams{in: strings.NewReader(stdin), out: &out, err: &err})
	return status, out.String(), err.String()
}

// That results cannot be written is said once.
func TestFullDevice(t *testing.T) {
	var stderr bytes.Buffer
	trace := filepath.Join(repository(t), "testdata", "figure1.jsonl")
	out := writerFunc(func([]byte) (int, error) { return 0, errors.New("no room") })
	status := run(t.Context(), []string{"detect", "EF(x == 5)", trace, trace}, streams{out: out, err: &stderr})
	if want := "pota: writing the results: no room\n"; status != int(badInput) || stderr.String() != want {
		t.Errorf("status %d, %q, want %q", status, &stderr, want)
	}
}

// A run that is interrupted before it has begun says so, once.
func TestInterruptedAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	trace := filepath.Join(repository(t), "testdata", "figure1.jsonl")
	for _, args := range [][]string{
		{"detect", "EF(x == 5)", trace}, {"draw", trace}, {"draw", trace, "x == 5"}, {"slice", "x == 5", trace}, {"stats", trace}, {"lint", trace},
		{"convert", trace}, {"classify", "EF(x == 5)", trace}, {"translate", "EF(x == 5)", trace}, {"cross-check", "EF(x == 5)", trace}, {"formats"},
	} {
		var stdout, stderr bytes.Buffer
		status := run(ctx, args, streams{out: &stdout, err: &stderr})
		if status != int(undecided) || strings.Count(stderr.String(), "interrupted")+strings.Count(stdout.String(), "unknown") == 0 {
			t.Errorf("%s: status %d, %s%s", args[0], status, &stdout, &stderr)
		}
	}
}

// The viewer shows standard input where no trace is named.
func TestServeStandardInput(t *testing.T) {
	c := exec.CommandContext(t.Context(), "pota", "serve")
	c.Stdin = strings.NewReader(`{"process":"P"}`)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "http://127.0.0.1:") {
		t.Errorf("%q, %v", line, err)
	}
	_ = c.Process.Signal(os.Interrupt)
	if err := c.Wait(); err != nil {
		t.Errorf("%v, %s", err, &stderr)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// Every malformed input is refused with status 2 and the one line that stands
// beside it.
func TestRefusals(t *testing.T) {
	t.Chdir(filepath.Join(repository(t), "testdata", "refused"))
	files, err := filepath.Glob("*.err")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d refusals, %v", len(files), err)
	}
	for _, file := range files {
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		trace := strings.TrimSuffix(file, ".err") + ".jsonl"
		for _, args := range [][]string{
			{"stats", trace, "--input", "native"},
			{"detect", "--input", "native", "true", trace},
			{"convert", "--input", "native", trace},
		} {
			status, stdout, stderr := pota("", args...)
			if status != 2 || stdout != "" {
				t.Errorf("%s: status %d, output %q", args, status, stdout)
			}
			if strings.TrimSpace(stderr) != "pota: "+strings.TrimSpace(string(want)) {
				t.Errorf("%s:\n got %s\nwant pota: %s", args, strings.TrimSpace(stderr), want)
			}
		}
	}
}
