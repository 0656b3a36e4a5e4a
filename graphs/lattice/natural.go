package lattice

import (
	"math/big"
	"math/bits"
)

// A natural is a natural number: wide, or small if wide is nil.
type natural struct {
	small uint64
	wide  *big.Int // immutable
}

func (a natural) plus(b natural) natural {
	if sum, carry := bits.Add64(a.small, b.small, 0); a.wide == nil && b.wide == nil && carry == 0 {
		return natural{small: sum}
	}
	return natural{wide: new(big.Int).Add(a.big(), b.big())}
}

func (a natural) times(b natural) natural {
	if over, product := bits.Mul64(a.small, b.small); a.wide == nil && b.wide == nil && over == 0 {
		return natural{small: product}
	}
	return natural{wide: new(big.Int).Mul(a.big(), b.big())}
}

func (a natural) big() *big.Int {
	if a.wide != nil {
		return a.wide
	}
	return new(big.Int).SetUint64(a.small)
}
