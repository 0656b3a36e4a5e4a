package arguments

import (
	"slices"
	"strings"
)

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
