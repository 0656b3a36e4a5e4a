package lattice

import (
	"encoding/binary"
	"math/big"
	"math/bits"
)

// A natural is a natural number: a small one in two words, others in wide.
type natural struct {
	hi, lo uint64
	wide   *big.Int // immutable; hi and lo are not used when it is not nil
}

func (a natural) plus(b natural) natural {
	if a.wide == nil && b.wide == nil {
		lo, carry := bits.Add64(a.lo, b.lo, 0)
		hi, carry := bits.Add64(a.hi, b.hi, carry)
		if carry == 0 {
			return natural{hi: hi, lo: lo}
		}
	}
	return natural{wide: new(big.Int).Add(a.big(), b.big())}
}

func (a natural) times(b natural) natural {
	if a.wide == nil && b.wide == nil && (a.hi == 0 || b.hi == 0) {
		hi, lo := bits.Mul64(a.lo, b.lo)
		if a.hi == 0 {
			a, b = b, a
		}
		over, cross := bits.Mul64(a.hi, b.lo)
		hi, carry := bits.Add64(hi, cross, 0)
		if over == 0 && carry == 0 {
			return natural{hi: hi, lo: lo}
		}
	}
	return natural{wide: new(big.Int).Mul(a.big(), b.big())}
}

func (a natural) big() *big.Int {
	if a.wide != nil {
		return a.wide
	}
	var text [16]byte
	binary.BigEndian.PutUint64(text[:8], a.hi)
	binary.BigEndian.PutUint64(text[8:], a.lo)
	return new(big.Int).SetBytes(text[:])
}
