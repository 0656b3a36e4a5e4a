package stream

// A Recent is a map that forgets: an entry is kept until at least most others have been
// added after it. The zero Recent is empty.
type Recent[V any] struct {
	now, old map[string]V
	forgot   bool // whether an entry has been forgotten
}

// most is the number of entries in a full generation.
const most = 1 << 16

// Find returns the entry of a key. It returns ok = false if there is none, or it has been forgotten.
func (r *Recent[V]) Find(key []byte) (v V, ok bool) {
	if v, ok = r.now[string(key)]; !ok {
		v, ok = r.old[string(key)]
	}
	return v, ok
}

// All yields the entries that are not forgotten, the older generation first, otherwise in no particular order.
func (r *Recent[V]) All(yield func(key string, v V) bool) {
	for _, m := range []map[string]V{r.old, r.now} {
		for key, v := range m {
			if !yield(key, v) {
				return
			}
		}
	}
}

// Add adds an entry. It may forget the older generation.
func (r *Recent[V]) Add(key string, v V) {
	if len(r.now) >= most || r.now == nil {
		r.forgot = r.forgot || r.old != nil
		r.now, r.old = make(map[string]V), r.now
	}
	r.now[key] = v
}
