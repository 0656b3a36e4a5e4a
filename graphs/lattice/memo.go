package lattice

import (
	"encoding/binary"
	"hash/maphash"
	"math/big"
)

// A memo maps keys of bytes to natural numbers. It keeps both in one block of bytes,
// one record after the other: the length of the key, the key, the length of the
// number, the number.
type memo struct {
	slots   []uint64 // offset+1 of a record under 24 bits of its hash, 0 for none
	records []byte
	count   int64
	seed    maphash.Seed
}

const (
	offsetBits = 40
	offsetMask = 1<<offsetBits - 1
)

// find returns the record of a key or, if there is none, the free slot for it. Slots are probed in
// turn; their tags spare most comparisons of keys.
func (m *memo) find(key []byte) (slot int, value []byte, found bool) {
	h := maphash.Bytes(m.seed, key)
	tag := h &^ offsetMask
	for slot = int(h) & (len(m.slots) - 1); m.slots[slot] != 0; slot =
		(slot + 1) & (len(m.slots) - 1) {
		if m.slots[slot]&^offsetMask != tag {
			continue
		}
		record := m.records[m.slots[slot]&offsetMask-1:]
		k, n := binary.Uvarint(record)
		if string(record[n:n+int(k)]) == string(key) {
			record = record[n+int(k):]
			v, n := binary.Uvarint(record)
			return slot, record[n : n+int(v)], true
		}
	}
	return slot, nil, false
}

// get returns the number of a key.
func (m *memo) get(key []byte) (natural, bool) {
	if m.slots == nil {
		return natural{}, false
	}
	_, value, found := m.find(key)
	if !found {
		return natural{}, false
	}
	return naturalOf(value), true
}

// put notes the number of a new key.
func (m *memo) put(key []byte, n natural) {
	if 2*m.count >= int64(len(m.slots)) {
		m.grow()
	}
	slot, _, found := m.find(key)
	if found {
		panic("this cannot happen, because an interval is counted once")
	}
	m.slots[slot] = maphash.Bytes(m.seed, key)&^offsetMask | uint64(len(m.records)+1)
	m.records = binary.AppendUvarint(m.records, uint64(len(key)))
	m.records = append(m.records, key...)
	value := n.bytes()
	m.records = binary.AppendUvarint(m.records, uint64(len(value)))
	m.records = append(m.records, value...)
	m.count++
}

// grow doubles the slots. Records stay where they are.
func (m *memo) grow() {
	if m.slots == nil {
		m.seed = maphash.MakeSeed()
		m.slots = make([]uint64, 1<<10)
		return
	}
	old := m.slots
	m.slots = make([]uint64, 2*len(old))
	for _, s := range old {
		if s == 0 {
			continue
		}
		record := m.records[s&offsetMask-1:]
		k, n := binary.Uvarint(record)
		slot := int(maphash.Bytes(m.seed, record[n:n+int(k)])) & (len(m.slots) - 1)
		for m.slots[slot] != 0 {
			slot = (slot + 1) & (len(m.slots) - 1)
		}
		m.slots[slot] = s
	}
}

// bytes returns the memory of the memo.
func (m *memo) bytes() int64 { return int64(cap(m.records)) + int64(len(m.slots))*8 }

// bytes returns a number in big-endian order, without leading zeros.
func (a natural) bytes() []byte { return a.big().Bytes() }

// naturalOf reads a number that bytes wrote.
func naturalOf(value []byte) natural {
	if len(value) > 16 {
		return natural{wide: new(big.Int).SetBytes(value)}
	}
	var n natural
	for _, b := range value {
		n.hi = n.hi<<8 | n.lo>>56
		n.lo = n.lo<<8 | uint64(b)
	}
	return n
}
