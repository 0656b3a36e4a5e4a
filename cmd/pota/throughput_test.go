//go:build peers

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// hundred is how many processes events are of, and watchedLines says how the events of a log are
// written: of process %[1]d, which assigns %[2]d, and sends message %[3]d or receives it.
const hundred = 100

var watchedLines = map[string]struct{ plain, send, recv string }{
	"native": {`{"process":"P%d","set":{"x":%d}}`, `{"process":"P%d","set":{"x":%d},"send":"m%d"}`, `{"process":"P%d","set":{"x":%d},"recv":"m%d"}`},
	"mapped": {`{"host":"P%d","x":%d}`, `{"host":"P%d","x":%d,"s":%d}`, `{"host":"P%d","x":%d,"r":%d}`},
}

// watchedLog writes random events of a hundred processes, by which these hear of each other.
func watchedLog(form string, events int) []byte {
	var b bytes.Buffer
	r := rand.New(rand.NewPCG(1, 1))
	var transit []int
	clocks := make([]map[string]int, hundred)
	sent := make(map[int]map[string]int)
	for p := range clocks {
		clocks[p] = make(map[string]int)
	}
	for k := range events {
		p, x, line := r.IntN(hundred), r.IntN(4), watchedLines[form]
		text, message := line.plain, -1
		switch how := r.IntN(4); {
		case how == 0:
			transit, text, message = append(transit, k), line.send, k
		case how == 1 && len(transit) > 0:
			text, message = line.recv, transit[0]
			transit = transit[1:]
		}
		if form != "shiviz" {
			fmt.Fprintf(&b, text+"\n", append([]any{p, x}, message)[:2+min(message+1, 1)]...)
			continue
		}
		clock, host := clocks[p], fmt.Sprint("P", p)
		if other, ok := sent[message]; ok {
			for q, n := range other {
				clock[q] = max(clock[q], n)
			}
			delete(sent, message)
		}
		clock[host]++
		if message == k {
			sent[k] = make(map[string]int, len(clock))
			for q, n := range clock {
				sent[k][q] = n
			}
		}
		written, _ := json.Marshal(clock)
		fmt.Fprintf(&b, "%s %s x=%d\n", host, written, x)
	}
	return b.Bytes()
}

// watchedSpans returns requests of executions of ten spans each, of a hundred processes in all.
func watchedSpans(executions int) (all []ptraceotlp.ExportRequest) {
	for e := range executions {
		request := ptraceotlp.NewExportRequest()
		for k := range 10 {
			resource := request.Traces().ResourceSpans().AppendEmpty()
			resource.Resource().Attributes().PutStr("service.name", fmt.Sprint("P", (e+k)%hundred))
			s := resource.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
			s.SetTraceID(pcommon.TraceID{byte(e), byte(e >> 8), byte(e >> 16), 1})
			s.SetSpanID(pcommon.SpanID{byte(k), 1})
			if k > 0 {
				s.SetParentSpanID(pcommon.SpanID{byte(k - 1), 1})
			}
			s.SetName("s")
			s.SetStartTimestamp(pcommon.Timestamp(1000 + k))
			s.SetEndTimestamp(pcommon.Timestamp(2000 - k))
		}
		all = append(all, request)
	}
	return all
}

// BenchmarkWatch measures how many events pota watch takes in a second of processor time, on one core,
// by each input and for 1, 10 and 100 properties of three of a hundred processes each, none of
// which is ever final; a span is two events. -benchtime 300000x says how many.
func BenchmarkWatch(b *testing.B) {
	dir := b.TempDir()
	mapping := filepath.Join(dir, "map.json")
	if err := os.WriteFile(mapping, []byte(`{"process":"/host","messages":[{"send":{"when":{"/s":"*"},"key":["/s"]},"receive":{"when":{"/r":"*"},"key":["/r"]}}],"variables":{"x":"/x"},"initial":{"x":0}}`), 0o666); err != nil {
		b.Fatal(err)
	}
	post := func(b *testing.B, at, path, kind string, body []byte) {
		b.Helper()
		reply, err := http.Post("http://"+at+path, kind, bytes.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		defer reply.Body.Close()
		if text, _ := io.ReadAll(reply.Body); reply.StatusCode != http.StatusOK {
			b.Fatalf("%s: %s", reply.Status, text)
		}
	}
	lines := func(form string, send func(b *testing.B, at string, text []byte)) func(*testing.B, string) {
		return func(b *testing.B, at string) { send(b, at, watchedLog(form, b.N)) }
	}
	spans := func(send func(b *testing.B, at string, request ptraceotlp.ExportRequest)) func(*testing.B, string) {
		return func(b *testing.B, at string) {
			for _, request := range watchedSpans(max(b.N/20, 1)) {
				send(b, at, request)
			}
		}
	}
	for _, input := range []struct {
		name string
		args []string
		send func(b *testing.B, at string) // nil for a file, and at is "" for standard input
	}{
		{"file", nil, nil},
		{"stdin", nil, nil},
		{"tcp", []string{"--listen", "127.0.0.1:0"}, lines("native", func(b *testing.B, at string, text []byte) {
			c, err := net.Dial("tcp", at)
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			_, _ = c.Write(text)
			_ = c.(*net.TCPConn).CloseWrite()
			if reply, err := io.ReadAll(c); err != nil || bytes.Contains(reply, []byte("error")) {
				b.Fatal(string(reply), err)
			}
		})},
		{"http", []string{"--listen", "http://127.0.0.1:0"}, lines("native", func(b *testing.B, at string, text []byte) { post(b, at, "/lines", "text/plain", text) })},
		{"mapped", []string{"--map", mapping}, nil},
		{"shiviz", []string{"--input", "shiviz"}, nil},
		{"otlp-grpc", []string{"--grace", "1ms", "--listen", "grpc://127.0.0.1:0"}, func(b *testing.B, at string) {
			c, err := grpc.NewClient(at, grpc.WithTransportCredentials(insecure.NewCredentials()))
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			client := ptraceotlp.NewGRPCClient(c)
			for _, request := range watchedSpans(max(b.N/20, 1)) {
				if _, err := client.Export(context.Background(), request); err != nil {
					b.Fatal(err)
				}
			}
		}},
		{"otlp-protobuf", []string{"--grace", "1ms", "--listen", "http://127.0.0.1:0"}, spans(func(b *testing.B, at string, request ptraceotlp.ExportRequest) {
			body, _ := request.MarshalProto()
			post(b, at, "/v1/traces", "application/x-protobuf", body)
		})},
		{"otlp-json", []string{"--grace", "1ms", "--listen", "http://127.0.0.1:0"}, spans(func(b *testing.B, at string, request ptraceotlp.ExportRequest) {
			body, _ := request.MarshalJSON()
			post(b, at, "/v1/traces", "application/json", body)
		})},
	} {
		for _, properties := range []int{1, 10, 100} {
			b.Run(fmt.Sprintf("%s/%d", input.name, properties), func(b *testing.B) {
				measureWatch(b, dir, properties, input.name, input.args, input.send)
			})
		}
	}
}

// measureWatch runs pota watch on one core while something is sent to it, or read.
func measureWatch(b *testing.B, dir string, properties int, name string, args []string, send func(*testing.B, string)) {
	if b.N == 1 {
		return // the processes that properties speak of must be there
	}
	file, log := filepath.Join(dir, "properties"), filepath.Join(dir, "log")
	var text strings.Builder
	for i := range properties {
		value := "x@P%d == 1 && x@P%d == 2 && x@P%d == 9"
		if strings.HasPrefix(name, "otlp") {
			value = `status@"P%d/s" == "ok" && status@"P%d/s" == "ok" && status@"P%d/s" == "error"`
		}
		fmt.Fprintf(&text, "p%d: AG(!("+value+"))\n", i, i%hundred, (i+31)%hundred, (i+62)%hundred)
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
		b.Fatal(err)
	}
	args = append([]string{"watch", "--quiet", "-f", file}, args...)
	var in io.Reader
	if send == nil {
		form := name
		if watchedLines[form].plain == "" && form != "shiviz" {
			form = "native"
		}
		text := watchedLog(form, b.N)
		if name == "stdin" {
			in = bytes.NewReader(text)
		} else if err := os.WriteFile(log, text, 0o666); err != nil {
			b.Fatal(err)
		} else {
			args = append(args, "--to-end", log)
		}
	}
	c := exec.Command("pota", args...)
	c.Env = append(os.Environ(), "GOMAXPROCS=1")
	c.Stdin = in
	errs, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	said := bufio.NewScanner(errs)
	b.ResetTimer()
	if send != nil {
		said.Scan()
		_, at, _ := strings.Cut(said.Text(), "://")
		send(b, at)
		_ = c.Process.Signal(os.Interrupt)
	}
	for said.Scan() {
		b.Log(said.Text())
	}
	_ = c.Wait() // the status is of the properties
	b.ReportMetric(float64(b.N)/(c.ProcessState.UserTime()+c.ProcessState.SystemTime()).Seconds(), "events/cpu-s")
	b.ReportMetric(0, "ns/op")
}
