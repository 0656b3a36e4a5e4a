package vacuity

import (
	"slices"
	"strings"
	"unicode"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// values reports comparisons of variables with a string that they never have, if another variable
// of that name has it, or if a variable of that name has a similar string.
func (s *search) values(resolved *syntax.Formula) {
	type comparison struct{ variable, text string }
	var order []comparison
	at := make(map[comparison]int)
	mentioned := make(map[comparison][]*graphs.Variable)
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
			key := comparison{variable.Text, text.Text}
			if mentioned[key] == nil {
				at[key] = text.Pos
				order = append(order, key)
			}
			mentioned[key] = append(mentioned[key], v)
		}
	})
	texts := make(map[*graphs.Variable][]string) // the values of a variable, each once
	has := func(v *graphs.Variable, text string) bool {
		if texts[v] == nil {
			texts[v] = []string{v.Init.Text()}
			seen := map[string]bool{v.Init.Text(): true}
			for i := range v.Len() {
				if t := v.Value(i).Text(); !seen[t] {
					seen[t] = true
					texts[v] = append(texts[v], t)
				}
			}
		}
		return slices.Contains(texts[v], text)
	}

	for _, key := range order {
		if slices.ContainsFunc(mentioned[key], func(v *graphs.Variable) bool { return has(v, key.text) }) {
			continue
		}
		all := s.c.VariablesNamed(key.variable)
		name := key.variable
		if vs := mentioned[key]; len(vs) == 1 && len(all) > 1 {
			name = s.name(vs[0])
		}
		if k := slices.IndexFunc(all, func(v *graphs.Variable) bool { return v.Kind == graphs.String && has(v, key.text) }); k >= 0 {
			s.report(Value, at[key], "%s is never %q, but %s is", name, key.text, s.name(all[k]))
			continue
		}
		if like := s.like(all, texts, key.text); like != "" {
			s.report(Value, at[key], "%s is never %q (did you mean %q?)", name, key.text, like)
		}
	}
}

// name returns x@P1, or x for a shared variable.
func (s *search) name(v *graphs.Variable) string {
	if v.Process == graphs.Shared {
		return v.Name
	}
	return (&syntax.Expr{Op: syntax.ExprVar, Text: v.Name, Process: syntax.Name{Text: s.c.Processes()[v.Process]}}).String()
}

// like returns a value of the variables that is similar to a text, "" if there is none.
func (s *search) like(vs []*graphs.Variable, texts map[*graphs.Variable][]string, text string) string {
	var all []string
	for _, v := range vs {
		for _, t := range texts[v] {
			if alike(t, text) {
				return t
			}
			all = append(all, t)
		}
	}

	slices.Sort(all)
	if near := syntax.Nearest(text, slices.Compact(all)); len(near) > 0 {
		return near[0]
	}
	return ""
}

// alike reports whether two strings are equal except for case and punctuation, or one contains the
// other and both are long enough to be words.
func alike(a, b string) bool {
	const word = 3
	a, b = letters(a), letters(b)
	if a == b {
		return a != ""
	}
	return min(len(a), len(b)) >= word && (strings.Contains(a, b) || strings.Contains(b, a))
}

// letters returns the letters and digits of a string in lower case.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}
