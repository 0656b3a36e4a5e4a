package mapped

import "strconv"

// A node is a place in a line where some pointers of a mapping lead. All pointers together are
// a trie; walking a line along it fills slots.
type node struct {
	id       int32
	slot     int32 // -1 for none
	each     int32 // of the loop over the elements, -1 for none
	form     *form // of a string there, nil for JSON
	children []child
}

// A child is a node one token below another.
type child struct {
	name  string
	index int // as an index of an array, -1 for none
	node  *node
}

// frame is what pointers are relative to: a line, or an element of a loop.
type frame struct {
	root     *node
	size     int32    // of slots
	pointers []string // by slot
	nodes    *int32   // how many there are in all frames of a mapping
}

// newFrame returns a frame without pointers.
func newFrame(nodes *int32) *frame {
	f := &frame{nodes: nodes}
	f.root = f.newNode()
	return f
}

// newNode returns a node without a slot.
func (f *frame) newNode() *node {
	*f.nodes++
	return &node{id: *f.nodes - 1, slot: -1, each: -1}
}

// loop is an array of a line with pointers into its elements. Its slot in the line holds the
// index of its first row and the number of rows.
type loop struct {
	slot  int32
	frame *frame
}

// child returns the node of a token below n, nil for none.
func (n *node) child(token string) *node {
	// Children are few, as pointers share prefixes.
	for _, c := range n.children {
		if c.name == token {
			return c.node
		}
	}
	return nil
}

// descend returns the node of a pointer's tokens.
func (f *frame) descend(tokens []string) *node {
	n := f.root
	for _, token := range tokens {
		next := n.child(token)
		if next == nil {
			next = f.newNode()
			n.children = append(n.children, child{token, arrayIndex(token), next})
		}
		n = next
	}
	return n
}

// slotOf returns the slot of a pointer.
func (f *frame) slotOf(pointer string, tokens []string) int32 {
	n := f.descend(tokens)
	if n.slot < 0 {
		n.slot = f.add(pointer)
	}
	return n.slot
}

// add adds a pointer to the trie, and returns its slot.
func (f *frame) add(pointer string) int32 {
	f.size++
	f.pointers = append(f.pointers, pointer)
	return f.size - 1
}

// arrayIndex returns the index that a token is, -1 for none. A leading zero makes it a name.
func arrayIndex(token string) int {
	n, err := strconv.Atoi(token)
	if err != nil || n < 0 || strconv.Itoa(n) != token {
		return -1
	}
	return n
}
