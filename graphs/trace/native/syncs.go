package native

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/admission"
	"github.com/pota-project/pota/graphs/trace/internal/symbols"
)

// syncs groups the events that happen together.
type syncs struct {
	symbols symbols.Table
	members []member
}

// A member is an event that joins a group.
type member struct {
	group int32 // symbol of the sync id
	event graphs.Handle
}

// join notes that event h joins the group of an id.
func (s *syncs) join(h graphs.Handle, id []byte) error {
	g := s.symbols.Intern(id)
	if n := len(s.members); n > 0 && s.members[n-1] == (member{g, h}) {
		return admission.JoinedTwice.Broken(id)
	}
	s.members = append(s.members, member{g, h})
	return nil
}

// resolve ties the events of each group, in order of the groups.
func (s *syncs) resolve(r *resolver) {
	groups := make([][]graphs.Handle, s.symbols.Len())
	for _, m := range s.members {
		groups[m.group] = append(groups[m.group], m.event)
	}

	// seen[p] is g+1 once an event of p is found in group g.
	seen := make([]int, len(r.builder.Processes()))
	for g, events := range groups {
		for _, h := range events {
			p := r.builder.ProcessOf(h)
			if seen[p] == g+1 {
				id := s.symbols.At(int32(g))
				r.refuse(r.places.of(h), text(opSync, id), admission.JoinedByTwo.Broken(r.builder.Processes()[p], id))
			}
			seen[p] = g + 1
		}
	}
	if r.fault != nil {
		return
	}
	for _, events := range groups {
		r.builder.Sync(events...)
	}
}
