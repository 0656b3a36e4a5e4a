// Package command parses a command line. A command has flags, such as --jobs 4 or -j 4, which may
// have values, and arguments, which follow the flags. The syntax is that of package flag.
//
// For example, a command with the flag New("jobs, j", 1) makes of -j 4 run.jsonl a Context with
// Int("jobs") == 4, IsSet("jobs"), and one argument.
package command

import (
	"flag"
	"io"
	"slices"
	"strings"
	"time"
)

// A Command is a word of the program, with all that may follow it.
type Command struct {
	Name        string
	Aliases     []string // names that do the same
	Purpose     string   // one line of the help
	Arguments   string   // as in FORMULA TRACE...
	Description string
	Flags       []*Flag // all but --help, which each command has
	Action      func(*Context) error
}

// Find returns the command of a name, nil if there is none.
func Find(commands []*Command, name string) *Command {
	i := slices.IndexFunc(commands, func(c *Command) bool {
		return c.Name == name || slices.Contains(c.Aliases, name)
	})
	if i < 0 {
		return nil
	}
	return commands[i]
}

// A Flag is an option of a command. The type of its default is that of its values: bool for a flag
// without one, string, []string for a flag that may be repeated, int, uint64, or time.Duration.
type Flag struct {
	Names   []string // without dashes, the long one first
	Default any
	Heading string // it stands under in the help, "" for the usual one
	Usage   string // with the name of the value in backquotes, if it has one
	Hidden  bool   // the help does not list it
}

// New returns a flag with names such as "output, o".
func New(names string, value any) *Flag {
	return &Flag{Names: strings.Split(names, ", "), Default: value}
}

// Help is the flag that asks for the help of a command.
var Help = &Flag{
	Names:   []string{"help", "h"},
	Default: false,
	Usage:   "show help",
}

// TakesValue reports whether a flag, perhaps nil, has a value.
func (f *Flag) TakesValue() bool {
	if f == nil {
		return false
	}
	_, toggle := f.Default.(bool)
	return !toggle
}

// Repeats reports whether the flag may be given several times.
func (f *Flag) Repeats() bool {
	_, list := f.Default.([]string)
	return list
}

// Dashed returns a name as it is written: a short name has one dash.
func Dashed(name string) string { return "--"[:min(len(name), 2)] + name }

// Dashed returns the names as they are written.
func (f *Flag) Dashed() []string {
	var names []string
	for _, name := range f.Names {
		names = append(names, Dashed(name))
	}
	return names
}

// define adds the flag to a set. All names share one value, so that each does the same.
func (f *Flag) define(set *flag.FlagSet) {
	name := f.Names[0]
	switch value := f.Default.(type) {
	case bool:
		set.Bool(name, value, "")
	case string:
		set.String(name, value, "")
	case []string:
		set.Var(new(list), name, "")
	case int:
		set.Int(name, value, "")
	case uint64:
		set.Uint64(name, value, "")
	case time.Duration:
		set.Duration(name, value, "")
	default:
		panic("this cannot happen, because these are all types of flags: " + name)
	}
	for _, other := range f.Names[1:] {
		set.Var(set.Lookup(name).Value, other, "")
	}
}

// A list has the values of a flag that may be repeated.
type list []string

func (l *list) Get() any       { return []string(*l) }
func (l *list) String() string { return strings.Join(*l, ", ") }

// Set adds a value.
func (l *list) Set(value string) error {
	*l = append(*l, strings.TrimSpace(value))
	return nil
}

// FindFlag returns the flag of a name, nil if there is none.
func FindFlag(flags []*Flag, name string) *Flag {
	i := slices.IndexFunc(flags, func(f *Flag) bool { return slices.Contains(f.Names, name) })
	if i < 0 {
		return nil
	}
	return flags[i]
}

// A Context is a command line of a command: the values of its flags, and its arguments.
type Context struct {
	Command *Command
	set     *flag.FlagSet
}

// Parse parses the words after the name of the command. Errors are those of package flag.
func (c *Command) Parse(words []string) (*Context, error) {
	set := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	// The program prints its own help, and errors in its own form.
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	for _, f := range append(slices.Clip(c.Flags), Help) {
		f.define(set)
	}
	return &Context{c, set}, set.Parse(words)
}

// value returns the value of a flag, zero if the command has no such flag.
func value[T any](c *Context, name string) (v T) {
	if f := c.set.Lookup(name); f != nil {
		v, _ = f.Value.(flag.Getter).Get().(T)
	}
	return v
}

// Bool and the methods below return values of flags, zero if the command has no such flag.
func (c *Context) Bool(name string) bool { return value[bool](c, name) }

// String returns a text.
func (c *Context) String(name string) string { return value[string](c, name) }

// StringSlice returns the values of a flag that may be repeated.
func (c *Context) StringSlice(name string) []string { return value[[]string](c, name) }

// Int returns a whole number.
func (c *Context) Int(name string) int { return value[int](c, name) }

// Uint64 returns a whole number that is not negative.
func (c *Context) Uint64(name string) uint64 { return value[uint64](c, name) }

// Duration returns a duration.
func (c *Context) Duration(name string) time.Duration { return value[time.Duration](c, name) }

// IsSet reports whether a flag is given, by any of its names.
func (c *Context) IsSet(name string) bool {
	f := FindFlag(c.Command.Flags, name)
	given := false
	c.set.Visit(func(g *flag.Flag) { given = given || f != nil && slices.Contains(f.Names, g.Name) })
	return given
}

// Args returns the arguments.
func (c *Context) Args() Args { return c.set.Args() }

// Args are arguments.
type Args []string

// Get returns an argument, counted from 0, and "" for one that is missing.
func (a Args) Get(i int) string {
	if i >= len(a) {
		return ""
	}
	return a[i]
}

// First returns the first argument, "" for none.
func (a Args) First() string { return a.Get(0) }

// Tail returns the arguments after the first.
func (a Args) Tail() []string { return a[min(len(a), 1):] }
