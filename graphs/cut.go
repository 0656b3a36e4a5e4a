package graphs

// A Cut counts, for each process, the events that have happened.
type Cut []int32

// Clone returns a copy of c.
func (c Cut) Clone() Cut { return append(Cut(nil), c...) }

// Equal reports whether c and d are the same cut.
func (c Cut) Equal(d Cut) bool {
	for p := range c {
		if c[p] != d[p] {
			return false
		}
	}
	return true
}

// Within reports whether c is a subset of d.
func (c Cut) Within(d Cut) bool {
	for p := range c {
		if c[p] > d[p] {
			return false
		}
	}
	return true
}

// Join returns the union of c and d.
func (c Cut) Join(d Cut) Cut {
	u := c.Clone()
	for p := range u {
		u[p] = max(u[p], d[p])
	}
	return u
}

// Meet returns the intersection of c and d.
func (c Cut) Meet(d Cut) Cut {
	u := c.Clone()
	for p := range u {
		u[p] = min(u[p], d[p])
	}
	return u
}

// Size returns the number of events in c, ⊥ not counted.
func (c Cut) Size() int {
	n := 0
	for _, k := range c {
		n += int(k)
	}
	return n
}
