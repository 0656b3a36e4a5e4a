package syntax

import (
	"fmt"
	"slices"
	"sort"
)

// A testScope is a Scope made of maps.
type testScope struct {
	processes []string
	variables map[int]map[string]Type // by process number, or Shared
}

func (s testScope) Processes() []string { return s.processes }

func (s testScope) LookupProcess(name string) (int, bool) {
	p := slices.Index(s.processes, name)
	return p, p >= 0
}

func (s testScope) Variable(process int, name string) (Type, bool) {
	t, ok := s.variables[process][name]
	return t, ok
}

func (s testScope) Owners(name string) []int {
	var owners []int
	for p := Shared; p < len(s.processes); p++ {
		if _, ok := s.variables[p][name]; ok {
			owners = append(owners, p)
		}
	}
	return owners
}

func (s testScope) VariableNames() []string {
	seen := map[string]bool{}
	for _, vars := range s.variables {
		for name := range vars {
			seen[name] = true
		}
	}
	var names []string
	for name := range seen {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// threeProcesses has P1, P2 and P3 with cs each, and some variables that only
// one or two of them have.
func threeProcesses() testScope {
	return testScope{
		processes: []string{"P1", "P2", "P3"},
		variables: map[int]map[string]Type{
			Shared: {"turn": NumberType, "open": BoolType},
			0:      {"cs": BoolType, "x": NumberType, "state": StringType, "only": NumberType, "odd name": BoolType},
			1:      {"cs": BoolType, "y": NumberType, "state": StringType, "ready": BoolType},
			2:      {"cs": BoolType, "x": NumberType, "z": NumberType},
		},
	}
}

// manyProcesses has n processes node-0, node-1, … with cs and x each.
func manyProcesses(n int) testScope {
	s := testScope{variables: map[int]map[string]Type{}}
	for p := range n {
		s.processes = append(s.processes, fmt.Sprintf("node-%d", p))
		s.variables[p] = map[string]Type{"cs": BoolType, "x": NumberType}
	}
	return s
}
