package mapped

import "github.com/pota-project/pota/graphs/trace/internal/jsonline"

// kind is the type of a JSON value; the zero kind stands for a missing one.
type kind uint8

const (
	absentKind kind = iota
	nullKind
	boolKind
	numberKind
	stringKind
	arrayKind
	objectKind
)

// String describes a kind for messages.
func (k kind) String() string {
	return [...]string{"absent", "null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// value is the place of a JSON value in a text. A string is the text between its quotes.
type value struct {
	kind     kind
	style    style // how a string is written
	from, to int32
}

// style is how a string is written. (A value has four fields because the compiler keeps
// no more in registers.)
type style uint8

const (
	plainly style = iota // in quotes
	escapes              // in quotes, with a backslash
	bare                 // without quotes and escapes
)

// raw returns the text of v.
func (v value) raw(line []byte) []byte { return line[v.from:v.to] }

// start returns the offset of v, including its opening quote.
func (v value) start() int32 {
	if v.kind == stringKind && v.style != bare {
		return v.from - 1
	}
	return v.from
}

// A scanner scans JSON text of a log.
type scanner struct{ jsonline.Scanner }

// scan returns a scanner of text[from:to].
func scan(text []byte, from, to int) scanner {
	return scanner{jsonline.Scanner{Text: text[:to:to], Pos: from, Lenient: true}}
}

// inside returns a scanner of a value.
func (v value) inside(text []byte) scanner { return scan(text, int(v.from), int(v.to)) }

// peek returns the byte at the position, 0 at the end.
func (s *scanner) peek() byte {
	if s.Pos < len(s.Text) {
		return s.Text[s.Pos]
	}
	return 0
}

// value scans the value at the position.
func (s *scanner) value() value {
	if s.peek() == '"' {
		str, _ := s.Quoted()
		return stringOf(str)
	}
	v := value{kind: kinds[s.peek()], from: int32(s.Pos)}
	s.Skip()
	v.to = int32(s.Pos)
	return v
}

// kinds maps the first byte of a value to its kind. All bytes that begin no other kind map to number.
var kinds = func() (k [256]kind) {
	for b := range k {
		k[b] = numberKind
	}
	k['{'], k['['] = objectKind, arrayKind
	k['t'], k['f'] = boolKind, boolKind
	k['n'] = nullKind
	return k
}()

// stringOf returns the value of a scanned string.
func stringOf(str jsonline.String) value {
	v := value{kind: stringKind, from: int32(str.From), to: int32(str.To)}
	if str.Escaped {
		v.style = escapes
	}
	return v
}

// object scans an object and calls member at each value; member must scan the value.
func (s *scanner) object(member func(name value)) {
	s.Object(func(_ int, name jsonline.String) { member(stringOf(name)) })
}
