// Pota decides CTL formulas over all consistent global states that the execution
// of a distributed program, known by its trace, could have passed through.
//
// A command is a file here: its flags, and the function that turns them into the options of a
// package below internal, which does the work. Only this package knows the signals of the process
// and its exit status.
//
// One run passes these steps. Execute finds the command, perform parses its flags, begin checks the
// arguments and starts the budget, the command runs, and package supervise writes what is left and
// returns the status. Main alone ends the process, so that tests can call run.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/pota-project/pota/cmd/pota/internal/command"
	"github.com/pota-project/pota/cmd/pota/internal/complete"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/files"
	"github.com/pota-project/pota/cmd/pota/internal/supervise"
)

// main ends the process with the status of its run. Who sets GOGC knows better than the default
// below.
func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
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

// endings are the signals that end a run. A signal that the process was started to ignore, as
// nohup does, stays ignored.
func endings() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
	return slices.DeleteFunc(all, signal.Ignored)
}

// run executes the program and returns its exit status.
func run(ctx context.Context, args []string, std streams) int {
	s := newSession(ctx, std)
	// The scripts of shells ask in this way. No command runs then.
	if n := len(args); n > 0 && args[n-1] == complete.Flag {
		s.complete(args[:n-1])
		return int(supervise.End(s.run))
	}
	if err := s.execute(args); err != nil {
		s.run.Fail(err)
		// Only a mistake in the command line has its remedy in the help.
		if failure.Is[*exit.UsageError](err) {
			fmt.Fprintln(s.run.Console.Err, "pota: see 'pota help' and 'pota COMMAND --help'")
		}
	}
	return int(supervise.End(s.run))
}

// commands returns the commands in the order of the man page: those that decide come first, then
// those that prepare and explain.
func (s *session) commands() []*command.Command {
	return []*command.Command{
		s.detectCommand(),
		s.mergeCommand(),
		s.watchCommand(),
		s.checkCommand(),
		s.verifyCommand(),
		s.sliceCommand(),
		s.translateCommand(),
		s.crossCheckCommand(),
		s.classifyCommand(),
		s.lintCommand(),
		s.statsCommand(),
		s.convertCommand(),
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
	}
}
