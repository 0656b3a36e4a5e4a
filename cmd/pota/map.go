package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/guess"
	"github.com/pota-project/pota/graphs/trace/mapped"
)

func (s *session) mapCommand() *cli.Command {
	return s.command(1, 1, cli.Command{
		Name:      "map",
		Usage:     "write a mapping to start from, for a log of any shape",
		ArgsUsage: "[--guess LOG | NAME]",
		Description: "Prints a mapping that comes with pota (pota formats lists them), or guesses one.\n" +
			"Comments in it say why.\n\n" +
			"   pota map --guess run.log -o run.json\n" +
			"   pota map zookeeper",
		Flags:  slices.Concat([]cli.Flag{&cli.BoolFlag{Name: "guess", Usage: "guess the mapping of a log: a file, a directory, or - for standard input"}, outputFlag()}, limitFlags(0)),
		Action: s.mapping,
	})
}

func (s *session) mapping(c *cli.Context) error {
	if !c.Bool("guess") {
		text, err := mapped.Text(c.Args().First())
		if err != nil {
			return err
		}
		return s.outputText(c, text)
	}
	path := c.Args().First()
	if path != "-" {
		if name := format.Known(s.ctx, path); name != "" {
			fmt.Fprintf(s.err, "pota: %s can be read without a mapping of yours, as %s\n", path, name)
		}
	}
	source, err := trace.Open(path)
	if err != nil {
		return err
	}
	text, err := do(s, "reading "+source.Path, func(ctx context.Context) (string, error) { return guess.Mapping(ctx, source) })
	if err != nil {
		return err
	}
	return s.outputText(c, text)
}
