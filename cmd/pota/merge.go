package main

import (
	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/merge"
	"github.com/pota-project/pota/cmd/pota/internal/present"
)

// mergeCommand merges the results of several runs, such as shards on several machines.
func (s *session) mergeCommand() *cli.Command {
	var printed present.Options
	flags := append(reportFlags(&printed), text("output, o", &printed.Output))
	return s.command("merge", 1, -1, append(flags, s.limitFlags(0)...), func(c *cli.Context) error {
		if err := printed.Choose(c.IsSet("format")); err != nil {
			return err
		}
		// Results are read twice, since reports list the properties before the verdicts on them.
		results, err := merge.Read(s.run, c.Args().Slice())
		if err != nil {
			return err
		}
		printed.Properties = results.Properties()
		return s.run.Results(printed.Output, func(out *console.Console) error {
			p := present.New(s.run, out, printed)
			if err := results.Report(p); err != nil {
				return err
			}
			p.Close()
			// Report missing shards last, so that they are not overlooked.
			results.Complete()
			return nil
		})
	})
}
