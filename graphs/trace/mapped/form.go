package mapped

import (
	"bytes"
	"encoding/csv"
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pota-project/pota/graphs"
)

// A form says how to find the fields of a text: of a line, or of a string in it. A node without a
// form is JSON.
type form struct {
	kind     formKind
	patterns []*regexp.Regexp // alternatives for byPattern
	comma    rune             // the separator for byColumns
}

// formKind is the grammar of a form.
type formKind uint8

const (
	byPattern formKind = iota // fields are the groups of the first pattern that matches
	byLogfmt                  // fields are the keys of logfmt
	byColumns                 // fields are the columns that the first line of a file names
)

// commas maps the names of forms to the separators of their columns.
var commas = map[string]rune{"csv": ',', "csv;": ';', "csv\t": '\t'}

// form parses the form of a text.
func (p *parser) form(t *tree, what string) *form {
	if t.Kind == '"' && t.Text == "json" && what == "line" {
		return nil // the mapping may have another form for its other sources
	}
	if t.Kind == '"' && t.Text == "logfmt" {
		return &form{kind: byLogfmt}
	}
	if comma := commas[t.Text]; t.Kind == '"' && what == "line" && comma != 0 {
		// Columns are for whole lines: a string in a line has no header.
		return &form{kind: byColumns, comma: comma}
	}
	f := &form{}
	expression := func(t *tree) {
		text := p.String(t, "a regular expression")
		r, err := regexp.Compile(text)
		switch {
		case err != nil:
			p.Fail(t, "%s is not a regular expression: %s", what, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		case strings.Join(r.SubexpNames(), "") == "":
			known := `"logfmt"`
			if what == "line" {
				known += `, "csv"`
			}
			p.Fail(t, "%s must have a named group, as in (?<host>\\S+), or be %s", what, known)
		default:
			f.patterns = append(f.patterns, r)
		}
	}
	p.oneOrMore(t, what, expression)
	return f
}

// groups returns the names of all groups.
func (f *form) groups() []string {
	var names []string
	for _, p := range f.patterns {
		for _, name := range p.SubexpNames() {
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// within fills the slots below n from w.text[from:to], a text with fields. It returns false if the
// text has another form: a string then has no fields, while a line has a mistake, and w.Err
// describes it.
func (w *walker) within(n *node, from, to int) bool {
	// If the node occurs again on this line, its name is repeated.
	w.seen[n.id] = w.stamp
	switch {
	case n.form == nil:
		return w.json(n, from, to)
	case n.form.kind == byLogfmt:
		w.scanner = scan(w.text, from, to)
		return w.pairs(n)
	}
	// The first pattern that matches wins, in the order of the mapping.
	for _, p := range n.form.patterns {
		at := p.FindSubmatchIndex(w.text[from:to])
		if at == nil {
			continue
		}
		for i, name := range p.SubexpNames() {
			c := n.child(name)
			// The slot of a group that did not take part in the match stays empty.
			if c == nil || name == "" || at[2*i] < 0 {
				continue
			}
			w.give(c, value{kind: stringKind, style: bare, from: int32(from + at[2*i]), to: int32(from + at[2*i+1])})
		}
		return true
	}
	if len(n.form.patterns) > 1 {
		return w.Fail(from, "the line matches none of the expressions of the mapping")
	}
	return w.Fail(from, "the line does not match the expression of the mapping")
}

// give puts a string into the slot of its node, and fills the slots below.
func (w *walker) give(n *node, v value) {
	if n.each >= 0 || len(n.children) > 0 {
		w.inside(n, v)
	}
	w.fill(n, v)
}

// inside fills the slots below n from a string. They stay empty if the string has another form.
func (w *walker) inside(n *node, v value) {
	before := w.scanner
	from, to := int(v.from), int(v.to)
	// The decoded text is appended to the chunk's text, so that its fields have offsets.
	if v.style == escapes || !utf8.Valid(w.text[from:to]) {
		from = len(w.text)
		w.text = v.decode(w.text, w.text)
		to = len(w.text)
	}
	if !w.within(n, from, to) {
		w.clear(n)
	}
	// The walk of the line continues after the string.
	w.scanner = before
}

// clear empties the slots below a node.
func (w *walker) clear(n *node) {
	if n.each >= 0 {
		w.row[w.loops[n.each].slot] = value{}
	}
	for _, c := range n.children {
		if c.node.slot >= 0 {
			w.row[c.node.slot] = value{}
		}
		w.clear(c.node)
	}
}

// json fills the slots below n from a text that is a JSON object or array, and returns false for any
// other text.
func (w *walker) json(n *node, from, to int) bool {
	s := scan(w.text, from, to)
	if b := s.Next(); b != '{' && b != '[' {
		return false
	}
	start := s.Pos
	// The whole text must be one value; otherwise it is text for people.
	if s.value(); s.Err != nil || !s.Ended() {
		return false
	}
	w.scanner = scan(w.text, start, to)
	return w.along(n) // the caller then puts the string into the slot of n
}

// pairs fills the slots below n from the text of w in logfmt: keys, each perhaps with = and a value,
// separated by blanks. A value is a string in quotes, as in JSON, or ends at a blank.
func (w *walker) pairs(n *node) bool {
	for {
		for w.Pos < len(w.Text) && w.Text[w.Pos] <= ' ' {
			w.Pos++
		}
		if w.Pos == len(w.Text) {
			return true
		}
		key := value{kind: stringKind, style: bare, from: int32(w.Pos)}
		for w.Pos < len(w.Text) && w.Text[w.Pos] > ' ' && w.Text[w.Pos] != '=' && w.Text[w.Pos] != '"' {
			w.Pos++
		}
		key.to = int32(w.Pos)
		if key.from == key.to {
			return w.Fail(w.Pos, "a key is expected before = or a quote")
		}
		// A key alone has the empty text as its value.
		v := value{kind: stringKind, style: bare, from: key.to, to: key.to}
		switch {
		case w.peek() == '"':
			return w.Fail(w.Pos, "= is expected between a key and a string in quotes")
		case w.peek() == '=':
			w.Pos++
			if w.peek() == '"' {
				v.from = int32(w.Pos) + 1
				// A value without escapes ends at the next quote: no scanner is needed.
				if n := bytes.IndexAny(w.Text[v.from:len(w.Text)], `"\`); n >= 0 && w.Text[int(v.from)+n] == '"' {
					w.Pos = int(v.from) + n + 1
				} else {
					v.style = escapes
					if _, ok := w.Quoted(); !ok {
						return false
					}
				}
				v.to = int32(w.Pos) - 1
				break
			}
			v.from = int32(w.Pos)
			// A value without quotes ends at a blank. A quote in it is most likely a mistake of
			// the logger.
			for w.Pos < len(w.Text) && w.Text[w.Pos] > ' ' {
				if w.Text[w.Pos] == '"' {
					return w.Fail(w.Pos, "a quote within a value: a value with quotes must be in quotes")
				}
				w.Pos++
			}
			v.to = int32(w.Pos)
		}
		c := n.find(w.text, key)
		if c == nil {
			continue
		}
		// Keys that no pointer needs may repeat.
		if w.seen[c.id] == w.stamp {
			return w.Fail(int(key.from), repeatedName)
		}
		w.seen[c.id] = w.stamp
		w.give(c, v)
	}
}

// A table reads the lines of a piece of CSV. Each line is a record; the first line of a file names
// the columns.
type table struct {
	*walker
	names []string     // the names of the columns; nil before the line that names them
	nodes []*node      // the nodes of the columns; nil for columns that no pointer needs
	input bytes.Reader // a single line for csv, so that an open quote ends with its line
	csv   *csv.Reader
}

// newTable returns a table for a piece. head is the line that names the columns, if it is in an
// earlier piece; otherwise nil.
func newTable(w *walker, head []byte) *table {
	t := &table{walker: w}
	t.csv = csv.NewReader(&t.input)
	t.csv.Comma = w.line.root.form.comma
	t.csv.ReuseRecord = true
	// The number of fields is checked below, with a message in terms of the header.
	t.csv.FieldsPerRecord = -1
	if head != nil {
		t.input.Reset(head)
		names, _ := t.csv.Read() // the piece with the head reports its mistakes
		t.columns(names)
	}
	return t
}

// columns sets the names and the nodes of the columns.
func (t *table) columns(names []string) {
	t.names = slices.Clone(names)
	t.nodes = nil
	for _, name := range names {
		t.nodes = append(t.nodes, t.line.root.child(name))
	}
}

// record reads text[from:to] as a record, like lineOf for lines of other forms.
func (t *table) record(from, to int) bool {
	t.Err = nil
	t.input.Reset(t.text[from : to+1])
	fields, err := t.csv.Read()
	var wrong *csv.ParseError
	switch {
	// After a quote without an end, the reader continues beyond the line, and so does the
	// position of its error.
	case errors.As(err, &wrong) && from+wrong.Column > to:
		return t.Fail(from, "a field in quotes goes on over the end of the line")
	case wrong != nil:
		return t.Fail(from+wrong.Column-1, "%v", wrong.Err)
	case t.names == nil:
		t.columns(fields)
		for i, n := range t.nodes {
			if n != nil && slices.Contains(t.nodes[:i], n) {
				_, column := t.csv.FieldPos(i)
				return t.Fail(from+column-1, "a column that the mapping needs is there twice")
			}
		}
		return true
	case len(fields) != len(t.names):
		return t.Fail(from, "the line has %s, but the first line of the file names %s", graphs.Plural(len(fields), "field"), graphs.Plural(len(t.names), "column"))
	}
	t.begin()
	for i, n := range t.nodes {
		if n != nil {
			_, column := t.csv.FieldPos(i)
			t.give(n, t.field(fields[i], from+column-1))
		}
	}
	return true
}

// field returns the value of a field at an offset. A field with doubled quotes differs from its text
// in the line, so its value is appended to the text.
func (w *walker) field(text string, at int) value {
	if at < len(w.text) && w.text[at] == '"' {
		at++
	}
	// Doubled quotes in a field stand for a single one.
	if !bytes.HasPrefix(w.text[min(at, len(w.text)):], []byte(text)) {
		at = len(w.text)
		w.text = append(w.text, text...)
	}
	return value{kind: stringKind, style: bare, from: int32(at), to: int32(at + len(text))}
}
