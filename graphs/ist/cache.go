package ist

// A cache holds results of operations. A new result replaces one with the same place.
type cache struct {
	entries []entry
	stored  int // how many results were stored since the last growth
}

type entry struct {
	op     opcode
	a, b   int32
	result Set
}

type opcode int32

const (
	opNone opcode = iota
	opUnion
	opIntersect
	opMinus
	opDown
	opUp
	opBefore
	opAfter
	opBackward
	opForward
	opJoint // the joint moves: opJoint plus twice the number of the move, plus one if forwards
)

func (c *cache) bytes() int64 { return int64(len(c.entries)) * 16 }

func (c *cache) place(op opcode, a, b int32) *entry {
	h := (uint64(uint32(a))<<32 | uint64(uint32(b))) * 0x9e3779b97f4a7c15
	h = (h ^ h>>32 ^ uint64(op)) * 0xd6e8feb86659fd93
	return &c.entries[h>>32&uint64(len(c.entries)-1)]
}

// recall returns a result, and whether it is known. In the error state every result counts as
// known: it is Empty.
func (s *Store) recall(op opcode, a, b Set) (Set, bool) {
	e := s.memo.place(op, int32(a), int32(b))
	if e.op == op && e.a == int32(a) && e.b == int32(b) {
		return e.result, true
	}
	return Empty, s.stopped()
}

// remember stores a result and returns it. Results in the error state are meaningless, and are not
// stored.
func (s *Store) remember(op opcode, a, b, result Set) Set {
	if s.err != nil {
		return result
	}
	c := &s.memo
	if c.stored++; c.stored > len(c.entries) {
		s.growCache()
	}
	*c.place(op, int32(a), int32(b)) = entry{op, int32(a), int32(b), result}
	return result
}

// maxEntries bounds the cache, in addition to a quarter of the memory limit.
const maxEntries = 1 << 24

func (s *Store) growCache() {
	c := &s.memo
	c.stored = 0
	double := 2 * c.bytes()
	if len(c.entries) >= maxEntries || s.maxBytes > 0 &&
		(double > s.maxBytes/4 || s.Bytes()+double > s.maxBytes) {
		return
	}
	old := c.entries
	c.entries = make([]entry, 2*len(old))
	for _, e := range old {
		if e.op != opNone {
			*c.place(e.op, e.a, e.b) = e
		}
	}
}
