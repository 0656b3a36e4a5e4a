package gotrace

import (
	"errors"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/trace"
)

// An error of the library about a corrupt trace may contain anything.
func TestBroken(t *testing.T) {
	s := &stream{name: "x.trace"}
	for text, want := range map[string]string{
		"broken trace: failed to advance: frontier:\n[gen=1]": "x.trace: broken trace: failed to advance: frontier",
		"new=\a\r\xff":           `x.trace: broken trace: new=\a\r` + "\uFFFD",
		strings.Repeat("é", 300): "x.trace: broken trace: " + strings.Repeat("é", 200) + "…",
	} {
		if got := s.broken(errors.New(text)).Error(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A panic of the library becomes an error.
func TestGuard(t *testing.T) {
	s := &stream{name: "x.trace"} // without a reader
	err := s.next(nil)
	var e *trace.Error
	if !errors.As(err, &e) || !strings.HasPrefix(e.Msg, "broken trace: the reader of traces cannot go on: ") {
		t.Error(err)
	}
}
