//go:build unix

package files_test

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/pota-project/pota/cmd/pota/internal/files"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

// expect checks the content of a file, and that its directory has no other.
func expect(t *testing.T, path, want string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil || string(text) != want {
		t.Errorf("%s is %q, %v; want %q", filepath.Base(path), text, err, want)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory holds %v, %v", entries, err)
	}
}

func create(t *testing.T, s *files.Set, path, text string) *files.File {
	t.Helper()
	f, err := s.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, text); err != nil {
		t.Fatal(err)
	}
	return f
}

// A file is as it was until its new content is committed.
func TestCommit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	write(t, path, "old")
	var s files.Set
	f := create(t, &s, path, "new")
	if text, err := os.ReadFile(path); err != nil || string(text) != "old" {
		t.Errorf("%q, %v before it is committed", text, err)
	}
	if err := f.Commit(); err != nil {
		t.Error(err)
	}
	f.Discard()
	s.Close()
	expect(t, path, "new")
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o640 {
		t.Errorf("the mode is now %s, %v", info.Mode(), err)
	}
	if f.Commit() == nil {
		t.Error("committed twice")
	}
}

// What is discarded, or pending when the set is closed, leaves nothing.
func TestDiscard(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	write(t, path, "old")
	var s files.Set
	create(t, &s, path, "new").Discard()
	expect(t, path, "old")

	late := create(t, &s, path, "new")
	create(t, &s, path, "newer")
	s.Close()
	expect(t, path, "old")
	if late.Commit() == nil {
		t.Error("committed after the run")
	}
	if _, err := s.Create(path); err == nil {
		t.Error("begun after the run")
	}
	if _, err := s.Create(os.DevNull); err == nil {
		t.Error("a device was opened after the run")
	}
	expect(t, path, "old")
}

// A pipe is written in place, and one that nobody reads does not keep others from being
// discarded.
func TestPipe(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	var s files.Set
	if err := s.Check(pipe); err != nil { // must not open it
		t.Error(err)
	}
	opened := make(chan error)
	go func() {
		_, err := s.Create(pipe) // blocks until it is read
		opened <- err
	}()
	other := filepath.Join(t.TempDir(), "out")
	create(t, &s, other, "text").Discard()
	s.Close()
	r, err := os.OpenFile(pipe, os.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := <-opened; err == nil {
		t.Error("the pipe was opened after the run")
	}
}

// Errors name the file that was asked for.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	var s files.Set
	for path, want := range map[string]string{
		dir:                               dir + " cannot be written: is a directory",
		filepath.Join(dir, "none", "out"): filepath.Join(dir, "none", "out") + " cannot be written: no such file or directory",
	} {
		if err := s.Check(path); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	out := filepath.Join(dir, "out")
	f := create(t, &s, out, "text")
	if err := os.MkdirAll(filepath.Join(out, "in"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err == nil || err.Error() != out+" cannot be replaced: file exists" {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// Paths are compared as the files that they lead to, also before these exist.
func TestSame(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a", "")
	write(t, "b", "")
	if err := os.Symlink("a", "link"); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"a", "./a", true}, {"a", "link", true}, {"a", "b", false}, {"new", "./new", true},
		{"new", "newer", false}, {"a", "new", false}, {"", "", false}, {"none/x", "./none/x", true},
		{"none/x", "other/x", false},
	} {
		if got := files.Same(test.a, test.b); got != test.want {
			t.Errorf("%q and %q: %t", test.a, test.b, got)
		}
	}
}

// The suffix decides how a file is compressed.
func TestCompressor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	for _, name := range []string{"a.gz", "a.zst", "a"} {
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		z, err := files.Compressor(name, f)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(z, "text")
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		f.Seek(0, io.SeekStart)
		var r io.Reader = f
		switch name {
		case "a.gz":
			r, err = gzip.NewReader(f)
		case "a.zst":
			r, err = zstd.NewReader(f)
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(r); err != nil || string(text) != "text" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
		f.Close()
	}
}
