package trace

import (
	"fmt"
	"strings"
	"testing"
)

// The files of logs come in the order in which they were written, as rotators name them.
func TestLogs(t *testing.T) {
	for _, test := range []struct{ by, files, want string }{
		{"logrotate", "log log.1 log.10.gz log.2.gz", "log: log.10.gz log.2.gz log.1 log"},
		{"logrotate, from 01", "log log.01 log.10 log.02", "log: log.10 log.02 log.01 log"},
		{"logrotate, nothing written to", "app.log.1 app.log.2", "app.log: app.log.2 app.log.1"},
		{"logrotate extension", "app.1.log app.10.log app.2.log app.log", "app.log: app.10.log app.2.log app.1.log app.log"},
		{"logrotate dateext", "log log-20260102 log-20251231.gz log-20260101", "log: log-20251231.gz log-20260101 log-20260102 log"},
		{"logrotate dateext extension", "app-20260101.log app-20251231.log app.log", "app.log: app-20251231.log app-20260101.log app.log"},
		{"logrotate dateformat -%Y-%m-%d-%s", "log-2026-01-01-1767225600 log-2026-01-01-1767229200 log", "log: log-2026-01-01-1767225600 log-2026-01-01-1767229200 log"},
		{"logrotate dateformat -%s", "log-999999999 log-1767225600 log", "log: log-999999999 log-1767225600 log"},
		{"logrotate dateformat -%Y%m", "log-202601 log-202512 log", "log: log-202512 log-202601 log"},
		{"logrotate dateformat -%Y-%m", "app-2026-01.log app-2025-12.log app.log", "app.log: app-2025-12.log app-2026-01.log app.log"},
		{"logrotate dateformat -%Y", "log-2026 log-2025 log", "log: log-2025 log-2026 log"},
		{"newsyslog", "messages messages.0.bz2 messages.1.bz2", "messages: messages.1.bz2 messages.0.bz2 messages"},
		{"Python, by size", "app.log app.log.1 app.log.2", "app.log: app.log.2 app.log.1 app.log"},
		{"Python, by days", "app.log app.log.2026-01-02 app.log.2026-01-01", "app.log: app.log.2026-01-01 app.log.2026-01-02 app.log"},
		{"Python, by seconds", "app.log app.log.2026-01-01_12-00-10 app.log.2026-01-01_12-00-09", "app.log: app.log.2026-01-01_12-00-09 app.log.2026-01-01_12-00-10 app.log"},
		{"lumberjack, zap", "app.log app-2026-01-01T12-00-00.001.log.gz app-2026-01-01T12-00-00.000.log", "app.log: app-2026-01-01T12-00-00.000.log app-2026-01-01T12-00-00.001.log.gz app.log"},
		{"log4j2, logback, by time and size", "app.log app-2026-01-01-10.log app-2026-01-01-9.log app-2025-12-31-1.log.gz", "app.log: app-2025-12-31-1.log.gz app-2026-01-01-9.log app-2026-01-01-10.log app.log"},
		{"log4j2, one digit", "app-2026-10-1.log app-2026-9-30.log", "app.log: app-2026-9-30.log app-2026-10-1.log"},
		{"logback, by size", "tests.log tests.1.log tests.2.log", "tests.log: tests.2.log tests.1.log tests.log"},
		{"Kubernetes", "0.log 0.log.20260101-120000 0.log.20260101-110000.gz 1.log", "0.log: 0.log.20260101-110000.gz 0.log.20260101-120000 0.log; 1.log: 1.log"},
		{"Docker", "0a-json.log 0a-json.log.1 0a-json.log.2.gz", "0a-json.log: 0a-json.log.2.gz 0a-json.log.1 0a-json.log"},
		{"svlogd", "current @400000006956f0000a1b2c3d.u @400000006956e0000a1b2c3d.s", "current: @400000006956e0000a1b2c3d.s @400000006956f0000a1b2c3d.u current"},
		{"winston", "app-2026-01-01.log app-2026-01-01.log.1 app-2026-01-01.log.10 app-2026-01-01.log.2", "app.log: app-2026-01-01.log app-2026-01-01.log.1 app-2026-01-01.log.2 app-2026-01-01.log.10"},
		{"rotatelogs", "access.1767225600 access.1767312000", "access: access.1767225600 access.1767312000"},
		{"file-rotate", "log log.20210825T151133 log.20210825T151133.1 log.20210825T151134", "log: log.20210825T151133 log.20210825T151133.1 log.20210825T151134 log"},
		{"Serilog", "log20260102.txt log20260101.txt log20260101_001.txt", "log.txt: log20260101.txt log20260101_001.txt log20260102.txt"},
		{"glog", "p.h.log.INFO.20260102-100000.7 p.h.log.INFO.20260101-100000.71", "p.h.log.INFO: p.h.log.INFO.20260101-100000.71 p.h.log.INFO.20260102-100000.7"},
		{"a day alone", "2026-01-02.log 2026-01-01.log", ".log: 2026-01-01.log 2026-01-02.log"},
		{"savelog, mv", "log log.old", "log: log.old log"},
		{"numbers after days", "log log.1 log-20260101", "log: log-20260101 log.1 log"},

		{"processes with numbers", "node-1.log node-10.log node-2.log", "node-1.log: node-1.log; node-10.log: node-10.log; node-2.log: node-2.log"},
		{"processes with numbers at the end", "P.1 P.2", "P.1: P.1; P.2: P.2"},
		{"processes on a day", "b-20260101.log a-20260101.log", "a.log: a-20260101.log; b.log: b-20260101.log"},
		{"addresses", "10.0.0.2.log 10.0.0.1.log", "10.0.0.1.log: 10.0.0.1.log; 10.0.0.2.log: 10.0.0.2.log"},
		{"several logs", "b a.2 a b.1", "a: a.2 a; b: b.1 b"},

		{"the year last", "app-01-02-2026.log app-02-01-2026.log app.log", "app.log: app-01-02-2026.log app-02-01-2026.log app.log, but app-01-02-2026.log app-02-01-2026.log"},
		{"the year last, once", "app-01-02-2026-2.log app-01-02-2026-10.log app.log", "app.log: app-01-02-2026-2.log app-01-02-2026-10.log app.log"},
		{"the year last, of two logs", "a-01-02-2026.log b-02-01-2026.log", "a.log: a-01-02-2026.log; b.log: b-02-01-2026.log"},
	} {
		for _, dir := range []string{"", "some.dir-20250101/"} {
			var files, got []string
			for name := range strings.FieldsSeq(test.files) {
				files = append(files, dir+name)
			}
			for _, l := range Logs(files) {
				text := fmt.Sprintf("%s: %s", l.Path, strings.Join(l.Files, " "))
				if l.unordered != nil {
					text += ", but " + strings.Join(l.unordered, " ")
				}
				got = append(got, strings.ReplaceAll(text, dir, ""))
			}
			if got := strings.Join(got, "; "); got != test.want {
				t.Errorf("%s: %s, want %s", test.by, got, test.want)
			}
		}
	}
}
