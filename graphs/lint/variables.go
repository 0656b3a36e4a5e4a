package lint

import (
	"slices"

	"github.com/pota-project/pota/graphs"
)

// constants reports variables that are assigned again and again and never change, by
// name.
func (s *search) constants() {
	for _, vs := range s.byName() {
		var owners []string
		for _, v := range vs {
			if v.Len() > 1 && !changes(v) {
				owners = append(owners, s.owner(v))
			}
		}
		switch {
		case len(owners) == 0:
		case len(owners) == len(vs) && len(vs) > 1:
			s.report("constant", nil, "%s is assigned, but never changes on any process",
				vs[0].Name)
		case vs[0].Process == graphs.Shared:
			s.report("constant", nil, "the shared variable %s is assigned, but never changes",
				vs[0].Name)
		default:
			s.report("constant", nil, "%s is assigned, but never changes on %s", vs[0].Name,
				list(owners))
		}
	}
}

// changes reports whether v ever has another value.
func changes(v *graphs.Variable) bool {
	for i := range v.Len() {
		if !v.Value(i).Equal(v.Init) {
			return true
		}
	}
	return false
}

// byName returns the variables grouped by name, in order of first appearance.
func (s *search) byName() [][]*graphs.Variable {
	var groups [][]*graphs.Variable
	seen := make(map[string]bool)
	for _, v := range s.c.Variables() {
		if !seen[v.Name] {
			seen[v.Name] = true
			groups = append(groups, s.c.VariablesNamed(v.Name))
		}
	}
	return groups
}

// owner names a variable with its process.
func (s *search) owner(v *graphs.Variable) string {
	if v.Process == graphs.Shared {
		return "all"
	}
	return s.c.Processes()[v.Process]
}

// asHappened reports shared variables that several processes assign.
func (s *search) asHappened() {
	var names []string
	for _, v := range s.c.Variables() {
		elsewhere := func(e graphs.Event) bool { return s.c.Process(e) != s.c.Process(v.Events()[0]) }
		if v.Process == graphs.Shared && slices.ContainsFunc(v.Events(), elsewhere) {
			names = append(names, v.Name)
		}
	}
	if names != nil {
		s.report(AsHappened, nil,
			"the assignments of %s by several processes are taken in the order in which they happened: no other order is considered", list(names))
	}
}
