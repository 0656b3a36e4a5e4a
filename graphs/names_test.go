package graphs

import "testing"

// Texts of traces may contain anything, and their printable form neither hides nor moves other
// text.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"plain 进程 🚀": "plain 进程 🚀",
		"a\nb\x00":   `a\nb\x00`,
		"\u202eabc":  `\u202eabc`,
		"a\xff\xfeb": "a\uFFFDb",
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q is shown as %q, not %q", text, got, want)
		}
	}
}
