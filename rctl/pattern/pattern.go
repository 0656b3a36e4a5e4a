// Package pattern is a catalogue of common temporal properties. Each has its sentence, its
// formula, the usual mistake, and a trace on which the formula fails although the mistake does
// not.
//
// The formulas are CTL's forms of the patterns of Dwyer, Avrunin and Corbett (Patterns
// in Property Specifications for Finite-State Verification, ICSE 1999) and of what the
// literature on mutual exclusion, consensus and replication proves.
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
	// unique in All, and the part of a command-line argument before the colon
	Name string
	// names of the places; if More is set, the last place takes one or more arguments
	Params   []string
	More     bool
	Sentence string
	// $1 stands for the first argument, and so on; if More is set, the formulas for each of
	// the last arguments are joined by &&
	Formula string

	// Within is the formula with a bound on time for one more parameter, as in within 5s; "" where there is none
	Within string

	Example []string // arguments
	Mistake string   // a formula about the same arguments that people write instead
	Why     string   // what the mistake says
	// a trace in the native format on which the example's formula fails, and the mistake holds
	Trace string
}

// Find returns the pattern of that name.
func Find(name string) (Pattern, bool) {
	for _, p := range All() {
		// A scan suffices: the catalogue has some twenty entries, and a run asks for few of them.
		if p.Name == name {
			return p, true
		}
	}
	return Pattern{}, false
}

// Formulas returns definitions by which a formula may use patterns: responds(p, q).
func Formulas() *syntax.Definitions {
	return &syntax.Definitions{Call: func(name string, args []string) (text string, ok bool, err error) {
		// In a formula, at-most-once would be a difference.
		p, ok := Find(strings.ReplaceAll(name, "_", "-"))
		// once(c) is about events.
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
// strings do not separate arguments. Errors are *Error, and *syntax.Error for arguments that
// make no formula.
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
	// the terms of the pattern and not as a syntax error of a formula that the user has not
	// written.
	source, err := p.Apply(arguments(rest)...)
	if err != nil {
		return syntax.Property{}, err
	}
	f, err := syntax.Parse(source)
	// The property is named after what the user wrote, and its source is the formula: a report
	// shows both.
	return syntax.Property{Name: text, Formula: f, Source: source}, err
}

// arguments splits text at commas.
func arguments(text string) []string {
	// A comma at depth 0 and outside a string separates; the depth counts brackets of any kind,
	// since the parser of formulas reports those that do not match.
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

	// A single empty argument is no argument; an empty one after a comma is one, so that Apply
	// can name it in its error.
	if rest := strings.TrimSpace(text[start:]); rest != "" || all != nil {
		all = append(all, rest)
	}
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}

// Usage is how the pattern is written: mutex:VARIABLE.
func (p Pattern) Usage() string {
	text := p.Name + ":" + strings.Join(p.Params, ",")
	if p.More {
		text += ",…"
	}
	return text
}

// Apply returns the formula about some arguments, in its canonical form. Errors are *Error.
func (p Pattern) Apply(args ...string) (string, error) {
	if n := len(p.Params); p.Within != "" && len(args) == n+1 {
		if duration, ok := strings.CutPrefix(args[n], "within "); ok {
			p.Formula, p.Params = p.Within, append(slices.Clip(p.Params), "within DURATION")
			args = append(slices.Clip(args[:n]), duration)
		}
	}
	usage := fmt.Sprintf("the pattern %s is written %s, such as %s:%s", p.Name, p.Usage(), p.Name, strings.Join(p.Example, ","))
	// Where More is set, the last parameter needs at least one argument and takes any number.
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
	// Arguments in the wrong order make no formula. Users know the pattern, not the formula.
	if err != nil {
		return "", errorf("%s; these arguments make %s, and there %v", usage, filled, err)
	}
	return f.String(), nil // without the parentheses that the places need and the arguments do not
}

// condition is a variable that is compared, as may stand for one that is true or false.
var condition = lazy.Regexp(`^([^\s"=!<>@]+|"(?:[^"\\]|\\.)*")\s*([=!<>].*)$`)

// fill puts arguments in their places.
func (p Pattern) fill(formula string, args []string) string {
	last := len(p.Params)
	// Each of the last arguments makes a formula of its own, about the same earlier ones.
	var parts []string
	for n := last; n <= len(args); n++ {
		var places []string // pairs of a place and its text
		for i, arg := range append(slices.Clip(args[:last-1]), args[n-1]) {
			place := "$" + strconv.Itoa(i+1)
			// A comparison in place of a variable gets the index of the process behind its name,
			// where the formula puts it: role == "leader" becomes (role@i == "leader").
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

// All returns the patterns, in the order of the catalogue. Its beginning says what the lines are.
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
