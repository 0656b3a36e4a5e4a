package format

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/pota-project/pota/graphs/trace"
)

const testdata = "../../../testdata/"

var background = context.Background()

func describe(all []Execution) []string {
	var lines []string
	for _, e := range all {
		lines = append(lines, fmt.Sprintf("%s %s %d", filepath.Base(e.Name), e.Format, e.Computation.NumEvents()))
	}
	return lines
}

func TestRead(t *testing.T) {
	for _, test := range []struct {
		path, input string
		want        []string
	}{
		{"figure1.jsonl", "", []string{"figure1.jsonl native 6"}},
		{"figure1.jsonl", "native", []string{"figure1.jsonl native 6"}},
		{"traces/spin/mutex.out", "", []string{"mutex.out spin 36"}},
		{"traces/shiviz/chord.log", "auto", []string{"chord.log shiviz (GoVector) 1235"}},
		{"traces/etcd-raft/example.ndjson.gz", "etcd-raft", []string{"example.ndjson.gz etcd-raft (mapped) 4888"}},
		{"traces/shiviz/RpcClientServer.log", "shiviz", []string{"RpcClientServer.log shiviz (upload file) 10"}},
		{"traces/shiviz/ewd998.log.gz", "", []string{
			"ewd998.log.gz#1 shiviz (TLC) 77", "ewd998.log.gz#2 shiviz (TLC) 248", "ewd998.log.gz#3 shiviz (TLC) 665",
		}},
	} {
		all, err := Read(background, testdata+test.path, Options{Input: test.input})
		if err != nil {
			t.Errorf("%s: %v", test.path, err)
			continue
		}
		if got := describe(all); !slices.Equal(got, test.want) {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// Every format with times keeps them if only they are asked for, and drops them if nothing is,
// except those of spans, which shared clocks order.
func TestTimes(t *testing.T) {
	timed := map[string]string{
		"otlp": "traces/otlp/otlp2jaeger-in.json", "jaeger": "traces/jaeger/otlp2jaeger-out.json", "zipkin": "traces/zipkin/skew.json",
		"etcd-raft (mapped)": "traces/etcd-raft/example.ndjson.gz", "gotrace": "traces/gotrace/pipeline.trace.gz",
	}
	for format, path := range timed {
		for _, opts := range []trace.Options{{}, {Times: true}, {Names: true}} {
			all, err := Read(background, testdata+path, Options{Options: opts})
			if err != nil {
				t.Fatal(err)
			}
			c := all[0].Computation
			want := opts.KeepTimes() || c.Clock(0) != ""
			if has := c.Time(c.Event(0, 1)) != ""; all[0].Format != format || has != want {
				t.Errorf("%s, read as %s, has times: %t", path, all[0].Format, has)
			}
		}
	}
}

// TestContent reads the same content under every name and compression.
func TestContent(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"figure1.jsonl", "traces/shiviz/simple-reliable-broadcast.log"} {
		text, err := os.ReadFile(testdata + name)
		if err != nil {
			t.Fatal(err)
		}
		for suffix, text := range map[string]string{
			".jsonl": string(text), ".log": string(text), "": string(text),
			".gz": zip(t, text), ".zst": zstandard(t, text), ".txt": zip(t, text), ".json": zstandard(t, text),
			".two.gz": zip(t, text[:len(text)/2]) + zip(t, text[len(text)/2:]),
		} {
			file := filepath.Join(dir, "x"+suffix)
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			all, err := Read(background, file, Options{})
			if err != nil {
				t.Errorf("%s as %s: %v", name, suffix, err)
				continue
			}
			want, err := Read(background, testdata+name, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if all[0].Computation.NumEvents() != want[0].Computation.NumEvents() || all[0].Name != file {
				t.Errorf("%s as %s: %s, %d events", name, suffix, all[0].Name, all[0].Computation.NumEvents())
			}
		}
	}
}

// TestBlankFiles recognizes the format of a directory whose first files are blank.
func TestBlankFiles(t *testing.T) {
	for name, want := range map[string]string{
		"traces/jaeger/otlp2jaeger-out.json": "jaeger", "traces/otlp/otlp2jaeger-in.json": "otlp",
		"traces/ccf/example.ndjson": "ccf (mapped)", "figure1.jsonl": "native",
	} {
		text, err := os.ReadFile(testdata + name)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		for file, text := range map[string][]byte{"1": nil, "2": []byte("\ufeff \r\n\n"), "3.gz": []byte(zip(t, nil)), "4": text} {
			if err := os.WriteFile(filepath.Join(dir, file), text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		all, err := Read(background, dir, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if all[0].Format != want {
			t.Errorf("%s is read as %s", name, all[0].Format)
		}
	}
}

func zip(t *testing.T, text []byte) string {
	var b strings.Builder
	z := gzip.NewWriter(&b)
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zstandard(t *testing.T, text []byte) string {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(z.EncodeAll(text, nil))
}

// Of a directory with files of several kinds, the error names them.
func TestMixed(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, test := range []struct {
		files map[string]string
		want  string
	}{
		{map[string]string{"a.jsonl": "{\"process\":\"P\"}\n", "b.jsonl": "{\"process\":\"Q\",\"x\":1}\n", "README.md": "# T\n"},
			"README.md (not a trace), a.jsonl (native), b.jsonl (JSON): it must"},
		{map[string]string{"a.log": "e\na {\"a\":1}\n", "notes.gz": "x", "main.go": "package main\n", "z.log": "e\nb {\"b\":2}\n"},
			"a.log, z.log (shiviz), main.go, notes.gz (not a trace): it must"},
		{map[string]string{"a.jsonl": "{\"process\":\"P\"}\n", "b.jsonl": "{\"process\":\"P\",\"recv\":\"m\"}\n"}, ""},
	} {
		if err := os.Mkdir("d", 0o777); err != nil {
			t.Fatal(err)
		}
		for name, text := range test.files {
			if err := os.WriteFile("d/"+name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		_, err := Read(background, "d", Options{})
		const several = "; the directory holds files of several kinds: "
		if err == nil || strings.Contains(err.Error(), several) != (test.want != "") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got  %v\nwant %s", err, test.want)
		}
		if err := os.RemoveAll("d"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("empty", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll("nested/inner", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, text, input, want string
	}{
		{"x", "<xml/>\n", "", "x: the format cannot be recognized from the content: name it with --input (pota formats lists those known), or, for a log, have a mapping written by pota map --guess"},
		{"x", "{\"level\":\"info\",\"msg\":\"x\"}\n", "", `x:1:2: unknown key "level" (known are pota, process, init, shared, edge, id, set, send, to, recv, after, sync, clock, label, time, timer, clock_id, lower_bound, closed); if this is a log in a form of its own, pota map --guess writes a mapping for it`},
		{"x", "<xml/>\n", "native", `x:1:1: "<" where a JSON object was expected`},
		{"x", "", "", "x: a trace without a process"},
		{"x", "{\"proces\":1}\n", "", `x:1:2: unknown key "proces" (did you mean "process"?)`},
		{"x", "{}\n", "shivz", `unknown input format "shivz" (did you mean "shiviz"?)`},
		{"x", "{}\n", "promela", `unknown input format "promela" (known are auto, native, otlp, stdouttrace, jaeger, zipkin, gotrace, spin, mermaid, shiviz, ccf-2023, ccf, etcd-raft, ewd998, hadoop, hashicorp-raft, hdfs, pgo, raft-log, zookeeper)`},
		{"x.gz", "{}\n", "", "x.gz: not compressed, although its name ends in .gz"},
		{"x.log", "\xff\xfeh\x00i\x00", "", "x.log: text in UTF-16, but traces are in UTF-8: convert it with iconv -f UTF-16 -t UTF-8"},
		{"x.log", "\x00{\x00}\x00\n", "", "x.log: text in UTF-16, but traces are in UTF-8: convert it with iconv -f UTF-16 -t UTF-8"},
		{"x.gz", zip(t, []byte(zip(t, []byte("{}\n")))), "", "x.gz: compressed twice: decompress it once"},
		{"x.gz", zip(t, []byte("{\"process\":\"P\"}\n{\"process\":\"P\"}\n"))[:30], "", "x.gz:1: the compressed data ends too soon: the file is cut off"},
		{"x.zst", "\x28\xb5\x2f\xfd", "", "x.zst:1: the compressed data ends too soon: the file is cut off"},
		{"missing", "", "", "missing: no such file or directory"},
		{"empty", "", "", "empty: the directory holds no file (a directory that is a trace holds one log for each process)"},
		{"nested", "", "", "nested/inner: not a regular file (a directory that is a trace holds one log for each process)"},
	} {
		if !slices.Contains([]string{"missing", "empty", "nested"}, test.name) {
			if err := os.WriteFile(test.name, []byte(test.text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		_, err := Read(background, test.name, Options{Input: test.input})
		if err == nil || err.Error() != test.want {
			t.Errorf("%q:\ngot  %v\nwant %s", test.text, err, test.want)
		}
		var e *trace.Error
		var u *UnknownError
		if !errors.As(err, &e) && !errors.As(err, &u) {
			t.Errorf("%T", err)
		}
	}
}

func TestFormats(t *testing.T) {
	for _, f := range Formats() {
		if _, ok := find(f.Name); !ok || f.Description == "" {
			t.Errorf("%+v", f)
		}
	}
}

func TestStandardInput(t *testing.T) {
	for _, name := range []string{"figure1.jsonl", "traces/shiviz/ewd998.log.gz"} {
		f, err := os.Open(testdata + name)
		if err != nil {
			t.Fatal(err)
		}
		stdin := os.Stdin
		os.Stdin = f
		all, err := Read(background, "-", Options{})
		os.Stdin = stdin
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(all[0].Name, "-") || all[0].Computation.NumEvents() == 0 {
			t.Errorf("%s: %q", name, describe(all))
		}
	}
}

func TestCancel(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	stdin := os.Stdin
	os.Stdin = r
	defer func() { os.Stdin = stdin }()
	ctx, cancel := context.WithTimeout(background, 20*time.Millisecond)
	defer cancel()
	if _, err := Read(ctx, "-", Options{}); err != context.DeadlineExceeded {
		t.Error(err)
	}
}
