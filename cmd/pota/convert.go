package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs/trace/native"
)

func (s *session) convertCommand() *cli.Command {
	return command(cli.Command{
		Name:      "convert",
		Usage:     "write any readable trace in the native format",
		ArgsUsage: "TRACE",
		Description: "   pota convert --from shiviz chord.log -o chord.jsonl\n" +
			"   pota convert ewd998.log --execution 2 | pota stats -",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "from", Usage: "`FORMAT` of the trace, as --input"},
			outputFlag(),
		}, inputFlags()...),
		Action: s.convert,
	})
}

func (s *session) convert(c *cli.Context) error {
	if err := arguments(c, 1, 1, "TRACE"); err != nil {
		return err
	}
	opts := readOptions(c, nil, true)
	if from := c.String("from"); from != "" {
		opts.Input = from
	}
	e, err := s.readOne(c, c.Args().First(), opts)
	if err != nil {
		return err
	}
	return s.output(c, func(w io.Writer) error { return native.Write(w, e.Computation, nil) })
}
