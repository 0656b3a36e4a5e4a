//go:build unix

package soak

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A testCase is a command and its files.
type testCase struct {
	args   []string
	files  map[string][]byte // by path below the directory of the case
	limit  time.Duration     // --timeout, 0 for none
	memory int64             // --max-memory in bytes, 0 for none
	signal syscall.Signal    // sent after delay, 0 for none
	delay  time.Duration
}

const output = "out" // what -o names, if the command has it

// old is the content of the output before the command.
var old = []byte("old\n")

// toFile reports whether the command writes a file.
func (c *testCase) toFile() bool { return c.has("-o") || c.beside() }

// beside reports whether the file is written beside a verdict of any kind.
func (c *testCase) beside() bool { return c.has("--certificate") || c.has("--trace") }

// flag returns the value of a flag, "" if it is not given.
func (c *testCase) flag(name string) string {
	if i := slices.Index(c.args, name); i >= 0 && i+1 < len(c.args) {
		return c.args[i+1]
	}
	return ""
}

// has reports whether an argument is given.
func (c *testCase) has(name string) bool { return slices.Contains(c.args, name) }

// all returns the arguments with the limits.
func (c *testCase) all() []string {
	args := slices.Clone(c.args)
	if c.limit > 0 {
		args = slices.Insert(args, 1, "--timeout", c.limit.String())
	}
	if c.memory > 0 {
		args = slices.Insert(args, 1, "--max-memory", fmt.Sprint(c.memory))
	}
	return args
}

// String is a command for a shell.
func (c *testCase) String() string {
	var b strings.Builder
	if c.signal != 0 {
		fmt.Fprintf(&b, "timeout -s %d %s ", int(c.signal), c.delay)
	}
	b.WriteString("pota")
	for _, a := range c.all() {
		// Arguments of plain characters stand as they are; others are quoted byte by byte, as $'…'
		// of bash, so that the terminal is safe from them.
		if a != "" && !strings.ContainsFunc(a, func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=@%+", r)
		}) {
			b.WriteString(" " + a)
			continue
		}
		b.WriteString(" $'")
		for i := range len(a) {
			switch c := a[i]; {
			case c == '\'' || c == '\\':
				b.WriteString(`\` + string(c))
			case c < ' ' || c >= 0x7f:
				fmt.Fprintf(&b, `\x%02x`, c)
			default:
				b.WriteByte(c)
			}
		}
		b.WriteString("'")
	}
	return b.String()
}

// write makes the directory of the case, empty but for its files.
func (c *testCase) write(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for _, sub := range []string{"", "tmp"} {
		// Temporary files have a directory of their own, to see what is left there.
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o777); err != nil {
			return err
		}
	}
	// The output exists before the command, so that it shows whether it was replaced.
	files := maps.Clone(c.files)
	if c.toFile() {
		files[output] = old
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			return err
		}
	}
	return nil
}
