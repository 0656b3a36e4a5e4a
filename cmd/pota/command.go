package main

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/rctl/syntax"
)

// commandTexts has a file for each command: a line that says what it does, a line with its
// arguments, and after a blank line examples.
//
//go:embed commands/*.txt
var commandTexts embed.FS

// command returns a command with the texts of its name. It takes so many arguments, any number
// where most is negative, and is bounded by limitFlags, if it takes them. Its usage errors begin
// with its name.
func (s *session) command(name string, least, most int, flags []cli.Flag, act cli.ActionFunc) *cli.Command {
	return s.prepare(name, least, most, false, flags, act)
}

// untimed is command for one that runs until it is interrupted.
func (s *session) untimed(name string, least, most int, flags []cli.Flag, act cli.ActionFunc) *cli.Command {
	return s.prepare(name, least, most, true, flags, act)
}

func (s *session) prepare(name string, least, most int, untimed bool, flags []cli.Flag, act cli.ActionFunc) *cli.Command {
	content, err := commandTexts.ReadFile("commands/" + name + ".txt")
	if err != nil {
		panic("this cannot happen, because each command has a text: " + err.Error())
	}
	purpose, rest, _ := strings.Cut(string(content), "\n")
	arguments, description, _ := strings.Cut(rest, "\n")
	return &cli.Command{
		Name:            name,
		Usage:           purpose,
		ArgsUsage:       arguments,
		Description:     strings.Trim(description, "\n"),
		Flags:           flags,
		HideHelpCommand: true,
		BashComplete:    s.complete,
		OnUsageError: func(_ *cli.Context, err error, _ bool) error {
			return exit.Usagef("%s: %s", name, flagMistake(err, flags))
		},
		Action: func(c *cli.Context) error {
			err := s.begin(c, least, most, untimed)
			if err == nil {
				err = act(c)
			}
			if usage, ok := err.(*exit.UsageError); ok {
				return exit.Usagef("%s: %s", name, usage.Text)
			}
			return err
		},
	}
}

// begin checks the arguments of any command, and begins its budget. To look at the arguments may
// take long, as they may name pipes and devices; so this is a step, too.
func (s *session) begin(c *cli.Context, least, most int, untimed bool) error {
	if err := arguments(c, least, most); err != nil {
		return err
	}
	if err := noneEmpty(c); err != nil {
		return err
	}
	if err := checkTargets(c, s.run.Files, argumentFiles(c)); err != nil {
		return err
	}
	limits, err := limitsOf(c)
	if err != nil {
		return err
	}
	if untimed {
		limits.Time = 0
	}
	s.limit(limits)
	err = s.run.Try("looking at the arguments", func(ctx context.Context) error { return swapped(ctx, c) })
	if failure.IsLimit(err) {
		return nil // the steps of the command report that
	}
	return err
}

// flagMistake explains an error of the library about flags, with the remedy.
func flagMistake(err error, flags []cli.Flag) string {
	if m := badValue.FindStringSubmatch(err.Error()); m != nil {
		kind := "a whole number"
		if _, ok := findFlag(flags, m[2]).(*cli.DurationFlag); ok {
			kind = "a duration with its unit, such as 5ms or 1.5s"
		}
		return fmt.Sprintf("--%s must be %s, not %s", m[2], kind, m[1])
	}
	flag, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: ")
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

// badValue matches the library's error about a number or a duration.
var badValue = regexp.MustCompile(`^invalid value (".*") for flag -(\S+): parse error$`)

// findFlag returns the flag of a name, nil if there is none.
func findFlag(flags []cli.Flag, name string) cli.Flag {
	i := slices.IndexFunc(flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
	if i < 0 {
		return nil
	}
	return flags[i]
}

// arguments checks how many there are.
func arguments(c *cli.Context, least, most int) error {
	pattern := strings.TrimSpace(fmt.Sprintf("pota %s [flags] %s", c.Command.Name, c.Command.ArgsUsage))
	args := c.Args().Slice()
	stdin := slices.Index(args, "-")
	switch n := c.NArg(); {
	case n < least:
		return exit.Usagef("missing argument: %s%s", missing(c), pattern)
	case stdin >= 0 && slices.Contains(args[stdin+1:], "-"):
		return exit.Usagef("standard input can be read once, and - is given twice")
	case most >= 0 && n > most:
		return exit.Usagef("unexpected argument %q: %s", c.Args().Get(most), pattern)
	}
	return nil
}

// noneEmpty refuses flags that have an empty value: mostly a variable of the shell was not set,
// and the command would do something else than was meant.
func noneEmpty(c *cli.Context) error {
	for _, f := range c.Command.Flags {
		name := f.Names()[0]
		if _, text := f.(*cli.StringFlag); text && c.IsSet(name) && c.String(name) == "" {
			return exit.Usagef("--%s has an empty value: give it one, or leave the flag out (is a variable of the shell unset?)", name)
		}
	}
	return nil
}

// usage returns the words that describe the arguments of a command.
func usage(c *cli.Context) []string { return strings.Fields(c.Command.ArgsUsage) }

// takes reports whether the first argument of a command is one of a kind, such as FORMULA.
func takes(c *cli.Context, kind string) bool {
	words := usage(c)
	return len(words) > 0 && words[0] == kind
}

// argumentFiles returns the arguments of a command that may be files.
func argumentFiles(c *cli.Context) []string {
	args := c.Args().Slice()
	isFormula := takes(c, "FORMULA") && !named(c)
	isModel := takes(c, "MODEL|FILE.pml") && !strings.ContainsAny(c.Args().First(), "./")
	if len(args) > 0 && (isFormula || isModel) {
		args = args[1:]
	}
	var all []string
	for _, arg := range args {
		found, err := load.Glob([]string{arg})
		if err == nil {
			all = append(all, found...)
		}
	}
	return all
}

// missing names the missing one of a formula and a trace, "" where that is not known.
func missing(c *cli.Context) string {
	switch {
	case len(usage(c)) < 2 || !takes(c, "FORMULA"):
		return ""
	case c.NArg() == 0 && named(c):
		return "there are properties but no trace: "
	case c.NArg() != 1:
		return ""
	case load.Exists(c.Args().First()):
		return "there is a trace but no formula before it: "
	}
	return "there is a formula but no trace after it: "
}

// isFormula reports whether an argument is a formula rather than a file.
func isFormula(text string) bool {
	_, err := syntax.Parse(text)
	return err == nil && text != "-" && !load.Exists(text)
}

// swapped refuses a file in the place of a formula, and a formula in the place of a file. The
// error has the right order: the error of the parser would not help.
func swapped(ctx context.Context, c *cli.Context) error {
	first, others := c.Args().First(), c.Args().Tail()
	words := usage(c)
	if named(c) {
		return tooMany(c)
	}
	if takes(c, "FORMULA") && len(words) > 1 && words[1] == "[TRACE]" &&
		len(others) == 0 && load.Exists(first) && filepath.Ext(first) != "" {
		return exit.Usagef("%s is a file, and a formula comes first", first)
	}
	if len(words) < 2 || len(others) == 0 {
		return nil
	}
	isSwapped := isFormula(first) && load.Exists(others[0])
	switch {
	case takes(c, "MODEL") && isSwapped:
		return exit.Usagef("the model comes before the formula: write %s %s", others[0], quoted(first))
	case takes(c, "TRACE") && isSwapped:
		return exit.Usagef("the trace comes before the formula: write %s %s", others[0], quoted(first))
	case takes(c, "FORMULA") && load.Exists(first):
		return fileFirst(ctx, first, others)
	}
	return nil
}

// tooMany refuses a formula among the traces, where flags name the formulas.
func tooMany(c *cli.Context) error {
	if !takes(c, "FORMULA") {
		return nil
	}
	for _, text := range c.Args().Slice() {
		if strings.ContainsAny(text, " (@") && isFormula(text) {
			return exit.Usagef("-f and --property give the formulas, so that %s is one too many: all that is not a flag is a trace", quoted(text))
		}
	}
	return nil
}

// fileFirst refuses a file in the place of the formula.
func fileFirst(ctx context.Context, file string, others []string) error {
	if i := slices.IndexFunc(others, isFormula); i >= 0 {
		return exit.Usagef("the formula comes before the traces, but %s is a file: write %s %s", file, quoted(others[i]), file)
	}
	text, err := trace.ReadFile(ctx, file, load.MaxFile)
	if err != nil || !load.Exists(others[0]) {
		return nil
	}
	if all, err := syntax.ParseProperties(string(text)); err == nil && len(all) > 0 {
		return exit.Usagef("%s is a property file, not a formula: write -f %s", file, file)
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
	if load.Exists(args[i]) {
		return exit.Usagef("a command comes first: write pota detect FORMULA %s", args[i])
	}
	var names []string
	for _, c := range app.Commands {
		names = append(names, c.Name)
	}
	return exit.Usagef("there is no command %q; %s", args[i],
		cmp.Or(syntax.DidYouMean(args[i], names), "there are "+strings.Join(names, ", ")))
}

// fullWitness is the flag that --witness full stands for.
const fullWitness = "witness-full"

// flagsFirst moves the flags of a command before its arguments, because the library stops
// looking for flags at the first argument. All that follows -- is an argument. Where help is
// asked for, nothing else is done.
func flagsFirst(app *cli.App, args []string) []string {
	if len(args) > 1 && isHelp(args[0]) {
		args = append([]string{"help"}, args[1:]...)
	}
	if len(args) == 0 || app.Command(args[0]) == nil {
		return args
	}
	cmd := app.Command(args[0])
	var flags, rest []string
	full := false // --witness has a value, which is another flag for the library
	for i := 1; i < len(args); i++ {
		a := args[i]
		name := strings.TrimLeft(a, "-")
		switch {
		case name == "witness=full" && len(name) < len(a):
			flags = append(flags, "--witness", "--"+fullWitness)
		case (a == "--witness" || a == "-w") && findFlag(cmd.Flags, fullWitness) != nil && i+1 < len(args) && args[i+1] == "full":
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
			if takesValue(findFlag(cmd.Flags, name)) && i+1 < len(args) {
				i++
				flags = append(flags, args[i])
			}
		}
	}
	switch {
	case full && len(rest) == 1 && !slices.ContainsFunc(flags, namesProperties):
		rest = append([]string{"full"}, rest...) // it is the formula
	case full:
		flags = append(flags, "--"+fullWitness)
	}
	return slices.Concat(args[:1], flags, []string{"--"}, rest)
}

// namesProperties reports whether an argument is one of formulaFlags.
func namesProperties(arg string) bool {
	return strings.HasPrefix(arg, "-f") || strings.HasPrefix(strings.TrimLeft(arg, "-"), "p")
}

// takesValue reports whether a flag, perhaps nil, has a value.
func takesValue(f cli.Flag) bool {
	d, ok := f.(cli.DocGenerationFlag)
	return ok && d.TakesValue()
}

// isHelp reports whether an argument is the flag that asks for help.
func isHelp(arg string) bool {
	name := strings.TrimLeft(arg, "-")
	return len(name) < len(arg) && slices.Contains(cli.HelpFlag.Names(), name)
}
