package mapped

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace/internal/nearmiss"
)

// A Mapping says what the lines of a log mean. Parse makes one from the text of a
// mapping file. It is not changed by use, and safe for concurrent use.
type Mapping struct {
	Name        string
	Description string // one line for people
	Example     string // a command or formula for people

	lowerBound string // why causality is only a lower bound, "" where it is exact
	files      string // pattern for names of files, "" for all

	line  *frame
	loops []loop
	nodes int32

	events    condition // nil for all lines
	process   name
	label     *name
	time      int32 // slot, -1 for none
	clock     int32 // slot, -1 for none
	messages  []messages
	variables []variable
	writes    []writes
	initial   []initial
	first     bool // the first value of a variable is its initial one
}

// messages says which events send and receive one kind of message.
type messages struct {
	loop                int32     // -1: the line itself
	when                condition // on the line
	send, receive, lost *side
}

// side is one end of a kind of message.
type side struct {
	when   condition // on the line
	where  condition // on the element
	key    []int32
	to     *name
	unsent bool // receives without a send are events like others
}

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
	add   bool         // it is added
	tla   bool         // the value is a text in TLA+
}

// writes says that elements of an array are assignments.
type writes struct {
	loop                          int32
	when                          condition // on the line
	where                         condition // on the element
	name, index, own, value, prev int32     // slots of the element, -1 for none
	rename                        map[string]string
	tla                           bool
}

// initial is the value of a variable on all processes before the first assignment.
type initial struct {
	name  string
	value graphs.Value
}

// Parse reads a mapping file; name stands in messages about it, and names the
// mapping. Errors are *trace.Error with a place in the mapping file.
func Parse(name string, text []byte) (m *Mapping, err error) {
	p := &parser{name: name, text: text, m: &Mapping{Name: name, time: -1, clock: -1}}
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(failure)
			if !ok {
				panic(r)
			}
			m, err = nil, f.err
		}
	}()
	t, at, wrong := parseTree(text)
	if wrong != "" {
		wrong = strings.Replace(wrong, "the line ends too soon", "the file ends too soon", 1)
		p.fail(at, "%s", wrong)
	}
	p.mapping(t)
	return p.m, nil
}

// A parser turns the tree of a mapping file into a Mapping.
type parser struct {
	name string
	text []byte
	m    *Mapping
}

// fields calls the function for each name of an object. Names that have none, and
// names that are there twice, are refused.
func (p *parser) fields(t *tree, what string, known map[string]func(*tree)) {
	if t.kind != object {
		p.fail(t.at, "%s is an object, not %s", what, t.kind)
	}
	names := make([]string, 0, len(known))
	for n := range known {
		names = append(names, n)
	}
	slices.Sort(names)
	for i, m := range t.members {
		p.once(t, i)
		f := known[m.name]
		if f == nil {
			if near := nearmiss.Find(m.name, names); near != "" {
				p.fail(m.at, "unknown key %q in %s (did you mean %q?)", m.name, what, near)
			}
			p.fail(m.at, "unknown key %q in %s (known are %s)", m.name, what, strings.Join(names, ", "))
		}
		f(m.value)
	}
}

func (p *parser) once(t *tree, i int) {
	m := t.members[i]
	if slices.ContainsFunc(t.members[:i], func(e member) bool { return e.name == m.name }) {
		p.fail(m.at, "%q is there twice", m.name)
	}
}

func (t *tree) member(name string) *tree {
	for _, m := range t.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

func (p *parser) mapping(t *tree) {
	m := p.m
	m.line = newFrame(&m.nodes)
	ignore := func(*tree) {}
	p.fields(t, "a mapping", map[string]func(*tree){
		"description": func(t *tree) { m.Description = p.str(t, "a description") },
		"example":     func(t *tree) { m.Example = p.str(t, "an example") },
		"lower_bound": func(t *tree) {
			if m.lowerBound = p.str(t, "lower_bound"); m.lowerBound == "" {
				p.fail(t.at, "lower_bound says why in a few words")
			}
		},
		"files": func(t *tree) {
			if m.files = p.str(t, "files"); m.files == "" {
				p.fail(t.at, "files is a pattern, in which * stands for any text")
			}
		},
		"events":    func(t *tree) { m.events = p.condition(t, m.line) },
		"process":   func(t *tree) { m.process = *p.nameOf(t, m.line) },
		"label":     func(t *tree) { m.label = p.nameOf(t, m.line) },
		"time":      func(t *tree) { m.time = p.pointer(t, m.line) },
		"clock":     func(t *tree) { m.clock = p.pointer(t, m.line) },
		"messages":  func(t *tree) { p.list(t, "messages", p.messages) },
		"variables": p.variables,
		"writes":    func(t *tree) { p.list(t, "writes", p.writes) },
		"initial":   ignore, // below, after the variables
	})
	if m.process.parts == nil {
		p.fail(t.at, `a mapping says what the process of an event is: "process" is missing`)
	}
	if initial := t.member("initial"); initial != nil {
		p.initial(initial)
	}
}

func (p *parser) str(t *tree, what string) string {
	if t.kind != text {
		p.fail(t.at, "%s is a string, not %s", what, t.kind)
	}
	return t.raw
}

func (p *parser) bool(t *tree, what string) bool {
	if t.kind != boolean {
		p.fail(t.at, "%s is true or false, not %s", what, t.kind)
	}
	return t.raw == "true"
}

// list calls f for each element of an array.
func (p *parser) list(t *tree, what string, f func(*tree)) {
	if t.kind != array {
		p.fail(t.at, "%s is an array, not %s", what, t.kind)
	}
	if len(t.items) == 0 {
		p.fail(t.at, "%s is empty", what)
	}
	for _, item := range t.items {
		f(item)
	}
}

// tokens returns a pointer and its tokens.
func (p *parser) tokens(t *tree) (string, []string) {
	pointer := p.str(t, "a JSON pointer")
	tokens, wrong := splitPointer(pointer)
	if wrong != "" {
		p.fail(t.at, "%q: %s", pointer, wrong)
	}
	return pointer, tokens
}

func (p *parser) pointer(t *tree, f *frame) int32 { return f.slotOf(p.tokens(t)) }

func (p *parser) nameOf(t *tree, f *frame) *name {
	if t.kind == text {
		return &name{[]int32{p.pointer(t, f)}, []string{"", ""}}
	}
	n := &name{}
	at := t.at
	p.fields(t, "a name", map[string]func(*tree){
		"fields": func(t *tree) {
			p.list(t, "fields", func(t *tree) { n.slots = append(n.slots, p.pointer(t, f)) })
		},
		"format": func(t *tree) {
			at = t.at
			parts, ok := splitFormat(p.str(t, "a format"))
			if !ok {
				p.fail(t.at, `in a format stand "%%s" for a field and "%%%%" for a percent sign`)
			}
			n.parts = parts
		},
	})
	if n.slots == nil {
		p.fail(t.at, `a name has "fields"`)
	}
	if n.parts == nil {
		if len(n.slots) > 1 {
			p.fail(t.at, `a name of several fields has a "format"`)
		}
		n.parts = []string{"", ""}
	}
	if len(n.parts) != len(n.slots)+1 {
		p.fail(at, `the format has %d "%%s" for %d fields`, len(n.parts)-1, len(n.slots))
	}
	return n
}

// condition reads an object of pointers and what is wanted there, or an array of
// such objects, one of which is to hold.
func (p *parser) condition(t *tree, f *frame) condition {
	var c condition
	alternative := func(t *tree) {
		if t.kind != object {
			p.fail(t.at, "a condition is an object of pointers and what is wanted there, or an array of such objects, not %s", t.kind)
		}
		if len(t.members) == 0 {
			p.fail(t.at, "a condition without a pointer")
		}
		var all []test
		for i, m := range t.members {
			p.once(t, i)
			tokens, wrong := splitPointer(m.name)
			if wrong != "" {
				p.fail(m.at, "%q: %s", m.name, wrong)
			}
			all = append(all, test{f.slotOf(m.name, tokens), p.wants(m.value)})
		}
		c = append(c, all)
	}
	if t.kind == array {
		p.list(t, "a condition", alternative)
	} else {
		alternative(t)
	}
	return c
}

func (p *parser) wants(t *tree) []want {
	switch t.kind {
	case array:
		var all []want
		p.list(t, "a list of what is wanted", func(t *tree) { all = append(all, p.wants(t)...) })
		return all
	case object:
		var w want
		p.fields(t, "what is wanted", map[string]func(*tree){"not": func(t *tree) { w.not = p.wants(t) }})
		if w.not == nil {
			p.fail(t.at, `what is wanted is a constant, an array of them, or {"not": …}`)
		}
		return []want{w}
	case number:
		return []want{{kind: number, text: canonicalNumber([]byte(t.raw))}}
	}
	return []want{{kind: t.kind, text: []byte(t.raw), glob: t.kind == text && strings.Contains(t.raw, "*")}}
}

// loop returns the number of the loop over the elements of an array.
func (p *parser) loop(t *tree) int32 {
	pointer, tokens := p.tokens(t)
	n := p.m.line.descend(tokens)
	if n.each < 0 {
		n.each = int32(len(p.m.loops))
		p.m.loops = append(p.m.loops, loop{p.m.line.add(pointer), newFrame(&p.m.nodes)})
	}
	return n.each
}

func (p *parser) messages(t *tree) {
	r := messages{loop: -1}
	f := p.m.line
	if each := t.member("each"); each != nil {
		r.loop = p.loop(each)
		f = p.m.loops[r.loop].frame
	}
	p.fields(t, "messages", map[string]func(*tree){
		"each":    func(*tree) {},
		"when":    func(t *tree) { r.when = p.condition(t, p.m.line) },
		"send":    func(t *tree) { r.send = p.side(t, "a send", f) },
		"receive": func(t *tree) { r.receive = p.side(t, "a receive", f) },
		"lost":    func(t *tree) { r.lost = p.side(t, "a loss", f) },
	})
	if r.send == nil || r.receive == nil {
		p.fail(t.at, `messages have "send" and "receive"`)
	}
	for _, s := range []*side{r.receive, r.lost} {
		if s != nil && len(s.key) != len(r.send.key) {
			p.fail(t.at, "the keys of a message have as many fields where it is sent as where it is received or lost")
		}
	}
	p.m.messages = append(p.m.messages, r)
}

func (p *parser) side(t *tree, what string, f *frame) *side {
	s := &side{}
	known := map[string]func(*tree){
		"when": func(t *tree) { s.when = p.condition(t, p.m.line) },
		"key":  func(t *tree) { p.list(t, "a key", func(t *tree) { s.key = append(s.key, p.pointer(t, f)) }) },
	}
	if f != p.m.line {
		known["where"] = func(t *tree) { s.where = p.condition(t, f) }
	}
	switch what {
	case "a send":
		known["to"] = func(t *tree) { s.to = p.nameOf(t, f) }
	case "a receive":
		known["unsent"] = func(t *tree) { s.unsent = p.bool(t, "unsent") }
	}
	p.fields(t, what, known)
	if s.key == nil {
		p.fail(t.at, `%s has a "key"`, what)
	}
	if s.when == nil && s.where == nil {
		p.fail(t.at, "%s says when: without a condition, every event would be one", what)
	}
	return s
}

func (p *parser) variables(t *tree) {
	if t.kind != object {
		p.fail(t.at, "variables are an object of names and what they are assigned, not %s", t.kind)
	}
	for i, m := range t.members {
		p.once(t, i)
		if m.name == "" {
			p.fail(m.at, "a variable has a name")
		}
		v := variable{name: m.name}
		if m.value.kind == array {
			p.list(m.value, "a list of assignments", func(t *tree) { v.rules = append(v.rules, p.rule(t)) })
		} else {
			v.rules = []rule{p.rule(m.value)}
		}
		p.m.variables = append(p.m.variables, v)
	}
}

func (p *parser) rule(t *tree) rule {
	r := rule{slot: -1}
	if t.kind == text {
		r.slot = p.pointer(t, p.m.line)
		return r
	}
	said := 0
	p.fields(t, "an assignment", map[string]func(*tree){
		"when": func(t *tree) { r.when = p.condition(t, p.m.line) },
		"at":   func(t *tree) { r.slot = p.pointer(t, p.m.line); said++ },
		"value": func(t *tree) {
			r.value = p.constant(t)
			said++
		},
		"add": func(t *tree) {
			if r.value = p.constant(t); r.value.Kind != graphs.Number {
				p.fail(t.at, "only a number can be added")
			}
			r.add = true
			said++
		},
		"decode": func(t *tree) { r.tla = p.decode(t) },
	})
	if said != 1 {
		p.fail(t.at, `an assignment has one of "at", "value" and "add"`)
	}
	if r.tla && r.slot < 0 {
		p.fail(t.at, `"decode" goes with "at"`)
	}
	return r
}

func (p *parser) decode(t *tree) bool {
	if p.str(t, "decode") != "tla" {
		p.fail(t.at, `unknown decoding %q (known is "tla")`, t.raw)
	}
	return true
}

func (p *parser) constant(t *tree) graphs.Value {
	switch t.kind {
	case text:
		return graphs.Str(t.raw)
	case boolean:
		return graphs.Boolean(t.raw == "true")
	case number:
		v, ok := parseNumber([]byte(t.raw))
		if !ok {
			p.fail(t.at, "the number %s is too large", t.raw)
		}
		return v
	}
	p.fail(t.at, "a constant is a string, a number, true or false, not %s", t.kind)
	return graphs.Value{}
}

func (p *parser) writes(t *tree) {
	each := t.member("each")
	if each == nil {
		p.fail(t.at, `writes have "each", "name" and "value"`)
	}
	w := writes{loop: p.loop(each), name: -1, index: -1, own: -1, value: -1, prev: -1}
	f := p.m.loops[w.loop].frame
	slot := func(to *int32) func(*tree) { return func(t *tree) { *to = p.pointer(t, f) } }
	p.fields(t, "writes", map[string]func(*tree){
		"each":     func(*tree) {},
		"when":     func(t *tree) { w.when = p.condition(t, p.m.line) },
		"where":    func(t *tree) { w.where = p.condition(t, f) },
		"name":     slot(&w.name),
		"index":    slot(&w.index),
		"own":      slot(&w.own),
		"value":    slot(&w.value),
		"previous": slot(&w.prev),
		"decode":   func(t *tree) { w.tla = p.decode(t) },
		"rename": func(t *tree) {
			w.rename = make(map[string]string)
			if t.kind != object {
				p.fail(t.at, "rename is an object of names, not %s", t.kind)
			}
			for i, m := range t.members {
				p.once(t, i)
				if w.rename[m.name] = p.str(m.value, "a new name"); m.value.raw == "" {
					p.fail(m.value.at, "a variable has a name")
				}
			}
		},
	})
	if w.name < 0 || w.value < 0 {
		p.fail(t.at, `writes have "each", "name" and "value"`)
	}
	if w.own >= 0 && w.index < 0 {
		p.fail(t.at, `"own" goes with "index"`)
	}
	p.m.writes = append(p.m.writes, w)
}

func (p *parser) initial(t *tree) {
	switch {
	case t.kind == text && t.raw == "first":
		p.m.first = true
	case t.kind == object:
		for i, m := range t.members {
			p.once(t, i)
			if len(p.m.writes) == 0 && !slices.ContainsFunc(p.m.variables, func(v variable) bool { return v.name == m.name }) {
				names := make([]string, 0, len(p.m.variables))
				for _, v := range p.m.variables {
					names = append(names, v.name)
				}
				near := ""
				if n := nearmiss.Find(m.name, names); n != "" {
					near = fmt.Sprintf(" (did you mean %q?)", n)
				}
				p.fail(m.at, "nothing assigns the variable %q%s", m.name, near)
			}
			p.m.initial = append(p.m.initial, initial{m.name, p.constant(m.value)})
		}
	default:
		p.fail(t.at, `initial is an object of variables and constants, or "first"`)
	}
}
