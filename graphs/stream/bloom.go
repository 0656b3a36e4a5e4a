package stream

import (
	"crypto/sha256"
	"encoding/binary"
)

// A bloom remembers names in a fixed space (Bloom, Space/Time Trade-offs in Hash Coding with
// Allowable Errors, CACM 1970). It finds every name that was added, and now and then another:
// after three million names, one in a million. The zero bloom is empty.
type bloom []byte

// bloomBits is how many bits it has, 16 MiB.
const bloomBits = 1 << 27

// positions are the bits of a name. They are the same in every run, so that a replay decides the same.
func positions(name string) (all [8]uint32) {
	sum := sha256.Sum256([]byte(name))
	for i := range all {
		all[i] = binary.LittleEndian.Uint32(sum[4*i:]) % bloomBits
	}
	return all
}

// add adds a name.
func (b *bloom) add(name string) {
	if *b == nil {
		*b = make(bloom, bloomBits/8)
	}
	for _, at := range positions(name) {
		(*b)[at/8] |= 1 << (at % 8)
	}
}

// has reports whether a name was added, or has the bits of others.
func (b bloom) has(name string) bool {
	if b == nil {
		return false
	}
	for _, at := range positions(name) {
		if b[at/8]&(1<<(at%8)) == 0 {
			return false
		}
	}
	return true
}
