package otlp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDetect(t *testing.T) {
	for text, want := range map[string]bool{
		`{"resourceSpans":[`:                              true,
		"{ \"x\" : [1, {\"a\":2}],\n\t\"resourceSpans\":": true,
		"{}\n{\"resourceMetrics\":[]}":                    true,
		`{"resource_spans":[]}`:                           true,
		`{"result":{"resourceSpans":[`:                    true,
		`[{"resourceSpans":[`:                             true,
		`{"batches":[{"resource":{}`:                      true,
		`{"trace":{"batches":[{"resource":`:               true,
		`{"trace":{"resourceSpans":[`:                     true,
		`{"resourceSpan":[]}`:                             false,
		`{"a":{"resourceSpans":[]}}`:                      false,
		`["resourceSpans"]`:                               false,
		`{"process":"resourceSpans","init":{}}`:           false,
		`resourceSpans`:                                   false,
		"":                                                false,
	} {
		if got := Detect([]byte(text)); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
	if long := `{"x":"` + strings.Repeat("resource ", 30000); Detect([]byte(long)) {
		t.Error("a string that does not end")
	}
	others, err := filepath.Glob("../../../testdata/*/*/*.*")
	if err != nil || len(others) < 20 {
		t.Fatal(err, len(others))
	}
	natives, err := filepath.Glob("../../../testdata/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	refused, err := filepath.Glob("../../../testdata/refused/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(append(others, natives...), refused...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.Contains(file, "/otlp/") && strings.HasSuffix(file, ".json"); Detect(text) != want {
			t.Errorf("%s: %t", file, !want)
		}
	}
}
