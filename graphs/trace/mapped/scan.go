package mapped

// kind is the form of a JSON value; the zero kind is that of one that is not there.
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

func (k kind) String() string {
	return [...]string{"absent", "null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// value is where a JSON value is in a text. Of a string it is what is between the
// quotes.
type value struct {
	kind     kind
	style    style // of a string
	from, to int32
}

// style is how a string is written. (A value has four fields because the compiler keeps
// no more in registers.)
type style uint8

const (
	plainly style = iota // in quotes
	escapes              // in quotes, with a backslash
	bare                 // without quotes; it means itself
)

// raw returns the text of v.
func (v value) raw(line []byte) []byte { return line[v.from:v.to] }

// start returns where v starts, with its quote.
func (v value) start() int32 {
	if v.kind == stringKind && v.style != bare {
		return v.from - 1
	}
	return v.from
}

// deepest is how many arrays and objects may be within each other.
const deepest = 1000

// A scanner goes through JSON text once. What is wrong is kept in msg and at; a
// byte beyond the text reads as 0, which is not JSON.
type scanner struct {
	text  []byte
	at    int
	end   int
	depth int
	msg   string
}

func (s *scanner) peek() byte {
	if s.at < s.end {
		return s.text[s.at]
	}
	return 0
}

// fail notes what is wrong, unless something was before.
func (s *scanner) fail(msg string) bool {
	if s.msg == "" {
		if s.at >= s.end {
			msg = "the line ends too soon: " + msg
		}
		s.msg = msg
	}
	return false
}

func (s *scanner) space() {
	for s.at < s.end {
		switch s.text[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

// value goes past a value, before which there is no space.
func (s *scanner) value() (value, bool) {
	v := value{from: int32(s.at)}
	ok := false
	switch b := s.peek(); {
	case b == '"':
		v.kind = stringKind
		v.style, ok = s.str()
		v.from++
		v.to = int32(s.at) - 1
		return v, ok
	case b == '{':
		v.kind = objectKind
		ok = s.object(func(value) bool { _, ok := s.value(); return ok })
	case b == '[':
		v.kind = arrayKind
		ok = s.array(func(int) bool { _, ok := s.value(); return ok })
	case b == '-' || b >= '0' && b <= '9':
		v.kind = numberKind
		ok = s.number()
	case b == 't':
		v.kind = boolKind
		ok = s.word("true")
	case b == 'f':
		v.kind = boolKind
		ok = s.word("false")
	case b == 'n':
		v.kind = nullKind
		ok = s.word("null")
	default:
		return v, s.fail("a JSON value is expected")
	}
	v.to = int32(s.at)
	return v, ok
}

// object goes past an object and calls member after each name and its colon; member
// goes past the value.
func (s *scanner) object(member func(name value) bool) bool {
	if !s.enter() {
		return false
	}
	for first := true; ; first = false {
		s.space()
		switch b := s.peek(); {
		case b == '}' && first:
			return s.leave()
		case b != '"':
			return s.fail(`a name in quotes or "}" is expected`)
		}
		name := value{kind: stringKind, from: int32(s.at) + 1}
		style, ok := s.str()
		if !ok {
			return false
		}
		name.style, name.to = style, int32(s.at)-1
		s.space()
		if s.peek() != ':' {
			return s.fail(`":" is expected after a name`)
		}
		s.at++
		s.space()
		if !member(name) {
			return false
		}
		s.space()
		switch s.peek() {
		case ',':
			s.at++
		case '}':
			return s.leave()
		default:
			return s.fail(`"," or "}" is expected`)
		}
	}
}

// array goes past an array and calls element at each; element goes past it.
func (s *scanner) array(element func(i int) bool) bool {
	if !s.enter() {
		return false
	}
	s.space()
	if s.peek() == ']' {
		return s.leave()
	}
	for i := 0; ; i++ {
		s.space()
		if !element(i) {
			return false
		}
		s.space()
		switch s.peek() {
		case ',':
			s.at++
		case ']':
			return s.leave()
		default:
			return s.fail(`"," or "]" is expected`)
		}
	}
}

func (s *scanner) enter() bool {
	if s.depth == deepest {
		return s.fail("arrays and objects are nested too deeply")
	}
	s.depth++
	s.at++
	return true
}

func (s *scanner) leave() bool {
	s.depth--
	s.at++
	return true
}

func (s *scanner) word(word string) bool {
	for i := range len(word) {
		if s.peek() != word[i] {
			return s.fail("a JSON value is expected")
		}
		s.at++
	}
	return true
}

// plain tells the bytes of a string that mean themselves.
var plain = func() (t [256]bool) {
	for b := range t {
		t[b] = b >= ' ' && b != '"' && b != '\\'
	}
	return t
}()

// str goes past a string and tells how it is written.
func (s *scanner) str() (style style, ok bool) {
	s.at++
	for {
		t := s.text[s.at:s.end]
		i := 0
		for i < len(t) && plain[t[i]] {
			i++
		}
		s.at += i
		switch b := s.peek(); b {
		case '"':
			s.at++
			return style, true
		case '\\':
			style = escapes
			if !s.escape() {
				return style, false
			}
		default:
			return style, s.fail("a string has no end or holds a control character")
		}
	}
}

func (s *scanner) escape() bool {
	s.at++
	switch s.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.at++
		return true
	case 'u':
		s.at++
		for range 4 {
			if b := s.peek(); b-'0' > 9 && b|0x20-'a' > 5 {
				return s.fail("four hexadecimal digits are expected")
			}
			s.at++
		}
		return true
	}
	return s.fail("a backslash in a string does not start an escape sequence")
}

func (s *scanner) number() bool {
	if s.peek() == '-' {
		s.at++
	}
	if s.peek() == '0' {
		s.at++
	} else if !s.digits() {
		return false
	}
	if s.peek() == '.' {
		s.at++
		if !s.digits() {
			return false
		}
	}
	if b := s.peek(); b == 'e' || b == 'E' {
		s.at++
		if b := s.peek(); b == '+' || b == '-' {
			s.at++
		}
		return s.digits()
	}
	return true
}

func (s *scanner) digits() bool {
	from := s.at
	for s.at < s.end && s.text[s.at]-'0' <= 9 {
		s.at++
	}
	return s.at > from || s.fail("a digit is expected")
}
