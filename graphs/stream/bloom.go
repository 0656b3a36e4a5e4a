package stream

import (
	"crypto/sha256"
	"encoding/binary"
)

// A bloom remembers names in a fixed space (Bloom, Space/Time Trade-offs in Hash Coding with
// Allowable Errors, CACM 1970). It finds every name that was added. The rate of false positives
// is one in a million after three million names. The zero bloom is empty.
type bloom []byte

// bloomBits is the number of bits in a bloom, 16 MiB.
const bloomBits = 1 << 27

// positions returns the bits of a name. They are the same in every run of the program, so that a replay has the same
// results.
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

// has reports whether a name was added, up to false positives.
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
