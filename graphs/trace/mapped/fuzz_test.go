package mapped

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonline"
	"github.com/pota-project/pota/graphs/trace/native"
)

// fuzzMappings are those that FuzzRead tries.
func fuzzMappings() (texts []string) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 40 {
		texts = append(texts, randomMapping(r, i%2 == 0))
	}
	texts = append(texts, refusedMapping)
	for _, form := range textForms {
		texts = append(texts, `{"line":`+form+","+rest, `{"skip":true,"line":`+form+","+rest)
	}
	return append(texts, `{"texts":{"/json":"logfmt","/msg":["^a (?<b>.*)"],"/msg/b":"logfmt"},"clock":"/vc",`+rest)
}

// textForms are forms of lines with the fields of rest.
var textForms = []string{`"logfmt"`, `"csv"`, `"csv;"`,
	`["^no$(?<no>)", "^\\[(?<host>.*?)\\|(?<at>.*?)\\|(?<msg>.*?)\\|(?<id>.*?)\\|(?<to>.*?)\\|(?<x>.*?)\\|(?<json>.*)\\]$"]`}

// FuzzRead reads arbitrary text. Errors have a type and fit on one line; reading twice
// gives the same computation, and so does reading its native form; and the scanner
// accepts only text that encoding/json accepts.
func FuzzRead(f *testing.F) {
	var mappings []*Mapping
	for _, text := range fuzzMappings() {
		m, err := Parse("m.json", []byte(text))
		if err != nil {
			f.Fatal(err)
		}
		mappings = append(mappings, m)
	}
	for i, m := range Shipped() {
		text, err := os.ReadFile(traces + map[string]string{
			"ewd998": "ewd998-chan/EWD998ChanTrace.ndjson", "ccf": "ccf/example.ndjson", "ccf-2023": "ccf/old-schema-3-lines.ndjson",
			"hadoop": "raft-log/vote.log", "hashicorp-raft": "hashicorp-raft/election/node2.log", "hdfs": "raft-log/vote.log", "raft-log": "raft-log/vote.log", "zookeeper": "zookeeper/split.log", "etcd-raft": "ccf/example.ndjson",
			"pgo": "pgo-locksvc/traces_found/1029352561734837753/trace-1-2290680423.log",
		}[m.Name])
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(len(mappings)+i), text[:min(len(text), 4000)])
	}
	mappings = append(mappings, Shipped()...)
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 120 {
		f.Add(uint8(i%40), []byte(randomLog(r, i%2 == 0, i%7 == 0)))
	}
	for i, text := range []string{
		"host=a at=1.5 msg=\"send it\" id=7 to=b x=1\nhost=b msg=recv id=7 json=\"{\\\"a\\\":[1]}\" vc={\n",
		"host,at,msg,id,to,x,json\na,1,send,1,b,2,\"{\"\"a\"\":[\"\"x\"\"]}\"\r\nb,,recv,1,,,\n",
		"[a|1|send|1|b|2|{\"a\":[1]}]\n[b||recv|1||true|]\r\nno\n",
		`{"host":"a","msg":"a b=1 c=\"x\"","json":"x=1","vc":"{\"a\":1}"}` + "\n",
	} {
		f.Add(uint8(41+2*i), []byte(text))
	}
	path := filepath.Join(f.TempDir(), "x.log")
	file := filepath.Join(f.TempDir(), "x.jsonl")
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		if strings.HasPrefix(string(text), "\x1f\x8b") || strings.HasPrefix(string(text), "\x28\xb5\x2f\xfd") {
			t.Skip("compressed")
		}
		m := mappings[int(which)%len(mappings)]
		m.Detect(text)
		checkScanner(t, text)
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		first, err := writeNative(t, path, m)
		second, again := writeNative(t, path, m)
		if fmt.Sprint(err) != fmt.Sprint(again) || first != second {
			t.Fatalf("%v\n%s\nand then %v\n%s", err, first, again, second)
		}
		var outside *trace.Error
		if err != nil && errors.As(err, &outside) {
			checkError(t, err)
			return
		}
		if err != nil {
			return // the native format has no words for it
		}
		if err := os.WriteFile(file, []byte(first), 0o666); err != nil {
			t.Fatal(err)
		}
		c, err := native.ReadFile(context.Background(), file, trace.Options{Names: true})
		if err != nil {
			t.Fatalf("%v\n%s", err, first)
		}
		var b strings.Builder
		if err := native.Write(&b, c, nil); err != nil {
			t.Fatal(err)
		}
		if b.String() != first {
			t.Fatalf("%s\nis read as\n%s", first, b.String())
		}
	})
}

// FuzzParse reads mappings.
func FuzzParse(f *testing.F) {
	for _, text := range fuzzMappings() {
		f.Add([]byte(text))
	}
	for _, name := range []string{"ccf", "etcd-raft", "ewd998", "pgo"} {
		text, err := os.ReadFile("mappings/" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	log := []byte(randomLog(rand.New(rand.NewPCG(7, 8)), true, false))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Parse("m.json", text)
		if err != nil {
			checkError(t, err)
			return
		}
		m.Detect(log)
	})
}

func checkError(t *testing.T, err error) {
	t.Helper()
	var e *trace.Error
	if !errors.As(err, &e) || strings.ContainsAny(e.Msg, "\r\n") || e.Msg == "" || e.Line < 0 || e.Line > 0 && e.Column < 1 {
		t.Fatalf("%q", err)
	}
}

// writeNative reads a log and writes it in the native format.
func writeNative(t *testing.T, path string, m *Mapping) (string, error) {
	t.Helper()
	c, err := readFile(t, path, m, trace.Options{Names: true})
	if err != nil {
		return "", err
	}
	checkComputation(t, c)
	var b strings.Builder
	err = native.Write(&b, c, nil)
	return b.String(), err
}

// checkComputation checks that messages and values are what their types say.
func checkComputation(t *testing.T, c *graphs.Computation) {
	t.Helper()
	for _, m := range c.Messages() {
		if m.Recv != graphs.Bottom && c.LastBefore(c.Process(m.Send))[m.Recv] < int32(c.Position(m.Send)) {
			t.Fatalf("%s receives what %s sends, but does not follow it", c.ID(m.Recv), c.ID(m.Send))
		}
	}
	for _, v := range c.Variables() {
		for i := range v.Len() {
			if v.Value(i).Kind != v.Kind {
				t.Fatalf("%s is %s and holds %s", v.Name, v.Kind, v.Value(i))
			}
		}
	}
}

// checkScanner compares the scanner with encoding/json, which knows no limit of depth
// that is as low.
func checkScanner(t *testing.T, text []byte) {
	t.Helper()
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		s := scan(line, 0, len(line))
		s.Next()
		s.value()
		ok := s.Err == nil && s.Ended()
		if ok != json.Valid(line) && (s.Err == nil || s.Err.Msg != jsonline.TooDeep) {
			t.Fatalf("%q: %v %v", line, ok, s.Err)
		}
	}
}
