package receive

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"golang.org/x/net/netutil"
)

// A piped listener is one in memory, whose time is that of a bubble of synctest.
type piped struct {
	conns chan net.Conn
	done  chan struct{}
}

func newPiped() *piped { return &piped{make(chan net.Conn), make(chan struct{})} }

func (p *piped) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *piped) Close() error {
	select {
	case <-p.done:
	default:
		close(p.done)
	}
	return nil
}

func (p *piped) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// dial connects and writes a text, as far as that is read.
func (p *piped) dial(text string) net.Conn {
	client, server := net.Pipe()
	p.conns <- server
	if text != "" {
		_, _ = io.WriteString(client, text)
	}
	return client
}

// context connects, for a transport.
func (p *piped) context(context.Context, string, string) (net.Conn, error) { return p.dial(""), nil }

// get returns the status of a request, 0 for none.
func get(c net.Conn) int {
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0
	}
	_ = r.Body.Close()
	return r.StatusCode
}

// serve serves a piped listener until the end of a bubble.
func serve(t *testing.T, scheme string, o Options) (at *piped, end func()) {
	t.Helper()
	at = newPiped()
	ctx, stop := context.WithCancel(context.Background())
	if o.Metrics == nil {
		o.Metrics = http.NotFoundHandler()
	}
	l := newListener(ctx, Address{scheme, "127.0.0.1:1"}, at, o)
	ended := make(chan error)
	go func() { ended <- l.Serve() }()
	return at, func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

const dripping = "POST /lines HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\nx"

// A request that sends a byte now and then ends in time, and is told why.
func TestSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := new(taken)
		at, end := serve(t, "http", Options{Lines: k.take})
		for path, want := range map[string]time.Duration{"/lines": linesTimeout, "/v1/traces": exportTimeout} {
			text := strings.Replace(dripping, "/lines", path, 1)
			text = strings.Replace(text, "\r\n\r\n", "\r\nContent-Type: application/json\r\n\r\n", 1)
			begun := time.Now()
			c := at.dial(text)
			var drips sync.WaitGroup
			drips.Go(func() {
				for {
					time.Sleep(5 * time.Second)
					if _, err := io.WriteString(c, "x"); err != nil {
						return
					}
				}
			})
			r, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(begun); r.StatusCode != http.StatusRequestTimeout || took != want {
				t.Errorf("%s ends with %d after %v", path, r.StatusCode, took)
			}
			body, _ := io.ReadAll(r.Body)
			if !strings.Contains(string(body), "a request must end within "+want.String()) {
				t.Errorf("%s is told %q", path, body)
			}
			_ = c.Close()
			drips.Wait()
		}
		end()
	})
}

// However many connections are held, health answers, and others are told to come again. What
// is spare is so for a moment.
func TestHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := new(taken)
		at, end := serve(t, "http", Options{Lines: k.take})
		var held []net.Conn
		for range maxConnections + 2*maxSpare {
			held = append(held, at.dial(dripping[:len(dripping)-1]))
		}
		synctest.Wait()
		for path, want := range map[string]int{"/healthz": 200, "/metrics": 503, "/lines": 503} {
			c := at.dial("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
			if got := get(c); got != want {
				t.Errorf("%s is answered %d while connections are held; want %d", path, got, want)
			}
			_ = c.Close()
		}

		silent := at.dial("GET")
		begun := time.Now()
		if n, err := silent.Read(make([]byte, 1)); err == nil || time.Since(begun) != spareTimeout {
			t.Errorf("a spare connection ends after %v with %d, %v", time.Since(begun), n, err)
		}
		for _, c := range held[:10] {
			_ = c.Close()
		}
		time.Sleep(time.Second) // until the server has let go of them
		c := at.dial("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
		if got := get(c); got != 404 {
			t.Errorf("/metrics is answered %d when there is room", got)
		}
		_ = c.Close()
		for _, c := range held {
			_ = c.Close()
		}
		end()
	})
}

// The bounds are those that the package documentation and the guide state.
func TestBounds(t *testing.T) {
	for _, x := range []struct {
		name      string
		got, want any
	}{
		{"connections", maxConnections, 2048},
		{"spare connections", maxSpare, 64},
		{"exports", maxExports, 16},
		{"bytes of an export", maxExportSize, 8 << 20},
		{"bytes of a line", maxLineSize, 256 << 10},
		{"bytes of lines", maxLinesSize, 256 << 20},
		{"bytes of headers", maxHeaderSize, 64 << 10},
		{"time of headers", headerTimeout, 10 * time.Second},
		{"time of an export", exportTimeout, 30 * time.Second},
		{"time of lines", linesTimeout, 2 * time.Minute},
		{"time of an answer", answerTimeout, 10 * time.Second},
		{"time of a spare connection", spareTimeout, 2 * time.Second},
		{"delay of a retry", retryDelay, time.Second},
	} {
		if x.got != x.want {
			t.Errorf("%s: %v, want %v", x.name, x.got, x.want)
		}
	}
}

// Of the spare connections, the oldest ends where there are too many.
func TestSpare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := new(connections)
		all.open.Store(maxConnections)
		var clients, servers []net.Conn
		for range maxSpare + 2 {
			client, c := net.Pipe()
			if !isSpare(all.add(t.Context(), c)) {
				t.Error("it is not spare")
			}
			clients, servers = append(clients, client), append(servers, c)
		}
		for i, c := range servers {
			if gone := !open(c); gone != (i < 2) {
				t.Errorf("of %d spare connections, the one of index %d is gone: %v", len(servers), i, gone)
			}
			_ = c.Close()
			_ = clients[i].Close()
			all.changed(c, http.StateClosed)
		}
		if isSpare(all.add(t.Context(), servers[0])) != true || all.open.Load() != maxConnections+1 {
			t.Errorf("%d are open", all.open.Load())
		}
		all.changed(nil, http.StateClosed)
		all.changed(nil, http.StateClosed)
		if isSpare(all.add(t.Context(), servers[0])) {
			t.Error("it is spare, and there is room")
		}
		time.Sleep(spareTimeout)
	})
}

// open reports whether a side of a pipe is open: reading then waits for the deadline.
func open(c net.Conn) bool {
	_ = c.SetReadDeadline(time.Now())
	_, err := c.Read(make([]byte, 1))
	return errors.Is(err, os.ErrDeadlineExceeded)
}

// Connections and requests have names with their numbers. A connection with TLS needs no token.
func TestNames(t *testing.T) {
	server, client := secrets(t)
	now := time.Now()
	names := make(chan string, 4)
	lines := func(name string, in io.Reader, _ time.Duration) (int, error) {
		names <- name
		_, err := io.Copy(io.Discard, in)
		return 0, err
	}
	synctest.Test(t, func(t *testing.T) {
		tcp, endTCP := serve(t, "tcp", Options{Lines: lines, TLS: server})
		web, endWeb := serve(t, "http", Options{Lines: lines})
		for range 2 {
			config := client.Clone()
			config.ServerName = "127.0.0.1"
			config.Time = func() time.Time { return now } // a bubble has another
			c := tls.Client(tcp.dial(""), config)
			_, _ = io.WriteString(c, "x\n")
			_ = c.CloseWrite()
			_, _ = io.ReadAll(c)
			_ = c.Close()
		}
		for range 2 {
			c := web.dial("POST /lines HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\nx\n")
			if status := get(c); status != 200 {
				t.Errorf("the status is %d", status)
			}
			_ = c.Close()
		}
		endTCP()
		endWeb()
	})
	close(names)
	var all []string
	for name := range names {
		all = append(all, name)
	}
	if got := strings.Join(all, ", "); got != "connection 1, connection 2, request 1, request 2" {
		t.Errorf("the names are %s", got)
	}
}

// Over TCP, connections beyond the bound wait, and a listener that ends does not wait for room.
func TestRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := newPiped()
		b := netutil.LimitListener(at, 1)
		go at.dial("")
		first, err := b.Accept()
		if err != nil {
			t.Fatal(err)
		}
		accepted := make(chan error)
		go func() {
			_, err := b.Accept()
			accepted <- err
		}()
		go at.dial("")
		synctest.Wait()
		select {
		case <-accepted:
			t.Fatal("a second connection is accepted")
		default:
		}
		_ = first.Close()
		_ = first.Close() // takes up room once
		if err := <-accepted; err != nil {
			t.Fatal(err)
		}
		go func() {
			_, err := b.Accept()
			accepted <- err
		}()
		synctest.Wait()
		_ = b.Close()
		_ = b.Close()
		if err := <-accepted; !errors.Is(err, net.ErrClosed) {
			t.Errorf("the error is %v", err)
		}
	})
}

// The lines of a request are bounded as they are decompressed, and end with the request.
func TestLinesEnd(t *testing.T) {
	var read int64
	l := newListener(t.Context(), Address{"http", "127.0.0.1:1"}, newPiped(), Options{
		Lines: func(_ string, in io.Reader, _ time.Duration) (int, error) {
			var err error
			read, err = io.Copy(io.Discard, in)
			return 0, err
		},
	})
	var member bytes.Buffer // gzip may have several, one after the other
	w := gzip.NewWriter(&member)
	_, _ = w.Write(bytes.Repeat([]byte("\n"), 1<<20))
	_ = w.Close()
	bomb := bytes.NewReader(bytes.Repeat(member.Bytes(), maxLinesSize>>20+1))
	r := httptest.NewRequest("POST", "/lines", bomb)
	r.Header.Set("Content-Encoding", "gzip")
	answer := httptest.NewRecorder()
	l.lines()(answer, r)
	if answer.Code != http.StatusRequestEntityTooLarge || read > maxLinesSize || read < maxLinesSize/2 ||
		!strings.Contains(answer.Body.String(), "at most 256 MiB") {
		t.Errorf("after %d bytes: %d %s", read, answer.Code, answer.Body)
	}

	ctx, cancel := context.WithCancel(t.Context())
	l.Lines = func(_ string, in io.Reader, _ time.Duration) (int, error) {
		for {
			if _, err := in.Read(make([]byte, 10)); err != nil {
				return 0, err
			}
			cancel()
		}
	}
	r = httptest.NewRequest("POST", "/lines", endless{}).WithContext(ctx)
	answer = httptest.NewRecorder()
	l.lines()(answer, r)
	if answer.Code != http.StatusBadRequest || !strings.Contains(answer.Body.String(), "context canceled") {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
}

// endless has lines without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '\n'
	}
	return len(p), nil
}

// Lines end at what is too long, at the size of a request, and where a newline is missing.
func TestLines(t *testing.T) {
	exact := strings.Repeat("x", maxLineSize)
	for _, x := range []struct {
		text string
		most int64
		ends bool
		want error
		last string // of what is read
	}{
		{"a\nb", 0, false, nil, "b"},
		{"a\nb", 0, true, errCut, "b"},
		{"a\nb\n", 0, true, nil, "\n"},
		{exact + "\n" + exact, 0, false, nil, "x"},
		{"a\n" + exact + "x", 0, false, errLineSize, "x"},
		{exact + "x\n", 0, false, errLineSize, "x"},
		{"12345", 5, false, nil, "5"},
		{"123456", 5, false, errLinesSize, "5"},
	} {
		// A byte at a time, and all that fits.
		for _, size := range []int{1000, 1 << 20} {
			r := &lines{ctx: t.Context(), in: strings.NewReader(x.text), most: x.most, ends: x.ends}
			var got bytes.Buffer
			_, err := io.CopyBuffer(struct{ io.Writer }{&got}, struct{ io.Reader }{r}, make([]byte, size))
			if err != x.want || r.failed != x.want {
				t.Errorf("%.10q of %d bytes: %v, want %v", x.text, len(x.text), err, x.want)
			}
			if x.want == nil && got.String() != x.text {
				t.Errorf("%.10q: %d of %d bytes are read", x.text, got.Len(), len(x.text))
			}
		}
	}
}

// The credentials of a request are one header, of the scheme Bearer, with the very token.
func TestTrusts(t *testing.T) {
	l := newListener(t.Context(), Address{"http", "127.0.0.1:1"}, newPiped(), Options{Token: "secret"})
	for _, x := range []struct {
		credentials []string
		want        bool
	}{
		{[]string{"Bearer secret"}, true},
		{[]string{"bEARER secret"}, true},
		{[]string{"Basic secret"}, false}, // the token of another scheme
		{[]string{"Bearer Secret"}, false},
		{[]string{"Bearer wrong"}, false},
		{[]string{"Bearer"}, false},
		{[]string{"Bearer "}, false},
		{[]string{"secret"}, false},
		{[]string{" secret"}, false},
		{[]string{""}, false},
		{nil, false},
		{[]string{"Bearer secret", "Bearer secret"}, false},
	} {
		if got := l.trusts(x.credentials...); got != x.want {
			t.Errorf("%q: %v", x.credentials, got)
		}
	}
	open := newListener(t.Context(), Address{"http", "127.0.0.1:1"}, newPiped(), Options{})
	if !open.trusts() || !open.trusts("Bearer x") {
		t.Error("a listener without a token asks for one")
	}
}

func TestParseToken(t *testing.T) {
	for text, want := range map[string]string{
		"secret": "secret", "secret\n": "secret", " \tsecret\r\n": "secret", "\ufeffsecret\n": "secret", "\ufeff secret": "secret", "~!": "~!",
		"": "", "\n": "", "\ufeff": "", "two words": "", "two\nwords": "", "nul\x00": "", "\x00": "", "tab\tinside": "", "ümlaut": "", "del\x7f": "", "a\ufeff": "",
	} {
		token, err := ParseToken(text)
		if token != want || (err == nil) != (want != "") {
			t.Errorf("%q is the token %q, %v", text, token, err)
		}
		if err != nil && !strings.Contains(err.Error(), "one word") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A listener that ends gives its last reply before Serve returns.
func TestLastReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := newPiped()
		ctx, stop := context.WithCancel(context.Background())
		replied := false
		l := newListener(ctx, Address{"http", "127.0.0.1:1"}, at, Options{
			Metrics: http.NotFoundHandler(),
			Lines: func(string, io.Reader, time.Duration) (int, error) {
				stop()
				time.Sleep(endTimeout / 2)
				replied = true
				return 7, nil
			},
		})
		answer := make(chan string)
		go func() {
			c := at.dial("POST /lines HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\nx\n")
			text, _ := io.ReadAll(c)
			answer <- string(text)
		}()
		if err := l.Serve(); err != nil || !replied {
			t.Errorf("Serve returns before the reply, or %v", err)
		}
		if got := <-answer; !strings.HasSuffix(got, "{\"lines\":7}\n") {
			t.Errorf("got %q", got)
		}
	})
}

// A request that is held ends soon after the listener does.
func TestHeldAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := new(taken)
		at, end := serve(t, "http", Options{Lines: k.take})
		c := at.dial(dripping)
		synctest.Wait()
		begun := time.Now()
		var ending sync.WaitGroup
		ending.Go(end)
		_, _ = io.Copy(io.Discard, c)
		if took := time.Since(begun); took != endTimeout {
			t.Errorf("it ends after %v", took)
		}
		ending.Wait()
		time.Sleep(2 * endTimeout) // in which the server gives up the connection for good
	})
}

// A connection that is held without a token, or in a handshake, ends in time.
func TestSilent(t *testing.T) {
	server, _ := secrets(t)
	for _, x := range []struct {
		scheme string
		tls    *tls.Config
		text   string
	}{
		{"tcp", nil, ""},
		{"tcp", nil, "Bearer"},
		{"tcp", server, ""},
		{"http", nil, "GET /metrics HTTP/1.1\r\n"},
		{"http", server, ""},
		{"grpc", nil, "PRI *"},
		{"grpc", server, "\x16"},
	} {
		synctest.Test(t, func(t *testing.T) {
			k := new(taken)
			at, end := serve(t, x.scheme, Options{Lines: k.take, TLS: x.tls, Token: "secret"})
			begun := time.Now()
			c := at.dial(x.text)
			_, _ = io.Copy(io.Discard, c)
			if took := time.Since(begun); took != headerTimeout {
				t.Errorf("%s, TLS %v: %q holds a connection for %v", x.scheme, x.tls != nil, x.text, took)
			}
			_ = c.Close()
			end()
		})
	}
}

// Lines end when the time of their request is over, also where nobody was reading then.
func TestLinesTooLate(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	for _, slow := range []error{nil, errSlow} {
		r := &lines{ctx: ctx, in: strings.NewReader("x\n"), slow: slow}
		want := slow
		if slow == nil {
			want = context.DeadlineExceeded
		}
		if n, err := r.Read(make([]byte, 10)); n != 0 || err != want || r.failed != want {
			t.Errorf("%d bytes, %v, want %v", n, err, want)
		}
	}
}

// A line that comes in pieces is whole once its newline has come. Only the end of the connection tells
// that it is not.
func TestLinesInPieces(t *testing.T) {
	for text, want := range map[string]error{"ab\ncd\n": nil, "ab\ncd": errCut} {
		r := &lines{ctx: t.Context(), in: iotest.OneByteReader(strings.NewReader(text)), ends: true}
		got, err := io.ReadAll(r)
		if string(got) != text || err != want || r.failed != want {
			t.Errorf("%q: %q is read, %v, want %v", text, got, err, want)
		}
	}
}
