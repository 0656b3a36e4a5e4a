package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/files"
)

func outputFlag() cli.Flag {
	return &cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE` instead of standard output; until all is written, FILE stays as it was"}
}

// toFile reports whether -o names a file.
func toFile(c *cli.Context) bool { return c.String("output") != "" && c.String("output") != "-" }

// targets are the flags that name files to be written.
var targets = []string{"output", "certificate", "trace"}

// checkTargets refuses files to be written that are read, as an input or for another flag, that two flags name, or that
// cannot be written.
func (s *session) checkTargets(c *cli.Context, inputs []string) error {
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
			if files.Same(path, c.String(other)) {
				return usagef("--%s and --%s name the same file, %s: each needs its own", other, flag, path)
			}
		}
		for _, input := range inputs {
			if err == nil && (files.Same(path, input) || files.Same(filepath.Dir(path), input)) {
				return usagef("--%s %s would overwrite what is read: name another file", flag, path)
			}
		}
		if err := s.files.Check(path); err != nil {
			return err
		}
	}
	return nil
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
func (s *session) writeFiles(doing string, targets ...file) error {
	written := make([]*files.File, len(targets))
	for i, target := range targets {
		f, err := s.files.Create(target.path)
		if err != nil {
			return err
		}
		defer f.Discard()
		written[i] = f
		if err := s.writing(doing, f, compressed(target)); err != nil {
			return err
		}
	}
	for _, f := range slices.Backward(written) {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if err := f.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// compressed compresses as the suffix of a file's name asks for.
func compressed(f file) func(context.Context, io.Writer) error {
	return func(ctx context.Context, w io.Writer) error {
		z, err := files.Compressor(f.path, w)
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

func plainly(ctx context.Context, w io.Writer, write func(context.Context, io.Writer) error) error {
	p := console.NewWriter(w)
	if err := write(ctx, p); err != nil {
		return err
	}
	return p.Flush()
}
