package jsonstream

import (
	"bytes"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonline"
)

// Paths returns what a document looks like from its beginning; that may stop
// anywhere: the keys in it with their colons, down to the given depth of nesting, each after the keys
// and arrays that it is in. The trace of Jaeger {"data":[{"traceID":"1"}]} has the
// paths data and data[].traceID. Of documents one after the other, it is the first
// one that has keys. Text that is not JSON has none.
//
// The time complexity of Paths is O(length of head).
func Paths(head []byte, depth int) map[string]bool {
	text := bytes.TrimPrefix(head, []byte(trace.ByteOrderMark))
	s := jsonline.Scanner{Text: text, Lenient: true}
	paths := make(map[string]bool)
	var walk func(at string, depth int)
	walk = func(at string, depth int) {
		switch b := s.Next(); {
		case b == '{' && depth > 0:
			s.Object(func(_ int, name jsonline.String) {
				key := string(s.AppendDecoded(nil, name))
				if at != "" {
					key = at + "." + key
				}
				paths[key] = true
				walk(key, depth-1)
			})
		case b == '[' && depth > 0:
			s.Array(func(int) { walk(at+"[]", depth-1) })
		default:
			s.Skip()
		}
	}
	for b := s.Next(); len(paths) == 0 && s.Err == nil && (b == '{' || b == '['); b = s.Next() {
		walk("", depth)
	}
	return paths
}
