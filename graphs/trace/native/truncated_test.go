package native

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/pota-project/pota/graphs/trace"
)

const whole = `{"pota":1}
{"process":"P","init":{"x":0}}
{"process":"P","send":"m","to":"Q","label":"a \"}\" in quotes"}
{"process":"Q","recv":"m","set":{"y":1.5,"s":"\\"}}
`

// TestTruncated cuts a trace off after each of its bytes. What is read is the
// whole lines before, and without the option an unfinished line is refused.
func TestTruncated(t *testing.T) {
	for n := strings.Index(whole, "Q"); n <= len(whole); n++ {
		text := whole[:n]
		last := text[strings.LastIndexByte(text, '\n')+1:]
		complete := text[:len(text)-len(last)]
		if strings.Contains(whole, last+"\n") {
			complete = text
		}
		want, err := readText(t, complete, trace.Options{Names: true, AllowTruncated: true})
		if err != nil {
			t.Fatalf("%q: %v", complete, err)
		}
		var told []*trace.Error
		got, err := readText(t, text, trace.Options{Names: true, AllowTruncated: true, Truncated: func(e *trace.Error) { told = append(told, e) }})
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if complete == text && told != nil || complete != text && (len(told) != 1 || told[0].Line != strings.Count(text, "\n")+1) {
			t.Errorf("%q: told of %v", text, told)
		}
		if a, b := describe(want), describe(got); a != b {
			t.Errorf("%q: %s", text, differ(a, b))
		}
		_, err = readText(t, text, trace.Options{})
		if trace.Unfinished([]byte(last)) != (complete != text) {
			t.Errorf("trace.Unfinished(%q) is %v", last, complete == text)
		}
		if complete != text && (err == nil || !strings.HasSuffix(err.Error(), "(the last line has no end: the file looks cut off; use --allow-truncated to read what comes before it)")) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestTruncatedLines: only the last line may be cut off, and only if it has no end.
func TestTruncatedLines(t *testing.T) {
	for _, text := range []string{
		"{\"process\":\"P\"}\n{\"process\":\n",
		"{\"process\":\"P\"}\n{\"process\":\n{\"process\":\"P\"}\n",
		"{\"process\":\"P\"}\nnonsense",
		"{\"process\":\"P\"}\n{\"process\":\"P\"}}",
		"{\"process\":\"P\"}\n{\"procces\":\"P\"}",
	} {
		if _, err := readText(t, text, trace.Options{AllowTruncated: true}); err == nil {
			t.Errorf("%q is not refused", text)
		}
	}
}

// TestTruncatedDirectory: each file may be cut off; what another file needs of it
// is missed.
func TestTruncatedDirectory(t *testing.T) {
	const lost = " (was it lost with the end of a log that was cut off?)"
	for _, test := range []struct{ p, q, want string }{
		{"{\"process\":\"P\",\"send\":\"m\"}\n{\"process\":\"P\",", "{\"process\":\"Q\",\"recv\":\"m\"}\n{\"pro", ""},
		{"{\"process\":\"P\",\"send\":\"m\",\"to\":\"Q\"}\n{\"process\":\"P\",", "{\"process\":\"Q\",", ""},
		{"{\"process\":\"P\",\"send\":\"m\"", "{\"process\":\"Q\",\"recv\":\"m\"}\n", `q:1:23: message "m" is received but never sent` + lost},
		{"{\"process\":\"P\"}\n{\"process\":\"P\"", "{\"process\":\"Q\",\"after\":\"P:2\"}\n", `q:1:24: after an unknown event: no event has the id "P:2" (process "P" has 1 event)` + lost},
		{"{\"process\":\"P\"}\n{\"process\":\"P\"", "{\"process\":\"Q\",\"clock\":{\"P\":2,\"Q\":1}}\n", `q:1:25: the clock is ahead: process "P" has 1 event, not 2` + lost},
		{"{\"process\":\"P\"", "{\"process\":\"Q\",\"clock\":{\"P\":1,\"Q\":1}}\n", `q:1:25: the clock has an entry for an unknown process "P"` + lost},
		{"{", "{", ": a trace without a process" + lost},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"p": test.p, "q": test.q} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		_, err := ReadFile(background, dir, trace.Options{AllowTruncated: true})
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.HasSuffix(err.Error(), test.want)) {
			t.Errorf("%s + %s\n got %v\nwant %s", test.p, test.q, err, test.want)
		}
	}
}

// TestTruncatedCompressed cuts a compressed trace off: the lines read are a beginning of it.
func TestTruncatedCompressed(t *testing.T) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	for line := range strings.Lines(strings.Repeat("{\"process\":\"P\",\"set\":{\"x\":1}}\n", 100)) {
		if _, err := w.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "p.gz")
	before := 0
	for n := 60; n < z.Len(); n += 11 {
		if err := os.WriteFile(file, z.Bytes()[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		c, err := ReadFile(background, file, trace.Options{AllowTruncated: true})
		if err != nil {
			t.Fatal(n, err)
		}
		if c.NumEvents() < before {
			t.Errorf("%d bytes: %d events, and %d of less", n, c.NumEvents(), before)
		}
		before = c.NumEvents()
		if _, err := ReadFile(background, file, trace.Options{}); err == nil {
			t.Errorf("%d bytes are not refused", n)
		}
	}
	if before < 98 {
		t.Errorf("%d events", before)
	}
}
