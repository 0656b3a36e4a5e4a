package main

import (
	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/merge"
	"github.com/pota-project/pota/cmd/pota/internal/present"
)

func (s *session) mergeCommand() *cli.Command {
	flags := append(reportFlags(), outputFlag())
	return s.command(1, -1, cli.Command{
		Name:      "merge",
		Usage:     "join the results of shards",
		ArgsUsage: "RESULT...",
		Description: "Reads what detect --json has written and prints it as detect prints the whole. A result\n" +
			"that is there twice counts once, one that was decided counts more than an unknown one,\n" +
			"and results that contradict each other are refused. Exit status: as detect; 3 if a shard\n" +
			"is missing.\n\n" +
			"   pota detect --shard 0/2 --json -o 0.jsonl -f properties.txt 'runs/*.jsonl'\n" +
			"   pota detect --shard 1/2 --json -o 1.jsonl -f properties.txt 'runs/*.jsonl'\n" +
			"   pota merge [01].jsonl\n\n" +
			"Guide: pota help fleets.",
		Flags:  append(flags, limitFlags(0)...),
		Action: s.merge,
	})
}

func (s *session) merge(c *cli.Context) error {
	printed, err := reportOptions(c)
	if err != nil {
		return err
	}
	results, err := merge.Read(s.run, c.Args().Slice())
	if err != nil {
		return err
	}
	printed.Properties = results.Properties()
	return s.run.Results(c.String("output"), func(out *console.Console) error {
		p := present.New(s.run, out, printed)
		if err := results.Report(p); err != nil {
			return err
		}
		p.Close()
		results.Complete()
		return nil
	})
}
