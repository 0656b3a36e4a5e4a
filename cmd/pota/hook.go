package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/pota-project/pota/translate/spin"
)

// A hook gives answers to a command, one after the other, while the run goes on. Several goroutines may
// use it.
type hook struct {
	command string
	grace   time.Duration // for the output of a command that has ended
	notes   sparing
	ended   chan struct{}
	kill    context.CancelFunc

	mu      sync.Mutex
	more    sync.Cond // something waits, or is over
	waiting []*told   // what the command has not got, first what it is getting
	over    bool      // it is to end when nothing waits
	gone    bool      // it has ended
}

const (
	mostWaiting   = 10_000 // answers for a command
	timeOfCommand = time.Minute
	mostSaid      = 4 << 10 // bytes of what a command says
)

func newHook(command string, note func(string, ...any)) *hook {
	ctx, kill := context.WithCancel(context.Background())
	h := &hook{command: command, grace: time.Second, ended: make(chan struct{}), kill: kill}
	h.more.L = &h.mu
	h.notes = sparing{note: note, more: "--exec: %d more of what the command failed at, or has not got,"}
	go func() {
		defer h.leave()
		for t := h.first(); t != nil && ctx.Err() == nil; t = h.next() {
			err := h.run(ctx, t)
			if err == errEnded {
				return
			}
			if err != nil {
				h.notes.tell("--exec: %s: %v", t.Property, err)
			}
		}
	}()
	return h
}

// leave says of what the command has not got, or was ended with, that the run is over.
func (h *hook) leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gone = true
	for _, t := range h.waiting {
		h.late(t)
	}
	h.notes.end()
	close(h.ended)
}

// first waits for an answer that the command is to get, and returns it; nil where all is over.
func (h *hook) first() *told {
	h.mu.Lock()
	defer h.mu.Unlock()
	for len(h.waiting) == 0 {
		if h.over {
			return nil
		}
		h.more.Wait()
	}
	return h.waiting[0]
}

// next is first once the command has got what was first before.
func (h *hook) next() *told {
	h.mu.Lock()
	h.waiting = h.waiting[1:]
	h.mu.Unlock()
	return h.first()
}

// give gives an answer to the command, later. It does not wait, and may be called when all is over.
func (h *hook) give(t *told) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.waiting) == mostWaiting {
		h.notes.tell("--exec: the answer to %s is not given to the command, because %d wait for it", t.Property, mostWaiting)
		return
	}
	h.waiting = append(h.waiting, t)
	h.more.Signal()
	if h.gone {
		h.late(t)
	}
}

func (h *hook) late(t *told) {
	h.notes.tell("--exec: the command was not done with the answer to %s when the run was over", t.Property)
}

// passed returns the number up to which the command has got all answers that it was to get, the greatest
// where none waits.
func (h *hook) passed() uint64 {
	if h == nil {
		return math.MaxUint64
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.waiting) == 0 {
		return math.MaxUint64
	}
	return h.waiting[0].number - 1
}

// errEnded says that a command was ended with the run.
var errEnded = errors.New("the run is over")

func (h *hook) run(ctx context.Context, t *told) error {
	timed, cancel := context.WithTimeout(ctx, timeOfCommand)
	defer cancel()
	c := exec.CommandContext(timed, "sh", "-c", h.command)
	spin.Group(c) // an interrupt that is typed ends this program alone
	said := &short{most: mostSaid}
	c.Stdin, c.Stdout, c.Stderr, c.WaitDelay = bytes.NewReader(t.line()), said, said, h.grace
	err := c.Run()
	switch text := strings.TrimSpace(said.String()); {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return errEnded
	case errors.Is(err, exec.ErrWaitDelay):
		return errors.New("the command has ended, but what it began still holds its output: redirect that")
	case timed.Err() != nil:
		return fmt.Errorf("the command did not end within %s", timeOfCommand)
	case text != "":
		return fmt.Errorf("%w: %s", err, text)
	}
	return err
}

// end waits until the command has got all answers, but once the run is interrupted not longer than
// patience lasts.
func (h *hook) end(interrupted <-chan struct{}, patience *patience) {
	if h == nil {
		return
	}
	defer h.kill()
	h.mu.Lock()
	h.over = true
	h.mu.Unlock()
	h.more.Signal()
	select {
	case <-h.ended:
		return
	case <-interrupted:
	}
	select {
	case <-h.ended:
	case <-time.After(patience.left()):
		h.kill()
		<-h.ended
	}
}

// patience is how long a run that was interrupted waits for others in all, from when it first does.
type patience struct {
	most  time.Duration
	until time.Time // zero where it has not waited
}

// left returns how long it may wait from now, nothing where that is not positive.
func (p *patience) left() time.Duration {
	if p.until.IsZero() {
		p.until = time.Now().Add(p.most)
	}
	return time.Until(p.until)
}

// short keeps the beginning of what is written.
type short struct {
	mu   sync.Mutex
	most int
	strings.Builder
}

func (s *short) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Builder.Write(p[:min(len(p), s.most-s.Len())])
	return len(p), nil
}
