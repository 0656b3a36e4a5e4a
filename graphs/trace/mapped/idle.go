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
		// What no line has is found below as a whole, so its pointers are not named before.
		known := func(part int32, slots ...int32) {
			for _, slot := range slots {
				if slot >= 0 && !l.use.parts[part] {
					l.use.pointers[s.line.pointers[slot]] = true
				}
			}
		}
		for _, v := range s.variables {
			for _, r := range v.rules {
				known(v.part, r.slot)
			}
		}
		for _, label := range s.labels {
			known(label.part, label.name.slots...)
		}
		for _, m := range s.times {
			known(m.part, m.name.slots...)
		}
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
