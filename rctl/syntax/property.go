package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pota-project/pota/graphs/lazy"
)

// A Property is a formula with a name.
type Property struct {
	Name    string
	Formula *Formula // the formula; its positions are offsets in Source
	Source  string   // the text of the formula, in which definitions are not expanded
	File    string   // the property file; "" if there is none
	Line    int      // the line in the file at which the property starts, from 1
	Column  int      // the character in that line at which it starts, from 1
}

// ParseProperties parses the text of a property file: one property on each line, its name and its
// formula with a colon between them. A name consists of letters, digits, _, -
// and ., or is a string. Comments run from # to the end of the line. A property
// continues on the next line while a bracket is open.
//
// The positions of errors, including errors of Resolve, refer to the file. The error, if
// any, is Errors, with the first error of each property.
func ParseProperties(src string) ([]Property, error) {
	return new(Definitions).ParseProperties(src)
}

// ParseProperties is the function ParseProperties for a file that may use the definitions. It adds
// the definitions of the file to them.
func (d *Definitions) ParseProperties(src string) ([]Property, error) {
	file := &source{text: src, file: src}
	var all []Property
	var errs Errors
	line, counted := 1, 0
	lines := map[string]int{}
	pos := 0
	if strings.HasPrefix(src, "\ufeff") {
		pos = len("\ufeff")
	}
	for {
		if pos = skipSpace(src, pos); pos == len(src) {
			break
		}
		line += strings.Count(src[counted:pos], "\n")
		counted = pos
		end, closed := propertyEnd(src, pos)
		if definitionStart().MatchString(src[pos:end]) {
			if err := d.define(&source{text: src[pos:end], file: src, base: pos}); err != nil {
				errs = append(errs, err)
			}
			pos = end
			continue
		}
		p, err := d.property(file, pos, end)
		p.Line = line
		p.Column = 1 + utf8.RuneCountInString(src[strings.LastIndexByte(src[:pos], '\n')+1:pos])
		if first := lines[p.Name]; first != 0 && err == nil {
			err = file.errorf(pos, "", "the name %s is taken by the property on line %d",
				clip(propertyNameText(p.Name)), first)
		}
		if err != nil {
			errs = append(errs, err)
			// a mistake in the brackets has put the end of the formula too late or too early
			if !closed || p.Source != "" && err.Pos >= end {
				end = nextProperty(src, pos)
			}
		} else {
			lines[p.Name] = line
			all = append(all, p)
		}
		pos = end
	}

	if errs != nil {
		return nil, errs
	}
	return all, nil
}

// Errors lists the mistakes in the properties of a file, in order.
type Errors []*Error

// Error returns a line for each error.
func (e Errors) Error() string { return strings.Join(Mapped(e, (*Error).Error), "\n") }

// Unwrap returns the errors.
func (e Errors) Unwrap() []error { return Mapped(e, func(err *Error) error { return err }) }

// property parses the property between two offsets.
func (d *Definitions) property(s *source, pos, end int) (Property, *Error) {
	name, formula, err := propertyName(s, pos, end)
	if err != nil {
		return Property{}, err
	}
	p := Property{Name: name}
	start := skipSpace(s.text[:end], formula)
	p.Source = strings.TrimRightFunc(s.text[start:end], unicode.IsSpace)
	if p.Source == "" {
		return p, s.errorf(formula-1, "", "the property %s has no formula", clip(propertyNameText(name)))
	}
	p.Formula, err = d.parse(&source{text: p.Source, file: s.text, base: start})
	return p, err
}

// nextProperty returns the offset of the first line after pos that begins like a property, or the
// end of src if there is none.
func nextProperty(src string, pos int) int {
	for {
		n := strings.IndexByte(src[pos:], '\n')
		if n < 0 {
			return len(src)
		}
		pos += n + 1
		if propertyStart().MatchString(src[pos:]) {
			return pos
		}
	}
}

// propertyStart matches a name and its colon.
var propertyStart = lazy.Regexp(`^[ \t]*([\pL\p{Nd}_.-]+|"([^"\\\n]|\\[^\n])*")[ \t]*:`)

// propertyEnd returns the end of the property that starts at pos, and whether its brackets are
// closed. The property ends with the line of its last closing bracket, before a comment there.
func propertyEnd(src string, pos int) (end int, closed bool) {
	open := 0
	for pos < len(src) {
		switch src[pos] {
		case '(', '[', '{':
			open++
		case ')', ']', '}':
			open--
		case '"':
			if n := len(stringLiteral().FindString(src[pos:])); n > 0 {
				pos += n
				continue
			}
		case '#', '\n':
			if open <= 0 {
				return pos, true
			}
			pos = skipSpace(src, pos) // brackets in comments do not count
			continue
		}
		pos++
	}

	return pos, open <= 0
}

// propertyName parses "name:" and returns the name and the offset of the formula.
func propertyName(file *source, pos, end int) (name string, formula int, err *Error) {
	text := file.text[pos:end]
	n := 0
	if text[0] == '"' {
		tok, size := next(&source{text: file.text[:end], file: file.file}, pos)
		if tok.kind == tokBad {
			return "", 0, tok.err
		}
		name, n = tok.text, size
	} else {
		name = plainName().FindString(text)
		n = len(name)
	}

	after := len(text) - len(strings.TrimLeft(text[n:], " \t"))
	if n > 0 && strings.HasPrefix(text[after:], ":") {
		if name == "" {
			return "", 0, file.errorf(pos, "", "the name of a property is empty")
		}
		return name, pos + after + 1, nil
	}

	hint := "as in mutex: AG !(cs@P1 && cs@P2)"
	if word, _, _ := strings.Cut(text, " "); (word == "forall" || word == "exists") && strings.Contains(text, ":") {
		hint = "the colon of " + word + " does not count, write name: " + word + " …"
	} else if strings.Contains(text, ":") && n > 0 {
		hint = "names with characters other than letters, digits, _, - and . are written as strings; " + hint
	}

	return "", 0, file.errorf(pos, hint, "a property starts with its name and a colon")
}

// plainName matches the name of a property that needs no quotes.
var plainName = lazy.Regexp(`^[\pL\p{Nd}_.-]+`)

// propertyNameText returns a name in the syntax of property files.
func propertyNameText(name string) string {
	if name != "" && plainName().FindString(name) == name {
		return name
	}
	return quote(name)
}

// String returns the property as a line of a property file.
func (p Property) String() string {
	return propertyNameText(p.Name) + ": " + p.Formula.String()
}
