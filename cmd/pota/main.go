// Pota decides CTL formulas over all consistent global states through which the recorded execution
// of a distributed program could have passed.
//
// Each file defines a command, or a few commands that share a package. Flags are stored in the
// options of that package, which is below internal and does the work. Only this package uses the
// library for flags (urfave/cli), handles the signals of the process and sets its exit status.
//
// A run has these steps: flagsFirst reorders the words, the library parses them, begin checks the
// arguments and starts the budget, the command runs, and package supervise writes the remaining
// output and returns the status. Only main ends the process, so that tests can call run.
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

// main ends the process with the status of its run. A GOGC from the environment overrides the
// default below.
func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	// A signal that is ignored at the start, as under nohup, stays ignored.
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

// garbagePercent lets the heap grow to three times its live size before a collection. The memory
// limit makes collections more frequent. Most of the memory of a trace stays in use to the end: for
// 10,000,000 events, this setting saves 16 % of the time and costs 6 % more memory.
const garbagePercent = 200

// run executes the program and returns its exit status.
func run(ctx context.Context, args []string, std streams) int {
	s := newSession(ctx, std)
	app := s.app()
	// Shell scripts request completion in this way. No command runs then.
	if n := len(args); n > 0 && args[n-1] == complete.Flag {
		return int(s.completeWords(app, args))
	}
	args = flagsFirst(app, args)
	// For a command that does not exist, the library would print its help and report success.
	err := known(app, args)
	if err == nil {
		err = app.RunContext(ctx, append([]string{"pota"}, args...))
	}
	if err != nil {
		s.run.Fail(err)
		// The help is of use only for a mistake in the command line.
		if failure.Is[*exit.UsageError](err) {
			fmt.Fprintln(s.run.Console.Err, "pota: see 'pota help' and 'pota COMMAND --help'")
		}
	}
	return int(supervise.End(s.run))
}

// All applications of a process share the library's version printer and three flags. The version is
// printed to the writer of the application that is asked for it, and the flags keep no state of a
// run.
func init() {
	cli.VersionPrinter = func(c *cli.Context) { version.Print(c.App.Writer) }
	for _, shared := range []*cli.Flag{&cli.HelpFlag, &cli.VersionFlag, &cli.BashCompletionFlag} {
		*shared = sharedFlag{(*shared).(*cli.BoolFlag)}
	}
}

// A sharedFlag is a flag that concurrent runs can share.
type sharedFlag struct{ *cli.BoolFlag }

// Apply adds the flag to a set. The library's own method would change the flag.
func (f sharedFlag) Apply(set *flag.FlagSet) error {
	own := *f.BoolFlag
	return own.Apply(set)
}

// app returns the application. The commands are in the order of the help: those that decide come
// first, then those that prepare and explain.
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
		// Return errors to run. By default, the library would end the process.
		ExitErrHandler: func(*cli.Context, error) {},
		// This handles errors in flags before the command. The command explains those after it.
		OnUsageError: func(_ *cli.Context, err error, _ bool) error {
			return exit.Usagef("%s", flagMistake(err, nil))
		},
		// pota without a command prints the help.
		Action: cli.ShowAppHelp,
	}
}
