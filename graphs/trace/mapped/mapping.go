package mapped

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/admission"
	"github.com/pota-project/pota/graphs/nearmiss"
	"github.com/pota-project/pota/graphs/timer"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
)

// A Mapping says what the lines of a log mean. Parse makes one from the text of a
// mapping file. It is immutable, and safe for concurrent use.
type Mapping struct {
	Name        string
	Description string // one line for people
	Example     string // a command or formula for people

	sum        string // the SHA-256 of the text, in hexadecimal
	lowerBound string // why causality is only a lower bound; "" if it is exact
	sources    []*source
	clocks     bool // whether events have vector clocks
	timers     bool // whether some values expire
	shared     bool // whether processes may share clocks
	initial    []initial
	first      bool   // whether the first value of a variable is its initial one
	parts      []part // the parts that should find something in some line
}

// A source says what the lines of some files mean. It is for all files if a mapping has no other.
type source struct {
	files     []string // patterns for names of files; nil for all files
	fileNames string   // the pattern for names of files whose * is the process; "" if lines name it
	// the percentage of a file's lines that may be skipped because they do not fit
	skip int

	line  *frame
	loops []loop
	nodes int32 // how many nodes all frames have

	part      int32
	events    condition // the lines that are events; nil for all lines
	process   name
	labels    []label  // alternatives, of which the first that a line has is used
	times     []moment // alternatives, of which the first that a line has is used
	clock     int32    // the slot of the vector clock; -1 if there is none
	clockID   *name    // the clock that gives the process its times; nil for a clock of its own
	messages  []messages
	variables []variable
	writes    []writes
}

// A part of a mapping should find something in some line; otherwise it is useless, which is noted.
// Parts have numbers; sources share the parts that stand next to "sources".
type part struct {
	jsonstream.Place
	idle string // the message if the part finds nothing
}

// messages finds the events that send and receive one kind of message.
type messages struct {
	kind  int32     // the number of the kind
	loop  int32     // the loop over messages; -1 for the line itself
	when  condition // a condition on the line
	sides [3]*side  // the ends where a message is sent, received and lost; each may be nil
}

// side is one end of a kind of message.
type side struct {
	part  int32
	kind  endKind
	when  condition // a condition on the line
	where condition // a condition on the element
	key   []int32   // the slots of the key's fields
	to    *name     // the receiver; nil if a send does not name it
}

// label is the name that describes an event.
type label struct {
	part int32
	name *name
}

// moment is the location of a time, in one field or several.
type moment struct {
	part   int32
	name   *name
	layout string // a layout of package time; "" for the forms that timeText knows
}

// decoding says how a string becomes a value.
type decoding uint8

const (
	asText   decoding = iota // the text itself
	asTLA                    // a value in TLA+
	asNumber                 // a number
	asValue                  // a number, true or false, or else the text
	asTime                   // a time as in RFC 3339, as seconds since 1970
)

// decodings maps the names of decodings in mappings.
var decodings = map[string]decoding{"tla": asTLA, "number": asNumber, "value": asValue, "time": asTime}

// variable is a variable that lines assign.
type variable struct {
	part  int32
	name  string
	rules []rule // alternatives, of which the first that applies is used
	ends  bool   // whether some of its values expire
}

// rule is an assignment to a variable.
type rule struct {
	when  condition
	slot  int32        // the slot of the value; -1 for a constant
	value graphs.Value // the constant
	how   how          // whether the value is set or added
	read  decoding     // how a string becomes a value
	ends  *ending      // the end of the value; nil if it stays
}

// ending says when the value of a variable ends, and which value follows.
type ending struct {
	until    *moment      // the time of the end; nil if the value has a duration
	ttl      int32        // the slot of the duration; -1 if it is constant
	duration string       // the constant duration
	then     graphs.Value // the value that follows; NoKind for the zero value of the type
}

// writes says that elements of an array are assignments.
type writes struct {
	loop                          int32
	when                          condition // a condition on the line
	where                         condition // a condition on the element
	name, index, own, value, prev int32     // slots of the element; -1 if there is none
	rename                        map[string]string
	read                          decoding
}

// initial is the value of a variable on all processes before the first assignment.
type initial struct {
	name  string
	value graphs.Value
}

// Parse parses the text of a mapping file. Messages about the mapping begin with its name. Errors
// are *trace.Error with a place in the mapping file.
func Parse(name string, text []byte) (*Mapping, error) {
	var trees jsonstream.TreeReader
	t, err := trees.Read(name, 1, withoutComments(text), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	p := &parser{
		m:     &Mapping{Name: name, sum: hex.EncodeToString(sum[:])},
		parts: make(map[part]int32),
		kinds: make(map[any]*messageKind),
	}
	p.mapping(t)
	if err := p.Err(); err != nil {
		return nil, err
	}
	return p.m, nil
}

// withoutComments replaces lines that begin with two slashes by blanks, so that the rest keeps its
// lines and columns.
func withoutComments(text []byte) []byte {
	var clean []byte
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("//")) {
			// Blanks, so that errors keep their lines and columns.
			line = bytes.Repeat([]byte{' '}, len(line))
			line[len(line)-1] = '\n'
		}
		clean = append(clean, line...)
	}
	return clean
}

// Sum returns the SHA-256 of the text of the mapping, in hexadecimal.
func (m *Mapping) Sum() string { return m.sum }

// Skipping returns a mapping like m that skips all lines that do not fit.
func (m *Mapping) Skipping() *Mapping {
	skipping := *m
	skipping.sources = slices.Clone(m.sources)
	for i, s := range m.sources {
		lenient := *s
		lenient.skip = 100
		skipping.sources[i] = &lenient
	}
	return &skipping
}

// A parser turns the tree of a mapping file into a Mapping.
type parser struct {
	jsonstream.Checker
	m *Mapping
	s *source // the source that is being parsed

	several  bool                 // whether the mapping has sources
	needTime *tree                // an assignment that needs times; nil if there is none
	shared   bool                 // whether the members being parsed are next to "sources", for all of them
	parts    map[part]int32       // the number of each part
	kinds    map[any]*messageKind // the kinds by name, or by position for kinds without a name
	order    []*messageKind       // the kinds in the order of the mapping
}

// A messageKind is a kind of message. Its ends may be in several entries.
type messageKind struct {
	number int32
	fields int     // how many fields its key has
	at     *tree   // the first entry
	ends   [3]bool // whether it has a send, a receive and a loss
}

// A tree is a value of a mapping file.
type tree = jsonstream.Tree

// ignore is the function for members that are parsed before or after the others.
func ignore(*tree) {}

// mapping parses the object of a mapping. Each key has a function of its own.
func (p *parser) mapping(t *tree) {
	m := p.m
	// A mapping without sources has a single source without members of its own.
	sources := []*tree{{Place: t.Place, Kind: '{'}}
	known := map[string]func(*tree){
		"description": func(t *tree) { m.Description = p.String(t, "a description") },
		"example":     func(t *tree) { m.Example = p.String(t, "an example") },
		"lower_bound": func(t *tree) {
			if m.lowerBound = p.String(t, "lower_bound"); m.lowerBound == "" {
				p.Fail(t, "lower_bound must say why in a few words")
			}
		},
		"sources": func(t *tree) {
			sources, p.several = nil, true
			p.Each(t, "sources", func(own *tree) { sources = append(sources, own) })
		},
		"initial": ignore, // below, after the variables
	}
	for name := range p.members() {
		known[name] = ignore // a member of each source
	}
	p.Fields(t, "a mapping", known)
	for _, own := range sources {
		p.source(own, t)
	}
	for _, k := range p.order {
		p.FailIf(!k.ends[0] || !k.ends[1], k.at, `messages must have "send" and "receive"`)
	}
	for _, s := range m.sources {
		if m.clocks = s.clock >= 0; m.clocks != (m.sources[0].clock >= 0) {
			p.Fail(t, "all sources must have a clock, or none: events with one and events without cannot be ordered")
		}
	}
	// Initial values are checked against the names of variables.
	if initial := t.Member("initial"); initial != nil {
		p.initial(initial.Value)
	}
}

// source parses a source: its own members, and the members of the mapping that it lacks. Variables
// are merged.
func (p *parser) source(own, mapping *tree) {
	// Slots start from 0, so -1 means that there is no clock.
	s := &source{clock: -1}
	s.part = p.part(own, "no line of the files of this source is an event")
	s.line = newFrame(&s.nodes)
	p.s = s
	p.m.sources = append(p.m.sources, s)
	members := p.members()
	rest := &tree{Place: own.Place, Kind: '{'}
	for _, m := range mapping.Members {
		if members[m.Name] != nil && (own.Member(m.Name) == nil || m.Name == "variables") {
			rest.Members = append(rest.Members, m)
		}
	}
	// Forms are parsed first, because pointers are checked against their groups.
	p.forms(own)
	p.forms(rest)
	p.Fields(own, "a source", members)
	p.shared = p.several
	p.Fields(rest, "a mapping", members)
	p.shared = false
	p.FailIf(s.process.parts == nil, own,
		`"process" is missing: a mapping must say what the process of an event is`)
	p.FailIf(p.needTime != nil && len(s.times) == 0, p.needTime, `"until" and "ttl" need the "time" of events`)
	p.FailIf(p.m.timers && s.clock >= 0, own, "%v", admission.TimerAndClock.Broken())
}

// members returns the parse functions of the members of a source.
func (p *parser) members() map[string]func(*tree) {
	s := p.s
	return map[string]func(*tree){
		"files": func(t *tree) {
			p.oneOrMore(t, "files", func(t *tree) {
				s.files = append(s.files, p.String(t, "files"))
				p.FailIf(t.Text == "", t, "files must be a pattern, in which * matches any text")
			})
		},
		"events":  func(t *tree) { s.events = p.condition(t, s.line) },
		"line":    ignore, // before the pointers
		"texts":   ignore,
		"skip":    p.skip,
		"process": p.process,
		"label": func(t *tree) {
			p.oneOrMore(t, "a label", func(t *tree) {
				s.labels = append(s.labels, label{p.part(t, "no event has this label"), p.nameOf(t, s.line)})
			})
		},
		"time": func(t *tree) {
			at := func(t *tree) { s.times = append(s.times, p.moment(t, "no event has this time")) }
			p.oneOrMore(t, "a time", at)
		},
		"clock_id":  func(t *tree) { s.clockID, p.m.shared = p.nameOf(t, s.line), true },
		"clock":     func(t *tree) { s.clock = p.pointer(t, s.line) },
		"messages":  func(t *tree) { p.Each(t, "messages", p.messages) },
		"variables": p.variables,
		"writes":    func(t *tree) { p.Each(t, "writes", p.writes) },
	}
}

// part returns the number of the part of the mapping at a place. idle is the message if the part
// finds nothing.
func (p *parser) part(at *tree, idle string) int32 {
	key := part{at.Place, idle}
	n, known := p.parts[key]
	if !known {
		n = int32(len(p.m.parts))
		p.parts[key] = n
		p.m.parts = append(p.m.parts, key)
	}
	return n
}

// oneOrMore calls read with a value, or with each element of an array.
func (p *parser) oneOrMore(t *tree, what string, read func(*tree)) {
	if t.Kind == '[' {
		p.Each(t, what, read)
		return
	}
	read(t)
}

// skip parses the share of a file's lines that need not fit: true stands for 1 percent.
func (p *parser) skip(t *tree) {
	if t.Kind != '"' {
		if p.Bool(t, "skip") {
			p.s.skip = 1
		}
		return
	}
	digits, percent := strings.CutSuffix(t.Text, "%")
	n, err := strconv.Atoi(digits)
	p.FailIf(err != nil || !percent || n < 0 || n > 100, t,
		`skip is true, or how much of a file may be skipped, as in "5%%"`)
	p.s.skip = n
}

// forms parses the forms of lines and of strings in them.
func (p *parser) forms(t *tree) {
	if line := t.Member("line"); line != nil {
		p.s.line.root.form = p.form(line.Value, "line")
	}
	texts := t.Member("texts")
	if texts == nil {
		return
	}
	p.FailIf(texts.Value.Kind != '{', texts.Value,
		"texts are an object of pointers and the forms of the strings there, not %v", texts.Value)
	for _, m := range texts.Value.Members {
		tokens := p.tokens(m.Place, m.Name, p.s.line)
		p.FailIf(len(tokens) == 0, m, `%q: the form of a whole line is "line"`, m.Name)
		p.s.line.descend(tokens).form = p.form(m.Value, "a text")
	}
}

// known checks that a pointer into a text with a regular expression leads to one of its groups.
func (p *parser) known(at jsonstream.Place, pointer string, tokens []string, f *frame) {
	// A member for several sources may have pointers that lead to something only in some of them.
	if f != p.s.line || p.shared {
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

// process parses the name of a process: a name, or a pattern for the name of the file.
func (p *parser) process(t *tree) {
	file := t.Member("file")
	if t.Kind != '{' || file == nil {
		p.s.process = *p.nameOf(t, p.s.line)
		return
	}
	p.Fields(t, "a process", map[string]func(*tree){"file": func(t *tree) {
		if p.s.fileNames = p.String(t, "file"); strings.Count(p.s.fileNames, "*") != 1 {
			p.Fail(t, "file must be a pattern for names of files with one *, which stands for the name of the process")
		}
	}})
	p.s.process = name{parts: []string{""}}
}

// moment parses the location of a time. idle is the message if no line has it.
func (p *parser) moment(t *tree, idle string) moment {
	m := moment{part: p.part(t, idle)}
	m.name = p.nameWith(t, p.s.line, map[string]func(*tree){"layout": func(t *tree) {
		m.layout = p.String(t, "a layout")
		// A layout without any part of a time formats different times alike.
		now := time.Date(2006, 1, 2, 15, 4, 5, 0, time.UTC)
		p.FailIf(now.Format(m.layout) == now.AddDate(1, 1, 1).Add(3661e9).Format(m.layout), t,
			`a layout shows how 2 January 2006, 15:04:05 is written, as in "2006-01-02 15:04:05,000"`)
	}})
	p.FailIf(len(m.name.slots) == 0, t, "a time must have a field")
	return m
}

// ttl parses how long a value stays.
func (p *parser) ttl(t *tree, ends *ending) {
	if t.Kind == '"' && !strings.HasPrefix(t.Text, "/") || t.Kind == '0' {
		ends.duration = t.Text
		if _, ok := timer.ParseDuration(t.Text, time.Second); !ok {
			p.Fail(t, `ttl is a pointer, or a duration such as "10s"`)
		}
		return
	}
	ends.ttl = p.pointer(t, p.s.line)
}

// tokens returns the tokens of a pointer into a frame, and checks them.
func (p *parser) tokens(at jsonstream.Place, pointer string, f *frame) []string {
	switch {
	case jsontext.Pointer(pointer).IsValid():
	case pointer[0] != '/':
		p.Fail(at, `%q: a JSON pointer starts with "/"`, pointer)
		return nil
	default:
		p.Fail(at, `%q: in a JSON pointer "~" is written "~0"`, pointer)
		return nil
	}
	tokens := slices.Collect(jsontext.Pointer(pointer).Tokens())
	p.known(at, pointer, tokens, f)
	return tokens
}

// pointer parses a pointer into a frame, and returns its slot.
func (p *parser) pointer(t *tree, f *frame) int32 {
	pointer := p.String(t, "a JSON pointer")
	return f.slotOf(pointer, p.tokens(t.Place, pointer, f))
}

// nameOf parses a name without additional members.
func (p *parser) nameOf(t *tree, f *frame) *name { return p.nameWith(t, f, nil) }

// nameWith parses a name with additional members, given by their parse functions.
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
			p.FailIf(!ok, t,
				`a format must have "%%s" for a field and "%%%%" for a percent sign, and no other %%`)
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
		p.FailIf(len(n.slots) > 1, t, `a name of several fields must have a "format"`)
		n.parts = []string{"", ""}
	}
	// n fields have n+1 texts around them.
	p.FailIf(len(n.parts) != len(n.slots)+1, at,
		`the format has %d "%%s" for %d fields`, len(n.parts)-1, len(n.slots))
	return n
}

// condition parses an object of pointers and wanted values, or an array of such objects: one of
// them must hold.
func (p *parser) condition(t *tree, f *frame) condition {
	var c condition
	alternative := func(t *tree) {
		p.FailIf(t.Kind != '{', t,
			"a condition is an object of pointers and what is wanted there, or an array of such objects, not %v", t)
		p.FailIf(len(t.Members) == 0, t, "a condition must have a pointer")
		var all []test
		for _, m := range t.Members {
			all = append(all, test{f.slotOf(m.Name, p.tokens(m.Place, m.Name, f)), p.wants(m.Value)})
		}
		c = append(c, all)
	}
	p.oneOrMore(t, "a condition", alternative)
	return c
}

// wants parses the values wanted by a test.
func (p *parser) wants(t *tree) []want {
	switch t.Kind {
	case '[':
		var all []want
		p.Each(t, "a list of what is wanted", func(t *tree) { all = append(all, p.wants(t)...) })
		return all
	case '{':
		var w want
		p.Fields(t, "what is wanted", map[string]func(*tree){"not": func(t *tree) { w.not = p.wants(t) }})
		p.FailIf(w.not == nil, t, `what is wanted is a constant, an array of them, or {"not": …}`)
		return []want{w}
	// Numbers are canonical, because values of lines are compared in that form.
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
	p.FailIf(pointer == "" || pointer == "/", t,
		`%q: an array within the line is expected, as in "/list"`, pointer)
	n := p.s.line.descend(p.tokens(t.Place, pointer, p.s.line))
	// Entries about the same array share a loop.
	if n.each < 0 {
		n.each = int32(len(p.s.loops))
		p.s.loops = append(p.s.loops, loop{p.s.line.add(pointer), newFrame(&p.s.nodes)})
	}
	return n.each
}

// messages parses the ends of a kind of message. The number of the kind is part of the keys of its
// messages, so that kinds do not mix.
func (p *parser) messages(t *tree) {
	r := messages{loop: -1}
	f := p.s.line
	if each := t.Member("each"); each != nil {
		r.loop = p.loop(each.Value)
		f = p.s.loops[r.loop].frame
	}
	var name any = len(p.s.messages)
	p.Fields(t, "messages", map[string]func(*tree){
		"each":    ignore,
		"kind":    func(t *tree) { name = p.String(t, "a kind of message") },
		"when":    func(t *tree) { r.when = p.condition(t, p.s.line) },
		"send":    func(t *tree) { r.sides[0] = p.side(t, sent, "a send", f) },
		"receive": func(t *tree) { r.sides[1] = p.side(t, received, "a receive", f) },
		"lost":    func(t *tree) { r.sides[2] = p.side(t, lost, "a loss", f) },
	})
	k := p.kinds[name]
	if k == nil {
		k = &messageKind{number: int32(len(p.kinds)), at: t}
		p.kinds[name] = k
		p.order = append(p.order, k)
	}
	r.kind = k.number
	for i, s := range r.sides {
		if s == nil {
			continue
		}
		if k.ends[i] = true; k.fields == 0 {
			k.fields = len(s.key)
		}
		p.FailIf(len(s.key) != k.fields, t,
			"the key of a message must have as many fields where it is sent as where it is received or lost")
	}
	p.s.messages = append(p.s.messages, r)
}

// side parses one end of a kind of message.
func (p *parser) side(t *tree, kind endKind, what string, f *frame) *side {
	s := &side{kind: kind}
	if s.part = p.part(t, ""); kind != lost { // a log need not have lost messages
		s.part = p.part(t, "no event has "+what+" like this")
	}
	known := map[string]func(*tree){
		"when": func(t *tree) { s.when = p.condition(t, p.s.line) },
		"key":  func(t *tree) { p.Each(t, "a key", func(t *tree) { s.key = append(s.key, p.pointer(t, f)) }) },
	}
	if f != p.s.line {
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
	p.FailIf(s.key == nil, t, `%s must have a "key"`, what)
	// Without a condition every line would send and receive.
	p.FailIf(s.when == nil && s.where == nil, t,
		"%s must have a condition: without one, every event would be one", what)
	return s
}

// variables parses the assignments of each variable.
func (p *parser) variables(t *tree) {
	p.FailIf(t.Kind != '{', t, "variables are an object of names and what they are assigned, not %v", t)
	for _, m := range t.Members {
		p.FailIf(m.Name == "", m, "the name of a variable must not be empty")
		own := func(v variable) bool { return v.name == m.Name }
		if p.shared && slices.ContainsFunc(p.s.variables, own) {
			continue // the source has its own
		}
		v := variable{name: m.Name}
		v.part = p.part(m.Value, fmt.Sprintf("nothing assigns the variable %q", m.Name))
		added := false
		p.oneOrMore(m.Value, "a list of assignments", func(t *tree) {
			r := p.rule(t)
			v.rules = append(v.rules, r)
			v.ends, added = v.ends || r.ends != nil, added || r.how == adds
		})
		const msg = "values of the variable %q end, so nothing can be added to it"
		p.FailIf(v.ends && added, m.Value, msg, m.Name)
		p.s.variables = append(p.s.variables, v)
	}
}

// rule parses one assignment.
func (p *parser) rule(t *tree) rule {
	r := rule{slot: -1}
	if t.Kind == '"' {
		r.slot = p.pointer(t, p.s.line)
		return r
	}
	said, limits := 0, 0
	ends := &ending{ttl: -1}
	p.Fields(t, "an assignment", map[string]func(*tree){
		"when": func(t *tree) { r.when = p.condition(t, p.s.line) },
		"at":   func(t *tree) { r.slot = p.pointer(t, p.s.line); said++ },
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
		"until": func(t *tree) {
			at := p.moment(t, "no value ends at this time")
			ends.until = &at
			limits++
		},
		"ttl":  func(t *tree) { p.ttl(t, ends); limits++ },
		"then": func(t *tree) { ends.then = p.constant(t) },
	})
	p.ends(t, &r, ends, limits)
	p.FailIf(said != 1, t, `an assignment must have exactly one of "at", "value" and "add"`)
	p.FailIf(r.read != asText && r.slot < 0, t, `"decode" goes with "at"`)
	return r
}

// ends sets the end of a rule's value, if it has one.
func (p *parser) ends(t *tree, r *rule, ends *ending, limits int) {
	switch {
	case limits == 0 && ends.then.Kind != graphs.NoKind:
		p.Fail(t, `"then" goes with "until" or "ttl"`)
	case limits > 1:
		p.Fail(t, `a value ends by "until" or by "ttl", not by both`)
	case limits == 1 && r.how == adds:
		p.Fail(t, `a number that is added does not end: "until" and "ttl" go with "at" and "value"`)
	}
	if limits == 1 {
		p.needTime = t
		r.ends = ends
		p.m.timers = true
	}
}

// decode parses the name of a decoding.
func (p *parser) decode(t *tree) decoding {
	d, ok := decodings[p.String(t, "decode")]
	if !ok {
		p.Fail(t, `unknown decoding %q%s`, t.Text, nearmiss.HintOrList(t.Text, slices.Sorted(maps.Keys(decodings))))
	}
	return d
}

// constant parses a scalar as the value of a variable.
func (p *parser) constant(t *tree) graphs.Value {
	switch t.Kind {
	case '"':
		return graphs.Str(t.Text)
	case 't', 'f':
		return graphs.Boolean(t.Kind == 't')
	case '0':
		v, ok := trace.NumberOf(t.Text)
		p.FailIf(!ok, t, "the number %s is too large", t.Text)
		return v
	}
	p.Fail(t, "a constant is a string, a number, true or false, not %v", t)
	return graphs.Value{}
}

// writes parses a loop over assignments that a line lists.
func (p *parser) writes(t *tree) {
	each := t.Member("each")
	if each == nil {
		p.Fail(t, `writes must have "each", "name" and "value"`)
		return
	}
	w := writes{loop: p.loop(each.Value), name: -1, index: -1, own: -1, value: -1, prev: -1}
	f := p.s.loops[w.loop].frame
	slot := func(to *int32) func(*tree) { return func(t *tree) { *to = p.pointer(t, f) } }
	p.Fields(t, "writes", map[string]func(*tree){
		"each":     ignore,
		"when":     func(t *tree) { w.when = p.condition(t, p.s.line) },
		"where":    func(t *tree) { w.where = p.condition(t, f) },
		"name":     slot(&w.name),
		"index":    slot(&w.index),
		"own":      slot(&w.own),
		"value":    slot(&w.value),
		"previous": slot(&w.prev),
		"decode":   func(t *tree) { w.read = p.decode(t) },
		"rename": func(t *tree) {
			w.rename = make(map[string]string)
			p.FailIf(t.Kind != '{', t, "rename is an object of names, not %v", t)
			for _, m := range t.Members {
				if w.rename[m.Name] = p.String(m.Value, "a new name"); m.Value.Text == "" {
					p.Fail(m.Value, "the name of a variable must not be empty")
				}
			}
		},
	})
	p.FailIf(w.name < 0 || w.value < 0, t, `writes must have "each", "name" and "value"`)
	p.FailIf(w.own >= 0 && w.index < 0, t, `"own" goes with "index"`)
	p.s.writes = append(p.s.writes, w)
}

// initial parses the initial values of variables.
func (p *parser) initial(t *tree) {
	switch {
	case t.Kind == '"' && t.Text == "first":
		p.m.first = true
	case t.Kind == '{':
		var names []string
		open := false // whether lines name variables of writes, so that any name may occur
		for _, s := range p.m.sources {
			for _, v := range s.variables {
				names = append(names, v.name)
			}
			open = open || len(s.writes) > 0
		}
		for _, m := range t.Members {
			if !open && !slices.Contains(names, m.Name) {
				p.Fail(m, "nothing assigns the variable %q%s", m.Name, nearmiss.Hint(m.Name, names))
			}
			p.m.initial = append(p.m.initial, initial{m.Name, p.constant(m.Value)})
		}
	default:
		p.Fail(t, `initial is an object of variables and constants, or "first"`)
	}
}
