package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/fatih/color"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// paint colours text where the results are for a person who sees colours.
func (s *session) paint(text string, attributes ...color.Attribute) string {
	if !s.colour {
		return text
	}
	c := color.New(attributes...)
	c.EnableColor()
	return c.Sprint(text)
}

// busy tells on a terminal what the program is doing once that lasts longer than
// a second. The function it returns ends that.
func (s *session) busy(format string, args ...any) (done func()) {
	if !s.watch {
		return func() {}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		select {
		case <-stop:
			return
		case <-time.After(time.Second):
		}
		bar := progressbar.NewOptions(-1,
			progressbar.OptionSetWriter(s.err),
			progressbar.OptionSetDescription(fmt.Sprintf(format, args...)),
			progressbar.OptionSpinnerType(14),
			progressbar.OptionClearOnFinish())
		for {
			select {
			case <-stop:
				bar.Finish() //nolint:errcheck // what is drawn for a person is not worth an error
				return
			case <-time.After(100 * time.Millisecond):
				bar.Add(1) //nolint:errcheck // likewise
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
	}
}
