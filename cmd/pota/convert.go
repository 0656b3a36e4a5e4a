package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/native"
)

func (s *session) convertCommand() *cli.Command {
	return s.command(1, 1, cli.Command{
		Name:      "convert",
		Usage:     "write any readable trace in the native format",
		ArgsUsage: "TRACE",
		Description: "   pota convert --from shiviz chord.log -o chord.jsonl\n" +
			"   pota convert ewd998.log --execution 2 | pota stats -",
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "from", Usage: "`FORMAT` of the trace, as --input"},
			outputFlag(),
		}, limitFlags(0), inputFlags()),
		Action: s.convert,
	})
}

func (s *session) convert(c *cli.Context) error {
	in, err := s.inputOf(c, nil, true)
	if err != nil {
		return err
	}
	if from := c.String("from"); from != "" {
		in.options.Input = from
	}
	e, err := s.readOne(in, c.Args().First())
	if err != nil {
		return err
	}
	return s.output(c, "writing", func(_ context.Context, w io.Writer) error { return native.Write(w, e.Computation, nil) })
}

func (s *session) formatsCommand() *cli.Command {
	return s.command(0, 0, cli.Command{
		Name:  "formats",
		Usage: "list the formats of traces that can be read",
		Action: func(*cli.Context) error {
			fmt.Fprintln(s.out, "formats (--input):")
			for _, f := range format.Formats() {
				fmt.Fprintf(s.out, "  %-14s  %s\n", f.Name, f.Description)
			}
			fmt.Fprintln(s.out, "mappings of logs (--map, which takes files of your own, too; pota map prints them):")
			for _, m := range format.Mappings() {
				fmt.Fprintf(s.out, "  %-14s  %s\n                  e.g. %s\n", m.Name, m.Description, m.Example)
			}
			return nil
		},
	})
}
