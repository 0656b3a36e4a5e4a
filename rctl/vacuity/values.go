package vacuity

import (
	"strings"
	"unicode"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// values reports strings that no variable of a name ever has, where one has a string
// much like it.
func (s *search) values(resolved *syntax.Formula) {
	type comparison struct{ variable, text string }
	var order []comparison
	at := make(map[comparison]int)
	had := make(map[comparison]bool)
	like := make(map[comparison]string)
	texts := make(map[*graphs.Variable][]string)
	syntax.WalkExprs(resolved, func(e *syntax.Expr) {
		if e.Op != syntax.ExprCompare {
			return
		}
		for i, arg := range e.Args[1:] {
			variable, text := e.Args[i], arg
			if variable.Op == syntax.ExprString {
				variable, text = text, variable
			}
			if variable.Op != syntax.ExprVar || text.Op != syntax.ExprString {
				continue
			}
			v := s.c.Variable(variable.Owner, variable.Text)
			if v == nil || v.Kind != graphs.String {
				continue
			}
			if _, ok := texts[v]; !ok {
				texts[v] = distinct(v)
			}
			key := comparison{variable.Text, text.Text}
			if _, ok := at[key]; !ok {
				at[key] = text.Pos
				order = append(order, key)
			}
			for _, t := range texts[v] {
				had[key] = had[key] || t == text.Text
				if like[key] == "" && alike(t, text.Text) {
					like[key] = t
				}
			}
		}
	})
	for _, key := range order {
		if !had[key] && like[key] != "" {
			s.report(Value, at[key], "%s is never %q (did you mean %q?)", key.variable, key.text, like[key])
		}
	}
}

// distinct returns the values of a variable, each once.
func distinct(v *graphs.Variable) []string {
	seen := map[string]bool{v.Init.Text(): true}
	all := []string{v.Init.Text()}
	for i := range v.Len() {
		if t := v.Value(i).Text(); !seen[t] {
			seen[t] = true
			all = append(all, t)
		}
	}
	return all
}

// alike reports whether two strings are the same except for case and punctuation, or
// one is a part of the other that is long enough to be a word.
func alike(a, b string) bool {
	const word = 3
	a, b = letters(a), letters(b)
	if a == b {
		return a != ""
	}
	return min(len(a), len(b)) >= word && (strings.Contains(a, b) || strings.Contains(b, a))
}

func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}
