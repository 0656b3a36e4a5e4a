// Package execution finds the execution of a line in a log with lines of many executions. A line is
// a JSON object in which one key names the execution, by a string or a number.
package execution

import (
	"errors"
	"fmt"

	"github.com/pota-project/pota/graphs/trace/internal/jsonline"
)

// Errors of Name.
var (
	// An empty name would merge all executions with a forgotten name.
	ErrEmpty = errors.New("the execution of a line must not be empty")
	ErrType  = errors.New("the execution of a line must be a string or a number")
)

// Missing returns the error of a line without the key.
func Missing(key string) error {
	return fmt.Errorf("%q is missing: a line must name its execution", key)
}

// Repeated returns the error of a line that has the key twice.
func Repeated(key string) error { return fmt.Errorf("the key %q occurs twice in one line", key) }

// Name returns the execution that a JSON value names.
func Name(value []byte) (string, error) {
	s := jsonline.Scanner{Text: value}
	if b := s.Next(); b == '-' || '0' <= b && b <= '9' {
		return string(value), nil
	}
	str, ok := s.Quoted()
	switch {
	case !ok:
		return "", ErrType
	case str.From == str.To:
		return "", ErrEmpty
	}
	return string(s.AppendDecoded(nil, str)), nil
}

// Of returns the execution that a line names by a key, or "" if the line is not a JSON object, or
// does not name exactly one. The time complexity of Of is O(length).
func Of(line []byte, key string) string {
	s := jsonline.Scanner{Text: line}
	if s.Next() != '{' {
		return ""
	}
	name, count := "", 0
	ok := s.Object(func(_ int, text jsonline.String) {
		from := s.Pos
		if s.Skip() && string(s.AppendDecoded(nil, text)) == key {
			name, _ = Name(line[from:s.Pos])
			count++
		}
	})
	if !ok || count != 1 || s.Next() != '\n' {
		return ""
	}
	return name
}
