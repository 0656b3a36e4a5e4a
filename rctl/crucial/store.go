package crucial

import (
	"bytes"
	"hash/maphash"
)

// A store holds distinct states, numbered in the order in which they were added.
//
//	(1) state i is at i*size in the arena, which is cut into blocks of whole states
//	(2) tags[h] is 0 where slot h is free, otherwise a part of the hash of state ids[h]
//	(3) a state is in the first free slot from the one that its hash names, or before
type store struct {
	size   int
	blocks [][]byte
	n      int
	tags   []uint8
	ids    []uint32
	seed   maphash.Seed
}

// perBlock is how many states a block of the arena has.
const perBlock = 1 << 14

func newStore(size int) *store {
	const least = 1 << 10
	return &store{size: size, tags: make([]uint8, least), ids: make([]uint32, least), seed: maphash.MakeSeed()}
}

// at returns a state. It must not be changed.
func (s *store) at(id uint32) []byte {
	i := int(id%perBlock) * s.size
	return s.blocks[id/perBlock][i : i+s.size : i+s.size]
}

// add returns the number of a state.
func (s *store) add(state []byte) uint32 {
	if 8*s.n >= 7*len(s.tags) {
		s.grow()
	}
	h := maphash.Bytes(s.seed, state)
	tag, mask := tagOf(h), uint64(len(s.tags)-1)
	i := h & mask
	for ; s.tags[i] != 0; i = (i + 1) & mask {
		if s.tags[i] == tag && bytes.Equal(s.at(s.ids[i]), state) {
			return s.ids[i]
		}
	}
	id := uint32(s.n)
	if s.n%perBlock == 0 {
		s.blocks = append(s.blocks, make([]byte, 0, perBlock*s.size))
	}
	last := &s.blocks[len(s.blocks)-1]
	*last = append(*last, state...)
	s.tags[i], s.ids[i] = tag, id
	s.n++
	return id
}

func tagOf(h uint64) uint8 { return uint8(h>>56) | 1 }

func (s *store) grow() {
	s.tags, s.ids = make([]uint8, 2*len(s.tags)), make([]uint32, 2*len(s.ids))
	mask := uint64(len(s.tags) - 1)
	for id := range uint32(s.n) {
		h := maphash.Bytes(s.seed, s.at(id))
		i := h & mask
		for s.tags[i] != 0 {
			i = (i + 1) & mask
		}
		s.tags[i], s.ids[i] = tagOf(h), id
	}
}

// bytes is how much memory the states take, and will while the table grows.
func (s *store) bytes() int64 {
	return int64(len(s.blocks))*int64(perBlock*s.size) + 5*int64(len(s.tags))
}
