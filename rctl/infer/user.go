package infer

import (
	"fmt"
	"strings"

	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/rctl/pattern"
	"github.com/pota-project/pota/rctl/syntax"
)

// definition matches the head of a definition, with its parameters.
var definition = lazy.Regexp(`(?m)^\s*define\s+([\pL_][\pL\pN_.]*)\s*\(([^)]*)\)`)

// Templates are definitions with parameters. These stand for conditions on one process:
//
//	define handover(p, q) = AG(p -> A[p U q])
//
// With p and q as conditions on process i, each of them becomes forall i: handover(p, q).
type Templates struct {
	definitions *syntax.Definitions
	templates   []*template
}

// maxInstances bounds how often a template of a user is filled, because engines decide each
// instance on each run.
const maxInstances = 300

// ParseTemplates reads templates, in a file of definitions. Errors begin with the place in it, as
// those of syntax do.
func ParseTemplates(text string) (*Templates, error) {
	t := &Templates{definitions: pattern.Formulas()}
	if _, err := t.definitions.ParseProperties(text); err != nil {
		return nil, err
	}
	for _, m := range definition().FindAllStringSubmatchIndex(text, -1) {
		name, k := text[m[2]:m[3]], form{shape: one, p: plain, q: plain, asked: intervals}
		k.formula, k.says = "∀ "+name+"(p@1)", name+" of $p"
		n := 1 + strings.Count(text[m[4]:m[5]], ",")
		if n > 2 {
			line, column := 1+strings.Count(text[:m[2]], "\n"), m[2]-strings.LastIndexByte(text[:m[2]], '\n')
			return nil, fmt.Errorf("%d:%d: template %s has %d parameters; at most 2 are filled with conditions",
				line, column, name, n)
		}
		if n == 2 {
			k.shape, k.q = same, condition
			k.formula, k.says = "∀ "+name+"(p@1, q@1)", name+" of $p, $q"
		}
		// A mistake shows where the definition is used.
		if _, err := t.definitions.Parse(name + "(true" + strings.Repeat(", true", n-1) + ")"); err != nil {
			return nil, err
		}
		t.templates = append(t.templates, &template{name: name, safety: true, luck: true, user: true, weight: 1, forms: []form{k}})
	}
	return t, nil
}
