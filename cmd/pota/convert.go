package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/guess"
	"github.com/pota-project/pota/graphs/trace/mapped"
	"github.com/pota-project/pota/graphs/trace/native"
)

func (s *session) convertCommand() *cli.Command {
	return s.command("convert", 1, 1, slices.Concat([]cli.Flag{
		text("from", "`FORMAT` of the trace, as --input"),
		outputFlag(),
	}, limitFlags(0), inputFlags()), s.convert)
}

func (s *session) convert(c *cli.Context) error {
	read := readOptions(c)
	if from := c.String("from"); from != "" {
		read.Format.Input = from
	}
	in, err := load.New(s.run, read, load.Want{Names: true})
	if err != nil {
		return err
	}
	e, err := in.ReadOne(s.run, c.Args().First())
	if err != nil {
		return err
	}
	return s.run.Output(c.String("output"), "writing", func(_ context.Context, w io.Writer) error {
		return native.Write(w, e.Computation, nil)
	})
}

func (s *session) formatsCommand() *cli.Command {
	return s.command("formats", 0, 0, nil, s.formats)
}

func (s *session) formats(*cli.Context) error {
	out := s.run.Console.Out
	fmt.Fprintln(out, "formats (--input):")
	for _, f := range format.Formats() {
		fmt.Fprintf(out, "  %-14s  %s\n", f.Name, f.Description)
	}
	fmt.Fprintln(out, "mappings of logs (--map, which takes files of your own, too; pota map prints them):")
	for _, m := range format.Mappings() {
		fmt.Fprintf(out, "  %-14s  %s\n                  e.g. %s\n", m.Name, m.Description, m.Example)
	}
	return nil
}

func (s *session) mapCommand() *cli.Command {
	return s.command("map", 1, 1, append([]cli.Flag{
		toggle("guess",
			"guess the mapping of a log: a file, a directory, or - for standard input"),
		outputFlag(),
	}, limitFlags(0)...), s.mapping)
}

func (s *session) mapping(c *cli.Context) error {
	name := c.Args().First()
	var text string
	var err error
	if c.Bool("guess") {
		text, err = guessMapping(s.run, name)
	} else {
		text, err = mapped.Text(name)
	}
	if err != nil {
		return err
	}
	return s.run.Output(c.String("output"), "writing", job.Text(text))
}

func guessMapping(r *job.Run, path string) (string, error) {
	if path != "-" {
		if name := format.Known(r.Context, path); name != "" {
			fmt.Fprintf(r.Console.Err, "pota: %s can be read without a mapping of yours, as %s\n", path, name)
		}
	}
	source, err := trace.Open(path)
	if err != nil {
		return "", err
	}
	return job.Do(r, "reading "+source.Path, func(ctx context.Context) (string, error) {
		return guess.Mapping(ctx, source)
	})
}
