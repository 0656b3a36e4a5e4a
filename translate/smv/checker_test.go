package smv_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// What is in this file reads a model as a tool would, knows nothing of computations,
// and decides its specification by enumeration of all values of the variables.

// tree is an expression: an operator, a name or a word.
type tree struct {
	op    string // "name", "word", or the operator
	text  string
	width int
	value uint64
	sub   []*tree
}

type program struct {
	vars         []string
	widths       map[string]int
	defines      map[string]*tree
	init, invars []*tree
	trans        []*tree
	specs        []*tree
}

type parser struct {
	tokens []string
	at     int
}

func (p *parser) peek() string {
	if p.at < len(p.tokens) {
		return p.tokens[p.at]
	}
	return ""
}

func (p *parser) next() string { t := p.peek(); p.at++; return t }

func (p *parser) expect(t string) {
	if got := p.next(); got != t {
		panic(fmt.Sprintf("%q where %q was expected, after %q", got, t, p.tokens[max(0, p.at-12):p.at-1]))
	}
}

func scan(text string) []string {
	var tokens []string
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "--")
		for i := 0; i < len(line); {
			switch {
			case unicode.IsSpace(rune(line[i])):
				i++
				continue
			case line[i] > 126:
				panic("not ASCII")
			}
			j := i + 1
			word := func(b byte) bool { return b == '_' || unicode.IsLetter(rune(b)) || unicode.IsDigit(rune(b)) }
			if word(line[i]) {
				for j < len(line) && word(line[j]) {
					j++
				}
			} else {
				for _, op := range []string{"<->", ":=", "->", "<=", ">=", "!="} {
					if strings.HasPrefix(line[i:], op) {
						j = i + len(op)
						break
					}
				}
			}
			tokens = append(tokens, line[i:j])
			i = j
		}
	}
	return tokens
}

var reserved = strings.Fields("MODULE DEFINE VAR INIT INVAR TRANS CTLSPEC A E U EX AX EF AF EG AG TRUE FALSE next case esac unsigned word X F G V S T H O Y Z in union mod xor self array of boolean integer signed bool count")

func parse(text string) (m *program, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	p := &parser{tokens: scan(text)}
	m = &program{widths: map[string]int{}, defines: map[string]*tree{}}
	p.expect("MODULE")
	p.expect("main")
	name := func() string {
		n := p.next()
		for _, r := range reserved {
			if n == r {
				panic("reserved word " + n)
			}
		}
		if unicode.IsDigit(rune(n[0])) || m.widths[n] > 0 || m.defines[n] != nil {
			panic("bad or second name " + n)
		}
		return n
	}
	for p.at < len(p.tokens) {
		switch section := p.next(); section {
		case "VAR":
			for peekIs(p, 1, ":") {
				n := name()
				p.expect(":")
				p.expect("unsigned")
				p.expect("word")
				p.expect("[")
				m.widths[n], _ = strconv.Atoi(p.next())
				m.vars = append(m.vars, n)
				p.expect("]")
				p.expect(";")
			}
		case "DEFINE":
			for peekIs(p, 1, ":=") {
				n := name()
				p.expect(":=")
				m.defines[n] = p.implies()
				p.expect(";")
			}
		case "INIT", "INVAR", "TRANS", "CTLSPEC":
			e := p.implies()
			p.expect(";")
			list := map[string]*[]*tree{"INIT": &m.init, "INVAR": &m.invars, "TRANS": &m.trans, "CTLSPEC": &m.specs}[section]
			*list = append(*list, e)
		default:
			panic("section " + section)
		}
	}
	return m, nil
}

func peekIs(p *parser, ahead int, t string) bool {
	return p.at+ahead < len(p.tokens) && p.tokens[p.at+ahead] == t
}

// Precedence as in the manual, from the weakest: -> (to the right), <->, |, &,
// comparisons, +, !.
func (p *parser) implies() *tree {
	e := p.iff()
	if p.peek() == "->" {
		p.next()
		return &tree{op: "->", sub: []*tree{e, p.implies()}}
	}
	return e
}

func (p *parser) left(sub func() *tree, ops ...string) *tree {
	e := sub()
	for {
		found := false
		for _, op := range ops {
			if p.peek() == op {
				p.next()
				e = &tree{op: op, sub: []*tree{e, sub()}}
				found = true
			}
		}
		if !found {
			return e
		}
	}
}

func (p *parser) iff() *tree { return p.left(p.or, "<->") }
func (p *parser) or() *tree  { return p.left(p.and, "|") }
func (p *parser) and() *tree { return p.left(p.compare, "&") }
func (p *parser) compare() *tree {
	return p.left(p.sum, "=", "!=", "<", "<=", ">", ">=")
}
func (p *parser) sum() *tree { return p.left(p.unary, "+") }

func (p *parser) unary() *tree {
	switch t := p.next(); t {
	case "!", "EX", "AX", "EF", "AF", "EG", "AG":
		return &tree{op: t, sub: []*tree{p.unary()}}
	case "E", "A":
		p.expect("[")
		f := p.implies()
		p.expect("U")
		g := p.implies()
		p.expect("]")
		return &tree{op: t + "U", sub: []*tree{f, g}}
	case "next":
		p.expect("(")
		e := &tree{op: "next", text: p.next()}
		p.expect(")")
		return e
	case "(":
		e := p.implies()
		p.expect(")")
		return e
	case "case":
		e := &tree{op: "case"}
		for p.peek() != "esac" {
			c := p.implies()
			p.expect(":")
			e.sub = append(e.sub, c, p.implies())
			p.expect(";")
		}
		p.next()
		return e
	case "TRUE", "FALSE":
		return &tree{op: t}
	default:
		if rest, ok := strings.CutPrefix(t, "0ud"); ok {
			w, v, _ := strings.Cut(rest, "_")
			width, err1 := strconv.Atoi(w)
			value, err2 := strconv.ParseUint(v, 10, 64)
			if err1 != nil || err2 != nil || value >= 1<<width {
				panic("word " + t)
			}
			return &tree{op: "word", width: width, value: value}
		}
		if !unicode.IsLetter(rune(t[0])) {
			panic("unexpected " + t)
		}
		return &tree{op: "name", text: t}
	}
}

// value is a truth value (width 0) or a word.
type value struct {
	width int
	bits  uint64
}

func boolean(b bool) value {
	if b {
		return value{0, 1}
	}
	return value{}
}

type state map[string]uint64

// eval is strict about types: comparisons and sums are of words of one width.
func (m *program) eval(e *tree, now, then state, memo map[string]value) value {
	arg := func(i int) value { return m.eval(e.sub[i], now, then, memo) }
	truth := func(i int) bool {
		v := arg(i)
		if v.width != 0 {
			panic("a word where a truth value is wanted")
		}
		return v.bits == 1
	}
	words := func() (uint64, uint64, int) {
		x, y := arg(0), arg(1)
		if x.width != y.width || x.width == 0 {
			panic(fmt.Sprintf("%s of widths %d and %d", e.op, x.width, y.width))
		}
		return x.bits, y.bits, x.width
	}
	switch e.op {
	case "TRUE", "FALSE":
		return boolean(e.op == "TRUE")
	case "word":
		return value{e.width, e.value}
	case "name":
		if w := m.widths[e.text]; w > 0 {
			return value{w, now[e.text]}
		}
		if v, ok := memo[e.text]; ok {
			return v
		}
		d := m.defines[e.text]
		if d == nil {
			panic("undefined " + e.text)
		}
		v := m.eval(d, now, then, memo)
		memo[e.text] = v
		return v
	case "next":
		return value{m.widths[e.text], then[e.text]}
	case "!":
		return boolean(!truth(0))
	case "&":
		return boolean(truth(0) && truth(1))
	case "|":
		return boolean(truth(0) || truth(1))
	case "->":
		return boolean(!truth(0) || truth(1))
	case "<->":
		return boolean(truth(0) == truth(1))
	case "case":
		for i := 0; i < len(e.sub); i += 2 {
			if truth(i) {
				return arg(i + 1)
			}
		}
		panic("no case holds")
	case "+":
		x, y, w := words()
		return value{w, (x + y) & (1<<w - 1)}
	}
	x, y, _ := words()
	switch e.op {
	case "=":
		return boolean(x == y)
	case "!=":
		return boolean(x != y)
	case "<":
		return boolean(x < y)
	case "<=":
		return boolean(x <= y)
	case ">":
		return boolean(x > y)
	case ">=":
		return boolean(x >= y)
	}
	panic("operator " + e.op)
}

// structure is the Kripke structure of a model.
type structure struct {
	*program
	states []state
	succ   [][]int
	init   []int
	memos  []map[string]value
}

func (m *program) explore() (k *structure, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	k = &structure{program: m}
	all := func(list []*tree, now, then state, memo map[string]value) bool {
		for _, e := range list {
			if m.eval(e, now, then, memo).bits == 0 {
				return false
			}
		}
		return true
	}
	var walk func(i int, s state)
	walk = func(i int, s state) {
		if i == len(m.vars) {
			if memo := map[string]value{}; all(m.invars, s, nil, memo) {
				c := state{}
				for n, v := range s {
					c[n] = v
				}
				if all(m.init, c, nil, memo) {
					k.init = append(k.init, len(k.states))
				}
				k.states = append(k.states, c)
				k.memos = append(k.memos, memo)
			}
			return
		}
		for v := range uint64(1) << m.widths[m.vars[i]] {
			s[m.vars[i]] = v
			walk(i+1, s)
		}
	}
	walk(0, state{})
	for i, s := range k.states {
		var succ []int
		for j, t := range k.states {
			if all(m.trans, s, t, k.memos[i]) {
				succ = append(succ, j)
			}
		}
		if len(succ) == 0 {
			return nil, fmt.Errorf("no state follows %v", s)
		}
		k.succ = append(k.succ, succ)
	}
	return k, nil
}

// holds decides a specification at all states by fixpoints over infinite paths.
func (k *structure) holds(e *tree) []bool {
	n := len(k.states)
	made := func(at func(i int) bool) []bool {
		b := make([]bool, n)
		for i := range b {
			b[i] = at(i)
		}
		return b
	}
	exists := func(b []bool, i int) bool {
		for _, j := range k.succ[i] {
			if b[j] {
				return true
			}
		}
		return false
	}
	every := func(b []bool, i int) bool {
		for _, j := range k.succ[i] {
			if !b[j] {
				return false
			}
		}
		return true
	}
	fixpoint := func(start bool, step func(now []bool, i int) bool) []bool {
		now := made(func(int) bool { return start })
		for {
			changed := false
			now = made(func(i int) bool {
				b := step(now, i)
				changed = changed || b != now[i]
				return b
			})
			if !changed {
				return now
			}
		}
	}
	var f, g []bool
	if len(e.sub) > 0 && e.op != "case" && !slices.Contains([]string{"=", "!=", "<", "<=", ">", ">="}, e.op) {
		f = k.holds(e.sub[0])
	}
	if f != nil && len(e.sub) > 1 {
		g = k.holds(e.sub[1])
	}
	switch e.op {
	case "!":
		return made(func(i int) bool { return !f[i] })
	case "&":
		return made(func(i int) bool { return f[i] && g[i] })
	case "|":
		return made(func(i int) bool { return f[i] || g[i] })
	case "->":
		return made(func(i int) bool { return !f[i] || g[i] })
	case "<->":
		return made(func(i int) bool { return f[i] == g[i] })
	case "EX":
		return made(func(i int) bool { return exists(f, i) })
	case "AX":
		return made(func(i int) bool { return every(f, i) })
	case "EF":
		return fixpoint(false, func(now []bool, i int) bool { return f[i] || exists(now, i) })
	case "AF":
		return fixpoint(false, func(now []bool, i int) bool { return f[i] || every(now, i) })
	case "EG":
		return fixpoint(true, func(now []bool, i int) bool { return f[i] && exists(now, i) })
	case "AG":
		return fixpoint(true, func(now []bool, i int) bool { return f[i] && every(now, i) })
	case "EU":
		return fixpoint(false, func(now []bool, i int) bool { return g[i] || f[i] && exists(now, i) })
	case "AU":
		return fixpoint(false, func(now []bool, i int) bool { return g[i] || f[i] && every(now, i) })
	}
	return made(func(i int) bool { return k.eval(e, k.states[i], nil, k.memos[i]).bits == 1 })
}
