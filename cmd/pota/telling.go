package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pota-project/pota/cmd/pota/internal/journal"
	"github.com/pota-project/pota/graphs/stream"
)

// final is a final answer, and what tells it apart from all others since the last checkpoint.
type final struct {
	*told
	key string
}

// holds keeps a final answer back until it is safe, and reports whether it does.
func (l *lasting) holds(t *told) bool {
	if l == nil || !t.Final {
		return false
	}
	key := t.key()
	l.count[key]++ // more than one where an execution of the same name has ended
	key = numbered(l.count[key], key)
	got, ok := l.told[key]
	delete(l.told, key)
	if t.got, t.Repeated = got, ok; !got.All() {
		l.held = append(l.held, final{t, key})
	}
	return true
}

func numbered(n int, key string) string { return fmt.Sprintf("%d\x00%s", n, key) }

// left returns the answers that the run before this one told, but that do not follow from what it took:
// its inputs had ended. They are numbered as from a checkpoint now.
func (l *lasting) left() map[string]journal.Got {
	all := make(map[string]journal.Got)
	for key, got := range l.told {
		number, key, _ := strings.Cut(key, "\x00")
		n, _ := strconv.Atoi(number) //nolint:errcheck // it is one
		all[numbered(n-l.count[key], key)] = got
	}
	return all
}

// Who gets answers, in the order of journal.Told.
const (
	aReader  = iota // of the results
	aCommand        // of --exec
)

// passed returns up to which numbers the answers that were shown have been told.
func (l *lasting) passed() (told journal.Told) {
	now := journal.Told{aReader: l.results.passed(), aCommand: l.hook.passed()}
	for i, before := range l.journal.Told() {
		told[i] = max(before, min(now[i], l.until))
	}
	return told
}

// settle forgets the answers of which the journal knows that they were told.
func (l *lasting) settle() {
	n := 0
	for n < len(l.shown) && l.shown[n].number <= l.journal.Told().Least() {
		n++
	}
	l.shown = slices.Delete(l.shown, 0, n)
}

// goOn shows an answer that waited to be told at the last checkpoint.
func (l *lasting) goOn(number uint64, got journal.Got, data []byte) error {
	t := &told{number: number, got: got, Final: true, Repeated: true}
	c := stream.NewReader(data)
	if t.code(c); c.Err() == nil {
		l.number, l.until = number, number
		l.display(t)
	}
	return c.Err()
}

// settleLast notes which answers have been told at the end of the run.
func (l *lasting) settleLast() error {
	told := l.passed()
	if told == l.journal.Told() {
		return nil
	}
	err := l.journal.Commit(&journal.Commit{Told: told})
	if l.undone { // a commit has failed already
		return nil
	}
	return unwritten(err)
}
