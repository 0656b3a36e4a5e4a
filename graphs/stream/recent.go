package stream

// A Recent is a map that forgets: an entry is kept until at least most others have been
// added after it. The zero Recent is empty.
type Recent[V any] struct {
	now, old map[string]V
	forgot   bool // an entry
}

// most is how many entries make a generation.
const most = 1 << 16

// Find returns the entry of a key that is not forgotten.
func (r *Recent[V]) Find(key []byte) (v V, ok bool) {
	if v, ok = r.now[string(key)]; !ok {
		v, ok = r.old[string(key)]
	}
	return v, ok
}

// All yields the entries that are not forgotten, in no order, but the older generation first.
func (r *Recent[V]) All(yield func(key string, v V) bool) {
	for _, m := range []map[string]V{r.old, r.now} {
		for key, v := range m {
			if !yield(key, v) {
				return
			}
		}
	}
}

// Add adds an entry.
func (r *Recent[V]) Add(key string, v V) {
	if len(r.now) >= most || r.now == nil {
		r.forgot = r.forgot || r.old != nil
		r.now, r.old = make(map[string]V), r.now
	}
	r.now[key] = v
}
