package console

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fatih/color"
)

// What a file or a pipe gets has neither colours nor progress.
func TestPlainConsole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out, errs bytes.Buffer
		c := New(strings.NewReader(""), &out, &errs)
		done := c.Busy("waiting")
		time.Sleep(time.Hour)
		done()
		c.Out.WriteString(c.Paint("text", color.Bold) + "\x1b:")
		c.Note(t.Context(), "a note\r")
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if out.String() != `text\u001b:` || errs.String() != "pota: a note\\u000d\n" {
			t.Errorf("results %q, errors %q", &out, &errs)
		}
	})
}

// A shared buffer is written and read by several goroutines.
type shared struct {
	mu   sync.Mutex
	text []byte
}

func (b *shared) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text = append(b.text, p...)
	return len(p), nil
}

func (b *shared) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return string(b.text)
}

// Progress begins after a second, turns, and is cleared.
func TestBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		errs := new(shared)
		c := New(nil, new(bytes.Buffer), errs)
		c.Progress = true
		c.Busy("short")()
		if got := errs.String(); got != "" {
			t.Errorf("what ends at once showed %q", got)
		}
		done := c.Busy("counting")
		time.Sleep(patience - 1)
		synctest.Wait()
		if got := errs.String(); got != "" {
			t.Errorf("shown too early: %q", got)
		}
		time.Sleep(turn + 2)
		done()
		if want := "\r| counting\r/ counting\r\x1b[K"; errs.String() != want {
			t.Errorf("%q, want %q", errs, want)
		}
	})
}

// Colours pass the writer, what stands between them does not.
func TestPaint(t *testing.T) {
	var out bytes.Buffer
	c := New(nil, &out, new(bytes.Buffer))
	c.Colours = true
	c.Out.WriteString(c.Paint("bold", color.Bold))
	c.Close()
	if want := "\x1b[1mbold\x1b[22m"; out.String() != want {
		t.Errorf("%q, want %q", &out, want)
	}
}

// A log takes notes and errors instead of standard error.
func TestLog(t *testing.T) {
	var errs, log bytes.Buffer
	c := New(nil, new(bytes.Buffer), &errs)
	c.Log = slog.New(slog.NewTextHandler(&log, nil))
	c.Note(t.Context(), "one")
	c.Error(t.Context(), "two")
	if got := log.String(); errs.Len() > 0 || !strings.Contains(got, "level=INFO msg=one") || !strings.Contains(got, "level=ERROR msg=two") {
		t.Errorf("errors %q, log %q", &errs, got)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("no room") }

// Close reports that results were lost.
func TestBrokenOutput(t *testing.T) {
	c := New(nil, broken{}, new(bytes.Buffer))
	c.Out.WriteString("text")
	if err := c.Close(); err == nil {
		t.Error("no error")
	}
}
