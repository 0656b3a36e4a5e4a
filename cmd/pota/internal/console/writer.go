package console

import (
	"crypto/rand"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/pota-project/pota/graphs"
)

// A Writer passes no text that a terminal or a continuous-integration log would interpret as a
// command. Formulas, names of files, and names, labels and values in traces may contain anything,
// so all output of the command passes through a Writer. It writes
//
//	\u and four hexadecimal digits  for a control character other than a line end or a tab, for
//	                                a character that changes the direction of text, and for a
//	                                separator of lines or paragraphs; JSON means the same by it
//	likewise its first character    for a workflow command: for "##[" and "##vso[" anywhere, and
//	                                for "::" before a letter at the start of a line
//	U+FFFD                          for a byte that is not UTF-8
//
// Own marks the control sequences of the program itself.
//
// Several goroutines may use a Writer. The time complexity of Write is O(|p|).
type Writer struct {
	mu    sync.Mutex
	w     io.Writer
	held  []byte // the end of the text, which may be the beginning of something unsafe
	inner bool   // whether a non-blank character precedes held in its line
	room  []byte // reused by write
}

// NewWriter returns a Writer that writes to w. Call Flush at the end of the text.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// ours precedes a byte that passes unchanged. It is chosen at random when the program starts, so
// that no input can contain it.
var ours = "\x00" + rand.Text()

// Own marks the control characters of text, and a workflow command at its start, as the program's
// own, so that a Writer passes them unchanged.
func Own(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if i == 0 || text[i] < ' ' {
			b.WriteString(ours)
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// commands are the prefixes of commands that continuous integration recognizes anywhere in a line.
var commands = []string{"##[", "##vso["}

// unusual marks the bytes that may begin something unsafe. Other bytes, which are nearly all, are
// copied without further checks.
var unusual = func() (is [256]bool) {
	for b := range is {
		is[b] = b < ' ' && b != '\n' && b != '\t' || b == ':' || b == '#' || b >= 0x7f
	}
	return is
}()

func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := p
	if len(w.held) > 0 {
		text = append(w.held, p...)
		w.held = nil
	}
	if err := w.write(text, false); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes the bytes that were held back. It does not flush the underlying writer.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := w.held
	w.held = nil
	return w.write(text, true)
}

// write writes text. It holds back the end of text if only later bytes can show whether it is
// safe; last means that there are none.
func (w *Writer) write(text []byte, last bool) error {
	out, from := w.room[:0], 0
	for i := 0; i < len(text); {
		if !unusual[text[i]] || text[i] == ':' && i+1 < len(text) && text[i+1] != ':' {
			i++
			continue
		}
		n, safe, known := w.look(text, i)
		switch {
		case !known && last:
			n, safe = 1, ""
			if text[i] >= utf8.RuneSelf {
				safe = string(utf8.RuneError)
			} else if text[i] == ours[0] {
				safe = escaped(rune(text[i]))
			}
		case !known:
			w.held = append([]byte(nil), text[i:]...)
			text = text[:i]
			continue
		}
		switch safe {
		case "":
		case ours:
			out = append(out, text[from:i]...)
			from = i + n
			n++
		default:
			out = append(append(out, text[from:i]...), safe...)
			from = i + n
		}
		i += n
	}
	out = append(out, text[from:]...)
	w.inner = inner(text, len(text), w.inner)
	w.room = out
	_, err := w.w.Write(out)
	return err
}

func escaped(r rune) string { return fmt.Sprintf(`\u%04x`, r) }

// look classifies the text at i. It returns the length of the item that begins there and its
// replacement: "" to keep it, ours to remove it. Known is false if the result depends on later
// text.
func (w *Writer) look(text []byte, i int) (n int, safe string, known bool) {
	rest := string(text[i:min(len(text), i+len(ours)+1)])
	first := rest[0]
	switch {
	case first == ':':
		if inner(text, i, w.inner) || !begins(rest, "::") {
			return 1, "", true
		}
		if len(rest) < 3 {
			return 1, "", false
		}
		if letter := rest[2] | 0x20; letter < 'a' || letter > 'z' {
			return 2, "", true
		}
		return 1, escaped(':'), true
	case first == '#':
		for _, c := range commands {
			if begins(rest, c) {
				return 1, escaped('#'), len(rest) >= len(c)
			}
		}
		return 1, "", true
	case first == ours[0] && begins(rest, ours):
		return len(ours), ours, len(rest) > len(ours)
	case first < utf8.RuneSelf:
		return 1, escaped(rune(first)), true
	}
	r, n := utf8.DecodeRuneInString(rest)
	switch {
	case r == utf8.RuneError && n == 1:
		return 1, string(utf8.RuneError), utf8.FullRuneInString(rest)
	case graphs.Unsafe(r):
		return n, escaped(r), true
	}
	return n, "", true
}

// begins reports whether one of text and prefix begins with the other.
func begins(text, prefix string) bool {
	n := min(len(text), len(prefix))
	return text[:n] == prefix[:n]
}

// inner reports whether a non-blank character precedes text[i] in its line. Before is the answer
// for the beginning of text.
func inner(text []byte, i int, before bool) bool {
	for i--; i >= 0; i-- {
		switch text[i] {
		case '\n':
			return false
		case ' ', '\t':
		default:
			return true
		}
	}
	return before
}
