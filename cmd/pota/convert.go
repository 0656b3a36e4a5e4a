package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/export"
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
	return export.Convert(s.run, c.Args().First(), read, c.String("output"))
}

func (s *session) formatsCommand() *cli.Command {
	return s.command("formats", 0, 0, nil, s.formats)
}

func (s *session) formats(*cli.Context) error {
	export.Formats(s.run.Console.Out)
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
	return export.Mapping(s.run, c.Args().First(), c.Bool("guess"), c.String("output"))
}
