package otlp

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// maker writes random documents, with occasional mistakes.
type maker struct {
	r      *rand.Rand
	b      strings.Builder
	wrong  int // one in this many values is wrong; 0 means none
	spoilt bool
}

func (m *maker) one(choices ...string) string { return choices[m.r.IntN(len(choices))] }

// value writes a value, or something else.
func (m *maker) value(text string) {
	if m.wrong > 0 && m.r.IntN(m.wrong) == 0 {
		m.spoilt = true
		text = m.one("null", `""`, `"x"`, "-1", "1.5", "true", "{}", "[]", `"5"`, "5", "1e2", `"+7"`, "99999999999999999999", `"NaN"`, "01", `"é\u00e9\n"`, "{\"a\":[1]}", "")
	}
	m.b.WriteString(text)
}

func (m *maker) object(members ...func()) {
	m.b.WriteByte('{')
	first := true
	for _, i := range m.r.Perm(len(members)) {
		if m.r.IntN(6) == 0 {
			continue
		}
		if !first {
			m.b.WriteByte(',')
		}
		first = false
		members[i]()
	}
	m.b.WriteByte('}')
}

func (m *maker) key(name string) {
	if m.wrong > 0 && m.r.IntN(4*m.wrong) == 0 {
		m.spoilt = true
		name = m.one(snake(name), strings.ToUpper(name), "new")
	}
	fmt.Fprintf(&m.b, "%q:", name)
}

func (m *maker) leaf(name string, choices ...string) func() {
	return func() { m.key(name); m.value(m.one(choices...)) }
}

func (m *maker) array(name string, most int, element func()) func() {
	return func() {
		m.key(name)
		m.b.WriteByte('[')
		for i := range m.r.IntN(most + 1) {
			if i > 0 {
				m.b.WriteString(m.one(",", ",\n "))
			}
			element()
		}
		m.b.WriteByte(']')
	}
}

func (m *maker) always(name, value string) func() {
	return func() { m.key(name); m.value(value) }
}

// must writes an object with all the members.
func (m *maker) must(members ...func()) {
	m.b.WriteByte('{')
	for i, k := range m.r.Perm(len(members)) {
		if i > 0 {
			m.b.WriteByte(',')
		}
		members[k]()
	}
	m.b.WriteByte('}')
}

func (m *maker) any(depth int) {
	n := 5
	if depth > 0 {
		n = 7
	}
	var member func()
	switch m.r.IntN(n + 1) {
	case 0:
		member = m.leaf("stringValue", `""`, `"a"`, `"<é>\t\"q\""`, `"5"`)
	case 1:
		member = m.leaf("boolValue", "true", "false")
	case 2:
		member = m.leaf("intValue", "1", `"-9223372036854775808"`, `"9223372036854775807"`, "-3", `"12"`)
	case 3:
		member = m.leaf("doubleValue", "1", "0.25", "-1e300", `"2.5"`, `"NaN"`, `"Infinity"`, `"-Infinity"`, "9007199254740993")
	case 4:
		member = m.leaf("bytesValue", `""`, `"AQID"`, `"/+8="`)
	case 5:
		m.b.WriteString("{}")
		return
	case 6:
		member = func() {
			m.key("arrayValue")
			m.must(m.array("values", 3, func() { m.any(depth - 1) }))
		}
	case 7:
		member = func() {
			m.key("kvlistValue")
			k := 0
			m.must(m.array("values", 3, func() {
				k++
				m.must(m.always("key", strconv.Quote(fmt.Sprint(m.one("a", "b"), k))), func() { m.key("value"); m.any(depth - 1) })
			}))
		}
	}
	m.must(member)
}

func (m *maker) attributes() func() {
	return m.array("attributes", 3, func() {
		m.must(m.always("key", m.one(`"a"`, `"b.c"`, `"d-é"`)), func() { m.key("value"); m.any(2) })
	})
}

func (m *maker) document() string {
	number := m.leaf("droppedAttributesCount", "0", "1", `"2"`)
	trace := m.one(`"0123456789abcdef0123456789ABCDEF"`, `"00000000000000000000000000000001"`)
	id := func() string { return fmt.Sprintf(`"%016x"`, 1+m.r.IntN(20)) }
	time := func() string { return m.one("0", `"0"`, "17", `"1795161708865943902"`, `"18446744073709551615"`) }
	event := func() {
		m.object(m.leaf("timeUnixNano", time()), m.leaf("name", `"e"`, `""`), m.attributes(), number)
	}
	link := func() {
		m.object(m.leaf("traceId", trace, `""`), m.leaf("spanId", id(), `""`), m.leaf("traceState", `"x"`), m.attributes(), number, m.leaf("flags", "1"))
	}
	one := func() {
		m.must(m.always("traceId", trace), m.always("spanId", id()), func() {
			m.key("new")
			m.object(m.leaf("parentSpanId", "1"))
		}, m.leaf("parentSpanId", id(), `""`), m.leaf("name", `"o"`, `"é / \u0041"`),
			m.leaf("kind", "0", "1", "2", "3", "4", "5", `"SPAN_KIND_CONSUMER"`, `"SPAN_KIND_UNSPECIFIED"`),
			m.leaf("startTimeUnixNano", time()), m.leaf("endTimeUnixNano", time()), m.attributes(),
			m.array("events", 2, event), m.array("links", 2, link), number,
			m.leaf("flags", "257", `"1"`), m.leaf("traceState", `""`, `"k=v"`),
			func() {
				m.key("status")
				m.object(m.leaf("code", "0", "1", "2", `"STATUS_CODE_OK"`), m.leaf("message", `""`, `"m"`))
			})
	}
	m.must(m.array("resourceSpans", 2, func() {
		m.must(func() {
			m.key("resource")
			m.object(m.attributes(), number)
		}, m.array("scopeSpans", 3, func() {
			m.object(func() {
				m.key("scope")
				m.object(m.leaf("name", `"n"`, `""`), m.leaf("version", `"v"`), m.attributes(), number)
			}, m.array("spans", 3, one), m.leaf("schemaUrl", `"u"`))
		}), m.leaf("schemaUrl", `"u"`))
	}))
	return m.b.String()
}
