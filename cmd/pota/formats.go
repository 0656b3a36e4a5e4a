package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs/trace/format"
)

func (s *session) formatsCommand() *cli.Command {
	return command(cli.Command{
		Name:  "formats",
		Usage: "list the formats of traces that can be read",
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0, 0, ""); err != nil {
				return err
			}
			fmt.Fprintln(s.out, "formats (--input):")
			for _, f := range format.Formats() {
				fmt.Fprintf(s.out, "  %-9s  %s\n", f.Name, f.Description)
			}
			fmt.Fprintln(s.out, "mappings of JSON-lines logs (--map, which takes files of your own, too):")
			for _, m := range format.Mappings() {
				fmt.Fprintf(s.out, "  %-9s  %s\n             e.g. %s\n", m.Name, m.Description, m.Example)
			}
			return nil
		},
	})
}
