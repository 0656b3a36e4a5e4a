package stream

import (
	"reflect"
	"testing"

	"github.com/pota-project/pota/graphs"
)

// A line is read as it was written, and no part of its bytes is taken for all of them.
func TestCodec(t *testing.T) {
	line := Line{
		Kind:    Event,
		Process: []byte("P"),
		ID:      []byte("e"),
		Values:  []Assignment{{[]byte("s"), graphs.Str("text")}, {[]byte("f"), graphs.Float(0.5)}, {[]byte("b"), graphs.Boolean(true)}, {[]byte("i"), graphs.Int(7)}},
		Send:    [][]byte{[]byte("m"), []byte("n")},
		Clock:   []Count{{[]byte("P"), 300}},
		Unsent:  true,
		Label:   []byte("begins"),
		Time:    []byte("1.5"),
		Place:   graphs.Place{File: "log", Line: 7},
	}
	var w Codec
	w.Line(&line)
	for n := range w.Bytes() {
		var l Line
		c := NewReader(w.Bytes()[:n])
		if c.Line(&l); c.Err() == nil {
			t.Errorf("%d of %d bytes are a line: %v", n, len(w.Bytes()), l)
		}
	}
	text := graphs.Str("at the end")
	var v Codec
	v.value(&text)
	var read graphs.Value
	r := NewReader(v.Bytes())
	if r.value(&read); r.Err() != nil || read.Text() != text.Text() {
		t.Errorf("%v, %v", read, r.Err())
	}
	var l, again Line
	c := NewReader(w.Bytes())
	c.Line(&l)
	if c.Err() != nil || len(c.Bytes()) > 0 || l.Recv != nil {
		t.Fatalf("%v, and %d bytes are left", c.Err(), len(c.Bytes()))
	}
	var second Codec
	second.Line(&l)
	NewReader(second.Bytes()).Line(&again)
	if !reflect.DeepEqual(l, again) || string(second.Bytes()) != string(w.Bytes()) || l.Values[1].Value != line.Values[1].Value {
		t.Errorf("read is %v, want %v", l, line)
	}
	if l.Values[3].Value != line.Values[3].Value {
		t.Errorf("7 is read as %v", l.Values[3].Value)
	}
}
