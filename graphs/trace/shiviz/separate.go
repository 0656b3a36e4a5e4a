package shiviz

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/graphs/trace"
)

// advise adds to an error of a log that seems to hold several executions, though nothing
// separates them, what would.
func (x *expressions) advise(err error, files []*file, directory bool) error {
	var e *trace.Error
	// A directory is one execution by definition, and a delimiter that was given is the user's
	// word.
	if directory || x.delimiter != nil || !errors.As(err, &e) {
		return err
	}
	if pattern, n := separator(files[0], x.layout); pattern != "" {
		const advice = "; the log seems to hold %d executions: give --delimiter '%s', which separates them"
		e.Msg += fmt.Sprintf(advice, n, pattern)
	}
	return err
}

// separator returns an expression for the lines that separate executions, and the number of
// executions that it makes. It returns "" if it finds none. The clocks of an execution start anew after such a
// line; so it is a line between an event that starts anew and the event before it.
func separator(f *file, l layout) (pattern string, executions int) {
	events := l.find(f.text[f.start:]).events
	// The first event that repeats the own entry of an earlier one starts a new execution: own
	// entries are unique within one.
	again, previous := -1, 0
	seen := make(map[string]bool)
	for i := range events {
		e := &events[i]
		if e.decode() == nil {
			id := fmt.Sprintf("%d %s", e.counts[e.host], e.host)
			if seen[id] {
				again = f.start + e.at
				break
			}
			seen[id] = true
		}
		previous = f.start + e.at
	}

	if again < 0 {
		return "", 0
	}
	// From the line after the last event of the first execution: a separator stands between them.
	_, between, _ := strings.Cut(f.text[previous:again], "\n")
	const most = 16 // expressions that are tried
	// A pattern may come from several lines; each is tried once, as a trial scans the whole log.
	tried := make(map[string]bool)
	for line := range strings.Lines(between) {
		pattern := generalised(strings.TrimRight(line, "\n"))
		if pattern == "" || tried[pattern] {
			continue
		}
		if tried[pattern] = true; len(tried) > most {
			break
		}
		// It must make more than one execution, and each a complete one.
		delimiter := regexp.MustCompile("(?m)" + pattern)
		runs := divide([]*file{f}, expressions{layout: l, delimiter: delimiter}, false)
		broken := func(r *run) bool { return r.order() != nil }
		if len(runs) > 1 && !slices.ContainsFunc(runs, broken) {
			return pattern, len(runs)
		}
	}
	return "", 0
}

var (
	// framed lines have punctuation at the beginning, as in === run 1 ===; numbered ones a
	// number.
	framed   = lazy.Regexp(`^([^\w\s]{2,}\s*)(.*?)(\s*[^\w\s]{2,})?$`)
	numbered = lazy.Regexp(`^(.*?)\d+(.*)$`)
)

// generalised returns an expression for lines like the given one. It returns "" if the line has
// neither a frame, as in === one ===, nor a number.
func generalised(line string) string {
	if m := framed().FindStringSubmatch(line); m != nil {
		return "^" + regexp.QuoteMeta(m[1]) + "(?<trace>.*)" + regexp.QuoteMeta(m[3]) + "$"
	}
	if m := numbered().FindStringSubmatch(line); m != nil {
		return "^" + regexp.QuoteMeta(m[1]) + `(?<trace>\d+)` + regexp.QuoteMeta(m[2]) + "$"
	}
	return ""
}
