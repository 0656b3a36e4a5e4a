package syntax

import "strings"

// This file turns a misplaced token into an error with a suggestion. Most users who meet
// such an error know another logic or a programming language, and need the spelling in formulas
// rather than the name of a grammar rule. The comments in the switches are examples of text that
// gets the hint.

// bracketHint is the hint for brackets around anything but the operands of a path operator.
const bracketHint = "brackets belong to E[p U q] and A[p U q]"

// String returns the form of a token in messages.
func (t token) String() string {
	switch t.kind {
	case tokEnd:
		return "the end"
	case tokString:
		return clip(quote(t.text))
	}
	return clip(t.text)
}

// unexpected refuses a token that neither continues nor ends the text before it. open is the
// innermost open bracket, if there is one.
func (p *parser) unexpected(open *token) {
	t := p.tok()
	operand := t.kind == tokName || t.kind == tokTemporal || t.kind == "!"
	if before := p.before(); operand && before.kind == tokName && hintFor(t.text) == "" {
		// The name before an operand may be meant as an operator.
		if hint := hintFor(before.text); hint != "" {
			p.fail(before, hint, "%s is not an operator", before)
		}
	}

	if open != nil {
		p.unclosed(open)
	} else if t.closes() {
		p.fail(t, "", "%s closes a bracket that was never opened", t.text)
	}
	p.fail(t, p.afterOperand(t), "unexpected %s", t)
}

// unclosed refuses a token that cannot stand inside of brackets, and reports that the closing
// bracket is missing.
func (p *parser) unclosed(open *token) {
	t, before, after := p.tok(), p.before(), p.peek(1)
	switch t.kind {
	case tokEnd, ")", "]", "}", ":", ",":
	default:
		// A name with a colon may start the next property of a file.
		if !t.word || after.kind != ":" {
			return
		}
	}

	want := map[string]string{"(": ")", "[": "]", "{": "}"}[open.text]
	hint := ""
	switch {
	case want == "]" && t.kind == ",":
		// E[p, q]
		hint = "as in E[p U q]"
	case t.kind == "," && before.kind == tokNumber && after.kind == tokNumber:
		// (x > 1,000)
		hint = "a number has no commas: " + before.text + after.text
	case t.kind == ",":
		// AG(p, q)
		hint = "and is written &&"
	case want == ")" && t.kind == ":" && before.word && after.word:
		// AG(n1:cs)
		hint = "the variable of a process is written x@P1"
	case t.kind == tokEnd:
		// AG(x # 1)
		hint = p.commentHint()
	}

	place := p.src.place(open.pos)
	p.fail(t, hint, "%s is missing to close the %s opened at %s, found %s", want, open.text, place,
		t)
}

// commentHint returns a warning if the text ends in a comment, which may be unintended.
func (p *parser) commentHint() string {
	if len(p.toks) < 2 {
		return ""
	}
	last := p.toks[len(p.toks)-2].pos
	_, size := next(p.src, last)
	if strings.Contains(p.src.text[last+size:], "#") {
		return "# begins a comment; the opposite of == is written !="
	}
	return ""
}

// closes reports whether t is a closing bracket.
func (t token) closes() bool {
	return t.kind == ")" || t.kind == "]" || t.kind == "}"
}

// afterOperand returns the hint for a token after a whole operand.
func (p *parser) afterOperand(t token) string {
	before := p.before()
	switch {
	case (before.text == "E" || before.text == "A") && (t.text == "F" || t.text == "G" || t.text == "X"):
		// A G p
		return "write " + before.text + t.text + " without the space"
	case t.text == "all" && before.text == "for":
		return "for all is written forall"
	case t.word && hintFor(t.text) != "":
		return hintFor(t.text)
	case t.kind == tokName && t.text == "in":
		// x in {1, 2}
		return "one of several values is written x == 1 || x == 2"
	case t.kind == "[" && before.kind == tokName:
		// x[1]
		return p.indexHint(before, t)
	case t.kind == ":" && p.i == 1 && p.src.text == p.src.file:
		// mutex: AG p
		return "a formula has a name only in a property file, which -f reads"
	case before.kind == tokName && (t.kind == tokName || t.kind == tokString):
		// x P1
		owned := clip(nameText(before.text) + "@" + nameText(t.text))
		return "an operator such as && is missing before it, or an @, as in " + owned
	case t.word || t.kind == tokNumber || t.kind == tokString || t.kind == "(" || t.kind == "!":
		return "an operator such as && is missing before it"
	}
	return map[kind]string{
		"@": "only a variable has an owner, as in x@P1",
		"[": bracketHint,
		"{": "braces list processes after in",
		":": "a colon follows forall and exists, and the name in a property file",
		",": "and is written &&",
	}[t.kind]
}

// indexHint returns the spelling for text that looks like an element of an array.
func (p *parser) indexHint(name, open token) string {
	text := p.src.text[name.pos:]
	end := strings.IndexAny(text, "]\n")
	if end < 0 || text[end] == '\n' {
		return bracketHint
	}
	inside := strings.TrimSpace(text[open.pos-name.pos+1 : end])
	if strings.HasPrefix(strings.TrimLeft(text[end+1:], " "), "@") || !isPlain(inside) {
		return "a name that is not plain is written as a string, with its process: " + clip(quote(text[:end+1])+"@P1")
	}
	return "the variable of a process is written " + clip(name.text+"@"+inside)
}

// notOperator refuses a name if the tokens after it show that an operator or a function
// was meant.
func (p *parser) notOperator() {
	t, after := p.tok(), p.peek(1)
	switch {
	case after.kind == "(" && t.text != "transit" && t.text != length:
		// EU(p, q), E(p U q), implies(p, q), sum(x), f(x)
		hint := hintFor(t.text)
		if _, path := pathOps[t.text]; path {
			hint = pathHint(t.text[:1], t.text[1:])
		} else if t.text == "E" || t.text == "A" {
			hint = pathHint(t.text, "U") + ", or " + t.text + "F, " + t.text + "G or " + t.text + "X"
		}
		switch aggregates[t.text] {
		case ExprCount:
			hint = "write (count i: cs@i)"
		case ExprSum, ExprMin, ExprMax:
			hint = "write (" + t.text + " i: x@i)"
		}
		if t.text == "has" {
			hint = "it stands in a condition, as in once(has(op))"
		}
		if hint == "" {
			hint = "the functions are transit(P, Q) and, of a channel of a program, len(q)"
			if of := p.peek(2); (of.word || of.kind == tokString) && p.peek(3).kind == ")" {
				hint = "the variable of a process is written " + clip(nameText(t.text)+"@"+nameText(of.text)) + "; " + hint
			}
		}
		p.fail(t, hint, "%s is not an operator", t)
	case after.kind == tokBad && (after.text == "[]" || after.text == "<>") && (t.text == "E" || t.text == "A"):
		// E<>p, A[] p
		if meant := map[string]string{"[]": "G", "<>": "F"}[after.text]; after.pos == t.pos+1 && p.peek(2).kind != tokEnd {
			p.fail(t, t.text+after.text+" is written "+t.text+meant, "%s%s is not an operator",
				t.text, after.text)
		}
		p.fail(t, "", "%s[ ] needs two formulas", t.text)
	}
}

// pathHint returns the right spelling for E(p U q) and EU(p, q).
func pathHint(path, op string) string {
	return "write " + path + "[p " + op + " q] with brackets"
}

// missing refuses a token in place of an operand.
func (p *parser) missing() {
	t, last := p.tok(), p.before()
	before := "" // the text of the last token for messages
	if p.i > 0 {
		before = last.String()
	}
	switch {
	case t.kind == "!", t.kind == tokTemporal, t.kind == "forall", t.kind == "exists":
		// x + !p
		p.fail(t, "a formula is true or false and has no value to calculate with or to compare",
			"%s makes a formula, where a value is expected after %s", t.text, before)
	case t.kind == "[" && last.kind == tokTemporal:
		// AG[p]
		parentheses := "the formula after " + before + " is put in parentheses: " + before + "(p); "
		p.fail(t, parentheses+bracketHint, "unexpected [")
	case t.kind == "[":
		p.fail(t, bracketHint, "unexpected [")
	case t.kind == "@":
		p.fail(t, "the variable comes first, as in x@P1", "there is no variable before @")
	case t.kind == tokRelop && last.kind == tokRelop && last.pos+1 == t.pos-1:
		// x = = 1
		p.fail(t, "write "+before+t.text+" without the space", "there is nothing between %s and %s",
			before, t.text)
	case t.kind == tokRelop && last.kind == "&&":
		// x > 1 && < 3
		p.fail(t, "two bounds are written 1 < x < 3, or x > 1 && x < 3",
			"there is nothing between %s and %s", before, t.text)
	case t.kind == "{":
		p.fail(t, "formulas are grouped by parentheses", "unexpected {")
	case t.kind == "+" && p.peek(1).kind == tokNumber:
		// x > +3
		p.fail(t, "write "+p.peek(1).text, "a number has no +")
	case before == "" && t.closes():
		p.fail(t, "", "%s closes a bracket that was never opened", t.text)
	case before == "":
		p.fail(t, "", "there is nothing before %s", t)
	case t.kind != tokEnd:
		p.fail(t, "", "there is nothing between %s and %s", before, t)
	case p.src.text != p.src.file:
		p.fail(t, "a property continues on the next line only while a bracket is open",
			"there is nothing after %s", before)
	default:
		p.fail(t, p.commentHint(), "there is nothing after %s", before)
	}
}
