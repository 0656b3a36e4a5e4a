package job

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/files"
)

// A File is an output file of a run.
type File struct {
	Path  string
	Write func(context.Context, io.Writer) error
}

// Text returns a function that writes a text.
func Text(text string) func(context.Context, io.Writer) error {
	return func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// IsFile reports whether the value of a flag such as -o names a file rather than standard output.
func IsFile(path string) bool { return path != "" && path != "-" }

// Output runs a step that writes to the file at path, or to standard output if path is empty or
// "-".
func (r *Run) Output(path, doing string, write func(context.Context, io.Writer) error) error {
	if !IsFile(path) {
		return r.writing(doing, r.Console.Out, write)
	}
	return r.WriteFiles(doing, File{path, write})
}

// WriteFiles writes files. Once all are written, they are committed, starting with the last; after
// an error in writing, none is. So the first file, which the user named, exists only if the others
// do.
func (r *Run) WriteFiles(doing string, all ...File) error {
	var written []*files.File
	defer func() {
		for _, f := range written {
			f.Discard()
		}
	}()
	for _, f := range all {
		to, err := r.Files.Create(f.Path)
		if err != nil {
			return err
		}
		written = append(written, to)
		if err := r.writing(doing, to, compressed(f)); err != nil {
			return err
		}
	}

	for i := len(written) - 1; i >= 0; i-- {
		if err := r.Context.Err(); err != nil {
			return err
		}
		if err := written[i].Commit(); err != nil {
			return err
		}
	}
	return nil
}

// compressed returns a function that writes a file, compressed according to the suffix of its name.
// The text passes through a console.Writer, because a terminal may show the file later.
func compressed(f File) func(context.Context, io.Writer) error {
	return func(ctx context.Context, w io.Writer) error {
		z, err := files.Compressor(f.Path, w)
		if err != nil {
			return err
		}
		plain := console.NewWriter(z)
		err = f.Write(ctx, plain)
		if err == nil {
			err = plain.Flush()
		}
		if closing := z.Close(); err == nil {
			err = closing
		}
		return err
	}
}

// Results calls print with the console for the results: that of the run, or a new one for the file
// at path. The file is committed after print returns. After an error or an interruption, the old
// file stays, because a partial report would look complete.
func (r *Run) Results(path string, print func(out *console.Console) error) error {
	if !IsFile(path) {
		return print(r.Console)
	}
	to, err := r.Files.Create(path)
	if err != nil {
		return err
	}
	defer to.Discard()
	z, err := files.Compressor(path, to)
	if err != nil {
		return err
	}

	plain := console.NewWriter(z)
	out := *r.Console
	out.Out = bufio.NewWriter(plain)
	out.Terminal = false
	out.Colours = false
	err = print(&out)
	r.Flush(&out)
	if err == nil && !r.Broken {
		err = errors.Join(plain.Flush(), z.Close(), r.Context.Err())
	}
	if err != nil || r.Broken {
		return err
	}
	return to.Commit()
}
