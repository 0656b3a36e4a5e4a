package syntax

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An Error describes a mistake in a formula or a property file, with its place.
type Error struct {
	Src  string // the whole text that was parsed; "" if it is not known
	Pos  int    // the byte offset in Src
	Msg  string // the mistake
	Hint string // a suggestion; "" if there is none
}

// Error returns one line: "line:column: message (hint)".
func (e *Error) Error() string {
	line, column := e.Position()
	if e.Hint == "" {
		return fmt.Sprintf("%d:%d: %s", line, column, e.Msg)
	}
	return fmt.Sprintf("%d:%d: %s (%s)", line, column, e.Msg, e.Hint)
}

// Position returns the line and the column of the error, both from 1. A
// column is a character, not a byte.
func (e *Error) Position() (line, column int) {
	if e.Src == "" {
		return 1, e.Pos + 1
	}
	before := e.Src[:max(0, min(e.Pos, len(e.Src)))]
	start := strings.LastIndexByte(before, '\n') + 1
	return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[start:])
}

// snippetWidth is the number of characters of a long line that Snippet shows on
// either side of the place.
const snippetWidth = 48

// Snippet returns the line with the error and, on a line below, a caret under
// the place. Long lines are cut on both sides, and control characters are
// shown as dots. It returns "" if the source is not known.
func (e *Error) Snippet() string {
	if e.Src == "" {
		return ""
	}
	pos := max(0, min(e.Pos, len(e.Src)))
	start := strings.LastIndexByte(e.Src[:pos], '\n') + 1
	end := len(e.Src)
	if n := strings.IndexByte(e.Src[start:], '\n'); n >= 0 {
		end = start + n
	}
	line := strings.TrimSuffix(e.Src[start:end], "\r")
	at := min(pos-start, len(line))
	before, after := []rune(line[:at]), []rune(line[at:])
	left, right := "", ""
	if n := len(before) - snippetWidth; n > 0 {
		before, left = before[n:], "…"
	}
	if len(after) > snippetWidth {
		after, right = after[:snippetWidth], "…"
	}
	shown := strings.Map(func(r rune) rune {
		if r != '\t' && !unicode.IsPrint(r) {
			return '·'
		}
		return r
	}, string(before)+string(after))
	indent := strings.Map(func(r rune) rune {
		if r != '\t' {
			return ' '
		}
		return r
	}, left+string(before))
	return left + shown + right + "\n" + indent + "^"
}

// A source is the text that positions refer to.
type source struct {
	text string // the text of the formula; positions are offsets in it
	file string // the text that errors show: text itself, or the file it is part of
	base int    // the offset of text in file
}

// errorf returns an error at a byte offset of the source. If s is nil, as for formulas built by
// hand, the error has no text to show. Tokens, names, formulas and expressions among the arguments
// may be long, and are clipped.
func (s *source) errorf(pos int, hint, format string, args ...any) *Error {
	args = Mapped(args, func(arg any) any {
		if text, ok := arg.(fmt.Stringer); ok {
			return clip(text.String())
		}
		return arg
	})
	err := &Error{Pos: pos, Msg: fmt.Sprintf(format, args...), Hint: hint}
	if s != nil {
		err.Src, err.Pos = s.file, pos+s.base
	}
	return err
}

// notFormula is the message for an expression, with its type, in place of a formula.
const notFormula = "%s is %s, where a formula is expected"

// Errorf returns an error at a byte offset of the text that f was parsed from.
func (f *Formula) Errorf(pos int, hint, format string, args ...any) *Error {
	return f.src.errorf(pos, hint, format, args...)
}

// place returns "line:column" of a position.
func (s *source) place(pos int) string {
	line, column := s.errorf(pos, "", "").Position()
	return fmt.Sprintf("%d:%d", line, column)
}

// A PropertyError is an error about the formula of a property. Its text begins with the source of
// the formula and ends with a snippet of it, on separate lines.
type PropertyError struct {
	File string // the file with the formula; "" if there is none
	Name string // the name of the property; "" if it has none
	Err  error
}

func (e *PropertyError) Error() string { return e.Source() + ":" + e.Err.Error() + e.Place() }

// Unwrap returns the error without the property.
func (e *PropertyError) Unwrap() error { return e.Err }

// Source names the text with the formula: its file, its property, or just "formula".
func (e *PropertyError) Source() string { return cmp.Or(e.File, e.Name, "formula") }

// Place returns a line end and the snippet; "" for an error without a place.
func (e *PropertyError) Place() string {
	at, ok := errors.AsType[*Error](e.Err)
	if !ok {
		return ""
	}
	snippet := strings.TrimRight(at.Snippet(), "\n")
	if snippet == "" {
		return ""
	}
	return "\n" + snippet
}
