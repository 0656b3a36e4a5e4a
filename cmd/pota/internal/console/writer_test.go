package console

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pota-project/pota/graphs/graphtest"
)

// harmful finds what a terminal or a log would obey.
var harmful = regexp.MustCompile(`(?m)##\[|##vso\[|^[ \t]*::[a-zA-Z]|[\x00-\x08\x0b-\x1f\x{7f}-\x{9f}\x{202e}]`)

// A Writer writes the same however text is cut into pieces, and nothing harmful;
// what is harmless it leaves as it is.
func TestWriter(t *testing.T) {
	plainly := func(pieces ...string) string {
		var b bytes.Buffer
		w := NewWriter(&b)
		for _, p := range pieces {
			if n, err := w.Write([]byte(p)); n != len(p) || err != nil {
				t.Fatal(n, err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, test := range [][2]string{
		{"a\tb\nc: d::e # ## ##x é→\ufffd👍", "a\tb\nc: d::e # ## ##x é→\ufffd👍"},
		{":: x\n  :: d_step { }\n:", ":: x\n  :: d_step { }\n:"},
		{"\x1b[31m\x00\r\a\x7f", `\u001b[31m\u0000\u000d\u0007\u007f`},
		{"\u009b\u202e\u2066\u2028\u2029\u200f", `\u009b\u202e\u2066\u2028\u2029\u200f`},
		{"\xff\x9b\xc3", "\ufffd\ufffd\ufffd"},
		{"::error::\n \t::group::\nx ::error::", `\u003a:error::` + "\n \t" + `\u003a:group::` + "\nx ::error::"},
		{"##[error] ##vso[x] ##vs", `\u0023#[error] \u0023#vso[x] ##vs`},
		{Own("\x1b[31m") + "a\x1b" + Own("\x1b[0m") + Own("\r") + Own("::") + "error::", "\x1b[31ma\\u001b\x1b[0m\r::error::"},
		{ours[:5] + "x" + ours, `\u0000` + ours[1:5] + "x" + `\u0000` + ours[1:]},
		{"", ""},
	} {
		if got := plainly(test[0]); got != test[1] {
			t.Errorf("%q: got %q, want %q", test[0], got, test[1])
		}
	}
	r := rand.New(rand.NewPCG(12, 1))
	pieces := []string{"\x1b", "\u009b", "é", "\xc3", "\xa9", "\xe2\x80", "\xae", ":", "::", "e", "#", "##", "[", "vso[", "\n", " ", "\t", "x", "👍", "\x00", ours[:10]}
	for range graphtest.Rounds(t, 5000) {
		var cut []string
		for range r.IntN(8) {
			cut = append(cut, pieces[r.IntN(len(pieces))])
		}
		whole := plainly(strings.Join(cut, ""))
		if got := plainly(cut...); got != whole {
			t.Fatalf("%q: %q in pieces, %q at once", cut, got, whole)
		}
		if found := harmful.FindString(whole); found != "" || !utf8.ValidString(whole) {
			t.Fatalf("%q: %q has %q", cut, whole, found)
		}
	}
}
