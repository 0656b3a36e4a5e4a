package mapped

import (
	"strconv"

	"github.com/pota-project/pota/graphs/trace/internal/jsonline"
)

// A walker goes through lines along the pointers of a mapping. What it finds are
// rows of slots: a line is a row, and so is each element of a loop.
type walker struct {
	scanner
	text  []byte // the text of the scanner, followed by strings decoded from it
	line  *frame
	loops []loop
	rows  []value // the rows of lines
	inner []value // the rows of elements
	row   []value // being filled
	seen  []int   // for each node, the last row that met it
	stamp int     // the number of the row being filled
	last  int
}

// lineOf reads w.text[from:to] as a line. It appends the slots of the line to rows. The slot of a
// loop has the index of its first row in inner and the number of rows. After a mistake, Err is
// set.
func (w *walker) lineOf(from, to int) bool {
	w.scanner = scan(w.text, from, to)
	w.begin()
	if w.line.root.form != nil {
		if to > from && w.text[to-1] == '\r' {
			to--
		}
		return w.within(w.line.root, from, to)
	}
	if w.Next() != '{' {
		return w.Fail(w.Pos, "a line is not a JSON object")
	}
	if !w.along(w.line.root) {
		return false
	}
	return w.Ended() || w.Fail(w.Pos, jsonline.TextAfter)
}

// begin appends an empty row to rows.
func (w *walker) begin() {
	start := len(w.rows)
	w.rows = append(w.rows, make([]value, w.line.size)...) // all missing
	w.row = w.rows[start:]
	w.last++
	w.stamp = w.last
}

// along goes past a value and fills the slots below n.
func (w *walker) along(n *node) bool {
	w.seen[n.id] = w.stamp
	v := value{from: int32(w.Pos)}
	b := w.peek()
	switch {
	case b == '{' && len(n.children) > 0:
		v.kind = objectKind
		w.members(n)
		v.to = int32(w.Pos)
	case b == '[' && n.each >= 0:
		if v = w.value(); w.Err == nil {
			w.elements(n, v)
		}
	case b == '[' && len(n.children) > 0:
		v.kind = arrayKind
		w.indices(n)
		v.to = int32(w.Pos)
	default:
		v = w.value()
		if v.kind == stringKind && w.Err == nil && (len(n.children) > 0 || n.each >= 0) {
			w.inside(n, v)
		}
	}
	if w.Err != nil {
		return false
	}
	w.fill(n, v)
	return true
}

// fill puts a value into the slot of its node. A loop that has found no array gets it, too, so that
// it can say what is there instead.
func (w *walker) fill(n *node, v value) {
	if n.slot >= 0 {
		w.row[n.slot] = v
	}
	if n.each >= 0 {
		if at := &w.row[w.loops[n.each].slot]; at.kind == absentKind {
			*at = v
		}
	}
}

// members goes past an object, along the pointers that lead into its members.
func (w *walker) members(n *node) {
	w.object(func(name value) {
		c := n.find(w.text, name)
		switch {
		case c == nil:
			w.value()
		case w.seen[c.id] == w.stamp:
			w.Fail(int(name.from)-1, repeatedName)
		default:
			w.along(c)
		}
	})
}

// repeatedName is the mistake of an object where a pointer has two targets. Other names may
// repeat, as nothing reads them.
const repeatedName = "a name that the mapping needs occurs twice"

// find returns the child of n for a name, nil for none.
func (n *node) find(text []byte, name value) *node {
	raw := name.raw(text)
	if name.style == escapes {
		raw = name.decode(nil, text)
	}
	for i := range n.children {
		if c := &n.children[i]; string(raw) == c.name {
			return c.node
		}
	}
	return nil
}

// indices goes past an array, along the pointers to single elements.
func (w *walker) indices(n *node) {
	w.Array(func(i int) {
		for _, c := range n.children {
			if c.index == i {
				w.along(c.node)
				return
			}
		}
		w.value()
	})
}

// elements goes through an array again, along the pointers of its loop, and where
// some lead to elements of their own, along those.
func (w *walker) elements(n *node, whole value) {
	l := w.loops[n.each]
	row, stamp := w.row, w.stamp
	end := w.Pos
	w.Pos = int(whole.from)
	first := len(w.inner)
	count := int32(0)
	w.Array(func(int) {
		start := len(w.inner)
		w.inner = append(w.inner, make([]value, l.frame.size)...)
		w.row = w.inner[start:]
		w.last++
		w.stamp = w.last
		count++
		w.along(l.frame.root)
	})
	w.row, w.stamp = row, stamp
	w.row[l.slot] = value{kind: arrayKind, from: int32(first), to: count}
	if w.Err == nil && len(n.children) > 0 {
		w.Pos = int(whole.from)
		w.indices(n)
	}
	w.Pos = end
}

// A node is a place in a line where some pointers of a mapping lead. All pointers together are
// a trie; walking a line along it fills slots.
type node struct {
	id       int32
	slot     int32 // -1 for none
	each     int32 // the loop over the elements, -1 for none
	form     *form // the form of a string there, nil for JSON
	children []child
}

// A child is a node one token below another.
type child struct {
	name  string
	index int // the token as an index of an array, -1 if it is none
	node  *node
}

// frame is what pointers are relative to: a line, or an element of a loop.
type frame struct {
	root     *node
	size     int32    // the number of slots
	pointers []string // the pointer of each slot
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
