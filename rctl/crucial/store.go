package crucial

import (
	"bytes"
	"hash/maphash"
)

// A store numbers distinct states in the order of their insertion.
//
//	(1) state i is at i*size in the arena, which is cut into blocks of whole states
//	(2) tags[h] is 0 if slot h is free, and otherwise a part of the hash of state ids[h]
//	(3) no slot is free between the slot that a state's hash selects and the slot of the state
type store struct {
	size   int
	blocks [][]byte
	n      int
	tags   []uint8
	ids    []uint32
	seed   maphash.Seed
}

// perBlock is how many states fit into a block of the arena.
const perBlock = 1 << 14

// newStore returns an empty store for states of size bytes each.
func newStore(size int) *store {
	const least = 1 << 10
	return &store{size: size, tags: make([]uint8, least), ids: make([]uint32, least), seed: maphash.MakeSeed()}
}

// at returns a state. It must not be changed.
func (s *store) at(id uint32) []byte {
	i := int(id%perBlock) * s.size
	return s.blocks[id/perBlock][i : i+s.size : i+s.size]
}

// hash hashes a state. The seed, and with it the order of slots, differs between executions, but the
// numbers of states do not depend on it.
func (s *store) hash(state []byte) uint64 { return maphash.Bytes(s.seed, state) }

// find returns the slot of a state, and whether the state is there.
func (s *store) find(state []byte, hash uint64) (slot uint64, ok bool) {
	tag, mask := tagOf(hash), uint64(len(s.tags)-1)
	i := hash & mask
	for ; s.tags[i] != 0; i = (i + 1) & mask {
		if s.tags[i] == tag && bytes.Equal(s.at(s.ids[i]), state) {
			return i, true
		}
	}
	return i, false
}

// add returns the number of a state.
func (s *store) add(state []byte) uint32 { return s.addHashed(state, s.hash(state)) }

// addHashed is add for a state with a known hash.
func (s *store) addHashed(state []byte, hash uint64) uint32 {
	if 8*s.n >= 7*len(s.tags) {
		s.grow()
	}
	i, ok := s.find(state, hash)
	if ok {
		return s.ids[i]
	}
	id := uint32(s.n)
	if s.n%perBlock == 0 {
		s.blocks = append(s.blocks, make([]byte, 0, perBlock*s.size))
	}
	last := &s.blocks[len(s.blocks)-1]
	*last = append(*last, state...)
	s.tags[i], s.ids[i] = tagOf(hash), id
	s.n++
	return id
}

// tagOf returns a part of a hash that is never 0. It distinguishes most states without reading the
// arena.
func tagOf(h uint64) uint8 { return uint8(h>>56) | 1 }

// grow doubles the table. The arena stays where it is.
func (s *store) grow() {
	s.tags, s.ids = make([]uint8, 2*len(s.tags)), make([]uint32, 2*len(s.ids))
	for id := range uint32(s.n) {
		h := s.hash(s.at(id))
		i, _ := s.find(s.at(id), h)
		s.tags[i], s.ids[i] = tagOf(h), id
	}
}

// bytes returns the memory of the arena, whole blocks counted, and of the table.
func (s *store) bytes() int64 {
	return int64(len(s.blocks))*int64(perBlock*s.size) + 5*int64(len(s.tags))
}
