package mapped

import (
	"slices"

	"github.com/pota-project/pota/graphs/trace"
)

// use says what lines make use of.
type use struct {
	parts    []bool          // of the mapping, by number
	pointers map[string]bool // that lead to something
}

func newUse(m *Mapping) *use {
	return &use{make([]bool, len(m.parts)), make(map[string]bool)}
}

// idle returns what of the mapping finds nothing in the whole log: pointers, and then parts with
// their places in the mapping. Shipped mappings are for many programs, not all with all fields, so
// they are not checked.
func (l *log) idle(path string) (all []*trace.Error) {
	if l.use == nil || slices.Contains(names(), l.m.Name) {
		return nil
	}
	for _, s := range l.m.sources {
		for _, pointer := range s.line.pointers {
			if !l.use.pointers[pointer] {
				l.use.pointers[pointer] = true // once for all sources
				const msg = "the pointer %q of the mapping leads to nothing in any line"
				all = append(all, trace.Errorf(path, 0, msg, pointer))
			}
		}
	}
	for i, is := range l.use.parts {
		if p := l.m.parts[i]; !is && p.idle != "" {
			all = append(all, p.Errorf("%s", p.idle))
		}
	}
	return all
}
