package online

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	known "github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// scope is what a formula may speak of in a stream.
type scope struct{ s *stream.Stream }

func (s scope) Processes() []string                   { return s.s.Processes() }
func (s scope) LookupProcess(name string) (int, bool) { return s.s.Process(name) }

func (s scope) Variable(process int, name string) (syntax.Type, bool) {
	k := s.s.Kind(process, name)
	return known.TypeOf(k), k != graphs.NoKind
}

func (s scope) Owners(name string) []int {
	var owners []int
	for p := graphs.Shared; p < len(s.s.Processes()); p++ {
		if s.s.Kind(p, name) != graphs.NoKind {
			owners = append(owners, p)
		}
	}
	return owners
}

func (s scope) VariableNames() []string {
	var names []string
	seen := make(map[string]bool)
	for _, name := range s.s.Variables {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}
