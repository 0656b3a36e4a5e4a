package stream

// recent is a map that forgets: an entry is kept until at least most others have been
// added after it.
type recent[V any] struct{ now, old map[string]V }

// most is how many entries make a generation.
const most = 1 << 16

func (r *recent[V]) find(key []byte) (v V, ok bool) {
	if v, ok = r.now[string(key)]; !ok {
		v, ok = r.old[string(key)]
	}
	return v, ok
}

func (r *recent[V]) add(key string, v V) {
	if len(r.now) >= most || r.now == nil {
		r.now, r.old = make(map[string]V), r.now
	}
	r.now[key] = v
}
