package native

import (
	"context"
	"errors"
	"fmt"

	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/execution"
)

// A Scanner reads lines of the native format one by one, for code that decides while they arrive.
// The zero Scanner is ready to use.
type Scanner struct {
	stream.Progress

	// ExecutionKey is the key of a line for the name of its execution; "" if all lines belong to
	// one execution. A line with only this key and "closed" ends an execution.
	ExecutionKey string

	chunk chunk
	line  stream.Line
	texts texts // interned string values
	begun bool  // whether there was a line that is not blank
}

// Scan calls take for each line of text except blank lines and headers, with its number, which is 1
// for the first line that the Scanner ever scanned. text consists of whole lines, each with its
// end.
//
// A header must be the first line, unless ExecutionKey is set, because several programs may then
// write to one log. To scan another file, set Lines to 0.
//
// An error is a *trace.Error with a line and no file: the text is not in the native format, the
// line is an edge (edges belong to graphs, not to executions), or take failed.
func (s *Scanner) Scan(text []byte, take func(number int, l *stream.Line) error) error {
	if s.Lines == 0 {
		s.begun = false
	}
	c := &s.chunk
	c.executionKey = s.ExecutionKey
	c.scan(&trace.Piece{Text: text})
	err := s.lines(c, func(number int, l *stream.Line) error {
		if err := take(number, l); err != nil {
			return trace.Wrap("", number, err)
		}
		return nil
	})
	if err == nil {
		s.Lines += c.count
	}
	return err
}

// lines calls take for the lines of a chunk. Errors are *trace.Error about lines, or the error of
// take.
func (s *Scanner) lines(c *chunk, take func(number int, l *stream.Line) error) error {
	first := uint32(0)
	for i := range c.lines {
		l := &c.lines[i]
		number := s.Lines + int(l.number) + 1
		ops := c.ops[first:l.ops]
		first = l.ops
		wrong := func(msg string) error {
			return &trace.Error{Line: number, Column: c.column(l.at), Msg: msg}
		}
		if l.kind == headerLine {
			if s.begun && s.ExecutionKey == "" {
				return wrong(errLateHeader.Error())
			}
			for _, o := range ops {
				if o.kind == opLowerBound {
					s.LowerBound = string(c.str(o.bits))
				}
			}
			s.begun = true
			continue
		}
		if l.kind == edgeLine {
			return wrong(`edges are of graphs, and cannot be read while an execution runs ("after" orders events)`)
		}
		s.begun = true
		s.fill(c, l, ops)
		if err := take(number, &s.line); err != nil {
			return err
		}
	}
	if e := c.err; e != nil {
		return &trace.Error{Line: s.Lines + e.line + 1, Column: c.column(uint32(e.at)), Msg: e.msg}
	}
	return nil
}

// ReadStream reads a source as Read does, and closes it, but calls take for each line that is
// neither blank nor a header, with its file and its number there. It returns why causality is a
// lower bound, or "" if it is exact. Errors are *trace.Error, the error of ctx, or the error of
// take.
func ReadStream(
	ctx context.Context, source *trace.Source, opts trace.Options,
	take func(file string, number int, l *stream.Line) error,
) (lowerBound string, err error) {
	var s Scanner
	err = trace.ReadLines(ctx, source, trace.LinesOptions[*chunk]{
		New: func() *chunk { return new(chunk) },
		Do:  func(p *trace.Piece, c *chunk) { c.scan(p) },
		Take: func(b *trace.Batch[*chunk]) error {
			if b.First {
				s.Lines, s.begun = 0, false
			}
			of := func(number int, l *stream.Line) error { return take(b.Name, number, l) }
			if err := s.lines(b.Work, of); err != nil {
				if e, ok := err.(*trace.Error); ok && e.File == "" {
					e.File = b.Name
				}
				return err
			}
			s.Lines += b.Work.count
			b.CutOff(&opts, s.Lines+1)
			return b.Failed(s.Lines + 1)
		},
		Options: &opts,
	})
	return s.LowerBound, err
}

var errLateHeader = errors.New("the header must be the first line of its file")

// streamKinds maps the kinds of lines to those of package stream.
var streamKinds = [...]stream.Kind{
	eventLine: stream.Event, processLine: stream.Declaration, sharedLine: stream.Sharing,
	closedLine: stream.Closing, endLine: stream.Ending,
}

// fill sets s.line to a line of a chunk with its ops.
func (s *Scanner) fill(c *chunk, from *line, ops []op) {
	// The line is reused, so that its slices keep their memory.
	l := &s.line
	l.Reset(streamKinds[from.kind])
	if from.name >= 0 {
		l.Process = c.names.At(from.name)
	}
	if s.texts == nil || len(s.texts) > maxTexts {
		s.texts = make(texts)
	}
	for i := range ops {
		o := &ops[i]
		switch o.kind {
		case opSet, opInit, opShared:
			l.Values = append(l.Values, stream.Assignment{Name: c.names.At(o.name), Value: s.texts.value(c, *o)})
		case opSend:
			l.Send = append(l.Send, c.str(o.bits))
		case opRecv:
			l.Recv = append(l.Recv, c.str(o.bits))
		case opID:
			l.ID = c.str(o.bits)
		case opExecution:
			l.Execution = c.str(o.bits)
		case opTo:
			l.To = c.names.At(o.name)
		case opLabel:
			l.Label = c.str(o.bits)
		case opTime:
			l.Time = c.str(o.bits)
			if o.value == valueString {
				l.Time = []byte(timeText(c, *o))
			}
		case opLatest:
			l.Time = fmt.Appendf(nil, "[%s,%s]", l.Time, timeText(c, *o))
		case opClockID:
			l.ClockID = c.str(o.bits)
		case opAfter:
			l.After = append(l.After, c.str(o.bits))
		case opSync:
			l.Sync = append(l.Sync, c.str(o.bits))
		case opClock:
			l.Clock = append(l.Clock, stream.Count{Process: c.names.At(o.name), Events: int64(o.bits)})
		case opTimer, opCancel:
			l.Timers = append(l.Timers, s.texts.timer(c, ops[i:]))
		}
	}
}

// maxTexts bounds how many string values are interned.
const maxTexts = 1 << 16

// ExecutionOf returns the execution that a refused line names, or "" if the line is not a JSON
// object or does not name one.
func ExecutionOf(text []byte, key string) string { return execution.Of(text, key) }

// CheckExecutionKey returns an error if key is empty or has another meaning in lines.
func CheckExecutionKey(key string) error {
	if key == "" || keyOf([]byte(key)) != noKey {
		return fmt.Errorf("lines cannot name their execution by the key %q, which has another meaning in them", key)
	}
	return nil
}
