package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/verify"
)

func (s *session) verifyCommand() *cli.Command {
	return s.command(2, -1, cli.Command{
		Name:      "verify",
		Usage:     "check the certificates that detect --certificate has written",
		ArgsUsage: "CERTIFICATE TRACE...",
		Description: "Prints for each verdict whether it is certified (its proof has been checked by code\n" +
			"that the engines do not share), recomputed (it has no proof, and another engine decides\n" +
			"the same), unknown (none does within the limits) or rejected. Exit status: 0 all certified,\n" +
			"1 some rejected, 2 bad usage or input, 3 none rejected, some only recomputed or unknown.\n\n" +
			"   pota detect --certificate mutex.cert 'AG(!(cs@P1 && cs@P2))' run.jsonl\n" +
			"   pota verify mutex.cert run.jsonl\n\n" +
			"Guide: pota help certificates.",
		Flags: slices.Concat([]cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print a JSON object a line for each certificate"},
			&cli.BoolFlag{Name: "explain", Usage: "print the argument, a line for each rule that was used"},
		}, limitFlags(0), inputFlags()),
		Action: s.verify,
	})
}

func (s *session) verify(c *cli.Context) error {
	read := readOptions(c)
	return verify.Certificates(s.run, verify.Options{
		File:    c.Args().First(),
		Traces:  c.Args().Tail(),
		Read:    read,
		JSON:    c.Bool("json"),
		Explain: c.Bool("explain"),
		Bounded: c.IsSet("timeout") || c.IsSet("max-memory"),
	})
}
