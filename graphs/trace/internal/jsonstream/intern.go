package jsonstream

import "hash/maphash"

// interner makes strings of bytes, the same string for the same bytes as long as
// no other has taken its slot. It does not grow.
type interner struct {
	seed  maphash.Seed
	slots []string
}

const (
	internSlots   = 1 << 12
	internLongest = 96
)

// newInterner returns an interner without strings.
func newInterner() interner {
	return interner{maphash.MakeSeed(), make([]string, internSlots)}
}

// text returns a string. Equal short strings mostly share memory: a slot keeps the latest
// string of its hash.
func (t *interner) text(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if len(b) > internLongest {
		return string(b)
	}
	slot := &t.slots[maphash.Bytes(t.seed, b)%internSlots]
	if *slot != string(b) {
		*slot = string(b)
	}
	return *slot
}
