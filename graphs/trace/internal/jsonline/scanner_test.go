package jsonline

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// What a lenient scanner takes is what encoding/json takes, on texts made of pieces that are
// almost JSON.
func TestTwin(t *testing.T) {
	pieces := []string{
		"{", "}", "[", "]", ",", ":", `"a"`, `"`, `\`, `\u00e9`, `\ud83d\ude00`, `\ud83d`, `\n`, "1", "0", "-", ".5", "e+2", "E", "true",
		"fals", "false", "null", " ", "\t", "\n", "é", "\xff", "\x01", `{"k":`, `["x",`, "12345678901234567890",
	}
	r := rand.New(rand.NewPCG(1, 1))
	valid := 0
	for range 200_000 {
		var b strings.Builder
		for range 1 + r.IntN(7) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		text := []byte(b.String())
		s := Scanner{Text: text, Lenient: true}
		got := s.Skip() && s.Ended()
		if want := json.Valid(text); got != want {
			t.Fatalf("%q: %t, want %t: %v", text, got, want, s.Err)
		}
		if got {
			valid++
		}
		strict := Scanner{Text: text}
		if strict.Skip() && strict.Ended() && !(got && utf8.Valid(text)) {
			t.Fatalf("%q is taken by a strict scanner", text)
		}
	}
	if valid < 1000 {
		t.Errorf("%d texts are JSON, which is few", valid)
	}
}

// Strings mean what they mean to encoding/json, and numbers have the parts they are made of.
func TestMeaning(t *testing.T) {
	for _, text := range []string{`""`, `"a"`, `"é\u00e9\"\\\/\b\f\n\r\t"`, `"\ud83d\ude00x"`, `"\uD83D\uDE00"`} {
		s := Scanner{Text: []byte(text)}
		str, ok := s.Quoted()
		var want string
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		if got := string(s.AppendDecoded(nil, str)); !ok || got != want || !s.Ended() {
			t.Errorf("%s means %q, want %q (%v)", text, got, want, s.Err)
		}
		if str.Escaped != strings.Contains(text, `\`) {
			t.Errorf("%s: escaped is %t", text, str.Escaped)
		}
	}
	for text, want := range map[string]Number{
		"0":        {To: 1, Digits: 1, Integer: true},
		"-12":      {To: 3, Abs: 12, Digits: 2, Negative: true, Integer: true},
		"3.25":     {To: 4, Abs: 3, Digits: 1},
		"7e-1":     {To: 4, Abs: 7, Digits: 1},
		"1.5E+3,0": {To: 6, Abs: 1, Digits: 1},
	} {
		s := Scanner{Text: []byte(text)}
		if n, ok := s.Number(); !ok || n != want || s.Pos != want.To {
			t.Errorf("%s: %+v, want %+v", text, n, want)
		}
	}
}

// Mistakes have a position, and name the remedy if there is one.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		`"a`:                            `2 the line ends inside a string`,
		"\"a\n\"":                       `2 the line ends inside a string`,
		`"\`:                            `2 the line ends inside a string`,
		`"\u12`:                         `5 the line ends inside a string`,
		`"\u12x4"`:                      `1 \u is not followed by four hexadecimal digits`,
		`"\ud800"`:                      `1 \ud800 is one half of a surrogate pair without the other`,
		`"\ud800\u1"`:                   `7 \u is not followed by four hexadecimal digits`,
		`"\q"`:                          `1 "\\q" is not an escape sequence of JSON`,
		"\"\xff\"":                      `1 the byte 0xFF is not UTF-8`,
		"\"\t\"":                        `1 the control character U+0009 occurs in a string (write it as an escape)`,
		`01`:                            `0 a JSON number must not begin with 0`,
		`-`:                             `1 no digit after the minus sign`,
		`1.`:                            `2 no digit after the decimal point`,
		`1e`:                            `2 no digit in the exponent`,
		`1x`:                            `0 "1x" is not a JSON value`,
		`truely`:                        `0 "truely" is not a JSON value`,
		`tru`:                           `0 tru where a JSON value was expected`,
		`[1 2]`:                         `3 a number where "," or "]" was expected`,
		`{"a"}`:                         `4 "}" where a colon was expected`,
		`{1}`:                           `1 a number where a name in quotes was expected`,
		`[`:                             `1 the line ends where a JSON value was expected`,
		strings.Repeat("[", maxDepth+1): strconv.Itoa(maxDepth) + " " + TooDeep,
	} {
		s := Scanner{Text: []byte(text)}
		if s.Skip() {
			t.Errorf("%s is taken", text)
			continue
		}
		if got := strconv.Itoa(s.Err.At) + " " + s.Err.Msg; got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	s := Scanner{Text: []byte("null")}
	if s.WrongType("a string"); s.Err.Msg != "null where a string was expected (leave the key out instead)" {
		t.Error(s.Err.Msg)
	}
}
