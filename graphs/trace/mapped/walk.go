package mapped

import (
	"strconv"

	"github.com/pota-project/pota/graphs/trace/internal/jsonline"
)

// A walker visits the places in lines to which the pointers of a mapping lead. It
// fills rows of slots, one for each line and one for each element of a loop.
type walker struct {
	scanner
	text  []byte // the text of the scanner, followed by strings decoded from it
	line  *frame
	loops []loop
	rows  []value // the rows of lines
	inner []value // the rows of elements
	row   []value // the row being filled
	seen  []int   // for each node, the number of the last row in which it occurred
	stamp int     // the number of the row being filled
	last  int     // the last number of a row
}

// lineOf walks w.text[from:to], a line, and appends its row to rows. The slot of a loop has the
// index of its first row in inner and the number of rows. lineOf returns false, and sets Err, if
// the line has a mistake.
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

// along scans a value and fills the slots below n.
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

// fill puts a value into the slot of its node. A loop that has found no array gets it, too, for the
// error message.
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

// members scans an object, and follows the pointers into its members.
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

// repeatedName is the mistake of an object in which a pointer has two targets. Other names may
// repeat, because nothing reads them.
const repeatedName = "a name that the mapping needs occurs twice"

// find returns the child of n for a name; nil if there is none.
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

// indices scans an array, and follows the pointers to single elements.
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

// elements scans an array again, and follows the pointers of its loop. If other pointers
// lead to single elements, a further scan follows those.
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

// A node is a place in a line to which some pointers of a mapping lead. All pointers together form
// a trie; walking a line along it fills slots.
type node struct {
	id       int32 // unique in all frames of a source
	slot     int32 // -1 if the mapping does not need the value
	each     int32 // the loop over the elements; -1 if there is none
	form     *form // the form of a string at the place; nil for JSON
	children []child
}

// A child is a node one token below another.
type child struct {
	name  string
	index int // the token as an index of an array; -1 if it is not an index
	node  *node
}

// frame is the root of pointers: a line, or an element of a loop.
type frame struct {
	root     *node
	size     int32    // the number of slots
	pointers []string // the pointer of each slot
	nodes    *int32   // how many nodes all frames of a source have
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

// child returns the node of a token below n; nil if there is none.
func (n *node) child(token string) *node {
	// A node has few children, because pointers share prefixes.
	for _, c := range n.children {
		if c.name == token {
			return c.node
		}
	}
	return nil
}

// descend returns the node of a pointer's tokens, and adds missing nodes.
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

// slotOf returns the slot of a pointer, and adds it if it is new.
func (f *frame) slotOf(pointer string, tokens []string) int32 {
	n := f.descend(tokens)
	if n.slot < 0 {
		n.slot = f.add(pointer)
	}
	return n.slot
}

// add adds a slot for a pointer, and returns it.
func (f *frame) add(pointer string) int32 {
	f.size++
	f.pointers = append(f.pointers, pointer)
	return f.size - 1
}

// arrayIndex returns a token as an index of an array; -1 if it is a name. A token with a leading zero
// is a name.
func arrayIndex(token string) int {
	n, err := strconv.Atoi(token)
	if err != nil || n < 0 || strconv.Itoa(n) != token {
		return -1
	}
	return n
}
