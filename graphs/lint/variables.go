package lint

import (
	"slices"

	"github.com/pota-project/pota/graphs"
)

// constants reports variables that are assigned again and again and never change, by
// name.
func (s *search) constants() {
	for _, first := range s.c.Variables() {
		vs := s.c.VariablesNamed(first.Name)
		if vs[0] != first {
			continue // of a name the first has reported all
		}
		constant := slices.DeleteFunc(slices.Clone(vs), func(v *graphs.Variable) bool { return v.Len() < 2 || changes(v) })
		switch {
		case len(constant) == 0:
		case first.Process == graphs.Shared:
			s.report("constant", nil, "the shared variable %s is assigned, but never changes", first.Name)
		case len(constant) == len(vs) && len(vs) > 1:
			s.report("constant", nil, "%s is assigned, but never changes on any process", first.Name)
		default:
			var owners []string
			for _, v := range constant {
				owners = append(owners, s.c.Processes()[v.Process])
			}
			s.report("constant", nil, "%s is assigned, but never changes on %s", first.Name, list(owners))
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
