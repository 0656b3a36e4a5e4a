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

// advise extends an error of a log that seems to have several executions without a delimiter: it
// suggests a delimiter.
func (x *expressions) advise(err error, files []*file, directory bool) error {
	var e *trace.Error
	// A directory is one execution by definition, and a given delimiter is the user's decision.
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
// executions that result. It returns "" if it finds none. The clocks of an execution restart after
// such a line, so the line is between the first event that restarts and the event before it.
func separator(f *file, l layout) (pattern string, executions int) {
	events := l.find(f.text[f.start:]).events
	// The first event that repeats the own entry of an earlier one starts a new execution: own
	// entries are unique within an execution.
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
	// Start at the line after the last event of the first execution: a separator is between them.
	_, between, _ := strings.Cut(f.text[previous:again], "\n")
	const most = 16 // the maximum number of expressions to try
	// Several lines may yield the same pattern; try it once, because each trial scans the whole
	// log.
	tried := make(map[string]bool)
	for line := range strings.Lines(between) {
		pattern := generalised(strings.TrimRight(line, "\n"))
		if pattern == "" || tried[pattern] {
			continue
		}
		if tried[pattern] = true; len(tried) > most {
			break
		}
		// The pattern must yield several executions, each of them complete.
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
	// framed lines begin with punctuation, as in === run 1 ===; numbered lines contain a number.
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
