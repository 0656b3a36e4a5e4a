package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// listeners runs pota watch with listeners, and returns where they listen.
func listeners(t *testing.T, count int, args ...string) (addresses []string, wait func() (int, string)) {
	t.Helper()
	var out bytes.Buffer
	r, w := io.Pipe()
	done := make(chan int, 1)
	go func() {
		done <- run(t.Context(), append([]string{"watch"}, args...), console{in: strings.NewReader(""), out: &out, err: w})
		w.Close()
	}()
	lines := bufio.NewScanner(r)
	for len(addresses) < count && lines.Scan() {
		address, ok := strings.CutPrefix(lines.Text(), "pota: listening on tcp://")
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
	at, wait := listeners(t, 2, "--until-final", "--property", "never:n@A > 1", "--property", "never:n@B > 20", "--listen", "tcp://127.0.0.1:0", "--listen", "localhost:0")
	send := func(text string) string {
		c, err := net.Dial("tcp", at[0])
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		io.WriteString(c, text)       //nolint:errcheck // the answer tells
		c.(*net.TCPConn).CloseWrite() //nolint:errcheck // likewise
		answer, _ := io.ReadAll(c)    //nolint:errcheck // likewise
		return string(answer)
	}
	half, err := net.Dial("tcp", at[0]) // that never says a whole line
	if err != nil {
		t.Fatal(err)
	}
	defer half.Close()
	io.WriteString(half, `{"process":`) //nolint:errcheck // nor need it arrive
	if answer := send(`{"process":"A","set":{"n":1}}` + "\n" + `{"process":"A","set":{"n":"x"}}` + "\n"); !strings.Contains(answer, ":2: variable \"n\" has two types") {
		t.Errorf("%q", answer)
	}
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			for range 10 {
				if answer := send(`{"process":"C"}` + "\n"); answer != "" {
					t.Errorf("%q", answer)
				}
			}
		})
	}
	for i := range 21 {
		if answer := send(fmt.Sprintf(`{"process":"B","set":{"n":%d}}`, i+1)); answer != "" {
			t.Errorf("%q", answer)
		}
	}
	group.Wait()
	if answer := send("garbage \x00\xff"); !strings.Contains(answer, ":1:1: ") {
		t.Errorf("%q", answer)
	}
	if answer := send(`{"process":"A","set":{"n":2}}` + "\n"); answer != "" {
		t.Errorf("%q", answer)
	}
	if status, out := wait(); status != 1 || !strings.Contains(out, "after 123 events") || strings.Count(out, "fails") != 2 {
		t.Errorf("status %d, %s", status, out)
	}
}

// Whoever is to be reached by others than this machine needs secrets, and addresses have a form.
func TestListenIsClosed(t *testing.T) {
	for address, want := range map[string]string{
		"0.0.0.0:0": "--tls-cert, --tls-key and --token-file", "tcp://[::]:0": "--tls-cert", "grpc://example.org": "--tls-cert", "http://10.0.0.1": "--tls-cert",
		":0": "must have a host and a port", "127.0.0.1": "must have a host and a port", "127.0.0.1:x": "a port must be", "127.0.0.1:65536": "a port must be",
		"udp://127.0.0.1:1": "begins with tcp://, http:// or grpc://",
	} {
		status, _, err := pota("", "watch", "--property", "never:n@A > 1", "--listen", address)
		if status != int(badInput) || !strings.Contains(err, want) {
			t.Errorf("%s: status %d, %s", address, status, err)
		}
	}
}
