package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs/record"
)

// listeners runs pota watch with listeners, and returns where they listen.
func listeners(t *testing.T, count int, args ...string) (addresses []string, wait func() (int, string)) {
	t.Helper()
	return listenersUntil(t.Context(), t, count, args...)
}

// listenersUntil is listeners for a run that is interrupted when ctx ends.
func listenersUntil(ctx context.Context, t *testing.T, count int, args ...string) (addresses []string, wait func() (int, string)) {
	t.Helper()
	var out bytes.Buffer
	r, w := io.Pipe()
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, append([]string{"watch"}, args...), streams{in: strings.NewReader(""), out: &out, err: w})
		w.Close()
	}()
	lines := bufio.NewScanner(r)
	for len(addresses) < count && lines.Scan() {
		text, ok := strings.CutPrefix(lines.Text(), "pota: listening on ")
		_, address, _ := strings.Cut(text, "://")
		if !ok {
			t.Fatal(lines.Text())
		}
		addresses = append(addresses, address)
	}
	go func() {
		for lines.Scan() { // so that nobody waits
		}
	}()
	return addresses, func() (int, string) { return <-done, out.String() }
}

// Lines that are refused harm nobody else, nor do connections that say nothing.
func TestListen(t *testing.T) {
	t.Parallel()
	at, wait := listeners(t, 2, "--until-final", "--property", "never:n@A > 1", "--property", "never:n@B > 20", "--listen", "tcp://127.0.0.1:0", "--listen", "localhost:0")
	send := func(text string) string {
		c, err := net.Dial("tcp", at[0])
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, _ = io.WriteString(c, text)
		_ = c.(*net.TCPConn).CloseWrite()
		answer, _ := io.ReadAll(c)
		return string(answer)
	}
	const one = `{"lines":1}` + "\n"
	half, err := net.Dial("tcp", at[0]) // that never says a whole line
	if err != nil {
		t.Fatal(err)
	}
	defer half.Close()
	_, _ = io.WriteString(half, `{"process":`) // it need not arrive
	if answer := send(`{"process":"A","set":{"n":1}}` + "\n" + `{"process":"A","set":{"n":"x"}}` + "\n"); !strings.Contains(answer, `{"lines":1,"error":"`) || !strings.Contains(answer, `:2: variable \"n\" has two types`) {
		t.Errorf("%q", answer)
	}
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			for range 10 {
				if answer := send(`{"process":"C"}` + "\n"); answer != one {
					t.Errorf("%q", answer)
				}
			}
		})
	}
	for i := range 21 {
		if answer := send(fmt.Sprintf(`{"process":"B","set":{"n":%d}}`, i+1)); answer != one {
			t.Errorf("%q", answer)
		}
	}
	group.Wait()
	if answer := send("garbage \x00\xff"); !strings.Contains(answer, ":1:1: ") {
		t.Errorf("%q", answer)
	}
	if answer := send(`{"process":"A","set":{"n":2}}` + "\n"); answer != one {
		t.Errorf("%q", answer)
	}
	if status, out := wait(); status != 1 || !strings.Contains(out, "after 123 events") || strings.Count("\n"+out, "\nfails ") != 2 {
		t.Errorf("status %d, %s", status, out)
	}
}

// Where a part of a line can be a line, the last one of a connection must have an end.
func TestListenCut(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	at, wait := listenersUntil(ctx, t, 1, "--input", "shiviz", "--regexp", `(?P<host>\S+) (?P<clock>{.*}) (?P<event>.*)`, "--assign", "paid (?P<paid>.*)", "--property", `never:paid@A == 1`, "--listen", "127.0.0.1:0")
	c, err := net.Dial("tcp", at[0])
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _ = io.WriteString(c, "A {\"A\":1} begins\nA {\"A\":2} paid 1")
	_ = c.(*net.TCPConn).CloseWrite()
	answer, _ := io.ReadAll(c)
	stop()
	if _, out := wait(); !strings.Contains(string(answer), `"error":"connection 1: the last line of a connection must end with a newline`) || strings.Contains(out, "fails") {
		t.Errorf("%s\n%s", answer, out)
	}
}

// An assignment of a shared variable that is not ordered with the one before is refused where that is known when
// it comes; else it is told of its execution alone, also after the run went on from a journal.
func TestListenUnordered(t *testing.T) {
	t.Parallel()
	journal := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	args := []string{"--execution-key", "s", "--property", "never:t == 2", "--listen", "127.0.0.1:0", "--journal", journal}
	at, wait := listenersUntil(ctx, t, 1, args...)
	send := func(answer string, lines ...string) {
		t.Helper()
		c, err := net.Dial("tcp", at[0])
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, _ = io.WriteString(c, strings.Join(lines, "\n")+"\n")
		_ = c.(*net.TCPConn).CloseWrite()
		if got, _ := io.ReadAll(c); !strings.HasPrefix(string(got), answer) {
			t.Errorf("%s, want %s", got, answer)
		}
	}
	for _, s := range []string{"1", "2", "3"} {
		send(`{"lines":1}`, `{"s":`+s+`,"shared":{"t":0}}`)
	}
	send(`{"lines":1}`, `{"s":1,"process":"A","set":{"t":1}}`)
	send(`{"lines":0,"error":"connection 5:1: assignments of the shared variable \"t\" are not ordered: neither of A:1 and B:1 happened before the other`, `{"s":1,"process":"B","set":{"t":1}}`)
	send(`{"lines":3}`, `{"s":2,"process":"B","recv":"m","set":{"t":2}}`, `{"s":2,"process":"A","set":{"t":1}}`, `{"s":2,"process":"C","send":"m"}`)
	send(`{"lines":2}`, `{"s":1,"process":"B","after":"A:1","set":{"t":2}}`, `{"s":2,"process":"C"}`)
	send(`{"lines":2}`, `{"s":3,"process":"B","recv":"m","set":{"t":2}}`, `{"s":3,"process":"A","set":{"t":1}}`)
	stop()
	const late = "never:t == 2  after 2 events: assignments of the shared variable \"t\" are not ordered: neither of A:1 and B:1 happened before the other"
	if status, out := wait(); status != int(undecided) || !strings.Contains(out, "fails    1  never:t == 2  after 2 events\n") || !strings.Contains(out, "unknown  2  "+late) || !strings.Contains(out, "open     3") {
		t.Errorf("status %d, %s", status, out)
	}
	ctx, stop = context.WithCancel(t.Context())
	defer stop()
	at, wait = listenersUntil(ctx, t, 1, args...)
	send(`{"lines":1}`, `{"s":3,"process":"C","send":"m"}`)
	send(`{"lines":1}`, `{"s":2,"process":"C"}`)
	stop()
	if status, out := wait(); status != int(undecided) || !strings.HasPrefix(out, "unknown  3  "+late) {
		t.Errorf("status %d, %s", status, out)
	}
}

// Whoever is to be reached by others than this machine needs secrets, and addresses have a form.
func TestListenIsClosed(t *testing.T) {
	for address, want := range map[string]string{
		"0.0.0.0:0": "tcp://0.0.0.0:0 is not a loopback address: TLS and a token are required (--tls-cert, --tls-key, --token-file)", "tcp://[::]:0": "--tls-cert", "grpc://example.org": "--tls-cert", "http://10.0.0.1": "--tls-cert",
		":0": "must have a host and a port", "127.0.0.1": "must have a host and a port", "127.0.0.1:x": "a port must be", "127.0.0.1:65536": "a port must be",
		"udp://127.0.0.1:1": "begins with tcp://, http:// or grpc://", "https://127.0.0.1:1": "with --tls-cert, too",
		"http://127.0.0.1:4318/v1/traces": `without a path, not "127.0.0.1:4318/v1/traces"`, "http://127.0.0.1/": "without a path",
	} {
		status, _, err := pota("", "watch", "--property", "never:n@A > 1", "--listen", address)
		if status != int(badInput) || !strings.Contains(err, want) {
			t.Errorf("%s: status %d, %s", address, status, err)
		}
	}
	for text, want := range map[string]string{"": "one word", "two words": "one word", "\ufeff": "one word", "nul\x00": "one word", strings.Repeat("x", 2000): "the file has more than 1024 bytes"} {
		token := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(token, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		status, _, err := pota("", "watch", "--property", "never:n@A > 1", "--listen", "127.0.0.1:0", "--token-file", token)
		if status != int(badInput) || !strings.Contains(err, want) {
			t.Errorf("%.20q: status %d, %s", text, status, err)
		}
	}
}

// Spans come in any order; an execution is decided when its root has ended, told to the command
// of --exec, and others come too late for it. What is not over when the run is interrupted is open.
func TestSpans(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	page := httptest.NewTLSServer(nil) // for its certificate, and a client that knows it
	defer page.Close()
	key, err := x509.MarshalPKCS8PrivateKey(page.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{
		"cert":       pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: page.Certificate().Raw}),
		"key":        pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}),
		"token":      []byte("secret\n"),
		"properties": []byte("clean: AG(forall i: status@i != \"error\")\nshop: AG(active@\"shop/buy#1\" -> kind@\"shop/buy#1\" == \"server\")\n"),
	} {
		if err := os.WriteFile(file(name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	out, told := io.Pipe()
	log, logged := io.Pipe()
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, []string{"watch", "--json", "-f", file("properties"), "--listen", "http://127.0.0.1:0", "--tls-cert", file("cert"), "--tls-key", file("key"),
			"--token-file", file("token"), "--grace", "20ms", "--log-format", "json", "--exec", "cat >> " + file("given") + "; echo oops >&2; exit 3"},
			streams{in: strings.NewReader(""), out: told, err: logged})
		_ = told.Close() // nobody reads it any more
		_ = logged.Close()
	}()
	logs := make(chan string, 100)
	go func() {
		for lines := bufio.NewScanner(log); lines.Scan(); {
			logs <- lines.Text()
		}
	}()
	_, at, _ := strings.Cut(<-logs, "listening on http://")
	url := "https://" + strings.TrimRight(at, "\"}")
	client := page.Client()
	ask := func(method, path, token, body string) (int, string) {
		r, err := http.NewRequest(method, url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		response, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(text)
	}
	span := func(trace, id, parent int, name, more string) string {
		return fmt.Sprintf(`{"traceId":"%032x","spanId":"%016x","parentSpanId":"%016x","name":%q,"startTimeUnixNano":%d,"endTimeUnixNano":99%s}`, trace, id, parent, name, id, more)
	}
	export := func(token string, spans ...string) (int, string) {
		return ask("POST", "/v1/traces", token, `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},"scopeSpans":[{"spans":[`+strings.Join(spans, ",")+`]}]}]}`)
	}
	buy := func(trace int) string { return span(trace, 1, 0, "buy", `,"kind":2`) }
	for _, x := range []struct {
		status int
		token  string
		spans  []string
	}{
		{200, "secret", []string{span(2, 2, 1, "pay", `,"status":{"code":2}`), span(1, 2, 1, "pay", "")}},
		{401, "wrong", []string{buy(1)}},
		{200, "secret", []string{buy(1), buy(2), span(3, 2, 1, "lost", "")}},
	} {
		if status, answer := export(x.token, x.spans...); status != x.status {
			t.Fatalf("%d %s", status, answer)
		}
	}
	answers := bufio.NewScanner(out)
	for i := range 4 {
		answers.Scan()
		want := fmt.Sprintf(`{"execution":"%032x","property":"%s"`, i/2+1, []string{"clean", "shop"}[i%2])
		verdict := fmt.Sprintf(`"verdict":"%s","final":true`, []string{"holds", "holds", "fails", "holds"}[i])
		if got := answers.Text(); !strings.HasPrefix(got, want) || !strings.Contains(got, verdict) {
			t.Errorf("%s; want %s %s", got, want, verdict)
		}
	}
	if status, answer := export("secret", span(2, 3, 1, "late", "")); status != 200 || !strings.Contains(answer, `"rejectedSpans":"1"`) {
		t.Errorf("%d %s", status, answer)
	}
	_, metrics := ask("GET", "/metrics", "secret", "")
	for _, want := range []string{`pota_spans_total{outcome="taken"} 5`, `pota_spans_total{outcome="late"} 1`, `pota_answers_total{verdict="fails"} 1`, `pota_open_executions{of="spans"} 1`} {
		if !strings.Contains(metrics, want+"\n") {
			t.Errorf("no %s in\n%s", want, metrics)
		}
	}
	for failed, late := 0, 0; failed < 4 || late < 1; {
		line := <-logs
		failed += strings.Count(line, "exit status 3: oops")
		late += strings.Count(line, fmt.Sprintf("spans of execution %032x came after", 2))
	}
	interrupt()
	answers.Scan()
	if got := answers.Text(); !strings.Contains(got, `"verdict":"open","final":false,"reason":"its root span has not ended"`) {
		t.Error(got)
	}
	_, _ = io.Copy(io.Discard, out) // nobody waits to write
	if status := <-done; status != int(undecided) {
		t.Errorf("status %d", status)
	}
	if given := string(readFile(t, file("given"))); strings.Count(given, "\n") != 4 || strings.Count(given, `"verdict":"fails"`) != 1 {
		t.Errorf("the command got %s", given)
	}
}

// A recorder writes to a connection, and a slow command does not keep answers back.
func TestRecorderSends(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	at, wait := listeners(t, 1, "--until-final", "--property", "never:n@A > 1", "--listen", "127.0.0.1:0", "--exec", "sleep 0.3")
	c, err := net.Dial("tcp", at[0])
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r := record.New(c)
	a, b := r.Process("A", record.Set("n", 0)), r.Process("B")
	a.Receive(b.Send("A"), record.Set("n", 2))
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if status, out := wait(); status != 1 || !strings.Contains(out, "fails    never:n@A > 1  after 2 events") || time.Since(begun) < 300*time.Millisecond {
		t.Errorf("status %d, %s", status, out)
	}
}
