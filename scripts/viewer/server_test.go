//go:build browser

package viewer

import (
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The server answers what its page asks and refuses the rest.
func TestServer(t *testing.T) {
	large := filepath.Join(t.TempDir(), "large.jsonl")
	if err := os.WriteFile(large, []byte(strings.Repeat(`{"process":"P"}`+"\n", 10000)), 0o666); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(interrupted, command(t), "serve", "--formula", "EF(x == 4)", "../../testdata/figure1.jsonl", large)
	address, err := serve(c)
	if err != nil {
		t.Fatal(err)
	}
	host := strings.TrimSuffix(strings.TrimPrefix(address, "http://"), "/")
	for _, x := range []struct {
		request string
		status  string
		body    string
	}{
		{"GET / HTTP/1.1\r\nHost: HOST\r\n\r\n", "200", "<!DOCTYPE html>"},
		{"GET /data?formula=EF(x%20%3D%3D%204) HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\n\r\n", "200", `"verdict":"holds"`},
		{"GET /data HTTP/1.1\r\nHost: HOST\r\n\r\n", "200", `"formula":"EF(x == 4)","verdict":"holds"`},
		{"GET /data?formula=&place=0%3A2 HTTP/1.1\r\nHost: HOST\r\n\r\n", "200", `"events":6`},
		{"GET /truth?formula=AX(x%20%3D%3D%201)&part=0&cut=1%3A1 HTTP/1.1\r\nHost: HOST\r\n\r\n", "200", `"verdict":"fails"`},
		{"GET /slice?formula=EF(x%20%3D%3D%204)&part=1 HTTP/1.1\r\nHost: HOST\r\n\r\n", "200", `"lean":true`},
		{"GET /line?event=2 HTTP/1.1\r\nHost: HOST\r\n\r\n", "200", `{"text":"{\"process\":\"P1\",\"id\":\"e3\"`},
		{"GET /line?event=6 HTTP/1.1\r\nHost: HOST\r\n\r\n", "422", "there is no event 6"},
		{"GET /data?formula=&trace=1 HTTP/1.1\r\nHost: HOST\r\n\r\n", "200", "Transfer-Encoding: chunked"},
		{"GET /data?formula=EF( HTTP/1.1\r\nHost: HOST\r\n\r\n", "422", "formula:1:4"},
		{"GET /data?formula=&trace=7 HTTP/1.1\r\nHost: HOST\r\n\r\n", "422", "there is no trace 7"},
		{"GET /data?place=0%3A9 HTTP/1.1\r\nHost: HOST\r\n\r\n", "422", "there is no cut"},
		{"GET /truth?formula=EF(x%20%3D%3D%204)&part=9 HTTP/1.1\r\nHost: HOST\r\n\r\n", "422", "there is no part 9"},
		{"GET /etc/passwd HTTP/1.1\r\nHost: HOST\r\n\r\n", "404", "nothing here"},
		{"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", "403", "only its own page"},
		{"GET / HTTP/1.1\r\nHost: HOST\r\nHost: HOST\r\n\r\n", "400", ""},
		{"GET / HTTP/1.1\r\n\r\n", "400", ""},
		{"GET /data HTTP/1.1\r\nHost: HOST\r\nOrigin: http://evil.example\r\n\r\n", "403", ""},
		{"GET /data HTTP/1.1\r\nHost: HOST\r\nOrigin: null\r\n\r\n", "403", ""},
		{"POST /data HTTP/1.1\r\nHost: HOST\r\nContent-Length: 0\r\n\r\n", "405", "nothing can be changed"},
		{"GET http://evil.example/ HTTP/1.1\r\nHost: HOST\r\n\r\n", "403", ""},
		{"GET /?%zz HTTP/1.1\r\nHost: HOST\r\n\r\n", "400", ""},
		{"hello\r\n\r\n", "400", ""},
		{"GET / HTTP/1.1\r\n folded\r\n\r\n", "400", ""},
	} {
		got := talk(t, host, strings.NewReplacer("HOST", host, "\r\n\r\n", "\r\nConnection: close\r\n\r\n").Replace(x.request))
		if !strings.HasPrefix(got, "HTTP/1.1 "+x.status+" ") || !strings.Contains(got, x.body) {
			t.Errorf("%q is answered %.300q", x.request, got)
		}
		for _, header := range []string{"Content-Security-Policy: default-src 'none'", "nosniff", "Cross-Origin-Resource-Policy: same-origin"} {
			if x.status != "400" && !strings.Contains(got, header) {
				t.Errorf("%q is answered without %s", x.request, header)
			}
		}
	}
	end := os.Signal(os.Interrupt)
	if signal.Ignored(end) { // as by nohup, and then by the server, too
		end = syscall.SIGTERM
	}
	if err := c.Process.Signal(end); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("after %v: %v", end, err)
	}
}

// talk sends a request and returns all of the answer.
func talk(t *testing.T, host, request string) string {
	t.Helper()
	c, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }() // nothing is left to read
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}
