package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/export"
	"github.com/pota-project/pota/cmd/pota/internal/load"
)

// convertCommand writes the native format, the quickest to read.
func (s *session) convertCommand() *cli.Command {
	return s.command("convert", 1, 2, slices.Concat([]cli.Flag{
		text("from"),
		bindingFlag(), outputFlag(),
	}, limitFlags(0), inputFlags()), s.convert)
}

// convert takes --from for --input, as users of converters expect both --from and --to.
func (s *session) convert(c *cli.Context) error {
	read := readOptions(c)
	if from := c.String("from"); from != "" {
		read.Format.Input = from
	}
	only, err := load.Choices(c.StringSlice("binding"))
	if err != nil {
		return err
	}
	return export.Convert(s.run, c.Args().First(), read, second(c), only, c.String("output"))
}

// formatsCommand lists the values of --input and --map.
func (s *session) formatsCommand() *cli.Command {
	return s.command("formats", 0, 0, nil, s.formats)
}

// formats prints the list.
func (s *session) formats(*cli.Context) error {
	export.Formats(s.run.Console.Out)
	return nil
}

// mapCommand prints a mapping to start one of your own from.
func (s *session) mapCommand() *cli.Command {
	return s.command("map", 1, 1, append([]cli.Flag{
		toggle("guess"),
		outputFlag(),
	}, limitFlags(0)...), s.mapping)
}

// mapping hands the flags to package export.
func (s *session) mapping(c *cli.Context) error {
	return export.Mapping(s.run, c.Args().First(), c.Bool("guess"), c.String("output"))
}
