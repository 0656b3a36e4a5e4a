//go:build unix

package soak

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pota-project/pota/scripts/soak/internal/cases"
)

var (
	slack = flag.Duration("slack", time.Second,
		"how much longer than its limit, and a tenth, a command may take: more on a busy machine")
	shrink = flag.Duration("shrink", time.Minute, "how long to make a finding smaller")
)

// A finding is an error in the outcome of a case.
type finding struct {
	kind, text string
	place      string // the place of a crash
	command    string
}

// key is the same for findings that look the same.
// Crashes differ by place and not by text, since values in it vary.
func (f *finding) key() string {
	if f.place != "" {
		return f.kind + " " + f.place
	}
	return f.kind + " " + f.command
}

// runner runs cases in a directory.
type runner struct {
	dir  string
	ends map[string][5]int // how many runs of a command ended with status 0 to 3, or by a signal
}

var commands = strings.Fields("detect check watch verify merge slice translate cross-check classify lint stats convert map draw serve simulate formats version completion help")

// String tells how many runs ended how.
func (r *runner) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "status\t0\t1\t2\t3\tsignal\t")
	for _, command := range slices.Sorted(maps.Keys(r.ends)) {
		n := r.ends[command]
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t\n", command, n[0], n[1], n[2], n[3], n[4])
	}
	_ = w.Flush() // a strings.Builder takes everything
	return b.String()
}

// An outcome is how a command ended.
type outcome struct {
	stdout, stderr []byte
	cut            bool // the output is longer than what is kept
	status         int  // -1 if a signal ended it
	signal         syscall.Signal
	took, after    time.Duration // in all, and after the signal
	memory         int64
}

// maxOutput bounds the bytes of output that are looked at.
const maxOutput = 16 << 20

// limited keeps the beginning of an output. A command that writes without end must not fill the
// memory here.
type limited struct {
	bytes.Buffer
	cut bool
}

// Write takes everything, and keeps what fits.
func (l *limited) Write(p []byte) (int, error) {
	// The writer must go on reading, or the command would block.
	room := min(len(p), maxOutput-l.Len())
	l.cut = l.cut || room < len(p)
	l.Buffer.Write(p[:room])
	return len(p), nil
}

// run executes a case and returns how it ended. Commands that hang are killed after their limit
// and a minute, with their children.
func (r *runner) run(c *testCase) (*outcome, error) {
	if err := c.write(r.dir); err != nil {
		return nil, err
	}
	cmd := exec.Command(*cases.Binary, c.all()...)
	var stdout, stderr limited
	cmd.Dir = r.dir
	cmd.Stdout = &stdout
	cmd.Stderr = &stderr
	cmd.Env = append(os.Environ(), "TMPDIR="+filepath.Join(r.dir, "tmp"))
	// A group of its own, so that children can be killed with the command.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = time.Second
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var signalled time.Time
	if c.signal != 0 {
		defer time.AfterFunc(c.delay, func() {
			signalled = time.Now()
			_ = cmd.Process.Signal(c.signal) // it may have ended
		}).Stop()
	}
	// Three limits and a minute: a run beyond that hangs, however busy the machine.
	most := 3*c.limit + 60*time.Second
	defer time.AfterFunc(most, func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may have ended
	}).Stop()
	memory := watch(cmd.Process.Pid)
	err := cmd.Wait()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended &&
		!errors.Is(err, exec.ErrWaitDelay) {
		return nil, err
	}
	o := &outcome{stdout: stdout.Bytes(), stderr: stderr.Bytes(), cut: stdout.cut || stderr.cut,
		status: cmd.ProcessState.ExitCode(), took: time.Since(begun)}
	if !signalled.IsZero() {
		o.after = time.Since(signalled)
	}
	if w, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		o.signal = w.Signal()
	}
	o.memory = memory()
	return o, nil
}

// watch looks at how much memory a process has had in the machine's at most. (After its end, the
// system would count the memory from before exec, too.)
func watch(id int) (most func() int64) {
	stop, last := make(chan struct{}), make(chan int64)
	go func() {
		// The greatest of all looks counts, since the last one may find the process gone.
		kib := int64(0)
		for {
			// nothing where there is no such file
			text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", id))
			if m := peak.FindSubmatch(text); m != nil {
				kib, _ = strconv.ParseInt(string(m[1]), 10, 64)
			}
			select {
			case <-stop:
				last <- kib << 10
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return func() int64 {
		close(stop)
		return <-last
	}
}

var peak = regexp.MustCompile(`VmHWM:\s*(\d+) kB`)

// confirmed runs a case and returns its finding, nil for none. A finding that depends on how busy
// the machine is must be found three times.
func (r *runner) confirmed(c *testCase) *finding {
	f := r.try(c)
	// Time and memory depend on the neighbors; all other findings are certain at once.
	for range 2 {
		if f != nil && (f.kind == "time" || f.kind == "memory") {
			f = r.try(c)
		}
	}
	return f
}

// try runs a case once and counts how it ended.
func (r *runner) try(c *testCase) *finding {
	o, err := r.run(c)
	if err != nil {
		// The system refused the arguments, not the program.
		if errors.Is(err, syscall.E2BIG) {
			return nil
		}
		cases.Fail(err)
	}
	command := c.args[0]
	if !slices.Contains(commands, command) {
		command = "others"
	}
	ends := r.ends[command]
	ends[min(uint(o.status), 4)]++
	r.ends[command] = ends
	f := r.check(c, o)
	if f != nil {
		f.command = c.args[0]
		f.text = shortened(f.text)
	}
	return f
}

// shortened quotes a text and bounds its length.
func shortened(text string) string {
	text = fmt.Sprintf("%q", text)
	if len(text) > 600 {
		text = text[:600] + "…"
	}
	return text
}

var (
	crash  = regexp.MustCompile(`(?m)^(panic: |fatal error: |runtime: |goroutine \d+ \[)`)
	place  = regexp.MustCompile(`(?m)^\s+(/\S+/(?:cmd|rctl|graphs|slice|translate)/\S+\.go:\d+)`)
	aBug   = regexp.MustCompile(`(?i)this cannot happen|has a bug|did not replay|engines disagree|internal error`)
	orders = regexp.MustCompile(`##\[|##vso\[|(?m:^[ \t]*::[a-zA-Z])`)
)

// check returns the first finding in an outcome, nil for none.
func (r *runner) check(c *testCase, o *outcome) *finding {
	// before the program was ready
	// A signal may come before the program has set its handler.
	killed := c.signal != 0 && (o.signal == c.signal || o.status == 128+int(c.signal))
	if crash.Match(o.stderr) || aBug.Match(o.stderr) && !c.quotes(aBug) {
		f := &finding{kind: "crash", text: string(o.stderr)}
		if m := place.FindSubmatch(o.stderr); m != nil {
			f.place = string(m[1])
		}
		return f
	}
	if (o.status < 0 || o.status > 3) && !killed {
		return &finding{kind: "status", text: fmt.Sprintf("status %d, signal %v, after %s: %s",
			o.status, o.signal, o.took, o.stderr)}
	}
	// Status 3 with results on standard output has said why there.
	if o.status >= 2 && len(o.stderr) == 0 && !c.has("--quiet") &&
		(o.status == 2 || len(o.stdout) == 0) {
		return &finding{kind: "status", text: fmt.Sprintf("status %d without a message", o.status)}
	}
	// Only on standard output, and only if asked for, may a line be a command to GitHub.
	annotations := c.flag("--format") == "github"
	for _, text := range [][]byte{o.stdout, o.stderr} {
		if found := obeyed(text, annotations); found != "" &&
			!(o.cut && strings.HasPrefix(found, `'\ufffd'`)) {
			return &finding{kind: "text", text: found}
		}
		annotations = false
	}
	// A tenth more than the limit, and the slack for the machine.
	if most := c.limit + c.limit/10 + *slack; c.limit > 0 && o.took > most {
		return &finding{kind: "time", text: fmt.Sprintf("%s with a limit of %s: %s", o.took,
			c.limit, o.stderr)}
	}
	if o.after > 2*time.Second+*slack {
		return &finding{kind: "time", text: fmt.Sprintf("%s after signal %d: %s", o.after, c.signal,
			o.stderr)}
	}
	// The limit holds for what the program allocates; its code and stacks come on top.
	if c.memory > 0 && o.memory > c.memory+100e6 {
		return &finding{kind: "memory", text: fmt.Sprintf("%d MB with a limit of %d MB: %s",
			o.memory/1e6, c.memory/1e6, o.stderr)}
	}
	if wrong := r.files(c, o, killed); wrong != nil {
		return wrong
	}
	// Output that was cut off by the harness or a signal is not complete.
	if !o.cut && !killed && o.after == 0 {
		if err := results(c, o); err != nil {
			return &finding{kind: "results", text: fmt.Sprintf("%s: %s", err, o.stdout)}
		}
	}
	return nil
}

// quotes reports whether the case itself has such a text.
func (c *testCase) quotes(r *regexp.Regexp) bool {
	if slices.ContainsFunc(c.args, r.MatchString) {
		return true
	}
	for _, text := range c.files {
		if r.Match(text) {
			return true
		}
	}
	return false
}

// obeyed returns what in a text a terminal or a log would obey, "" for nothing. It knows
// nothing of how the program makes text safe.
func obeyed(text []byte, annotations bool) string {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 || r != '\n' && r != '\t' && unicode.Is(unicode.Cc, r) ||
			unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
			return fmt.Sprintf("%q in %q", r, text[max(0, i-60):min(len(text), i+60)])
		}
		i += n
	}
	// Lines that a CI system would take for commands.
	for _, at := range orders.FindAllIndex(text, -1) {
		if line := text[at[0]:]; !annotations ||
			!regexp.MustCompile(`^::(error|warning|notice) [^\n]*::`).Match(line) {
			return fmt.Sprintf("a command: %q", line[:min(len(line), 120)])
		}
	}
	return ""
}

// files looks at what the command wrote and left.
func (r *runner) files(c *testCase, o *outcome, killed bool) *finding {
	err := filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(r.dir, path)
		_, given := c.files[name]
		beside := c.toFile() && (strings.HasPrefix(name, output+".") && o.status == 0 || killed &&
			strings.HasPrefix(name, "."+output))
		if err == nil && !d.IsDir() && !given && !beside && !(c.toFile() && name == output) &&
			!killed {
			err = fmt.Errorf("%s is left", name)
		}
		if err == nil && d.IsDir() && strings.HasPrefix(name, "tmp"+string(filepath.Separator)) &&
			!killed {
			err = fmt.Errorf("the folder %s is left", name)
		}
		return err
	})
	if err != nil {
		return &finding{kind: "left", text: err.Error()}
	}
	if !c.toFile() {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(r.dir, output))
	cases.Fail(err)
	// A file is replaced as a whole, and only by a command that ends well.
	// An output that was written and replaced is complete, whatever the status.
	untouched := bytes.Equal(text, old)
	switch {
	case o.status == 0 && untouched && !c.beside():
		return &finding{kind: "output", text: "the command is done, but its file untouched"}
	case o.status != 0 && !untouched && c.signal == 0 && !c.beside():
		return &finding{kind: "output",
			text: fmt.Sprintf("status %d, but the file was replaced: %s", o.status, o.stderr)}
	case !untouched:
		if err := wellFormed(c, text); err != nil {
			return &finding{kind: "output", text: "the file is not whole: " + err.Error()}
		}
	}
	return nil
}

// results checks what the format promises of standard output.
func results(c *testCase, o *outcome) error {
	if c.has("-o") && len(o.stdout) > 0 {
		return errors.New("output beside the file of -o")
	}
	if len(o.stdout) == 0 {
		return nil
	}
	format, reports := c.flag("--format"), c.args[0] == "detect" || c.args[0] == "merge"
	switch {
	case c.has("--json") || reports && format == "json":
		return jsonLines(o.stdout)
	case reports && format == "junit":
		return wellFormedXML(o.stdout)
	case reports && format == "sarif":
		if !json.Valid(o.stdout) {
			return errors.New("not JSON")
		}
	case o.status == 0:
		return wellFormed(c, o.stdout)
	}
	return nil
}

// wellFormed checks what convert, draw, slice, simulate and map write.
func wellFormed(c *testCase, text []byte) error {
	format := c.flag("--format")
	switch command := c.args[0]; {
	case strings.HasSuffix(c.flag("-o"), ".gz"):
		return nil
	case command == "detect" && bytes.HasPrefix(text, []byte(`{"certificate":`)),
		command == "convert", command == "slice" && format == "json", command == "simulate" &&
			!c.has("--list") && !c.has("--properties") && !c.has("--faults"):
		return jsonLines(text)
	case command == "draw" && (format == "" || format == "svg"), command == "slice" &&
		format == "svg":
		return wellFormedXML(text)
	case command == "slice" && (format == "" || format == "dot"), command == "draw" &&
		format == "dot":
		if !bytes.HasPrefix(text, []byte("digraph")) || !bytes.HasSuffix(bytes.TrimSpace(text),
			[]byte("}")) {
			return errors.New("not a whole graph")
		}
	}
	return nil
}

// jsonLines checks that each line is an object, the last one, too.
func jsonLines(text []byte) error {
	for line := range bytes.Lines(text) {
		if !json.Valid(line) || line[0] != '{' || line[len(line)-1] != '\n' {
			return fmt.Errorf("not an object a line: %s", line[:min(len(line), 200)])
		}
	}
	return nil
}

// wellFormedXML checks that XML can be read to its end.
func wellFormedXML(text []byte) error {
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		_, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
