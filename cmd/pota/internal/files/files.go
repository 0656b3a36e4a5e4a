// Package files writes output files that are whole or untouched. The new content of a file is
// written beside it, under a name that begins with a dot, and takes the file's place when it is
// committed. What cannot be replaced, such as a device, a pipe or an open file by its number,
// is written in place.
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

// A Set holds the files that one run writes, so that none is left behind if the run does not
// end well. The zero value is empty and ready for use. Its methods may be called at a time.
type Set struct {
	mutex   sync.Mutex
	pending map[*File]bool
	closed  bool
}

// errClosed is the error of a file that is begun or committed after Close.
var errClosed = errors.New("the run has ended")

// A File is the new content of a file that has not taken its place yet.
type File struct {
	pending
	set  *Set
	path string
}

// pending is how renameio writes a file.
type pending interface {
	io.Writer
	CloseAtomicallyReplace() error
	Cleanup() error // after CloseAtomicallyReplace it does nothing
}

// inPlace is a file that is not replaced.
type inPlace struct{ *os.File }

func (f inPlace) CloseAtomicallyReplace() error { return f.Close() }
func (f inPlace) Cleanup() error                { return f.Close() }

// Create begins the new content of the file at path. A file that exists must be one that the
// process could write to. The error explains why path is refused.
func (s *Set) Create(path string) (*File, error) {
	at, info, inPlace, err := examine(path)
	if err != nil {
		return nil, describe(path, err)
	}

	s.mutex.Lock() // also while the file is made: Close must not miss it
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

// Check returns the error that Create would return, and leaves no file. It does not look at
// devices and pipes: to open one has effects on the other end.
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

// Commit puts the file in its place, on the disk, too.
func (f *File) Commit() error {
	f.set.mutex.Lock()
	defer f.set.mutex.Unlock()
	if !f.set.pending[f] {
		return errClosed
	}
	delete(f.set.pending, f)
	err := f.CloseAtomicallyReplace()
	if err != nil {
		_ = f.Cleanup() // the first error counts
	}
	return describe(f.path, err)
}

// Discard removes the new content; after Commit it does nothing.
func (f *File) Discard() {
	f.set.mutex.Lock()
	defer f.set.mutex.Unlock()
	f.set.discard(f)
}

// Close discards all files that were not committed, and lets no others be made.
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
		_ = f.Cleanup() // it is of no use, and its name begins with a dot
	}
}

// examine checks that the file at path, or at the end of its symbolic links, is writable. It opens
// a file that cannot be replaced, such as a device. Opening a pipe may block for good.
func examine(path string) (at string, info fs.FileInfo, f inPlace, err error) {
	at, open := resolve(path)
	info, err = os.Stat(at)
	if err != nil && !open {
		return at, nil, f, nil // there is none yet
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
// a path that names an open file by its number, and reports that.
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

// describe says of the file at path, rather than of the one beside it, why it cannot be
// written.
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

// Same reports whether two paths name one file. It need not exist.
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

// Compressor compresses all output to w if the name of the file asks for it: .gz and
// .zst. Close ends the compression, but does not close w.
func Compressor(name string, w io.Writer) (io.WriteCloser, error) {
	switch filepath.Ext(name) {
	case ".gz":
		return gzip.NewWriter(w), nil
	case ".zst":
		return zstd.NewWriter(w)
	}
	return unclosed{w}, nil
}

// unclosed is a writer that has nothing to close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
