package record_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs/record"
)

type (
	state int8
	count uint16
	ratio float32
	flag  bool
	text  string
)

func (state) String() string { return "not asked" }

func TestSet(t *testing.T) {
	for _, test := range []struct {
		value any
		want  string
	}{
		{0, "0"}, {-5, "-5"}, {int8(-128), "-128"}, {int16(7), "7"}, {int32(7), "7"}, {int64(math.MinInt64), "-9223372036854775808"},
		{uint(7), "7"}, {uint8(255), "255"}, {uint16(7), "7"}, {uint32(7), "7"}, {uint64(math.MaxUint64), "18446744073709551615"}, {uintptr(7), "7"},
		{0.5, "0.5"}, {float32(0.5), "0.5"}, {1e300, "1e+300"}, {math.Copysign(0, -1), "-0"}, {3.0, "3"},
		{true, "true"}, {false, "false"}, {"", `""`}, {"a\"\\\n\x00é\xff\U0001F600", `"a\"\\\u000a\u0000é` + "\ufffd\U0001F600" + `"`},
		{state(-3), "-3"}, {count(3), "3"}, {ratio(0.25), "0.25"}, {flag(true), "true"}, {text("x"), `"x"`}, {time.Second, "1000000000"},
	} {
		var out bytes.Buffer
		r := record.New(&out)
		r.Process("P", record.Set("v", test.value))
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if want := "{\"pota\":1}\n{\"process\":\"P\",\"init\":{\"v\":" + test.want + "}}\n"; out.String() != want {
			t.Errorf("%v: got %s", test.value, out.String())
		}
		read(t, out.Bytes())
	}
}

// TestMisuse: values and calls that cannot be recorded are omitted, and Close says so.
func TestMisuse(t *testing.T) {
	for _, test := range []struct {
		do         func(r *record.Recorder)
		want, line string
	}{
		{func(r *record.Recorder) { r.Process("P").Event(record.Set("v", nil), record.Set("w", 1)) },
			`record: process "P": variable "v" cannot have a value of type nil (numbers, booleans and strings can be recorded)`, `{"process":"P","set":{"w":1}}`},
		{func(r *record.Recorder) { r.Process("P").Event(record.Set("v", 1), record.Set("v", []int{1})) },
			`record: process "P": variable "v" cannot have a value of type []int (numbers, booleans and strings can be recorded)`, `{"process":"P","set":{"v":1}}`},
		{func(r *record.Recorder) { r.Process("P").Event(record.Set("v", errors.New("x"))) },
			`record: process "P": variable "v" cannot have a value of type *errors.errorString (numbers, booleans and strings can be recorded)`, `{"process":"P"}`},
		{func(r *record.Recorder) { r.Process("P", record.Set("v", math.NaN())).Event() },
			`record: process "P": variable "v" cannot have the value NaN, which is not a JSON number`, `{"process":"P","init":{}}`},
		{func(r *record.Recorder) { r.Process("P").Event(record.Assignment{}) },
			`record: process "P": an Assignment that Set did not make`, `{"process":"P"}`},
		{func(r *record.Recorder) { r.Process("P"); r.Shared(record.Set("v", math.Inf(-1))) },
			`record: shared variables: variable "v" cannot have the value -Inf, which is not a JSON number`, `{"shared":{}}`},
		{func(r *record.Recorder) { r.Process("P").Event(); r.Process("P", record.Set("v", 1)) },
			`record: process "P": initial values after its first event`, `{"process":"P"}`},
		{func(r *record.Recorder) { r.Process("P").Event(record.At(math.NaN())) },
			`record: process "P": the time NaN is not a JSON number`, `{"process":"P"}`},
		{func(r *record.Recorder) {
			r.Process("P").Event(record.Time(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)))
		},
			`record: process "P": the year 10000 is beyond RFC 3339`, `{"process":"P"}`},
	} {
		var out bytes.Buffer
		r := record.New(&out)
		test.do(r)
		if err := r.Close(); err == nil || err.Error() != test.want {
			t.Errorf("got %v\nwant %s", err, test.want)
		}
		if !strings.Contains(out.String(), test.line+"\n") {
			t.Errorf("%s lacks in\n%s", test.line, out.String())
		}
		read(t, out.Bytes())
	}
}

// broken fails after some bytes.
type broken struct{ left int }

var errBroken = errors.New("no space left")

func (b *broken) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

type short struct{}

func (short) Write(p []byte) (int, error) { return len(p) - 1, nil }

// TestErrors: a write error is kept until Close, and nothing is written after it.
func TestErrors(t *testing.T) {
	b := &broken{left: 100}
	r := record.New(b, record.WithFlushLines())
	p := r.Process("P", record.Set("v", nil))
	for range 100 {
		p.Event()
	}
	if b.left < -100 {
		t.Errorf("%d bytes were written after the error", -b.left)
	}
	for range 2 {
		if err := r.Close(); !errors.Is(err, errBroken) {
			t.Errorf("got %v", err)
		}
	}
	r = record.New(short{})
	if err := r.Flush(); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("got %v", err)
	}
	if _, err := record.Create(filepath.Join(t.TempDir(), "none", "x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	var out bytes.Buffer
	r = record.New(&out)
	p = r.Process("P")
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	n := out.Len()
	p.Event()
	if err := r.Close(); err == nil || err.Error() != "record: recorder: an event after Close" || out.Len() != n {
		t.Errorf("got %v, and %d bytes more", err, out.Len()-n)
	}
}

// TestProcess: a name stands for one process, and later calls may add initial values.
func TestProcess(t *testing.T) {
	var out bytes.Buffer
	r := record.New(&out)
	p := r.Process("P", record.Set("a", 1))
	if r.Process("P") != p || r.Process("P", record.Set("b", 2)) != p || p.Name() != "P" {
		t.Error("not the same process")
	}
	p.Event()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	c := read(t, out.Bytes())
	if c.Variable(0, "a").Init.Int64() != 1 || c.Variable(0, "b").Init.Int64() != 2 {
		t.Error(out.String())
	}
}

// TestReceivers: a receiver is named if the format can name it.
func TestReceivers(t *testing.T) {
	var a record.Token
	for _, test := range []struct {
		do   func(p *record.Process)
		want string
	}{
		{func(p *record.Process) { p.Send("Q") }, `"send":"P.1","to":"Q"`},
		{func(p *record.Process) { p.Send("") }, `"send":"P.1"`},
		{func(p *record.Process) { p.Multicast([]string{"Q"}) }, `"send":"P.1","to":"Q"`},
		{func(p *record.Process) { p.Multicast([]string{"Q", "R"}) }, `"send":"P.1"`},
		{func(p *record.Process) { p.Multicast(nil) }, `"send":"P.1"`},
		{func(p *record.Process) { p.Send("Q", record.Sends(&a, "Q")) }, `"send":["P.1","P.2"],"to":"Q"`},
		{func(p *record.Process) { p.Send("Q", record.Sends(&a, "R"), record.Sends(&a, "R")) }, `"send":["P.1","P.2","P.3"]`},
		{func(p *record.Process) { p.Send("Q", record.Sends(&a)) }, `"send":["P.1","P.2"]`},
		{func(p *record.Process) { p.Event(record.Sends(nil, "Q")) }, `"send":"P.1","to":"Q"`},
		{func(p *record.Process) { p.Receive("", record.Receives("")) }, ``},
		{func(p *record.Process) { p.Event(record.After(record.Ref{}, record.EventID(""))) }, ``},
		{func(p *record.Process) { p.Event(record.After(p.Event())) }, ``},
		{func(p *record.Process) { p.Event(record.Label("a"), record.Label("b"), record.At(0.5)) }, `"label":"b","time":0.5`},
	} {
		var out bytes.Buffer
		r := record.New(&out)
		p := r.Process("P")
		r.Process("Q")
		r.Process("R")
		test.do(p)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		last := out.String()[strings.LastIndexByte(strings.TrimSpace(out.String()), '\n')+1:]
		want := strings.TrimSuffix(`{"process":"P",`+test.want, ",") + "}\n"
		if last != want {
			t.Errorf("got %swant %s", last, want)
		}
		read(t, out.Bytes())
	}
}

// TestTokens: tokens survive every text transport, and are distinct.
func TestTokens(t *testing.T) {
	const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	var all []record.Token
	dir := t.TempDir()
	var before record.Token
	var recorders []*record.Recorder
	for i, name := range []string{"P", "P.1", "P~2E1", "P 1", "é/?&=%", "", "P.1.1"} {
		r, err := record.Create(filepath.Join(dir, string(rune('a'+i))))
		if err != nil {
			t.Fatal(err)
		}
		recorders = append(recorders, r)
		p := r.Process(name)
		for range 12 {
			p.Receive(before)
			before = p.Send("")
			all = append(all, before)
			if s := string(before); strings.Trim(s, unreserved) != "" || url.QueryEscape(s) != s {
				t.Errorf("token %q", before)
			}
		}
	}
	for _, r := range recorders {
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	c := readPath(t, dir)
	if m := c.Messages(); len(m) != 84 || c.NumEvents() != 168 {
		t.Errorf("%d messages, %d events", len(m), c.NumEvents())
	}
	slices.Sort(all)
	if n := len(slices.Compact(all)); n != 84 {
		t.Errorf("%d tokens differ", n)
	}
}

// TestNil: a nil recorder records nothing and breaks nothing.
func TestNil(t *testing.T) {
	var r *record.Recorder
	p := r.Process("P", record.Set("x", 1))
	r.Shared(record.Set("x", 1))
	if p.Name() != "" || p.Send("Q") != "" || p.Multicast(nil) != "" || !p.Event().IsZero() || p.Receive("x").String() != "" {
		t.Error("something was recorded")
	}
	var m record.Mutex
	m.Lock(p)
	if m.TryLock(p) {
		t.Error("locked twice")
	}
	m.Unlock(p)
	record.NewBarrier(1).Wait(p)
	for buffer := range 2 {
		c := record.NewChan[int](buffer)
		go c.Send(p, 5)
		if v, ok := c.Receive(p); v != 5 || !ok {
			t.Error(v, ok)
		}
	}
	v := record.NewVariable(r, "v", 1)
	v.Write(p, 2)
	if v.Read(p) != 2 || v.Update(p, func(n int) int { return n + 1 }) != 3 {
		t.Error("the variable has a wrong value")
	}
	if err := errors.Join(r.Flush(), r.Close()); err != nil {
		t.Error(err)
	}
}

// TestAllocations checks what the package promises.
func TestAllocations(t *testing.T) {
	r := record.New(io.Discard)
	p, q := r.Process("P"), r.Process("Q")
	ref := q.Event()
	n, f, s := 1000, 0.5, strings.Repeat("s", 3)
	token := p.Send("Q")
	for name, test := range map[string]struct {
		most float64
		do   func()
	}{
		"event":   {0, func() { p.Event() }},
		"sets":    {0, func() { p.Event(record.Set("n", n), record.Set("f", f), record.Set("s", s), record.Set("b", true)) }},
		"kinds":   {0, func() { p.Event(record.Set("n", uint16(n)), record.Set("t", text(s))) }},
		"notes":   {0, func() { p.Event(record.Label(s), record.At(f), record.Sync(s)) }},
		"after":   {0, func() { p.Event(record.After(ref)) }},
		"receive": {0, func() { q.Receive(token, record.Set("n", n)) }},
		"send":    {1, func() { token = p.Send("Q", record.Set("n", n)) }},
		"both":    {1, func() { q.Receive(token, record.Sends(&token, "P")) }},
	} {
		n += 1000
		if got := testing.AllocsPerRun(200, test.do); got > test.most {
			t.Errorf("%s: %v allocations", name, got)
		}
	}
}
