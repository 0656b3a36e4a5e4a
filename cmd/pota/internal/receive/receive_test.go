package receive

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
)

// taken is what listeners of a test took.
type taken struct {
	mu    sync.Mutex
	lines []string
	spans []string // names
	busy  bool     // they refuse spans for now
}

// take is Options.Lines: a line "bad" is refused, and no line is taken while it is busy.
func (k *taken) take(_ string, in io.Reader, _ time.Duration) (n int, err error) {
	for r := bufio.NewReader(in); ; n++ {
		line, err := r.ReadString('\n')
		k.mu.Lock()
		busy := k.busy
		if err == nil && line != "bad\n" && !busy {
			k.lines = append(k.lines, strings.TrimSuffix(line, "\n"))
		}
		k.mu.Unlock()
		switch {
		case err == io.EOF:
			return n, nil
		case err != nil:
			return n, err
		case busy:
			return n, ErrBusy
		case line == "bad\n":
			return n, fmt.Errorf("line %d is bad", n+1)
		}
	}
}

func (k *taken) receive(all *Export) (refused int, why string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.busy {
		return 0, "", errors.New("busy")
	}
	for _, x := range all.Spans {
		if x.Name == "bad" {
			refused, why = refused+1, "it is bad"
		} else {
			k.spans = append(k.spans, x.Name)
		}
	}
	return refused, why, nil
}

// start starts a listener that ends with the test, and returns where it is.
func (k *taken) start(t testing.TB, scheme string, o Options) (at string) {
	t.Helper()
	o.Lines, o.Spans = k.take, k.receive
	o.Metrics = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "metrics\n") })
	ctx, stop := context.WithCancel(context.Background())
	l, err := Listen(ctx, Address{scheme, "127.0.0.1:0"}, o)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- l.Serve() }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return l.Address().At
}

// secrets returns a certificate for this machine, for a server and for its clients.
func secrets(t *testing.T) (server, client *tls.Config) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "pota"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, &tls.Config{RootCAs: roots}
}

func TestAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"127.0.0.1:7777": "tcp://127.0.0.1:7777", "localhost:0": "tcp://127.0.0.1:0", "http://localhost": "http://127.0.0.1:4318", "grpc://127.0.0.1": "grpc://127.0.0.1:4317",
		"grpc://[::1]": "grpc://[::1]:4317", "http://[::1]:80": "http://[::1]:80", "grpc://::1": "grpc://[::1]:4317", "tcp://example.org:1": "tcp://example.org:1",
		"": "", "x": "", "1.2.3.4": "", "tcp://": "", ":1": "", "http://:80": "", "ftp://a:1": "", "a:1:2": "", "a:-1": "", "a:70000": "",
	} {
		if a, err := ParseAddress(text); (err == nil) != (want != "") || err == nil && a.String() != want {
			t.Errorf("%q is %v, %v; want %q", text, a, err, want)
		}
	}
	for text, want := range map[string]bool{"127.0.0.1:1": true, "127.8.0.1:1": true, "[::1]:1": true, "0.0.0.0:1": false, "[::]:1": false, "example.org:1": false, "127.0.0.1.example.org:1": false} {
		a, err := ParseAddress(text)
		if err != nil || (a.Permits(Options{}) == nil) != want {
			t.Errorf("%q: %v, %v", text, a.Permits(Options{}), err)
		}
	}
	for i, o := range []Options{{}, {TLS: new(tls.Config)}, {Token: "x"}, {TLS: new(tls.Config), Token: "x"}} {
		if err := (Address{"tcp", "0.0.0.0:0"}).Permits(o); (err == nil) != (i == 3) {
			t.Errorf("options %d: %v", i, err)
		}
	}
	if _, err := Listen(t.Context(), Address{"tcp", "0.0.0.0:0"}, Options{Token: "x"}); err == nil {
		t.Error("others can send without TLS")
	}
}

// exportRequest returns a request with spans of some names, as protobuf and as JSON.
func exportRequest(t *testing.T, names ...string) (protobuf, json []byte) {
	t.Helper()
	var spans []byte
	var texts []string
	for _, name := range names {
		spans = append(spans, field(2, field(5, []byte(name)))...)
		texts = append(texts, fmt.Sprintf(`{"name":%q}`, name))
	}
	protobuf = field(1, field(2, spans))
	text := fmt.Sprintf(`{"resourceSpans":[{"scopeSpans":[{"spans":[%s]}]}]}`, strings.Join(texts, ","))
	return protobuf, []byte(text)
}

// An export may be as large as the bound says.
func TestExportSize(t *testing.T) {
	for _, more := range []int{0, 1} {
		text, err := readExport(bytes.NewReader(make([]byte, maxExportSize+more)))
		if (err == errExportSize) != (more > 0) || err == nil && len(text) != maxExportSize {
			t.Errorf("%d bytes more: %d bytes, %v", more, len(text), err)
		}
	}
}

// field encodes a field of protobuf that is a text or a message.
func field(number byte, content []byte) []byte {
	const lengthDelimited = 2
	head := binary.AppendUvarint([]byte{number<<3 | lengthDelimited}, uint64(len(content)))
	return append(head, content...)
}

func zipped(text []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(text)
	_ = w.Close()
	return out.Bytes()
}

// Requests are answered as the specification of OTLP says, and lines with how many were taken.
func TestHTTP(t *testing.T) {
	k := new(taken)
	url := "http://" + k.start(t, "http", Options{Token: "secret"})
	inProto, asJSON := exportRequest(t, "one", "bad", "two")
	bomb := zipped(bytes.Repeat([]byte{0}, maxExportSize+1))
	long := bytes.Repeat([]byte{'x'}, maxLineSize+1)
	for _, x := range []struct {
		method, path, headers string
		body                  []byte
		busy                  bool
		status                int
		answer                string
	}{
		{"POST", "/lines", "", []byte("a\nb\n"), false, 200, `{"lines":2}`},
		{"POST", "/lines", "Content-Encoding: gzip", zipped([]byte("a\nb\nc\n")), false, 200, `{"lines":3}`},
		{"POST", "/lines", "Content-Encoding: gzip", []byte("a\n"), false, 400, "gzip"},
		{"POST", "/lines", "Content-Encoding: br", []byte("a\n"), false, 400, `not \"br\"`},
		{"POST", "/lines", "", []byte("a\nbad\nc\n"), false, 400, `{"lines":1,"error":"line 2 is bad"}`},
		{"POST", "/lines", "", append([]byte("a\n"), long...), false, 400, `{"lines":1,"error":"a line sent over the network must have at most 256 KiB"}`},
		{"POST", "/lines", "", append(append([]byte("a\n"), long...), "\nb\n"...), false, 400, `{"lines":1,"error":"a line sent over the network must have at most 256 KiB"}`},
		{"POST", "/lines", "", []byte("a\n"), true, 503, `"lines":0,"error":"too many lines`},
		{"GET", "/lines", "", nil, false, 405, ""},
		{"POST", "/lines", "Origin: http://evil.example", []byte("a\n"), false, 403, ""},
		{"POST", "/lines", "Authorization: Bearer wrong", []byte("a\n"), false, 401, "token"},
		{"POST", "/lines", "Authorization: secret", []byte("a\n"), false, 401, "token"},
		{"GET", "/metrics", "Authorization: bearer secret", nil, false, 200, "metrics"},
		{"GET", "/metrics", "", nil, false, 200, "metrics"},
		{"GET", "/metrics", "Authorization: Bearer", nil, false, 401, "token"},
		{"GET", "/healthz", "Authorization: Bearer wrong", nil, false, 200, "ok"},
		{"GET", "/", "", nil, false, 404, ""},
		{"POST", "/v1/traces", "Content-Type: application/json; charset=utf-8", asJSON, false, 200, `{"partialSuccess":{"rejectedSpans":"1","errorMessage":"it is bad"}}`},
		{"POST", "/v1/traces", "Content-Type: application/x-protobuf", inProto, false, 200, "it is bad"},
		{"POST", "/v1/traces", "Content-Type: application/x-protobuf\nContent-Encoding: gzip", zipped(inProto), false, 200, "it is bad"},
		{"POST", "/v1/traces", "Content-Type: application/x-protobuf\nContent-Encoding: gzip", bomb, false, 413, "at most 8 MiB"},
		{"POST", "/v1/traces", "Content-Type: application/x-protobuf", bytes.Repeat([]byte{0}, maxExportSize+1), false, 413, "at most 8 MiB"},
		{"POST", "/v1/traces", "Content-Type: application/x-protobuf", []byte("garbage"), false, 400, "these are no spans"},
		{"POST", "/v1/traces", "Content-Type: application/json", []byte(`{"resourceSpans":7}`), false, 400, `"code":3,`},
		{"POST", "/v1/traces", "Content-Type: text/plain", asJSON, false, 415, "application/json"},
		{"POST", "/v1/traces", "Content-Type: application/json", asJSON, true, 503, `"code":14,`},
		{"POST", "/v1/traces", "Content-Type: application/json\nAuthorization: Bearer wrong", asJSON, false, 401, "token"},
	} {
		k.mu.Lock()
		k.busy = x.busy
		k.mu.Unlock()
		r, err := http.NewRequest(x.method, url+x.path, bytes.NewReader(x.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer secret")
		for _, h := range strings.Split(x.headers, "\n") {
			if name, value, ok := strings.Cut(h, ": "); ok {
				r.Header.Set(name, value)
			}
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Errorf("%s %s %.100q: %v", x.method, x.path, x.body, err)
			continue
		}
		text, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		compact := strings.ReplaceAll(strings.ReplaceAll(string(text), ", ", ","), ": ", ":") // protojson varies its spaces
		if response.StatusCode != x.status || err != nil || !strings.Contains(compact, strings.ReplaceAll(x.answer, ": ", ":")) {
			t.Errorf("%s %s %s %.100q is answered %d %q; want %d %q", x.method, x.path, x.headers, x.body, response.StatusCode, text, x.status, x.answer)
		}
		if again := response.Header.Get("Retry-After"); (again != "") != (x.status == 503) {
			t.Errorf("%s %s: Retry-After is %q", x.method, x.path, again)
		}
	}
	if got := strings.Join(k.lines, ""); got != "ababcaaa" {
		t.Errorf("lines %s", got)
	}
	if len(k.spans) != 6 {
		t.Errorf("spans %s", k.spans)
	}
}

// A page that has a name for this machine cannot send or read.
func TestRebinding(t *testing.T) {
	url := "http://" + new(taken).start(t, "http", Options{})
	for host, want := range map[string]int{"": 200, "localhost:1": 200, "[::1]:1": 200, "evil.example": 403, "evil.example:4318": 403} {
		r, err := http.NewRequest("GET", url+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s: %d", host, response.StatusCode)
		}
	}
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _ = io.WriteString(c, "GET /metrics HTTP/1.0\r\n\r\n")
	if answer, _ := io.ReadAll(c); !strings.Contains(string(answer), "200 OK") {
		t.Errorf("without a host, which every browser sends: %q", answer)
	}
}

// Over TCP the token is a line of its own.
func TestTCP(t *testing.T) {
	server, client := secrets(t)
	say := func(at string, secret *tls.Config, text string) string {
		var c net.Conn
		var err error
		if secret != nil {
			c, err = tls.Dial("tcp", at, secret)
		} else {
			c, err = net.Dial("tcp", at)
		}
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, _ = io.WriteString(c, text)
		_ = c.(interface{ CloseWrite() error }).CloseWrite()
		answer, _ := io.ReadAll(c)
		return string(answer)
	}
	k := new(taken)
	at := k.start(t, "tcp", Options{TLS: server, Token: "secret"})
	for text, want := range map[string]string{
		"Bearer secret\na\nb\n": `{"lines":2}`, "bearer secret\r\nc\nbad\nd\n": "line 2 is bad", "Bearer secre\nx\n": "the first line must be Bearer", "secret\nx\n": "the first line must be",
		"x\n": "the first line must be", "": "the first line must be", strings.Repeat("x", 1<<16): "the first line must be",
	} {
		if got := say(at, client, text); !strings.Contains(got, want) {
			t.Errorf("%.40q is answered %q", text, got)
		}
	}
	say(at, nil, "Bearer secret\nx\n") // not TLS
	if got := strings.Join(k.lines, ""); len(got) != 3 || strings.Contains(got, "x") {
		t.Errorf("lines %q", got)
	}
	plain := new(taken)
	if got := say(plain.start(t, "tcp", Options{}), nil, "a\n"+strings.Repeat("y", maxLineSize+1)); !strings.Contains(got, "at most 256 KiB") || len(plain.lines) != 1 {
		t.Errorf("a long line is answered %q", got)
	}
	for _, ends := range []bool{false, true} {
		k := new(taken)
		at := k.start(t, "tcp", Options{Ends: ends})
		if got := say(at, nil, "a\nb\n"); got != `{"lines":2}`+"\n" {
			t.Errorf("%q", got)
		}
		if got := say(at, nil, "c\nd"); strings.Contains(got, `{"lines":1,"error":"the last line of a connection must end`) != ends || strings.Join(k.lines, "") != "abc" {
			t.Errorf("a line that is cut off is answered %q, %q are taken", got, k.lines)
		}
	}
}

// A thousand clients that say nothing, half of something, or garbage neither keep others from
// being served nor take much memory.
func TestFaults(t *testing.T) {
	k := new(taken)
	tcp, web, rpc := k.start(t, "tcp", Options{}), k.start(t, "http", Options{}), k.start(t, "grpc", Options{})
	garbage := make([]byte, 32<<10)
	_, _ = rand.Read(garbage)
	before := memory()
	var open []net.Conn
	for i := range 1000 {
		c, err := net.Dial("tcp", []string{tcp, web, rpc}[i%3])
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, c)
		_ = c.SetWriteDeadline(time.Now().Add(time.Second))
		switch i / 3 % 4 {
		case 1:
			_, _ = io.WriteString(c, "POST /lines HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\n{")
		case 2:
			_, _ = c.Write(garbage)
		case 3:
			_, _ = io.WriteString(c, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
		}
	}
	response, err := http.Post("http://"+web+"/lines", "", strings.NewReader("good\n"))
	if err != nil || response.StatusCode != 200 {
		t.Errorf("%v, %v", response, err)
	}
	good, _ := exportRequest(t, "good")
	call, err := overHTTP2(t).Post("http://"+rpc+exportMethod, "application/grpc", bytes.NewReader(frame(0, good)))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.ReadAll(call.Body)
	_ = call.Body.Close()
	c, err := net.Dial("tcp", tcp)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(c, "good\n")
	_ = c.(*net.TCPConn).CloseWrite()
	_, _ = io.ReadAll(c)
	_ = c.Close()
	if took := memory() - before; took > 200<<20 {
		t.Errorf("%d clients take %d MB", len(open), took>>20)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if got := strings.Count(strings.Join(k.lines, "\n")+"\n", "good\n"); got != 2 || len(k.spans) != 1 {
		t.Errorf("%d lines and %d spans of good clients arrived", got, len(k.spans))
	}
	for _, c := range open {
		_ = c.Close()
	}
}

// A machine that is gone without a word, as one without power is, is noticed. In a network of its own, which the
// system may refuse, that is one without an interface.
func TestGone(t *testing.T) {
	if os.Getenv("POTA_NETWORK") == "" {
		child := exec.Command("unshare", "-rn", os.Args[0], "-test.run=^TestGone$")
		child.Env = append(os.Environ(), "POTA_NETWORK=own")
		if exec.Command("unshare", "-rn", "ip", "link", "set", "lo", "up").Run() != nil {
			t.Skip("this system makes no networks")
		}
		if out, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return
	}
	link := func(state string) {
		if out, err := exec.Command("ip", "link", "set", "lo", state).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	link("up")
	if alive.Idle+time.Duration(alive.Count)*alive.Interval > time.Minute {
		t.Errorf("%v takes more than a minute", alive)
	}
	alive.Idle, alive.Interval, alive.Count = time.Second, time.Second, 1
	arrived := make(chan string)
	ended := make(chan error)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	l, err := Listen(ctx, Address{"tcp", "127.0.0.1:0"}, Options{
		Lines: func(_ string, in io.Reader, _ time.Duration) (int, error) {
			r := bufio.NewReader(in)
			for n := 0; ; n++ {
				line, err := r.ReadString('\n')
				if err != nil {
					ended <- err
					return n, err
				}
				arrived <- line
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error)
	go func() { served <- l.Serve() }()
	c, err := net.Dial("tcp", l.Address().At)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _ = io.WriteString(c, "whole\nhalf a")
	if line := <-arrived; line != "whole\n" {
		t.Errorf("%q arrives", line)
	}

	link("down")
	if err := <-ended; err == io.EOF {
		t.Error("a machine that is gone has closed its connection")
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// memory returns what the program has in use.
func memory() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}
