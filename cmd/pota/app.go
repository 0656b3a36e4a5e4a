package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// console is where a run of the program reads and writes.
type console struct {
	in       io.Reader
	out, err io.Writer
}

// status is how a run of the program ends.
type status int

const (
	allHold   status = 0
	someFails status = 1
	badInput  status = 2
	undecided status = 3
)

// worst returns the graver of two: bad input, undecided, fails, holds.
func worst(a, b status) status {
	gravity := [...]int{allHold: 0, someFails: 1, undecided: 2, badInput: 3}
	if gravity[a] >= gravity[b] {
		return a
	}
	return b
}

// A usageError is a mistake in the arguments.
type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// session is one run of the program.
type session struct {
	ctx    context.Context
	stdin  io.Reader
	out    *bufio.Writer
	err    io.Writer
	colour bool // results are for a person who sees colours
	person bool // results go to a terminal
	watch  bool // so does standard error, where progress is shown
	status status
}

// fail reports an error and makes the run end with the status it deserves.
func (s *session) fail(err error) {
	st := badInput
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		st = undecided
	}
	fmt.Fprintln(s.err, "pota: "+err.Error())
	s.status = worst(s.status, st)
}

// run executes the program and returns its exit status.
func run(ctx context.Context, args []string, c console) int {
	s := &session{ctx: ctx, stdin: c.in, out: bufio.NewWriter(c.out), err: c.err}
	s.person, s.watch = isTerminal(c.out), isTerminal(c.err)
	s.colour = s.person && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	app := s.app()
	if len(args) > 0 && args[len(args)-1] == "--generate-bash-completion" {
		args = completable(args)
	} else {
		args = flagsFirst(app, args)
	}
	err := s.known(app, args)
	if err == nil {
		err = app.RunContext(ctx, append([]string{"pota"}, args...))
	}
	if err != nil {
		s.fail(err)
		var usage *usageError
		if errors.As(err, &usage) {
			fmt.Fprintln(s.err, "pota: 'pota help' and 'pota COMMAND --help' tell more")
		}
	}
	if err := s.out.Flush(); err != nil {
		s.fail(fmt.Errorf("writing the results: %w", err))
	}
	return int(s.status)
}

func (s *session) app() *cli.App {
	cli.VersionPrinter = func(*cli.Context) { s.printVersion() }
	return &cli.App{
		Name:        "pota",
		Usage:       "decide CTL formulas over all consistent global states of a trace",
		Description: "Reads the trace of one execution of a distributed program and decides a\nbranching-time formula over every global state it could have passed through,\nnot only those of the interleaving that was seen.",
		Version:     version(),
		UsageText:   "pota COMMAND [flags] ARGUMENTS...\n\n   pota detect 'EF(2 <= x <= 4 && y != 2)' testdata/figure1.jsonl\n   pota slice  'EF(2 <= x <= 4 && y != 2)' testdata/figure1.jsonl | dot -Tsvg > slice.svg\n   pota stats  testdata/figure1.jsonl",
		Commands: []*cli.Command{
			s.detectCommand(), s.sliceCommand(), s.translateCommand(), s.crossCheckCommand(), s.classifyCommand(), s.lintCommand(), s.statsCommand(),
			s.convertCommand(), s.drawCommand(), s.simulateCommand(), s.formatsCommand(), s.versionCommand(), s.completionCommand(),
		},
		Writer:                    s.out,
		ErrWriter:                 s.err,
		Reader:                    s.stdin,
		EnableBashCompletion:      true,
		DisableSliceFlagSeparator: true,
		HideHelpCommand:           false,
		ExitErrHandler:            func(*cli.Context, error) {},
		OnUsageError:              usage,
		Action: func(c *cli.Context) error {
			return cli.ShowAppHelp(c)
		},
	}
}

// usage makes a mistake in flags one of usage.
func usage(_ *cli.Context, err error, _ bool) error {
	return usagef("%s", strings.TrimPrefix(err.Error(), "flag provided but not defined: "))
}

// command fills in what all commands share.
func command(c cli.Command) *cli.Command {
	c.HideHelpCommand = true
	c.OnUsageError = func(ctx *cli.Context, err error, sub bool) error {
		msg := err.Error()
		if flag, ok := strings.CutPrefix(msg, "flag provided but not defined: "); ok {
			return usagef("%s: there is no flag %s; did you mean %s?", c.Name, flag, cli.SuggestFlag(c.Flags, strings.TrimLeft(flag, "-"), false))
		}
		return usagef("%s: %s", c.Name, msg)
	}
	return &c
}

// known refuses a command that does not exist.
func (s *session) known(app *cli.App, args []string) error {
	i := slices.IndexFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") })
	if i < 0 || app.Command(args[i]) != nil || args[i] == "help" || args[i] == "h" {
		return nil
	}
	return usagef("there is no command %q. %s", args[i], cli.SuggestCommand(app.Commands, args[i]))
}

// flagsFirst moves the flags of a command before its arguments, because the
// library stops looking for flags at the first argument. What follows -- stays.
func flagsFirst(app *cli.App, args []string) []string {
	if len(args) == 0 {
		return args
	}
	cmd := app.Command(args[0])
	if cmd == nil {
		return args
	}
	takesValue := make(map[string]bool)
	for _, f := range cmd.Flags {
		_, isBool := f.(*cli.BoolFlag)
		for _, name := range f.Names() {
			takesValue[name] = !isBool
		}
	}
	var flags, rest []string
	for i := 1; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			rest = append(rest, args[i+1:]...)
			i = len(args)
		case len(a) < 2 || a[0] != '-':
			rest = append(rest, a)
		default:
			flags = append(flags, a)
			if takesValue[strings.TrimLeft(a, "-")] && i+1 < len(args) {
				i++
				flags = append(flags, args[i])
			}
		}
	}
	moved := append([]string{args[0]}, flags...)
	return append(append(moved, "--"), rest...)
}

// completable replaces a partial flag, at which the library's completion of a
// command's flags would panic.
func completable(args []string) []string {
	args = slices.Clone(args)
	if n := len(args); n > 2 && strings.HasPrefix(args[n-2], "-") {
		args[n-2] = "-"
	}
	return args
}
