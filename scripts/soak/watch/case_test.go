//go:build unix

package watch

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/pota-project/pota/scripts/soak/internal/cases"
)

// A testCase is a run of pota watch with the executions sent to it.
type testCase struct {
	*rand.Rand
	dir        string
	properties string
	executions []*execution
	kills      int
	clients    int // how many clients behave badly
	counts
}

// way is how an execution is sent.
type way int

const (
	byFile way = iota
	byTCP
	byHTTP
	bySpans
	ways
)

// execution is one that is sent.
type execution struct {
	name  string
	way   way
	parts [][]string // lines that have to come in this order: of a file, or of a process
	whole []string   // the lines as pota detect reads them
}

const properties = `both: AG(!(n@A == 2 && n@B == 2))
seen: EF(n@A == 1 && n@B == 0)
answered: AG(n@A == 1 -> AF n@B == 1)
`

// more are forms of further properties; p, q and r are conditions. Each form keeps a window of
// events in its own way, and no property may change the window of another.
var more = []string{
	"EF(p && EF(q && EF r))", "AG(p -> AG(q -> AG r))", "EF(p && EG(q || r))", "EF(p && E[q U r])", "AG(p -> A[q W r])", "AG(p -> AF(q && r))",
	"AG(p -> EF(q && r))", "AF(p && q)", "EG(p && q)", "EG(p || q)", "E[p && q U r]", "A[p R q]", "AG EF p", "EF AG p", "p && EF q || AG r",
}

const ofSpans = "clean: AG(forall i: status@i != \"error\")\n"

// draw returns a random case.
func draw(r *rand.Rand, dir string) *testCase {
	c := &testCase{Rand: r, dir: dir, properties: properties, clients: r.IntN(20)}
	for i := range r.IntN(6) {
		condition := func() string {
			return fmt.Sprintf("n@%c %s %d", 'A'+r.IntN(3), []string{"==", "!=", "<"}[r.IntN(3)], r.IntN(4))
		}
		form := strings.NewReplacer("p", condition(), "q", condition(), "r", condition())
		c.properties += fmt.Sprintf("more%d: %s\n", i, form.Replace(more[r.IntN(len(more))]))
	}
	if r.IntN(2) == 0 {
		c.kills = 1 + r.IntN(5)
	}
	count := 1 + r.IntN(40)
	if r.IntN(10) == 0 {
		count = 6000 // more than are loaded
	}
	spans := r.IntN(3) == 0 && count <= 1000 // those are sent as lines
	if spans {
		c.properties = ofSpans
	}
	for i := range count {
		x := &execution{name: fmt.Sprintf("e%d", i), way: way(r.IntN(int(bySpans)))}
		if count > 1000 {
			x.way = byHTTP
		}
		if spans {
			x.way = bySpans
			c.spans(x, i+1)
		} else {
			c.lines(x, count > 1000)
		}
		c.counts.executions++
		c.events += len(x.whole)
		c.executions = append(c.executions, x)
	}
	return c
}

// lines makes the lines of an execution: messages between processes, in a random order that
// could have happened.
func (c *testCase) lines(x *execution, few bool) {
	names := []string{"A", "B", "C"}
	parts := make([][]string, len(names))
	add := func(p int, line string) {
		x.whole = append(x.whole, "{"+line)
		parts[p] = append(parts[p], fmt.Sprintf(`{"s":%q,%s`, x.name, line))
	}
	for p, name := range names {
		add(p, fmt.Sprintf(`"process":%q,"init":{"n":0}}`, name))
	}
	var sent []int
	count := c.IntN(80)
	if few {
		count = c.IntN(6)
	}
	for i := range count {
		p := c.IntN(len(names))
		line := fmt.Sprintf(`"process":%q,"id":"v%d","set":{"n":%d}`, names[p], i, c.IntN(4))
		switch k := c.IntN(3); {
		case k == 0:
			line += fmt.Sprintf(`,"send":"m%d"`, i)
			sent = append(sent, i)
		case k == 1 && len(sent) > 0:
			at := c.IntN(len(sent))
			line += fmt.Sprintf(`,"recv":"m%d"`, sent[at])
			sent = append(sent[:at], sent[at+1:]...)
		}
		add(p, line+"}")
	}
	x.parts = parts
	if x.way == byFile {
		x.parts = [][]string{nil}
		for _, line := range x.whole {
			x.parts[0] = append(x.parts[0], fmt.Sprintf(`{"s":%q,%s`, x.name, line[1:]))
		}
		x.parts[0] = append(x.parts[0], x.closing())
	}
}

func (x *execution) closing() string { return fmt.Sprintf(`{"s":%q,"closed":true}`, x.name) }

// spans makes the requests of an execution of spans: a random tree.
func (c *testCase) spans(x *execution, number int) {
	x.name = fmt.Sprintf("%032x", number)
	var all []any
	for i := range 1 + c.IntN(8) {
		span := map[string]any{"traceId": x.name, "spanId": fmt.Sprintf("%016x", i+1), "name": fmt.Sprint("op", i%3),
			"startTimeUnixNano": fmt.Sprint(1000 + i), "endTimeUnixNano": fmt.Sprint(2000 - i)}
		if i > 0 {
			span["parentSpanId"] = fmt.Sprintf("%016x", 1+c.IntN(i))
		}
		if c.IntN(10) == 0 {
			span["status"] = map[string]any{"code": 2}
		}
		if c.IntN(20) == 0 { // a clock that is far off
			span["startTimeUnixNano"], span["endTimeUnixNano"] = "1", "9000000000000000000"
		}
		all = append(all, span)
	}
	x.whole = []string{export(all...)}
	c.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	var requests []string
	for len(all) > 0 {
		n := 1 + c.IntN(len(all))
		requests, all = append(requests, export(all[:n]...)), all[n:]
	}
	x.parts = [][]string{requests}
}

// export is a request with spans.
func export(spans ...any) string {
	text, err := json.Marshal(map[string]any{"resourceSpans": []any{map[string]any{
		"resource":   map[string]any{"attributes": []any{map[string]any{"key": "service.name", "value": map[string]any{"stringValue": "shop"}}}},
		"scopeSpans": []any{map[string]any{"spans": spans}},
	}}})
	cases.Fail(err)
	return string(text)
}

// garbage is something that no listener takes.
func (c *testCase) garbage() string {
	switch c.IntN(5) {
	case 0:
		b := make([]byte, c.IntN(1<<16))
		for i := range b {
			b[i] = byte(c.Uint32())
		}
		return "\xff" + string(b)
	case 1:
		return strings.Repeat("x", 300<<10)
	case 2:
		return `{"s":"e0","process":` // and no more
	case 3:
		return "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04"
	}
	return "POST /lines HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n{"
}
