package jsonstream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"unicode/utf8"
)

// A lookback keeps the text that the decoder has read ahead, in order to count lines and columns up
// to any offset not less than the last one asked for.
type lookback struct {
	ctx          context.Context
	r            io.Reader
	most         int64        // the greatest length of a token in bytes
	read         func() int64 // returns the offset up to which the decoder has read tokens
	kept         []byte       // the text from offset base on
	base         int64
	line, column int // the position of base, from 1
}

// errTooLong reports that a token is longer than lookback.most.
var errTooLong = errors.New("token too long")

// Read implements io.Reader. The error is errTooLong if a token exceeds its limit, before memory is
// used for it, or the error of the context.
func (t *lookback) Read(p []byte) (int, error) {
	if t.base+int64(len(t.kept))-t.read() > t.most {
		return 0, errTooLong
	}
	if err := t.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := t.r.Read(p)
	t.kept = append(t.kept, p[:n]...)
	return n, err
}

// advance drops the text before offset.
func (t *lookback) advance(offset int64) {
	n := int(min(offset-t.base, int64(len(t.kept))))
	if n <= 0 {
		return
	}
	text := t.kept[:n]
	if lines := bytes.Count(text, []byte{'\n'}); lines > 0 {
		t.line += lines
		t.column = 1
		text = text[bytes.LastIndexByte(text, '\n')+1:]
	}
	t.column += utf8.RuneCount(text)
	t.base += int64(n)
	t.kept = t.kept[n:]
}

// trim is advance if more than 64 KiB are kept, and does nothing otherwise.
func (t *lookback) trim(offset int64) {
	if len(t.kept) > 64<<10 {
		t.advance(offset)
	}
}

// next returns the offset of the next token, at offset or after it.
func (t *lookback) next(offset int64) int64 {
	for i := offset - t.base; i >= 0 && i < int64(len(t.kept)); i++ {
		switch t.kept[i] {
		case ' ', '\t', '\r', '\n', ',', ':':
		default:
			return t.base + i
		}
	}
	return offset
}
