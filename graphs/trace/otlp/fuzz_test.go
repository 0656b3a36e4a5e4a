package otlp

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/span/spantest"
)

func FuzzRead(f *testing.F) {
	text, err := os.ReadFile(files + "otlp2jaeger-in.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(hotrod(f)[:4<<10])
	f.Add([]byte(`{"trace":{"batches":[{"scopeSpans":[{"spans":[{"traceId":"AAECAwQFBgcICQoLDA0O/w==","spanId":"AAAAAAAAAAE="}]}]}]}}`))
	r := rand.New(rand.NewPCG(31, 32))
	for i := range 40 {
		m := &maker{r: r, wrong: []int{0, 40}[i%2]}
		f.Add([]byte(m.document()))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if strings.HasPrefix(string(text), "\x1f\x8b") || strings.HasPrefix(string(text), "\x28\xb5\x2f\xfd") {
			t.Skip("compressed")
		}
		Detect(text)
		spantest.Reader(Read).Check(t, text)
	})
}

// TestCutCompressed cuts off a compressed file.
func TestCutCompressed(t *testing.T) {
	text, err := os.ReadFile(files + "hotrod-4dispatch.otlp.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "x.gz")
	if err := os.WriteFile(file, text[:len(text)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := read(file, trace.Options{}); err == nil || !strings.Contains(err.Error(), "the compressed data ends too soon") {
		t.Error(err)
	}
	all, err := read(file, trace.Options{AllowTruncated: true})
	if err != nil {
		t.Fatal(err)
	}
	spans := 0
	for _, x := range all {
		spans += x.Computation.NumProcesses()
	}
	if spans < 20 || spans >= 158 {
		t.Errorf("%d spans", spans)
	}
}

func TestCancelled(t *testing.T) {
	source, err := trace.Open(files + "otlp2jaeger-in.json")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Read(ctx, source, trace.Options{}); err != context.Canceled {
		t.Error(err)
	}
}

// TestCutDocument cuts off a document: it is dropped, and those before it are read.
func TestCutDocument(t *testing.T) {
	one := func(id string) string {
		return "{'resourceSpans':[{'scopeSpans':[{'spans':[{" + oneTrace + ",'spanId':'000000000000000" + id + "'}]}]}]}"
	}
	for text, want := range map[string]int{
		one("1")[:60]:                       0,
		one("1"):                            1,
		one("1") + one("2")[:60]:            1,
		one("1") + one("2") + one("3")[:10]: 2,
	} {
		all, err := readText(t, text, trace.Options{AllowTruncated: true})
		got := 0
		if err == nil {
			got = all[0].Computation.NumProcesses()
		} else if !strings.Contains(err.Error(), "the JSON text ends too soon") {
			t.Error(err)
		}
		if got != want {
			t.Errorf("%s: %d spans, want %d", text, got, want)
		}
	}
}
