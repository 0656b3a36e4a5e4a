package jsonstream

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Paths returns what a document looks like from its beginning; that may stop
// anywhere: the keys in it, down to the given depth of nesting, each after the keys
// and arrays that it is in. The trace of Jaeger {"data":[{"traceID":"1"}]} has the
// paths data and data[].traceID. Of documents one after the other, it is the first
// one that has keys. Text that is not JSON has none.
//
// The time complexity of Paths is O(length of head).
func Paths(head []byte, depth int) map[string]bool {
	paths := make(map[string]bool)
	in := bytes.NewReader(bytes.TrimPrefix(head, []byte("\ufeff")))
	dec := jsontext.NewDecoder(in, jsontext.AllowDuplicateNames(true))
	for len(paths) == 0 {
		switch dec.PeekKind() {
		case '{', '[':
			if !walk(dec, "", depth, paths) {
				return paths
			}
		default:
			return paths
		}
	}
	return paths
}

// walk notes the paths of a value; it reports false where the text ends or is wrong.
func walk(dec *jsontext.Decoder, prefix string, depth int, paths map[string]bool) bool {
	k := dec.PeekKind()
	if k != '{' && k != '[' || dec.StackDepth() == depth {
		return dec.SkipValue() == nil
	}
	if _, err := dec.ReadToken(); err != nil {
		return false
	}
	for {
		at := prefix + "[]"
		switch dec.PeekKind() {
		case '}', ']':
			_, err := dec.ReadToken()
			return err == nil
		case jsontext.KindInvalid:
			return false
		}
		if k == '{' {
			t, err := dec.ReadToken()
			if err != nil {
				return false
			}
			if at = t.String(); prefix != "" {
				at = prefix + "." + at
			}
			paths[at] = true
		}
		if !walk(dec, at, depth, paths) {
			return false
		}
	}
}
