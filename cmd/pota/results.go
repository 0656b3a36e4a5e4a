package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
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
//	(3) final answers have numbers, which only grow; those up to wrote have been written
type results struct {
	write func([]byte) error
	note  func(format string, args ...any)

	mu     sync.Mutex
	more   sync.Cond         // something waits, or is over
	memory []byte            // texts, as appendText makes them
	file   *os.File          // of such, nil for none
	from   int64             // where the file has not been read
	to     int64             // and where it ends
	open   map[string][]byte // by what the answers are to
	first  []string          // keys of open, in their order, and some that are no more
	busy   bool              // something is being written
	given  uint64            // number of the last final answer
	wrote  uint64            // and of the last that was written
	over   bool              // nothing more comes
	failed chan error        // takes the error of writing, after which all is dropped
	broken bool
}

const (
	mostInMemory = 4 << 20 // bytes of results that wait
	mostOpen     = 64 << 10
	mostStale    = 1024     // keys of answers that do not wait any more, and as many as wait
	mostWritten  = 64 << 10 // at once
)

func newResults(write func([]byte) error, note func(string, ...any)) *results {
	r := &results{write: write, note: note, open: make(map[string][]byte), failed: make(chan error, 1)}
	r.more.L = &r.mu
	go r.run()
	return r
}

// headOfText is how many bytes precede each text: its length, and the number of the answer.
const headOfText = 4 + 8

func appendText(to []byte, number uint64, text []byte) []byte {
	to = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(to, uint32(len(text))), number)
	return append(to, text...)
}

// takeTexts takes whole texts from the beginning of data, until they are as many bytes as are written at once.
// It returns the last number of a final answer, 0 where there is none.
func takeTexts(data []byte) (texts []byte, last uint64, rest []byte) {
	for len(texts) < mostWritten && len(data) >= headOfText {
		end := headOfText + int(binary.BigEndian.Uint32(data))
		if end > len(data) {
			break
		}
		texts = append(texts, data[headOfText:end]...)
		last = max(last, binary.BigEndian.Uint64(data[4:]))
		data = data[end:]
	}
	return texts, last, data
}

// give gives the text of an answer, to be written later. Final ones have numbers. Of the others, which
// have number 0, one replaces those before it with its key that still wait.
func (r *results) give(key string, number uint64, text []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.more.Broadcast()
	r.given = max(r.given, number)
	_, waits := r.open[key]
	switch {
	case r.broken:
		return nil
	case number > 0:
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
		r.memory = appendText(r.memory, number, text)
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
	n, err := r.file.WriteAt(appendText(nil, number, text), r.to)
	if err == nil {
		r.to += int64(n)
		return nil
	}
	if r.from == r.to {
		r.close()
	}
	return fmt.Errorf("results that nobody reads cannot be kept: %w", err)
}

// run writes what waits, until all is over.
func (r *results) run() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		text, last, err := r.next()
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
		if err == nil {
			r.wrote = max(r.wrote, last)
		}
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

// next takes what is to be written, nil for nothing, and returns the last number of a final answer in it.
func (r *results) next() (texts []byte, last uint64, err error) {
	switch {
	case len(r.memory) > 0:
		texts, last, r.memory = takeTexts(r.memory)
		return texts, last, nil
	case r.file != nil:
		texts, last, err = r.fromFile()
		if r.from == r.to {
			r.close()
		}
		return texts, last, err
	}
	for len(r.first) > 0 {
		key := r.first[0]
		r.first = r.first[1:]
		if text, ok := r.open[key]; ok {
			delete(r.open, key)
			return text, 0, nil
		}
	}
	return nil, 0, nil
}

// fromFile takes texts from the file.
func (r *results) fromFile() (texts []byte, last uint64, err error) {
	var head [headOfText]byte
	if _, err := r.file.ReadAt(head[:], r.from); err != nil {
		return nil, 0, err
	}
	data := make([]byte, min(max(headOfText+int64(binary.BigEndian.Uint32(head[:])), mostWritten), r.to-r.from))
	if _, err := r.file.ReadAt(data, r.from); err != nil {
		return nil, 0, err
	}
	texts, last, rest := takeTexts(data)
	r.from += int64(len(data) - len(rest))
	return texts, last, nil
}

// passed returns the number up to which final answers have been written, the greatest where none waits.
func (r *results) passed() uint64 {
	if r == nil {
		return math.MaxUint64
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.wrote == r.given {
		return math.MaxUint64
	}
	return r.wrote
}

func (r *results) close() {
	if r.file != nil {
		r.file.Close()           //nolint:errcheck // all that was in it has been read
		os.Remove(r.file.Name()) //nolint:errcheck // it may have been removed
		r.file = nil
	}
}

// written reports whether all has been written, for which it waits so long at most.
func (r *results) written(most time.Duration) bool {
	late := most <= 0
	timer := time.AfterFunc(most, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		late = true
		r.more.Broadcast()
	})
	defer timer.Stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.broken || r.busy || len(r.memory) > 0 || r.file != nil || len(r.open) > 0 {
		if r.broken || late {
			return false
		}
		r.more.Wait()
	}
	return true
}

// errUnread says that results are left.
var errUnread = errors.New("nobody reads the results, and the last of them are lost")

// end waits until all has been written, but once the run is interrupted not longer than patience lasts.
// The error is why something was not, unless failed told it.
func (r *results) end(interrupted <-chan struct{}, patience *patience) error {
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.over = true
		r.more.Broadcast()
	}()
	for {
		wait, last := lookForMore, false
		select {
		case <-interrupted:
			wait, last = patience.left(), true
		default:
		}
		if r.written(wait) {
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
		case last:
			return errUnread
		}
	}
}
