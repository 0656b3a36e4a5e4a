// Package arguments checks the arguments of a command before it does any work: their number, the
// positions of formulas and files, and whether output files can be written. Its errors are usage
// errors, with the right command line if that is known.
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
	Usage   string // the description of the arguments, such as FORMULA TRACE...
	Args    []string
	Named   bool // whether flags name the formulas, so that no argument is one
}

// Check checks the number of arguments: from minArgs to maxArgs, or at least minArgs if maxArgs is
// negative.
func (l Line) Check(minArgs, maxArgs int) error {
	pattern := strings.TrimSpace(fmt.Sprintf("pota %s [flags] %s", l.Command, l.Usage))
	args := l.Args
	// A second reader of standard input would find nothing.
	stdin := slices.Index(args, "-")
	switch n := len(args); {
	case n < minArgs:
		// Say whether the formula or the trace is missing, if that is known.
		missing := ""
		switch {
		case !l.takes("FORMULA") || !strings.Contains(l.Usage, " ") || n > 1:
		case n == 0 && l.Named:
			missing = "there are properties but no trace: "
		case n == 1 && load.Exists(args[0]):
			missing = "there is a trace but no formula before it: "
		case n == 1:
			missing = "there is a formula but no trace after it: "
		}
		return exit.Usagef("missing argument: %s%s", missing, pattern)
	case stdin >= 0 && slices.Contains(args[stdin+1:], "-"):
		return exit.Usagef("standard input can be read once, and - is given twice")
	case maxArgs >= 0 && n > maxArgs:
		return exit.Usagef("unexpected argument %q: %s", args[maxArgs], pattern)
	}
	return nil
}

// takes reports whether the first argument of a command is of a kind such as FORMULA, according to
// its usage.
func (l Line) takes(kind string) bool {
	first, _, _ := strings.Cut(l.Usage, " ")
	return first == kind
}

// Files returns the arguments of a command that may be files.
func (l Line) Files() []string {
	args := l.Args
	if len(args) > 0 {
		isFormula := l.takes("FORMULA") && !l.Named
		// Names of models contain neither dots nor slashes.
		isModel := l.takes("MODEL|FILE.pml") && !strings.ContainsAny(args[0], "./")
		if isFormula || isModel {
			args = args[1:]
		}
	}
	var all []string
	for _, arg := range args {
		// Expand patterns, so that an output among their files is found. Errors are reported when the
		// command reads the files.
		found, err := load.Glob([]string{arg})
		if err == nil {
			all = append(all, found...)
		}
	}
	return all
}

// isFormula reports whether an argument is a formula rather than a file.
func isFormula(text string) bool {
	_, err := pattern.Formulas().Parse(text)
	return err == nil && text != "-" && !load.Exists(text)
}

// CheckOrder refuses a file in the place of a formula, and a formula in the place of a file. The
// error shows the right order, unlike an error of the parser.
func (l Line) CheckOrder(ctx context.Context) error {
	if l.Named {
		// Find a formula among the traces. A name such as true is a formula too, but more likely a
		// mistyped file.
		isExtra := func(text string) bool { return strings.ContainsAny(text, " (@") && isFormula(text) }
		if i := slices.IndexFunc(l.Args, isExtra); i >= 0 && l.takes("FORMULA") {
			return exit.Usagef("-f and --property give the formulas, so that %s is one too many: all that is not a flag is a trace", Quote(l.Args[i]))
		}
		return nil
	}
	_, rest, ok := strings.Cut(l.Usage, " ")
	if len(l.Args) == 0 || !ok {
		return nil
	}
	first, others := l.Args[0], l.Args[1:]
	isSwapped := len(others) > 0 && isFormula(first) && load.Exists(others[0])
	switch {
	case len(others) == 0 && l.takes("FORMULA") && rest == "[TRACE]" && load.Exists(first) && filepath.Ext(first) != "":
		return exit.Usagef("%s is a file, and a formula comes first", first)
	case len(others) == 0:
		return nil // a single argument has no order to be wrong
	case l.takes("MODEL") && isSwapped:
		return exit.Usagef("the model comes before the formula: write %s %s", others[0], Quote(first))
	case l.takes("TRACE") && isSwapped:
		return exit.Usagef("the trace comes before the formula: write %s %s", others[0], Quote(first))
	case l.takes("FORMULA") && load.Exists(first):
		return fileFirst(ctx, first, others)
	}
	return nil
}

// fileFirst refuses a file in the place of the formula.
func fileFirst(ctx context.Context, file string, others []string) error {
	if i := slices.IndexFunc(others, isFormula); i >= 0 {
		return exit.Usagef("the formula comes before the traces, but %s is a file: write %s %s", file, Quote(others[i]), file)
	}
	// There is a specific remedy only for a property file.
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

// FullWitness is the flag that --witness full stands for, since the library has no flags with
// optional values.
const FullWitness = "witness-full"

// IsHelp reports whether an argument asks for help.
func IsHelp(arg string) bool {
	name := strings.TrimLeft(arg, "-")
	return len(name) < len(arg) && (name == "help" || name == "h")
}

// FlagsFirst moves the flags of a command before its arguments, because the library stops parsing
// flags at the first argument. Everything after -- is an argument. If a flag asks for help,
// FlagsFirst returns only that flag. The function flag reports whether a flag exists and whether it
// has a value.
func FlagsFirst(args []string, flag func(name string) (known, hasValue bool)) []string {
	var flags, rest []string
	hasFull, _ := flag(FullWitness)
	for i := 0; i < len(args); i++ {
		a := args[i]
		name := strings.TrimLeft(a, "-")
		next := args[i+1 : min(i+2, len(args))]
		switch {
		case hasFull && (a == "--witness" || a == "-w") && slices.Contains(next, "full"):
			i++
			fallthrough
		case name == "witness=full" && len(name) < len(a):
			flags = append(flags, "--witness", "--"+FullWitness)
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

// A Target is an output file that a flag names; the path is "" if the flag is not set.
type Target struct{ Flag, Path string }

// CheckTargets refuses output files that are among the inputs, that two flags name, or that cannot
// be written. It runs before the work, which may take hours.
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
			continue // do not open a device or a pipe, whose reader would notice
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
