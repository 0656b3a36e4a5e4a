// Pota decides CTL formulas over all consistent global states that the execution
// of a distributed program, known by its trace, could have passed through.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/budget"
	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/files"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/translate/spin"
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	os.Exit(int(supervise(ctx)))
}

// garbagePercent lets the heap grow to three times what is in use before garbage is looked
// for, which the limit of memory brings forward. Most of what a trace takes stays in use to
// the end: 10,000,000 events take 16 % less time so, and 6 % more memory.
const garbagePercent = 200

// endings are the signals that end a run. A signal that the process was started to ignore, as
// nohup does, stays ignored.
func endings() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
	return slices.DeleteFunc(all, signal.Ignored)
}

const (
	grace       = 2 * time.Second // for a run that is interrupted to end by itself
	killTimeout = 5 * time.Second // for SPIN, which has been killed, to be gone
)

// supervise runs the command and returns its exit status. A run that is blocked, by an output
// that nobody reads or by a step that heeds no limit, is given up: it is left where it is, and
// its unfinished files are removed.
func supervise(ctx context.Context) exit.Status {
	std := streams{
		in:      os.Stdin,
		out:     os.Stdout,
		err:     os.Stderr,
		files:   new(files.Set),
		overrun: make(chan error, 1),
	}
	ended := make(chan int, 1)
	go func() { ended <- run(ctx, os.Args[1:], std) }()
	stopAfter := context.AfterFunc(ctx, func() {
		time.AfterFunc(grace, func() { std.overrun <- errInterrupted })
	})
	defer stopAfter()

	select {
	case status := <-ended:
		return exit.Status(status)
	case why := <-std.overrun:
		std.files.Close()
		spin.Tidy(killTimeout)
		warn(why)
		return exit.Undecided
	}
}

var errInterrupted = errors.New("interrupted")

// warn prints an error on standard error, unless nobody reads that, either.
func warn(why error) {
	written := make(chan struct{})
	go func() {
		defer close(written)
		fmt.Fprintln(console.NewWriter(os.Stderr), "pota: "+why.Error())
	}()
	select {
	case <-written:
	case <-time.After(grace):
	}
}

// streams are what a run of the program reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer

	files   *files.Set // that it writes, nil for a set of its own
	overrun chan error // gets the limit that the run does not heed, unless nil
}

// run executes the program and returns its exit status.
func run(ctx context.Context, args []string, std streams) int {
	s := newSession(ctx, std)
	app := s.app()
	if len(args) > 0 && args[0] == completeWord {
		s.complete(app, args[1:])
		s.flush()
		return int(s.status)
	}
	args = flagsFirst(app, args)
	err := known(app, args)
	if err == nil {
		err = app.RunContext(ctx, append([]string{"pota"}, args...))
	}
	if err != nil {
		s.fail(err)
		if is[*usageError](err) {
			fmt.Fprintln(s.err, "pota: see 'pota help' and 'pota COMMAND --help'")
		}
	}
	return int(s.end())
}

// A version is printed to the writer of the application that is asked for it: the library
// keeps one printer for all.
func init() {
	cli.VersionPrinter = func(c *cli.Context) { printVersion(c.App.Writer) }
}

func (s *session) app() *cli.App {
	return &cli.App{
		Name:        "pota",
		Usage:       "decide CTL formulas over all consistent global states of a trace",
		Description: "Reads the trace of one execution of a distributed program and decides a\nbranching-time formula over every global state it could have passed through,\nnot only those of the interleaving that was seen.",
		Version:     version(),
		UsageText:   "pota COMMAND [flags] ARGUMENTS...\n\n   pota detect 'EF(2 <= x <= 4 && y != 2)' testdata/figure1.jsonl\n   pota slice  'EF(2 <= x <= 4 && y != 2)' testdata/figure1.jsonl | dot -Tsvg > slice.svg\n   pota stats  testdata/figure1.jsonl",
		Commands: []*cli.Command{
			s.detectCommand(), s.mergeCommand(), s.watchCommand(), s.checkCommand(), s.verifyCommand(), s.sliceCommand(), s.translateCommand(), s.crossCheckCommand(), s.classifyCommand(), s.lintCommand(), s.statsCommand(),
			s.convertCommand(), s.mapCommand(), s.drawCommand(), s.serveCommand(), s.simulateCommand(), s.formatsCommand(), s.versionCommand(), s.completionCommand(), s.helpCommand(),
		},
		Writer:                    s.out,
		ErrWriter:                 s.err,
		Reader:                    s.stdin,
		Flags:                     []cli.Flag{cli.HelpFlag},
		CustomAppHelpTemplate:     helpTemplate(),
		DisableSliceFlagSeparator: true,
		ExitErrHandler:            func(*cli.Context, error) {},
		OnUsageError:              func(_ *cli.Context, err error, _ bool) error { return usagef("%s", flagMistake(err, nil)) },
		Action:                    cli.ShowAppHelp,
	}
}

// command fills in what all commands share: how many arguments they take, any number
// where most is negative, the budget, where they take limitFlags, and that usage errors
// begin with the command's name.
func (s *session) command(least, most int, c cli.Command) *cli.Command {
	c.HideHelpCommand = true
	c.OnUsageError = func(_ *cli.Context, err error, _ bool) error {
		return usagef("%s: %s", c.Name, flagMistake(err, c.Flags))
	}
	act := c.Action
	c.Action = func(ctx *cli.Context) error {
		err := arguments(ctx, least, most)
		if err == nil {
			err = noneEmpty(ctx)
		}
		if err == nil {
			err = s.checkTargets(ctx, argumentFiles(ctx))
		}
		if err == nil {
			err = s.begin(ctx)
		}
		if err == nil && s.budget != nil {
			err = try(s, "looking at the arguments", func(step context.Context) error { return swapped(step, ctx) })
			if is[*budget.LimitError](err) {
				err = nil // the steps of the command tell
			}
		}
		if err == nil {
			err = act(ctx)
		}
		if usage, ok := err.(*usageError); ok {
			return usagef("%s: %s", c.Name, usage.Text)
		}
		return err
	}
	return &c
}

// flagMistake tells what is wrong with the flags of a command.
func flagMistake(err error, flags []cli.Flag) string {
	flag, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: ")
	if m := badValue.FindStringSubmatch(err.Error()); m != nil {
		kind := "a whole number"
		if slices.ContainsFunc(flags, func(f cli.Flag) bool { _, ok := f.(*cli.DurationFlag); return ok && slices.Contains(f.Names(), m[2]) }) {
			kind = "a duration with its unit, such as 5ms or 1.5s"
		}
		return fmt.Sprintf("--%s must be %s, not %s", m[2], kind, m[1])
	}
	if !ok {
		return err.Error()
	}
	if strings.ContainsAny(flag, "@( ") {
		return strings.TrimSpace(flag) + " is no flag; a formula that begins with - stands in parentheses, or after --"
	}
	msg := "there is no flag " + flag
	if meant := cli.SuggestFlag(flags, strings.TrimLeft(flag, "-"), false); meant != "" {
		msg += "; did you mean " + meant + "?"
	}
	return msg
}

// badValue is what the library says of a number or a duration that is none.
var badValue = regexp.MustCompile(`^invalid value (".*") for flag -(\S+): parse error$`)

// arguments checks how many there are.
func arguments(c *cli.Context, least, most int) error {
	pattern := strings.TrimSpace(fmt.Sprintf("pota %s [flags] %s", c.Command.Name, c.Command.ArgsUsage))
	args := c.Args().Slice()
	switch n := c.NArg(); {
	case n < least:
		return usagef("missing argument: %s%s", missing(c), pattern)
	case slices.Contains(args, "-") && slices.Contains(args[slices.Index(args, "-")+1:], "-"):
		return usagef("standard input can be read once, and - is given twice")
	case most >= 0 && n > most:
		return usagef("unexpected argument %q: %s", c.Args().Get(most), pattern)
	}
	return nil
}

// noneEmpty refuses flags whose values are empty.
func noneEmpty(c *cli.Context) error {
	for _, f := range c.Command.Flags {
		name := f.Names()[0]
		if _, text := f.(*cli.StringFlag); text && c.IsSet(name) && c.String(name) == "" {
			return usagef("--%s has an empty value: give it one, or leave the flag out (is a variable of the shell unset?)", name)
		}
	}
	return nil
}

// argumentFiles are the files that arguments of a command may be.
func argumentFiles(c *cli.Context) (all []string) {
	args := c.Args().Slice()
	if len(args) > 0 && (strings.HasPrefix(c.Command.ArgsUsage, "FORMULA") && !named(c) || c.Command.Name == "simulate" && !strings.ContainsAny(args[0], "./")) {
		args = args[1:] // a formula, or the name of a model
	}
	for _, arg := range args {
		found, err := matching([]string{arg})
		if err == nil {
			all = append(all, found...)
		}
	}
	return all
}

// missing says which argument of a command that takes a formula and a trace is not
// there, "" where that is not known.
func missing(c *cli.Context) string {
	usage := strings.Fields(c.Command.ArgsUsage)
	switch {
	case len(usage) < 2 || usage[0] != "FORMULA":
		return ""
	case c.NArg() == 0 && named(c):
		return "there are properties but no trace: "
	case c.NArg() != 1:
		return ""
	}
	if isFile(c.Args().First()) {
		return "there is a trace but no formula before it: "
	}
	return "there is a formula but no trace after it: "
}

// isFile reports whether a file or directory is at a path.
func isFile(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// swapped refuses a file where a command takes a formula, and a formula where it takes a
// trace.
func swapped(ctx context.Context, c *cli.Context) error {
	first, others := c.Args().First(), c.Args().Tail()
	isFormula := func(text string) bool {
		_, err := syntax.Parse(text)
		return err == nil && text != "-" && !isFile(text)
	}
	usage := strings.Fields(c.Command.ArgsUsage)
	if len(usage) > 0 && usage[0] == "FORMULA" && named(c) {
		for _, text := range c.Args().Slice() {
			if strings.ContainsAny(text, " (@") && isFormula(text) {
				return usagef("-f and --property give the formulas, so that %s is one too many: all that is not a flag is a trace", quoted(text))
			}
		}
	}
	switch {
	case len(usage) > 1 && usage[0] == "FORMULA" && usage[1] == "[TRACE]" && len(others) == 0 && isFile(first) && filepath.Ext(first) != "":
		return usagef("%s is a file, and a formula comes first", first)
	case len(usage) < 2 || len(others) == 0 || named(c):
	case usage[0] == "MODEL" && isFormula(first) && isFile(others[0]):
		return usagef("the model comes before the formula: write %s %s", others[0], quoted(first))
	case usage[0] == "TRACE" && isFormula(first) && isFile(others[0]):
		return usagef("the trace comes before the formula: write %s %s", others[0], quoted(first))
	case usage[0] == "FORMULA" && isFile(first):
		if i := slices.IndexFunc(others, isFormula); i >= 0 {
			return usagef("the formula comes before the traces, but %s is a file: write %s %s", first, quoted(others[i]), first)
		}
		if text, err := trace.ReadFile(ctx, first, longestFile); err == nil && isFile(others[0]) {
			if all, err := syntax.ParseProperties(string(text)); err == nil && len(all) > 0 {
				return usagef("%s is a property file, not a formula: write -f %s", first, first)
			}
		}
	}
	return nil
}

// quoted quotes an argument for a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// known refuses a command that does not exist.
func known(app *cli.App, args []string) error {
	i := slices.IndexFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") })
	if i < 0 || app.Command(args[i]) != nil {
		return nil
	}
	if isFile(args[i]) {
		return usagef("a command comes first: write pota detect FORMULA %s", args[i])
	}
	names := mapOf(app.Commands, func(c *cli.Command) string { return c.Name })
	return usagef("there is no command %q; %s", args[i], cmp.Or(syntax.DidYouMean(args[i], names), "there are "+strings.Join(names, ", ")))
}

// fullWitness is the flag that --witness full stands for.
const fullWitness = "witness-full"

// flagsFirst moves the flags of a command before its arguments, because the
// library stops looking for flags at the first argument. What follows -- stays. Where help is asked for,
// nothing else is, whatever stands beside it.
func flagsFirst(app *cli.App, args []string) []string {
	if len(args) == 0 {
		return args
	}
	if len(args) > 1 && isHelp(args[0]) {
		args = append([]string{"help"}, args[1:]...)
	}
	cmd := app.Command(args[0])
	if cmd == nil {
		return args
	}
	var flags, rest []string
	full := false // --witness has a value, which is another flag for the library
	for i := 1; i < len(args); i++ {
		a := args[i]
		name := strings.TrimLeft(a, "-")
		switch {
		case name == "witness=full" && len(name) < len(a):
			flags = append(flags, "--witness", "--"+fullWitness)
		case (a == "--witness" || a == "-w") && cmd.Name == "detect" && i+1 < len(args) && args[i+1] == "full":
			flags = append(flags, a)
			full = true
			i++
		case a == "--":
			rest = append(rest, args[i+1:]...)
			i = len(args)
		case len(a) < 2 || a[0] != '-':
			rest = append(rest, a)
		case isHelp(a):
			return []string{args[0], a}
		default:
			flags = append(flags, a)
			if takesValue(cmd, a) && i+1 < len(args) {
				i++
				flags = append(flags, args[i])
			}
		}
	}
	if full && len(rest) == 1 && !slices.ContainsFunc(flags, func(a string) bool {
		return strings.HasPrefix(a, "-f") || strings.HasPrefix(strings.TrimLeft(a, "-"), "p")
	}) {
		rest = append([]string{"full"}, rest...) // it is the formula
	} else if full {
		flags = append(flags, "--"+fullWitness)
	}
	return slices.Concat(args[:1], flags, []string{"--"}, rest)
}

// isHelp reports whether an argument is the flag that asks for help.
func isHelp(arg string) bool {
	name := strings.TrimLeft(arg, "-")
	return len(name) < len(arg) && slices.Contains(cli.HelpFlag.Names(), name)
}

func (s *session) versionCommand() *cli.Command {
	return s.command(0, -1, cli.Command{
		Name:   "version",
		Usage:  "print the version",
		Action: func(*cli.Context) error { printVersion(s.out); return nil },
	})
}

func printVersion(w io.Writer) {
	built := version()
	if c := commit(); c != "" {
		built += " (commit " + c + ")"
	}
	fmt.Fprintf(w, "pota %s %s %s/%s\n", built, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// commit is that of the checkout the program was built in, marked where files had been changed;
// "" where the program was built from a module of a proxy, whose version tells it.
func commit() string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	settings := make(map[string]string)
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	revision := settings["vcs.revision"]
	if revision != "" && settings["vcs.modified"] == "true" {
		revision += ", modified"
	}
	return revision
}

// version is that of the module the program was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
