package trace

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs/lazy"
)

// A Log is a log in a directory: the file that is written to, if it exists, and the files that
// rotation moved or began, the oldest first. Their names have, in addition to its name,
//
//	a time    that begins with the year, or counts seconds, and may be followed by numbers: a later
//	          time or number is newer. Used by logrotate's dateext, Python's time-based handlers,
//	          lumberjack and with it zap, logback, log4j2, Kubernetes, rotatelogs, cronolog;
//	          likewise TAI64N, for the log "current": svlogd, multilog and s6-log
//	a number  the lower is newer: logrotate, newsyslog, Python's size-based handlers,
//	          Docker, log4j, logback; "old" counts as such a number
//
// A number may also distinguish processes. It marks a rotated file only in a name like app.log.1,
// or if the directory has the file without the number, such as app.log for app-1.log.
type Log struct {
	Path  string // the file that is written to, whether or not it exists
	Files []string

	unordered []string // two files with times that may begin with day or month; or nil
}

// Unclear returns an error if the order of the files is unknown, or else nil.
func (l *Log) Unclear() error {
	if l.unordered == nil {
		return nil
	}
	const msg = "a part of a log, as is %s, and which is older is not clear where the year is not first: " +
		"rename them so that it is (pota help traces)"
	return Errorf(l.unordered[0], 0, msg, filepath.Base(l.unordered[1]))
}

// A part describes what the name of a file says about its log.
type part struct {
	path, log string
	kind      partKind
	numbers   []string // the numbers of the time, or the single number
	sure      bool     // whether it is a part even if the directory lacks the log itself
}

// A partKind says what distinguishes a file from others of its log. Files of a greater kind are
// newer.
type partKind uint8

const (
	timed     partKind = iota
	backwards          // with a time that does not begin with the year
	numbered
	written
)

var (
	compression = lazy.Regexp(`\.(gz|zst|bz2|xz)$`)
	digits      = lazy.Regexp(`\d+`)

	// Groups 1 and 3, before and after, are the name of the log.
	tai64n       = lazy.Regexp(`^@([0-9a-f]{24})(\.[a-z]+)?$`)
	yearFirst    = lazy.Regexp(`^(|.*?[^\d])((?:19|20)\d\d(?:[-._]?(?:0[1-9]|1[0-2])[-._]?(?:0[1-9]|[12]\d|3[01])|[-._](?:1[0-2]|[1-9])[-._](?:[12]\d|3[01]|[1-9]))\d*(?:[-._:T+]?\d+)*Z?)(\D.*)?$`)
	yearAndMonth = lazy.Regexp(`^(.*[^-._\d])[-._]((?:19|20)\d\d[-._](?:0[1-9]|1[0-2]))(\.[A-Za-z]\w*)?$`)
	yearLast     = lazy.Regexp(`^(|.*?[^\d])(\d\d?[-._]\d\d?[-._](?:19|20)\d\d(?:[-._:T+]?\d+)*)(\D.*)?$`)
	oneNumber    = lazy.Regexp(`^(.*[^-._])[-._](\d+|old)(\.[A-Za-z]\w*)?$`)
	extension    = lazy.Regexp(`\.[A-Za-z]\w*$`)
)

// partOf returns the part that the name of a file describes.
func partOf(path string) part {
	dir, name := filepath.Split(path)
	plain := compression().ReplaceAllString(name, "")
	is := func(kind partKind, sure bool, log string, numbers ...string) part {
		return part{path, filepath.Clean(dir + log), kind, numbers, sure}
	}
	if m := tai64n().FindStringSubmatch(plain); m != nil {
		return is(timed, true, "current", m[1])
	}
	for kind, form := range []*regexp.Regexp{timed: yearFirst(), backwards: yearLast()} {
		if m := form.FindStringSubmatch(plain); m != nil {
			numbers := digits().FindAllString(m[2], -1)
			after := m[3]
			n := oneNumber().FindStringSubmatch(after) // app-2026-01-01.log.1
			if n != nil && n[3] == "" && n[2] != "old" {
				after, numbers = n[1], append(numbers, n[2])
			}
			return is(partKind(kind), true, strings.TrimRight(m[1], "-._@")+after, numbers...)
		}
	}
	if m := yearAndMonth().FindStringSubmatch(plain); m != nil {
		return is(timed, true, m[1]+m[3], digits().FindAllString(m[2], -1)...)
	}
	m := oneNumber().FindStringSubmatch(plain)
	if m == nil {
		return part{path: path, log: filepath.Clean(path), kind: written, sure: true}
	}
	n := m[2]
	year := strings.HasPrefix(n, "19") || strings.HasPrefix(n, "20")
	switch {
	case n == "old":
		return is(numbered, false, m[1]+m[3], "1")
	// Seconds, a year, or a year with a month or a week.
	case len(n) >= 8, year && (len(n) == 4 || len(n) == 6):
		return is(timed, true, m[1]+m[3], n)
	}
	return is(numbered, m[3] == "" && extension().MatchString(m[1]), m[1]+m[3], n)
}

// LogOf returns the path of the log that a file, by its name, is a part of, or its own path if
// there is none. sure reports whether it is a part even if the directory has no file at that path.
func LogOf(path string) (log string, sure bool) {
	p := partOf(path)
	return p.log, p.sure
}

// Logs returns the logs that files are parts of, in the order of their paths.
func Logs(files []string) []Log {
	there := make(map[string]bool)
	for _, path := range files {
		there[filepath.Clean(path)] = true
	}
	all := make([]part, len(files))
	for i, path := range files {
		p := partOf(path)
		if !p.sure && !there[p.log] {
			p = part{path: path, log: filepath.Clean(path), kind: written, sure: true}
		}
		all[i] = p
	}
	slices.SortFunc(all, func(p, q part) int {
		older, newer := p.numbers, q.numbers
		if p.kind == numbered { // the lower number is the newer part
			older, newer = newer, older
		}
		byAge := slices.CompareFunc(older, newer, func(a, b string) int {
			a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
			return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
		})
		return cmp.Or(cmp.Compare(p.log, q.log), cmp.Compare(p.kind, q.kind), byAge, cmp.Compare(p.path, q.path))
	})
	var logs []Log
	var before part
	for i, p := range all {
		if i == 0 || before.log != p.log {
			logs = append(logs, Log{Path: p.log})
			before = part{}
		}
		l := &logs[len(logs)-1]
		if p.kind == backwards && before.kind == backwards && l.unordered == nil &&
			!slices.Equal(p.numbers[:3], before.numbers[:3]) {
			l.unordered = []string{before.path, p.path}
		}
		l.Files = append(l.Files, p.path)
		before = p
	}
	return logs
}
