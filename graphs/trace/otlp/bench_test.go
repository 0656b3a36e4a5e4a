package otlp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/trace"
)

// many returns spans in JSON lines, 50 per trace and line, with 6 attributes and an event each.
func many(spans int) string {
	var b strings.Builder
	for i := 0; i < spans; {
		fmt.Fprintf(&b, `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"service%d"}},{"key":"host.name","value":{"stringValue":"host"}}]},"scopeSpans":[{"scope":{"name":"bench"},"spans":[`, i%7)
		for k := range 50 {
			if k > 0 {
				b.WriteByte(',')
			}
			start := 1795161708865943902 + i*1000
			fmt.Fprintf(&b, `{"traceId":"%032x","spanId":"%016x","parentSpanId":"%016x","name":"operation %d","kind":%d,"startTimeUnixNano":"%d","endTimeUnixNano":"%d","attributes":[`, 1+i/50, i+1, (i+1-(k+1)/2)*min(k, 1), k%10, 1+k%3, start, start+900000)
			fmt.Fprintf(&b, `{"key":"http.request.method","value":{"stringValue":"GET"}},{"key":"url.path","value":{"stringValue":"/item/%d"}},{"key":"http.response.status_code","value":{"intValue":"200"}},{"key":"retry","value":{"boolValue":false}},{"key":"load","value":{"doubleValue":0.%d}},{"key":"network.peer.port","value":{"intValue":"%d"}}]`, i, k, 40000+i%1000)
			fmt.Fprintf(&b, `,"events":[{"timeUnixNano":"%d","name":"got it","attributes":[{"key":"level","value":{"stringValue":"info"}}]}],"status":{}}`, start+500)
			i++
		}
		b.WriteString("]}]}]}\n")
	}
	return b.String()
}

func BenchmarkRead(b *testing.B) {
	text := many(200_000)
	file := filepath.Join(b.TempDir(), "x.jsonl")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		b.Fatal(err)
	}
	for _, keep := range []struct {
		name string
		opts trace.Options
	}{
		{"all", trace.Options{Names: true}},
		{"one", trace.Options{Variables: map[string]bool{"active": true}}},
	} {
		b.Run(keep.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				source, err := trace.Open(file)
				if err != nil {
					b.Fatal(err)
				}
				all, err := Read(context.Background(), source, keep.opts)
				if err != nil || len(all) != 4000 {
					b.Fatal(len(all), err)
				}
			}
		})
	}
}
