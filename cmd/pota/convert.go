package main

import (
	"cmp"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/export"
	"github.com/pota-project/pota/cmd/pota/internal/load"
)

// convertCommand writes the native format, the quickest to read. It takes --from for --input, as
// users of converters expect both --from and --to.
func (s *session) convertCommand() *cli.Command {
	var read load.Options
	var from, output string
	var binding []string
	return s.command("convert", 1, 2, slices.Concat([]cli.Flag{
		text("from", &from),
		texts("binding", &binding),
		text("output, o", &output),
	}, limitFlags(0), inputFlags(&read)), func(c *cli.Context) error {
		read.Format.Input = cmp.Or(from, read.Format.Input)
		only, err := load.Choices(binding)
		if err != nil {
			return err
		}
		return export.Convert(s.run, c.Args().First(), read, second(c), only, output)
	})
}

// formatsCommand lists the values of --input and --map.
func (s *session) formatsCommand() *cli.Command {
	return s.command("formats", 0, 0, nil, func(*cli.Context) error {
		export.Formats(s.run.Console.Out)
		return nil
	})
}

// mapCommand prints a mapping to start one of your own from.
func (s *session) mapCommand() *cli.Command {
	var guess bool
	var output string
	return s.command("map", 1, 1, append([]cli.Flag{
		toggle("guess", &guess),
		text("output, o", &output),
	}, limitFlags(0)...), func(c *cli.Context) error {
		return export.Mapping(s.run, c.Args().First(), guess, output)
	})
}
