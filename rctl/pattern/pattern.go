// Package pattern is a catalogue of common temporal properties. Each has a sentence, a
// formula, the usual mistake, and a trace on which the formula fails but the mistake
// holds.
//
// The formulas express in CTL the patterns of Dwyer, Avrunin and Corbett (Patterns
// in Property Specifications for Finite-State Verification, ICSE 1999) and the properties that
// the literature on mutual exclusion, consensus and replication proves.
package pattern

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Pattern is a property with parameters.
type Pattern struct {
	// the name, unique in All: the part of a command-line argument before the colon
	Name string
	// the names of the parameters; if More is set, the last one accepts one or more arguments
	Params   []string
	More     bool
	Sentence string // the meaning in plain words
	// the formula, in which $1 stands for the first argument, and so on; if More is set, the
	// formulas for each of the last arguments are joined by &&
	Formula string

	// the formula for one more parameter, a bound on time such as within 5s; "" if there is none
	Within string

	Example []string // sample arguments
	Mistake string   // a formula about the same arguments that people write by mistake
	Why     string   // the actual meaning of the mistake
	// a trace in the native format on which the example's formula fails and the mistake holds
	Trace string
}

// Find returns the pattern of that name.
func Find(name string) (Pattern, bool) {
	for _, p := range All() {
		// A scan suffices: the catalogue has some twenty entries, and a run needs few of them.
		if p.Name == name {
			return p, true
		}
	}
	return Pattern{}, false
}

// Formulas returns definitions that let a formula use patterns, as in responds(p, q).
func Formulas() *syntax.Definitions {
	return &syntax.Definitions{Call: func(name string, args []string) (text string, ok bool, err error) {
		// In a formula, at-most-once would be a subtraction, so names are written with _.
		p, ok := Find(strings.ReplaceAll(name, "_", "-"))
		// In formulas, once(c) is an operator about events.
		if !ok || name == "once" {
			return "", false, nil
		}
		text, err = p.Apply(args...)
		return text, true, err
	}}
}

// An Error describes a mistake in a pattern or its arguments.
type Error struct{ msg string }

// Error returns the message.
func (e *Error) Error() string { return e.msg }

// errorf returns an *Error.
func errorf(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// Parse reads NAME:ARGUMENT,ARGUMENT and returns the property. Commas within brackets and
// strings do not separate arguments. Errors are *Error, also for arguments that make no formula.
func Parse(text string) (syntax.Property, error) {
	name, rest, _ := strings.Cut(text, ":")
	p, ok := Find(name)
	if !ok {
		var names []string
		for _, p := range All() {
			names = append(names, p.Name)
		}
		// The whole list fills several lines, so it is printed only if no name is close.
		hint := cmp.Or(syntax.DidYouMean(name, names), "there are "+strings.Join(names, ", "))
		return syntax.Property{}, errorf("there is no pattern %q; %s", name, hint)
	}
	// Arguments are checked before the formula is parsed, so that a missing one is reported in
	// terms of the pattern, not as a syntax error in a formula that the user did not write.
	source, err := p.Apply(arguments(rest)...)
	if err != nil {
		return syntax.Property{}, err
	}
	f, err := syntax.Parse(source)
	// The name of the property is the text that the user wrote, and its source is the formula:
	// reports show both.
	return syntax.Property{Name: text, Formula: f, Source: source}, err
}

// arguments splits text at commas.
func arguments(text string) []string {
	// A comma separates at depth 0 and outside strings. The depth counts brackets of any kind: the
	// parser of formulas reports mismatched ones.
	var all []string
	depth := 0
	start := 0
	quoted := false
	for i, c := range text {
		switch {
		case c == '"' && (i == 0 || text[i-1] != '\\'):
			quoted = !quoted
		case quoted:
		case strings.ContainsRune("([{", c):
			depth++
		case strings.ContainsRune(")]}", c):
			depth--
		case c == ',' && depth == 0:
			all = append(all, text[start:i])
			start = i + 1
		}
	}

	// Empty text means no arguments, but an empty argument after a comma is kept, so that Apply
	// can name it in its error.
	if rest := strings.TrimSpace(text[start:]); rest != "" || all != nil {
		all = append(all, rest)
	}
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}

// Usage returns the pattern with its parameters, as on a command line: mutex:VARIABLE.
func (p Pattern) Usage() string {
	text := p.Name + ":" + strings.Join(p.Params, ",")
	if p.More {
		text += ",…"
	}
	return text
}

// Apply returns the formula for some arguments, in its canonical form. Errors are *Error.
func (p Pattern) Apply(args ...string) (string, error) {
	if n := len(p.Params); p.Within != "" && len(args) == n+1 {
		if duration, ok := strings.CutPrefix(args[n], "within "); ok {
			p.Formula, p.Params = p.Within, append(slices.Clip(p.Params), "within DURATION")
			args = append(slices.Clip(args[:n]), duration)
		}
	}
	usage := fmt.Sprintf("the pattern %s is written %s, such as %s:%s", p.Name, p.Usage(), p.Name, strings.Join(p.Example, ","))
	// If More is set, the last parameter accepts one or more arguments.
	if len(args) < len(p.Params) || len(args) > len(p.Params) && !p.More {
		return "", errorf("%s", usage)
	}
	for i, arg := range args {
		if arg == "" {
			return "", errorf("the argument %s of the pattern %s is empty; it is written %s", p.Params[min(i, len(p.Params)-1)], p.Name, p.Usage())
		}
	}
	filled := p.fill(p.Formula, args)
	f, err := syntax.Parse(filled)
	// Users know the pattern, not the formula, so the error shows both; arguments in the wrong order
	// are a common reason.
	if err != nil {
		return "", errorf("%s; these arguments make %s, and there %v", usage, filled, err)
	}
	return f.String(), nil // canonical, so without parentheses that these arguments do not need
}

// condition matches a comparison of a variable, which may replace a Boolean variable as an argument.
var condition = lazy.Regexp(`^([^\s"=!<>@]+|"(?:[^"\\]|\\.)*")\s*([=!<>].*)$`)

// fill substitutes arguments for $1, $2 and so on.
func (p Pattern) fill(formula string, args []string) string {
	last := len(p.Params)
	// There is one formula for each of the last arguments, with the same earlier arguments.
	var parts []string
	for n := last; n <= len(args); n++ {
		var places []string // pairs of a place and its text
		for i, arg := range append(slices.Clip(args[:last-1]), args[n-1]) {
			place := "$" + strconv.Itoa(i+1)
			// In a comparison in place of a variable, the process index of the formula goes after
			// the variable's name: role == "leader" becomes (role@i == "leader").
			if c := condition().FindStringSubmatch(arg); c != nil && p.Params[i] == "VARIABLE" {
				places = append(places, place+"@i", "("+c[1]+"@i "+c[2]+")", place+"@j", "("+c[1]+"@j "+c[2]+")")
				arg = c[1]
			}
			places = append(places, place, arg)
		}
		// One Replacer substitutes in a single pass, so a $ in an argument is never substituted
		// again. Of two patterns that match, it prefers the earlier one, hence $1@i before $1.
		parts = append(parts, strings.NewReplacer(places...).Replace(formula))
	}

	return strings.Join(parts, " && ")
}

//go:embed catalogue.txt
var catalogue string

// All returns the patterns, in the order of the catalogue. The head of catalogue.txt documents the
// format.
var All = sync.OnceValue(func() []Pattern {
	var all []Pattern
	for line := range strings.Lines(catalogue) {
		word, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		text = strings.TrimSpace(text)
		p := new(Pattern) // the last one
		if len(all) > 0 {
			p = &all[len(all)-1]
		}
		fields := map[string]*string{
			"means": &p.Sentence, "formula": &p.Formula, "within": &p.Within, "mistake": &p.Mistake, "which": &p.Why,
		}
		switch word {
		case "", "#":
		case "pattern":
			name, places, _ := strings.Cut(text, ":")
			places, more := strings.CutSuffix(places, ",…")
			all = append(all, Pattern{Name: name, Params: arguments(places), More: more})
		case "example":
			p.Example = arguments(text)
		default:
			if field := fields[word]; field != nil {
				*field = text
			} else {
				p.Trace += line
			}
		}
	}
	return all
})
