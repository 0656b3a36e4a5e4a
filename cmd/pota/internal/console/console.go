// Package console is a run's view of the terminal, the files or the pipes that it reads from
// and writes to: results on standard output, notes, errors and progress on standard error.
// All output passes a Writer to disarm control characters.
package console

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/fatih/color"
	"golang.org/x/term"

	"github.com/pota-project/pota/graphs"
)

// A Console has the streams of one run. Its fields may be set before it is used.
type Console struct {
	In  io.Reader     // standard input
	Out *bufio.Writer // results; flushed by Flush
	Err io.Writer     // notes, errors and progress
	Log *slog.Logger  // takes notes and errors instead of Err, unless nil

	Terminal bool // results go to a terminal: a person reads them
	Colours  bool // results may be coloured
	Progress bool // Err is a terminal, where Busy shows progress
	Live     bool // it has a line of Status, which others replace

	plain *Writer // below Out
}

// New returns a console on three streams. Colours are off where NO_COLOR or TERM=dumb asks
// for that.
func New(in io.Reader, out, err io.Writer) *Console {
	plain := NewWriter(out)
	terminal := IsTerminal(out)

	return &Console{
		In:       in,
		Out:      bufio.NewWriter(plain),
		Err:      NewWriter(err),
		Terminal: terminal,
		Colours:  terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
		Progress: IsTerminal(err),
		plain:    plain,
	}
}

// IsTerminal reports whether w is a file that is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Close writes the results that are still held. The streams stay open.
func (c *Console) Close() error {
	if err := c.Out.Flush(); err != nil {
		return err
	}
	if c.plain == nil { // Out was replaced
		return nil
	}
	return c.plain.Flush()
}

// Note tells the user something that is no result.
func (c *Console) Note(ctx context.Context, text string) { c.say(ctx, slog.LevelInfo, text) }

// Error tells the user what went wrong.
func (c *Console) Error(ctx context.Context, text string) { c.say(ctx, slog.LevelError, text) }

func (c *Console) say(ctx context.Context, level slog.Level, text string) {
	if c.Log != nil {
		c.Log.Log(ctx, level, text)
		return
	}
	c.Clear()
	fmt.Fprintln(c.Err, "pota: "+text)
}

// Paint colours text, if results may be coloured. The text must be printable, because what
// Paint returns passes the Writer as it is.
func (c *Console) Paint(text string, attributes ...color.Attribute) string {
	if !c.Colours {
		return text
	}
	brush := color.New(attributes...)
	brush.EnableColor()
	return Own(brush.Sprint(text))
}

// Status writes a text over the line of Err that was shown before.
func (c *Console) Status(text string) {
	fmt.Fprint(c.Err, Own("\r\x1b[K")+graphs.Printable(text))
}

// Clear clears the line of Status, if there may be one.
func (c *Console) Clear() {
	if c.Live {
		c.Status("")
	}
}

const (
	patience = time.Second            // before progress is shown
	turn     = 100 * time.Millisecond // between two states of its wheel
)

// Busy shows on a terminal what the program is doing, once that has taken a second. The returned function ends it and clears the line.
func (c *Console) Busy(doing string) (done func()) {
	if !c.Progress {
		return func() {}
	}
	stop := make(chan struct{})
	var wheel sync.WaitGroup
	wheel.Go(func() {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		for i := 0; ; i++ {
			select {
			case <-stop:
				if i > 0 {
					c.Status("")
				}
				return
			case <-timer.C:
				fmt.Fprintf(c.Err, "%s%c %s", Own("\r"), `|/-\`[i%4], graphs.Printable(doing))
				timer.Reset(turn)
			}
		}
	})
	return func() {
		close(stop)
		wheel.Wait()
	}
}
