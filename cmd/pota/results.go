package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"
)

// results are answers on their way to who reads them, and does not hold up who tells them. They
// wait in memory, and in a file where they are many; of those that are not final the last of a
// property waits, where many do.
//
//	(1) what is in memory comes before what is in the file, and that before what is open
//	(2) a goroutine of its own takes from the beginning, and writes
type results struct {
	write func([]byte) error
	note  func(format string, args ...any)

	mu     sync.Mutex
	more   sync.Cond // something waits, or is over
	memory []byte
	file   *os.File          // nil for none
	from   int64             // where the file has not been read
	to     int64             // and where it ends
	open   map[string][]byte // by what the answers are to
	first  []string          // keys of open, in their order, and some that are no more
	busy   bool              // something is being written
	over   bool              // nothing more comes
	failed chan error        // takes the error of writing, after which all is dropped
	broken bool
}

const (
	mostInMemory = 4 << 20 // bytes of results that wait
	mostOpen     = 64 << 10
	mostStale    = 1024 // keys of answers that do not wait any more, and as many as wait
	pieceOfFile  = 256 << 10
)

func newResults(write func([]byte) error, note func(string, ...any)) *results {
	r := &results{write: write, note: note, open: make(map[string][]byte), failed: make(chan error, 1)}
	r.more.L = &r.mu
	go r.run()
	return r
}

// give gives the text of an answer, to be written later. Of answers with a key, which are not
// final, one replaces those before it that still wait.
func (r *results) give(key string, final bool, text []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.more.Broadcast()
	_, waits := r.open[key]
	switch {
	case r.broken:
		return nil
	case final:
		if delete(r.open, key); len(r.first) > 2*len(r.open)+mostStale {
			r.first = slices.DeleteFunc(r.first, func(key string) bool { return r.open[key] == nil })
		}
	case waits || len(r.memory) > mostOpen || r.file != nil:
		if !waits {
			r.first = append(r.first, key)
		}
		r.open[key] = text
		return nil
	}
	if r.file == nil && len(r.memory)+len(text) <= mostInMemory {
		r.memory = append(r.memory, text...)
		return nil
	}
	if r.file == nil {
		file, err := os.CreateTemp("", "pota-results-")
		if err != nil {
			return fmt.Errorf("results that nobody reads cannot be kept: %w", err)
		}
		os.Remove(file.Name()) //nolint:errcheck // it is removed at the end where it cannot be while it is open
		r.file, r.from, r.to = file, 0, 0
		r.note("results are not read as fast as they come: those beyond %d MiB wait in %s", mostInMemory>>20, os.TempDir())
	}
	n, err := r.file.WriteAt(text, r.to)
	if r.to += int64(n); err != nil {
		return fmt.Errorf("results that nobody reads cannot be kept: %w", err)
	}
	return nil
}

// run writes what waits, until all is over.
func (r *results) run() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		text, err := r.next()
		if text == nil && err == nil {
			if r.over {
				return
			}
			r.more.Wait()
			continue
		}
		r.busy = true
		r.mu.Unlock()
		if err == nil {
			err = r.write(text)
		}
		r.mu.Lock()
		r.busy = false
		if err != nil && !r.broken {
			r.broken = true
			r.memory, r.first = nil, nil
			clear(r.open)
			r.close()
			r.failed <- err
		}
		r.more.Broadcast()
	}
}

// next takes what is to be written, nil for nothing.
func (r *results) next() ([]byte, error) {
	switch {
	case len(r.memory) > 0:
		text := r.memory
		r.memory = nil
		return text, nil
	case r.file != nil:
		text := make([]byte, min(pieceOfFile, r.to-r.from))
		n, err := r.file.ReadAt(text, r.from)
		if r.from += int64(n); r.from == r.to {
			r.close()
			err = nil
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return text[:n], err
	}
	for len(r.first) > 0 {
		key := r.first[0]
		r.first = r.first[1:]
		if text, ok := r.open[key]; ok {
			delete(r.open, key)
			return text, nil
		}
	}
	return nil, nil
}

func (r *results) close() {
	if r.file != nil {
		r.file.Close()           //nolint:errcheck // all that was in it has been read
		os.Remove(r.file.Name()) //nolint:errcheck // it may have been removed
		r.file = nil
	}
}

// written reports whether all has been written, for which it waits so long at most.
func (r *results) written(patience time.Duration) bool {
	if r == nil {
		return true
	}
	late := false
	timer := time.AfterFunc(patience, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		late = true
		r.more.Broadcast()
	})
	defer timer.Stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.broken || r.busy || len(r.memory) > 0 || r.file != nil || len(r.open) > 0 {
		if r.broken || late || patience == 0 {
			return false
		}
		r.more.Wait()
	}
	return true
}

// end waits until all has been written, or interrupted and another time has passed. The error
// is why something was not, unless failed told it.
func (r *results) end(interrupted <-chan struct{}) error {
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.over = true
		r.more.Broadcast()
	}()
	for {
		patience := lookForMore
		select {
		case <-interrupted:
			patience = timeToFinish
		default:
		}
		if r.written(patience) {
			return nil
		}
		r.mu.Lock()
		broken := r.broken
		r.mu.Unlock()
		switch {
		case broken && len(r.failed) > 0:
			return <-r.failed
		case broken:
			return nil
		case patience == timeToFinish:
			return errors.New("nobody reads the results, and the last of them are lost")
		}
	}
}
