// Package console handles the terminal, files or pipes that a run reads and writes: results on
// standard output, and notes, errors and progress on standard error. All output passes through a
// Writer, which makes control characters harmless.
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
	Log *slog.Logger  // receives notes and errors instead of Err, unless nil

	Terminal bool // results go to a terminal, where a person reads them
	Colours  bool // results may be coloured
	Progress bool // Err is a terminal, where Busy shows progress
	Live     bool // Err may have a line of Status, which other lines replace

	plain *Writer // the Writer below Out
}

// New returns a console on three streams. NO_COLOR and TERM=dumb turn colours off.
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

// Close writes the remaining buffered results. The streams stay open.
func (c *Console) Close() error {
	if err := c.Out.Flush(); err != nil {
		return err
	}
	if c.plain == nil { // Out was replaced
		return nil
	}
	return c.plain.Flush()
}

// Note informs the user of something that is not a result.
func (c *Console) Note(ctx context.Context, text string) { c.say(ctx, slog.LevelInfo, text) }

// Error reports an error to the user.
func (c *Console) Error(ctx context.Context, text string) { c.say(ctx, slog.LevelError, text) }

func (c *Console) say(ctx context.Context, level slog.Level, text string) {
	if c.Log != nil {
		c.Log.Log(ctx, level, text)
		return
	}
	c.Clear()
	fmt.Fprintln(c.Err, "pota: "+text)
}

// Paint colours text, if results may be coloured. The text must be printable, because the Writer
// does not change the result.
func (c *Console) Paint(text string, attributes ...color.Attribute) string {
	if !c.Colours {
		return text
	}
	brush := color.New(attributes...)
	brush.EnableColor()
	return Own(brush.Sprint(text))
}

// Status overwrites the current line of Err with a text.
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
	patience = time.Second            // the delay before progress is shown
	turn     = 100 * time.Millisecond // the time between two states of the wheel
)

// Busy shows the current activity on a terminal, once it has lasted a second. The returned function
// ends the display and clears the line.
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
