package atoms

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// Scope returns what a formula may speak of in c, for syntax.Resolve.
func Scope(c *graphs.Computation) syntax.Scope { return scope{c} }

type scope struct{ c *graphs.Computation }

func (s scope) Processes() []string                   { return s.c.Processes() }
func (s scope) LookupProcess(name string) (int, bool) { return s.c.ProcessNumber(name) }

func (s scope) Variable(process int, name string) (syntax.Type, bool) {
	v := s.c.Variable(process, name)
	if v == nil {
		return syntax.UnknownType, false
	}
	return typeOf(v.Kind), true
}

func (s scope) Owners(name string) []int {
	var owners []int
	for _, v := range s.c.VariablesNamed(name) {
		owners = append(owners, v.Process)
	}
	return owners
}

func (s scope) VariableNames() []string {
	var names []string
	seen := make(map[string]bool)
	for _, v := range s.c.Variables() {
		if !seen[v.Name] {
			seen[v.Name] = true
			names = append(names, v.Name)
		}
	}
	return names
}

func typeOf(k graphs.Kind) syntax.Type {
	switch k {
	case graphs.Number:
		return syntax.NumberType
	case graphs.Bool:
		return syntax.BoolType
	case graphs.String:
		return syntax.StringType
	}
	return syntax.UnknownType
}
