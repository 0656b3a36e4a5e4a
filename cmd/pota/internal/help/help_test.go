package help

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Descriptions are printed as they stand, so their lines are short enough.
func TestDescriptions(t *testing.T) {
	files, err := texts.ReadDir("commands")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".txt")
		for line := range strings.Lines(Of(name).Description) {
			if n := utf8.RuneCountInString(strings.TrimSpace(line)); n > maxColumns-3 {
				t.Errorf("%s: a line has %d columns: %s", name, n, line)
			}
		}
	}
}
