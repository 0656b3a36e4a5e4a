package infer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/rctl/pattern"
	"github.com/pota-project/pota/rctl/syntax"
)

// definition matches the head of a definition, with its parameters.
var definition = lazy.Regexp(`(?m)^\s*define\s+([\pL_][\pL\pN_.]*)\s*\(([^)]*)\)`)

// Bounds on the templates of users: each of their candidates is decided on each run.
const (
	maxParameters = 3
	maxTuples     = 300 // of conditions that a template is filled with
)

// Templates are definitions with parameters. These stand for conditions on one process:
//
//	define handover(p, q) = AG(p -> A[p U q])
//
// With p and q as conditions on process i, each of them becomes forall i: handover(p, q).
type Templates struct {
	definitions *syntax.Definitions
	templates   []*template
}

// ParseTemplates reads templates, in a file of definitions. Errors are syntax.Errors, and an error
// for a definition with more than 3 parameters.
func ParseTemplates(text string) (*Templates, error) {
	t := &Templates{definitions: pattern.Formulas()}
	if _, err := t.definitions.ParseProperties(text); err != nil {
		return nil, err
	}
	for _, m := range definition().FindAllStringSubmatch(text, -1) {
		n := 1 + strings.Count(m[2], ",")
		if n > maxParameters {
			return nil, fmt.Errorf("template %s has %d parameters; at most %d are filled with conditions", m[1], n, maxParameters)
		}
		// A mistake shows where the definition is used.
		name := m[1]
		if _, err := t.definitions.Parse(name + "(true" + strings.Repeat(", true", n-1) + ")"); err != nil {
			return nil, err
		}
		t.templates = append(t.templates, &template{
			name:   name,
			safety: true,
			luck:   true,
			weight: 1,
			fill:   func(f *filler) { f.tuples(t, name, n) },
		})
	}
	return t, nil
}

// tuples fills a template of a user with literals of one class.
//
// Arguments are different literals of one class, the first of them no resting state. After
// maxTuples the rest is left out, since facts cannot sort out bad ones cheaply.
func (f *filler) tuples(t *Templates, name string, n int) {
	left := maxTuples
	var fill func(chosen []literal)
	fill = func(chosen []literal) {
		if len(chosen) == n {
			if left--; left >= 0 {
				f.add(f.defined(t, name, chosen))
			}
			return
		}
		for _, l := range f.literals {
			first := len(chosen) == 0 && !l.rest
			if first || len(chosen) > 0 && l.variable.class == chosen[0].variable.class && !slices.Contains(chosen, l) {
				fill(append(slices.Clip(chosen), l))
			}
		}
	}
	fill(nil)
}

// defined returns the candidate of a user's template.
func (f *filler) defined(t *Templates, name string, chosen []literal) *candidate {
	var arguments, words []string
	var about []*variable
	for _, l := range chosen {
		about = append(about, l.variable)
		arguments, words = append(arguments, l.of("i")), append(words, l.words())
	}
	text := fmt.Sprintf("%s%s(%s)", about[0].class.quantifier("forall", "i", about...), name, strings.Join(arguments, ", "))
	formula, err := t.definitions.Parse(text)
	if err != nil {
		panic(fmt.Sprintf("this cannot happen, because conditions stand where true could: %s: %v", text, err))
	}
	return &candidate{
		formula: formula.String(),
		says:    fmt.Sprintf("%s of %s", name, strings.Join(words, ", ")),
		slots:   chosen,
		asked:   func(g *facts) int { return intervals(g, chosen[0].number, 0) },
	}
}
