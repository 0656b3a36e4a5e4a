package spin

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs/lazy"
)

// token matches names, numbers, strings of printf, and operators. Two-character operators come
// before \S, so that == is not an assignment.
var token = lazy.Regexp(`'[^']*'|"[^"]*"|[A-Za-z_]\w*|\d+|\?\?|!!|==|!=|<=|>=|->|&&|\|\||<<|>>|\S`)

// An access is a variable in a statement, or a whole array if the index is unknown.
type access struct {
	name  string // the name as flat writes it, without unknown indices
	whole bool   // whether an index is unknown
	field bool   // whether it is a field of a structure
}

// An effect describes a statement.
type effect struct {
	reads, writes []access
	polls         []string // the channels that it inspects
	sends, recvs  bool     // whether it is a send or a receive
	isElse        bool
	global        bool // whether it depends on more than variables and channels
}

// analyse returns the effect of a statement. value returns the known value of a variable.
func analyse(text string, value func(name string) (int, bool)) effect {
	// The text is SPIN's own rendering of a parsed statement, so a full parser is not needed.
	p := statementParser{tokens: token().FindAllString(text, -1), value: value}
	e := &p.effect
	switch {
	case text == "else":
		e.isElse = true
		return *e
	case strings.HasPrefix(text, "goto ") || text == "break" || text == ".(goto)":
		return *e
	// C code and remote references read anything, so they are ordered with everything.
	case strings.HasPrefix(text, "c_code") || strings.Contains(text, "c_expr") || remote().MatchString(text):
		e.global = true
	}
	// A leading name may be the target of an assignment, send or receive; that is known only after
	// its indices.
	if name := p.peek(0); isName(name) && p.peek(1) != "(" {
		target := p.reference()
		switch op := p.peek(0); op {
		case "=":
			p.at++
			p.expression(len(p.tokens))
			e.writes = append(e.writes, target)
			return *e
		case "!", "!!":
			e.sends = true
			p.at++
			p.expression(len(p.tokens))
			return *e
		case "?", "??":
			e.recvs = true
			p.at++
			p.pattern(target)
			return *e
		}
		// The name was part of an expression, so start again.
		p.at = 0
		p.effect.reads = nil
	}

	p.expression(len(p.tokens))
	return *e
}

// remote matches references to labels and variables of other processes.
var remote = lazy.Regexp(`@|[\w\]]:[A-Za-z_]`)

type statementParser struct {
	tokens []string
	at     int
	value  func(name string) (int, bool)
	effect effect
}

func (p *statementParser) peek(ahead int) string {
	if p.at+ahead < len(p.tokens) {
		return p.tokens[p.at+ahead]
	}
	return ""
}

func isName(t string) bool {
	return t != "" && (t[0] == '_' || t[0]|0x20 >= 'a' && t[0]|0x20 <= 'z')
}

// reference reads a variable with its indices and fields, and records the reads of the indices.
func (p *statementParser) reference() access {
	a := access{name: p.peek(0)}
	p.at++
	for {
		switch p.peek(0) {
		case "[":
			end := p.closing()
			index := p.tokens[min(p.at+1, end):end]
			p.at++
			p.expression(end)
			p.at = end + 1
			v := &evaluator{tokens: index, value: p.value}
			i := v.binary(0)
			// Remaining tokens mean an unsupported operator. An unknown index makes the rest of the
			// name unknown; the access then stands for the whole array.
			if !v.failed && v.at == len(v.tokens) && !a.whole {
				a.name += "." + strconv.Itoa(i)
			} else {
				// From here on, no index extends the name.
				a.whole = true
			}
		case ".":
			a.field = true
			if !a.whole {
				a.name += "." + p.peek(1)
			}
			p.at += 2
		default:
			return a
		}
	}
}

// closing returns the index of the bracket that closes the current one, or the end.
func (p *statementParser) closing() int {
	depth := 0
	for i := p.at; i < len(p.tokens); i++ {
		switch p.tokens[i] {
		case "[", "(":
			depth++
		case "]", ")":
			if depth--; depth == 0 {
				return i
			}
		}
	}

	return len(p.tokens)
}

// looks are the functions that inspect a channel; volatile are names that depend on all processes.
var (
	looks    = []string{"len", "full", "empty", "nfull", "nempty"}
	volatile = []string{"timeout", "_nr_pr", "_last", "np_", "enabled", "pc_value", "get_priority", "set_priority"}
)

// expression reads the tokens up to end.
func (p *statementParser) expression(end int) {
	for p.at < end {
		t := p.peek(0)
		switch {
		// Punctuation and numbers access nothing.
		case !isName(t):
			p.at++
		case slices.Contains(volatile, t):
			p.effect.global = true
			p.at++
		case t == "run":
			p.at += 2
		// Other functions only have arguments, which the next rounds read.
		case p.peek(1) == "(":
			p.at += 2
			if slices.Contains(looks, t) && isName(p.peek(0)) {
				p.poll(p.reference())
			}
		default:
			a := p.reference()
			// q?[x] tests without receiving, so it is a look.
			if op := p.peek(0); (op == "?" || op == "??") && p.peek(1) == "[" {
				p.poll(a)
				p.at++
				stop := p.closing()
				p.at++
				p.expression(stop)
				continue
			}
			p.effect.reads = append(p.effect.reads, a)
		}
	}
}

// poll records a look at a channel, which may be an element or a field.
func (p *statementParser) poll(a access) {
	p.effect.polls = append(p.effect.polls, a.name)
}

// pattern reads the text after the ? of a receive: variables are assigned, except in eval; <>
// leaves the message in the channel.
func (p *statementParser) pattern(channel access) {
	// A receive with angle brackets copies the message.
	if p.peek(0) == "<" {
		p.poll(channel)
	}
	for p.at < len(p.tokens) {
		switch t := p.peek(0); {
		case t == "eval":
			p.at++
			end := p.closing()
			p.expression(end)
		// The underscore receives a field and drops it.
		case isName(t) && t != "_":
			p.effect.writes = append(p.effect.writes, p.reference())
		default:
			p.at++
		}
	}
}

// An evaluator computes an index.
type evaluator struct {
	tokens []string
	at     int
	value  func(name string) (int, bool)
	failed bool
}

func (v *evaluator) accept(token string) bool {
	ok := v.at < len(v.tokens) && v.tokens[v.at] == token
	if ok {
		v.at++
	}
	return ok
}

// strengths are the precedences of the operators.
var strengths = map[string]int{"+": 1, "-": 1, "*": 2, "/": 2, "%": 2}

// binary computes left-associative operators that bind more strongly than weaker.
func (v *evaluator) binary(weaker int) int {
	n := v.factor()
	for v.at < len(v.tokens) && strengths[v.tokens[v.at]] > weaker {
		op := v.tokens[v.at]
		v.at++
		m := v.binary(strengths[op])
		switch {
		case op == "+":
			n += m
		case op == "-":
			n -= m
		case op == "*":
			n *= m
		case m == 0:
			// SPIN would have stopped; the index is unknown.
			v.failed = true
		case op == "/":
			n /= m
		default:
			n %= m
		}
	}
	return n
}

// factor computes an operand: a number, a variable, an expression in parentheses, or a negated
// operand.
func (v *evaluator) factor() int {
	switch {
	case v.accept("-"):
		return -v.factor()
	case v.accept("("):
		n := v.binary(0)
		v.failed = v.failed || !v.accept(")")
		return n
	case v.at < len(v.tokens):
		t := v.tokens[v.at]
		v.at++
		if n, err := strconv.Atoi(t); err == nil {
			return n
		}
		if n, ok := v.value(t); ok && isName(t) {
			return n
		}
	}

	v.failed = true
	return 0
}
