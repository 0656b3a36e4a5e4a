// Package files writes output files atomically: a file is either complete or unchanged. The new
// content is written to a file in the same directory whose name begins with a dot, and replaces the
// old file on commit. A file that cannot be replaced, such as a device, a pipe or a path of an open
// file descriptor, is written in place.
package files

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// A Set holds the files that one run writes, so that no temporary files remain if the run fails.
// The zero value is empty and ready for use. Its methods are safe for concurrent use.
type Set struct {
	mutex   sync.Mutex
	pending map[*File]bool
	closed  bool
}

// errClosed is the error for a file that is created or committed after Close.
var errClosed = errors.New("the run has ended")

// A File is the new content of a file before it is committed.
type File struct {
	pending
	set  *Set
	path string
}

// pending is the interface of renameio's pending files.
type pending interface {
	io.Writer
	CloseAtomicallyReplace() error
	Cleanup() error // does nothing after CloseAtomicallyReplace
}

// inPlace is a file that is written in place.
type inPlace struct{ *os.File }

func (f inPlace) CloseAtomicallyReplace() error { return f.Close() }
func (f inPlace) Cleanup() error                { return f.Close() }

// Create starts new content for the file at path. If the file exists, the process must have
// permission to write to it. The error explains why path is refused.
func (s *Set) Create(path string) (*File, error) {
	at, info, inPlace, err := examine(path)
	if err != nil {
		return nil, describe(path, err)
	}

	s.mutex.Lock() // also held while the file is created, so that Close does not miss it
	defer s.mutex.Unlock()
	p := pending(inPlace)
	switch {
	case s.closed && inPlace.File != nil:
		_ = inPlace.Close() // nothing was written
		return nil, errClosed
	case s.closed:
		return nil, errClosed
	case inPlace.File == nil:
		if p, err = replace(at, info); err != nil {
			return nil, describe(path, err)
		}
	}
	f := &File{pending: p, set: s, path: path}
	if s.pending == nil {
		s.pending = make(map[*File]bool)
	}
	s.pending[f] = true
	return f, nil
}

// Check returns the error that Create would return, and leaves no file behind. It does not check
// devices and pipes, since opening one has effects on the other end.
func (s *Set) Check(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil
	}
	f, err := s.Create(path)
	if err != nil {
		return err
	}
	f.Discard()
	return nil
}

// Commit replaces the file with its new content, durably.
func (f *File) Commit() error {
	f.set.mutex.Lock()
	defer f.set.mutex.Unlock()
	if !f.set.pending[f] {
		return errClosed
	}
	delete(f.set.pending, f)
	err := f.CloseAtomicallyReplace()
	if err != nil {
		_ = f.Cleanup() // return the first error
	}
	return describe(f.path, err)
}

// Discard removes the new content. After Commit it does nothing.
func (f *File) Discard() {
	f.set.mutex.Lock()
	defer f.set.mutex.Unlock()
	f.set.discard(f)
}

// Close discards all uncommitted files. After that, no file can be created.
func (s *Set) Close() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.closed = true
	for f := range s.pending {
		s.discard(f)
	}
}

func (s *Set) discard(f *File) {
	if s.pending[f] {
		delete(s.pending, f)
		_ = f.Cleanup() // a leftover is harmless, since its name begins with a dot
	}
}

// examine checks that the file at path, after following symbolic links, is writable. It opens a
// file that cannot be replaced, such as a device. Opening a pipe may block forever.
func examine(path string) (at string, info fs.FileInfo, f inPlace, err error) {
	at, open := resolve(path)
	info, err = os.Stat(at)
	if err != nil && !open {
		return at, nil, f, nil // the file does not exist yet
	}
	f.File, err = os.OpenFile(at, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil || open || !info.Mode().IsRegular() {
		return at, info, f, err
	}
	err = f.Close()
	return at, info, inPlace{}, err
}

// maxLinks is how many symbolic links Linux follows.
const maxLinks = 40

// resolve follows symbolic links. The last link may lead to a file that does not exist. It stops at
// a path of an open file descriptor, and reports that.
func resolve(path string) (at string, open bool) {
	for range maxLinks {
		if strings.HasPrefix(path, "/proc/") || strings.HasPrefix(path, "/dev/fd/") {
			return path, true
		}
		link, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(link) {
			link = filepath.Dir(path) + string(filepath.Separator) + link
		}
		path = link
	}
	return path, false
}

// describe explains why the file at path cannot be written. It names path rather than the temporary
// file.
func describe(path string, err error) error {
	var opening *fs.PathError
	var renaming *os.LinkError
	switch {
	case errors.As(err, &renaming):
		return fmt.Errorf("%s cannot be replaced: %w", path, renaming.Err)
	case !errors.As(err, &opening):
		return err
	case filepath.Base(opening.Path) != filepath.Base(path) && errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s cannot be written, because its directory lets no file be made: %w",
			path, opening.Err)
	}
	return fmt.Errorf("%s cannot be written: %w", path, opening.Err)
}

// Same reports whether two paths name the same file. The file need not exist.
func Same(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	switch {
	case a == "" || b == "" || (errA == nil) != (errB == nil):
		return false
	case errA == nil:
		return os.SameFile(x, y)
	}
	return filepath.Base(a) == filepath.Base(b) && Same(filepath.Dir(a), filepath.Dir(b))
}

// Compressor returns a writer to w that compresses if the file name ends in .gz or .zst. Its Close
// ends the compression, but does not close w.
func Compressor(name string, w io.Writer) (io.WriteCloser, error) {
	switch filepath.Ext(name) {
	case ".gz":
		return gzip.NewWriter(w), nil
	case ".zst":
		return zstd.NewWriter(w)
	}
	return unclosed{w}, nil
}

// unclosed is a writer whose Close does nothing.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
