// Package arguments checks the arguments of a command before anything is done: how many there
// are, that formulas and files are in their places, and that files to be written can be. Its
// errors are mistakes in usage, with the right command line where that is known.
package arguments

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/files"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/rctl/pattern"
)

// A Line is the command line of a command, without its flags.
type Line struct {
	Command string
	Usage   string // how the arguments are described: FORMULA TRACE...
	Args    []string
	Named   bool // flags name the formulas, so that no argument is one
}

// first returns the first argument, "" if there is none.
func (l Line) first() string {
	if len(l.Args) == 0 {
		return ""
	}
	return l.Args[0]
}

// Check checks the number of arguments, which is any from minArgs on where maxArgs is negative.
func (l Line) Check(minArgs, maxArgs int) error {
	pattern := strings.TrimSpace(fmt.Sprintf("pota %s [flags] %s", l.Command, l.Usage))
	args := l.Args
	// The second reader would find nothing.
	stdin := slices.Index(args, "-")
	switch n := len(args); {
	case n < minArgs:
		return exit.Usagef("missing argument: %s%s", l.missing(), pattern)
	case stdin >= 0 && slices.Contains(args[stdin+1:], "-"):
		return exit.Usagef("standard input can be read once, and - is given twice")
	case maxArgs >= 0 && n > maxArgs:
		return exit.Usagef("unexpected argument %q: %s", args[maxArgs], pattern)
	}
	return nil
}

// words returns the words that describe the arguments of a command.
func (l Line) words() []string { return strings.Fields(l.Usage) }

// takes reports whether the first argument of a command is one of a kind, such as FORMULA.
func (l Line) takes(kind string) bool {
	// The description of the arguments says what is expected where.
	words := l.words()
	return len(words) > 0 && words[0] == kind
}

// Files returns the arguments of a command that may be files.
func (l Line) Files() []string {
	args := l.Args
	isFormula := l.takes("FORMULA") && !l.Named
	// Names of models have neither points nor slashes.
	isModel := l.takes("MODEL|FILE.pml") && !strings.ContainsAny(l.first(), "./")
	if len(args) > 0 && (isFormula || isModel) {
		args = args[1:]
	}
	var all []string
	for _, arg := range args {
		// Patterns are replaced, so that an output among their files is found. Errors are reported
		// when the command reads them.
		found, err := load.Glob([]string{arg})
		if err == nil {
			all = append(all, found...)
		}
	}
	return all
}

// missing names the missing one of a formula and a trace, "" where that is not known.
func (l Line) missing() string {
	switch {
	case len(l.words()) < 2 || !l.takes("FORMULA"):
		return ""
	case len(l.Args) == 0 && l.Named:
		return "there are properties but no trace: "
	case len(l.Args) != 1:
		return ""
	case load.Exists(l.first()):
		return "there is a trace but no formula before it: "
	}
	return "there is a formula but no trace after it: "
}

// isFormula reports whether an argument is a formula rather than a file.
func isFormula(text string) bool {
	_, err := pattern.Formulas().Parse(text)
	return err == nil && text != "-" && !load.Exists(text)
}

// CheckOrder refuses a file in the place of a formula, and a formula in the place of a file. The
// error has the right order: the error of the parser would not help.
func (l Line) CheckOrder(ctx context.Context) error {
	words := l.words()
	if l.Named {
		return l.tooMany()
	}
	if len(l.Args) == 0 {
		return nil
	}
	first, others := l.Args[0], l.Args[1:]
	if l.takes("FORMULA") && len(words) > 1 && words[1] == "[TRACE]" &&
		len(others) == 0 && load.Exists(first) && filepath.Ext(first) != "" {
		return exit.Usagef("%s is a file, and a formula comes first", first)
	}
	// With one argument there is no order to be wrong.
	if len(words) < 2 || len(others) == 0 {
		return nil
	}
	isSwapped := isFormula(first) && load.Exists(others[0])
	switch {
	case l.takes("MODEL") && isSwapped:
		return exit.Usagef("the model comes before the formula: write %s %s", others[0], Quote(first))
	case l.takes("TRACE") && isSwapped:
		return exit.Usagef("the trace comes before the formula: write %s %s", others[0], Quote(first))
	case l.takes("FORMULA") && load.Exists(first):
		return fileFirst(ctx, first, others)
	}
	return nil
}

// tooMany refuses a formula among the traces, where flags name the formulas.
func (l Line) tooMany() error {
	if !l.takes("FORMULA") {
		return nil
	}
	for _, text := range l.Args {
		// A name such as true is a formula, too, but more likely a file to come.
		if strings.ContainsAny(text, " (@") && isFormula(text) {
			return exit.Usagef("-f and --property give the formulas, so that %s is one too many: all that is not a flag is a trace", Quote(text))
		}
	}
	return nil
}

// fileFirst refuses a file in the place of the formula.
func fileFirst(ctx context.Context, file string, others []string) error {
	if i := slices.IndexFunc(others, isFormula); i >= 0 {
		return exit.Usagef("the formula comes before the traces, but %s is a file: write %s %s", file, Quote(others[i]), file)
	}
	// Only a file of properties has a remedy of its own.
	text, err := trace.ReadFile(ctx, file, load.MaxFile)
	if err != nil || !load.Exists(others[0]) {
		return nil
	}
	if all, err := pattern.Formulas().ParseProperties(string(text)); err == nil && len(all) > 0 {
		return exit.Usagef("%s is a property file, not a formula: write -f %s", file, file)
	}
	return nil
}

// Quote quotes an argument for a shell.
func Quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// FullWitness is the flag that --witness full stands for: the library gives a flag either a value
// or none.
const FullWitness = "witness-full"

// helpFlags are the names of the flag that asks for help.
var helpFlags = []string{"help", "h"}

// IsHelp reports whether an argument asks for help.
func IsHelp(arg string) bool {
	name := strings.TrimLeft(arg, "-")
	return len(name) < len(arg) && slices.Contains(helpFlags, name)
}

// FlagsFirst moves the flags of a command before its arguments, because the library stops looking
// for flags at the first argument. All that follows -- is an argument. Where help is asked for,
// nothing else is done. Flag reports whether there is a flag of a name, and whether it has a value.
func FlagsFirst(args []string, flag func(name string) (known, hasValue bool)) []string {
	var flags, rest []string
	hasFull, _ := flag(FullWitness)
	for i := 0; i < len(args); i++ {
		a := args[i]
		name := strings.TrimLeft(a, "-")
		next := args[i+1 : min(i+2, len(args))]
		switch {
		case name == "witness=full" && len(name) < len(a):
			flags = append(flags, "--witness", "--"+FullWitness)
		case hasFull && (a == "--witness" || a == "-w") && slices.Contains(next, "full"):
			flags = append(flags, "--witness", "--"+FullWitness)
			i++
		case a == "--":
			rest = append(rest, args[i+1:]...)
			i = len(args)
		case len(a) < 2 || a[0] != '-':
			rest = append(rest, a)
		case IsHelp(a):
			return []string{a}
		default:
			flags = append(flags, a)
			if _, hasValue := flag(name); hasValue {
				flags = append(flags, next...)
				i++
			}
		}
	}
	return slices.Concat(flags, []string{"--"}, rest)
}

// A Target is a file to be written that a flag names, "" for none.
type Target struct{ Flag, Path string }

// CheckTargets refuses files to be written that are among the inputs, that two flags name, or
// that cannot be written: now, and not when hours of work are to be saved.
func CheckTargets(set *files.Set, inputs []string, targets []Target) error {
	for i, t := range targets {
		flag, path := t.Flag, t.Path
		switch {
		// Results go to standard output anyway.
		case path == "" || flag == "output" && path == "-":
			continue
		case path == "-":
			return exit.Usagef("--%s needs the name of a file: standard output has the verdicts", flag)
		}
		info, err := os.Stat(path)
		if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			continue // a device or a pipe, whose reader would see that it is opened
		}
		for _, other := range targets[:i] {
			if files.Same(path, other.Path) {
				return exit.Usagef("--%s and --%s name the same file, %s: each needs its own", other.Flag, flag, path)
			}
		}
		for _, input := range inputs {
			if err == nil && (files.Same(path, input) || files.Same(filepath.Dir(path), input)) {
				return exit.Usagef("--%s %s would overwrite what is read: name another file", flag, path)
			}
		}
		if err := set.Check(path); err != nil {
			return err
		}
	}
	return nil
}
