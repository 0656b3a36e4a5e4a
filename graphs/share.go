package graphs

import "maps"

// Share makes the variables of that name, whatever their processes, one shared
// variable with all their assignments, so that a declaration may come after the
// first assignments; without such variables it adds one. It reports false, and
// changes nothing, where they differ in type.
func (b *Builder) Share(name string) (*Variable, bool) {
	old := b.varsOf[name]
	kind := NoKind
	for _, v := range old {
		if v.Process == Shared {
			return v, true
		}
		if kind != NoKind && v.Kind != NoKind && v.Kind != kind {
			return v, false
		}
		kind = max(kind, v.Kind)
	}
	v := b.Variable(Shared, name)
	if len(old) == 0 {
		return v, true
	}
	v.Kind, v.Init = kind, Zero(kind)
	gone := make(map[*Variable]bool, len(old))
	for _, w := range old {
		gone[w] = true
		delete(b.known, owned{w.Process, name})
		v.skipped = v.skipped || w.skipped
		for i, e := range w.events {
			v.append(e, w.Value(i), b.texts(v))
		}
	}
	maps.DeleteFunc(b.intern, func(w *Variable, _ map[string]int32) bool { return gone[w] })
	kept := b.vars[:0]
	for _, w := range b.vars {
		if !gone[w] {
			kept = append(kept, w)
		}
	}
	b.vars = kept
	b.varsOf[name] = []*Variable{v}
	return v, true
}
