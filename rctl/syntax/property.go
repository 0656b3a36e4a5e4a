package syntax

import (
	"regexp"
	"strings"
	"unicode"
)

// A Property is a formula with a name.
type Property struct {
	Name    string
	Formula *Formula // its positions are offsets in Source
	Source  string   // the text of the formula
	Line    int      // the line that the property starts on, from 1
}

// ParseProperties reads a property file: one property on each line, its name and its
// formula with a colon between them. A name consists of letters, digits, _, -
// and . or is a string. Comments run from # to the end of the line. A property
// continues on the next line while a bracket is open.
//
// The positions of errors, those of Resolve too, relate to the file.
// The error, if any, is an *Error.
func ParseProperties(src string) ([]Property, error) {
	file := &source{text: src, file: src}
	var all []Property
	line, counted := 1, 0
	lines := map[string]int{}
	pos := 0
	if strings.HasPrefix(src, "\ufeff") {
		pos = len("\ufeff")
	}
	for {
		if pos = skipSpace(src, pos); pos == len(src) {
			return all, nil
		}
		line += strings.Count(src[counted:pos], "\n")
		counted = pos
		end := propertyEnd(src, pos)
		p := Property{Line: line}
		name, formula, err := propertyName(file, pos, end)
		if err != nil {
			return nil, err
		}
		p.Name = name
		if first := lines[name]; first != 0 {
			return nil, file.errorf(pos, "", "the name %s is taken by the property on line %d", clip(propertyNameText(name)), first)
		}
		lines[name] = line
		start := skipSpace(src[:end], formula)
		p.Source = strings.TrimRightFunc(src[start:end], unicode.IsSpace)
		if p.Source == "" {
			return nil, file.errorf(formula-1, "", "the property %s has no formula", clip(propertyNameText(name)))
		}
		p.Formula, err = parse(&source{text: p.Source, file: src, base: start})
		if err != nil {
			return nil, err
		}
		all = append(all, p)
		pos = end
	}
}

// propertyEnd returns the end of the property that starts at pos: that of the
// line in which its last bracket is closed, without a comment there.
func propertyEnd(src string, pos int) int {
	open := 0
	for pos < len(src) {
		switch src[pos] {
		case '(', '[', '{':
			open++
		case ')', ']', '}':
			open--
		case '"':
			if n := len(stringLiteral.FindString(src[pos:])); n > 0 {
				pos += n
				continue
			}
		case '#':
			end := len(src)
			if n := strings.IndexByte(src[pos:], '\n'); n >= 0 {
				end = pos + n
			}
			if open <= 0 {
				return pos
			}
			pos = end
			continue
		case '\n':
			if open <= 0 {
				return pos
			}
		}
		pos++
	}
	return pos
}

// propertyName reads "name:" and returns the name and where the formula starts.
func propertyName(file *source, pos, end int) (name string, formula int, err error) {
	text := file.text[pos:end]
	n := 0
	if text[0] == '"' {
		tok, after := next(&source{text: file.text[:end], file: file.file}, pos)
		if tok.kind == tokBad {
			return "", 0, tok.err
		}
		name, n = tok.text, after-pos
	} else {
		name = plainName.FindString(text)
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
var plainName = regexp.MustCompile(`^[\pL\p{Nd}_.-]+`)

// propertyNameText returns the name as a property file has it.
func propertyNameText(name string) string {
	if name != "" && plainName.FindString(name) == name {
		return name
	}
	return quote(name)
}

// String returns the property as a line of a property file.
func (p Property) String() string {
	return propertyNameText(p.Name) + ": " + p.Formula.String()
}
