package main

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/urfave/cli/v2"
)

// A file that a command writes is whole or untouched: its new content is written beside
// it, to a file whose name begins with a dot, which takes its place once everything has been
// written. What cannot be replaced, such as a device, a pipe or an open file by its number,
// is written as it is.

func outputFlag() cli.Flag {
	return &cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE` instead of standard output; until all is written, FILE stays as it was"}
}

// toFile reports whether -o names a file.
func toFile(c *cli.Context) bool { return c.String("output") != "" && c.String("output") != "-" }

// targets are the flags that name files to be written.
var targets = []string{"output", "certificate", "trace"}

// checkTargets refuses files to be written that are read, as an input or for another flag, that two flags name, or that
// cannot be written.
func checkTargets(c *cli.Context, inputs []string) error {
	for _, flag := range []string{"properties", "map", "order", "traces-from"} {
		inputs = append(inputs, c.String(flag))
	}
	for i, flag := range targets {
		path := c.String(flag)
		switch {
		case path == "" || flag == "output" && path == "-":
			continue
		case path == "-":
			return usagef("--%s needs the name of a file: standard output has the verdicts", flag)
		}
		info, err := os.Stat(path)
		if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			continue // a device or a pipe: who reads it would see it opened
		}
		for _, other := range targets[:i] {
			if sameFile(path, c.String(other)) {
				return usagef("--%s and --%s name the same file, %s: each needs its own", other, flag, path)
			}
		}
		for _, input := range inputs {
			if err == nil && (sameFile(path, input) || sameFile(filepath.Dir(path), input)) {
				return usagef("--%s %s would overwrite what is read: name another file", flag, path)
			}
		}
		r, err := create(path)
		if err != nil {
			return outputError(path, err)
		}
		r.Cleanup() //nolint:errcheck // it is made again when there is something to write
		pending.forget(r.Name())
	}
	return nil
}

// sameFile reports whether two paths, neither of which needs to exist, are those of one file.
func sameFile(a, b string) bool {
	x, bad := os.Stat(a)
	y, worse := os.Stat(b)
	if bad == nil && worse == nil {
		return os.SameFile(x, y)
	}
	return a != "" && b != "" && bad != nil && worse != nil && filepath.Base(a) == filepath.Base(b) && sameFile(filepath.Dir(a), filepath.Dir(b))
}

// output runs a step that writes to the file that -o names, or to standard output.
func (s *session) output(c *cli.Context, doing string, write func(context.Context, io.Writer) error) error {
	if !toFile(c) {
		return s.writing(doing, s.out, write)
	}
	return s.writeFiles(doing, file{c.String("output"), write})
}

func (s *session) outputText(c *cli.Context, text string) error {
	return s.output(c, "writing", textOf(text))
}

// A file is one to be written.
type file struct {
	path  string
	write func(context.Context, io.Writer) error
}

// textOf returns what writes a text.
func textOf(text string) func(context.Context, io.Writer) error {
	return func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// writeFiles writes files. They take their places, the last one first, when all of them
// have been written; after an error of writing, none does.
func (s *session) writeFiles(doing string, files ...file) (err error) {
	var written []replacement
	defer func() {
		for _, r := range written {
			r.Cleanup() //nolint:errcheck // does nothing where the file has its place; otherwise there is an error already
			pending.forget(r.Name())
		}
	}()
	for _, f := range files {
		r, err := create(f.path)
		if err != nil {
			return outputError(f.path, err)
		}
		written = append(written, r)
		if err := s.writing(doing, r, compressed(f)); err != nil {
			return err
		}
	}
	for i := len(written) - 1; i >= 0; i-- {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if err := written[i].CloseAtomicallyReplace(); err != nil {
			return outputError(files[i].path, err)
		}
	}
	return nil
}

// outputError says of a file, rather than of the one beside it, why it cannot be written.
func outputError(path string, err error) error {
	var why *fs.PathError
	var renaming *os.LinkError
	switch {
	case errors.As(err, &renaming):
		return fmt.Errorf("%s cannot be replaced: %w", path, renaming.Err)
	case errors.As(err, &why) && filepath.Base(why.Path) != filepath.Base(path) && errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s cannot be written, because its directory lets no file be made: %w", path, why.Err)
	case errors.As(err, &why):
		return fmt.Errorf("%s cannot be written: %w", path, why.Err)
	}
	return err
}

// A replacement is the new content of a file.
type replacement interface {
	io.Writer
	Name() string                  // of the file beside it, "" if there is none
	CloseAtomicallyReplace() error // ends writing
	Cleanup() error                // removes what has not taken its place
}

// asItIs is a file that is not replaced.
type asItIs struct{ *os.File }

func (f asItIs) Name() string                  { return "" }
func (f asItIs) CloseAtomicallyReplace() error { return f.Close() }
func (f asItIs) Cleanup() error                { return f.Close() }

// create begins to write the file at path. One that exists must be one that could be
// written to.
func create(path string) (replacement, error) {
	path, open := resolved(path)
	info, err := os.Stat(path)
	if err == nil || open {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return nil, err
		}
		if open || !info.Mode().IsRegular() {
			return asItIs{f}, nil
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
	return pending.begin(path, info)
}

// resolved follows symbolic links, the last of which may lead to a file that does not
// exist. It stops at the number of a file that is open.
func resolved(path string) (at string, open bool) {
	const most = 40 // as many as Linux follows
	for range most {
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

// pending has the names of files that are not to stay if the program ends now.
var pending names

type names struct {
	mutex sync.Mutex
	all   map[string]bool
	tell  func(name string) // tells a supervisor, nil for none
}

// begin begins a new file for path, as beside does, and notes its name. There is no time
// between the two at which remove would miss it.
func (n *names) begin(path string, info fs.FileInfo) (replacement, error) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	r, err := beside(path, info)
	if err != nil {
		return nil, err
	}
	if n.all == nil {
		n.all = make(map[string]bool)
	}
	n.all[r.Name()] = true
	if n.tell != nil {
		n.tell(r.Name())
	}
	return r, nil
}

func (n *names) forget(name string) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	delete(n.all, name)
}

// remove removes the files, and keeps others from being made.
func (n *names) remove() {
	n.mutex.Lock() // for good
	for name := range n.all {
		os.Remove(name) //nolint:errcheck // the program ends, and nobody can do more
	}
}

// compressed compresses as the suffix of a file's name asks for.
func compressed(f file) func(context.Context, io.Writer) error {
	return func(ctx context.Context, w io.Writer) error {
		z, err := compressor(f.path, w)
		if err != nil {
			return err
		}
		err = plainly(ctx, z, f.write)
		if closing := z.Close(); err == nil {
			err = closing
		}
		return err
	}
}

// compressor compresses as the suffix of a file's name asks for.
func compressor(path string, w io.Writer) (io.WriteCloser, error) {
	switch {
	case strings.HasSuffix(path, ".gz"):
		return gzip.NewWriter(w), nil
	case strings.HasSuffix(path, ".zst"):
		return zstd.NewWriter(w)
	}
	return unclosed{w}, nil
}

// unclosed is a writer that has nothing to close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

func plainly(ctx context.Context, w io.Writer, write func(context.Context, io.Writer) error) error {
	p := &plain{w: w}
	if err := write(ctx, p); err != nil {
		return err
	}
	return p.Flush()
}
