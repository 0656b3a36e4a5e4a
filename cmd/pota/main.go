// Pota decides CTL formulas over all consistent global states that the execution
// of a distributed program, known by its trace, could have passed through.
//
// A file has a command, or a few that one package does. Their flags are stored in the options of
// that package, which is below internal and does the work. Only this package knows the library of
// flags (urfave/cli), the signals of the process and its exit status.
//
// One run passes these steps. The words are put in order (flagsFirst), the library parses them,
// begin checks the arguments and starts the budget, the command runs, and package supervise
// writes what is left and returns the status. Main alone ends the process, so that tests can call run.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/complete"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/files"
	"github.com/pota-project/pota/cmd/pota/internal/supervise"
	"github.com/pota-project/pota/cmd/pota/internal/version"
)

// main ends the process with the status of its run. Who sets GOGC knows better than the default
// below.
func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	// A signal that the process was started to ignore, as nohup does, stays ignored.
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
	ctx, stop := signal.NotifyContext(context.Background(), slices.DeleteFunc(signals, signal.Ignored)...)
	defer stop()
	std := streams{
		in:    os.Stdin,
		out:   os.Stdout,
		err:   os.Stderr,
		files: new(files.Set),
	}
	os.Exit(int(supervise.Run(ctx, std.files, func(overrun chan<- error) int {
		std.overrun = overrun
		return run(ctx, os.Args[1:], std)
	})))
}

// garbagePercent lets the heap grow to three times its live size before garbage is looked for.
// The limit of memory brings that forward. Most of what a trace takes stays in use to
// the end: 10,000,000 events take 16 % less time so, and 6 % more memory.
const garbagePercent = 200

// run executes the program and returns its exit status.
func run(ctx context.Context, args []string, std streams) int {
	s := newSession(ctx, std)
	app := s.app()
	// The scripts of shells ask in this way. No command runs then.
	if n := len(args); n > 0 && args[n-1] == complete.Flag {
		return int(s.completeWords(app, args))
	}
	args = flagsFirst(app, args)
	// The library would print its help, and end with success, for a command that does not exist.
	err := known(app, args)
	if err == nil {
		err = app.RunContext(ctx, append([]string{"pota"}, args...))
	}
	if err != nil {
		s.run.Fail(err)
		// Only a mistake in the command line has its remedy in the help.
		if failure.Is[*exit.UsageError](err) {
			fmt.Fprintln(s.run.Console.Err, "pota: see 'pota help' and 'pota COMMAND --help'")
		}
	}
	return int(supervise.End(s.run))
}

// The library has a printer of the version and three flags that all applications of a process
// share. A version is printed to the writer of the application that is asked for it, and the flags
// keep nothing of a run.
func init() {
	cli.VersionPrinter = func(c *cli.Context) { version.Print(c.App.Writer) }
	for _, shared := range []*cli.Flag{&cli.HelpFlag, &cli.VersionFlag, &cli.BashCompletionFlag} {
		*shared = sharedFlag{(*shared).(*cli.BoolFlag)}
	}
}

// A sharedFlag is a flag that runs at the same time may have in common.
type sharedFlag struct{ *cli.BoolFlag }

// Apply adds the flag to a set. The library's own method notes in the flag that it did.
func (f sharedFlag) Apply(set *flag.FlagSet) error {
	own := *f.BoolFlag
	return own.Apply(set)
}

// app returns the application. The order of the commands is that of the help: those that decide
// come first, then those that prepare and explain.
func (s *session) app() *cli.App {
	c := s.run.Console
	return &cli.App{
		Name:  "pota",
		Usage: "decide CTL formulas over all consistent global states of a trace",
		Description: "Reads the trace of one execution of a distributed program and decides a\n" +
			"branching-time formula over every global state it could have passed through,\n" +
			"not only those of the interleaving that was seen.",
		Version:   version.Name(),
		UsageText: "pota COMMAND [flags] ARGUMENTS...",
		Commands: []*cli.Command{
			s.detectCommand(),
			s.mergeCommand(),
			s.watchCommand(),
			s.checkCommand(),
			s.conformCommand(),
			s.verifyCommand(),
			s.sliceCommand(),
			s.translateCommand(),
			s.crossCheckCommand(),
			s.classifyCommand(),
			s.fixCommand(),
			s.lintCommand(),
			s.statsCommand(),
			s.convertCommand(),
			s.inferCommand(),
			s.initCommand(),
			s.mapCommand(),
			s.drawCommand(),
			s.serveCommand(),
			s.simulateCommand(),
			s.demoCommand(),
			s.formatsCommand(),
			s.versionCommand(),
			s.completionCommand(),
			s.helpCommand(),
		},
		Writer:               c.Out,
		ErrWriter:            c.Err,
		Reader:               c.In,
		Flags:                []cli.Flag{cli.HelpFlag},
		EnableBashCompletion: true,
		// Formulas and regular expressions contain commas.
		DisableSliceFlagSeparator: true,
		// Errors are returned to run: the library would end the process.
		ExitErrHandler: func(*cli.Context, error) {},
		// Flags before the command end here. Those after it are explained by the command.
		OnUsageError: func(_ *cli.Context, err error, _ bool) error {
			return exit.Usagef("%s", flagMistake(err, nil))
		},
		// pota without a command prints the help.
		Action: cli.ShowAppHelp,
	}
}
