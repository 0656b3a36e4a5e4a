package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What a command cannot get any more, because the run is over, is told, and does no harm.
func TestHookOver(t *testing.T) {
	t.Parallel()
	interrupted := make(chan struct{})
	close(interrupted)
	runs := filepath.Join(t.TempDir(), "runs")
	for _, c := range []struct {
		command     string
		grace       time.Duration
		interrupted chan struct{}
		want        string
	}{
		{"true", time.Minute, nil, "late"},
		{"sleep 1 & exit 0", time.Millisecond, nil, "first goes on, second goes on, late"},
		{"echo > " + runs + "; sleep 60", time.Second, interrupted, "first, second, late"},
	} {
		var notes []string
		h := newHook(c.command, func(format string, args ...any) {
			note := fmt.Sprintf(format, args...)
			for long, short := range map[string]string{
				"--exec: the command was not done with the answer to %s when the run was over":               "%s",
				"--exec: %s: the command has ended, but what it began still holds its output: redirect that": "%s goes on",
			} {
				for _, name := range []string{"first", "second", "late"} {
					if note == fmt.Sprintf(long, name) {
						note = fmt.Sprintf(short, name)
					}
				}
			}
			notes = append(notes, note)
		})
		h.grace = c.grace
		h.give(&told{Property: "first", number: 1})
		h.give(&told{Property: "second", number: 2})
		for c.interrupted != nil && !isFile(runs) {
			time.Sleep(time.Millisecond)
		}
		h.end(c.interrupted, &patience{most: time.Millisecond})
		h.give(&told{Property: "late"})
		if got := strings.Join(notes, ", "); got != c.want || (h.passed() == 0) != (c.interrupted != nil) {
			t.Errorf("%s: %s, want %s; %d were given", c.command, got, c.want, h.passed())
		}
	}
}

// Of what a command does not get only so much is told.
func TestHookFlooded(t *testing.T) {
	t.Parallel()
	var notes []string
	h := newHook("sleep 60", func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) })
	for i := range mostWaiting + 3*mostRefusals {
		h.give(&told{Property: fmt.Sprint(i)})
	}
	h.kill()
	<-h.ended
	more := fmt.Sprintf("--exec: %d more of what the command failed at, or has not got, is not told: %d are in %s", mostWaiting+2*mostRefusals, mostRefusals, timeOfRefusals)
	if len(notes) != mostRefusals+1 || notes[0] != "--exec: the answer to 10000 is not given to the command, because 10000 wait for it" || notes[mostRefusals] != more {
		t.Errorf("%d notes, of which the first is %q, and the last %q", len(notes), notes[0], notes[len(notes)-1])
	}
}

// Who reads results and the command share the patience that a run has with them.
func TestPatience(t *testing.T) {
	t.Parallel()
	interrupted := make(chan struct{})
	close(interrupted)
	never := make(chan struct{})
	defer close(never)
	unread := newResults(func([]byte) error {
		<-never
		return nil
	}, t.Logf)
	if err := unread.give("", 1, []byte("result\n")); err != nil {
		t.Fatal(err)
	}
	h := newHook("sleep 60", func(string, ...any) {})
	h.give(&told{})
	p := &patience{most: time.Hour, until: time.Now()}
	if err := unread.end(interrupted, p); err != errUnread {
		t.Error(err)
	}
	h.end(interrupted, p)
}
