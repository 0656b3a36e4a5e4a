package mermaid

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/graphs/nearmiss"
)

const (
	// The parser recurs for each block, and so does a run.
	deepest = 200 // how deep blocks may be nested
	maxName = 60  // the maximum code points of a choice in the name of an execution
)

// A parser reads text[pos:end] of a document.
type parser struct {
	*document
	pos, end int
	diagram  *Diagram
	open     []block // the open blocks, outermost first

	directives int // where the last directive ends
}

type block struct {
	word string
	at   int
}

// A line is the text of one statement.
type line struct {
	at   int
	text string // the text, trimmed
}

// next returns the next statement, or false at the end.
func (p *parser) next() (line, bool) {
	for {
		p.pos = skipComments(p.text, p.pos, p.end, p.directives)
		if p.pos == p.end {
			return line{}, false
		}
		at := p.pos
		end, next := statementEnd(p.text, at, p.end)
		p.pos = next
		if text := strings.TrimRight(p.text[at:end], " \t\r\f\v\u00a0"); text != "" {
			return line{at, text}, true
		}
	}
}

// statements reads up to the end of the open block, or of the diagram, and returns the statement
// that ends it: end, else, and or option.
func (p *parser) statements() ([]Statement, line, error) {
	var body []Statement
	for {
		l, ok := p.next()
		if !ok {
			if n := len(p.open); n > 0 {
				b := p.open[n-1]
				return nil, l, p.Errorf(b.at, "%s has no end", b.word)
			}
			return body, line{at: p.end, text: "end"}, nil
		}
		word, rest := split(l.text)
		switch word {
		case "end", "else", "and", "option":
			if len(p.open) == 0 {
				return nil, l, p.Errorf(l.at, "%s where no block is open", word)
			}
			around := p.open[len(p.open)-1].word
			switch {
			case word == "end" && rest != "":
				return nil, l, p.Errorf(l.at+len(l.text)-len(rest), "unexpected text after end: %s", quote(rest))
			case word == "else" && around != "alt", word == "option" && around != "critical",
				word == "and" && around != "par" && around != "par_over":
				return nil, l, p.Errorf(l.at, "%s in %s: expected end", word, around)
			}
			return body, l, nil
		}
		s, err := p.statement(l, word, rest)
		if err != nil {
			return nil, l, err
		}
		body = append(body, s...)
	}
}

// split returns the first word of a statement, in lower case, and the remaining text. The word is
// "" unless a blank, a colon, a brace or the end follows it.
func split(text string) (word, rest string) {
	n := 0
	for n < len(text) && (text[n] == '_' || text[n]|0x20 >= 'a' && text[n]|0x20 <= 'z') {
		n++
	}
	if n < len(text) && !strings.ContainsRune(" \t\r:{", rune(text[n])) {
		return "", text
	}
	return strings.ToLower(text[:n]), strings.TrimLeft(text[n:], " \t\r")
}

// words are the first words of statements.
var words = []string{
	"participant", "actor", "create", "destroy", "box", "loop", "alt", "else", "opt", "par", "par_over", "and", "critical",
	"option", "break", "rect", "end", "note", "activate", "deactivate", "autonumber", "title", "accTitle", "accDescr",
	"link", "links", "properties", "details",
}

// statement reads one statement, with the blocks it opens.
func (p *parser) statement(l line, word, rest string) ([]Statement, error) {
	at := l.at + len(l.text) - len(rest) // the offset of rest
	switch word {
	case "participant", "actor":
		_, err := p.declaration(at, rest)
		return nil, err
	case "create":
		word, name := split(rest)
		if word != "participant" && word != "actor" {
			return nil, p.Errorf(at, "expected participant or actor after create")
		}
		_, err := p.declaration(at+len(rest)-len(name), name)
		return nil, err
	case "destroy", "activate", "deactivate":
		known := p.diagram.Participants
		n, err := p.name(at, rest)
		if err == nil && n == len(known) { // name has just added it
			err = p.Errorf(at, "no participant %s above%s", quote(rest), nearmiss.Hint(strings.TrimSpace(rest), known))
		}
		return nil, err
	case "note":
		return p.note(l, at, rest)
	// Presentation only.
	case "title", "acctitle":
		return nil, nil
	case "autonumber", "link", "links", "properties", "details":
		// A participant may be called details, so an arrow makes this a message.
		if head, _, _ := strings.Cut(rest, ":"); !arrowIn().MatchString(head) {
			return nil, nil
		}
	case "accdescr":
		// In braces, the text may span lines and contain semicolons.
		if strings.HasPrefix(rest, "{") {
			n := strings.IndexByte(p.text[at:p.end], '}')
			if n < 0 {
				return nil, p.Errorf(at, "{ has no }")
			}
			p.pos = at + n + 1
		}
		return nil, nil
	case "box", "loop", "alt", "opt", "par", "par_over", "critical", "break", "rect":
		return p.block(l, word, rest)
	}
	return p.message(l)
}

var (
	alias  = lazy.Regexp(`(?i)\sas(\s|$)`)
	config = lazy.Regexp(`(?s)^([^@\n]*)@\{[^}]*\}`)
)

// declaration reads the text after participant, actor or create, and returns the index of the
// participant.
func (p *parser) declaration(at int, rest string) (int, error) {
	if m := config().FindStringSubmatch(p.text[at:p.end]); m != nil && strings.Contains(rest, "@{") {
		after := at + len(m[0])
		// The configuration may span several lines, beyond the statement.
		if after > at+len(rest) {
			_, p.pos = statementEnd(p.text, after, p.end)
		}
		return p.name(at, m[1])
	}

	if i := strings.Index(rest, "@{"); i >= 0 {
		return 0, p.Errorf(at+i+1, "{ has no }")
	}
	// The alias is for display; formulas use the name.
	shown := ""
	if m := alias().FindStringIndex(rest); m != nil {
		rest, shown = rest[:m[0]], plain(rest[m[1]:])
	}
	n, err := p.name(at, rest)
	if err == nil && shown != "" {
		p.diagram.Aliases[n] = shown
	}
	return n, err
}

// name returns the index of the participant of that name, and adds the participant if it is new.
func (p *parser) name(at int, text string) (int, error) {
	name := strings.TrimSpace(text)
	at += len(text) - len(strings.TrimLeft(text, " \t\r"))
	if name == "" {
		return 0, p.Errorf(at, "expected a participant")
	}
	// These characters begin arrows and texts, so a name with one of them is a misread statement.
	if i := strings.IndexAny(name, "+<>:,@"); i >= 0 {
		return 0, p.Errorf(at+i, "unexpected %q in the name of a participant", name[i:i+1])
	}
	name = decode(name)
	d := p.diagram
	n, ok := d.number[name]
	if !ok {
		n = len(d.Participants)
		d.number[name] = n
		d.Participants = append(d.Participants, name)
		d.Aliases = append(d.Aliases, "")
	}
	return n, nil
}

// decoration may follow an arrow: an activation, and the end of a central connection.
var decoration = lazy.Regexp(`^[ \t]*(?:\(\)[ \t]*)?(?:[-+][ \t]*)?(?:\(\)[ \t]*)?`)

// message reads a message.
func (p *parser) message(l line) ([]Statement, error) {
	head, text, hasText := strings.Cut(l.text, ":")
	found := arrowIn().FindStringIndex(head)
	if found == nil {
		// A near miss of a keyword explains more than the general error.
		first, _, _ := strings.Cut(head, " ")
		if near := nearmiss.Find(first, words); near != "" && !strings.EqualFold(near, first) {
			return nil, p.Errorf(l.at, "unknown statement %s (did you mean %q?)", quote(first), near)
		}
		rule := "expected a statement such as A->>B: text, not %s"
		if l.at > 0 && strings.HasSuffix(strings.TrimRight(p.text[:l.at], " \t"), ";") {
			rule += " (a semicolon in a text is #59;)"
		}
		return nil, p.Errorf(l.at, rule, quote(l.text))
	}

	from := strings.TrimSuffix(strings.TrimRight(head[:found[0]], " \t"), "()")
	a, err := p.name(l.at, from)
	if err != nil {
		return nil, err
	}
	s := Statement{Kind: Message, At: l.at, Source: l.text, From: a, Text: plain(text)}
	arrow, rest := head[found[0]:found[1]], head[found[1]:]
	s.Dotted = strings.Contains(arrow, "--")
	backwards := false // whether the head is on the left
	switch {
	case arrow[0] == '<':
		s.Sends = Both
	case arrow[0] != '-':
		backwards = true
	case strings.ContainsAny(arrow, "xX"):
		s.Sends = Lost
	}
	rest = rest[len(decoration().FindString(rest)):]

	at := l.at + len(head) - len(rest)
	if more := arrowIn().FindStringIndex(rest); more != nil {
		return nil, p.Errorf(at+more[0], "unexpected %s: a statement has one arrow", rest[more[0]:more[1]])
	}
	if s.To, err = p.name(at, rest); err != nil {
		return nil, err
	}
	if !hasText {
		return nil, p.Errorf(l.at+len(l.text), "expected : and the text of the message")
	}
	// Reverse the arrow here, because executions know only one direction.
	if backwards {
		s.From, s.To = s.To, s.From
	}

	return []Statement{s}, nil
}

var placement = lazy.Regexp(`(?i)^(left\s+of|right\s+of|over)(\s+|$)`)

// note reads the text after the word note. A note without assignments is for people, and not an
// event.
func (p *parser) note(l line, at int, rest string) ([]Statement, error) {
	m := placement().FindString(rest)
	if m == "" {
		return nil, p.Errorf(at, "expected left of, right of or over")
	}
	names, text, ok := strings.Cut(rest[len(m):], ":")
	at += len(m)
	over := strings.SplitN(names, ",", 2)
	if len(over) == 2 && !strings.EqualFold(strings.TrimSpace(m), "over") {
		return nil, p.Errorf(at+len(over[0]), "a note %s belongs to one participant", strings.TrimSpace(m))
	}
	s := Statement{Kind: Note, At: l.at, Source: l.text, Text: plain(text), Sends: Both}
	var err error
	if s.From, err = p.name(at, over[0]); err != nil {
		return nil, err
	}
	// A note over one participant has it as both From and To.
	if s.To = s.From; len(over) == 2 {
		if s.To, err = p.name(at+len(over[0])+1, over[1]); err != nil {
			return nil, err
		}
	}

	if !ok {
		return nil, p.Errorf(l.at+len(l.text), "expected : and the text of the note")
	}
	s.Initially, s.Sets, err = p.assignments(l.at+len(l.text)-len(text), text)
	if err != nil {
		return nil, err
	}
	for _, set := range s.Sets {
		for _, n := range []int{s.From, s.To} {
			// A variable has one type: the builder would refuse a later value of another type
			// without a place.
			key := [2]any{n, set.Variable}
			kind := set.Value.Kind
			switch known, ok := p.diagram.kinds[key]; {
			case !ok:
				p.diagram.kinds[key] = kind
				p.diagram.variables = append(p.diagram.variables, variable{n, set.Variable, kind})
			case known != kind:
				name := p.diagram.Participants[n]
				return nil, p.Errorf(set.at, "%s of %s is a %v, not a %v", set.Variable, name, known, kind)
			}
		}
	}

	return []Statement{s}, nil
}

var times = lazy.Regexp(`(?i)^(\d+)\s+times?$`)

// block reads a block up to its end.
func (p *parser) block(l line, word, rest string) ([]Statement, error) {
	if len(p.open) == deepest {
		return nil, p.Errorf(l.at, "blocks are nested more than %d deep", deepest)
	}
	if word == "break" {
		// The innermost loop or par decides: a break in a loop in a branch ends only that loop.
		for i := len(p.open) - 1; i >= 0 && p.open[i].word != "loop"; i-- {
			if strings.HasPrefix(p.open[i].word, "par") {
				return nil, p.Errorf(l.at, "break in a branch of par does not say how far the other branches got")
			}
		}
	}

	p.open = append(p.open, block{word, l.at})
	defer func() { p.open = p.open[:len(p.open)-1] }()
	var branches []Branch
	for text, closing := rest, ""; closing != "end"; {
		body, last, err := p.statements()
		if err != nil {
			return nil, err
		}
		// A box groups participants visually, so it cannot contain events.
		happens := func(s Statement) bool { return s.Kind != Note || len(s.Sets) > 0 }
		if i := slices.IndexFunc(body, happens); word == "box" && i >= 0 {
			return nil, p.Errorf(body[i].At, "a box holds participants only")
		}
		branches = append(branches, Branch{Name: graphs.Shorten(plain(text), maxName), Body: body})
		closing, text = split(last.text)
	}

	return flatten(l.at, word, plain(rest), branches), nil
}

// flatten returns the statements that a block contributes to executions. The first choice is always
// the one that follows the whole scenario.
func flatten(at int, word, text string, branches []Branch) []Statement {
	first := branches[0]
	if word == "alt" && len(branches) == 1 {
		word = "opt" // without an else, the body may be skipped
	}
	without := Branch{Name: "not " + first.Name}
	if first.Name == "" {
		without.Name = "no " + word
	}
	others := word // the name of further branches without a text
	var before []Statement
	switch word {
	case "loop":
		loop := Statement{Kind: Loop, At: at, Times: -1, Body: first.Body}
		// Any text except "3 times" is for people.
		if m := times().FindStringSubmatch(text); m != nil {
			n, err := strconv.Atoi(m[1])
			if err != nil {
				n = maxSteps + 1 // the run reports numbers that are too large
			}
			loop.Times = n
		}
		return []Statement{loop}
	case "alt":
		others = "else"
	case "opt":
		branches = append(branches, without)
	case "break":
		first.Breaks = true
		branches = []Branch{without, first}
	case "critical":
		// The body always happens; the options are alternatives after it.
		before, others = first.Body, "option"
		branches[0] = Branch{Name: "no option"}
	case "par", "par_over":
		return []Statement{{Kind: Par, At: at, Branches: branches}}
	default:
		return first.Body
	}
	if len(branches) == 1 {
		return before
	}
	branches[0].Name = cmp.Or(branches[0].Name, word)
	for i := range branches {
		branches[i].Name = cmp.Or(branches[i].Name, others)
	}
	return append(before, Statement{Kind: Choice, At: at, Branches: branches})
}
