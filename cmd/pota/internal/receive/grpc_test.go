package receive

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// frame returns a message as gRPC sends it.
func frame(flag byte, message []byte) []byte {
	text := binary.BigEndian.AppendUint32([]byte{flag}, uint32(len(message)))
	return append(text, message...)
}

// fieldsOf returns the values of each field of a message, as protobuf has them on the wire. The
// clients behind the build tag "peers" read messages by their schema.
func fieldsOf(t *testing.T, text []byte) map[protowire.Number][][]byte {
	t.Helper()
	fields := make(map[protowire.Number][][]byte)
	for len(text) > 0 {
		number, kind, n := protowire.ConsumeTag(text)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		m := protowire.ConsumeFieldValue(number, kind, text[n:])
		if m < 0 {
			t.Fatal(protowire.ParseError(m))
		}
		fields[number] = append(fields[number], text[n:n+m])
		text = text[n+m:]
	}
	return fields
}

// overHTTP2 returns a client of HTTP/2 without TLS.
func overHTTP2(t *testing.T) *http.Client {
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// Calls that are none of the method, or not as the protocol has them, are refused with the
// status that says why.
func TestUnary(t *testing.T) {
	k := new(taken)
	at := "http://" + k.start(t, "grpc", Options{Token: "secret"})
	client := overHTTP2(t)
	good, _ := exportRequest(t, "one")
	const method = exportMethod
	for _, x := range []struct {
		name, path, headers string
		body                []byte
		want                string // the status, ": " and a part of the message; "415" where that is the status of HTTP
	}{
		{"a message", method, "", frame(0, good), "0: "},
		{"a compressed one", method, "Grpc-Encoding: gzip", frame(1, zipped(good)), "0: "},
		{"one that is not compressed", method, "Grpc-Encoding: gzip", frame(0, good), "0: "},
		{"of a type", method, "Content-Type: application/grpc+proto", frame(0, good), "0: "},
		{"with a parameter", method, "Content-Type: application/grpc;x=y", frame(0, good), "0: "},
		{"of another type", method, "Content-Type: application/grpc+json", frame(0, good), "415"},
		{"of no type", method, "Content-Type: text/plain", frame(0, good), "415"},
		{"another method", "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export", "", frame(0, good), "12: /opentelemetry.proto.collector.metrics"},
		{"a wrong token", method, "Authorization: Bearer wrong", frame(0, good), "16: token"},
		{"another flag", method, "", frame(2, good), "13: must be 0 or 1, not 2"},
		{"no encoding", method, "", frame(1, zipped(good)), "13: without a header"},
		{"another encoding", method, "Grpc-Encoding: br", frame(1, good), "12: not \"br\""},
		{"what is not gzip", method, "Grpc-Encoding: gzip", frame(1, good), "13: not gzip"},
		{"gzip that ends too soon", method, "Grpc-Encoding: gzip", frame(1, zipped(good)[:20]), "13: unexpected EOF"},
		{"a bomb", method, "Grpc-Encoding: gzip", frame(1, zipped(bytes.Repeat([]byte{0}, maxExportSize+1))), "8: at most 8 MiB"},
		{"the largest one", method, "", frame(0, bytes.Repeat([]byte{0x7a, 0}, maxExportSize/2)), "0: "},
		{"one that is too large", method, "", frame(0, make([]byte, maxExportSize+1)), "8: at most 8 MiB"},
		{"two messages", method, "", append(frame(0, good), frame(0, good)...), "12: one message"},
		{"half of a message", method, "", frame(0, good)[:len(good)], "13: too soon"},
		{"half of a header", method, "", []byte{0, 0}, "13: too soon"},
		{"nothing", method, "", nil, "13: too soon"},
		{"garbage", method, "", frame(0, []byte("garbage")), "3: these are no spans"},
	} {
		r, err := http.NewRequest("POST", at+x.path, bytes.NewReader(x.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer secret")
		r.Header.Set("Content-Type", "application/grpc")
		if name, value, ok := strings.Cut(x.headers, ": "); ok {
			r.Header.Set(name, value)
		}
		answer, err := client.Do(r)
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
			continue
		}
		body, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if answer.StatusCode != 200 {
			if x.want != "415" || answer.StatusCode != 415 {
				t.Errorf("%s is answered %s", x.name, answer.Status)
			}
			continue
		}
		trailer := answer.Trailer
		if len(body) == 0 {
			trailer = answer.Header
		}
		code, message, _ := strings.Cut(x.want, ": ")
		got, err := url.PathUnescape(trailer.Get("Grpc-Message"))
		if err != nil || trailer.Get("Grpc-Status") != code || !strings.Contains(got, message) {
			t.Errorf("%s is answered %s %q; want %s", x.name, trailer.Get("Grpc-Status"), got, x.want)
		}
		if kind := answer.Header.Get("Content-Type"); kind != "application/grpc" {
			t.Errorf("%s: the type is %s", x.name, kind)
		}
		if code == "0" && !bytes.Equal(body, frame(0, new(response).proto())) {
			t.Errorf("%s is answered %q", x.name, body)
		}
		if details := trailer.Get("Grpc-Status-Details-Bin"); code != "0" {
			text, err := base64.RawStdEncoding.DecodeString(details)
			fields := fieldsOf(t, text)
			if err != nil || len(fields[2]) != 1 || len(fields[2][0]) < 2 || len(fields[3]) > 0 {
				t.Errorf("%s has details %q: %v", x.name, details, err)
			}
		}
	}
	get, err := client.Get(at + method)
	if err != nil {
		t.Fatal(err)
	}
	_ = get.Body.Close()
	if get.StatusCode != 415 {
		t.Errorf("GET is answered %s", get.Status)
	}
	if len(k.spans) != 5 {
		t.Errorf("%d spans arrive", len(k.spans))
	}
}

// A call ends at its deadline, with a status that says so.
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at, end := serve(t, "grpc", Options{})
		begun := time.Now()
		body, send := io.Pipe()
		transport := &http.Transport{Protocols: new(http.Protocols), DialContext: at.context}
		transport.Protocols.SetUnencryptedHTTP2(true)
		r, err := http.NewRequest("POST", "http://127.0.0.1"+exportMethod, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/grpc")
		go func() { _, _ = send.Write([]byte{0, 0}) }()
		response, err := (&http.Client{Transport: transport}).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if code := response.Header.Get("Grpc-Status"); code != "4" || time.Since(begun) != exportTimeout {
			t.Errorf("after %v the status is %q", time.Since(begun), code)
		}
		_ = response.Body.Close()
		_ = send.Close()
		transport.CloseIdleConnections()
		end()
	})
}
