package native

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/admission"
	"github.com/pota-project/pota/graphs/dense"
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
	groups := dense.Group(s.symbols.Len(), func(add func(int, graphs.Handle)) {
		for _, m := range s.members {
			add(int(m.group), m.event)
		}
	})
	r.twice(&groups, func(g int, process string, h graphs.Handle) {
		id := s.symbols.At(int32(g))
		r.refuseEvent(h, opSync, id, admission.JoinedByTwo.Broken(process, id))
	})
	if r.fault != nil {
		return
	}
	for g := range groups.Len() {
		r.builder.Sync(groups.Row(g)...)
	}
}
