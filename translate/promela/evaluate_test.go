package promela

import (
	"fmt"
	"regexp"
	"strconv"
)

// evaluate evaluates an integer expression of Promela, as far as propositions have
// them.
func evaluate(text string, lookup func(string) (int64, bool)) (value int64, err error) {
	p := &parser{tokens: token.FindAllString(text, -1), lookup: lookup}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	value = p.binary(0)
	if len(p.tokens) > 0 {
		return 0, fmt.Errorf("unexpected %s", p.tokens[0])
	}
	return value, nil
}

var token = regexp.MustCompile(`->|&&|\|\||[<>=!]=|\w+|\S`)

var levels = [][]string{{"||"}, {"&&"}, {"==", "!="}, {"<", "<=", ">", ">="}, {"+", "-"}, {"*"}}

type parser struct {
	tokens []string
	lookup func(string) (int64, bool)
}

func (p *parser) accept(list ...string) string {
	for _, want := range list {
		if len(p.tokens) > 0 && p.tokens[0] == want {
			p.tokens = p.tokens[1:]
			return want
		}
	}
	return ""
}

func (p *parser) binary(level int) int64 {
	if level == len(levels) {
		return p.unary()
	}
	x := p.binary(level + 1)
	for {
		op := p.accept(levels[level]...)
		if op == "" {
			return x
		}
		y := p.binary(level + 1)
		x = map[string]int64{
			"||": truth(x != 0 || y != 0), "&&": truth(x != 0 && y != 0), "==": truth(x == y), "!=": truth(x != y),
			"<": truth(x < y), "<=": truth(x <= y), ">": truth(x > y), ">=": truth(x >= y), "+": x + y, "-": x - y, "*": x * y,
		}[op]
		if x != int64(int32(x)) {
			panic("overflow")
		}
	}
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (p *parser) unary() int64 {
	switch {
	case p.accept("!") != "":
		return truth(p.unary() == 0)
	case p.accept("-") != "":
		return -p.unary()
	case p.accept("(") != "":
		x := p.binary(0)
		if p.accept("->") != "" {
			y := p.binary(0)
			p.must(":")
			z := p.binary(0)
			if x != 0 {
				x = y
			} else {
				x = z
			}
		}
		p.must(")")
		return x
	}
	name := p.tokens[0]
	p.tokens = p.tokens[1:]
	if name == yes || name == no {
		return truth(name == yes)
	}
	if x, ok := p.lookup(name); ok {
		return x
	}
	x, err := strconv.ParseInt(name, 10, 32)
	if err != nil {
		panic(err)
	}
	return x
}

func (p *parser) must(want string) {
	if p.accept(want) == "" {
		panic("missing " + want)
	}
}
