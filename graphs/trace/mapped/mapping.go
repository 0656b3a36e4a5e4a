package mapped

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/internal/nearmiss"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
)

// A Mapping says what the lines of a log mean. Parse makes one from the text of a
// mapping file. It is not changed by use, and safe for concurrent use.
type Mapping struct {
	Name        string
	Description string // one line for people
	Example     string // a command or formula for people

	sum        string // SHA-256 of the text, in hexadecimal
	lowerBound string // why causality is only a lower bound, "" where it is exact
	files      string // pattern for names of files, "" for all
	fileNames  string // pattern for names of files whose * is the process, "" where lines say it
	skip       bool   // lines that do not fit

	line  *frame
	loops []loop
	nodes int32

	events    condition // nil for all lines
	process   name
	label     *name
	time      *moment
	clock     int32 // slot, -1 for none
	messages  []messages
	variables []variable
	writes    []writes
	initial   []initial
	first     bool // the first value of a variable is its initial one
}

// messages finds the events that send and receive one kind of message.
type messages struct {
	loop  int32     // -1: the line itself
	when  condition // on the line
	sides [3]*side  // where it is sent, received, and lost, which may be nil
}

// side is one end of a kind of message.
type side struct {
	kind  endKind
	when  condition // on the line
	where condition // on the element
	key   []int32
	to    *name
}

// moment is where the time is, in one field or several.
type moment struct {
	name   *name
	layout string // as package time has it, "" for those known
}

// decoding says what a string stands for.
type decoding uint8

const (
	asText   decoding = iota
	asTLA             // a value in TLA+
	asNumber          // a number
	asValue           // a number, true or false, or else the text
	asTime            // a time as in RFC 3339: seconds since 1970
)

// decodings are their names in mappings.
var decodings = map[string]decoding{"tla": asTLA, "number": asNumber, "value": asValue, "time": asTime}

// variable is one that lines assign.
type variable struct {
	name  string
	rules []rule
}

// rule says what an event assigns.
type rule struct {
	when  condition
	slot  int32        // of the value, -1 for a constant
	value graphs.Value // a constant
	how   how          // it is set or added
	read  decoding     // of a string
}

// writes says that elements of an array are assignments.
type writes struct {
	loop                          int32
	when                          condition // on the line
	where                         condition // on the element
	name, index, own, value, prev int32     // slots of the element, -1 for none
	rename                        map[string]string
	read                          decoding
}

// initial is the value of a variable on all processes before the first assignment.
type initial struct {
	name  string
	value graphs.Value
}

// Parse reads a mapping file. Messages about the mapping begin with name, its name. Errors are
// *trace.Error with a place in the mapping file.
func Parse(name string, text []byte) (*Mapping, error) {
	var trees jsonstream.TreeReader
	t, err := trees.Read(name, 1, withoutComments(text), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	// -1 is no slot, and 0 is the first.
	p := &parser{m: &Mapping{Name: name, sum: hex.EncodeToString(sum[:]), clock: -1}}
	p.mapping(t)
	if err := p.Err(); err != nil {
		return nil, err
	}
	return p.m, nil
}

// withoutComments puts blanks in the place of lines that begin with two slashes, so that the
// rest keeps its places.
func withoutComments(text []byte) []byte {
	var clean []byte
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("//")) {
			// Blanks and not nothing, so that errors have their lines and columns.
			line = bytes.Repeat([]byte{' '}, len(line))
			line[len(line)-1] = '\n'
		}
		clean = append(clean, line...)
	}
	return clean
}

// Sum returns the SHA-256 of the text of the mapping, in hexadecimal.
func (m *Mapping) Sum() string { return m.sum }

// Skipping returns a mapping like m that skips lines that do not fit, as "skip" does.
func (m *Mapping) Skipping() *Mapping {
	skipping := *m
	skipping.skip = true
	return &skipping
}

// A parser turns the tree of a mapping file into a Mapping.
type parser struct {
	jsonstream.Checker
	m *Mapping
}

// A tree is a value of a mapping file.
type tree = jsonstream.Tree

// mapping reads the object of a mapping. Each key has a function of its own.
func (p *parser) mapping(t *tree) {
	m := p.m
	m.line = newFrame(&m.nodes)
	ignore := func(*tree) {}
	// Forms come before the pointers, which are checked against their groups.
	p.forms(t)
	p.Fields(t, "a mapping", map[string]func(*tree){
		"description": func(t *tree) { m.Description = p.String(t, "a description") },
		"example":     func(t *tree) { m.Example = p.String(t, "an example") },
		"lower_bound": func(t *tree) {
			if m.lowerBound = p.String(t, "lower_bound"); m.lowerBound == "" {
				p.Fail(t, "lower_bound must say why in a few words")
			}
		},
		"files": func(t *tree) {
			if m.files = p.String(t, "files"); m.files == "" {
				p.Fail(t, "files must be a pattern, in which * matches any text")
			}
		},
		"events":    func(t *tree) { m.events = p.condition(t, m.line) },
		"line":      ignore, // above, before the pointers
		"texts":     ignore,
		"skip":      func(t *tree) { m.skip = p.Bool(t, "skip") },
		"process":   p.process,
		"label":     func(t *tree) { m.label = p.nameOf(t, m.line) },
		"time":      p.time,
		"clock":     func(t *tree) { m.clock = p.pointer(t, m.line) },
		"messages":  func(t *tree) { p.Each(t, "messages", p.messages) },
		"variables": p.variables,
		"writes":    func(t *tree) { p.Each(t, "writes", p.writes) },
		"initial":   ignore, // below, after the variables
	})
	if m.process.parts == nil {
		p.Fail(t, `"process" is missing: a mapping must say what the process of an event is`)
	}
	// Initial values are checked against the names of variables.
	if initial := t.Member("initial"); initial != nil {
		p.initial(initial.Value)
	}
	// All pointers are known now, so the groups of expressions can be connected to nodes.
	m.line.root.resolve()
}

// forms reads what says how lines, and strings in them, have fields.
func (p *parser) forms(t *tree) {
	if line := t.Member("line"); line != nil {
		p.m.line.root.form = p.form(line.Value, "line")
	}
	texts := t.Member("texts")
	if texts == nil {
		return
	}
	if texts.Value.Kind != '{' {
		p.Fail(texts.Value, "texts are an object of pointers and the forms of the strings there, not %v", texts.Value)
	}
	for _, m := range texts.Value.Members {
		tokens := p.tokens(m.Place, m.Name, p.m.line)
		if len(tokens) == 0 {
			p.Fail(m, `%q: the form of a whole line is "line"`, m.Name)
		}
		p.m.line.descend(tokens).form = p.form(m.Value, "a text")
	}
}

// known checks that a pointer to a field that expressions find leads to a group of them.
func (p *parser) known(at jsonstream.Place, pointer string, tokens []string, f *frame) {
	if f != p.m.line {
		return
	}
	n := f.root
	for i, token := range tokens {
		if n.form != nil && n.form.kind == byPattern {
			if groups := n.form.groups(); !slices.Contains(groups, token) && len(groups) > 0 {
				p.Fail(at, "%q: the expression for %s has no group %q%s", pointer, cmp.Or(strings.Join(tokens[:i], "/"), "a line"), token, nearmiss.HintOrList(token, groups))
			}
		}
		if n = n.child(token); n == nil {
			return
		}
	}
}

// process reads the name of a process: a name of fields, or a pattern for the name of the file.
func (p *parser) process(t *tree) {
	file := t.Member("file")
	if t.Kind != '{' || file == nil {
		p.m.process = *p.nameOf(t, p.m.line)
		return
	}
	p.Fields(t, "a process", map[string]func(*tree){"file": func(t *tree) {
		if p.m.fileNames = p.String(t, "file"); strings.Count(p.m.fileNames, "*") != 1 {
			p.Fail(t, "file must be a pattern for names of files with one *, which stands for the name of the process")
		}
	}})
	p.m.process = name{parts: []string{""}}
}

// time reads where the time is.
func (p *parser) time(t *tree) {
	m := &moment{}
	m.name = p.nameWith(t, p.m.line, map[string]func(*tree){"layout": func(t *tree) {
		m.layout = p.String(t, "a layout")
		// A layout that writes two different times alike shows no part of a time.
		now := time.Date(2006, 1, 2, 15, 4, 5, 0, time.UTC)
		if now.Format(m.layout) == now.AddDate(1, 1, 1).Add(3661e9).Format(m.layout) {
			p.Fail(t, `a layout shows how 2 January 2006, 15:04:05 is written, as in "2006-01-02 15:04:05,000"`)
		}
	}})
	if len(m.name.slots) == 0 {
		p.Fail(t, "a time must have a field")
	}
	p.m.time = m
}

// tokens returns the tokens of a pointer into a frame, and checks them.
func (p *parser) tokens(at jsonstream.Place, pointer string, f *frame) []string {
	tokens, wrong := splitPointer(pointer)
	if wrong != "" {
		p.Fail(at, "%q: %s", pointer, wrong)
	}
	p.known(at, pointer, tokens, f)
	return tokens
}

// pointer reads a pointer into a frame, and returns its slot.
func (p *parser) pointer(t *tree, f *frame) int32 {
	pointer := p.String(t, "a JSON pointer")
	return f.slotOf(pointer, p.tokens(t.Place, pointer, f))
}

// nameOf reads a name without members of its own.
func (p *parser) nameOf(t *tree, f *frame) *name { return p.nameWith(t, f, nil) }

// nameWith reads a name that may have more fields than others.
func (p *parser) nameWith(t *tree, f *frame, more map[string]func(*tree)) *name {
	if t.Kind == '"' {
		// One field without a format is the field itself, with empty text around it.
		return &name{[]int32{p.pointer(t, f)}, []string{"", ""}}
	}
	n := &name{}
	at := t.Place
	fields := map[string]func(*tree){
		"constant": func(t *tree) {
			if n.parts = []string{p.String(t, "a constant")}; n.parts[0] == "" {
				p.Fail(t, "a constant must not be empty")
			}
		},
		"fields": func(t *tree) {
			p.Each(t, "fields", func(t *tree) { n.slots = append(n.slots, p.pointer(t, f)) })
		},
		"format": func(t *tree) {
			at = t.Place
			parts, ok := splitFormat(p.String(t, "a format"))
			if !ok {
				p.Fail(t, `a format must have "%%s" for a field and "%%%%" for a percent sign, and no other %%`)
			}
			n.parts = parts
		},
	}
	maps.Copy(fields, more)
	p.Fields(t, "a name", fields)
	switch constant := t.Member("constant"); {
	case constant != nil && len(t.Members) > 1:
		p.Fail(constant, `a "constant" is the whole name`)
	case constant != nil:
		return n
	case n.slots == nil:
		p.Fail(t, `a name must have "fields" or be a "constant"`)
	}
	if n.parts == nil {
		if len(n.slots) > 1 {
			p.Fail(t, `a name of several fields must have a "format"`)
		}
		n.parts = []string{"", ""}
	}
	// n fields have n+1 texts around them.
	if len(n.parts) != len(n.slots)+1 {
		p.Fail(at, `the format has %d "%%s" for %d fields`, len(n.parts)-1, len(n.slots))
	}
	return n
}

// condition reads an object of pointers and wanted values, or an array of such objects: one of
// them must hold.
func (p *parser) condition(t *tree, f *frame) condition {
	var c condition
	alternative := func(t *tree) {
		if t.Kind != '{' {
			p.Fail(t, "a condition is an object of pointers and what is wanted there, or an array of such objects, not %v", t)
		}
		if len(t.Members) == 0 {
			p.Fail(t, "a condition must have a pointer")
		}
		var all []test
		for _, m := range t.Members {
			all = append(all, test{f.slotOf(m.Name, p.tokens(m.Place, m.Name, f)), p.wants(m.Value)})
		}
		c = append(c, all)
	}
	if t.Kind == '[' {
		p.Each(t, "a condition", alternative)
	} else {
		alternative(t)
	}
	return c
}

// wants reads the values wanted by a test.
func (p *parser) wants(t *tree) []want {
	switch t.Kind {
	case '[':
		var all []want
		p.Each(t, "a list of what is wanted", func(t *tree) { all = append(all, p.wants(t)...) })
		return all
	case '{':
		var w want
		p.Fields(t, "what is wanted", map[string]func(*tree){"not": func(t *tree) { w.not = p.wants(t) }})
		if w.not == nil {
			p.Fail(t, `what is wanted is a constant, an array of them, or {"not": …}`)
		}
		return []want{w}
	// Canonical, as values of lines are compared in that form.
	case '0':
		return []want{{kind: numberKind, text: canonicalNumber([]byte(t.Text))}}
	case 'n':
		return []want{{kind: nullKind}}
	case 't', 'f':
		return []want{{kind: boolKind, text: []byte(t.Text)}}
	}
	if t.Text == "*" {
		return []want{{any: true}}
	}
	return []want{{kind: stringKind, text: []byte(t.Text), glob: strings.Contains(t.Text, "*")}}
}

// loop returns the number of the loop over the elements of an array.
func (p *parser) loop(t *tree) int32 {
	pointer := p.String(t, "a JSON pointer")
	n := p.m.line.descend(p.tokens(t.Place, pointer, p.m.line))
	// Several rules may share a loop over one array.
	if n.each < 0 {
		n.each = int32(len(p.m.loops))
		p.m.loops = append(p.m.loops, loop{p.m.line.add(pointer), newFrame(&p.m.nodes)})
	}
	return n.each
}

// messages reads the kinds of message. The number of a kind is part of the keys of its
// messages, so that kinds do not mix.
func (p *parser) messages(t *tree) {
	r := messages{loop: -1}
	f := p.m.line
	if each := t.Member("each"); each != nil {
		r.loop = p.loop(each.Value)
		f = p.m.loops[r.loop].frame
	}
	p.Fields(t, "messages", map[string]func(*tree){
		"each":    func(*tree) {},
		"when":    func(t *tree) { r.when = p.condition(t, p.m.line) },
		"send":    func(t *tree) { r.sides[0] = p.side(t, sent, "a send", f) },
		"receive": func(t *tree) { r.sides[1] = p.side(t, received, "a receive", f) },
		"lost":    func(t *tree) { r.sides[2] = p.side(t, lost, "a loss", f) },
	})
	if r.sides[0] == nil || r.sides[1] == nil {
		p.Fail(t, `messages must have "send" and "receive"`)
		return
	}
	for _, s := range r.sides {
		if s != nil && len(s.key) != len(r.sides[0].key) {
			p.Fail(t, "the key of a message must have as many fields where it is sent as where it is received or lost")
		}
	}
	p.m.messages = append(p.m.messages, r)
}

// side reads one end of a kind of message.
func (p *parser) side(t *tree, kind endKind, what string, f *frame) *side {
	s := &side{kind: kind}
	known := map[string]func(*tree){
		"when": func(t *tree) { s.when = p.condition(t, p.m.line) },
		"key":  func(t *tree) { p.Each(t, "a key", func(t *tree) { s.key = append(s.key, p.pointer(t, f)) }) },
	}
	if f != p.m.line {
		known["where"] = func(t *tree) { s.where = p.condition(t, f) }
	}
	switch kind {
	case sent:
		known["to"] = func(t *tree) { s.to = p.nameOf(t, f) }
	case received:
		known["unsent"] = func(t *tree) {
			if p.Bool(t, "unsent") {
				s.kind = mayBeUnsent
			}
		}
	}
	p.Fields(t, what, known)
	if s.key == nil {
		p.Fail(t, `%s must have a "key"`, what)
	}
	// Without a condition every line would send and receive.
	if s.when == nil && s.where == nil {
		p.Fail(t, "%s must have a condition: without one, every event would be one", what)
	}
	return s
}

// variables reads the assignments of each variable.
func (p *parser) variables(t *tree) {
	if t.Kind != '{' {
		p.Fail(t, "variables are an object of names and what they are assigned, not %v", t)
	}
	for _, m := range t.Members {
		if m.Name == "" {
			p.Fail(m, "the name of a variable must not be empty")
		}
		v := variable{name: m.Name}
		if m.Value.Kind == '[' {
			p.Each(m.Value, "a list of assignments", func(t *tree) { v.rules = append(v.rules, p.rule(t)) })
		} else {
			v.rules = []rule{p.rule(m.Value)}
		}
		p.m.variables = append(p.m.variables, v)
	}
}

// rule reads one assignment.
func (p *parser) rule(t *tree) rule {
	r := rule{slot: -1}
	if t.Kind == '"' {
		r.slot = p.pointer(t, p.m.line)
		return r
	}
	said := 0
	p.Fields(t, "an assignment", map[string]func(*tree){
		"when": func(t *tree) { r.when = p.condition(t, p.m.line) },
		"at":   func(t *tree) { r.slot = p.pointer(t, p.m.line); said++ },
		"value": func(t *tree) {
			r.value = p.constant(t)
			said++
		},
		"add": func(t *tree) {
			if r.value = p.constant(t); r.value.Kind != graphs.Number {
				p.Fail(t, "only a number can be added")
			}
			r.how = adds
			said++
		},
		"decode": func(t *tree) { r.read = p.decode(t) },
	})
	if said != 1 {
		p.Fail(t, `an assignment must have exactly one of "at", "value" and "add"`)
	}
	if r.read != asText && r.slot < 0 {
		p.Fail(t, `"decode" goes with "at"`)
	}
	return r
}

// decode reads how strings become values.
func (p *parser) decode(t *tree) decoding {
	d, ok := decodings[p.String(t, "decode")]
	if !ok {
		p.Fail(t, `unknown decoding %q%s`, t.Text, nearmiss.HintOrList(t.Text, slices.Sorted(maps.Keys(decodings))))
	}
	return d
}

// constant reads a scalar as the value of a variable.
func (p *parser) constant(t *tree) graphs.Value {
	switch t.Kind {
	case '"':
		return graphs.Str(t.Text)
	case 't', 'f':
		return graphs.Boolean(t.Kind == 't')
	case '0':
		v, ok := trace.NumberOf(t.Text)
		if !ok {
			p.Fail(t, "the number %s is too large", t.Text)
		}
		return v
	}
	p.Fail(t, "a constant is a string, a number, true or false, not %v", t)
	return graphs.Value{}
}

// writes reads loops over assignments that a line lists.
func (p *parser) writes(t *tree) {
	each := t.Member("each")
	if each == nil {
		p.Fail(t, `writes must have "each", "name" and "value"`)
		return
	}
	w := writes{loop: p.loop(each.Value), name: -1, index: -1, own: -1, value: -1, prev: -1}
	f := p.m.loops[w.loop].frame
	slot := func(to *int32) func(*tree) { return func(t *tree) { *to = p.pointer(t, f) } }
	p.Fields(t, "writes", map[string]func(*tree){
		"each":     func(*tree) {},
		"when":     func(t *tree) { w.when = p.condition(t, p.m.line) },
		"where":    func(t *tree) { w.where = p.condition(t, f) },
		"name":     slot(&w.name),
		"index":    slot(&w.index),
		"own":      slot(&w.own),
		"value":    slot(&w.value),
		"previous": slot(&w.prev),
		"decode":   func(t *tree) { w.read = p.decode(t) },
		"rename": func(t *tree) {
			w.rename = make(map[string]string)
			if t.Kind != '{' {
				p.Fail(t, "rename is an object of names, not %v", t)
			}
			for _, m := range t.Members {
				if w.rename[m.Name] = p.String(m.Value, "a new name"); m.Value.Text == "" {
					p.Fail(m.Value, "the name of a variable must not be empty")
				}
			}
		},
	})
	if w.name < 0 || w.value < 0 {
		p.Fail(t, `writes must have "each", "name" and "value"`)
	}
	if w.own >= 0 && w.index < 0 {
		p.Fail(t, `"own" goes with "index"`)
	}
	p.m.writes = append(p.m.writes, w)
}

// initial reads the initial values of variables.
func (p *parser) initial(t *tree) {
	switch {
	case t.Kind == '"' && t.Text == "first":
		p.m.first = true
	case t.Kind == '{':
		var names []string
		for _, v := range p.m.variables {
			names = append(names, v.name)
		}
		for _, m := range t.Members {
			// Variables of writes get their names from lines, so no name can be called unknown.
			if len(p.m.writes) == 0 && !slices.Contains(names, m.Name) {
				p.Fail(m, "nothing assigns the variable %q%s", m.Name, nearmiss.Hint(m.Name, names))
			}
			p.m.initial = append(p.m.initial, initial{m.Name, p.constant(m.Value)})
		}
	default:
		p.Fail(t, `initial is an object of variables and constants, or "first"`)
	}
}
