package trace

import (
	"bufio"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Lines are found by their numbers, whatever their lengths and ends are.
func TestLinesAt(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 16))
	for range 100 {
		var want []string
		for range 1 + r.IntN(5) {
			want = append(want, strings.Repeat(string(rune('a'+len(want))), []int{0, 3, 99, 100, 101, 65535, 65536, 200000}[r.IntN(8)]))
		}
		end := []string{"\n", "\r\n"}[r.IntN(2)]
		text := strings.Join(want, end)
		if r.IntN(2) == 0 {
			text = ByteOrderMark + text
		}
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var numbers []int
		for range r.IntN(8) {
			numbers = append(numbers, 1+r.IntN(8))
		}
		got, err := LinesAt(path, numbers, 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range numbers {
			line, ok := got[n]
			if last := n == len(want) && want[n-1] == ""; n > len(want) || last {
				if ok && !last {
					t.Fatalf("line %d of %d", n, len(want))
				}
				continue
			}
			if want := want[n-1]; !ok || string(line) != want[:min(len(want), 100)] {
				t.Fatalf("line %d of %q: %.200q, %t", n, text[:min(len(text), 200)], line, ok)
			}
		}
		lineOf, at := LineOf(text), 0
		for i, line := range strings.SplitAfter(text, "\n") {
			if line != "" && (lineOf(at) != i+1 || lineOf(at+len(line)-1) != i+1) {
				t.Fatalf("byte %d is on line %d, not %d", at, lineOf(at), i+1)
			}
			at += len(line)
		}
	}
	if _, err := LinesAt(filepath.Join(t.TempDir(), "none"), []int{1}, 10); err == nil {
		t.Error("a file that is not there")
	}
}

// Lines of all lengths are read, one after the other, up to a limit, through a small buffer.
func TestReadLine(t *testing.T) {
	const most = 20
	for length := range 70 {
		for _, end := range []string{"\n", ""} {
			want := strings.Repeat("x", length) + end
			r := bufio.NewReaderSize(strings.NewReader("a\n"+want), 16)
			if line, long, err := ReadLine(r, []byte("dst "), most); string(line) != "dst a\n" || long || err != nil {
				t.Fatalf("%q, %t, %v", line, long, err)
			}
			line, long, err := ReadLine(r, nil, most)
			if string(line) != want[:min(len(want), most)] || long != (len(want) > most) || (err == io.EOF) != (end == "") {
				t.Fatalf("%q: %q, %t, %v", want, line, long, err)
			}
		}
	}
}

// A text of more bytes than are allowed is refused, and not cut.
func TestTextTooLarge(t *testing.T) {
	for _, most := range []int64{9, 10} {
		source := From("log", strings.NewReader("123456789\n"))
		_, text, err := source.Text(t.Context(), "a log", most, new(Options))
		if most == 10 && (text != "123456789\n" || err != nil) {
			t.Errorf("%q, %v", text, err)
		}
		if most == 9 && (err == nil || err.Error() != "log: the file has more than 9 bytes") {
			t.Errorf("%q, %v", text, err)
		}
	}
}
